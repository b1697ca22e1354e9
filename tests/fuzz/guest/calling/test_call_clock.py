"""Calls are ended when their time is over, in C code too, where only the end of the process ends them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from lsp_evalplus.fuzz.guest.calling.call_clock import CallClock, seconds_starved
from lsp_evalplus.fuzz.guest.values.program_errors import CallTimeoutError

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no interval timers")

C_CODE = "sum(range(10**12))"
PYTHON_CODE = "[x for x in range(10**12) if x < 0]"
PROGRAM = """
import signal, sys
from lsp_evalplus.fuzz.guest.calling.call_clock import CallClock
from lsp_evalplus.fuzz.guest.values.program_errors import CallTimeoutError
clock = CallClock()
clock.install({patience})
{before}
# In a function: CPython 3.13.0 does not look for handlers around a comprehension that a signal interrupts.
def run():
    clock.start(0.1)
    {code}
try:
    run()
except CallTimeoutError:
    sys.exit(3)
finally:
    clock.remove()
"""


def ending(code: str, patience: float = 0.3, before: str = "") -> int:
    program = PROGRAM.format(code=code, patience=patience, before=before)
    return subprocess.run([sys.executable, "-c", program], check=False, timeout=280).returncode


def wait(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def test_python_code_is_interrupted() -> None:
    assert ending(PYTHON_CODE) == 3
    assert ending(PYTHON_CODE, patience=0) == 3


def test_the_process_is_ended_in_c_code() -> None:
    assert ending(C_CODE) == -signal.SIGPROF
    assert ending(C_CODE, before="signal.signal(signal.SIGPROF, signal.SIG_IGN); clock.wind()") == -signal.SIGPROF


def test_patience_is_as_long_as_it_takes_where_ticks_are_heard() -> None:
    quick = "clock.stop()\n    for _ in range(200): sum(range(10**5))\n    sys.exit(4)"
    assert ending(quick, patience=0.1) == 4


def test_timers_that_code_under_test_took_are_set_anew() -> None:
    clock = CallClock()
    clock.install(5.0)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        clock.wind()
        assert signal.getitimer(signal.ITIMER_REAL)[1] > 0.0
        assert signal.getitimer(signal.ITIMER_PROF)[0] > 4.0
        clock.start(0.02)
        with pytest.raises(CallTimeoutError):
            wait(10.0)
    finally:
        clock.remove()
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_limits_are_those_of_the_innermost_block() -> None:
    clock = CallClock()
    usual = clock.allowance

    with clock.limited(1.0):
        with clock.limited(2.0):
            clock.extend(3.0)
            assert clock.allowance == 3.0
        assert clock.allowance == 1.0

    assert clock.allowance == usual


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not say")
def test_waiting_for_a_processor_is_counted_and_sleeping_is_not() -> None:
    before = seconds_starved()
    time.sleep(0.2)
    slept = seconds_starved() - before
    rivals = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4 * (os.cpu_count() or 1))]
    try:
        before, end = seconds_starved(), time.monotonic() + 60.0
        while seconds_starved() - before <= slept + 0.1:
            assert time.monotonic() < end
    finally:
        for rival in rivals:
            rival.kill()
            rival.wait()
