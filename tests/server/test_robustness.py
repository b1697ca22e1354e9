"""What goes wrong around a server: clients that die, order that is upset, wrong settings, odd workspaces."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lsprotocol import types

from .. import forked

pytestmark = pytest.mark.slow

SCRIPT = forked.SCRIPT


@pytest.fixture
def server_command() -> tuple[str, ...]:
    """The process of the server is looked at here."""
    return (str(SCRIPT), "serve")


SHOUT = '''\
def shout(text: str) -> str:
    """Loud.

    >>> shout("a")
    'A!'
    """
    return text + "!"
'''
linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see processes")


def descendants(process: int) -> set[int]:
    """All processes below one."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
    found, size = {process}, 0
    while len(found) > size:
        size = len(found)
        found |= {child for child, parent in parents.items() if parent in found}
    return found - {process}


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def until_gone(processes: set[int], seconds: float) -> float:
    """How long it took until none of the processes ran."""
    started = time.monotonic()
    while any(map(is_running, processes)):
        assert time.monotonic() - started < seconds, [one for one in processes if is_running(one)]
        await asyncio.sleep(0.02)
    return time.monotonic() - started


@linux
async def test_nothing_is_left_behind_after_exit(editor):
    uri = editor.open("shout.py", SHOUT)
    await editor.diagnostics(uri)
    server = editor.client._server.pid
    below = descendants(server)
    assert below

    await editor.close()

    await until_gone({server, *below}, 200)


@linux
async def test_the_end_of_standard_input_ends_the_server_within_a_second(editor):
    uri = editor.open("endless.py", ENDLESS)
    await editor.wait(lambda: any(one.method == "workspace/codeLens/refresh" for one in editor.seen))
    process = editor.client._server
    below = descendants(process.pid)

    process.stdin.close()
    await asyncio.wait_for(process.wait(), 200)

    assert process.returncode == 1
    assert uri
    await until_gone(below, 200)
    editor.inbox.clear()


@linux
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_a_server_that_is_told_to_end_leaves_nothing_behind(editor, tmp_path: Path, number: int) -> None:
    editor.open("endless.py", ENDLESS)
    await editor.wait(lambda: any(one.method == "workspace/codeLens/refresh" for one in editor.seen))
    listening = tmp_path / "cache" / "lsp-evalplus" / "listening"
    async with asyncio.timeout(200):
        while not list(listening.glob("*.json")):
            await asyncio.sleep(0.01)
    process = editor.client._server
    below = descendants(process.pid)
    assert below

    process.send_signal(number)
    await asyncio.wait_for(process.wait(), 200)

    assert process.returncode == 1
    assert list(listening.iterdir()) == []
    await until_gone(below, 200)
    editor.inbox.clear()


_SLOW = "(n: int):\n    return n + sum(range(10**6))\n"
ENDLESS = f"# lsp-evalplus: reference=::g\ndef f{_SLOW}\n\ndef g{_SLOW}"
"""A check that lasts: each call takes long enough for the search not to be over soon."""

CLIENT = """
import json, os, subprocess, sys, time
server = subprocess.Popen([sys.argv[1], "serve"] + sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    server.stdin.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    server.stdin.flush()
uri = "file://" + sys.argv[2]
send({"id": 1, "method": "initialize", "params": {"processId": os.getpid(), "rootUri": None, "capabilities": {}}})
send({"method": "initialized", "params": {}})
text = open(sys.argv[2]).read()
document = {"uri": uri, "languageId": "python", "version": 0, "text": text}
send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
body = b""
while b"publishDiagnostics" not in body:
    headers = b""
    while not headers.endswith(b"\\r\\n\\r\\n"):
        headers += server.stdout.read(1)
    body = server.stdout.read(int(headers.split()[1]))
print(server.pid, flush=True)
time.sleep(600)
"""


@linux
async def test_a_client_that_is_killed_takes_the_server_along(tmp_path: Path, environment: None) -> None:
    """It is a client of few abilities: no version, no encodings, no workspace."""
    module = tmp_path / "shout.py"
    module.write_text(SHOUT)
    command = [sys.executable, "-c", CLIENT, str(SCRIPT), str(module)]
    client = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    server = int(await asyncio.to_thread(client.stdout.readline))
    below = descendants(server)

    os.kill(client.pid, signal.SIGKILL)
    await asyncio.to_thread(client.wait)
    client.stdout.close()

    await until_gone({server, *below}, 200)


