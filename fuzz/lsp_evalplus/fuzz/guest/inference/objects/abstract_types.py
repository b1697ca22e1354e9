"""Abstract types that an older version of a function asks for, where the newer one asks for another type."""

from __future__ import annotations

import collections.abc
import typing
from collections.abc import Iterable, Iterator
from typing import Any, Final

from ...values.shapes import INT, STR, DictShape, FrozensetShape, ListShape, Shape
from ..library_objects import made_by

_MAPPING: Final = made_by("collections.UserDict", DictShape(STR, INT))
_SEQUENCE: Final = made_by("collections.deque", ListShape(INT))
_SET: Final = FrozensetShape(INT)
_OTHERS: Final[dict[Any, Shape]] = {
    collections.abc.Mapping: _MAPPING,
    collections.abc.MutableMapping: _MAPPING,
    collections.abc.Sequence: _SEQUENCE,
    collections.abc.MutableSequence: _SEQUENCE,
    collections.abc.Collection: _SEQUENCE,
    collections.abc.Iterable: _SEQUENCE,
    collections.abc.Set: _SET,
}
"""Values of each abstract type that are of no builtin type, or not of the usual one."""


def others_asked(older: Iterable[Any], newer: Iterable[Any]) -> Iterator[Shape]:
    """Yield values of the abstract types that an older version alone asks for: a builtin type in their place leaves
    these out.

    Args:
        older: the types that it asks for.
        newer: those that the newer one asks for.
    """
    kept = set(map(_abstract, newer))
    for one in dict.fromkeys(map(_abstract, older)):
        if one in _OTHERS and one not in kept:
            yield _OTHERS[one]


def _abstract(hint: Any) -> Any:
    return typing.get_origin(hint) or hint
