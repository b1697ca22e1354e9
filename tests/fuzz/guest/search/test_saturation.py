"""A search ends when it has gone on for long without reaching anything new, and not before."""

from __future__ import annotations

from typing import cast

import pytest

from lsp_evalplus.fuzz.guest.jobs import explore
from lsp_evalplus.fuzz.guest.protocol.channel import Channel
from lsp_evalplus.fuzz.guest.search.saturation import FEWEST_IDLE, FEWEST_ROUNDS, IDLE_FOR_EACH, Saturation

from .recorder import Recorder


@pytest.mark.parametrize("ways", [1, 10])
def test_the_wait_for_news_grows_with_their_number(ways: int) -> None:
    saturation = Saturation()
    for number in range(ways):
        saturation.note(700 + number)
    enough = 700 + ways - 1 + max(FEWEST_IDLE, ways * IDLE_FOR_EACH)

    assert not saturation.is_reached(enough - 1, FEWEST_ROUNDS)
    assert saturation.is_reached(enough, FEWEST_ROUNDS)


def test_a_new_way_begins_the_wait_anew() -> None:
    saturation = Saturation()
    saturation.note(1)
    saturation.note(FEWEST_IDLE)

    assert not saturation.is_reached(FEWEST_IDLE + 1, FEWEST_ROUNDS)


def test_each_stage_has_its_turn_before() -> None:
    saturation = Saturation()
    saturation.note(1)

    assert not saturation.is_reached(10**6, FEWEST_ROUNDS - 1)


def test_where_nothing_watches_nothing_is_known() -> None:
    assert not Saturation().is_reached(10**6, 10**6)


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
