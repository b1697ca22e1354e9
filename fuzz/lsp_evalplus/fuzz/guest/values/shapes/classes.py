"""Shapes of the values of classes: calls of their constructors, and typed dicts.

A class may be among its own parts. They are read after its shape is known, and held in a `Definition` that is settled
once (what Hypothesis calls a deferred strategy), so that the shape itself never changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Union

from ..dynamic import Value
from ..makers.call_recorder import RETURNING
from ..recipes.building import lookup
from ..recipes.model import ALWAYS, New, Prepared, RecipeError
from .base import Shape
from .containers import DEEPEST, FieldsShape


class Further(NamedTuple):
    """Shapes of what a constructor takes beside the arguments that it needs."""

    rest: Shape | None = None
    """Of the list of further arguments by position (``*args``); None where it takes none."""
    options: Shape | None = None
    """Of the dict of optional arguments that are passed by name; None where it takes none."""

    def shapes(self) -> list[Shape]:
        """Return the shapes that there are."""
        return [one for one in self if one is not None]


NOTHING_FURTHER: Final = Further()


class Definition:
    """A class in one annotation."""

    __slots__ = ("family", "further", "holds_itself", "is_open", "owner", "parts")

    def __init__(self, owner: type, family: dict[type, OfClass]) -> None:
        self.owner: Final = owner
        self.family: Final = family
        """The shapes of all classes of the same annotation."""
        self.parts: tuple[Shape, ...] = ()
        self.further = NOTHING_FURTHER
        self.is_open = True
        """Whether its parts are still being read."""
        self.holds_itself = False
        """Whether a value may contain another one of the same class, at any depth."""

    def settle(self, parts: tuple[Shape, ...], further: Further = NOTHING_FURTHER) -> None:
        """Set the parts, once."""
        self.parts, self.further = parts, further
        self.is_open = False


class ConstructorShape(Shape):
    """Values that a constructor of the program makes; how its arguments are held is that of `CallShape` or
    `ClassShape`."""

    __slots__ = ("fewest", "is_optional", "keywords", "name")

    def __init__(
        self, name: str, keywords: tuple[str, ...], *, is_optional: bool = False, fewest: int | None = None
    ) -> None:
        self.name: Final = name
        """The name as written in the program."""
        self.keywords: Final = keywords
        """The names of those of its last arguments that are passed by name."""
        self.is_optional: Final = is_optional
        """Whether its arguments may be left out."""
        self.fewest: Final = 0 if is_optional else fewest
        """How many leading arguments suffice, as the others have defaults; None for all."""

    @property
    def further(self) -> Further:
        """What may be passed besides its parts."""
        return NOTHING_FURTHER

    @property
    def kind(self) -> type[Shape]:
        """`ConstructorShape`, irrespective of how the arguments are held."""
        return ConstructorShape

    def with_parts(self, parts: tuple[Shape, ...]) -> Shape:
        """The same call of others."""
        return CallShape(self.name, parts, self.keywords, is_optional=self.is_optional, further=self.further)

    def called_with(self, values: Sequence[Any]) -> New:
        """Return the call with values of its parts, followed by those of what may be passed besides."""
        count = len(self.parts)
        split = count - len(self.keywords)
        further = list(values[count:])
        rest = further.pop(0) if self.further.rest is not None else ()
        options: dict[str, Any] = further.pop(0) if self.further.options is not None else {}
        return New(self.name, (*values[:split], *rest), {**dict(zip(self.keywords, values[split:count])), **options})

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """Whether it is a call of the same constructor, or of one that may be the same; its
        arguments are checked against the shape where their number fits."""
        if type(value) is Prepared:
            value = value.instance
        if depth > DEEPEST:
            return True
        if not hasattr(value, "kwargs"):
            return False
        if value.name.rpartition(".")[2] != self.name.rpartition(".")[2]:
            return not _are_unlike(self.name, value.name)
        parts = self.parts
        if len(value.args) > len(parts):
            return True
        named = dict(zip(self.keywords, parts[len(parts) - len(self.keywords) :]))
        return all([part.accepts(item, depth + 1) for part, item in zip(parts, value.args)]) and all(
            [named[name].accepts(item, depth + 1) for name, item in value.kwargs.items() if name in named]
        )

    def describe(self) -> str:
        """The constructor's name, ``Callable`` for functions."""
        return "Callable" if self.name in (ALWAYS, RETURNING) else self.name

    def group(self) -> tuple[Any, ...]:
        """Calls of as many arguments, passed the same way."""
        return (ConstructorShape, len(self.parts), self.name, self.keywords)

    def ends_within(self, calls: int) -> bool:
        """If each of its arguments does."""
        return calls >= 0 and all([part.ends_within(calls) for part in self.parts])


