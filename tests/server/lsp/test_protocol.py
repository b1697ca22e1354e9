"""Clients that do not keep to the protocol: every request is answered, and the next one too."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ... import forked

pytestmark = pytest.mark.slow

WRONG = 'def f(a: int) -> int:\n    """\n    >>> f(1)\n    2\n    """\n    return a\n'
PARSE_ERROR = -32700
INVALID_PARAMETERS = -32602
INVALID_REQUEST = -32600
NOT_INITIALIZED = -32002


class Wire:
    """A server process with nothing but bytes in between."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    def send(self, method: str, params: Any, identity: Any = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if identity is not None:
            message["id"] = identity
        self.send_bytes(json.dumps(message).encode())

    def send_bytes(self, body: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async def answer(self, identity: Any) -> dict[str, Any]:
        """The answer to a request; what else the server says is passed over."""
        assert self.process.stdout is not None
        while True:
            head = await asyncio.wait_for(self.process.stdout.readuntil(b"\r\n\r\n"), 200)
            length = next(int(line[16:]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length: "))
            message = json.loads(await self.process.stdout.readexactly(length))
            if message.get("id") == identity and "method" not in message:
                return message

    async def ask(self, identity: Any, method: str, params: Any) -> dict[str, Any]:
        self.send(method, params, identity)
        return await self.answer(identity)


async def start() -> Wire:
    pipe = asyncio.subprocess.PIPE
    return Wire(await asyncio.create_subprocess_exec(*forked.command(), "serve", stdin=pipe, stdout=pipe, stderr=pipe))


async def test_the_order_of_a_session_is_kept(environment: None) -> None:
    wire = await start()
    hover = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 0, "character": 0}}
    beginning = {"processId": None, "rootUri": None, "capabilities": {}}
    document = {"uri": "file:///a.py", "languageId": "python", "version": 1, "text": WRONG}

    assert (await wire.ask(1, "textDocument/hover", hover))["error"]["code"] == NOT_INITIALIZED
    wire.send("textDocument/didOpen", {"textDocument": document})
    assert "capabilities" in (await wire.ask("two", "initialize", beginning))["result"]
    assert (await wire.ask(3, "initialize", beginning))["error"]["code"] == INVALID_REQUEST
    assert (await wire.ask(4, "textDocument/hover", hover))["result"] is None
    assert (await wire.ask(5, "shutdown", None))["result"] is None
    assert (await wire.ask(6, "textDocument/hover", hover))["error"]["code"] == INVALID_REQUEST
    wire.send("exit", None)
    _, errors = await asyncio.wait_for(wire.process.communicate(), 200)
    assert wire.process.returncode == 0
    assert b"Traceback" not in errors


MARKDOWN = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}


@pytest.mark.parametrize(
    ("changes", "is_markdown"),
    [
        ({"capabilities": MARKDOWN}, True),
        ({"capabilities": {**MARKDOWN, "unheardOf": {"x": 1}}}, True),
        ({"capabilities": {**MARKDOWN, "general": {"positionEncodings": ["utf-7", "utf-16"]}}}, True),
        ({"capabilities": {**MARKDOWN, "workspace": {"workspaceEdit": {"resourceOperations": ["teleport"]}}}}, True),
        ({"capabilities": {**MARKDOWN, "window": 7}}, True),
        ({"capabilities": {"textDocument": {"hover": {"contentFormat": ["html"]}}}}, False),
        ({"capabilities": None}, False),
        ({"workspaceFolders": [{"uri": "file:///nowhere"}]}, False),
        ({"initializationOptions": "text", "clientInfo": None, "trace": "verbose"}, False),
    ],
)
async def test_what_a_client_says_that_is_not_known_here_is_passed_over(
    environment: None, tmp_path: Path, changes: dict[str, Any], is_markdown: bool
) -> None:
    wire = await start()
    uri = (tmp_path / "m.py").as_uri()
    given = {"processId": None, "rootUri": None, "capabilities": {}, **changes}

    assert "hoverProvider" in (await wire.ask(1, "initialize", given))["result"]["capabilities"]

    wire.send(
        "textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": WRONG}}
    )
    arguments = {"command": "lspEvalplus.checkFile", "arguments": [{"uri": uri}]}
    assert (await wire.ask(2, "workspace/executeCommand", arguments))["result"][0]["verdict"] == "differs"
    hover = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 4}}
    kind = (await wire.ask(3, "textDocument/hover", hover))["result"]["contents"]["kind"]
    assert kind == ("markdown" if is_markdown else "plaintext")
    await wire.ask(4, "shutdown", None)
    wire.send("exit", None)
    assert await asyncio.wait_for(wire.process.wait(), 200) == 0


