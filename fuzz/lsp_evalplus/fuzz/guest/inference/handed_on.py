"""Finds the functions of the project that a function hands values to, so that their use of these is read too."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..static.walking import has_star
from .called_functions import called_function, names_left, stated_fields
from .callees import Home, definition_at
from .members import MOST_HOPS, parameter_at
from .records.handing_on import HandedOn

MOST_READ = 24
"""At most this many calls are followed, those of the functions in between included."""


class ProjectCallees:
    """The functions of the project that are called where a function stands.

    Args:
        home: where that is.
    """

    def __init__(self, home: Home, *, _hops: int = 0, _read: list[ast.Call] | None = None) -> None:
        self._home = home
        self._hops = _hops
        self._read: list[ast.Call] = [] if _read is None else _read

    def called(self, call: ast.Call, places: Sequence[int | str]) -> HandedOn | None:
        """As `reader.Callees.called`."""
        home = self._home
        is_spread = has_star(call.args)
        if is_spread or self._hops >= MOST_HOPS or len(self._read) >= MOST_READ:
            return None
        fields = stated_fields(call.func, home.scope, home.owner)
        if fields:
            stated = {place: fields[place] for place in places if place in fields}
            return HandedOn(None, {}, self, stated)
        found = called_function(call.func, home.scope, home.owner)
        if found is None:
            return None
        named = [(place, parameter_at(found.function, place, is_bound=found.is_bound)) for place in places]
        names = {place: name for place, name in named if name is not None}
        self._read.append(call)
        definition, there = definition_at(found, home)
        if not names or definition is None:
            return None
        return HandedOn(definition, names, ProjectCallees(there, _hops=self._hops + 1, _read=self._read))

    def is_own(self, call: ast.Call) -> bool:
        """As `reader.Callees.is_own`."""
        scope, owner = self._home.scope, self._home.owner
        return called_function(call.func, scope, owner) is not None or bool(stated_fields(call.func, scope, owner))

    def names_left(self, call: ast.Call) -> dict[str, bool]:
        """As `reader.Callees.names_left`."""
        return names_left(call, self._home.scope, self._home.owner)
