"""Items of mappings that are there because somebody looked for them: a ``defaultdict`` makes what is missing."""

from __future__ import annotations

import collections
import sys
from typing import Any

from ..values.dynamic import DICT, type_of

_MODULES = frozenset(("builtins", "collections", "decimal", "fractions", "datetime"))
_CONTAINERS = (list, dict, set, collections.deque, collections.Counter, collections.defaultdict)


def without_defaults(value: Any) -> Any:
    """A ``defaultdict`` or counter as a dict without the items that equal what it gives for a missing key; any other
    value unchanged."""
    kind = type_of(value)
    if kind is not collections.defaultdict and kind is not collections.Counter:
        return value
    factory = int if kind is collections.Counter else value.default_factory
    items = [(key, without_defaults(item)) for key, item in DICT.items(value)]
    return {key: item for key, item in items if not _is_default(item, value[key], factory)}


def _is_default(item: Any, stored: Any, factory: Any) -> bool:
    """Whether an item equals what a factory makes, which is not called: only classes of the standard library are known,
    and that other functions make empty containers."""
    kind = type_of(stored)
    if type_of(factory) is type:
        is_made = kind is factory and getattr(sys.modules.get(kind.__module__), kind.__name__, None) is kind
        return is_made and kind.__module__ in _MODULES and not item
    return factory is not None and kind in _CONTAINERS and not item
