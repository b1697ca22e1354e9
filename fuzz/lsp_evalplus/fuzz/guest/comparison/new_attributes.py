"""Attributes that only a newer class gives its objects, of which nobody who uses an older one knows.

They are read from compiled code; no code of a class is run.
"""

from __future__ import annotations

import functools

from ..values.dynamic import codes_of

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
            for code in codes_of(member):
                found.update(code.co_names)
    return frozenset(found)
