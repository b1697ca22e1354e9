"""What is seen from outside of all processes below one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from lsp_evalplus.fuzz.guest.process import tree

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")

BYTES = 40 << 20
PROGRAM = f"""
import os, subprocess, sys, threading, time
held = bytearray({BYTES})
held[::4096] = b"x" * len(held[::4096])
until = time.process_time() + 0.05
while time.process_time() < until: pass
below = "import os, time; os.fork(); os.write(1, b'%d ' % os.getpid() + bytes([10])); time.sleep(600)"
def start(): subprocess.Popen([sys.executable, "-c", below], stdout=1).wait()
if sys.argv[1] == "thread":
    for _ in range(3): threading.Thread(target=start).start()
else:
    start()
"""


@pytest.mark.parametrize(("place", "processes", "threads"), [("thread", 7, 4), ("main", 3, 1)])
def test_processes_that_any_thread_has_started_count(place: str, processes: int, threads: int) -> None:
    """Two are forked below each command; the first process has ``threads`` threads."""
    command = [
        sys.executable,
        "-c",
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {PROGRAM!r}, {place!r}])",
    ]
    top = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert top.stdout is not None
    try:
        told = [int(top.stdout.readline()) for _ in range(processes - 1)]
        found = tree.measure(top.pid)
        empty = tree.measure(max(told))
    finally:
        os.killpg(top.pid, signal.SIGKILL)
        top.wait()
        top.stdout.close()

    assert {*told} < {*found.numbers}
    assert found.processes == len({*found.numbers}) == processes
    assert found.threads == threads
    assert BYTES < found.resident_bytes < 20 * BYTES
    assert found.cpu_seconds >= 0.05
    assert (empty.processes, empty.resident_bytes) == (0, 0)


def test_what_has_ended_takes_nothing() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert tree.measure(ended.pid) == (0, 0, 0, 0.0, ())
