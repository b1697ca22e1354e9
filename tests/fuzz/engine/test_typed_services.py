"""Typed code in classes that are given repositories, buses and policies: what they pass on, read and keep counts."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from enum import Enum
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, Union


class Stage(Enum):
    OPEN = "open"
    HELD = "held"
    CLOSED = "closed"

    @property
    def is_final(self) -> bool:
        return self is Stage.CLOSED


class Unreachable(Exception):
    def __init__(self, code: int) -> None:
        super().__init__(f"code {code}")
        self.code = code


@dataclass(frozen=True)
class Ticket:
    id: int
    owner: str
    version: int = 1
    stage: Stage = Stage.OPEN
    due: datetime = datetime(2020, 1, 1)


class Moved(NamedTuple):
    id: int
    day: date


@dataclass(frozen=True)
class Opened:
    id: int


@dataclass(frozen=True)
class Closed:
    id: int


class Tickets(Protocol):
    def get(self, id: int) -> Ticket | None: ...
    def save(self, ticket: Ticket) -> None: ...
    def tell(self, event: object) -> None: ...
    def fetch(self, path: str) -> Mapping[str, int]: ...


class Desk:
    def __init__(self, tickets: Tickets, attempts: int = 2) -> None:
        self._tickets = tickets
        self._attempts = attempts

    def assign(self, id: int, owner: str) -> bool:
        ticket = self._tickets.get(id)
        if ticket is None or ticket.owner == owner:
            return False
        self._tickets.save(replace(ticket, owner=owner, version=ticket.version + 1))
        return True

    def close(self, id: int) -> bool:
        ticket = self._tickets.get(id)
        if ticket is None or ticket.stage.is_final:
            return False
        self._tickets.tell(Closed(ticket.id))
        return True

    def move(self, id: int, day: date) -> None:
        self._tickets.tell(Moved(id, day + timedelta(days=1)))

    def load(self, path: str) -> Mapping[str, int]:
        tried = 0
        while True:
            tried += 1
            try:
                return self._tickets.fetch(path)
            except Unreachable:
                if tried >= self._attempts:
                    raise

    def is_late(self, id: int, now: datetime) -> bool:
        ticket = self._tickets.get(id)
        if ticket is None:
            return False
        return ticket.stage is not Stage.CLOSED and now > ticket.due


@dataclass
class Scope:
    values: dict[str, int] = field(default_factory=dict)
    outer: Scope | None = None

    def find(self, name: str) -> int | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.outer
        return None


class Event:
    def __init__(self, name: str) -> None:
        self.name = name


class Started(Event):
    pass


E = TypeVar("E", bound=Event)


class Bus:
    def __init__(self) -> None:
        self._handlers: dict[type, list[Callable[[Any], object]]] = {}

    def on(self, kind: type[E], handler: Callable[[E], object]) -> None:
        self._handlers.setdefault(kind, []).append(handler)

    def send(self, event: Event) -> int:
        count = 0
        for kind in type(event).__mro__:
            count += len(self._handlers.get(kind, ()))
        return count


class Basket:
    def __init__(self, prices: Iterable[int] = ()) -> None:
        self._prices = list(prices)

    @cached_property
    def total(self) -> int:
        return sum(self._prices)

    def put(self, price: int) -> None:
        self._prices.append(price)
        self.__dict__.pop("total", None)


class Rule(Protocol):
    def off(self, amount: int) -> int: ...


def payable(amount: int, rule: Rule | None = None) -> int:
    return amount if rule is None else max(0, amount - rule.off(amount))


class Watchers:
    def __init__(self, size: int = 2) -> None:
        self._by_kind: dict[type, list[object]] = defaultdict(list)
        self._free = list(range(size))

    def watch(self, kind: type[E], watcher: object) -> Callable[[], None]:
        self._by_kind[kind].append(watcher)

        def stop() -> None:
            if watcher in self._by_kind[kind]:
                self._by_kind[kind].remove(watcher)

        return stop

    @contextmanager
    def lend(self) -> Iterator[int]:
        number = self._free.pop()
        try:
            yield number
        finally:
            self._free.append(number)


@dataclass(frozen=True)
class Number:
    value: float


@dataclass(frozen=True)
class Pair:
    op: Literal["+", "-", "*", "/", "%"]
    left: Term
    right: Term


Term = Union[Number, Pair]


def worth(term: Term) -> float:
    if isinstance(term, Number):
        return term.value
    left, right = worth(term.left), worth(term.right)
    if term.op == "+":
        return left + right
    if term.op == "-":
        return left - right
    if term.op == "*":
        return left * right
    if right == 0:
        raise ValueError("nothing to divide by")
    return left / right if term.op == "/" else left % right
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "shown"),
    [
        pytest.param("Desk.assign", ", version=ticket.version + 1", "", "version=2", id="a field of a saved object"),
        pytest.param("Desk.close", "Closed(ticket.id)", "Opened(ticket.id)", "Closed(id=", id="the class of an event"),
        pytest.param("Desk.move", "day + timedelta(days=1)", "day", "Moved(id=", id="a date in a named tuple"),
        pytest.param("Desk.close", "ticket.stage.is_final", "ticket.stage is Stage.HELD", "Stage.", id="a property"),
        pytest.param("Desk.load", "tried >= self", "tried > self", "raises=Unreachable", id="one attempt more"),
        pytest.param("Scope.find", "scope = scope.outer", "break", "Scope(", id="an object of the same class"),
        pytest.param("Bus.send", "type(event).__mro__", "[type(event)]", "Started(", id="a subclass"),
        pytest.param(
            "Basket.put",
            '        self.__dict__.pop("total", None)\n',
            "",
            "getattr(it, 'total')",
            id="a stale property",
        ),
        pytest.param(
            "payable", "max(0, amount - rule.off(amount))", "amount - rule.off(amount)", "off=", id="a protocol"
        ),
        pytest.param(
            "Watchers.watch",
            "                self._by_kind[kind].remove(watcher)",
            "                self._by_kind[kind].clear()",
            "_by_kind[",
            id="what a returned function leaves",
        ),
        pytest.param(
            "Watchers.lend",
            "        try:\n            yield number\n        finally:\n            self._free.append(number)",
            "        yield number\n        self._free.append(number)",
            "_free = ",
            id="what a failing body leaves",
        ),
        pytest.param(
            "worth",
            '    if right == 0:\n        raise ValueError("nothing to divide by")\n',
            "",
            "Number(0.0)",
            id="an operator of a node",
        ),
    ],
)
def test_mistakes_in_typed_classes_are_found(judge: Any, name: str, old: str, new: str, shown: str) -> None:
    assert SOURCE.count(old) >= 1
    report = judge(SOURCE, SOURCE.replace(old, new), name, kind="previous", calls=1500)

    assert report.verdict is Verdict.DIFFERS
    assert shown in f"{report.counterexample.call} {report.reason}"


PAYABLE = """if rule is not None:
        amount = max(0, amount - rule.off(amount))
    return amount"""
TOLD = """    def _told(self, number: int) -> None:
        self._tickets.tell(Closed(number))

