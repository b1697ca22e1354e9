"""Recipes of arguments: plain builtins, with `New`, `Prepared` and `Name` nodes where a value has no literal.

A recipe belongs to no program: it is built anew for the candidate and for the reference, each from its own classes, so
neither can see or spoil what the other gets. Its source is what a user pastes into a test.
"""

from __future__ import annotations

from typing import Any

from ..carved import is_carved
from ..dynamic import type_of

IMMUTABLE = frozenset((int, float, str, bool, bytes, complex, type(None)))
PREPARED = "it"
"""The name of a prepared instance in its source."""
ASSIGNMENT = "__setattr__"
"""The name of the call that sets an attribute of a prepared instance."""
READING = "__getattribute__"
"""The name of the call that reads an attribute of a prepared instance: a property may keep what it gives."""
RETURNED = "()"
"""What the name of a call on a prepared instance ends with where the last argument is given to the function that the
method returns, as to a decorator: ``it.route("/")(show)``."""
HOLE = "_hole_"
"""The name of an unknown argument of a call that the project's code makes; see ``inference.objects``."""
CALLABLES = frozenset(
    "abs all any ascii bin bool bytearray bytes chr complex dict divmod enumerate filter float format frozenset hash "
    "hex int isinstance issubclass iter len list map max min next object oct ord pow range repr reversed round set "
    "slice sorted str sum tuple type zip".split()
)
"""Builtins that a recipe may name: none of them has a side effect."""
KEPT_WHOLE = frozenset(["sqlite3.connect", "zoneinfo.ZoneInfo", "type", "dataclasses.make_dataclass"])
"""What a changed string would make open a file that others write, or nothing, and classes, which nobody calls by an
empty name: their arguments stay as they are."""
ITEM = "operator.getitem"
"""A type with parameters, as in ``list[int]``, is the call of this."""
NEGATIVE = "operator.neg"
"""The negative of an object that has a name, as in ``-inf``, is the call of this."""
ALWAYS = "lambda *args, **kwargs:"
"""A function that returns a fresh value of the same recipe, whatever it is called with, is the call of this."""
_DEEPEST_PLAIN = 100
_PLAIN_CONTAINERS = (list, tuple, set, frozenset, dict)


class New:
    """The call of a constructor: ``name`` as written in the program, with recipes as arguments."""

    __slots__ = ("args", "kwargs", "name")

    def __init__(self, name: str, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> None:
        self.name = name
        self.args = args
        self.kwargs = kwargs or {}

    def __repr__(self) -> str:
        """The key of equality: recipes of the same source are equal."""
        return f"{self.name}({self.args!r}, {self.kwargs!r})"


class Prepared:
    """An instance on which methods were called: each call is a `New` that has the name of the method."""

    __slots__ = ("calls", "instance")

    kwargs: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it.
    """Always empty: its parts are its `args`."""

    def __init__(self, instance: New, calls: tuple[New, ...]) -> None:
        self.instance = instance
        self.calls = calls

    @property
    def name(self) -> str:
        """The constructor's name."""
        return self.instance.name

    @property
    def args(self) -> tuple[Any, ...]:
        """The instance and its calls."""
        return (self.instance, *self.calls)

    def __repr__(self) -> str:
        """The key of equality: recipes of the same source are equal."""
        return f"{self.instance!r}.{self.calls!r}"


class Name:
    """An expression for a value: a dotted name (``Color.RED``, ``math.inf``, a function of the program), a lambda that
    uses nothing but builtins, or an argument that a test has (see `carved`)."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        """The name."""
        return self.name


class RecipeError(ValueError):
    """The string is not a recipe, or the program lacks a name in it."""


def is_in_test(value: Any) -> bool:
    """Whether a recipe is an argument in a test (see `carved`)."""
    return type_of(value) is Name and is_carved(value.name)


def has_operator(value: New) -> bool:
    """Whether a call is not written as one: a type with parameters, the negative of a name, a constant function."""
    if value.kwargs or len(value.args) != (2 if value.name == ITEM else 1):
        return False
    if value.name == ALWAYS:
        return True
    if value.name == NEGATIVE:
        return type_of(value.args[0]) is Name
    if value.name != ITEM or type_of(value.args[0]) not in (Name, New):
        return False
    return _are_types(value.args[1]) or _is_literal(value.args[0], value.args[1])


def _is_literal(kind: Any, part: Any) -> bool:
    """Whether it is a type of some constants, ``typing.Literal['a', None]``."""
    parts = part if type_of(part) is tuple else (part,)
    is_named = type_of(kind) is Name and kind.name.rpartition(".")[2] == "Literal"
    return is_named and len(parts) > 0 and all([type_of(one) in IMMUTABLE for one in parts])


def _are_types(part: Any) -> bool:
    """Whether all that stands between the brackets is a type."""
    parts = part if type_of(part) is tuple and len(part) > 1 else (part,)
    return all([type_of(one) is Name or (type_of(one) is New and has_operator(one)) for one in parts])


def is_plain(value: Any) -> bool:
    """True when the recipe holds no `New` or `Name`, so that its build equals itself; a list in itself has no text."""
    return type_of(value) in IMMUTABLE or _is_plain(value, set(), set())


def _is_plain(value: Any, around: set[int], known: set[int]) -> bool:
    """Whether a container is plain; `around` are those that it is in, `known` are plain, so that each is read once."""
    kind = type_of(value)
    if kind not in _PLAIN_CONTAINERS or id(value) in around or len(around) >= _DEEPEST_PLAIN:
        return False
    if id(value) in known:
        return True
    around.add(id(value))
    for part in value if kind is not dict else [*value, *value.values()]:
        if type_of(part) not in IMMUTABLE and not _is_plain(part, around, known):
            return False
    around.remove(id(value))
    known.add(id(value))
    return True