@linux
async def test_the_server_notices_that_its_parent_died_though_its_input_stays_open(
    tmp_path: Path, environment: None
) -> None:
    parent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    server = subprocess.Popen([str(SCRIPT), "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
    message["params"] = {"processId": parent.pid, "rootUri": None, "capabilities": {}}
    body = json.dumps(message).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.stdin.flush()
    assert (await asyncio.to_thread(server.stdout.readline)).startswith(b"Content-Length")

    parent.stdin.close()
    parent.wait()

    assert await asyncio.to_thread(server.wait, 200) == 1
    server.stdin.close()
    server.stdout.close()


async def test_a_change_after_the_close_is_dropped(editor):
    uri = editor.open("shout.py", SHOUT)
    await editor.diagnostics(uri)

    editor.close_document(uri)
    editor.change(uri, "x = 1\n")
    editor.close_document(uri)

    await editor.diagnostics(uri, lambda found: not found)
    editor.open("shout.py", SHOUT)
    await editor.diagnostics(uri)


async def test_unknown_messages_and_documents_do_no_harm(editor):
    nowhere = types.TextDocumentIdentifier("file:///nowhere/at/all.py")
    position = types.Position(5, 5)
    editor.client.protocol.notify("lspEvalplus/accepted", {"textDocument": {"uri": 1}})
    editor.client.protocol.notify("lspEvalplus/accepted", None)
    editor.client.protocol.notify("$/unheardOf", {"a": 1})
    assert await editor.client.text_document_hover_async(types.HoverParams(nowhere, position)) is None
    assert not await editor.client.text_document_code_lens_async(types.CodeLensParams(nowhere))
    where = types.Range(position, position)
    actions = types.CodeActionParams(nowhere, where, types.CodeActionContext([]))
    assert not await editor.client.text_document_code_action_async(actions)
    uri = editor.open("shout.py", SHOUT)
    far = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(10**6, 10**6))
    assert await editor.client.text_document_hover_async(far) is None
    await editor.diagnostics(uri)


async def test_an_untrusted_workspace_is_left_alone(new_editor):
    editor = await new_editor(options={"trusted": False})
    uri = editor.open("shout.py", SHOUT)
    editor.save(uri)

    assert not await editor.run("lspEvalplus.checkFile", {"uri": uri})
    assert not await editor.run("lspEvalplus.checkChanges")
    if Path("/proc").exists():
        assert descendants(editor.client._server.pid) == set()


@pytest.mark.slow
async def test_trust_is_granted_and_withdrawn_without_a_restart(new_editor):
    editor = await new_editor(options={"trusted": False})
    uri = editor.open("shout.py", SHOUT)
    assert not await editor.run("lspEvalplus.checkFile", {"uri": uri})

    editor.client.protocol.notify("lspEvalplus/trust", {"trusted": "yes"})
    editor.client.protocol.notify("lspEvalplus/trust", None)
    assert not await editor.run("lspEvalplus.checkFile", {"uri": uri})
    editor.client.protocol.notify("lspEvalplus/trust", {"trusted": True})

    await editor.diagnostics(uri)
    assert [one for one in editor.seen if one.method == "client/registerCapability"]
    editor.client.protocol.notify("lspEvalplus/trust", {"trusted": False})
    editor.change(uri, SHOUT.replace("text +", "text.upper() +"))
    assert not await editor.run("lspEvalplus.checkFile", {"uri": uri})
    with pytest.raises(Exception, match="not trusted"):
        await editor.run("lspEvalplus.debugInput", {"uri": uri, "name": "shout", "configurationOnly": True})
    assert editor.inbox == []
    editor.client.protocol.notify("lspEvalplus/trust", {"trusted": True})
    await editor.diagnostics(uri, lambda found: not found)


@linux
async def test_withdrawn_trust_ends_all_that_runs_the_workspaces_code(new_editor):
    editor = await new_editor(options={"budget": 600})
    uri = editor.open("slow.py", SHOUT.replace('text + "!"', 'text.upper() + "!"'))
    editor.write("reference.py", SHOUT.replace('text + "!"', 'text.upper() + "!"'))
    editor.change(uri, "# lsp-evalplus: reference=reference.py::shout\n" + editor.texts[uri])
    checking = asyncio.ensure_future(editor.run("lspEvalplus.checkFile", {"uri": uri}))

    def zygotes() -> set[int]:
        found = descendants(editor.client._server.pid)
        return {one for one in found if is_running(one) and b"boot.py" in Path(f"/proc/{one}/cmdline").read_bytes()}

    while not (running := zygotes()):
        await asyncio.sleep(0.02)
    editor.client.protocol.notify("lspEvalplus/trust", {"trusted": False})

    await checking
    await until_gone(running, 200)
    assert zygotes() == set()


@linux
async def test_checked_code_runs_at_a_lower_priority(editor):
    text = 'def level(n):\n    """\n    >>> level(1)\n    0\n    """\n    import os\n'
    text += "    return os.getpriority(os.PRIO_PROCESS, 0)\n"
    uri = editor.open("level.py", text)

    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics

    assert diagnostic.data["candidate"]["text"] == str(os.nice(0) + 5)


async def test_wrong_settings_are_told_once_each_and_the_rest_counts(new_editor):
    editor = await new_editor(options={"debounce": "soon", "colour": "red", "severity": {"examples": "hint"}})
    uri = editor.open("shout.py", SHOUT)

    (diagnostic,) = (await editor.diagnostics(uri)).diagnostics

    assert diagnostic.severity == types.DiagnosticSeverity.Hint
    told = [(await editor.take("window/showMessage")).message for _ in range(2)]
    assert any("debounce" in one and "soon" in one for one in told)
    assert any("colour" in one for one in told)


@pytest.mark.parametrize("given", ["text", 5, [1]])
async def test_settings_that_are_no_table_are_told(editor, given):
    editor.configuration = {"": given, editor.root.as_uri(): given}
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))

    assert "lspEvalplus is no table of settings" in (await editor.take("window/showMessage")).message
    editor.open("shout.py", SHOUT)
    await editor.diagnostics(editor.uri("shout.py"))


