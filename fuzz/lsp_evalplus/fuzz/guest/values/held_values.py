"""What arguments hold, also in attributes of objects, in the items of short lists, and in the values of short dicts."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Callable, NamedTuple

from .dynamic import attributes_of, type_of

Path = tuple[Any, ...]
"""The place of an argument, then names of attributes, positions, and keys, as `Key`."""
_WITHOUT_PARTS = frozenset((type(None), bool, int, float, complex, str, bytes, set, frozenset))
_MAPPINGS = (dict, OrderedDict, defaultdict)
_DEEPEST, _MOST_ITEMS, _MOST_ATTRIBUTES = 5, 12, 60
_MOST_HELD = 500
"""Maximum number of values that are looked at in all."""


class Key(NamedTuple):
    """Where a dict holds a value."""

    key: Any


def held_values(
    arguments: Sequence[Any], is_closed: Callable[[Any], bool] = lambda value: False
) -> Iterator[tuple[Path, Any]]:
    """Yield the arguments and what they hold, with where it is, the outermost first; no more than a few in each.

    Args:
        arguments: of a call.
        is_closed: whether what a value holds is left out.
    """
    waiting: list[tuple[Path, Any]] = list(zip(zip(range(len(arguments))), arguments))
    for path, value in waiting:
        kind = type_of(value)
        if kind in _WITHOUT_PARTS:
            continue
        yield path, value
        if len(path) <= _DEEPEST and len(waiting) < _MOST_HELD and not is_closed(value):
            held = _held_by(value, kind)
            waiting += [((*path, name), one) for name, one in held.items() if type_of(one) not in _WITHOUT_PARTS]


def _held_by(value: Any, kind: Any) -> dict[Any, Any]:
    """Return the parts of a value by where they are."""
    if kind in (list, tuple):
        return dict(zip(range(len(value)), value)) if len(value) <= _MOST_ITEMS else {}
    if kind in _MAPPINGS:
        held = {Key(key): one for key, one in value.items() if type_of(key) in (str, int)}
        return held if len(held) <= _MOST_ITEMS else {}
    attributes = attributes_of(value) or {}
    return attributes if len(attributes) <= _MOST_ATTRIBUTES else {}
