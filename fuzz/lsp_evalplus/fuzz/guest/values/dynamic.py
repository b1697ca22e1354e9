"""Values whose types are known at run time only, as static types see them.

``type(value) is dict`` and ``isinstance(value, dict)`` make a static checker take an unknown value for a
``dict[Unknown, Unknown]``, all of whose parts are unknown. What is here is the same builtins, after which the value
stays `Any`.
"""

from __future__ import annotations

from typing import Any, Callable

Value = Any
"""A value under test, or a recipe of one: of any type."""
Row = tuple[Any, ...]
"""The arguments of one call."""
type_of: Callable[[object], type[Any]] = type
is_instance: Callable[[object, Any], bool] = isinstance
is_subclass: Callable[[type[Any], Any], bool] = issubclass
DICT: type[Any] = dict
SET: type[Any] = set
FROZENSET: type[Any] = frozenset
"""The builtins, whose methods are called on instances of their subclasses."""
