"""Plain values: what may cross the border between a guest and its host, as JSON.

A value is plain when its *exact* type is None, bool, int, float, complex, str, bytes, list, tuple, dict, set or
frozenset. Everything else is named by an `Opaque`. JSON stands for itself where that is unambiguous (null, booleans,
numbers up to 64 bits, finite floats, text without surrogates, lists); everything else is an object with one key that
says its kind:

====  ===================  ==========================================
key   kind                 content
====  ===================  ==========================================
i     int beyond 64 bits   hexadecimal text
f     nan, inf, -inf       its name
c     complex              [real, imaginary], each an encoded float
s     str with surrogates  base64 of UTF-8 with surrogates passed
b     bytes                base64
t     tuple                list of items
d     dict                 flat list: key, value, key, value
e     set                  list of items
z     frozenset            list of items
o     Opaque               [type name, text] or [type name, text, base]
====  ===================  ==========================================

Decoding executes nothing and refuses whatever is not of this form.
"""

from __future__ import annotations

import base64
import binascii
import re
import sys
from typing import Any, Callable, NamedTuple

from .program_errors import PROGRAM_ERRORS

_NONE = type(None)
_INT_MAX = (1 << 63) - 1
ADDRESS = re.compile(r" (?:at|@) 0x[0-9A-Fa-f]+")
_PRIVATE_FOLDER = re.compile(r"(?<=lsp-evalplus-)[0-9a-f]{16}(?:[/\\]+\w+-\w+(?:[/\\]+[0-9]+)?)?")
"""What is another one in each guest's private folder, which is the current one: an absolute path shows it."""
_OPAQUE_TEXT = 4_000
_COLLISIONS = 64
type_of: Callable[[Any], Any] = type
"""The exact type of a value, which ``isinstance`` and ``__class__`` can lie about."""
_qualname_of: Callable[[type], str] = type.__dict__["__qualname__"].__get__
_module_of: Callable[[type], Any] = type.__dict__["__module__"].__get__


class Limits(NamedTuple):
    """How large one encoded value may be; the sizes bound time and memory on both sides."""

    depth: int = 100
    """Containers inside containers; what lies deeper is named, not sent."""
    nodes: int = 1_000_000
    """Items of all containers together."""
    size: int = 32 << 20
    """Characters, bytes and digits of all strings and integers together."""


class TooLargeError(Exception):
    """A value exceeds its limits; the message says which."""


class PlainError(ValueError):
    """JSON that is not an encoded plain value."""


class Opaque:
    """A value that is not plain: its type, its ``repr``, and the value of its builtin base type, if any.

    `base` is the plain content of a value whose type derives from a plain type or belongs to NumPy, read with the
    methods of the base type, so a class cannot lie about it; None when there is none.
    """

    __slots__ = ("base", "text", "type_name")

    def __init__(self, type_name: str, text: str, base: Any = None) -> None:
        self.type_name = type_name
        self.text = text
        self.base = base

    def __eq__(self, other: object) -> bool:
        if type(other) is not Opaque:
            return NotImplemented
        return self.type_name == other.type_name and self.text == other.text

    def __hash__(self) -> int:
        return hash((self.type_name, self.text))

    def __repr__(self) -> str:
        return self.text


def without_folder(text: str) -> str:
    """The string without what a guest's private folder is called, which is another one in each guest."""
    return _PRIVATE_FOLDER.sub("...", text) if "lsp-evalplus-" in text else text


def type_name(kind: type) -> str:
    """Return ``module.Qualname`` of a type, asking `type` itself, so that no metaclass can lie."""
    module = _module_of(kind)
    name = _qualname_of(kind)
    return name if module == "builtins" or type(module) is not str else module + "." + name


def describe(value: object) -> str:
    """Return ``repr(value)`` without memory addresses, bounded in length, whatever the value's class does."""
    try:
        text = repr(value)
    except PROGRAM_ERRORS as error:  # the class under test may raise anything here
        return f"<unprintable {type_name(type(value))}: {type_name(type(error))}>"
    if type(text) is not str:
        text = str.__str__(text)
    text = ADDRESS.sub("", without_folder(text[: 2 * _OPAQUE_TEXT]))
    return text if len(text) <= _OPAQUE_TEXT else text[:_OPAQUE_TEXT] + "..."


def encode(value: object, limits: Limits = Limits()) -> Any:  # noqa: B008 - an immutable value
    """Return the JSON form of any value.

    Raises:
        TooLargeError: it has more items or text than `limits` allow.
    """
    return _Encoder(limits).encode(value, limits.depth)


def decode(data: Any, limits: Limits = Limits()) -> Any:  # noqa: B008 - an immutable value
    """Return the value that `data` (parsed JSON) stands for.

    Raises:
        PlainError: `data` is not an encoded plain value, or is nested too deeply.
    """
    try:
        return _decode(data, limits.depth + 3)
    except PlainError:
        raise
    except (TypeError, ValueError, OverflowError, binascii.Error, RecursionError) as error:
        raise PlainError(f"not an encoded plain value: {error}") from None