def _are_unlike(one: str, two: str) -> bool:
    """Whether two names are those of unrelated classes of the library."""
    try:
        kinds = [lookup(name, {}) for name in (one, two)]
    except RecipeError:
        return False
    if not all([isinstance(kind, type) for kind in kinds]):
        return False
    return set(kinds[0].__mro__) & set(kinds[1].__mro__) == {object}


class CallShape(ConstructorShape):
    """Calls of a constructor whose arguments have known shapes."""

    __slots__ = ("arguments", "others")

    def __init__(
        self,
        name: str,
        arguments: tuple[Shape, ...],
        keywords: tuple[str, ...] = (),
        *,
        is_optional: bool = False,
        further: Further = NOTHING_FURTHER,
    ) -> None:
        super().__init__(name, keywords, is_optional=is_optional)
        self.arguments: Final = arguments
        self.others: Final = further

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The shapes of the arguments."""
        return self.arguments

    @property
    def further(self) -> Further:
        """What may be passed besides its parts."""
        return self.others

    def key(self) -> tuple[Any, ...]:
        """The constructor, and how it is called."""
        return (
            ConstructorShape,
            self.name,
            self.keywords,
            self.is_optional,
            *[part.key() for part in (*self.arguments, *self.others.shapes())],
        )


class ClassShape(ConstructorShape):
    """Calls of a class, which may be among its own arguments."""

    __slots__ = ("definition",)

    def __init__(self, name: str, keywords: tuple[str, ...], definition: Definition, fewest: int | None = None) -> None:
        super().__init__(name, keywords, fewest=fewest)
        self.definition: Final = definition

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The shapes of the arguments."""
        return self.definition.parts

    @property
    def further(self) -> Further:
        """What may be passed besides its parts."""
        return self.definition.further

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """As other calls; a subclass in the same annotation is checked against its own shape."""
        if depth > DEEPEST:
            return True
        if not hasattr(value, "kwargs"):
            return False
        name = value.name.rpartition(".")[2]
        # Classes of different modules may have the same name.
        called = [(kind, shape) for kind, shape in self.definition.family.items() if kind.__name__ == name]
        fitting = [shape for kind, shape in called if issubclass(kind, self.definition.owner)]
        return any([_accepts_call(one, value, depth) for one in fitting]) if called else super().accepts(value, depth)

    def key(self) -> tuple[Any, ...]:
        """Its name instead of its parts, which are infinite for a recursive class."""
        return (ClassShape, self.definition.owner.__qualname__, self.name, self.keywords)

    def ends_within(self, calls: int) -> bool:
        """If each of its arguments does, in one call less."""
        return super().ends_within(calls - 1)


def _accepts_call(shape: OfClass, value: Value, depth: int) -> bool:
    """For a typed dict, a call is as good as the dict that it builds."""
    return isinstance(shape, TypedDictShape) or ConstructorShape.accepts(shape, value, depth)


class TypedDictShape(FieldsShape):
    """The values of a ``TypedDict``, which may be recursive."""

    __slots__ = ("definition",)

    def __init__(self, names: tuple[str, ...], required: tuple[str, ...], definition: Definition) -> None:
        super().__init__(names, required)
        self.definition: Final = definition

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The shapes by key."""
        return self.definition.parts

    def key(self) -> tuple[Any, ...]:
        """Its name instead of its parts, which are infinite for a recursive class."""
        return (TypedDictShape, self.definition.owner.__qualname__, self.names)

    def ends_within(self, calls: int) -> bool:
        """If each of its values does, in one call less."""
        return super().ends_within(calls - 1)


OfClass = Union[ClassShape, TypedDictShape]
"""The shapes that have a definition."""
OF_CLASS = (ClassShape, TypedDictShape)


def is_recursive(shape: Shape) -> bool:
    """Whether a value may contain another one of its own class."""
    return isinstance(shape, OF_CLASS) and shape.definition.holds_itself
