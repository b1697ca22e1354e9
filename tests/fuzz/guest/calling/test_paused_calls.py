"""Time in which a process does not run, because it is stopped or the machine is paused or busy, ends no call."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no interval timers")

IN_A_SEARCH = """
from lsp_evalplus.fuzz.guest.calling.call_clock import CallClock
clock = CallClock()
clock.install()
clock.start(0.02)
"""
IN_A_BENCHMARK = """
from lsp_evalplus.fuzz.guest.jobs import outputs
outputs.WALL_SECONDS = 0.1
clock = outputs._Clock()
clock.wind(5.0)
clock.begin(0.02)
"""
ONE_BY_ONE = """
from lsp_evalplus.fuzz.guest.calling import call_outcome
call_outcome.LEAST_WALL_SECONDS = 0.2
clock = call_outcome.ProcessorTimer()
clock.start(0.02)
"""
PROGRAM = """
import os, signal, time
%s
try:
    time.sleep(0.05)
    %s
except BaseException:
    os._exit(3)
os._exit(4)
"""
CLOCKS = pytest.mark.parametrize("clock", [IN_A_SEARCH, IN_A_BENCHMARK, ONE_BY_ONE], ids=["search", "outputs", "one"])


@CLOCKS
def test_a_call_may_be_stopped_for_longer_than_it_may_sleep(clock: str) -> None:
    program = PROGRAM % (clock, "os.kill(os.getpid(), signal.SIGSTOP)")
    with subprocess.Popen([sys.executable, "-c", program]) as process:
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), status
        time.sleep(0.6)
        process.send_signal(signal.SIGCONT)
        assert process.wait(60) == 4


@CLOCKS
def test_a_call_that_sleeps_for_too_long_is_ended(clock: str) -> None:
    program = PROGRAM % (clock, "time.sleep(600)")
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=280).returncode == 3