class _Encoder:
    """One encoding: what is left of its limits, and the containers it is inside of."""

    __slots__ = ("nodes", "open", "size")

    def __init__(self, limits: Limits) -> None:
        self.nodes = limits.nodes
        self.size = limits.size
        self.open: set[int] = set()

    def encode(self, value: Any, depth: int) -> Any:
        kind = type_of(value)
        if kind is int:
            return value if -_INT_MAX <= value <= _INT_MAX else self._huge(value)
        if kind is bool or kind is _NONE:
            return value
        if kind is str:
            return self._text(value)
        if kind is float:
            return _float(value)
        if kind in _CONTAINERS:
            return self._container(value, kind, depth)
        if kind is complex:
            return {"c": [_float(value.real), _float(value.imag)]}
        if kind is bytes:
            self._spend_size(len(value))
            return {"b": base64.b64encode(value).decode("ascii")}
        return self._opaque(value, kind, depth)

    def _spend_size(self, amount: int) -> None:
        self.size -= amount
        if self.size < 0:
            raise TooLargeError("the value has too much text")

    def _huge(self, value: int) -> Any:
        self._spend_size(value.bit_length() >> 2)
        return {"i": hex(value)}

    def _text(self, value: str) -> Any:
        self._spend_size(len(value))
        if value.isascii():
            return value
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raw = value.encode("utf-8", "surrogatepass")
            return {"s": base64.b64encode(raw).decode("ascii")}
        return value

    def _container(self, value: Any, kind: type, depth: int) -> Any:
        mark = id(value)
        if mark in self.open:
            return {"o": [kind.__name__, "<cycle>"]}
        if depth <= 0:
            return {"o": [kind.__name__, "<nested too deeply>"]}
        self.open.add(mark)
        try:
            return self._content(value, kind, depth - 1)
        finally:
            self.open.discard(mark)

    def _content(self, value: Any, kind: type, depth: int) -> Any:
        self.nodes -= len(value) + 1
        if self.nodes < 0:
            raise TooLargeError("the value has too many items")
        if kind is dict:
            flat: list[Any] = []
            for key, item in value.items():
                flat.append(self.encode(key, depth))
                flat.append(self.encode(item, depth))
            return {"d": flat}
        items = self._texts(value)
        if items is None:
            encode = self.encode
            items = [
                item
                if (type_of(item) is int and -_INT_MAX <= item <= _INT_MAX)
                or (type_of(item) is float and item - item == 0.0)
                else encode(item, depth)
                for item in value
            ]
        return items if kind is list else {_CONTAINERS[kind]: items}

    def _texts(self, items: Any) -> list[Any] | None:
        """Return the items if they are plain strings, which most lists have if any item is one; None for others."""
        for first in items:
            if type_of(first) is not str:
                return None
            break
        if set(map(type_of, items)) != {str}:
            return None
        whole = "".join(items)
        if not whole.isascii():
            return None
        self._spend_size(len(whole))
        return [*items]

    def _opaque(self, value: Any, kind: type, depth: int) -> Any:
        if kind is Opaque:
            name, text = value.type_name, value.text
            base = value.base
        else:
            name, text = type_name(kind), describe(value)
            base = self._base(value, kind)
        self._spend_size(len(name) + len(text))
        described = [self._text(name), self._text(text)]
        if base is None or depth <= 0 or id(value) in self.open:
            return {"o": described}
        self.open.add(id(value))
        try:
            return {"o": [*described, self.encode(base, depth - 1)]}
        finally:
            self.open.discard(id(value))

    def _base(self, value: Any, kind: type) -> Any:
        """Return the plain content of a value whose type derives from a plain one, or None."""
        for base, read in _READERS:
            if issubclass(kind, base):
                if base in _CONTAINERS and base.__len__(value) > self.nodes:  # type: ignore[attr-defined]
                    raise TooLargeError("the value has too many items")
                return read(value)
        return _numpy_content(value, kind, self.nodes)


def _numpy_content(value: Any, kind: type, nodes: int) -> Any:
    numpy = sys.modules.get("numpy")
    if numpy is None or _module_of(kind) != "numpy":
        return None
    try:
        if kind is numpy.ndarray:
            if value.size > nodes:
                raise TooLargeError("the array has too many items")
            return numpy.ndarray.tolist(value)
        if not issubclass(kind, numpy.generic):
            return None
        item = numpy.generic.item(value)
        if isinstance(item, numpy.generic):  # No plain number is as long.
            return complex(item) if isinstance(item, numpy.complexfloating) else float(item)
        return item
    except (AttributeError, TypeError, ValueError):
        return None


def _float(value: float) -> Any:
    if value - value == 0.0:
        return value
    return {"f": "nan" if value != value else "inf" if value > 0 else "-inf"}


