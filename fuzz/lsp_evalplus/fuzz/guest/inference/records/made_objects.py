"""How objects of a project are made, as far as anything tells that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Callable, NamedTuple

from ...values.shapes import NONE, AnyShape, CollectionShape, DictShape, Shape, UnionShape, is_nothing


class Made(NamedTuple):
    """How objects of a project are made; each function returns None where nothing tells that."""

    of_classes: Callable[[Iterable[str]], Shape | None]
    """Returns it for classes, which are written as in the function that uses them."""
    having: Callable[[Iterable[str]], Shape | None]
    """Returns it for objects that have some members."""
    raised: Callable[[Iterable[str]], Shape | None]
    """Returns the exceptions that clauses catch, which are written as in the function that has these."""


def _unknown(_names: Iterable[str]) -> Shape | None:
    return None


NOTHING_MADE = Made(_unknown, _unknown, _unknown)


class Stated(NamedTuple):
    """What a class says of its members."""

    attributes: Mapping[str, Shape]
    results: Mapping[str, Shape]
    """What its methods return."""


def is_vague(shape: Shape) -> bool:
    """Return whether a shape says less of a value than its use does: it may be anything, or hold anything, or nothing
    says how to make one."""
    if isinstance(shape, AnyShape) or is_nothing(shape) or shape.kind is NONE.kind:
        return True
    inner = shape.parts if isinstance(shape, (UnionShape, CollectionShape, DictShape)) else ()
    return any([isinstance(one, AnyShape) or (one.kind is not NONE.kind and is_vague(one)) for one in inner])
