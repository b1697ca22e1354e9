"""Each call has its own outcome, also where one is interrupted just when it has come to its end."""

from __future__ import annotations

import gc
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.jobs import outputs
from lsp_evalplus.fuzz.guest.jobs.outputs import ProgramJob
from lsp_evalplus.fuzz.guest.values.copies import FreshInputs
from lsp_evalplus.fuzz.guest.values.program_errors import CallTimeoutError

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers that interrupt")
COUNT = 40


@pytest.fixture(autouse=True)
def streams_and_timers() -> Iterator[None]:
    streams, handler = (sys.stdin, sys.stdout, sys.stderr), signal.getsignal(signal.SIGALRM)
    # Processor time that the job may not use ends this process: collecting the garbage of all tests before would.
    gc.disable()
    yield
    gc.enable()
    for timer in (signal.ITIMER_REAL, signal.ITIMER_PROF):
        signal.setitimer(timer, 0)
    signal.signal(signal.SIGALRM, handler)
    sys.stdin, sys.stdout, sys.stderr = streams


def job_of(source: str, **request: Any) -> tuple[ProgramJob, list[Any]]:
    found: list[Any] = []

    def send(reply: dict[str, Any], *, more: bool = False) -> None:
        assert "load_error" not in reply
        found.extend(reply["outcomes"])

    program = {"source": source, "qualname": "f"}
    defaults = {
        "program": program,
        "provided": [((number,), {}) for number in range(COUNT)],
        "indices": [0, COUNT],
        "is_range": True,
        "per_call_seconds": 0.1,
        "load_seconds": 1.0,
    }
    return ProgramJob({**defaults, **request}, send), found


def interrupt_now_and_then(job: ProgramJob, rng: Callable[[int], bool]) -> None:
    """Interrupt calls at moments when the clock is asked, which is when their outcome is there already."""
    asked = 0
    now = time.perf_counter

    def ask() -> float:
        nonlocal asked
        asked += 1
        if job._clock.active and rng(asked):  # pyright: ignore[reportPrivateUsage]
            job._clock.expired = True  # pyright: ignore[reportPrivateUsage]
            raise CallTimeoutError
        return now()

    job._now = ask  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("every", [2, 3, 7])
def test_what_has_its_outcome_is_not_interrupted_any_more(every: int) -> None:
    job, found = job_of("def f(x):\n    return x\n")
    interrupt_now_and_then(job, lambda asked: asked % every == 0)
    job.run()
    assert found == [str(number) for number in range(COUNT)]


def test_every_kind_of_outcome_in_its_place() -> None:
    source = (
        "def f(x):\n    if x % 5 == 1:\n        raise ValueError(x)\n    while x == 7:\n        pass\n"
        "    return [x, {x}] if x % 5 == 2 else x\n"
    )
    job, found = job_of(source, per_call_seconds=0.02)
    job.run()
    expected: list[Any] = [str(number) for number in range(COUNT)]
    expected[1::5] = [{"kind": "raised", "text": f"ValueError: {number}"} for number in range(1, COUNT, 5)]
    expected[2::5] = [f'[{number},{{"e":[{number}]}}]' for number in range(2, COUNT, 5)]
    expected[7] = {"kind": "timed_out", "text": ""}
    assert found == expected


@pytest.mark.slow
def test_what_takes_long_to_be_described_gets_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call may take its whole time, and so may what it returns: together more than a process has from one on."""
    monkeypatch.setattr(outputs, "WALL_SECONDS", 60.0)  # The machine may be busy.
    takes_long = "    end = time.process_time() + 0.65\n    while time.process_time() < end:\n        pass\n"
    job, found = job_of(f"import time\ndef f(x):\n{takes_long}    return {{x}}\n", per_call_seconds=1.0, indices=[0, 1])

    def describe(value: Any) -> str:
        end = time.process_time() + 0.65
        while time.process_time() < end:
            pass
        return repr(value)

    job._describe = describe  # pyright: ignore[reportPrivateUsage]
    job.run()
    assert found == ["{0}"]


@pytest.mark.parametrize(("stop_from", "count"), [(5, 8), (0, 8), (8, 11), (10, 11)])
def test_after_a_call_whose_time_is_over(stop_from: int, count: int) -> None:
    """Up to `stop_from` nothing more is to be learnt, from there on everything is of interest."""
    source = "def f(x):\n    while x == 7:\n        pass\n    if x == 10:\n        raise ValueError\n    return x\n"
    inputs = FreshInputs([((number,), {}) for number in range(COUNT)])
    assert inputs.can_copy(range(COUNT))
    job, found = job_of(
        source, provided=inputs, per_call_seconds=0.02, full_seconds=0.5, stop_from=stop_from, stop_at_timeout=True
    )
    job.run()
    assert len(found) == count
    assert found[7] == {"kind": "timed_out", "text": "", "certain": True}
    assert found[8:10] == ([{"kind": "skipped"}] * max(0, stop_from - 8) or ["8", "9"])[: count - 8]
