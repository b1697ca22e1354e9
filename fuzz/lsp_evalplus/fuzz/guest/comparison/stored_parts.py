"""Find the attribute in which two objects differ that write the same of themselves.

A ``repr`` is often a summary: objects are more than what it says. What two versions of a class store differently in
private is no difference to show, so such parts are read only where the classes are the same but for the function under
test.
"""

from __future__ import annotations

import collections
import re
import types
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from ..values.dynamic import attributes_of, codes_of, has_on_class, type_of
from ..values.library_objects import CLOSED, content_of
from ..values.public_state import is_private
from ..values.recipes.model import is_plain
from ..values.rendering import value_text
from .equality import same, scalar_of
from .source_positions import know_lines, names_file

_MADE_BY_PYTHON = 1 << 9
"""`Py_TPFLAGS_HEAPTYPE`: the flag of classes that a `class` statement makes."""
_CLASS_OF_MEMBER = "__objclass__"
"""Where a member of an enumeration keeps its class, which holds all members: no part of what that member is."""
_MAXIMUM_DEPTH = 3
_MAXIMUM_PARTS = 200
_SEQUENCES = (list, tuple)
_MAPPINGS = (dict, collections.defaultdict, collections.OrderedDict, collections.Counter)
_MOST_ITEMS = 20
_OF_LINES = frozenset(("line", "lines"))
"""Attributes that hold the source of lines, beside the path of their file."""
ARGUMENTS = ".args"
"""The path of what an exception was made with, which those see who write it."""


class Difference(NamedTuple):
    """A part in which two objects differ."""

    path: str
    """How a caller reads it: ``.options``, ``[0].options``, ``len(routes)``."""
    one: Any
    two: Any


def first_difference(one: Any, two: Any, changed: str = "") -> Difference | None:
    """Return the first plain part that both objects store, and that differs; None where there is none.

    Args:
        changed: the name of the function under test, which may be a method of the objects' class.
    """
    for path, left, right in islice(_pairs(one, two, changed, "", 0), _MAXIMUM_PARTS):
        if not is_made_inside(left) and not same(left, right) and not know_lines(left, right):
            return Difference(path, left, right)
    return None


def first_public_difference(one: Any, two: Any) -> Difference | None:
    """Return the first plain part in which two objects differ where anyone may read it; None where there is none."""
    for path, left, right in islice(_pairs(one, two, "", "", 0), _MAXIMUM_PARTS):
        is_seen = not any(map(is_private, re.findall(r"\w+", path)))
        if is_seen and not is_made_inside(left) and not same(left, right) and not know_lines(left, right):
            return Difference(path, left, right)
    return None


def held_functions(one: Any, two: Any, changed: str = "") -> list[Difference]:
    """Return the functions that other functions made and both objects store where callers see them, if they may differ
    in what they do: in their code, or in what they hold of the functions that made them.

    Args:
        changed: the name of the function under test, which may be a method of the objects' class.
    """
    parts = [Difference(*one) for one in islice(_pairs(one, two, changed, "", 0), _MAXIMUM_PARTS)]
    return [
        part
        for part in parts
        if is_made_inside(part.one)
        and not any(map(is_private, re.findall(r"\w+", part.path)))
        and (
            _code_of(part.one.__code__) != _code_of(part.two.__code__)
            or not same(_held_by(part.one), _held_by(part.two))
        )
    ]


def is_made_inside(value: Any) -> bool:
    """Return whether a value is a function that another one made."""
    return type_of(value) is types.FunctionType and "<locals>" in value.__qualname__


def _held_by(function: Any) -> list[Any]:
    cells: list[Any] = [one.cell_contents for one in function.__closure__ or () if one != types.CellType()]
    return [*cells, function.__defaults__, function.__kwdefaults__]


def holds_exceptions(value: Any) -> bool:
    """Whether a result is an exception, or a container with one among its first items: equality only asks for their
    classes."""
    kind = type_of(value)
    if kind is dict:
        return any([_is_exception(one) for one in islice(value.values(), _MOST_ITEMS)])
    if kind in _SEQUENCES:
        return any([_is_exception(one) for one in value[:_MOST_ITEMS]])
    return _is_exception(value)


def _is_exception(value: Any) -> bool:
    return issubclass(type_of(value), BaseException)


def part_text(path: str, part: Any) -> str:
    """Return `` with charset = 'a'``, to follow the text of an object whose ``repr`` does not tell that part."""
    return f" with {path.lstrip('.')} = {value_text(part)}"


def _pairs(one: Any, two: Any, changed: str, path: str, depth: int) -> Iterator[tuple[str, Any, Any]]:
    """Yield the plain parts that two objects have in common, lengths, and functions that other functions made, with the
    path that leads to them."""
    plain = scalar_of(one), scalar_of(two)
    # An empty list is plain, and one of objects is not.
    are_lists = type_of(one) in _SEQUENCES and type_of(one) is type_of(two)
    if any(map(is_plain, plain)) and not (are_lists and not all(map(is_plain, plain))):
        if all(map(is_plain, plain)) and depth:
            yield path, *plain
        if plain[0] is one or plain[1] is two:
            return
    if depth > _MAXIMUM_DEPTH or one is two:
        return
    left, right = type_of(one), type_of(two)
    said, others = content_of(one), content_of(two)
    if said is not None and others is not None:
        yield f"{path}.{CLOSED}", CLOSED in said, CLOSED in others
        yield from _pairs_within(said, others, changed, path, depth)
    elif left in _SEQUENCES and left is right and know_lines(one, two):
        return
    elif left in _SEQUENCES and left is right and len(one) != len(two):
        yield f"len({path.lstrip('.')})", len(one), len(two)
    elif left in _SEQUENCES and left is right:
        for number, (first, second) in enumerate(zip(one, two)):
            yield from _pairs(first, second, changed, f"{path}[{number}]", depth + 1)
    elif left in _MAPPINGS and left is right:
        theirs = {_key_of(key): (key, value) for key, value in two.items()}
        for key, value in one.items():
            if (known := _key_of(key)) is not None and known in theirs:
                yield from _pairs(value, theirs[known][1], changed, f"{path}[{_key_text(key)}]", depth + 1)
    else:
        yield from _pairs_of_objects(one, two, changed, path, depth)


