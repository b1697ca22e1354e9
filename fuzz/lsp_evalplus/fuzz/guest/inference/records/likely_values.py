"""What is tried for values of whose type code says little: items, answers of methods, objects of classes asked for."""

from __future__ import annotations

from typing import Any

from ...values.recipes.model import ALWAYS, Name, New
from ...values.shapes import (
    BOOL,
    BYTES,
    INT,
    NONE,
    NUMBER,
    STR,
    ChoiceShape,
    DictShape,
    FloatShape,
    IntShape,
    ListShape,
    SetShape,
    Shape,
    TupleShape,
    union_of,
)

SCALAR = union_of([INT, STR, NONE])
"""What is tried for an item of a container of which nothing else is known."""
FILLING: dict[str, Shape] = {
    **dict.fromkeys(("append", "extend"), ListShape(SCALAR)),
    **dict.fromkeys(("add", "discard"), SetShape(STR)),
}
"""Methods that fill a container, with the container."""
OF_STRINGS = frozenset(
    "lower upper strip lstrip rstrip split startswith endswith replace title capitalize casefold isdigit join format"
    " encode partition rpartition rsplit splitlines zfill isalpha isspace ljust rjust removeprefix removesuffix rfind"
    " rindex swapcase isupper islower isalnum isnumeric isdecimal isidentifier isprintable isascii expandtabs".split()
)
OF_SETS = frozenset("intersection union difference issubset issuperset isdisjoint symmetric_difference".split())
WRITTEN = DictShape(STR, SCALAR)
"""What takes a value under a key that is a string."""
KINDS: dict[str, Shape] = {
    "str": STR,
    "int": INT,
    "float": NUMBER,
    "bool": BOOL,
    "bytes": BYTES,
    "list": ListShape(SCALAR),
    "tuple": TupleShape(SCALAR),
    "dict": DictShape(STR, SCALAR),
    "Mapping": DictShape(STR, SCALAR),
    "Sequence": ListShape(SCALAR),
}
"""What is tried where code asks for a class of a part of a value."""
UNPACKED = union_of([INT, STR, BYTES, ListShape(INT)])
"""What is tried for an item of a tuple of which nothing else is known."""
WITH_NAMES = ChoiceShape(tuple([Name(one) for one in ("int", "len", "str")]))
"""What has a name: classes and functions."""
ANSWERS = (
    Name("lambda *args, **kwargs: [*args, *kwargs.values()]"),
    *[New(ALWAYS, (one,)) for one in ("a", 1)],
    Name(f"{ALWAYS} None"),
)
"""Methods where nothing tells how their results are used: one whose result shows what it was given goes first."""
CONSTANTS: dict[type[Shape], tuple[Any, ...]] = {
    BOOL.kind: (True, False),
    STR.kind: ("a", ""),
    BYTES.kind: (b"a", b"", b"\0\0\0\1ab"),
    IntShape: (1, 0, -3),
    FloatShape: (0.625, -2.0, 0.0),
}
"""What a method returns always, by the shape of its results."""
