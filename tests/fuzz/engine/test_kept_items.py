"""Classes that keep what their constructors and methods take: lists of objects, dicts by their keys, logs."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.inference.records.kept_items import copied_name, filled_in, keyed_name
from lsp_evalplus.fuzz.model import Verdict

FLEET = """
from dataclasses import dataclass


@dataclass
class Bus:
    plate: str
    seats: int
    line: str = ""


@dataclass
class Ride:
    plate: str
    people: int
    is_paid: bool = True


class Fleet:
    def __init__(self, buses=()):
        self.rides = []
        %s

    def put(self, bus):
        self.buses[bus.plate] = bus

    def ride(self, ride: Ride):
        if ride.plate not in self.buses:
            raise KeyError(ride.plate)
        self.rides.append(ride)

    def seats(self, line):
        return sum(bus.seats for bus in self.buses.values() if bus.line == line)

    def largest(self):
        return max(self.buses.values(), key=lambda bus: bus.seats).plate

    def seats_of(self, plate):
        return self.buses[plate].seats

    def guests(self):
        return sum(ride.people for ride in self.rides if not ride.is_paid)
"""
KEPT = {
    "a comprehension": "self.buses = {bus.plate: bus for bus in buses}",
    "a loop": "self.buses = {}\n        for bus in buses:\n            self.buses[bus.plate] = bus",
    "a method": "self.buses = {}\n        for bus in buses:\n            self.put(bus)",
}
SLIPS = {
    "what is summed": ("Fleet.seats", "bus.line == line", "bus.line <= line"),
    "which is taken": ("Fleet.largest", "max(self", "min(self"),
    "what is looked up": ("Fleet.seats_of", "].seats", "].line"),
    "what a log holds": ("Fleet.guests", "if not ride.is_paid", ""),
}


@pytest.mark.parametrize("kept", KEPT.values(), ids=KEPT)
@pytest.mark.parametrize(("name", "old", "new"), SLIPS.values(), ids=SLIPS)
def test_slips_in_what_is_kept_are_told(judge: Any, kept: str, name: str, old: str, new: str) -> None:
    program = FLEET % kept
    assert program.count(old) == 1
    report = judge.edit(program, name, old, new, calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason


HARMLESS = {
    "a loop": (
        "Fleet.seats",
        "return sum(bus.seats for bus in self.buses.values() if bus.line == line)",
        "seats = [bus.seats for _, bus in self.buses.items() if line == bus.line]\n        return sum(seats)",
    ),
    "pairs": ("Fleet.seats", "for bus in self.buses.values()", "for _, bus in self.buses.items()"),
    "get": ("Fleet.seats_of", "return self.buses[plate].seats", "bus = self.buses[plate]\n        return bus.seats"),
    "a filter": (
        "Fleet.guests",
        "sum(ride.people for ride in self.rides if not ride.is_paid)",
        "sum(map(lambda ride: ride.people, [one for one in self.rides if not one.is_paid]))",
    ),
}


@pytest.mark.parametrize(("name", "old", "new"), HARMLESS.values(), ids=HARMLESS)
def test_other_ways_to_go_through_it_are_no_difference(judge: Any, name: str, old: str, new: str) -> None:
    program = FLEET % KEPT["a comprehension"]
    assert program.count(old) == 1
    report = judge.edit(program, name, old, new, calls=1500)
    assert report.verdict is Verdict.AGREES, report.counterexample or report.reason


def test_objects_that_were_passed_are_passed_again_with_another_part(judge: Any) -> None:
    program = """
from dataclasses import dataclass


@dataclass
class Entry:
    account: str
    cents: int
    is_refund: bool = False


class Ledger:
    def __init__(self):
        self._cents = {}

    def book(self, entry: Entry):
        if not entry.is_refund:
            self._cents[entry.account] = self._cents.get(entry.account, 0) + entry.cents
        elif self._cents.get(entry.account, -1) < entry.cents:
            raise ValueError("more than was paid")
        else:
            self._cents[entry.account] -= entry.cents
        return self._cents[entry.account]
"""
    report = judge(program, program.replace("-1) < entry", "-1) <= entry"), "Ledger.book", kind="previous", calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason


OBJECTS = """
class Tariff:
    def __init__(self, name: str, cents: int, zones: int = 1):
        self.name, self.cents, self.zones = name, cents, zones

    def total(self) -> int:
        return self.cents * self.zones


def cheapest(tariffs, zones):
    fitting = [one for one in tariffs if one.zones >= zones]
    return min(one.total() for one in fitting) if fitting else None


