"""Copies of arguments are those of `copy.deepcopy`, however they are made."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.values.copies import deep_copies

ONE: list[Any] = [1]


@pytest.mark.parametrize(
    "values",
    [
        (),
        (1, "a", None, len, b"b", 2.5),
        ([1, 2], "a"),
        ({"a": 1}, 2),
        ({"a": [1]}, 2),
        ([[1], 2],),
        ([(1, [2])], 3),
        ({1, 2}, 3),
        ((1, [2]), 3),
        (ONE, ONE),
        (ONE, [ONE]),
        (SimpleNamespace(a=ONE), 1),
    ],
)
def test_copies_share_what_deep_copies_share(values: tuple[Any, ...]) -> None:
    ours, theirs = deep_copies(values), copy.deepcopy(values)
    assert ours == theirs == values
    assert (ours is values) is (theirs is values)
    assert _shared(ours, values) == _shared(theirs, values)
    assert [one is two for one in ours for two in ours] == [one is two for one in theirs for two in theirs]


def _shared(ours: Any, theirs: Any) -> list[Any]:
    """Whether copy and value are one object, at each place inside of them."""
    inner = [*ours.values()] if type(ours) is dict else [*ours] if type(ours) in (list, tuple) else []
    other = [*theirs.values()] if type(theirs) is dict else [*theirs] if type(theirs) in (list, tuple) else []
    return [ours is theirs, *[_shared(one, two) for one, two in zip(inner, other, strict=True)]]
