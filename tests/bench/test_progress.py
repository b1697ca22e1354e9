"""The progress bar of `bench`: what it says of rate, time left and core-hours."""

from __future__ import annotations

import io
from itertools import count

from rich.console import Console

from lsp_evalplus.bench.judging.verdicts import PartVerdict, Rule, SampleVerdict, Status
from lsp_evalplus.bench.problem import Part
from lsp_evalplus.bench.samples.samples import Sample, SampleSet
from lsp_evalplus.commands.bench.progress import Pace, show_progress

PASSED = SampleVerdict({part: dict.fromkeys(Rule, PartVerdict(Status.PASS)) for part in Part})


def test_nothing_is_said_before_anything_is_known() -> None:
    pace = Pace(10, 5.0)
    assert pace.text(6.0) == ""
    pace.note(1.0)
    assert pace.text(5.0) == ""


def test_rate_time_left_and_core_hours_are_of_what_is_judged_now() -> None:
    pace = Pace(100, 1000.0)
    for _ in range(25):
        pace.note(7.2)
    assert pace.text(1050.0) == "0.5/s, 0:02:30 left, 0.050 of 0.200 core-hours"
    for _ in range(75):
        pace.note(0.0)  # Those that were judged with another one.
    assert pace.text(1100.0) == "1/s, 0:00:00 left, 0.050 of 0.050 core-hours"
    pace.note(0.0)
    assert "0:00:00 left" in pace.text(1101.0)


def test_one_bar_shows_the_programs_of_all_workers_and_forgets_what_the_store_had() -> None:
    samples = [Sample("T/0", number, f"x = {number}\n", "") for number in range(8)]
    console = Console(file=io.StringIO(), force_terminal=True, width=160)
    ticks = count(0.0, 10.0)
    with show_progress(
        console, SampleSet("p", "s", samples, ()), Rule.STRICT, Part.PLUS, clock=lambda: next(ticks)
    ) as watcher:
        watcher.on_references(0, 1)
        watcher.on_references(1, 1)
        watcher.on_start(6, 8)
        watcher.on_verdict("T/0", samples[6].digest, PASSED, 36.0)
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert "7/8" in shown
    assert "0.1/s, 0:00:10 left, 0.010 of 0.020 core-hours, pass@1 so far 100.0 %" in shown
