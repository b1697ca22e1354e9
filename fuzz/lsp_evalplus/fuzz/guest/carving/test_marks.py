"""What marks of a test say of its end: that it is skipped, or expected to fail."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .pytest_stand_in import Mark, marks_of

_SKIPPED, _EXPECTED = "__unittest_skip__", "__unittest_expecting_failure__"
"""Attributes by which unittest marks functions and classes."""


def is_skipped(places: Iterable[Any], others: Iterable[Mark] = ()) -> bool:
    """Return whether a test is skipped by a mark, or not collected by pytest.

    Args:
        places: its function, its class and its module.
        others: further marks, as those of its row.
    """
    places = list(places)
    if any([_has(place, _SKIPPED) or getattr(place, "__test__", None) is False for place in places]):
        return True
    return any(map(_skips, _marks(places, others)))


def may_fail(places: Iterable[Any], others: Iterable[Mark] = ()) -> bool:
    """Return whether a test is expected to fail, or skipped by a condition that is not evaluated here."""
    places = list(places)
    return any([_has(place, _EXPECTED) for place in places]) or any(map(_expects_failure, _marks(places, others)))


def _marks(places: Iterable[Any], others: Iterable[Mark]) -> list[Mark]:
    return [*others, *[mark for place in places for mark in marks_of(place)]]


def _has(place: Any, attribute: str) -> bool:
    return getattr(place, attribute, False) is True


def _skips(mark: Mark) -> bool:
    return mark.name == "skip" or (mark.name == "skipif" and _is_met(mark, otherwise=False))


def _expects_failure(mark: Mark) -> bool:
    return mark.name in ("xfail", "skipif") and _is_met(mark, otherwise=True)


def _is_met(mark: Mark, *, otherwise: bool) -> bool:
    """Return whether one of a mark's conditions holds; `otherwise` where it has none, or one is code in a string."""
    conditions = [*mark.args, *[value for name, value in mark.kwargs.items() if name == "condition"]]
    if not conditions or any([isinstance(one, str) for one in conditions]):
        return otherwise
    return any([_is_true(one) for one in conditions])


def _is_true(condition: Any) -> bool:
    try:
        return bool(condition)
    except Exception:  # noqa: BLE001 - a program's object may do anything
        return False
