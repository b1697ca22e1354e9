"""Searches for inputs: the program runs once on each row, and no clock decides which rows are found."""

from __future__ import annotations

import itertools
from typing import Any, cast

import pytest

from lsp_evalplus.fuzz.guest.calling.call_clock import CallClock
from lsp_evalplus.fuzz.guest.jobs import explore
from lsp_evalplus.fuzz.guest.judging import without_reference
from lsp_evalplus.fuzz.guest.judging.judge import CODES
from lsp_evalplus.fuzz.guest.protocol.channel import Channel
from lsp_evalplus.fuzz.guest.search import scheduler
from lsp_evalplus.fuzz.guest.search.setup import Setting, plan_search, read_setting

from .recorder import Recorder

LOOPS = (
    "calls = []\n"
    "def f(n: int, words: list[str]):\n"
    "    assert n >= 0\n"
    "    calls.append(n)\n"
    "    total = 0\n"
    "    for i in range(n):\n"
    "        total += i % 7\n"
    "    return (total, len(words)) if n != 3 else 'x' * 20_000\n"
)


def _request(**budget: Any) -> dict[str, Any]:
    program = {"source": LOOPS, "qualname": "f"}
    return {
        "oracle": "reference",
        "candidate": program,
        "reference": program,
        "examples": [],
        "seeds": ["(5, ['a', 'b'])", "(1000, ['cd'])", "(200000, [])"],
        "budget": {"seconds": 30.0, "calls": 400, "seed": 0, **budget},
    }


def _setting(**budget: Any) -> Setting:
    return read_setting(_request(**budget), cast("Channel", Recorder()), CallClock())


@pytest.mark.parametrize(("recorded", "calls"), [(400, [4]), (0, [4, 4])])
def test_a_program_that_is_its_own_reference_runs_once_where_inputs_are_sought(
    monkeypatch: pytest.MonkeyPatch, recorded: int, calls: list[int]
) -> None:
    # A call that takes long on a busy machine is made again, to count its lines.
    monkeypatch.setattr(without_reference, "_wall_time", lambda: 0.0)
    setting = _setting(recorded=recorded)
    plan = plan_search(setting)
    kept = {id(one): one.namespace["calls"] for one in setting.programs.distinct()}
    before = sum(map(len, kept.values()))
    assert CODES[plan.judge.run((4, ["a"])).code] == "agree"
    made = [n for found in kept.values() for n in found]
    assert len(made) - before == len(calls)


@pytest.mark.parametrize(
    ("row", "code"),
    [((4, []), "agree"), ((-1, []), "rejected"), ((3, []), "slow"), ((150_000, []), "slow")],
    ids=["accepted", "refused", "a long result", "too many lines"],
)
def test_counts_decide_what_is_slow(row: tuple[Any, ...], code: str) -> None:
    assert CODES[plan_search(_setting(recorded=400)).judge.run(row).code] == code


def _found(**budget: Any) -> list[Any]:
    channel = Recorder()
    explore.run(_request(recorded=400, as_json=True, **budget), cast("Channel", channel))
    return [row for message in channel.sent if message["event"] == "inputs" for row in message["inputs"]]


def test_the_same_inputs_are_found_however_slow_the_machine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    here = _found()
    ticks = itertools.count()
    monkeypatch.setattr(without_reference, "_wall_time", lambda: 0.5 * next(ticks))
    monkeypatch.setattr(scheduler.time, "process_time", lambda: 1e-4 * next(ticks))
    elsewhere = _found()
    monkeypatch.undo()
    assert len(here) > 100
    assert here == elsewhere
    assert not any(n > 100_000 for (n, _), *_ in here)


def test_enough_inputs_like_the_examples_end_a_search() -> None:
    every = _found()
    alike = [is_alike for *_, is_alike in every]
    assert sum(alike) > 60
    last = [place for place, is_alike in enumerate(alike) if is_alike][59]
    assert _found(sufficient=60) == every[: last + 1]