@pytest.mark.parametrize("functions", [30, 8_000], ids=["checked", "read"])
async def test_a_session_ends_well_while_requests_wait(environment: None, tmp_path: Path, functions: int) -> None:
    """For what is checked, and for a large file that is being read again."""
    wire = await start()
    await wire.ask(1, "initialize", {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}})
    text = "".join(f"def f{number}(a: int) -> int:\n    assert a != 7\n    return a\n" for number in range(functions))
    uri = (tmp_path / "m.py").as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    wire.send("textDocument/didOpen", {"textDocument": document})
    one = {"command": "lspEvalplus.checkFunction", "arguments": [{"uri": uri, "name": "f0"}]}
    assert (await wire.ask("first", "workspace/executeCommand", one))["result"]
    change = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": f"{text}# more\n"}]}
    wire.send("textDocument/didChange", change)
    everything = {"command": "lspEvalplus.checkFile", "arguments": [{"uri": uri}]}
    for number, arguments in enumerate([one, everything, everything]):
        wire.send("workspace/executeCommand", arguments, f"check {number}")
    await asyncio.sleep(0.3)

    assert (await wire.ask("end", "shutdown", None)).get("result", "no result") is None
    wire.send("exit", None)
    _, errors = await asyncio.wait_for(wire.process.communicate(), 200)
    assert wire.process.returncode == 0
    assert b"Traceback" not in errors


@pytest.mark.parametrize("body", [b'{"a":', b"[]", b"null", b"\xff\xfe", b"{}", b'{"jsonrpc": "2.0"}', b'"text"', b"7"])
async def test_what_is_no_message_is_passed_over(environment: None, body: bytes) -> None:
    wire = await start()
    await wire.ask(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})

    wire.send_bytes(body)

    assert (await wire.ask(2, "shutdown", None))["result"] is None
    wire.send("exit", None)
    assert await asyncio.wait_for(wire.process.wait(), 200) == 0


@pytest.mark.parametrize(
    "damage",
    [
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        b"Content-Length: +2\r\n\r\n{}",
        b"Content-Length: many\r\n\r\n{}",
        b"Content-Length: -5\r\n\r\n{}",
        b"Content-Length: 99999999999999\r\n\r\n{}",
        b"Content-Length: 2\n\n{}",
        b"Content-Length: 1\r\n\r\n{}",
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"Content-Type: application/vscode-jsonrpc\r\n\r\n{}",
        b"\r\n{}",
        b"\x00\xff\n",
    ],
)
async def test_damaged_frames_end_the_connection_and_are_told(environment: None, damage: bytes) -> None:
    wire = await start()
    await wire.ask(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert wire.process.stdin is not None

    wire.process.stdin.write(damage)
    wire.send("shutdown", None, 2)

    told = await wire.answer(None)
    assert told["error"]["code"] == PARSE_ERROR
    assert "damaged" in told["error"]["message"]
    _, errors = await asyncio.wait_for(wire.process.communicate(), 200)
    assert wire.process.returncode == 1
    assert b"Traceback" not in errors


@pytest.mark.parametrize(
    "head", ["content-length: %d\r\n\r\n", "Content-Length:%d\r\n\r\n", "X-A: b\r\nCONTENT-LENGTH: %d \r\n\r\n"]
)
async def test_other_spellings_of_the_length_are_understood(environment: None, head: str) -> None:
    wire = await start()
    await wire.ask(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert wire.process.stdin is not None
    body = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "shutdown"}).encode()

    wire.process.stdin.write((head % len(body)).encode() + body)

    assert (await wire.answer(2)).get("result", "no result") is None
    wire.process.kill()
    await wire.process.wait()


