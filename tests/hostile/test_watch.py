"""Floods are told by name, and the host is not hurt by them."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Ending, EndingKind, Job, collect

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the watch needs /proc")

THREADS = """
import threading, time
def f():
    threading.stack_size(1 << 16)
    while True:
        threading.Thread(target=time.sleep, args=(60,)).start()
"""
FILES = "def f():\n    for i in range(10 ** 9):\n        open(str(i), 'wb').write(bytes(1 << 20))\n"
FOLDERS = "import os\ndef f():\n    while True:\n        os.mkdir('d')\n        os.chdir('d')\n"
MAPPED = """
import mmap, os, time
kept = []
def f():
    for number in range(16):
        with open(str(number), "w+b") as file:
            file.write(bytes(1 << 20))
            file.flush()
            os.unlink(str(number))
            kept.append(mmap.mmap(file.fileno(), 1 << 20, *([mmap.MAP_PRIVATE] if number % 2 else [])))
    os.closerange(4, 200)  # A mapping keeps a descriptor of its own, which it does not need.
    time.sleep(1000)
"""
PRIVATE = "def f():\n    open('big', 'wb').write(bytes(2 << 20))\n"


def end_of(source: str, **limits: Any) -> Ending:
    async def run() -> Ending:
        async with GuestPool(find_interpreter(sys.executable, Path()), Confinement(**limits), size=1) as pool:
            request = {"program": {"source": source, "qualname": "f"}, "arguments": ["()"], "per_call_seconds": 20}
            run = pool.start(Job("evaluate", request, wall_seconds=20))
            await collect(run)
            return run.ending

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("source", "limits", "detail"),
    [
        (THREADS, {"threads": 50}, "more than 50 threads"),
        (FILES, {"scratch_bytes": 4 << 20}, "more or larger files than it may have"),
        (FOLDERS, {}, "more or larger files than it may have"),
        (MAPPED, {"scratch_bytes": 12 << 20}, "more or larger files than it may have"),
    ],
    ids=["threads", "files", "folders", "mapped files without a name"],
)
def test_floods_are_ended(source: str, limits: dict[str, Any], detail: str) -> None:
    ending = end_of(source, **limits)

    assert ending.kind is EndingKind.FLOODED
    assert ending.detail == detail


def test_locks_are_pretended(tmp_path: Path) -> None:
    """A file that a guest may read is not locked for its user; a lock that is refused would break harmless programs."""
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "data.txt"
    path.write_text("x")
    source = (
        "import fcntl, time\n"
        "def f():\n"
        f"    file = open({str(path)!r})\n"
        "    fcntl.flock(file, fcntl.LOCK_EX)\n"
        "    fcntl.lockf(file, fcntl.LOCK_SH)\n"
        "    while True: time.sleep(60)\n"
    )

    async def run() -> None:
        confinement = Confinement(read=(str(path),))
        async with GuestPool(find_interpreter(sys.executable, Path()), confinement, size=1) as pool:
            request = {"program": {"source": source, "qualname": "f"}, "arguments": ["()"], "per_call_seconds": 1}
            replies = await collect(pool.start(Job("evaluate", request, wall_seconds=20)))
        (reply,) = replies
        assert reply["outcome"]["kind"] == "timed_out", reply

    def locks() -> None:
        with path.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    async def watch() -> None:
        running = asyncio.create_task(run())
        while not running.done():
            locks()
            await asyncio.sleep(0.01)
        await running

    asyncio.run(watch())


def test_one_file_is_bounded_at_once() -> None:
    assert end_of(PRIVATE, scratch_bytes=1 << 20).kind in (EndingKind.FINISHED, EndingKind.FLOODED)
    assert end_of(PRIVATE, scratch_bytes=8 << 20).kind is EndingKind.FINISHED
