"""The base class of shapes, and the three without a Python type: anything, a choice of values, a union."""

from __future__ import annotations

from typing import Any, Final

from ..dynamic import Value
from ..recipes.model import Name


class Shape:
    """The set of recipes of a parameter's values. Shapes are immutable: their attributes are `Final`."""

    __slots__ = ()

    @property
    def kind(self) -> type[Shape]:
        """The class that stands for all shapes of this kind: its own class, except where shapes differ in how they hold
        their parts."""
        return type(self)

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The shapes of a value's parts; the alternatives of a union."""
        return ()

    @property
    def alternatives(self) -> tuple[Shape, ...]:
        """The alternatives: itself, except for a union."""
        return (self,)

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The smallest and the largest allowed number or length; None where it is unbounded."""
        return (None, None)

    def bounded(self, low: float | None, high: float | None) -> Shape:
        """The same shape within bounds; itself where it cannot be bounded."""
        return self

    def with_parts(self, parts: tuple[Shape, ...]) -> Shape:
        """The same shape with other parts at the same positions."""
        return self

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """Whether the recipe has this shape; `depth` counts the values around it."""
        raise NotImplementedError

    def describe(self) -> str:
        """The shape as a user would write it in an annotation."""
        raise NotImplementedError

    def key(self) -> tuple[Any, ...]:
        """The key by which two shapes are equal."""
        return (self.kind,)

    def group(self) -> tuple[Any, ...]:
        """The key of shapes that are merged into one, part by part."""
        return (self.kind,)

    def ends_within(self, calls: int) -> bool:
        """Whether values can be built with at most `depth` nested constructor calls."""
        return True


class AnyShape(Shape):
    """Nothing is known of the value, or any is allowed: the annotation is ``Any`` or ``object``."""

    __slots__ = ("is_declared",)

    def __init__(self, *, is_declared: bool = False) -> None:
        self.is_declared: Final = is_declared

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """True."""
        return True

    def describe(self) -> str:
        """``any``."""
        return "any"

    def key(self) -> tuple[Any, ...]:
        """Unknown is distinct from declared as ``Any``."""
        return (AnyShape, self.is_declared)

    group = key


class ChoiceShape(Shape):
    """One of some given values."""

    __slots__ = ("is_exact", "values")

    def __init__(self, values: tuple[Value, ...] = (), *, is_exact: bool = False) -> None:
        self.values: Final = values
        self.is_exact: Final = is_exact
        """Whether a call with other arguments is another value."""

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """Whether one of the values has the same source."""
        write = repr if self.is_exact else _text
        text = write(value)
        return any([text == write(one) for one in self.values])

    def describe(self) -> str:
        """``Literal`` of the values, and ``Callable`` for functions."""
        if any([isinstance(one, Name) and "." not in one.name for one in self.values]):
            return "Callable"
        return "Literal[{}]".format(", ".join([getattr(one, "name", None) or repr(one) for one in self.values]))

    def key(self) -> tuple[Any, ...]:
        """The source of its values."""
        return (ChoiceShape, repr(self.values), self.is_exact)

    def ends_within(self, calls: int) -> bool:
        """If there is any value."""
        return bool(self.values)


def _text(value: Value) -> str:
    return value.name if hasattr(value, "name") else repr(value)


class UnionShape(Shape):
    """One of several alternatives; see `union_of`."""

    __slots__ = ("members",)

    def __init__(self, members: tuple[Shape, ...]) -> None:
        self.members: Final = members

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The alternatives."""
        return self.members

    @property
    def alternatives(self) -> tuple[Shape, ...]:
        """The alternatives."""
        return self.members

    def with_parts(self, parts: tuple[Shape, ...]) -> UnionShape:
        """A union of others."""
        return UnionShape(parts)

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """Whether one of them does."""
        for member in self.members:  # noqa: SIM110 - a generator would cost more than what it runs.
            if member.accepts(value, depth):
                return True
        return False

    def describe(self) -> str:
        """All of them, each once."""
        return " | ".join(dict.fromkeys([member.describe() for member in self.members]))

    def key(self) -> tuple[Any, ...]:
        """Those of the alternatives, in their order."""
        return (UnionShape, *[member.key() for member in self.members])

    def ends_within(self, calls: int) -> bool:
        """If one of them does."""
        return any([member.ends_within(calls) for member in self.members])


ANY = AnyShape()
"""Nothing is known."""
ANYTHING = AnyShape(is_declared=True)
"""Any value is allowed: the annotation is ``Any`` or ``object``."""
NOTHING = ChoiceShape()
"""Nothing says how to make a value."""
_OF_ANYTHING = Name("lambda *args, **kwargs: [*args, *kwargs.values()]")
"""What it was given shows, and not whether by position or by name."""
FUNCTIONS = (
    ChoiceShape((Name("list"), Name("lambda: 0"), Name("int"), Name("str"))),
    ChoiceShape((Name("bool"), Name("abs"), Name("str"), Name("len"))),
    ChoiceShape((Name("max"), Name("min"), Name("pow"), _OF_ANYTHING)),
    ChoiceShape((Name("max"), Name("min"), _OF_ANYTHING)),
)
"""Functions of no, one, two and more parameters: builtins, which every program can name. Those of several are for
values with an order, so that one for anything goes with them; the signature of one of none can be read."""
RETURNED: Final[dict[str, tuple[Value, ...]]] = {
    "list": ([],),
    "lambda: 0": (0, 0.0),
    "int": (0, 0.0),
    "str": ("",),
    "bool": (False,),
    "abs": (0, 0.0),
    "len": (0, 0.0),
}
"""What those return that return values of one type, whatever they get; an integer is also a float."""
PASSED_ANYTHING = ChoiceShape((*FUNCTIONS[1].values, Name("lambda *args, **kwargs: (args, kwargs)")))
"""Functions for callers that pass on whatever they get: the last one shows what that was."""
_OF_EACH_KIND = (
    Name("lambda *, key: key"),
    Name("lambda a, /, b, *rest, key=0, **others: (a, b, rest, key, others)"),
    Name("'a b'.split"),
    Name("str.upper"),
    Name("fractions.Fraction.from_float"),
)
"""Parameters of each kind, a method of an object, one of a class, and a class method that is written in Python."""
INSPECTED = ChoiceShape((Name("lambda x, y=1: (x, y)"), *PASSED_ANYTHING.values, *_OF_EACH_KIND))
"""Functions for callers that ask what kind of a function it is, or for its parameters."""


def functions_called_with(count: int | None) -> ChoiceShape:
    """Functions of that number of parameters; None where they get what their caller got."""
    return PASSED_ANYTHING if count is None else FUNCTIONS[min(count, len(FUNCTIONS) - 1)]


def is_nothing(shape: Shape) -> bool:
    """Whether there are no values of the shape."""
    return isinstance(shape, ChoiceShape) and not shape.values


def is_unknown(shape: Shape) -> bool:
    """Whether nothing is known of the values, and they are not declared as ``Any``."""
    return isinstance(shape, AnyShape) and not shape.is_declared
