"""What hostile programs are let loose on: files, a secret, a server and a process of the user, all watched."""

from __future__ import annotations

import contextlib
import os
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parent.parent / "cases" / "hostile" / "behaviours.py"
BEHAVIOURS: list[Any] = runpy.run_path(str(CASES))["BEHAVIOURS"]
SHARE = int(os.environ.get("LSP_EVALPLUS_SHARE", "6"))
"""Each command, layer and interpreter tries one behaviour in that number of them, and all under `make redteam`: each is
tried in `test_evaluate.py`, with the same engine."""
LEFTOVERS = ("/tmp/lsp_evalplus_hostile_left", "/dev/shm/lsp_evalplus_hostile_left")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "behaviour" in metafunc.fixturenames:
        metafunc.parametrize("behaviour", BEHAVIOURS, ids=[behaviour.name for behaviour in BEHAVIOURS])


@pytest.fixture
def some_behaviours(request: pytest.FixtureRequest) -> list[Any]:
    """One of `SHARE` behaviours, others for each test; of those of the tests of `serve`, which take longest, half as
    many."""
    step = 1 if SHARE == 1 else 2 * SHARE if "serve" in request.node.path.name else SHARE
    return BEHAVIOURS[zlib.crc32(request.node.name.encode()) % step :: step]


@dataclass
class Prey:
    """What must be unharmed; `harm` says what is not."""

    folder: Path
    victim: Path
    secret: Path
    server: socket.socket
    process: subprocess.Popen[bytes]
    before: dict[str, Any] = field(default_factory=dict)

    def fill(self, source: str) -> str:
        """Put the real names into a program."""
        words = {
            "VICTIM": str(self.victim),
            "OUTSIDE": str(self.folder),
            "SECRET": str(self.secret),
            "PORT": str(self.server.getsockname()[1]),
            "PID": str(self.process.pid),
            "USER": os.environ.get("USER", "root"),
        }
        for word, value in words.items():
            source = source.replace(word, value) if word != "SECRET" else source.replace("'SECRET'", repr(value))
        return source

    def look(self) -> dict[str, Any]:
        """Return the state of everything a program could have touched."""
        status = self.victim.stat()
        return {
            "content": self.victim.read_text(),
            "secret": self.secret.read_text(),
            "folder": sorted(path.name for path in self.folder.iterdir()),
            "mode": status.st_mode,
            "owner": (status.st_uid, status.st_gid),
            "modified": status.st_mtime_ns,
            "links": status.st_nlink,
            "attributes": os.listxattr(self.victim) if hasattr(os, "listxattr") else [],
            "left": [path for path in LEFTOVERS if os.path.exists(path)],
            "priority": os.getpriority(os.PRIO_PROCESS, self.process.pid),
            "affinity": len(os.sched_getaffinity(self.process.pid)) if hasattr(os, "sched_getaffinity") else 0,
            "process": self.process.poll(),
            "stopped": _state(self.process.pid),
            "caller": os.getpriority(os.PRIO_PROCESS, 0),
            "stdlib": os.stat(os.__file__).st_mtime_ns,
            "connections": self._count_connections(),
        }

    def _count_connections(self) -> int:
        count = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                self.server.accept()[0].close()
                count += 1
        return count

    @property
    def harm(self) -> dict[str, Any]:
        """Return what has changed since the beginning: before and now."""
        now = self.look()
        return {key: (value, now[key]) for key, value in self.before.items() if value != now[key]}


def _state(pid: int) -> bool:
    """Whether a process is stopped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"
    except OSError:
        return False


@pytest.fixture(scope="session")
def behaviours() -> list[Any]:
    """Return all hostile and harmless programs."""
    return BEHAVIOURS


@pytest.fixture(scope="module")
def private_temporary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give this process its own folder for temporary files, so that what is left there is ours."""
    folder = tmp_path_factory.mktemp("temporary")
    before = tempfile.tempdir
    tempfile.tempdir = str(folder)
    try:
        yield folder
    finally:
        tempfile.tempdir = before


@pytest.fixture(scope="session")
def prey() -> Iterator[Prey]:
    """Set everything up, outside of what a guest may read."""
    folder = Path(tempfile.mkdtemp(prefix="user-of-"))
    server = socket.create_server(("127.0.0.1", 0))
    server.setblocking(False)
    process = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(3600)"], env={"LSP_EVALPLUS_TEST_SECRET": "hush"}
    )
    os.environ["LSP_EVALPLUS_TEST_SECRET"] = "hush"
    try:
        victim, secret = folder / "victim", folder / "key"
        victim.write_text("precious")
        secret.write_text("the secret of the user")
        prey = Prey(folder, victim, secret, server, process)
        prey.before = prey.look()
        yield prey
    finally:
        del os.environ["LSP_EVALPLUS_TEST_SECRET"]
        server.close()
        process.send_signal(signal.SIGKILL)
        process.wait()
        shutil.rmtree(folder)
