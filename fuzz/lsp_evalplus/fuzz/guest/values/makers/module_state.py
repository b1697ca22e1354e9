"""What a call changes in variables of its module, or attributes of its classes, as a part of its result: registries,
counters, settings.

The host states which variables count (`fuzz.source.outside.module_state`). Each call finds them as the module left
them, so that a search may call the function in any order.
"""

from __future__ import annotations

import collections
import functools
import inspect
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Callable

from ..dynamic import DICT, is_class, is_python_function, type_of

LEFT = "returned_and_left"
"""The name that calls have for `returned_and_left`."""
MOST_PARTS, _DEEPEST = 2000, 50
"""Parts of variables that are copied for each call, and levels of them; larger ones, as those that hold themselves, do
not count."""
CHANGED = "changed_variables"
"""The attribute of a function that was returned in which it is kept what its calls have changed."""
_DICTS = (dict, collections.defaultdict, collections.OrderedDict, collections.Counter)
_LISTS = (list, collections.deque)
_SCALARS = (str, bytes, bool, int, float, complex, type(None))
_UNCHANGED, _MISSING = object(), object()


def returned_and_left(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """Return the function, whose result is a pair where it changes variables of its module: what it returns, and what
    is new in each. A function that it returns does the same when it is called.

    Of a dict that is the items that changed, with ``...`` for those that are gone; of anything else its new value.
    """
    state = _State(inspect.unwrap(function).__globals__, names)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        state.restore()
        result = function(*args, **kwargs)
        changes = state.changes()
        result = _watched(result, state) if is_python_function(result) else result
        return (result, changes) if changes else result

    return call


def _watched(function: Any, state: _State) -> Any:
    """Return a function that was returned, as a decorator is, with what its calls have changed as an attribute; each
    function finds the variables as its own calls left them."""
    left = [state.contents()]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        state.restore(left[0])
        try:
            return function(*args, **kwargs)
        finally:
            left[0] = state.contents()
            setattr(call, CHANGED, _named(state.changes()))

    setattr(call, CHANGED, {})
    return call


def _named(value: Any) -> Any:
    """Return a copy of containers with the names of functions in their place: what these do is compared elsewhere."""
    kind = type_of(value)
    if kind is dict:
        return {key: _named(one) for key, one in DICT.items(value)}
    if kind in (list, tuple):
        items = [_named(one) for one in value]
        return items if kind is list else tuple(items)
    return value.__name__ if is_python_function(value) else value


class _State:
    """The variables of a module that count, and attributes of its classes, ``Shape.kinds``."""

    def __init__(self, scope: dict[str, Any], names: Sequence[str]) -> None:
        self._scope = scope
        self._names = names

    @functools.cached_property
    def _first(self) -> dict[str, tuple[Any, Any]]:
        """What they hold before the first call, and a copy of its content."""
        held = {name: self._held(name) for name in self._names}
        counted = [name for name, one in held.items() if (one is not _MISSING or "." in name) and _can_copy(one)]
        return {name: (held[name], _copy(held[name])) for name in counted}

    def _held(self, name: str) -> Any:
        owner, _, attribute = name.rpartition(".")
        if not owner:
            return self._scope.get(attribute, _MISSING)
        kind = self._scope.get(owner)
        return type.__getattribute__(kind, "__dict__").get(attribute, _MISSING) if is_class(kind) else _MISSING

    def contents(self) -> dict[str, Any]:
        """Return what they hold now."""
        return {name: _copy(self._held(name)) for name in self._first}

    def restore(self, contents: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Let them hold what they held at first, or other contents."""
        for name, (held, content) in self._first.items():
            refilled = _refilled(held, _copy(contents.get(name, content)))
            owner, _, attribute = name.rpartition(".")
            if not owner:
                self._scope[name] = refilled
            elif refilled is _MISSING and self._held(name) is not _MISSING:
                type.__delattr__(self._scope[owner], attribute)
            elif self._held(name) is not refilled:
                type.__setattr__(self._scope[owner], attribute, refilled)

    def changes(self) -> dict[str, Any]:
        """Return what is new in each that changed."""
        now = {name: self._held(name) for name in self._first}
        found = {name: _change(self._first[name][1], _copy(one)) for name, one in now.items() if _can_copy(one)}
        return {name: change for name, change in found.items() if change is not _UNCHANGED}


def _can_copy(value: Any) -> bool:
    """Whether builtin containers, and those in them, have few parts on few levels."""
    level, count = [value], 1
    for _ in range(_DEEPEST):
        level = [part for one in level for part in _parts_of(one)]
        count += len(level)
        if not level or count > MOST_PARTS:
            break
    return not level


def _parts_of(value: Any) -> Collection[Any]:
    kind = type_of(value)
    parts: Collection[Any] = DICT.values(value) if kind in _DICTS else value if kind in (*_LISTS, set) else ()
    return parts


def _copy(value: Any) -> Any:
    """Return a copy of builtin containers, and of those in them; any other value as it is."""
    kind = type_of(value)
    if kind in _DICTS:
        return {key: _copy(one) for key, one in DICT.items(value)}
    if kind in _LISTS:
        return [_copy(one) for one in value]
    return set(value) if kind is set else value


def _refilled(held: Any, content: Any) -> Any:
    """Return a container with another content; anything else as it is."""
    kind = type_of(held)
    if kind in (*_DICTS, *_LISTS, set):
        held.clear()
        (held.extend if kind in _LISTS else held.update)(content)
    return held


def _change(before: Any, after: Any) -> Any:
    """What is new in the content of a variable, of which both are copies."""
    if _is_same(before, after):
        return _UNCHANGED
    if type_of(before) is not dict or type_of(after) is not dict:
        return after
    changes = {key: one for key, one in after.items() if key not in before or not _is_same(before[key], one)}
    return {**changes, **{key: ... for key in before if key not in after}}


def _is_same(one: Any, two: Any) -> bool:
    kind = type_of(one)
    if kind is not type_of(two):
        return False
    if kind is dict:
        return len(one) == len(two) and all([key in two and _is_same(part, two[key]) for key, part in one.items()])
    if kind is list:
        return len(one) == len(two) and all(map(_is_same, one, two))
    return bool(one == two) if kind is set or kind in _SCALARS else one is two