async def test_an_end_within_a_message_is_an_end(environment: None) -> None:
    wire = await start()
    await wire.ask(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert wire.process.stdin is not None

    wire.process.stdin.write(b'Content-Length: 1000\r\n\r\n{"jsonrpc"')
    wire.process.stdin.close()

    _, errors = await asyncio.wait_for(wire.process.communicate(), 200)
    assert wire.process.returncode == 1
    assert b"Traceback" not in errors


BAD_REQUESTS = [
    ("textDocument/hover", {"textDocument": {"uri": "URI"}, "position": {"line": -1, "character": 0}}),
    ("textDocument/hover", {"textDocument": {"uri": "URI"}, "position": {"line": 2**40, "character": 0}}),
    ("textDocument/hover", {}),
    ("textDocument/hover", None),
    ("textDocument/hover", []),
    ("codeAction/resolve", {"title": "t", "data": {"uri": "URI"}}),
    ("codeAction/resolve", {"title": "t", "data": {"uri": "URI", "name": "f", "fix": "none", "detail": ""}}),
    ("lspEvalplus/finding", {"textDocument": {"uri": "URI"}, "position": {"line": "a"}}),
    ("workspace/executeCommand", {"command": "lspEvalplus.unheardOf"}),
    *(
        ("workspace/executeCommand", {"command": f"lspEvalplus.{command}", **given})
        for command, arguments in {
            "checkFile": ({}, {"arguments": None}, {"arguments": []}, {"arguments": [None]}, {"arguments": ["URI"]}),
            "showInput": ({}, {"arguments": "text"}, {"arguments": {"uri": "URI"}}, {"arguments": [{"uri": 5}]}),
            "accepted": ({}, {"arguments": None}, {"arguments": 5}, {"arguments": [{}, {}]}),
            "cancel": ({"arguments": [{}]}, {"arguments": "text"}),
        }.items()
        for given in arguments
    ),
    *(
        (
            "workspace/executeCommand",
            {
                "command": "lspEvalplus.checkFunction",
                "arguments": [{"uri": "URI", "name": "f", "budgetFactor": factor}],
            },
        )
        for factor in ("x", -1, {}, True)
    ),
]


async def test_requests_with_wrong_parameters_are_refused_in_words(environment: None, tmp_path: Path) -> None:
    wire = await start()
    uri = (tmp_path / "m.py").as_uri()
    await wire.ask("begin", "initialize", {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}})
    document = {"uri": uri, "languageId": "python", "version": 1, "text": WRONG}
    wire.send("textDocument/didOpen", {"textDocument": document})

    for number, (method, params) in enumerate(BAD_REQUESTS):
        refused = await wire.ask(number, method, json.loads(json.dumps(params).replace("URI", uri)))
        assert refused["error"]["code"] == INVALID_PARAMETERS, (method, params)
        assert refused["error"].get("data") is None
        assert "\n" not in refused["error"]["message"]

    place = {"line": float("inf"), "character": 0}
    wrong = {"textDocument": {"uri": uri}, "ranges": [{"start": place, "end": place}]}
    arguments = {"command": "lspEvalplus.accepted", "arguments": [wrong]}
    assert (await wire.ask("infinite", "workspace/executeCommand", arguments))["result"] is False
    nothing = {"command": "lspEvalplus.cancel"}
    cancelled = (await wire.ask("no arguments", "workspace/executeCommand", nothing))["result"]
    assert cancelled in (0, 1), "the check of the open file, if it still runs"

    await wire.ask("end", "shutdown", None)
    wire.send("exit", None)
    _, errors = await asyncio.wait_for(wire.process.communicate(), 200)
    assert wire.process.returncode == 0
    assert b"Exception occurred for message" not in errors, "what was refused in words is no failure for the log"


async def test_a_fix_that_is_not_possible_any_more_is_told(editor):
    uri = editor.open("m.py", WRONG)
    await editor.diagnostics(uri)

    data = {"uri": uri, "name": "f", "fix": "addPrecondition", "detail": "99"}
    resolved = await editor.client.code_action_resolve_async(types.CodeAction("t", data=data))

    assert resolved.edit is None
    assert "not possible any more" in (await editor.take("window/showMessage")).message


async def test_requests_that_nobody_knows_are_no_failure_of_ours(editor):
    with pytest.raises(JsonRpcException):
        await editor.client.protocol.send_request_async("no/such", {})

    assert editor.inbox == []


@pytest.mark.parametrize("uri", ["file:///%00.py", "file://", "nonsense", "file:///etc", "untitled:One"])
async def test_places_without_a_text_are_nowhere(editor, uri):
    assert await editor.run("lspEvalplus.checkFile", {"uri": uri}) == []
    changes = types.DidChangeWatchedFilesParams([types.FileEvent(uri, types.FileChangeType.Changed)])
    editor.client.workspace_did_change_watched_files(changes)

    assert await editor.run("lspEvalplus.checkFile", {"uri": uri}) == []
    assert editor.inbox == []


@pytest.mark.parametrize("place", ["file://localhost", "file:"])
async def test_other_ways_to_write_a_place(editor, place):
    path: Path = editor.write("m.py", WRONG)

    (result,) = await editor.run("lspEvalplus.checkFile", {"uri": f"{place}{path.as_posix()}"})

    assert result["verdict"] == "differs"
    await editor.take("textDocument/publishDiagnostics")
