"""Shapes of scalar values: numbers, strings, bytes, booleans and None."""

from __future__ import annotations

import re
from typing import Any, ClassVar, Final

from ..dynamic import Value
from .base import Shape, UnionShape


class ScalarShape(Shape):
    """All values of one builtin type."""

    __slots__ = ()
    of: ClassVar[type]

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """Whether it is of exactly that type."""
        return type(value) is self.of

    def describe(self) -> str:
        """The type's name."""
        return self.of.__name__


class BoundedShape(ScalarShape):
    """A type whose values can be bounded: numbers by value, strings by length."""

    __slots__ = ("high", "low")

    def __init__(self, low: float | None = None, high: float | None = None) -> None:
        self.low: Final = low
        self.high: Final = high

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """As they were given."""
        return (self.low, self.high)

    def bounded(self, low: float | None, high: float | None) -> Shape:
        """The same type with other bounds."""
        return type(self)(low, high)

    def key(self) -> tuple[Any, ...]:
        """The type and the bounds."""
        return (self.kind, self.low, self.high)


class IntShape(BoundedShape):
    """Integers within bounds."""

    __slots__ = ()
    of = int

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """Whether it is an int within the bounds; a bool is not."""
        return (
            type(value) is int and (self.low is None or value >= self.low) and (self.high is None or value <= self.high)
        )


class FloatShape(BoundedShape):
    """Floats within bounds."""

    __slots__ = ()
    of = float

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """Whether it is a float within the bounds, or an int, as for annotations (PEP 484)."""
        return (
            type(value) in (float, int)
            and (self.low is None or value >= self.low)
            and (self.high is None or value <= self.high)
        )


class StrShape(BoundedShape):
    """Strings; the bounds are of the length."""

    __slots__ = ()
    of = str


class MatchingShape(StrShape):
    """Strings in which a regular expression finds a match; the bounds are of the length."""

    __slots__ = ("pattern",)

    def __init__(self, pattern: str, low: float | None = None, high: float | None = None) -> None:
        super().__init__(low, high)
        self.pattern: Final = pattern

    @property
    def kind(self) -> type[Shape]:
        """That of all strings."""
        return StrShape

    def bounded(self, low: float | None, high: float | None) -> Shape:
        """The same expression with other bounds."""
        return MatchingShape(self.pattern, low, high)

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """Whether it is a string with a match; any string where the expression is none of Python's."""
        if type(value) is not str:
            return False
        try:
            return re.search(self.pattern, value) is not None
        except (re.error, RecursionError, OverflowError):
            return True

    def key(self) -> tuple[Any, ...]:
        """The type, the bounds and the expression."""
        return (*super().key(), self.pattern)


class BytesShape(BoundedShape):
    """Bytes; the bounds are of the length."""

    __slots__ = ()
    of = bytes


class BoolShape(ScalarShape):
    """False and True."""

    __slots__ = ()
    of = bool


class ComplexShape(ScalarShape):
    """Complex numbers."""

    __slots__ = ()
    of = complex


class NoneShape(ScalarShape):
    """None."""

    __slots__ = ()
    of = type(None)

    def describe(self) -> str:
        """``None``, as annotations write it."""
        return "None"


INT, FLOAT, STR, BYTES = IntShape(), FloatShape(), StrShape(), BytesShape()
BOOL, COMPLEX, NONE = BoolShape(), ComplexShape(), NoneShape()
NUMBER = UnionShape((INT, FLOAT))
