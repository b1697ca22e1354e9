"""Hostile programs in the editor: the server checks files with them, answers all the while, and is unharmed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the full sandbox is Linux's")

REFERENCE = "def add(x: int, y: int) -> int:\n    return x + y\n"
SECONDS = 280
GONE_SECONDS = 60.0
"""A zygote that was just starting has to get that far, on a busy machine."""


class Client:
    """A client of few words, over the pipes of a server process."""

    def __init__(self, process: subprocess.Popen[bytes], root: Path) -> None:
        self.process = process
        self.root = root
        self._number = 0

    def notify(self, method: str, params: Any) -> None:
        self._write({"method": method, "params": params})

    def request(self, method: str, params: Any) -> Any:
        """Send a request and wait for its answer; what the server asks meanwhile is answered with nothing."""
        self._number += 1
        self._write({"id": self._number, "method": method, "params": params})
        while True:
            message = self._read()
            if "method" in message and "id" in message:
                items = message["params"].get("items", []) if message["method"] == "workspace/configuration" else None
                self._write({"id": message["id"], "result": [None] * len(items) if items is not None else None})
            elif message.get("id") == self._number:
                assert "error" not in message, message
                return message["result"]

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        assert length, "the server is gone"
        return json.loads(self.process.stdout.read(length))  # type: ignore[no-any-return]

    def start(self) -> None:
        folder = {"uri": self.root.as_uri(), "name": "root"}
        parameters = {"processId": os.getpid(), "rootUri": folder["uri"], "workspaceFolders": [folder]}
        self.request("initialize", {**parameters, "capabilities": {}})
        self.notify("initialized", {})

    def open(self, name: str) -> str:
        path = self.root / name
        document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": path.read_text()}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return path.as_uri()

    def check(self, uri: str) -> Any:
        command = {"command": "lspEvalplus.checkFile", "arguments": [{"uri": uri}]}
        return self.request("workspace/executeCommand", command)

    def stop(self) -> int:
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(200)


@contextmanager
def running_server(root: Path, temporary: Path) -> Iterator[Client]:
    temporary.mkdir(exist_ok=True)
    environment = {**os.environ, "TMPDIR": str(temporary), "XDG_CACHE_HOME": str(temporary / "cache")}
    with subprocess.Popen(
        [sys.executable, "-m", "lsp_evalplus", "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd=root,
    ) as process:
        try:
            client = Client(process, root)
            client.start()
            yield client
        finally:
            process.kill()


def make_workspace(root: Path, sources: list[str]) -> list[str]:
    """Write each program into a file of its own, judged by one reference; return the files' names."""
    root.mkdir()
    names = [f"case_{number}.py" for number in range(len(sources))]
    references = "".join(f'"{name}::add" = "reference.py::add"\n' for name in names)
    settings = '[tool.lsp-evalplus]\nbudget = 0.2\njobs = 4\ndatabase = "off"\n[tool.lsp-evalplus.references]\n'
    (root / "pyproject.toml").write_text(settings + references)
    (root / "reference.py").write_text(REFERENCE)
    for name, source in zip(names, sources, strict=True):
        (root / name).write_text(source)
    return names


def check_all(behaviours: list[Any], prey: Any, folder: Path) -> None:
    names = make_workspace(folder / "root", [prey.fill(behaviour.source) for behaviour in behaviours])
    verdicts: dict[str, str] = {}
    with running_server(folder / "root", folder / "temporary") as client:
        for name, behaviour in zip(names, behaviours, strict=True):
            uri = client.open(name)
            for result in client.check(uri) or []:
                if result["name"] == "add":
                    verdicts[behaviour.name] = result["verdict"]
            began = time.monotonic()
            place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
            client.request("textDocument/hover", place)
            assert time.monotonic() - began < 60
            client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        assert client.stop() == 0
    assert [b.name for b in behaviours if b.verdict == "right" and verdicts.get(b.name) == "differs"] == []
    assert list(verdicts.values()).count("differs") > len(behaviours) // 10
    assert prey.harm == {}
    assert list((folder / "temporary").glob("lsp-evalplus-*")) == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_server_is_not_harmed(some_behaviours: list[Any], prey: Any, tmp_path: Path) -> None:
    check_all(some_behaviours, prey, tmp_path)


def processes_in(folder: Path) -> set[int]:
    """Return processes that work in a folder."""
    found: set[int] = set()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(place / "cwd").startswith(str(folder)):
                found.add(int(place.name))
        except OSError:
            continue
    return found


ENDLESS = "def add(x: int, y: int) -> int:\n    while x > 1:\n        pass\n    return x + y\n"


def kill_at_random(folder: Path, rng: random.Random) -> None:
    """Kill the server, or cut it off from its client, while it checks; nothing may be left, and the next one works."""
    root, temporary = folder / "root", folder / "temporary"
    if not root.exists():
        make_workspace(root, [ENDLESS, REFERENCE])
    with running_server(root, temporary) as client:
        uri = client.open("case_0.py")
        command = {"command": "lspEvalplus.checkFile", "arguments": [{"uri": uri}]}
        client._number += 1
        client._write({"id": client._number, "method": "workspace/executeCommand", "params": command})
        # A moment of chance, not a wait for something.
        time.sleep(rng.random())
        if rng.random() < 0.5:
            os.kill(client.process.pid, signal.SIGKILL)
        else:
            assert client.process.stdin is not None
            client.process.stdin.close()
        client.process.wait(GONE_SECONDS + 1)
    deadline = time.monotonic() + GONE_SECONDS
    while left := (processes_in(temporary), list(temporary.glob("lsp-evalplus-*"))):
        if left == (set(), []):
            break
        assert time.monotonic() < deadline, left
        time.sleep(0.02)


@pytest.mark.slow
def test_nothing_is_left_of_a_killed_server(tmp_path: Path) -> None:
    kill_at_random(tmp_path, random.Random(0))
    root, temporary = tmp_path / "root", tmp_path / "temporary"
    with running_server(root, temporary) as client:
        uri = client.open("case_1.py")
        assert [result["verdict"] for result in client.check(uri)] == ["agrees"]
        assert client.stop() == 0


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_nothing_is_left_of_servers_killed_often() -> None:
    rng = random.Random(50)
    # Not pytest's folder: other sessions of it remove that after a while.
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        for _ in range(int(os.environ.get("LSP_EVALPLUS_KILLS", "8"))):
            kill_at_random(Path(folder), rng)


@pytest.mark.slow
def test_hidden_files_of_a_workspace_are_not_read(tmp_path: Path) -> None:
    source = (
        "def add(x: int, y: int) -> int:\n"
        "    import builtins\n"
        "    reader = getattr(builtins, 'op' + 'en')\n"
        "    try:\n"
        "        reader({path!r}).read()\n"
        "    except OSError:\n"
        "        return x + y\n"
        "    return x + y + 1\n"
    )
    root = tmp_path / "root"
    paths = [root / ".env", root / "shown.txt"]
    names = make_workspace(root, [source.replace("{path!r}", repr(str(path))) for path in paths])
    for path in paths:
        path.write_text("KEY=hush")
    with running_server(root, tmp_path / "temporary") as client:
        verdicts = [client.check(client.open(name))[0]["verdict"] for name in names]
        assert client.stop() == 0

    assert verdicts == ["agrees", "differs"]
