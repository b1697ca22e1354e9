"""Attributes that only a newer class gives its objects, of which nobody who uses an older one knows.

They are read from compiled code; no code of a class is run.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from typing import Any

from ..values.dynamic import is_python_function

_OWN_DESCRIPTORS: tuple[Any, ...] = (
    *(property, classmethod, staticmethod, functools.cached_property),
    types.FunctionType,
)
"""Descriptors of Python's own, which may be asked for what they hold."""
_WRAPPED = ("__func__", "fget", "fset", "fdel", "func", "__wrapped__")
_ANY_NAME = frozenset(("setattr", "__setattr__", "__dict__", "vars", "delattr", "__getattr__", "__getattribute__"))
"""Code that uses one of these may give its objects attributes of any name."""
_OF_EACH_CLASS = frozenset(("__dict__", "__weakref__"))


def is_new_attribute(name: str, older: type, newer: type) -> bool:
    """Whether a newer class names an attribute in its code and the older one does not."""
    known = _names_in(older)
    return name in _names_in(newer) and name not in known and not _ANY_NAME & known


@functools.lru_cache(maxsize=128)
def _names_in(kind: type) -> frozenset[str]:
    """The names in the code of a class and of its bases, and of what they define."""
    found: set[str] = set()
    for base in type.__getattribute__(kind, "__mro__"):
        if base is object:
            continue
        for name, member in list(base.__dict__.items()):
            found.update({name} - _OF_EACH_CLASS)
            for code in _codes_of(member):
                found.update(code.co_names)
    return frozenset(found)


def _codes_of(member: Any) -> Iterator[types.CodeType]:
    """The code of a method, or of the methods that a property or another descriptor of Python's own holds."""
    held = [member, *[_held(member, name) for name in _WRAPPED]]
    codes = [one.__code__ for one in held if is_python_function(one)]
    while codes:
        code = codes.pop()
        yield code
        codes += [one for one in code.co_consts if isinstance(one, types.CodeType)]


def _held(member: Any, name: str) -> Any:
    """What a descriptor holds under a name; None where asking for it would run code of a program."""
    is_own = isinstance(member, _OWN_DESCRIPTORS)
    return getattr(member, name, None) if is_own else None