async def test_settings_can_change_at_any_time(editor):
    uri = editor.open("shout.py", SHOUT)
    await editor.diagnostics(uri)

    editor.configuration[""] = {"severity": {"examples": "off"}}
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=None))
    await editor.diagnostics(uri, lambda found: not found)

    editor.configuration[""] = {"severity": {"examples": "warning"}}
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=None))
    (again,) = (await editor.diagnostics(uri)).diagnostics
    assert again.severity == types.DiagnosticSeverity.Warning


@pytest.mark.slow
async def test_a_folder_with_a_broken_interpreter_affects_itself_only(new_editor, tmp_path: Path):
    other = tmp_path / "other"
    other.mkdir()

    def prepare(editor) -> None:
        editor.folders.append(other)
        (other / "pyproject.toml").write_text('[tool.lsp-evalplus]\npython = "no/such/python"\n')
        (other / "shout.py").write_text(SHOUT)

    editor = await new_editor(options={"trusted": True}, before=prepare)
    broken = editor.open("../other/shout.py")
    fine = editor.open("shout.py", SHOUT)
    await editor.diagnostics(fine)

    (result,) = await editor.run("lspEvalplus.checkFunction", {"uri": broken, "name": "shout"})

    assert result["verdict"] == "not_checked"
    assert "no/such/python" in result["reason"]
    problem = (await editor.take("window/showMessage")).message
    assert problem.startswith("Nothing is checked in ")
    assert "/other: python: there is no interpreter 'no/such/python'; set it" in problem
    hover = types.HoverParams(types.TextDocumentIdentifier(broken), types.Position(0, 5))
    assert "no/such/python" in (await editor.client.text_document_hover_async(hover)).contents.value


