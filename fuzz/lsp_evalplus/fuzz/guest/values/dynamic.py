"""Values whose types are known at run time only, as static types see them.

``type(value) is dict`` and ``isinstance(value, dict)`` make a static checker take an unknown value for a
``dict[Unknown, Unknown]``, all of whose parts are unknown. What is here is the same builtins, after which the value
stays `Any`.
"""

from __future__ import annotations

import collections
import functools
import inspect
import types
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Callable

from .program_errors import PROGRAM_ERRORS

if TYPE_CHECKING:
    from typing import TypeGuard  # novm - static checkers only, which know it under every version

Value = Any
"""A value under test, or a recipe of one: of any type."""
Row = tuple[Any, ...]
"""The arguments of one call."""
type_of: Callable[[object], type[Any]] = type
DICT: type[Any] = dict
LIST: type[Any] = list
SET: type[Any] = set
FROZENSET: type[Any] = frozenset
ORDERED: type[Any] = collections.OrderedDict
"""The builtins, and the ordered dict, whose methods are called on instances of their subclasses."""
_MOST_WRAPPERS = 8


def is_module(value: Any) -> TypeGuard[types.ModuleType]:
    """Whether a value is a module; a proxy, which may answer for its class with an exception, is none."""
    return issubclass(type(value), types.ModuleType)


def globals_of(module: Any) -> dict[str, Any]:
    """Return the globals of a module as far as it is loaded; none of what only stands for one.

    A module that is loaded on first use (`importlib.util.LazyLoader`) stays as it is: loading it may fail, as where
    another one has its place by now.
    """
    return object.__getattribute__(module, "__dict__") if is_module(module) else {}


def is_class(value: Any) -> TypeGuard[type[Any]]:
    """Whether a value is a class. No code of the value is run."""
    return issubclass(type(value), type)


def is_python_function(value: Any) -> TypeGuard[types.FunctionType]:
    """Whether a value is a function written in Python. No code of the value is run."""
    return type(value) is types.FunctionType


def unwrapped(function: Any) -> Any:
    """Return the function that decorators wrapped by `functools.wraps`. No code of a program is run."""
    for _ in range(_MOST_WRAPPERS):
        inner: Any = function.__dict__.get("__wrapped__")
        if not is_python_function(inner):
            break
        function = inner
    return function


def names_of_bases(kind: type[Any]) -> frozenset[str]:
    """The names of a class and of all classes from which it derives: two versions of a program each have their own
    classes of these names. No code of the class is run."""
    return frozenset([base.__name__ for base in type.__getattribute__(kind, "__mro__")])


def has_on_class(kind: type[Any], name: str) -> bool:
    """Whether a class or one of its bases binds a name. No code of the class is run."""
    return any([name in base.__dict__ for base in type.__getattribute__(kind, "__mro__")])


def has_value_on_class(kind: type[Any], name: str) -> bool:
    """Whether instances have an attribute by their class: a slot is only a place for it.

    No code of the class is run.
    """
    found = [base.__dict__[name] for base in type.__getattribute__(kind, "__mro__") if name in base.__dict__]
    return bool(found) and type(found[0]) is not types.MemberDescriptorType


def attribute_of(value: Any, name: str, missing: Any) -> Any:
    """Return an attribute of an object of a program, `missing` also where its own code answers with an exception.

    A proxy of a request does, for example, outside of one.
    """
    try:
        return getattr(value, name, missing)
    except PROGRAM_ERRORS:
        return missing


def is_instance(value: object, kind: Any) -> bool:
    """Return whether a value is an instance; by its type where it answers with an exception when asked for its class.

    A stand-in whose ``__getattribute__`` always raises does, as may an unbound proxy.
    """
    try:
        return isinstance(value, kind)
    except PROGRAM_ERRORS:
        return issubclass(type(value), kind)


def is_subclass(kind: type[Any], base: Any) -> bool:
    """Whether a class is a subclass of another; by its bases where the other one answers with an exception.

    A protocol that is not ``runtime_checkable`` does, as may any ``__subclasscheck__`` of a program.
    """
    try:
        return issubclass(kind, base)
    except PROGRAM_ERRORS:  # it may be code of the program.
        return base in type.__getattribute__(kind, "__mro__")


_SLOTS: dict[int, tuple[type, list[tuple[str, Any]] | None]] = {}
"""By the identity of a class, the class, so that no other one gets that identity, and its slots."""
_MOST_CLASSES = 4096
"""Programs may make classes in each call."""


def _slots_of(kind: type) -> list[tuple[str, Any]] | None:
    """The slots of a class and of its bases; None where none of them states any.

    Each has its name, and the descriptor that reads it: None where the class has something else of that name, as a
    property, which is code of the program.
    """
    known = _SLOTS.get(id(kind))
    if known is not None:
        return known[1]
    found: list[tuple[str, Any]] | None = None
    for base in type.__getattribute__(kind, "__mro__"):
        slots = base.__dict__.get("__slots__")
        if slots is None:
            continue
        found = found or []
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            place = base.__dict__.get(name)
            found.append((name, place if type(place) is types.MemberDescriptorType else None))
    if len(_SLOTS) >= _MOST_CLASSES:
        _SLOTS.clear()
    _SLOTS[id(kind)] = kind, found
    return found


def attributes_of(value: Any) -> dict[str, Any] | None:
    """The stored attributes of an object, from its dictionary and slots; None when it has neither."""
    found: dict[str, Any] = {}
    known = False
    try:
        found.update(object.__getattribute__(value, "__dict__"))
        known = True
    except (AttributeError, TypeError):
        pass
    slots = _slots_of(type_of(value))
    for name, place in slots or ():
        try:
            found[name] = place.__get__(value) if place is not None else object.__getattribute__(value, name)
        except PROGRAM_ERRORS:
            continue
    found.pop("__weakref__", None)
    if found.pop(_OF_MAPPER, None) is not None:
        # They come in the order of a set.
        found = dict(sorted(found.items()))
    return found if known or slots is not None else None


_OF_MAPPER = "_sa_instance_state"
"""What SQLAlchemy keeps for its own use in an object of a class that is mapped to a table."""


_OWN_DESCRIPTORS: tuple[Any, ...] = (
    *(property, classmethod, staticmethod, functools.cached_property),
    types.FunctionType,
)
"""Descriptors of Python's own, which may be asked for what they hold."""
_WRAPPED = ("__func__", "fget", "fset", "fdel", "func", "__wrapped__")


def codes_of(member: Any) -> Iterator[types.CodeType]:
    """Return the code of a method, or of the methods that a property or another descriptor holds, with the functions
    inside. No code of a program is run."""
    read = getattr if issubclass(type(member), _OWN_DESCRIPTORS) else inspect.getattr_static
    held = [member, *[read(member, name, None) for name in _WRAPPED]]
    return codes_within([one.__code__ for one in held if is_python_function(one)])


def codes_within(codes: Iterable[types.CodeType]) -> Iterator[types.CodeType]:
    """Yield some codes, and those of the functions inside of them."""
    waiting = list(codes)
    for code in waiting:
        yield code
        waiting += [one for one in code.co_consts if isinstance(one, types.CodeType)]
