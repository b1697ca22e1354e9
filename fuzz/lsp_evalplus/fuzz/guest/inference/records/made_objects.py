"""How objects of a project are made, as far as anything tells that."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Callable, NamedTuple

from ...values.shapes import Shape


class Made(NamedTuple):
    """How objects of a project are made; each function returns None where nothing tells that."""

    of_classes: Callable[[Iterable[str]], Shape | None]
    """Returns it for classes, which are written as in the function that uses them."""
    having: Callable[[Iterable[str]], Shape | None]
    """Returns it for objects that have some members."""


def _unknown(_names: Iterable[str]) -> Shape | None:
    return None


NOTHING_MADE = Made(_unknown, _unknown)