@pytest.mark.slow
@linux
async def test_a_folder_whose_interpreter_does_not_answer_keeps_nobody_waiting(new_editor, tmp_path: Path):
    other, asked = tmp_path / "other", tmp_path / "asked"
    other.mkdir()
    text = "\n\n".join(SHOUT.replace("shout", f"shout{number}") for number in range(8))

    def prepare(editor) -> None:
        editor.folders.append(other)
        (other / "pyproject.toml").write_text('[tool.lsp-evalplus]\npython = "./python"\n')
        (other / "python").write_text(f"#!/bin/sh\necho >> {asked}\nsleep 1000\n")
        (other / "python").chmod(0o755)
        (other / "many.py").write_text(text)

    editor = await new_editor(options={"trusted": True}, before=prepare)
    silent = editor.open("../other/many.py")
    checking = editor.run("lspEvalplus.checkFile", {"uri": silent})
    fine = editor.open("shout.py", SHOUT)
    await editor.diagnostics(fine)

    assert {one["reason"] for one in await checking} == {f"python: {other / 'python'} has not answered yet"}
    assert asked.read_text() == "\n"
    left = descendants(editor.client._server.pid)
    started = time.monotonic()
    await editor.close()
    assert time.monotonic() - started < 200
    assert [one for one in left if is_running(one)] == []


async def test_cells_of_a_notebook_are_one_program(editor):
    notebook = (editor.root / "n.ipynb").as_uri()
    texts = ["%matplotlib inline\nMARK = '!'\n", SHOUT.replace('"!"', "MARK"), "shout('x')"]
    uris = [f"vscode-notebook-cell:{notebook[5:]}#c{number}" for number in range(3)]
    cells = [types.NotebookCell(types.NotebookCellKind.Code, uri) for uri in uris]
    items = [types.TextDocumentItem(uri, "python", 1, text) for uri, text in zip(uris, texts, strict=True)]
    editor.client.notebook_document_did_open(
        types.DidOpenNotebookDocumentParams(types.NotebookDocument(notebook, "jupyter-notebook", 1, cells), items)
    )

    (diagnostic,) = (await editor.diagnostics(uris[1])).diagnostics

    assert diagnostic.range == types.Range(types.Position(0, 4), types.Position(0, 9))
    editor.texts[uris[1]], editor._versions[uris[1]] = texts[1], 1
    example = await editor.chosen(uris[1], diagnostic, "Ignore")
    assert example.edit.document_changes[0].text_document.uri == uris[1]
    change = types.NotebookDocumentCellContentChanges(
        types.VersionedTextDocumentIdentifier(2, uris[1]),
        [types.TextDocumentContentChangeWholeDocument(texts[1].replace("text + ", "text.upper() + "))],
    )
    event = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(text_content=[change]))
    editor.client.notebook_document_did_change(
        types.DidChangeNotebookDocumentParams(types.VersionedNotebookDocumentIdentifier(2, notebook), event)
    )
    await editor.diagnostics(uris[1], lambda found: not found)


class Cells:
    """A notebook with a mark in one cell and, below it, a function that needs an exclamation mark."""

    def __init__(self, editor):
        self.editor, self.notebook, self.version = editor, (editor.root / "n.ipynb").as_uri(), 1
        self.mark, self.function = (f"vscode-notebook-cell:/n.ipynb#{number}" for number in range(2))

    async def open(self):
        texts = {self.mark: "MARK = '?'\n"}
        texts[self.function] = SHOUT.replace('"!"', "MARK").replace("return text", "return text.upper()")
        cells = [types.NotebookCell(types.NotebookCellKind.Code, uri) for uri in texts]
        items = [types.TextDocumentItem(uri, "python", 1, text) for uri, text in texts.items()]
        document = types.NotebookDocument(self.notebook, "jupyter-notebook", 1, cells)
        self.editor.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(document, items))
        await self.until(is_wrong=True)

    def change(self, mark):
        self.version += 1
        content = types.NotebookDocumentCellContentChanges(
            types.VersionedTextDocumentIdentifier(self.version, self.mark),
            [types.TextDocumentContentChangeWholeDocument(f"MARK = {mark!r}\n")],
        )
        change = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(text_content=[content]))
        identifier = types.VersionedNotebookDocumentIdentifier(self.version, self.notebook)
        self.editor.client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(identifier, change))

    async def until(self, *, is_wrong):
        await self.editor.diagnostics(self.function, lambda found: bool(found) is is_wrong)


async def test_a_cell_is_checked_again_when_one_above_it_changes(editor):
    cells = Cells(editor)
    await cells.open()

    for mark, is_wrong in [("!", False), ("?", True), ("!", False)]:
        cells.change(mark)
        await cells.until(is_wrong=is_wrong)


