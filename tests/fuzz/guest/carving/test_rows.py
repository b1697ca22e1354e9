"""Which calls of tests become rows of a search."""

from __future__ import annotations

import types
from typing import Any

from lsp_evalplus.fuzz.guest.calling.call_clock import CallClock
from lsp_evalplus.fuzz.guest.carving.rows import MOST_UNFINISHED, carved_rows
from lsp_evalplus.fuzz.guest.values.program_errors import CallTimeoutError


class WaitingCarver:
    """Every test waits until its time is over."""

    def __init__(self) -> None:
        self.run: list[str] = []

    def cases(self, test: str) -> list[str]:
        return [test]

    def calls_in(self, case: str) -> list[dict[str, Any]]:
        self.run.append(case)
        raise CallTimeoutError


def test_tests_that_wait_are_not_run_for_ever() -> None:
    """Waiting takes no processor time, so the limit of that ends nothing."""
    carver: Any = WaitingCarver()
    names = [f"t.py::test_{number}" for number in range(60)]
    subject: Any = types.SimpleNamespace(
        loaded=types.SimpleNamespace(own_modules=None),
        program={"carving": {"tests": names}},
        side=lambda form: None,
    )
    layout: Any = types.SimpleNamespace(parameters=[], form=None)
    assert carved_rows(subject, carver, layout, CallClock(), 1.0) == []
    assert carver.run == names[:MOST_UNFINISHED]
