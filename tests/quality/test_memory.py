"""The measure of memory counts what processes share once, and tells the command, warm processes and samples apart."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from memory import MEGABYTE, Peak, look

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/smaps_rollup"), reason="needs Linux' smaps_rollup")

SHARED, OWN = 200 << 20, 64 << 20
SAMPLE = f"own = b'y' * {OWN}"
WARM = f"""
import os, sys
kept = b'x' * {SHARED}
reading, writing = os.pipe()
if os.fork() == 0:
    {SAMPLE}
    os.write(writing, b'r')
    sys.stdin.read()
    os._exit(0)
os.read(reading, 1)
print('ready', flush=True)
sys.stdin.read()
"""
COMMAND = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {WARM!r}]))"


def test_shared_pages_count_once() -> None:
    with subprocess.Popen([sys.executable, "-c", COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"

        moment = look(process.pid, time.monotonic())
        process.communicate()

    assert len(moment.warm) == len(moment.samples) == 1
    assert SHARED + OWN < moment.total < SHARED + OWN + 100 * MEGABYTE
    # Each of the two that share pages holds half of them.
    assert moment.samples[0] - moment.warm[0] == pytest.approx(OWN, abs=20 * MEGABYTE)
    peak = Peak()
    peak.note(moment)
    peak.note(look(os.getpid(), time.monotonic()))
    assert (peak.most.total >= moment.total, peak.looks) == (True, 2)
