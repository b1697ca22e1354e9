"""Shapes of builtin containers, of ``**kwargs``, and of abstract container types of results."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from ..dynamic import Value, type_of
from ..recipes.model import New
from .base import Shape

DEEPEST = 100
"""How many levels of nested values are checked against a shape."""


class CollectionShape(Shape):
    """A container of any number of items of one shape."""

    __slots__ = ("element", "high", "low")
    of: ClassVar[type]

    def __init__(self, element: Shape, low: float | None = None, high: float | None = None) -> None:
        self.element: Final = element
        self.low: Final = low
        """The fewest items."""
        self.high: Final = high

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The shape of the items."""
        return (self.element,)

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The fewest and the most items."""
        return (self.low, self.high)

    def bounded(self, low: float | None, high: float | None) -> Shape:
        """As many items as the bounds allow."""
        return type(self)(self.element, low, high)

    def with_parts(self, parts: tuple[Shape, ...]) -> Shape:
        """The same container with other items."""
        return type(self)(parts[0], self.low, self.high)

    def build(self, items: list[Any]) -> Any:
        """Build the container of these items. Raises `TypeError` where they must be hashable and are not."""
        return self.of(items)

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """Whether it is a container of exactly that type, as large as the bounds allow, of such items."""
        if (
            type(value) is not self.of
            or (self.low is not None and len(value) < self.low)
            or (self.high is not None and len(value) > self.high)
        ):
            return False
        accepts, depth = self.element.accepts, depth + 1
        for item in value:  # noqa: SIM110 - a generator would cost more than what it runs.
            if not accepts(item, depth):
                return False
        return True

    def describe(self) -> str:
        """The type with that of its items."""
        return f"{self.of.__name__}[{self.element.describe()}]"

    def key(self) -> tuple[Any, ...]:
        """The type, that of the items, and the bounds."""
        return (self.kind, self.element.key(), self.low, self.high)


class ListShape(CollectionShape):
    """Lists."""

    __slots__ = ()
    of = list


class TupleShape(CollectionShape):
    """Tuples of any length; see `RecordShape` for those of a fixed one."""

    __slots__ = ()
    of = tuple

    def describe(self) -> str:
        """With the dots of an annotation."""
        return f"tuple[{self.element.describe()}, ...]"


class SetShape(CollectionShape):
    """Sets."""

    __slots__ = ()
    of = set


class FrozensetShape(CollectionShape):
    """Frozen sets."""

    __slots__ = ()
    of = frozenset


class IteratorShape(CollectionShape):
    """Iterators: calls of ``iter``."""

    __slots__ = ()

    def build(self, items: list[Any]) -> Any:
        """The call that makes an iterator over a list."""
        return New("iter", (items,))

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """Whether it is a call: its items are not checked."""
        return hasattr(value, "kwargs")

    def describe(self) -> str:
        """``iterator`` of its items."""
        return f"iterator[{self.element.describe()}]"


class RecordShape(Shape):
    """Tuples of a fixed length, each position with a shape of its own."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[Shape, ...]) -> None:
        self.items: Final = items

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The shapes by position."""
        return self.items

    def with_parts(self, parts: tuple[Shape, ...]) -> Shape:
        """A record of other items."""
        return RecordShape(parts)

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """Whether it is a tuple of that length, of such items."""
        if type_of(value) is not tuple or len(value) != len(self.items):
            return False
        return all([shape.accepts(item, depth + 1) for shape, item in zip(self.items, value)])

    def describe(self) -> str:
        """All positions."""
        return "tuple[{}]".format(", ".join([shape.describe() for shape in self.items]))

    def key(self) -> tuple[Any, ...]:
        """The keys of the positions."""
        return (RecordShape, *[shape.key() for shape in self.items])

    def group(self) -> tuple[Any, ...]:
        """Records of one length."""
        return (RecordShape, len(self.items))

    def ends_within(self, calls: int) -> bool:
        """If each of its items does."""
        return calls >= 0 and all([shape.ends_within(calls) for shape in self.items])


class DictShape(Shape):
    """Dicts of any keys of one shape to values of another."""

    __slots__ = ("keys", "values")

    def __init__(self, keys: Shape, values: Shape) -> None:
        self.keys: Final = keys
        self.values: Final = values

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The shape of the keys, and that of the values."""
        return (self.keys, self.values)

    def with_parts(self, parts: tuple[Shape, ...]) -> Shape:
        """A dict of others."""
        return DictShape(*parts)

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """Whether it is a dict of such keys and values."""
        if type_of(value) is not dict:
            return False
        keys, values, depth = self.keys.accepts, self.values.accepts, depth + 1
        return all([keys(key, depth) and values(one, depth) for key, one in value.items()])

    def describe(self) -> str:
        """``dict`` of both."""
        return f"dict[{self.keys.describe()}, {self.values.describe()}]"

    def key(self) -> tuple[Any, ...]:
        """Those of keys and values."""
        return (DictShape, self.keys.key(), self.values.key())


