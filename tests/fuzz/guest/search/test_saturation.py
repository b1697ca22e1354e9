"""A search ends when it has gone on for long without reaching anything new, and not before."""

from __future__ import annotations

from typing import Any, cast

import pytest

from lsp_evalplus.fuzz.guest.calling.processor_time import ProcessorTime
from lsp_evalplus.fuzz.guest.jobs import explore
from lsp_evalplus.fuzz.guest.protocol.channel import Channel
from lsp_evalplus.fuzz.guest.search.saturation import (
    FEWEST_IDLE,
    FEWEST_IDLE_SLOW,
    FEWEST_IDLE_STRAIGHT,
    FEWEST_ROUNDS,
    FEWEST_ROUNDS_SLOW,
    IDLE_FOR_EACH,
    IDLE_FOR_EACH_SLOW,
    IDLE_SHARE,
    Saturation,
)
from lsp_evalplus.fuzz.guest.search.search import MANY_REPEATED, UNWATCHED_INPUTS, Search
from lsp_evalplus.fuzz.model import OracleKind, Verdict

from .recorder import Recorder

HOUR = 3600.0


class Clock(ProcessorTime):
    """Processor time that a test sets."""

    moment = 0.0

    def has_passed(self, moment: float) -> bool:
        return self.moment >= moment


@pytest.mark.parametrize("ways", [1, 10])
def test_the_wait_for_news_grows_with_their_number(ways: int) -> None:
    saturation = Saturation(HOUR)
    for number in range(ways):
        saturation.note(700 + number, 0.0)
    enough = 700 + ways - 1 + max(FEWEST_IDLE, ways * IDLE_FOR_EACH)

    assert not saturation.is_reached(enough - 1, FEWEST_ROUNDS, Clock())
    assert saturation.is_reached(enough, FEWEST_ROUNDS, Clock())


def test_functions_without_branches_have_a_shorter_wait() -> None:
    saturation = Saturation(HOUR)
    saturation.wait_shortly()
    saturation.note(700, 0.0)

    assert not saturation.is_reached(700 + FEWEST_IDLE_STRAIGHT - 1, FEWEST_ROUNDS, Clock())
    assert saturation.is_reached(700 + FEWEST_IDLE_STRAIGHT, FEWEST_ROUNDS, Clock())


@pytest.mark.parametrize(("statement", "is_shorter"), [("n + 0", True), ("if n > 7:\n        n = n + 0", False)])
def test_branches_of_either_version_are_looked_at(judge: Any, statement: str, is_shorter: bool) -> None:
    older = "def f(n: int) -> int:\n    return n + 1\n"
    newer = f"def f(n: int) -> int:\n    {statement}\n    return n + 1\n"
    report = judge(older, newer, "f", kind=OracleKind.PREVIOUS, calls=None, seconds=30.0)
    assert report.verdict is Verdict.AGREES, report.reason
    assert (report.inputs < UNWATCHED_INPUTS + FEWEST_IDLE) is is_shorter


def test_a_new_way_begins_the_wait_anew() -> None:
    saturation = Saturation(HOUR)
    saturation.note(1, 0.0)
    saturation.note(FEWEST_IDLE, None)

    assert not saturation.is_reached(FEWEST_IDLE + 1, FEWEST_ROUNDS, Clock())


def test_each_stage_has_its_turn_before() -> None:
    saturation = Saturation(HOUR)
    saturation.note(1, 0.0)

    assert not saturation.is_reached(10**6, FEWEST_ROUNDS - 1, Clock())


def test_where_nothing_watches_nothing_is_known() -> None:
    assert not Saturation(HOUR).is_reached(10**6, 10**6, Clock())


@pytest.mark.parametrize("blocks", [1, 30])
def test_a_slow_program_is_waited_for_by_time_and_a_few_inputs(blocks: int) -> None:
    saturation, clock = Saturation(1.0), Clock()
    for number in range(blocks):
        saturation.note(100 + number, 0.3)
    enough = 100 + blocks - 1 + max(FEWEST_IDLE_SLOW, blocks * IDLE_FOR_EACH_SLOW)

    assert not saturation.is_reached(enough, FEWEST_ROUNDS_SLOW, clock)
    clock.moment = 0.3 + IDLE_SHARE
    assert not saturation.is_reached(enough - 1, FEWEST_ROUNDS_SLOW, clock)
    assert not saturation.is_reached(enough, FEWEST_ROUNDS_SLOW - 1, clock)
    assert saturation.is_reached(enough, FEWEST_ROUNDS_SLOW, clock)


def test_another_combination_of_blocks_does_not_delay_the_end_of_a_slow_program() -> None:
    saturation, clock = Saturation(1.0), Clock()
    saturation.note(1, 0.0)
    clock.moment = IDLE_SHARE
    saturation.note(FEWEST_IDLE_SLOW, None)
    assert saturation.is_reached(FEWEST_IDLE_SLOW + 1, FEWEST_ROUNDS_SLOW, clock)
    saturation.note(FEWEST_IDLE_SLOW + 1, 0.1)
    assert not saturation.is_reached(FEWEST_IDLE_SLOW + 2, FEWEST_ROUNDS_SLOW, clock)


def test_a_search_does_not_spend_all_its_time_on_a_program_with_one_way() -> None:
    channel = Recorder()
    sources = [f"def f(a: int, b: str):\n    return b * 2, {sum_}\n" for sum_ in ("a + 1", "1 + a")]
    request = {
        "oracle": "reference",
        "candidate": {"source": sources[0], "qualname": "f"},
        "reference": {"source": sources[1], "qualname": "f"},
        "examples": [],
        "seeds": [],
        "budget": {"seconds": 3600.0, "calls": None, "seed": 0},
    }

    explore.run(request, cast("Channel", channel))

    done = channel.sent[-1]
    assert (done["event"], done["status"], done["is_out_of_time"]) == ("done", "checked", False)
    assert FEWEST_IDLE < done["inputs"] < 10_000


@pytest.mark.parametrize(("repeated", "is_limited"), [(MANY_REPEATED, False), (1, True)])
def test_time_limits_nothing_where_only_duplicates_were_left(
    monkeypatch: pytest.MonkeyPatch, repeated: int, is_limited: bool
) -> None:
    channel = Recorder()
    source = "def f(flag: bool):\n    return not flag\n"
    request = {
        "oracle": "reference",
        "candidate": {"source": source, "qualname": "f"},
        "reference": {"source": source, "qualname": "f"},
        "examples": [],
        "seeds": [],
        "budget": {"seconds": 3600.0, "calls": None, "seed": 0},
    }
    monkeypatch.setattr(Search, "_is_over", lambda self: self.context.repeated >= repeated)

    explore.run(request, cast("Channel", channel))

    done = channel.sent[-1]
    assert (done["status"], done["inputs"], done["is_out_of_time"]) == ("checked", 2, is_limited)
