"""The limit of a call is measured on the first input that a program accepts."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.calling.calibration import BUSY, LONGEST_LIMIT, MARGIN, SLOW_STARTS, Calibration
from lsp_evalplus.fuzz.guest.calling.call_clock import CallClock
from lsp_evalplus.fuzz.guest.calling.invocation import RAISED, RETURNED, TIMED_OUT, CallResult


def calibration(clock: CallClock, kinds: list[str]) -> Calibration:
    results = iter(kinds)

    def call(row: Any) -> CallResult:
        return CallResult(next(results), error=ValueError())

    return Calibration(call, lambda error: True, clock, 60.0)


def test_a_program_that_is_slow_on_everything_gets_more_time() -> None:
    clock = CallClock()
    usual = clock.allowance
    measured = calibration(clock, [TIMED_OUT] * 3 * SLOW_STARTS + [RETURNED] * 2)

    found = [measured.run((1,)).kind for _ in range(2 * SLOW_STARTS - 2)]

    assert set(found) == {TIMED_OUT}
    assert usual < clock.allowance <= min(LONGEST_LIMIT, usual * MARGIN**2)


def test_what_is_refused_leaves_the_limit_and_what_is_accepted_settles_it() -> None:
    clock = CallClock()
    usual = 0.9  # Far above what the call takes, on any machine.
    clock.extend(usual)
    measured = calibration(clock, [RAISED, RETURNED, *[TIMED_OUT] * 2 * SLOW_STARTS])

    measured.run(())
    measured.run(())
    for _ in range(2 * SLOW_STARTS):
        measured.run(())

    assert clock.allowance == usual
    assert measured.unfinished == 0


def test_time_that_other_programs_take_does_not_end_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = CallClock()
    passed = [0.0]
    monkeypatch.setattr("lsp_evalplus.fuzz.guest.calling.calibration.time.monotonic", lambda: passed[0])
    measured = calibration(clock, [RAISED] * 4)

    assert measured.run((1,)).kind == RAISED
    passed[0] = 2 * 60.0
    assert measured.run((1,)).kind == RAISED
    passed[0] = 2 * BUSY * 60.0
    assert measured.run((1,)).kind == TIMED_OUT