class FieldsShape(Shape):
    """Dicts of fixed keys, each with a shape of its own; those in `required` are always present, and come first.

    How the shapes are held is that of `FixedDictShape` or of a class (`TypedDictShape`).
    """

    __slots__ = ("names", "required")

    def __init__(self, names: tuple[str, ...], required: tuple[str, ...]) -> None:
        self.names: Final = names
        self.required: Final = required

    @property
    def kind(self) -> type[Shape]:
        """`FieldsShape`, irrespective of how the shapes are held."""
        return FieldsShape

    def with_parts(self, parts: tuple[Shape, ...]) -> Shape:
        """The same keys with others."""
        return FixedDictShape(self.names, parts, self.required)

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """Whether it is a dict of all required keys, of no unknown ones, with such values."""
        if depth > DEEPEST:
            return True
        if type_of(value) is not dict or not set(self.required) <= set(value) <= set(self.names):
            return False
        pairs = zip(self.names, self.parts)
        return all([shape.accepts(value[name], depth + 1) for name, shape in pairs if name in value])

    def describe(self) -> str:
        """``fields``: there is no annotation for it."""
        return "fields"

    def group(self) -> tuple[Any, ...]:
        """Those of the same keys."""
        return (FieldsShape, self.names)

    def ends_within(self, calls: int) -> bool:
        """If each of its values does."""
        return calls >= 0 and all([shape.ends_within(calls) for shape in self.parts])


class FixedDictShape(FieldsShape):
    """Dicts of fixed keys."""

    __slots__ = ("shapes",)

    def __init__(self, names: tuple[str, ...], shapes: tuple[Shape, ...], required: tuple[str, ...]) -> None:
        super().__init__(names, required)
        self.shapes: Final = shapes

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The shapes by key."""
        return self.shapes

    def key(self) -> tuple[Any, ...]:
        """The keys, which of them are required, and their shapes."""
        return (FieldsShape, self.names, self.required, *[shape.key() for shape in self.shapes])


class KeywordsShape(Shape):
    """Values of ``**kwargs``: likely names with shapes of their own, any others with a common one, none that is taken
    by another parameter."""

    __slots__ = ("names", "others", "shapes", "taken")

    def __init__(
        self, others: Shape, names: tuple[str, ...] = (), shapes: tuple[Shape, ...] = (), taken: tuple[str, ...] = ()
    ) -> None:
        self.others: Final = others
        self.names: Final = names
        self.shapes: Final = shapes
        self.taken: Final = taken

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The shapes by name, and that of all other values."""
        return (*self.shapes, self.others)

    def with_parts(self, parts: tuple[Shape, ...]) -> Shape:
        """The same names with others."""
        return KeywordsShape(parts[-1], self.names, parts[:-1], self.taken)

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """Whether it is a dict whose values match the shapes of their names."""
        known = dict(zip(self.names, self.shapes))
        return type_of(value) is dict and all(
            [known.get(name, self.others).accepts(one, depth + 1) for name, one in value.items()]
        )

    def describe(self) -> str:
        """As all others are."""
        return f"**{self.others.describe()}"

    def key(self) -> tuple[Any, ...]:
        """All that it is made of."""
        return (KeywordsShape, self.names, self.taken, *[shape.key() for shape in self.parts])

    def group(self) -> tuple[Any, ...]:
        """Those of the same names."""
        return (KeywordsShape, self.names)


class AbstractShape(Shape):
    """An abstract container type of a result; no parameter has this shape."""

    __slots__ = ("arguments", "of")

    def __init__(self, of: type, arguments: tuple[Shape, ...]) -> None:
        self.of: Final = of
        self.arguments: Final = arguments

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The shapes of its arguments."""
        return self.arguments

    def with_parts(self, parts: tuple[Shape, ...]) -> Shape:
        """The same type of others."""
        return AbstractShape(self.of, parts)

    def accepts(self, value: Value, depth: int = 0) -> bool:
        """Whether it is a call: only live values are checked against a return annotation, not recipes."""
        return hasattr(value, "kwargs")

    def describe(self) -> str:
        """The type with its arguments, if it has any."""
        inner = ", ".join([shape.describe() for shape in self.arguments])
        return self.of.__name__ + (f"[{inner}]" if inner else "")

    def key(self) -> tuple[Any, ...]:
        """The type and its arguments."""
        return (AbstractShape, self.of, *[shape.key() for shape in self.arguments])
