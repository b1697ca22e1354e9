"""Names in recipes as short as the program allows: ``Version('1')`` where it binds ``packaging.version.Version``."""

from __future__ import annotations

import types
from typing import Any

from .carved import is_carved
from .dynamic import attribute_of, type_of
from .recipes.building import lookup
from .recipes.model import IMMUTABLE, Name, New, Prepared, RecipeError

_BOUND = (types.MethodType, types.BuiltinMethodType)


def shortened(value: Any, namespace: dict[str, Any]) -> Any:
    """Return the recipe with the last part of each dotted name where the program binds the same object by that."""
    kind = type_of(value)
    if kind in IMMUTABLE:
        return value
    if kind in (list, tuple, set, frozenset):
        make: Any = kind
        return make([shortened(part, namespace) for part in value])
    if kind is dict:
        return {shortened(key, namespace): shortened(part, namespace) for key, part in value.items()}
    if kind is Name:
        return Name(_short(value.name, namespace))
    if kind is New:
        kwargs = {name: shortened(part, namespace) for name, part in value.kwargs.items()}
        return New(_short(value.name, namespace), shortened(value.args, namespace), kwargs)
    if kind is Prepared:
        calls = [New(one.name, shortened(one.args, namespace), shortened(one.kwargs, namespace)) for one in value.calls]
        return Prepared(shortened(value.instance, namespace), tuple(calls))
    return value


def _short(dotted: str, namespace: dict[str, Any]) -> str:
    """Return the shortest ending of a dotted name that begins with a name of the program and means the same."""
    if is_carved(dotted):
        return dotted
    parts = dotted.split(".")
    try:
        meant = lookup(dotted, namespace) if len(parts) > 1 else None
    except RecipeError:
        return dotted
    for first in range(len(parts) - 1, 0, -1):
        if meant is None or parts[first] not in namespace:
            continue
        found: Any = namespace[parts[first]]
        for part in parts[first + 1 :]:
            found = attribute_of(found, part, None)
        # A class method is another object each time. Of other objects, comparing them is code of the program.
        if found is meant or (first < len(parts) - 1 and type_of(found) in _BOUND and found == meant):
            return ".".join(parts[first:])
    return dotted
