"""Stages: shared turns, equations solved, numbers in texts replaced, sequences stretched."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterator
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.calling.subject import Parameter
from lsp_evalplus.fuzz.guest.generation.constants import Pool
from lsp_evalplus.fuzz.guest.generation.domain import Domain, Facts
from lsp_evalplus.fuzz.guest.generation.mutation import Mutator
from lsp_evalplus.fuzz.guest.generation.stages.choices import products_of_choices
from lsp_evalplus.fuzz.guest.generation.stages.context import MAXIMUM_CORPUS, Context
from lsp_evalplus.fuzz.guest.generation.stages.digit_templates import templates
from lsp_evalplus.fuzz.guest.generation.stages.extremes import extremes, stretch
from lsp_evalplus.fuzz.guest.generation.stages.matching import matches
from lsp_evalplus.fuzz.guest.generation.stages.mutation import mutants
from lsp_evalplus.fuzz.guest.generation.stages.small_scope import small_scope
from lsp_evalplus.fuzz.guest.generation.stages.solving import solve
from lsp_evalplus.fuzz.guest.inference.usage import Evidence
from lsp_evalplus.fuzz.guest.search.scheduler import STAGES, Scheduler
from lsp_evalplus.fuzz.guest.values.recipes.model import New, Prepared
from lsp_evalplus.fuzz.guest.values.recipes.source import to_text
from lsp_evalplus.fuzz.guest.values.shapes import shape_of


def context_of(*row: Any, seed: int = 0) -> Context:
    parameters = [Parameter(f"p{i}", "positional", shape_of(v), None, has_default=False) for i, v in enumerate(row)]
    domain = Domain(parameters, [row])
    context = Context(domain, Pool(), random.Random(seed))
    context.keep(row)
    return context


def test_mutants_of_rows_found_late_take_the_choices_of_a_parameter() -> None:
    facts = Facts(evidence=Evidence(choices={"mode": ["replace", "preserve"]}))
    parameters = [Parameter(name, "positional", shape_of(""), None, has_default=False) for name in ("text", "mode")]
    context = Context(Domain(parameters, [], facts), Pool(), random.Random(0))
    context.keep(("\ue000", "a"))

    rows = list(itertools.islice(mutants(context), 100))

    assert {("\ue000", "replace"), ("\ue000", "preserve")} <= set(rows)


def test_mutants_of_bytes_have_letters_beyond_ascii() -> None:
    rows = list(itertools.islice(mutants(context_of(b"abc")), 200))
    assert any("\N{GREEK SMALL LETTER BETA}" in value.decode("utf-8", "ignore") for (value,) in rows)


def test_items_match_what_they_were_compared_with_all_of_them_or_all_but_one() -> None:
    context = context_of([("a", 1), ("b", 2), ("c", 3)], "d")

    def observe(row: Any) -> dict[Any, tuple[Any, Any]]:
        pairs, name = row
        return {0: (pairs[-1][0], name)} if pairs and type(pairs[-1]) is tuple else {}

    rows = list(itertools.islice(matches(context, observe), 200))

    others = [[one for one, _ in pairs if one != name] for pairs, name in rows if len(pairs) > 2]
    assert {0, 1} <= set(map(len, others))


def test_matches_end_where_nothing_unequal_is_compared() -> None:
    context = context_of(["a"], "b")

    assert list(itertools.islice(matches(context, lambda row: {0: (1, 1), 1: ("a", 1)}), 10)) == []


EQUATIONS = [
    ("x * 7 + 4 == 12345", lambda x: (x * 7 + 4, 12345), 1763),
    ("3 * x - 10**12 == -1", lambda x: (3 * x - 10**12, -1), None),
    ("x * x == 1234321", lambda x: (x * x, 1234321), 1111),
    ("-x // 1 == 10**9", lambda x: (-x, 10**9), -(10**9)),
]


@pytest.mark.parametrize(("name", "sides", "root"), EQUATIONS, ids=[e[0] for e in EQUATIONS])
def test_comparisons_are_solved(name: str, sides: Any, root: int | None) -> None:
    rows = list(solve(context_of(5), lambda row: {0: sides(row[0])}))

    assert len(rows) < 40, name
    assert root is None or (root,) in rows


def test_solving_reaches_into_lists_and_spares_what_does_not_depend() -> None:
    rows = list(solve(context_of([1, 2], "a"), lambda row: {0: (sum(row[0]), 500), 1: (row[1], "b"), 2: (3, 4)}))

    assert ([498, 2], "a") in rows
    assert ([1, 499], "a") in rows
    assert len(rows) < 20


@pytest.mark.parametrize(
    ("value", "sides", "root"),
    [
        ("ab", lambda text: (len(text), 300), ("ab" * 150,)),
        (b"", lambda data: (len(data) * 2, 2000), (b"a" * 1000,)),
        ([1, 2, 3], lambda items: (len(items), 40), ([1, 2, 3] * 13 + [1],)),
        ([(2, 3), (1, 1)], lambda items: (sum(one * two for one, two in items), 100), ([(33, 3), (1, 1)],)),
        ({"limit": 3}, lambda options: (options["limit"], 70), ({"limit": 70},)),
    ],
)
def test_lengths_and_parts_are_solved(value: Any, sides: Any, root: Any) -> None:
    rows = list(solve(context_of(value), lambda row: {0: sides(row[0])}))

    assert root in rows
    assert len(rows) < 40


def test_a_number_inside_of_an_object_is_solved() -> None:
    made = Prepared(New("Stock"), (New("add", ("a", 2)),))
    context = context_of("a")
    context.corpus[:] = [(made, "a")]
    context.domain.free = [0, 1]

    rows = [to_text(row) for row in solve(context, lambda row: {0: (row[0].calls[0].args[1], 5)})]

    assert any("it.add('a', 5)" in row for row in rows)


def test_words_are_repeated_and_removed() -> None:
    mutator = Mutator(Pool(), random.Random(1))
    found = {mutator.mutate("one two") for _ in range(3000)}
    lines = {mutator.mutate("a,1\nb,2") for _ in range(3000)}

    assert {"one one", "two two", "two one", "one", " one two"} <= found
    assert {"a,1\nb,2\nb,2", "a,1\na,1", "b,2\na,1"} <= lines


def test_numbers_in_texts() -> None:
    texts = {row[0] for row in itertools.islice(templates(context_of("03-11-2000")), 6000)}

    assert {"31-11-2000", "29-02-2000", "00-00-2000"} & texts == {"31-11-2000", "00-00-2000", "29-02-2000"} - (
        {"29-02-2000"} - texts
    )
    assert all(len(text) == 10 for text in texts)


def test_small_scope_is_complete_for_small_sizes() -> None:
    rows = [to_text(row) for row in itertools.islice(small_scope(context_of([0])), 2000)]

    assert rows[0] == "([],)"
    assert {"([0, 1],)", "([1, 0],)", "([0, 0],)", "([0, 1, 0],)"} <= set(rows)


@pytest.mark.parametrize(
    ("value", "length", "found"), [("ab", 5, "ababa"), ([1], 3, [1, 1, 1]), ("", 5, ""), (7, 5, 7)]
)
def test_stretch(value: Any, length: int, found: Any) -> None:
    assert stretch(value, length) == found


def test_turns_are_the_same_for_a_seed_and_every_stage_has_one() -> None:
    def take(seed: int) -> list[tuple[str, str]]:
        rows = itertools.islice(Scheduler(context_of([1, 2], "ab", seed=seed)).rows(), 1500)
        return [(name, to_text(row)) for name, row in rows]

    assert take(3) == take(3)
    assert {name for name, _ in take(3)} >= {"product", "around", "enumeration", "mutation", "random", "extremes"}


def test_disabled_and_added_stages() -> None:
    def ones() -> Iterator[Any]:
        yield from itertools.repeat((1,))

    everything = tuple(name for name, *_ in STAGES)
    scheduler = Scheduler(context_of(1), everything)
    scheduler.add("own", ones(), 1.0)
    silent = Scheduler(context_of(1), (*everything, "own"))
    silent.add("own", ones(), 1.0)

    assert next(scheduler.rows()) == ("own", (1,))
    assert list(silent.rows()) == []


def test_all_small_numbers_are_tried() -> None:
    single = {row[0] for row in itertools.islice(small_scope(context_of(5)), 3000)}
    pairs = set(itertools.islice(small_scope(context_of(5, 7)), 3000))
    floats = {row[0] for row in itertools.islice(small_scope(context_of(0.5)), 3000)}
    beside = [row for row in itertools.islice(small_scope(context_of("ab", 7)), 3000) if row[0] == "ab"]

    assert single >= {*range(-100, 2000)}
    assert pairs >= {*itertools.product(range(20), range(20))}
    assert floats >= {0.0, 0.01, 0.1, 1.5, 19.99, -0.5}
    assert len({row[1] for row in beside}) > 50


def test_choices_of_items_come_in_lists_of_one_and_two() -> None:
    evidence = Evidence(item_choices={"p": ["+", 3]})
    shapes = [shape_of(["a"]), shape_of(1)]
    parameters = [Parameter(n, "positional", s, None, has_default=False) for n, s in zip(("p", "q"), shapes)]
    context = Context(Domain(parameters, [], Facts(evidence=evidence)), Pool(), random.Random(0))

    found = [row[0] for row in products_of_choices(context)]

    assert ["+"] in found
    assert ["+", "+"] in found
    assert not [value for value in found if 3 in value], "the parameter has items of another type"


def test_rows_that_came_before_are_known() -> None:
    context = context_of(1)

    assert [context.was_tried(row) for row in [(1,), (1.0,), (True,), ([1],), (1,), (1,)]] == [*[False] * 4, True, True]
    assert context.repeated == 2
    assert not context.was_tried(("new",))
    assert context.repeated == 0


def test_a_full_corpus_forgets() -> None:
    context = context_of(0)
    for number in range(2 * MAXIMUM_CORPUS):
        context.keep((number,))

    assert len(context.corpus) == MAXIMUM_CORPUS


def test_no_larger_numbers_where_one_was_slow() -> None:
    context = context_of([], 5)
    context.was_slow(([], 10**6))

    widths = {width for _, width in extremes(context)}

    assert max(widths) <= 5 * 10**5
    assert -(10**30) in widths


def test_a_slow_row_of_the_extreme_ends_its_turn() -> None:
    others = tuple(name for name, *_ in STAGES if name not in ("extremes", "widening"))
    context = context_of(5, "ab")
    names: list[str] = []
    for name, row in Scheduler(context, others).rows():
        names.append(name)
        if len(names) == 3:
            break
        started = time.process_time()
        while row[0] > 500 and time.process_time() - started < 0.12:
            pass

    assert names[:2] == ["extremes", "widening"]