def _key_of(key: Any) -> Any:
    """Return what tells a key of a mapping in both programs, each of which may have a class of its own; None for other
    objects."""
    if is_plain(key):
        return key, ""
    is_class = isinstance(key, type)
    return (type.__getattribute__(key, "__qualname__"), "class") if is_class else None


def _key_text(key: Any) -> str:
    return str(type.__getattribute__(key, "__name__")) if isinstance(key, type) else repr(key)


def _pairs_of_objects(one: Any, two: Any, changed: str, path: str, depth: int) -> Iterator[tuple[str, Any, Any]]:
    if depth and is_made_inside(one) and is_made_inside(two):
        yield path, one, two
    yield from _pairs_within(*_comparable(one, two, changed), changed, path, depth)
    if _is_made(one) and _is_made(two):
        yield from _pairs(_arguments_of(one), _arguments_of(two), changed, path + ARGUMENTS, depth + 1)


def _comparable(one: Any, two: Any, changed: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The attributes that two objects store and that mean the same in both: the public ones where their classes differ
    by more than the function under test, and else all but those that may be made when they are asked for. Numbers
    beside the path of a Python file are lines, which any edit moves."""
    kind, others = type_of(one), attributes_of(two) or {}
    is_same = mean_the_same(kind, type_of(two), changed)
    kept: dict[str, Any] = {}
    for name, value in (attributes_of(one) or {}).items():
        if name == _CLASS_OF_MEMBER:
            continue
        if _means_the_same(name, is_same) and not _may_be_cached(name, value, others.get(name), kind):
            kept[name] = value
    if any(map(names_file, kept.values())):
        kept = {name: one for name, one in kept.items() if type_of(one) is not int and name.strip("_") not in _OF_LINES}
    return kept, others


def _means_the_same(name: str, classes_are_same: bool) -> bool:  # noqa: FBT001 - as it is found.
    return classes_are_same or not is_private(name)


def _is_made(value: Any) -> bool:
    """Whether it is an exception that was made and not raised: what Python raises has the words of Python."""
    return _is_exception(value) and BaseException.__dict__["__traceback__"].__get__(value) is None


def _arguments_of(error: Any) -> Any:
    return BaseException.__dict__["args"].__get__(error)


def _pairs_within(
    one: dict[str, Any], two: dict[str, Any], changed: str, path: str, depth: int
) -> Iterator[tuple[str, Any, Any]]:
    for name in one:
        if name in two:
            yield from _pairs(one[name], two[name], changed, f"{path}.{name}", depth + 1)


def _may_be_cached(name: str, one: Any, two: Any, kind: type) -> bool:
    """Whether an attribute may be made where it is asked for: it has a property's name, or is private."""
    return (one is None or two is None) and (is_private(name) or has_on_class(kind, name))


def mean_the_same(left: type, right: type, changed: str) -> bool:
    """Whether two classes are the same in both programs but for the function under test."""
    if left is right:
        return True
    one, two = _methods_of(left, changed), _methods_of(right, changed)
    return one is not None and one == two


def same_methods(left: type, right: type) -> list[str]:
    """Return the methods that are the same in two programs' classes."""
    one, two = _methods_of(left, "") or {}, _methods_of(right, "") or {}
    return [name for name, code in one.items() if two.get(name) == code]


def _methods_of(kind: type, changed: str) -> dict[str, Any] | None:
    """Return the code of a class' methods by name; None for classes that are not written in Python."""
    found = _code_by_name(kind) if _has_usual_hash(kind) else _code_by_name.__wrapped__(kind)
    return {name: code for name, code in found.items() if name != changed} or None


def _has_usual_hash(kind: type) -> bool:
    """Whether no metaclass of a program says which classes are equal."""
    meta: type = type_of(kind)
    return meta.__hash__ == object.__hash__ and meta.__eq__ == object.__eq__


@lru_cache(maxsize=256)
def _code_by_name(kind: type) -> dict[str, Any]:
    """Return the code of a class' methods. It is read once: an enumeration that is a string has some seventy of them,
    and each object of each call is asked for its class."""
    found: dict[str, Any] = {}
    bases: tuple[type, ...] = type.__getattribute__(kind, "__mro__")[:-1]
    for base in bases:
        if not base.__flags__ & _MADE_BY_PYTHON:
            continue
        members: dict[str, Any] = dict(vars(base))
        for name, member in members.items():
            code = next(codes_of(member), None)
            if code is not None:
                found.setdefault(name, _code_of(code))
    return found


def _code_of(code: types.CodeType) -> tuple[Any, ...]:
    """Return what a function's code does, without where it stands."""
    constants: list[tuple[Any, ...]] = [
        _code_of(one) if isinstance(one, types.CodeType) else (type_of(one), one) for one in code.co_consts
    ]
    return code.co_code, code.co_names, code.co_varnames, tuple(constants)
