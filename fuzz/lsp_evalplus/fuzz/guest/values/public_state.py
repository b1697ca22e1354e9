"""The public state of objects.

It is used only where two classes have different private attributes, so that these cannot be compared: the result of
``__repr__``, the length, and the items.
"""

from __future__ import annotations

import re
import types
from itertools import islice
from typing import Any

from .dynamic import type_of
from .program_errors import PROGRAM_ERRORS

MAXIMUM_ITEMS = 1000
_PRIVATE = re.compile(r"\b_\w*=")
"""A private attribute in the ``repr`` of a dataclass."""
_OF_MEMBERS = ("_name_", "_value_")
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


def is_private(name: Any) -> bool:
    """Whether an attribute of that name is private; ``__dict__.update`` may add names that are no strings."""
    return isinstance(name, str) and name.startswith("_")


def is_special(name: Any) -> bool:
    """Whether an attribute of that name is one that Python or a library looks up, as ``__wrapped__``."""
    return isinstance(name, str) and name.startswith("__") and name.endswith("__")


def is_own_affair(qualname: str) -> bool:
    """Whether a definition, or the class it is in, has a private name: its own module alone is meant to use it."""
    return any([is_private(name) and not is_special(name) for name in qualname.split(".")])


def keep_otherwise(one: dict[str, Any], two: dict[str, Any]) -> bool:
    """Whether the first object's attributes have a private name that the second's lack."""
    return any([is_private(name) and name not in two for name in one])


def public_of(attributes: dict[str, Any]) -> dict[str, Any]:
    """The attributes that are not private, and those that members of enumerations tell as ``name`` and ``value``."""
    return {name: value for name, value in attributes.items() if not is_private(name) or name in _OF_MEMBERS}


def shown_by(one: Any, two: Any, private: set[str]) -> tuple[list[Any], list[Any]]:
    """The ``repr`` and the items of each of two objects, as far as both classes define them.

    A ``repr`` that names one of the `private` attributes describes the internals, and does not count.
    """
    left: list[Any] = []
    right: list[Any] = []
    for said in (_texts(one, two, private), (_length(one), _length(two)), (_items(one), _items(two))):
        if said[0] is not None and said[1] is not None:
            left.append(said[0])
            right.append(said[1])
    return left, right


def _texts(one: Any, two: Any, private: set[str]) -> tuple[str | None, str | None]:
    texts = _text(one), _text(two)
    is_inside = any([_PRIVATE.search(text) or any([name in text for name in private]) for text in texts if text])
    return (None, None) if is_inside else texts


def _own(value: Any, name: str) -> Any:
    """The method of that name where a class of a program, or one written in Python, defines it."""
    for base in type.__getattribute__(type_of(value), "__mro__"):
        if name in base.__dict__:
            method = base.__dict__[name]
            return method if isinstance(method, types.FunctionType) else None
    return None


def _text(value: Any) -> str | None:
    method = _own(value, "__repr__")
    text = _tried(lambda: method(value)) if method is not None else None
    return _ADDRESS.sub("", text) if type(text) is str else None


def _length(value: Any) -> int | None:
    method = _own(value, "__len__")
    length = _tried(lambda: method(value)) if method is not None else None
    return length if type(length) is int else None


def _items(value: Any) -> list[Any] | None:
    """The items of a container, with their values where it is a mapping; None for iterators, which it would use up."""
    iterate = _own(value, "__iter__")
    if iterate is None or _own(value, "__len__") is None or _own(value, "__next__") is not None:
        return None
    get = _own(value, "__getitem__") if _own(value, "keys") is not None else None

    def collect() -> list[Any]:
        found: list[Any] = list(islice(iterate(value), MAXIMUM_ITEMS))
        return found if get is None else [(key, get(value, key)) for key in found]

    return _tried(collect)


def _tried(ask: Any) -> Any:
    try:
        return ask()
    except PROGRAM_ERRORS:  # a method of the program may raise anything; it then shows nothing.
        return None