_DIRECT = frozenset((int, str, bool, type(None)))
_CONTAINERS: dict[type, str] = {list: "l", tuple: "t", dict: "d", set: "e", frozenset: "z"}
_list: Any = list
_tuple: Any = tuple
_dict: Any = dict
_set: Any = set
_frozenset: Any = frozenset
_READERS: list[tuple[type, Callable[[Any], Any]]] = [
    (int, int.__int__),
    (float, float.__float__),
    (complex, lambda value: complex(complex.real.__get__(value), complex.imag.__get__(value))),  # type: ignore[attr-defined]
    (str, str.__str__),
    (bytes, lambda value: bytes.join(b"", [bytes.__getitem__(value, slice(None))])),
    (list, lambda value: [*_list.__iter__(value)]),
    (tuple, lambda value: tuple(_tuple.__iter__(value))),
    (dict, lambda value: {key: _dict.__getitem__(value, key) for key in _dict.__iter__(value)}),
    (set, lambda value: set(_set.__iter__(value))),
    (frozenset, lambda value: frozenset(_frozenset.__iter__(value))),
]


def _decode(data: Any, depth: int) -> Any:
    kind = type_of(data)
    if kind is list:
        if depth <= 0:
            raise PlainError("nested too deeply")
        if _DIRECT.issuperset(map(type_of, data)):
            return [*data]
        depth -= 1
        return [item if type_of(item) in _DIRECT else _decode(item, depth) for item in data]
    if kind is not dict:
        if kind is float and data - data != 0.0:
            raise PlainError("a float that is not finite")
        return data
    if len(data) != 1 or depth <= 0:
        raise PlainError("an object of another form, or nested too deeply")
    [(tag, content)] = data.items()
    reader = _DECODERS.get(tag)
    if reader is None:
        raise PlainError("an object of unknown kind")
    return reader(content, depth - 1)


def _list_of(content: Any, depth: int) -> list[Any]:
    if type(content) is not list:
        raise PlainError("a list is missing")
    return _decode(content, depth + 1)


def _hashable(items: list[Any]) -> list[Any]:
    """Refuse items made to share one hash: building a set of them would take quadratic time in the host."""
    if len(items) > _COLLISIONS:
        seen: dict[int, int] = {}
        for item in items:
            code = hash(item)
            seen[code] = seen.get(code, 0) + 1
        if max(seen.values()) > _COLLISIONS:
            raise PlainError("too many items with the same hash")
    return items


def _decode_dict(content: Any, depth: int) -> dict[Any, Any]:
    flat = _list_of(content, depth)
    if len(flat) % 2:
        raise PlainError("a dict with a key but no value")
    return dict(zip(_hashable(flat[::2]), flat[1::2]))


def _decode_int(content: Any, _depth: int) -> int:
    if type(content) is not str or not re.match(r"-?0x[0-9a-f]+\Z", content):
        raise PlainError("not an integer")
    return int(content, 16)


def _decode_special(content: Any, _depth: int) -> float:
    if content not in ("nan", "inf", "-inf"):
        raise PlainError("not a float")
    return float(content)


def _decode_complex(content: Any, depth: int) -> complex:
    real, imaginary = _list_of(content, depth)
    if type(real) is not float or type(imaginary) is not float:
        raise PlainError("not a complex number")
    return complex(real, imaginary)


def _decode_opaque(content: Any, depth: int) -> Opaque:
    fields = _list_of(content, depth)
    if len(fields) not in (2, 3) or type(fields[0]) is not str or type(fields[1]) is not str:
        raise PlainError("not a description of a value")
    return Opaque(*fields)


def _decode_base64(content: Any, _depth: int) -> bytes:
    if type(content) is not str:
        raise PlainError("not base64")
    return base64.b64decode(content, validate=True)


_DECODERS: dict[str, Callable[[Any, int], Any]] = {
    "i": _decode_int,
    "f": _decode_special,
    "c": _decode_complex,
    "s": lambda content, depth: _decode_base64(content, depth).decode("utf-8", "surrogatepass"),
    "b": _decode_base64,
    "t": lambda content, depth: tuple(_list_of(content, depth)),
    "d": _decode_dict,
    "e": lambda content, depth: set(_hashable(_list_of(content, depth))),
    "z": lambda content, depth: frozenset(_hashable(_list_of(content, depth))),
    "o": _decode_opaque,
}


_LARGEST_IN_JSON = 10**300
_DEEPEST_JSON = 50


def is_json(value: Any, depth: int = _DEEPEST_JSON) -> bool:
    """True for values that JSON gives back as they are: no tuples, no numbers that are huge or not finite."""
    kind = type_of(value)
    if kind is int:
        return -_LARGEST_IN_JSON < value < _LARGEST_IN_JSON
    if kind is str:
        return value.isascii() or not any(["\ud800" <= letter <= "\udfff" for letter in value])
    if kind is float:
        return bool(value - value == 0.0)
    if kind is list:
        if depth > 0 and set(map(type_of, value)) == {int}:
            return min(value) > -_LARGEST_IN_JSON and max(value) < _LARGEST_IN_JSON
        return depth > 0 and all([is_json(item, depth - 1) for item in value])
    if kind is dict:
        keys, items = list(value), list(value.values())
        is_named = depth > 0 and all([type(key) is str and is_json(key) for key in keys])
        return is_named and all([is_json(item, depth - 1) for item in items])
    return kind is bool or value is None
