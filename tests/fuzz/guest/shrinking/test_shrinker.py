"""Shrinking ends at the input a reviewer would write, from wherever it starts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.generation.constants import Pool
from lsp_evalplus.fuzz.guest.shrinking.relabel import relabelled
from lsp_evalplus.fuzz.guest.shrinking.shrinker import Shrinker, row_key
from lsp_evalplus.fuzz.guest.values.recipes.building import build
from lsp_evalplus.fuzz.guest.values.recipes.parsing import from_text
from lsp_evalplus.fuzz.guest.values.recipes.source import to_text
from lsp_evalplus.fuzz.guest.values.shapes import ANY, shape_of

ORDER = ["one", "two", "three"]


def words_out_of_order(text: str) -> bool:
    """Only of texts that have nothing but known words."""
    words = text.split(" ")
    return set(words) <= set(ORDER) and sorted(words, key=ORDER.index) != words


CASES: list[tuple[str, Callable[..., bool], str, list[str]]] = [
    ("number", lambda n: n > 41, "(42,)", ["(977,)", "(42,)", "(10**9,)"]),
    ("negative", lambda n: n < -3, "(-4,)", ["(-999,)", "(-1000000,)"]),
    ("odd", lambda n: n % 7 == 3, "(3,)", ["(9999,)", "(73,)"]),
    ("two elements", lambda v: len(v) > 1, "([0, 0],)", ["([5, -1, 3, 3],)", "([1]*50,)"]),
    ("a duplicate", lambda v: len(set(v)) < len(v), "([0, 0],)", ["([4, 7, 4, 9],)", "([-2, 3, -2],)"]),
    ("unsorted", lambda v: v != sorted(v), "([1, 0],)", ["([9, 3, 5],)", "([2, 8, -4],)"]),
    ("a capital", lambda s: s != s.lower(), "('A',)", ["('hello World',)", "('XYZ',)"]),
    ("palindrome", lambda s: len(s) == 4 and s == s[::-1], "('aaaa',)", ["('xyyx',)", "('zzzz',)"]),
    ("two letters", lambda s: len(set(s)) > 1, "('ab',)", ["('qwerty',)", "('0-0',)"]),
    ("long", lambda s: len(s) > 20, "('" + "a" * 21 + "',)", ["('" + "xy" * 90 + "',)", "('" + "k" * 99 + "',)"]),
    ("same length", lambda a, b: len(a) == len(b) > 0, "([0], [0])", ["([1, 2], [3, 4])", "([9, 9, 9], [1, 2, 3])"]),
    ("sum", lambda a, b: a + b == 10, "(1, 9)", ["(3, 7)", "(14, -4)"]),
    (
        "nested",
        lambda v: any(type(x) is list and len(x) > 1 for x in v),
        "([[0, 0]],)",
        ["([[1], [5, 6, 7]],)", "([[], [2, 3]],)"],
    ),
    ("dict", lambda d: len(d) > 0, "({'': 0},)", ["({'a': 3, 'b': 4},)", "({'long key': 99},)"]),
    ("float", lambda x: x % 1 != 0, "(0.1,)", ["(12.75,)", "(1e-3,)"]),
    ("words", words_out_of_order, "('two one',)", ["('one two one three three',)", "('two three two two one',)"]),
    (
        "items",
        lambda s: set(s.split(", ")) >= {"left", "right"},
        "('left, right',)",
        ["('up, left, up, down, right, up',)"],
    ),
    ("bool", lambda b, n: n > 0, "(True, 1)", ["(False, 500)", "(True, 3)"]),
]


@dataclass
class Order:
    """What a row holds."""

    name: str
    placed: dt.date
    count: int = 0
    rest: int = 0


def day(year: int, month: int, number: int) -> dt.date:
    """A date as people have them."""
    if year < EARLIEST:
        raise ValueError(year)
    return dt.date(year, month, number)


EARLIEST = 2000
NAMES = {"date": day, "Order": Order}


def of_objects(predicate: Callable[..., bool]) -> Callable[..., bool]:
    """What is said of rows by what is said of the objects that they make."""

    def holds(*row: Any) -> bool:
        try:
            return predicate(*build(row, NAMES))
        except (TypeError, ValueError, AttributeError):
            return False

    return holds


CASES += [
    (
        "one day",
        of_objects(lambda first, last: last >= first and first.weekday() < 5),
        "(date(2024, 1, 1), date(2024, 1, 1))",
        ["(date(2024, 5, 6), date(2024, 5, 10))", "(date(2024, 5, 20), date(2025, 6, 30))"],
    ),
    (
        "days apart",
        of_objects(lambda first, last: (last - first).days > 2),
        "(date(2024, 1, 1), date(2024, 1, 4))",
        ["(date(2024, 1, 1), date(2024, 3, 9))", "(date(2024, 7, 5), date(2025, 1, 9))"],
    ),
    (
        "objects in a list",
        of_objects(lambda orders, name: len({one.placed.day for one in orders if one.name == name}) > 1),
        "([Order('a', date(2024, 1, 1)), Order('a', date(2024, 1, 2))], 'a')",
        ["([Order('b', date(2024, 7, 8), 0, 0), Order('a', date(2024, 1, 1), 3), Order('b', date(2024, 1, 3))], 'b')"],
    ),
]


@pytest.mark.parametrize(("predicate", "smallest", "starts"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_smallest(predicate: Callable[..., bool], smallest: str, starts: list[str]) -> None:
    for start in starts:
        row = from_text(start)
        assert predicate(*row)
        shrinker = Shrinker(row, 0, lambda r: 0 if predicate(*r) else -1, seconds=2.0)
        best = shrinker.run([shape_of(v) for v in row], Pool())
        assert to_text(best) == smallest


def test_it_stops_when_its_time_is_over() -> None:
    shrinker = Shrinker(("x" * 500,), 0, lambda row: 0, seconds=-1.0)

    assert shrinker.run([shape_of("")], Pool()) == ("x" * 500,)


def test_defaults_are_smaller_than_anything_else() -> None:
    defaults = [(False, None), (True, 7)]
    shrinker = Shrinker((5, 777), 0, lambda row: 0 if row[0] > 2 else -1, seconds=1.0, defaults=defaults)

    assert shrinker.run([shape_of(1)] * 2, Pool()) == (3, 7)


@pytest.mark.parametrize(
    ("smaller", "larger"),
    [
        ("(0,)", "(1,)"),
        ("(1,)", "(-1,)"),
        ("('a',)", "('b',)"),
        ("('a',)", "('A',)"),
        ("('a',)", "('é',)"),
        ("([],)", "([0],)"),
    ],
)
def test_order(smaller: str, larger: str) -> None:
    assert row_key(from_text(smaller), 0) < row_key(from_text(larger), 0)
    assert row_key(from_text(larger), 0) < row_key(from_text(smaller), 1), "a plausible row is told first"


def test_relabelling_changes_all_places_at_once() -> None:
    rows = list(relabelled(("caac", [7, "c"])))

    assert ("abba", [7, "a"]) not in rows
    assert ("acca", [7, "a"]) in rows
    assert ("baab", [7, "b"]) in rows
    assert ("caac", [0, "c"]) in rows


@pytest.mark.parametrize(
    ("calls", "smallest"),
    [
        (["put", "get"], "((it := Box(0), it.put(0), it.get(), it)[-1],)"),
        ([], "(Box(0),)"),
    ],
)
def test_only_calls_that_are_needed_prepare_an_instance(calls: list[str], smallest: str) -> None:
    row = from_text("((it := Box(3), it.put(7), it.clear(), it.get(), it.put(5), it)[-1],)")

    def shows(tried: Any) -> int:
        names = iter([call.name for call in getattr(tried[0], "calls", ())])
        return 0 if hasattr(tried[0], "args") and all(name in names for name in calls) else -1

    assert to_text(Shrinker(row, 0, shows, seconds=2.0).run([ANY], Pool())) == smallest


def test_a_smaller_instance_needs_fewer_calls() -> None:
    row = from_text("((it := Box(4), it.put(1), it.put(2), it.put(3), it.put(4), it)[-1],)")

    def shows(tried: Any) -> int:
        calls = getattr(tried[0], "calls", ())
        return 0 if calls and len(calls) == tried[0].args[0].args[0] else -1

    assert to_text(Shrinker(row, 0, shows, seconds=2.0).run([ANY], Pool())) == "((it := Box(1), it.put(0), it)[-1],)"


def test_what_a_prepared_instance_was_given_is_relabelled_too() -> None:
    row = from_text("((it := Box(7), it.put(7), it)[-1], 7)")

    assert "((it := Box(0), it.put(0), it)[-1], 0)" in map(to_text, relabelled(row))
