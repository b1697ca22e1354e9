"""Nothing leaves the machine unless the user said so: watched from inside the processes, and with the network gone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

WATCH = """
import os, sys

def note(text):
    with open(os.environ["WATCH_LOG"], "a") as file:
        file.write(text + "\\n")

def hook(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg") and isinstance(arguments[1], tuple):
        note(f"{event} {arguments[1]}")
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "urllib.Request", "http.client.connect"):
        note(f"{event} {arguments[0]}")
    elif event == "import" and arguments[0] in ("openai", "httpx", "httpx2", "requests", "aiohttp"):
        note(f"import {arguments[0]}")

sys.addaudithook(hook)
note("watching " + os.path.basename(sys.argv[0] if sys.argv else ""))
"""
WRONG = 'def double(x: int) -> int:\n    """Doubles.\n\n    >>> double(2)\n    4\n    """\n    return x + 2\n'
RIGHT = "def double(x: int) -> int:\n    return 2 * x\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[project]\nname = 'p'\nversion = '1'\n")
    (folder / "wrong.py").write_text(WRONG)
    (folder / "right.py").write_text(RIGHT)
    return folder


@pytest.fixture
def run(tmp_path: Path, project: Path) -> Callable[..., Any]:
    """Runs the command line in the project, with every connection and import of a network library noted."""
    (tmp_path / "watch").mkdir()
    (tmp_path / "watch" / "sitecustomize.py").write_text(WATCH)

    def run(*arguments: str, around: tuple[str, ...] = (), stdin: bytes = b"", **environment: str) -> Any:
        log = tmp_path / "log"
        log.write_text("")
        done = subprocess.run(
            [*around, sys.executable, "-m", "lsp_evalplus", *arguments],
            check=False,
            cwd=project,
            input=stdin,
            capture_output=True,
            timeout=280,
            env={
                **os.environ,
                "PYTHONPATH": str(tmp_path / "watch"),
                "WATCH_LOG": str(log),
                "HOME": str(tmp_path),
                "XDG_CONFIG_HOME": str(tmp_path / "config"),
                "XDG_CACHE_HOME": str(tmp_path / "cache"),
                "OPENAI_API_KEY": "sk-never-sent",
                **environment,
            },
        )
        notes = log.read_text().splitlines()
        assert any(note.startswith("watching") for note in notes), "the watch itself must work"
        return done, [note for note in notes if not note.startswith("watching")]

    return run


def lsp_session(*messages: dict[str, Any]) -> bytes:
    texts = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(text), text) for text in texts)


def test_a_check_sends_nothing(run: Any, serve: Any) -> None:
    server = serve()
    done, notes = run("check", "wrong.py", "--reference", "right.py", OPENAI_BASE_URL=server.base_url)

    assert done.returncode == 1, done.stderr
    assert b"double(" in done.stdout
    assert notes == []
    assert server.requests == []


@pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are of Linux")
def test_a_check_needs_no_network(run: Any) -> None:
    around = ("unshare", "--map-root-user", "--net")
    if (
        shutil.which("unshare") is None
        or subprocess.run([*around, "true"], check=False, capture_output=True).returncode
    ):
        pytest.skip("this system does not let us make a network namespace")
    with_network, _ = run("check", "wrong.py", "--reference", "right.py", "--format", "json")
    without, notes = run("check", "wrong.py", "--reference", "right.py", "--format", "json", around=around)

    assert without.returncode == with_network.returncode == 1, without.stderr
    assert b"double(" in without.stdout
    assert notes == []


def test_a_language_server_sends_nothing(run: Any, serve: Any, project: Path) -> None:
    server = serve()
    uri = (project / "wrong.py").as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": WRONG}
    folder = {"uri": project.as_uri(), "name": "p"}
    session = lsp_session(
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "processId": None,
                "rootUri": project.as_uri(),
                "workspaceFolders": [folder],
                "capabilities": {},
            },
        },
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
        {"method": "textDocument/didSave", "params": {"textDocument": {"uri": uri}}},
        {
            "id": 2,
            "method": "textDocument/hover",
            "params": {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 6}},
        },
        {"id": 3, "method": "shutdown"},
        {"method": "exit"},
    )
    done, notes = run("serve", stdin=session, OPENAI_BASE_URL=server.base_url)

    assert b'"id": 1' in done.stdout or b'"id":1' in done.stdout
    assert notes == []
    assert server.requests == []


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["doctor"], ["sanitize", "--help"], ["bench", "--help"]]
)
def test_other_commands_send_nothing(run: Any, arguments: list[str]) -> None:
    _, notes = run(*arguments)

    assert notes == []


def test_without_consent_nothing_is_sent(run: Any, serve: Any) -> None:
    server = serve(lambda body: ["double(3)"])
    done, notes = run("seeds", "wrong.py::double", "--model", "m", "--base-url", server.base_url)

    assert done.returncode == 2
    assert b"nothing was sent: this workspace has no consent" in done.stderr
    assert notes == []
    assert server.requests == []


@pytest.mark.slow
def test_what_is_shown_is_what_is_sent(run: Any, serve: Any) -> None:
    server = serve(lambda body: ["```\ndouble(3)\ndouble(-1)\n```"])
    call = ("seeds", "wrong.py::double", "--model", "m", "--base-url", server.base_url)
    shown, notes = run(*call, "--show-prompt")
    assert notes == []
    assert server.requests == []
    done, notes = run(*call, "--allow")
    again, _ = run(*call, OPENAI_API_KEY="another")
    forgotten, _ = run("seeds", "--forget")
    refused, _ = run(*call)

    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().split() == ["double(3,)", "double(-1,)"] or b"double(3" in done.stdout
    assert again.stdout == done.stdout
    assert len(server.requests) == 3, "the second time the answers come from the cache"
    assert {note.split()[0] for note in notes} <= {"import", "socket.connect", "socket.getaddrinfo"}
    assert all("127.0.0.1" in note for note in notes if note.startswith("socket."))
    for request in server.requests:
        for message in request.body["messages"]:
            assert message["content"] in shown.stdout.decode()
        assert set(request.body) <= {"model", "messages", "temperature", "max_tokens", "stream", "stream_options"}
    assert b"will be sent any more" in forgotten.stdout
    assert refused.returncode == 2


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://example.invalid/v1", b"only sent over https"),
        ("ftp://x/v1", b"must be a URL"),
        ("nonsense", b"must be a URL"),
    ],
)
def test_a_key_is_not_sent_in_clear_text(run: Any, url: str, message: bytes) -> None:
    done, notes = run("seeds", "wrong.py::double", "--model", "m", "--base-url", url, "--allow")

    assert done.returncode == 2
    assert message in done.stderr
    assert notes == []


def test_a_project_cannot_send_its_readers_code(run: Any, serve: Any, project: Path) -> None:
    server = serve()
    with (project / "pyproject.toml").open("a") as file:
        file.write(f"[tool.lsp-evalplus.llm]\nenabled = true\nbase-url = '{server.base_url}'\nmodel = 'm'\n")
    done, notes = run("check", "wrong.py", "--reference", "right.py")

    assert done.returncode == 2
    assert b"may not be set in a project's file" in done.stderr
    assert notes == []
    assert server.requests == []
