"""What loops, keys and calls of library functions say of arguments, in each of the ways in which they are written."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
import functools
import heapq
import operator
from collections import deque
from dataclasses import dataclass
from itertools import chain, groupby, islice, pairwise, zip_longest


class Parcel:
    def __init__(self, label, weight, note=""):
        self.label = label
        self.weight = weight
        self.note = note


@dataclass
class Stop:
    street: str
    minutes: int
    note: str = ""


def drained(queue):
    found = []
    while queue:
        job = queue.pop()
        if job["kind"] == "end":
            break
        found.append(job["name"])
    return found


def waiting(line):
    line = deque(line)
    names = []
    while line:
        guest = line.popleft()
        names.append(guest["name"].upper() if guest["vip"] else guest["name"])
    return names


def by_age(people):
    return [one["name"] for one in sorted(people, key=operator.itemgetter("age", "name"))]


def lightest(parcels):
    return min(parcels, key=operator.attrgetter("weight"), default=None)


def all_labels(*groups):
    return [parcel.label for parcel in chain(*groups) if parcel.weight > 3]


def all_ids(groups):
    return [row["id"] for row in chain.from_iterable(groups)]


def tags(rows):
    return sum([row["tags"] for row in rows], [])


def gains(rows):
    gain = lambda row: row["sold"] - row["paid"]
    return max(map(gain, rows), default=None)


def side_by_side(left, right):
    return [one["n"] - two["n"] for one, two in zip_longest(left, right, fillvalue={"n": 0})]


def steps(rows):
    return [two["at"] - one["at"] for one, two in pairwise(rows)]


def first_ones(rows, count):
    return [row["id"] * 2 for row in islice(rows, count)]


def cheapest(offers):
    heap = [(offer["price"], offer["shop"]) for offer in offers]
    heapq.heapify(heap)
    return heapq.heappop(heap)[1] if heap else None


def teams(rows):
    found = []
    for team, members in groupby(rows, key=lambda row: row["team"]):
        found.append((team, [one["name"] for one in members]))
    return found


def piped(value, *stages):
    return functools.reduce(lambda held, stage: stage(held), stages, value)


def joined(*functions):
    def two(first, second):
        return lambda *args: first(second(*args))

    return functools.reduce(two, functions)


def parcels_of(rows):
    return [Parcel(**row).label for row in rows]


def stops_of(rows):
    return [Stop(**row) for row in rows]


def stop_at(street, row):
    return Stop(street, **row).minutes


def first_and_others(rows):
    first, *others = rows
    return first["id"], [row["id"] for row in others]


def last_step(rows):
    *_, before, last = rows
    return last["at"] - before["at"]


def change(rows):
    return rows[-1]["at"] - rows[-2]["at"]


class Cart:
    def __init__(self):
        self.parcels = []

    def add_all(self, *parcels):
        for parcel in parcels:
            if parcel.weight > 0:
                self.parcels.append(parcel)

    def weight(self):
        return sum(one.weight for one in self.parcels)


class Van:
    def __init__(self):
        self.parcels = []

    def load(self, parcels):
        self.parcels.extend(parcels)

    def labels(self):
        return [one.label for one in self.parcels if one.weight]


class Shelf:
    def __init__(self):
        self.parcels = {}

    def fill(self, parcels):
        for one in parcels:
            self.parcels[one.label] = one

    def heaviest(self):
        return max((one.weight for one in self.parcels.values()), default=0)


def permutations(row):
    return row["left"] - row["right"]


def spread(row):
    return permutations(row) * 2


def saved(cache, row):
    cache.set(row["key"], row["n"])
    return row["key"]


def weighed(*parcels):
    return [one.label for one in parcels if one.weight >= 5]


def billed(*rows):
    return sum(row["price"] * row["count"] for row in rows)


def priced(**rows):
    return [(name, row["price"] * row["count"]) for name, row in rows.items()]


def loads(**parcels):
    return sum(one.weight for one in parcels.values())
"""
MISTAKES = [
    ("drained", "queue.pop()", "queue.pop(0)"),
    ("drained", "break", "continue"),
    ("waiting", 'if guest["vip"]', 'if not guest["vip"]'),
    ("by_age", '"age", "name"', '"name", "age"'),
    ("lightest", "min(", "max("),
    ("all_labels", "> 3", ">= 3"),
    ("all_ids", "(groups)]", "(groups[1:])]"),
    ("tags", "in rows]", "in rows[1:]]"),
    ("gains", 'row["sold"] - row["paid"]', 'row["paid"] - row["sold"]'),
    ("side_by_side", '{"n": 0}', '{"n": 1}'),
    ("steps", 'two["at"] - one["at"]', 'one["at"] - two["at"]'),
    ("first_ones", "islice(rows, count)", "islice(rows, count + 1)"),
    ("cheapest", "heappop(heap)[1]", "heappop(heap)[0]"),
    ("teams", 'one["name"] for one in members]', 'one["name"] for one in members][:1]'),
    ("piped", "stage(held), stages", "held, stages"),
    ("joined", "first(second(*args))", "second(*args)"),
    ("parcels_of", ".label", ".label.strip()"),
    ("stops_of", "in rows]", "in rows[1:]]"),
    ("stop_at", ".minutes", ".minutes or 1"),
    ("first_and_others", "in others]", "in rows]"),
    ("last_step", 'last["at"] - before["at"]', 'before["at"] - last["at"]'),
    ("change", 'rows[-1]["at"] - rows[-2]["at"]', 'rows[-2]["at"] - rows[-1]["at"]'),
    ("Cart.weight", "one.weight for", "one.weight + 1 for"),
    ("Van.labels", "if one.weight]", "]"),
    ("Shelf.heaviest", "max(", "min("),
    ("spread", "* 2", "* 3"),
    ("saved", 'row["key"], row["n"]', 'row["n"], row["key"]'),
    ("weighed", ">= 5", "> 5"),
    ("billed", '["price"] * row', '["price"] + row'),
    ("priced", '["price"] * row', '["price"] + row'),
    ("loads", "one.weight for", "abs(one.weight) for"),
]
HARMLESS = [
    ("drained", "while queue:", "while len(queue) > 0:"),
    ("by_age", 'operator.itemgetter("age", "name")', 'lambda one: (one["age"], one["name"])'),
    ("lightest", 'operator.attrgetter("weight")', "lambda one: one.weight"),
    ("all_labels", "in chain(*groups)", "in chain.from_iterable(groups)"),
    ("all_ids", "for row in chain.from_iterable(groups)]", "for group in groups for row in group]"),
    ("gains", "max(map(gain, rows), default=None)", "max((gain(row) for row in rows), default=None)"),
    ("steps", "pairwise(rows)", "zip(rows, rows[1:])"),
    ("first_ones", "islice(rows, count)", "list(rows)[:count]"),
    ("piped", "lambda held, stage: stage(held), stages", "lambda one, two: two(one), stages"),
    ("parcels_of", "Parcel(**row).label for", 'Parcel(row["label"], row["weight"], row.get("note", "")).label for'),
    ("stop_at", "Stop(street, **row)", "Stop(street=street, **row)"),
    ("first_and_others", "first, *others = rows", "first, others = rows[0], rows[1:]"),
    ("last_step", "*_, before, last = rows", "before, last = rows[-2:]"),
    ("Cart.weight", "one.weight for one in self.parcels", "one.weight for one in list(self.parcels)"),
    ("weighed", "one.label for one in parcels if one.weight >= 5", "p.label for p in parcels if not p.weight < 5"),
    ("priced", "in rows.items()", "in list(rows.items())"),
]


@pytest.mark.parametrize(("name", "old", "new"), MISTAKES, ids=[f"{name}: {new}" for name, _, new in MISTAKES])
def test_a_mistake_is_shown(judge: Any, name: str, old: str, new: str) -> None:
    found = judge.edit(SOURCE, name, old, new, calls=2000)
    assert found.verdict is Verdict.DIFFERS, found.reason


@pytest.mark.parametrize(("name", "old", "new"), HARMLESS, ids=[f"{name}: {new}" for name, _, new in HARMLESS])
def test_another_way_to_write_it_is_no_difference(judge: Any, name: str, old: str, new: str) -> None:
    found = judge.edit(SOURCE, name, old, new, calls=600)
    assert found.verdict is Verdict.AGREES, found.reason
