"""The regular expressions that a function uses, as its module and its class hold them: however these were made."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..program.classes import names_in
from ..values.class_lookup import package_of
from ..values.dynamic import globals_of, is_class, is_instance, is_module, is_python_function, type_of

MOST: Final = 12
"""Regular expressions of one function."""
_LONGEST: Final = 400
"""Length of a string that may be a regular expression."""
_MODULES: Final = frozenset(("re", "regex"))
_MATCHING: Final = frozenset("match fullmatch search findall finditer sub subn split compile".split())
_IS_PATTERN: Final = re.compile(r"\\[dwsDWSbB]|\(\?|\[[^\]\s]+\][*+?{]|\.[*+]|[)\w][*+](?![*+])")
"""What is hardly ever in a string that is no regular expression."""
_MOST_FUNCTIONS: Final = 40
"""Functions of the same module that it calls, directly or not."""
_ROWS: Final = (list, tuple)
_MOST_ITEMS: Final = 16
"""Items of a table of regular expressions."""


def used_patterns(function: Any, owner: Any) -> list[tuple[str, bool]]:
    """Return the regular expressions of a function and of what it calls in its package, and whether each is verbose.

    Its own come first. Those of bytes are told as text.
    """
    inner: Any = inspect.unwrap(function)
    package = package_of(getattr(inner, "__globals__", {}))
    found: dict[tuple[str, bool], bool] = {}
    written: dict[str, bool] = {}
    codes: dict[types.CodeType, bool] = {}
    waiting: list[tuple[Any, Any]] = [(inner, owner)]
    elsewhere: list[tuple[Any, Any]] = []
    while waiting or elsewhere:
        one, holder = (waiting or elsewhere).pop(0)
        code = getattr(one, "__code__", None)
        if code is None or code in codes or len(codes) >= _MOST_FUNCTIONS or len(found) >= MOST:
            continue
        codes[code] = True
        used = [*_values_used(code, one.__globals__, holder)]
        values = [value for value, _ in used]
        written.update((text, False) for text in _written_as_patterns(code, values))
        for value, its_holder in used:
            if is_python_function(value) and package_of(value.__globals__) == package:
                (waiting if value.__globals__ is one.__globals__ else elsewhere).append((value, its_holder))
            for pattern in _patterns_in(value):
                text = pattern.pattern
                known = text if isinstance(text, str) else text.decode("latin-1")
                found[(known, bool(pattern.flags & re.VERBOSE))] = True
    return [*list(found)[:MOST], *list(written.items())[:MOST]]


def _values_used(code: types.CodeType, scope: dict[str, Any], owner: Any) -> Iterator[tuple[Any, Any]]:
    """Yield what the names in code stand for, also those of attributes of its own class and of classes and modules that
    it names, each with the class that has it."""
    names, attributes = names_in(code)
    known = [scope.get(name) for name in sorted(names)]
    for module in filter(is_module, list(known)):
        known += [globals_of(module).get(name) for name in sorted(attributes)]
    yield from ((value, None) for value in known)
    for holder in ([] if owner is None else [owner]) + list(filter(is_class, known)):
        for name in sorted(attributes):
            held: Any = inspect.getattr_static(holder, name, None)
            yield held.__func__ if type_of(held) in (staticmethod, classmethod) else held, holder


def _written_as_patterns(code: types.CodeType, values: Sequence[Any]) -> list[str]:
    """Return the strings that look like regular expressions where code matches with those that have a name: constants
    of its own, and those of its module and its class."""
    if _MODULES.isdisjoint(code.co_names) or _MATCHING.isdisjoint(code.co_names):
        return []
    listed = [one for value in (*code.co_consts, *values) for one in _items_of(value) if type(one) is str]
    return [one for one in listed if len(one) <= _LONGEST and _IS_PATTERN.search(one)]


def _items_of(value: Any) -> Sequence[Any]:
    """Return the items of a table, also of its rows: ``RULES = [("number", "[0-9]+"), ("space", " +")]``."""
    kind = type_of(value)
    items: Sequence[Any] = [*value.values()] if kind is dict else value if kind in _ROWS else [value]
    return [part for one in items for part in (one if type_of(one) in _ROWS else (one,))]


def _patterns_in(value: Any) -> list[re.Pattern[Any]]:
    return [one for one in map(_pattern_of, _items_of(value)[:_MOST_ITEMS]) if type_of(one) is re.Pattern]


def _pattern_of(value: Any) -> Any:
    """Return the regular expression of a method of it, as in ``search_code = re.compile("[A-Z]+").search``."""
    return value.__self__ if is_instance(value, types.BuiltinMethodType) else value
