"""Which parts of two programs' objects are compared, and how often their classes are read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.comparison import stored_parts
from lsp_evalplus.fuzz.guest.comparison.stored_parts import first_difference, first_public_difference, held_functions

SOURCE = """
from collections import defaultdict
from enum import Enum


class Event:
    pass


class Stage(str, Enum):
    OPEN = "open"
    HELD = "held"


class Order:
    def __init__(self, stage, number=1):
        self.stage = stage
        self._number = number
        self.lines = []
        self.by_kind = defaultdict(list)
"""


def _version() -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": "orders"}
    exec(SOURCE, namespace)
    return namespace


def _changed_stage(scope: dict[str, Any], order: Any) -> None:
    order.stage = scope["Stage"].HELD


def _changed_lines(_scope: dict[str, Any], order: Any) -> None:
    order.lines.append(object())


def _changed_kinds(scope: dict[str, Any], order: Any) -> None:
    order.by_kind[scope["Event"]].append(object())


def _changed_number(_scope: dict[str, Any], order: Any) -> None:
    order._number = 2


@pytest.mark.parametrize(
    ("change", "path", "is_public"),
    [
        (_changed_stage, ".stage", True),
        (_changed_lines, "len(lines)", True),
        (_changed_kinds, "len(by_kind[Event])", True),
        (_changed_number, "._number", False),
    ],
)
def test_the_part_that_differs(change: Callable[[dict[str, Any], Any], None], path: str, is_public: bool) -> None:
    scopes = _version(), _version()
    one, two = orders = [scope["Order"](scope["Stage"].OPEN) for scope in scopes]
    for scope, order in zip(scopes, orders, strict=True):
        order.by_kind[scope["Event"]].extend([])
    assert first_difference(one, two) is None

    change(scopes[1], two)

    found, in_public = first_difference(one, two), first_public_difference(one, two)
    assert found is not None
    assert found.path == path
    assert (in_public is not None) is is_public


def test_a_class_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scopes = _version(), _version()
    read: defaultdict[str, int] = defaultdict(int)

    def codes_of(member: Any) -> Any:
        read[repr(member)] += 1
        return original(member)

    original = stored_parts.codes_of
    monkeypatch.setattr(stored_parts, "codes_of", codes_of)
    for _ in range(20):
        one, two = [scope["Order"](scope["Stage"].OPEN) for scope in scopes]
        assert not held_functions(one, two)

    assert sum(read.values()) < 400