"""


@pytest.mark.parametrize(
    ("name", "edits"),
    [
        pytest.param(
            "Desk.assign",
            [
                ("        if ticket is None or", "        if not ticket or"),
                (
                    "replace(ticket, owner=owner, version",
                    "Ticket(ticket.id, owner, stage=ticket.stage, due=ticket.due, version",
                ),
            ],
            id="another way to make the saved object",
        ),
        pytest.param("Desk.assign", [("self._tickets", "self._repository")], id="a private attribute renamed"),
        pytest.param(
            "Desk.close",
            [
                ("        self._tickets.tell(Closed(ticket.id))\n", "        self._told(ticket.id)\n"),
                ("    def move(", f"{TOLD}    def move("),
            ],
            id="a private method extracted",
        ),
        pytest.param("Desk.close", [("Closed", "TicketClosed")], id="a class of events renamed"),
        pytest.param(
            "Desk.is_late",
            [
                (
                    "        return ticket.stage is not Stage.CLOSED and now > ticket.due",
                    "        late = now > ticket.due\n        return late and ticket.stage is not Stage.CLOSED",
                )
            ],
            id="times compared before",
        ),
        pytest.param(
            "Scope.find",
            [
                (
                    "            scope = scope.outer\n        return None",
                    "            scope = scope.outer\n        return",
                )
            ],
            id="nothing returned",
        ),
        pytest.param(
            "Bus.send",
            [
                ("        count = 0\n", ""),
                ("        for kind in type(event).__mro__:\n            count +=", "        return sum("),
                ("(kind, ()))\n        return count", "(kind, ())) for kind in type(event).__mro__)"),
            ],
            id="a sum of lengths",
        ),
        pytest.param(
            "payable",
            [("return amount if rule is None else max(0, amount - rule.off(amount))", PAYABLE)],
            id="a condition turned",
        ),
        pytest.param(
            "Watchers.watch",
            [
                ("self._by_kind[kind]:\n", "(watching := self._by_kind[kind]):\n"),
                ("self._by_kind[kind].r", "watching.r"),
            ],
            id="a local variable of a returned function",
        ),
        pytest.param(
            "Watchers.lend",
            [("self._free.append(number)", "self._free += [number]")],
            id="an item added in another way",
        ),
        pytest.param(
            "Basket.put",
            [
                ("    @cached_property\n", "    @property\n"),
                ('        self.__dict__.pop("total", None)\n', ""),
            ],
            id="no longer cached",
        ),
        pytest.param(
            "Basket.put",
            [
                (
                    '        self.__dict__.pop("total", None)\n',
                    '        if "total" in vars(self):\n            del self.total\n',
                )
            ],
            id="removed in another way",
        ),
    ],
)
def test_refactorings_of_typed_classes_are_no_findings(judge: Any, name: str, edits: list[tuple[str, str]]) -> None:
    newer = SOURCE
    for old, new in edits:
        assert old in newer
        newer = newer.replace(old, new)
    report = judge(SOURCE, newer, name, kind="previous", calls=800)

    assert report.verdict is Verdict.AGREES, report.counterexample


FILES = """
from typing import Protocol


class Files(Protocol):
    def read(self, path: str) -> str: ...


class Numbers:
    def __init__(self, files: Files) -> None:
        self._files = files

    def number(self, path: str) -> int:
        try:
            text = self._files.read(path)
            return int(text)
        except ValueError:
            return 0
"""


def test_a_call_beside_others_is_not_meant_to_fail(judge: Any) -> None:
    newer = FILES.replace("        try:\n            text = self._files", "        text = self._files")
    newer = newer.replace("            return int", "        try:\n            return int")

    assert judge(FILES, newer, "Numbers.number", kind="previous", calls=800).verdict is Verdict.AGREES
