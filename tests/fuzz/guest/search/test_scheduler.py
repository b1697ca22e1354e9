"""Turns of the stages: what pays gets more inputs, what repeats fewer, what is exhausted none."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.generation.constants import Pool
from lsp_evalplus.fuzz.guest.generation.domain import Domain
from lsp_evalplus.fuzz.guest.generation.stages.context import Context
from lsp_evalplus.fuzz.guest.search.scheduler import STAGES, Scheduler

EVERY_STAGE = tuple(name for name, *_ in STAGES)
NO_LIMIT = 1e9
"""No turn ends by the clock."""


def rows(count: int | None = None) -> Iterator[Any]:
    return ((number,) for number in (itertools.count() if count is None else range(count)))


def scheduler_of(**sources: Iterator[Any]) -> Scheduler:
    scheduler = Scheduler(Context(Domain([], []), Pool(), random.Random(0)), EVERY_STAGE, NO_LIMIT)
    for name, source in sources.items():
        scheduler.add(name, source, 1.0)
    return scheduler


def counts(scheduler: Scheduler, total: int, paid: str = "", repeated: str = "") -> Counter[str]:
    found: Counter[str] = Counter()
    for name, _ in itertools.islice(scheduler.rows(), total):
        found[name] += 1
        if name == paid:
            scheduler.reward(1.0)
        if name == repeated:
            scheduler.was_repeated()
    return found


@pytest.mark.parametrize(
    ("paid", "repeated", "most"), [("", "", None), ("one", "", "one"), ("two", "", "two"), ("", "one", "two")]
)
def test_shares(paid: str, repeated: str, most: str | None) -> None:
    found = counts(scheduler_of(one=rows(), two=rows()), 20_000, paid, repeated)

    if most is None:
        assert 0.8 < found["one"] / found["two"] < 1.25
    else:
        assert found[most] > 1.5 * (found.total() - found[most])


def test_an_exhausted_stage_leaves_its_turns_to_the_others() -> None:
    found = counts(scheduler_of(short=rows(10), long=rows(5000)), 10_000)

    assert found == {"short": 10, "long": 5000}, "every row is given once, and the search ends"


def test_no_stage_at_all() -> None:
    assert list(scheduler_of().rows()) == []


def test_no_time_ends_a_turn_where_counts_decide() -> None:
    context = Context(Domain([], []), Pool(), random.Random(0))
    timed, counted = (Scheduler(context, EVERY_STAGE, 0.0, is_timed=is_timed) for is_timed in (True, False))
    for scheduler in (timed, counted):
        for name in ("one", "two"):
            scheduler.add(name, rows(), 1.0)
    first = [[name for name, _ in itertools.islice(scheduler.rows(), 60)] for scheduler in (timed, counted)]

    assert len(set(first[0])) == 2, "its turns are over at once"
    assert set(first[1]) == {"one"}


def test_a_stage_without_a_valid_input_starts_again_once_there_is_one() -> None:
    context = Context(Domain([], []), Pool(), random.Random(0))
    every_other = tuple(name for name in EVERY_STAGE if name != "around")
    scheduler = Scheduler(context, every_other, NO_LIMIT)
    made: list[int] = []

    def from_valid_ones() -> Iterator[Any]:
        made.append(len(context.corpus))
        return iter([(number,) for number in range(10 * len(context.corpus))])

    [starved] = scheduler._turns  # pyright: ignore[reportPrivateUsage]
    starved.make = from_valid_ones
    starved.source = iter(())
    scheduler.add("one", rows(200), 1.0)
    found: Counter[str] = Counter()
    for name, row in scheduler.rows():
        found[name] += 1
        if not context.corpus and found["one"] == 50:
            context.keep(row)

    assert found == {"one": 200, "around": 10}
    assert made == [1], "it starts again once, with the valid input"


def test_a_stage_that_tries_in_vain_leaves_turns_to_the_others() -> None:
    context = Context(Domain([], []), Pool(), random.Random(0))
    scheduler = Scheduler(context, EVERY_STAGE, 0.0)
    tried: list[int] = []

    def in_vain() -> Iterator[Any]:
        for number in range(300):
            tried.append(number)
            yield None

    scheduler.add("vain", in_vain(), 1.0)
    scheduler.add("one", rows(), 1.0)

    assert next(scheduler.rows()) == ("one", (0,))
    assert 0 < len(tried) < 20


def test_what_was_tried_in_vain_is_no_row() -> None:
    found = counts(scheduler_of(some=iter([None, (1,), None, (2,), None])), 10)

    assert found == {"some": 2}