def named(groups):
    return sorted(one.name for group in groups.values() for one in group if one.cents)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("cheapest", "min(one.total()", "min(one.cents"), ("named", "if one.cents", "if one.zones")],
)
def test_items_are_objects_of_the_class_that_has_what_is_used_of_them(
    judge: Any, name: str, old: str, new: str
) -> None:
    report = judge.edit(OBJECTS, name, old, new, calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "Tariff(" in report.counterexample.call


PUT = """
from dataclasses import dataclass


@dataclass
class Line:
    sku: str
    cents: int
    count: int = 1


class Basket:
    def __init__(self):
        self._lines = {}
        self._people = []
        self._last = None

    def add(self, line):
        self._lines[line.sku] = line

    def total(self):
        return sum(line.cents * line.count for line in self._lines.values())

    def enter(self, person):
        if person.age < 18:
            raise ValueError("too young")
        self._people.append(person)

    def oldest(self):
        return max((person.age for person in self._people), default=None)

    def show(self, page):
        self._last = page

    def title(self):
        return self._last.heading.strip() if self._last is not None else ""
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Basket.total", "line.cents * line.count", "line.cents"),
        ("Basket.oldest", "max((person", "min((person"),
        ("Basket.title", ".strip()", ""),
    ],
)
def test_objects_that_other_methods_put_there(judge: Any, name: str, old: str, new: str) -> None:
    assert PUT.count(old) == 1
    report = judge.edit(PUT, name, old, new, calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_classes_whose_parts_are_objects_of_one_another(judge: Any) -> None:
    program = """
class Node:
    def __init__(self, links=()):
        self.links = list(links)

    def targets(self):
        return [link.target.label() for link in self.links if link.weight > 1]

    def label(self):
        return str(len(self.links))


class Link:
    def __init__(self, target=None, weight=1, others=()):
        self.target, self.weight = target, weight
        self.others = [one for one in others]

    def label(self):
        return "".join(one.target.label() for one in self.others)
"""
    report = judge(program, program.replace("weight > 1", "weight >= 1"), "Node.targets", kind="previous", calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_objects_that_hold_objects_of_their_class(judge: Any) -> None:
    program = """
class Folder:
    def __init__(self, name, size=0, parent=None):
        self.name, self.size, self.parent = name, size, parent
        self.folders = []

    def add(self, folder):
        folder.parent = self
        self.folders.append(folder)

    def total(self):
        return self.size + sum(one.total() for one in self.folders)

    def path(self):
        return self.name if self.parent is None else self.parent.path() + "/" + self.name
"""
    report = judge(program, program.replace("self.size + sum", "sum"), "Folder.total", kind="previous", calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_what_is_sought_among_lists(judge: Any) -> None:
    program = """
def known(groups: list[list[str]], name: str, names: list[str]) -> int:
    if [name] in groups:
        return 1
    return 2 if name in names and names.index(name) > 0 else 3
"""
    report = judge(program, program.replace("> 0", "> 1"), "known", kind="previous", calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_values_of_a_kept_dict_are_what_they_are_compared_with(judge: Any) -> None:
    program = """
class Form:
    def __init__(self, names, kinds=None):
        self.names = [str(name) for name in names]
        self.kinds = dict(kinds or {})

    def lines(self):
        return [name + (" (secret)" if self.kinds.get(name) == "password" else "") for name in self.names]
"""
    report = judge(program, program.replace('== "password"', '== "secret"'), "Form.lines", kind="previous", calls=2500)
    assert report.verdict is Verdict.DIFFERS, report.reason


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


FOUND = {
    "list(taken)": "taken",
    "dict(taken or {})": "taken",
    "[*taken]": "taken",
    "{**taken}": "taken",
    "taken[:]": "taken",
    "taken.copy()": "taken",
    "[one for one in taken if one]": "taken",
    "sorted(set(taken))": "taken",
    "[one.name for one in taken]": "",
    "[taken, other]": "",
    "taken[0]": "",
    "other(taken)": "",
}


@pytest.mark.parametrize("text", FOUND)
def test_copies(text: str) -> None:
    assert copied_name(expression(text)) == FOUND[text]


def test_values_of_a_comprehension() -> None:
    assert keyed_name(expression("{one.key: one for one in list(taken)}")) == "taken"
    assert keyed_name(expression("{one: one.key for one in taken}")) == ""
    assert keyed_name(expression("{one.key: one for part in taken for one in part}")) == ""


def test_attributes_that_are_filled() -> None:
    tree: Any = ast.parse(
        "class C:\n"
        "    def __init__(self, taken, others):\n"
        "        for one in taken:\n            self.kept.append(one)\n            self.sums[one] = 1\n"
        "        for one in others:\n            self.add(one)\n"
        "    def add(self, other):\n        self.by_name[other.name] = other\n"
    ).body[0]
    maker, add = tree.body
    assert set(filled_in(maker, {"add": add})) == {("kept", "taken", False), ("by_name", "others", True)}
