"""Values whose types are known at run time only, as static types see them.

``type(value) is dict`` makes a static checker take an unknown value for a ``dict[Unknown, Unknown]``, all
of whose parts are unknown; `type_of` is the same builtin, and the value stays `Any`.
"""

from __future__ import annotations

from typing import Any, Callable

Value = Any
"""A value under test, or a recipe of one: of any type."""
Row = tuple[Any, ...]
"""The arguments of one call."""
type_of: Callable[[object], type[Any]] = type
