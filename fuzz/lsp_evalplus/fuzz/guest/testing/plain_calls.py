"""Calls and their answers as plain data, for tests that run in another process than the program they call.

Nothing of the program's classes survives the way: a value of a subclass becomes the plain value it holds, read with the
methods of the plain type, so that no ``__eq__`` of the program is ever asked.
"""

from __future__ import annotations

import builtins
import collections
import hashlib
import json
import types
from typing import Any, Callable

from ..values.plain import Limits, decode, encode, type_name, type_of

LIMITS = Limits(depth=100, nodes=4_000_000, size=40_000_000)
"""Limits of the arguments or the value of one call."""
_MOST_ITEMS = 100_000


class NotPlainError(Exception):
    """A value cannot be conveyed; the message names it."""


def to_plain(value: Any) -> Any:
    """Return the encoded form of a value of plain types exactly. Raises `NotPlainError` for any other."""
    encoded = encode(value, LIMITS)
    _check_plain(encoded, is_exact=True)
    return encoded


def to_answer(value: Any) -> dict[str, Any]:
    """Return the encoded form of what a call returned; `from_answer` says whether it can be conveyed."""
    kind = type_of(value)
    if kind is range:
        return {"form": "range", "value": [value.start, value.stop, value.step]}
    form = _FORMS.get(kind)
    if form is None:
        return {"value": encode(value, LIMITS)}
    items: list[Any] = []
    for item in value:
        items.append(item)
        if len(items) > _MOST_ITEMS:
            break
    return {"form": form, "value": encode(items, LIMITS)}


def from_answer(answer: dict[str, Any]) -> Any:
    """Return the value that an answer conveys. Raises `NotPlainError` where it is no plain data."""
    value = from_plain(answer.get("value"))
    form = answer.get("form")
    if form is None:
        return value
    if type_of(value) is not list or form not in _MAKERS:
        raise NotPlainError("something that cannot be read")
    try:
        return _MAKERS[form](value)
    except (TypeError, ValueError) as error:
        raise NotPlainError(f"a {form} that cannot be read") from error


def from_plain(encoded: Any) -> Any:
    """Return an encoded value, one of a subclass as its plain value. Raises `NotPlainError` for any other."""
    try:
        return decode(_check_plain(encoded, is_exact=False))
    except (ValueError, TypeError, RecursionError) as error:
        raise NotPlainError("something that cannot be read") from error


def _check_plain(encoded: Any, *, is_exact: bool) -> Any:
    """Return an encoded value in which opaque ones are replaced by their plain content."""
    kind = type_of(encoded)
    if kind is list:
        return [_check_plain(item, is_exact=is_exact) for item in encoded]
    if kind is not dict:
        return encoded
    if "o" not in encoded:
        return {tag: _check_plain(content, is_exact=is_exact) for tag, content in encoded.items()}
    fields = encoded["o"]
    if is_exact or type_of(fields) is not list or len(fields) != 3:
        raise NotPlainError(str(fields[1] if type_of(fields) is list and len(fields) > 1 else fields)[:200])
    return _check_plain(fields[2], is_exact=is_exact)


class Trace:
    """A digest of calls and their answers, the same wherever a deterministic function is called in the same state."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add_call(self, args: Any, kwargs: Any) -> None:
        """Add the encoded arguments of a call."""
        self._add([args, kwargs])

    def add_answer(self, answer: dict[str, Any]) -> None:
        """Add what a call returned or raised; of an iterator, only that it is one."""
        form = answer.get("form")
        self._add([form] if form == "iterator" else [answer.get(name) for name in ("form", "value", "raised", "text")])

    def text(self) -> str:
        """Return the digest."""
        return self._hash.hexdigest()

    def _add(self, fields: list[Any]) -> None:
        self._hash.update(json.dumps(fields).encode())


def is_iterator(value: Any) -> bool:
    """Return whether reading the items of a value would use them up."""
    return _FORMS.get(type_of(value)) == "iterator"


def bases_of(error: BaseException) -> list[str]:
    """Return the names of the built-in classes of an exception, nearest first."""
    mro = type.__dict__["__mro__"].__get__(type_of(error))
    return [type_name(kind) for kind in mro if getattr(builtins, type_name(kind), None) is kind]


def exception_like(names: Any, text: Any) -> BaseException:
    """Return an exception of the nearest built-in class that has one of these names, with this message."""
    for name in names if type_of(names) is list else ():
        kind = getattr(builtins, name, None) if type_of(name) is str else None
        if isinstance(kind, type) and issubclass(kind, (Exception, SystemExit)):
            try:
                return kind(str(text))
            except TypeError:  # UnicodeDecodeError and its like want more arguments.
                continue
    return RuntimeError(str(text))


def write_back(before: Any, after: Any) -> None:
    """Make a mutable argument what the call has made of it."""
    kind = type_of(before)
    if kind is not type_of(after):
        return
    if kind is list:
        before[:] = [_kept(old, new) for old, new in zip(before, after)] + after[len(before) :]
    elif kind is dict:
        kept = {key: _kept(before[key], item) if key in before else item for key, item in after.items()}
        before.clear()
        before.update(kept)
    elif kind is set:
        before.clear()
        before.update(after)


def _kept(before: Any, after: Any) -> Any:
    """Return the inner value, changed in place where it is mutable, so that other names of it show the change."""
    if type_of(before) is type_of(after) and type_of(before) in (list, dict, set):
        write_back(before, after)
        return before
    return after


_FORMS: dict[Any, str] = {
    type_of(iter([])): "iterator",
    type_of(iter(())): "iterator",
    type_of(reversed([])): "iterator",
    types.GeneratorType: "iterator",
    map: "iterator",
    filter: "iterator",
    zip: "iterator",
    enumerate: "iterator",
    collections.deque: "deque",
    type_of({}.keys()): "keys",
    type_of({}.values()): "values",
    type_of({}.items()): "items",
}
"""Values of other classes that are known by their items."""
_MAKERS: dict[str, Callable[[list[Any]], Any]] = {
    "range": lambda fields: range(*fields),
    "iterator": iter,
    "deque": collections.deque,
    "keys": lambda items: dict.fromkeys(items).keys(),
    "values": lambda items: dict(enumerate(items)).values(),
    "items": lambda items: dict(items).items(),
}
