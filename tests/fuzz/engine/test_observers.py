"""What a method that returns a value leaves in private is compared by what other methods tell of it."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

TEXT = """
class Stock:
    def __init__(self):
        self._counts = {}
        self._asked = {}

    def receive(self, name, count):
        self._counts[name] = self._counts.get(name, 0) + count

    def available(self, name):
        return self._counts.get(name, 0)

    def take(self, name):
        found = self._counts.get(name, 0)
        self._counts[name] = 0
        self._asked[name] = found
        return found
"""
INDEXED = """
class Held:
    def __init__(self):
        self._items = {}

    def put(self, key, value):
        self._items[key] = value

    def __getitem__(self, key):
        return self._items[key]

    def drop(self, key):
        found = self._items.get(key)
        self._items.pop(key, None)
        return found
"""


MADE = """
class Buffer:
    def __init__(self):
        self._limit = 3
        self._items = []

    def add(self, item):
        self._items.append(item)

    def is_full(self):
        return len(self._items) >= self._limit


class Named:
    def __init__(self, name: str):
        self._prices = {name: 1}

    def price_of(self, name):
        return self._prices[name]
"""


@pytest.mark.parametrize(
    ("old", "new", "name", "verdict"),
    [
        ("self._limit = 3", "[]; self._limit = 3", "Buffer.__init__", Verdict.AGREES),
        ("self._limit = 3", "self._limit = 0", "Buffer.__init__", Verdict.DIFFERS),
        ("{name: 1}", "{name: 2}", "Named.__init__", Verdict.DIFFERS),
        ("{name: 1}", "dict([(name, 1)])", "Named.__init__", Verdict.AGREES),
    ],
)
def test_what_a_constructor_leaves_in_private(judge: Any, old: str, new: str, name: str, verdict: Verdict) -> None:
    """One without parameters, and one whose argument is what others are asked for."""
    report = judge.edit(MADE, name, old, new, calls=1000, seconds=30)
    assert report.verdict is verdict, report.reason


@pytest.mark.parametrize(
    ("text", "old", "new", "name"),
    [
        pytest.param(TEXT, "self._counts[name] = 0", "pass", "Stock.take", id="by a method with a parameter"),
        pytest.param(INDEXED, "self._items.pop(key, None)", "self._items.clear()", "Held.drop", id="by an item"),
    ],
)
def test_private_state_that_another_method_tells(judge: Any, text: str, old: str, new: str, name: str) -> None:
    assert text.count(old) == 1
    report = judge.edit(text, name, old, new, calls=3000, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report


def test_private_state_that_nobody_tells(judge: Any) -> None:
    newer = TEXT.replace("self._asked[name] = found", "self._asked[name] = -found")
    report = judge(TEXT, newer, "Stock.take", kind=OracleKind.PREVIOUS, calls=1500, seconds=30)
    assert report.verdict is Verdict.AGREES, report


MADE_BY_LOOKING = """
from collections import OrderedDict, defaultdict


class Held:
    def __init__(self):
        self._held = defaultdict(int)
        self._kept = OrderedDict()

    def hold(self, name: str, count: int) -> None:
        self._held[name] += count

    def held(self, name: str) -> int:
        return self._held.get(name, 0)

    def doubled(self, name: str) -> str:
        return name * 2

    def free(self, name: str) -> None:
        if self._held.get(name, 0) > 0:
            self._held[name] -= 1
"""
KEPT = "if name not in self._kept:\n            self._kept[name] = name * 2\n        return self._kept[name]"


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("return self._held.get(name, 0)", "return self._held[name]", "Held.held"),
        ("if self._held.get(name, 0) > 0", "if self._held[name] > 0", "Held.free"),
        ("if self._held.get(name, 0) > 0", "if name in self._held and self._held[name] > 0", "Held.free"),
        ("return name * 2", KEPT, "Held.doubled"),
    ],
)
def test_what_private_mappings_make_where_it_is_looked_up(judge: Any, old: str, new: str, name: str) -> None:
    assert MADE_BY_LOOKING.count(old) == 1
    for one, two in ((old, new), (new, old)):
        text = MADE_BY_LOOKING.replace(old, one)
        report = judge(text, text.replace(one, two), name, kind=OracleKind.PREVIOUS, calls=1500, seconds=30)
        assert report.verdict is Verdict.AGREES, report


def test_a_default_that_another_method_tells(judge: Any) -> None:
    shown = "\n    def names(self) -> list:\n        return sorted(self._held)\n"
    older = MADE_BY_LOOKING.replace("self._held[name] -= 1", "del self._held[name]") + shown
    newer = older.replace("del self._held[name]", "self._held[name] = 0")
    report = judge(older, newer, "Held.free", kind=OracleKind.PREVIOUS, calls=3000, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report


def test_counts_that_differ_in_private(judge: Any) -> None:
    newer = MADE_BY_LOOKING.replace("self._held[name] -= 1", "self._held[name] -= 2")
    report = judge(MADE_BY_LOOKING, newer, "Held.free", kind=OracleKind.PREVIOUS, calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report


EMPTIED = """
class Container:
    _items = None
    _label = ""

    def __init__(self, size: int = 0):
        self._size = size
        self._clear()

    def put(self, item):
        self._push(item)

    def is_full(self) -> bool:
        return self._size <= 2


class Stack(Container):
    def _clear(self):
        self._items = []
        self._label = "empty"

    def _push(self, item):
        self._items.append(item)
"""


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("        self._items = []\n", "", Verdict.DIFFERS),
        ('        self._label = "empty"\n', "", Verdict.AGREES),
        ("self._items = []", "self._items = list()", Verdict.AGREES),
    ],
    ids=["what others need", "what nobody asks for", "the same"],
)
def test_what_instances_lack_as_the_method_has_a_part_in_making_them(
    judge: Any, old: str, new: str, verdict: Verdict
) -> None:
    text = EMPTIED.replace(old, new)
    report = judge(EMPTIED, text, "Stack._clear", kind=OracleKind.PREVIOUS, calls=600, seconds=30)
    assert report.verdict is verdict, report


ORDER = """
import enum

class State(enum.Enum):
    NEW = 'new'
    PAID = 'paid'

class Order:
    def __init__(self, state: State = State.NEW):
        self.state = state

    def move(self, target: State) -> State:
        self.state = target
        return target
"""


def test_which_member_of_an_enumeration_a_method_that_returns_a_value_stores(judge: Any) -> None:
    report = judge(
        ORDER, ORDER.replace("        self.state = target\n", ""), "Order.move", kind=OracleKind.PREVIOUS, calls=300
    )

    assert report.verdict is Verdict.DIFFERS, report
    assert report.counterexample.call == "Order().move(State.PAID)"
