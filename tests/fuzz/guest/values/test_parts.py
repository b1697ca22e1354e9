"""Paths to the parts of recipes, and copies with another part."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.values.parts import part_at, parts_of, paths_to, replaced
from lsp_evalplus.fuzz.guest.values.recipes.model import KEPT_WHOLE, New, Prepared
from lsp_evalplus.fuzz.guest.values.recipes.source import to_text

FILLED = Prepared(New("Shelf", (3,), {"name": "a"}), (New("put", ([1, "b"],)), New("__setattr__", ("limit", 2))))


def is_number(part: Any) -> bool:
    return type(part) is int


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        (5, [()]),
        ({"a": [1, {"b": 2}], "c": "d"}, [("a", 0), ("a", 1, "b")]),
        (FILLED, [(0, 0), (1, 0, 0), (2, 1)]),
        (New(min(KEPT_WHOLE), (1,)), []),
    ],
)
def test_paths_lead_to_numbers(value: Any, paths: list[Any]) -> None:
    found = paths_to(value, is_number, deepest=4, most=9)

    assert found == paths
    assert all(is_number(part_at(value, path)) for path in found)


def test_a_copy_has_another_part_and_the_rest_stays() -> None:
    changed = replaced(FILLED, (1, 0, 0), 9)

    assert to_text(changed) == to_text(FILLED).replace("[1, 'b']", "[9, 'b']")
    assert part_at(FILLED, (1, 0, 0)) == 1
    assert replaced({"a": (1, 2)}, ("a", 1), 0) == {"a": (1, 0)}


def test_there_is_an_end_to_depth_and_number() -> None:
    assert paths_to([[[[1]]]], is_number, deepest=3, most=9) == []
    assert paths_to([1, 2, 3], is_number, deepest=3, most=2) == [(0,), (1,)]
    assert parts_of("ab") == []