async def test_a_cell_above_that_changes_while_one_is_read(new_editor):
    """What is found for the newer text must not count for the one that was read."""
    editor = await new_editor(command=(sys.executable, str(Path(__file__).parent / "slow_reader.py"), "0.6"))
    cells = Cells(editor)
    await cells.open()
    cells.change("!")
    await cells.until(is_wrong=False)
    await asyncio.sleep(0.45)  # By now it is read again, because nothing was edited for a while.
    cells.change("?")
    await cells.until(is_wrong=True)
    cells.change("!")
    await cells.until(is_wrong=False)


@pytest.mark.slow
async def test_progress_is_told_a_few_times_a_second(new_editor):
    one = 'def f{0}(x: int) -> int:\n    """\n    >>> f{0}(1)\n    1\n    """\n    return x\n'
    editor = await new_editor(options={"budget": 0.1})
    uri = editor.open("many.py", "\n\n".join(one.format(number) for number in range(60)))
    started = time.monotonic()

    await editor.run("lspEvalplus.checkFile", {"uri": uri})

    reports = [o for o in editor.seen if o.method == "$/progress" and o.params.value["kind"] == "report"]
    assert reports
    assert len(reports) <= 5 * (time.monotonic() - started) + 2


async def test_progress_can_be_cancelled(new_editor):
    editor = await new_editor(options={"budget": 600})
    editor.open("endless.py", ENDLESS)
    begin = await editor.wait(
        lambda: next(
            (one for one in editor.seen if one.method == "$/progress" and one.params.value["kind"] == "begin"), None
        )
    )
    assert begin.params.value["cancellable"]

    started = time.monotonic()
    editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(begin.params.token))
    await editor.wait(lambda: any(o.method == "$/progress" and o.params.value["kind"] == "end" for o in editor.seen))

    assert time.monotonic() - started < 200


MANY = 12


def write_many(editor) -> str:
    """A file whose functions are all right, so that each is searched as long as that may show something."""
    texts = [f"def f{number}(a: int) -> int:\n    return a\n" for number in range(MANY)]
    editor.write("reference.py", "\n\n".join(texts))
    marked = (f"# lsp-evalplus: reference=reference.py::f{number}\n{text}" for number, text in enumerate(texts))
    editor.write("many.py", "\n\n".join(marked))
    return editor.uri("many.py")


async def test_a_command_about_many_functions_keeps_nobody_else_waiting(new_editor):
    editor = await new_editor(options={"budget": 600, "jobs": 1})
    many = asyncio.ensure_future(editor.run("lspEvalplus.checkFile", {"uri": write_many(editor)}))
    shout = editor.open("shout.py", SHOUT)

    await editor.diagnostics(shout)
    editor.change(shout, SHOUT.replace("text +", "text.upper() +"))
    await editor.diagnostics(shout, lambda found: not found)

    assert not many.done()
    assert await editor.run("lspEvalplus.cancel") > 0
    assert len(await many) == MANY


async def test_a_request_that_is_cancelled_ends_its_checks(new_editor):
    editor = await new_editor(options={"budget": 600, "jobs": 1})
    params = {"command": "lspEvalplus.checkFile", "arguments": [{"uri": write_many(editor)}]}
    parameters = types.ExecuteCommandParams(params["command"], params["arguments"])
    asked = asyncio.ensure_future(
        editor.client.protocol.send_request_async("workspace/executeCommand", parameters, "the request")
    )
    await editor.wait(lambda: [one for one in editor.seen if one.method == "$/progress"])

    editor.client.protocol.notify("$/cancelRequest", types.CancelParams("the request"))

    with pytest.raises(Exception, match="cancel"):
        await asyncio.wait_for(asked, 200)
    assert await editor.run("lspEvalplus.cancel") == 0


@pytest.mark.slow
async def test_many_documents(new_editor):
    editor = await new_editor()
    for number in range(500):
        editor.open(f"many_{number}.py", f"def f{number}(n: int) -> int:\n    return n\n")
    uri = editor.open("shout.py", SHOUT)

    await editor.diagnostics(uri)
    for number in range(500):
        editor.close_document(editor.uri(f"many_{number}.py"))
    document = types.TextDocumentIdentifier(uri)
    assert await editor.client.text_document_code_lens_async(types.CodeLensParams(document))
