"""The processor time of a process, read only where it may matter."""

from __future__ import annotations

import time

import pytest

from lsp_evalplus.fuzz.guest.calling.processor_time import ProcessorTime


class Clocks:
    """Clocks that a test advances, and the number of times that the processor time was read."""

    def __init__(self) -> None:
        self.used, self.passed, self.reads = 5.0, 100.0, 0

    def processor(self) -> float:
        """The processor time."""
        self.reads += 1
        return self.used


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    made = Clocks()
    monkeypatch.setattr(time, "process_time", made.processor)
    monkeypatch.setattr(time, "monotonic", lambda: made.passed)
    return made


def test_it_is_read_only_where_a_moment_may_have_passed(clocks: Clocks) -> None:
    used = ProcessorTime()
    clocks.passed, clocks.used = 100.4, 5.1
    assert not used.has_passed(5.5)
    assert clocks.reads == 1
    clocks.passed = 101.0
    assert not used.has_passed(5.5)  # Other processes had the processor.
    assert clocks.reads == 2
    clocks.passed, clocks.used = 101.5, 5.5
    assert used.has_passed(5.5)


def test_its_bound_is_as_exact_as_asked_for(clocks: Clocks) -> None:
    used = ProcessorTime()
    clocks.passed, clocks.used = 100.04, 5.01
    assert used.at_most(0.05) == pytest.approx(5.04)
    clocks.passed = 100.06
    assert used.at_most(0.05) == pytest.approx(5.01)
    assert clocks.reads == 2
