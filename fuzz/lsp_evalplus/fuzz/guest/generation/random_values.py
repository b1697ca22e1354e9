"""Random values of shapes with structure: sorted, palindromic, repetitive, near-duplicate, balanced, digit-heavy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Callable

from ..values.metrics import mixes_times
from ..values.recipes.model import New
from ..values.shapes import (
    INT,
    OF_CLASS,
    AnyShape,
    BytesShape,
    CallShape,
    ChoiceShape,
    ClassShape,
    CollectionShape,
    ConstructorShape,
    DictShape,
    FieldsShape,
    FixedDictShape,
    FloatShape,
    FrozensetShape,
    IntShape,
    IteratorShape,
    KeywordsShape,
    ListShape,
    MatchingShape,
    RecordShape,
    SetShape,
    Shape,
    StrShape,
    TupleShape,
    TypedDictShape,
    UnionShape,
    is_recursive,
    simplest,
)
from ..values.times import CONSTRUCTORS_OF_TIMES, near_times, with_zone, zone_in
from .boundary_values import ANYTHING, DEEPEST, FLOATS, INTS, inside_length, interesting
from .mutation import Mutator
from .regex_sampler import Sampler

_KEY = ChoiceShape(("a", "b", "c"))
_BRACKETS = ("()", "[]", "{}", "<>")


_ROOMS = (2, 4, 8, 16)
_MOST_MORE = 200
"""Objects beyond the room of an argument, which has to be finished; a class that never ends is given up there."""
_MOST_LEVELS = 40
"""So deep in each other lie objects of classes that need each other, at most: each level takes a few frames."""
_NAMED = (RecordShape, ConstructorShape, FieldsShape)
"""Items that are grouped by what they have in common."""
_WORLDS = ("abc", "ab", "abcd", "abcde")


def _holds_names(shape: Shape, depth: int) -> bool:
    if depth > 4:
        return False
    if isinstance(shape, DictShape) and isinstance(shape.keys, (StrShape, IntShape)):
        return True
    items = shape.element.alternatives if isinstance(shape, (ListShape, SetShape)) else ()
    if any([isinstance(one, _NAMED) for one in items]):
        return True
    return any([_holds_names(part, depth + 1) for part in shape.parts])


_KNOWN = 0.6
"""How often an object is one on which methods were called, where such are known."""
_ALIKE = 0.6
"""How often the tuples of a list have the same types at the same places."""
_ALIKE_TIMES, _ZONED = 0.9, 0.3
"""How often the times of day of a row are alike where they would be mixed, and how often they have a zone then."""
_NEAR = 0.5
"""How often the dates and times of a row lie near each other."""
_PACKED = 0.5
"""Share of the bytes that are in a format by which the programs unpack them, where there is one."""
_MINED = 0.3
"""Share of the strings that a regular expression matches which are tried among those of the programs first."""
_TRIES = 4
"""Strings that are drawn for a regular expression until one has a length within its bounds."""
_LEFT_OUT = 0.2
"""How often the optional arguments of a constructor are left out."""


class Maker:
    """Draws values of shapes."""

    def __init__(self, mutator: Mutator) -> None:
        self.mutator = mutator
        self.rng = mutator.rng
        self.pool = mutator.pool
        self._names = ""
        """The few names, and numbers as small, that all parts of a row share: nodes of a graph, keys of tables."""
        self._samplers: dict[Shape, Sampler | None] = {}
        self._ends: dict[Shape, tuple[Shape, ...]] = {}
        self._room = _ROOMS[-1]
        """So many more objects of classes that hold themselves, before those that follow are the simplest there are."""
        self._drawn_times = 0
        """Dates and times that were drawn for the row."""
        self._table: dict[type[Shape], Callable[[Any, int], Any]] = {
            UnionShape: self._union,
            IntShape: self._int,
            FloatShape: self._float,
            StrShape: self._str,
            MatchingShape: self._matching,
            BytesShape: self._bytes,
            AnyShape: self._anything,
            ChoiceShape: self._choice,
            ListShape: self._sequence,
            TupleShape: self._sequence,
            SetShape: self._sequence,
            FrozensetShape: self._sequence,
            IteratorShape: self._sequence,
            RecordShape: self._record,
            DictShape: self._dict,
            FixedDictShape: self._fields,
            TypedDictShape: self._fields,
            KeywordsShape: self._keywords,
            CallShape: self._new,
            ClassShape: self._new,
        }
        """How a shape is drawn, by its class; of the others there are few values."""

    def row(self, shapes: Sequence[Shape]) -> Any:
        """Return a random row; occasionally its parts depend on each other."""
        self._names = self.rng.choice(_WORLDS) if self._is_connected(shapes) and self.rng.random() < 0.3 else ""
        self._drawn_times = 0
        row: list[Any] = [self._argument(shape) for shape in shapes]
        if len(row) > 1 and self.rng.random() < 0.15:
            self._tie(row)
        if mixes_times(row):
            self._alike_times(row)
        if self._drawn_times > 1 and self.rng.random() < _NEAR:
            return near_times(tuple(row), self.rng)
        return tuple(row)

    def _alike_times(self, row: list[Any]) -> None:
        """Times of day that all have a zone, or none: programs compare them, and cannot where only some have one."""
        draw = self.rng.random()
        if draw < _ALIKE_TIMES:
            zone = zone_in(tuple(row)) if draw < _ZONED else None
            row[:] = [with_zone(value, zone) for value in row]

    def _argument(self, shape: Shape) -> Any:
        self._room = self.rng.choice(_ROOMS)
        return self.value(shape)

    def _is_connected(self, shapes: Sequence[Shape]) -> bool:
        """Whether a part of the row may name another: there is a mapping, or a list of records."""
        return any([_holds_names(shape, 0) for shape in shapes])

    def _tie(self, row: list[Any]) -> None:
        """Sequences of equal length, or a number that is a length or an index of a sequence."""
        lengths = [len(v) for v in row if type(v) in (list, str, tuple)]
        if not lengths:
            return
        length = self.rng.choice(lengths)
        for index, value in enumerate(row):
            if type(value) in (list, str, tuple) and len(value) > length:
                row[index] = value[:length]
            elif type(value) is int:
                near = (length, length - 1, length + 1, self.rng.randint(0, max(0, length)))
                row[index] = self.rng.choice(near)

    def value(self, shape: Shape, depth: int = 0) -> Any:
        """Return one random recipe of the shape."""
        draw = self._table.get(type(shape))
        return self._few(shape) if draw is None else draw(shape, depth)

    def _union(self, shape: UnionShape, depth: int) -> Any:
        return self.value(self.rng.choice(shape.members if self._room > 0 else self._simplest(shape)), depth)

    def _choice(self, shape: ChoiceShape, depth: int) -> Any:
        return self.rng.choice(shape.values) if shape.values else None

    def _record(self, shape: RecordShape, depth: int) -> Any:
        return tuple([self.value(item, depth + 1) for item in shape.items])

    def _simplest(self, shape: Shape) -> tuple[Shape, ...]:
        if shape not in self._ends:
            self._ends[shape] = simplest(shape)
        return self._ends[shape]

    def _anything(self, shape: AnyShape, depth: int) -> Any:
        """Something flat, or, inside of a container that may hold anything, another one: the deeper, the rarer."""
        if depth and self.rng.random() < 0.4 / depth:
            nested = ListShape(shape) if self.rng.random() < 0.5 else DictShape(_KEY, shape)
            return self.value(nested, depth)
        return self.rng.choice(ANYTHING) if depth else self.rng.choice(ANYTHING + [[1, "a"], "ab"])

    def _few(self, shape: Shape) -> Any:
        """One of the simplest values, or None where there are none."""
        few = interesting(shape, self.pool, 12, DEEPEST if isinstance(shape, OF_CLASS) else 0)
        return self.rng.choice(few) if few else None

    def _takes_room(self, shape: Shape, depth: int) -> bool:
        """Whether an object has to be the simplest there is; one more of a class that holds itself is made."""
        if is_recursive(shape):
            self._room -= 1
        return self._room <= -_MOST_MORE or depth > _MOST_LEVELS

    def _fields(self, shape: FieldsShape, depth: int) -> Any:
        if self._takes_room(shape, depth):
            return self._few(shape)
        given = [one for one in zip(shape.names, shape.parts) if one[0] in shape.required or self._is_given()]
        return {name: self.value(part, depth + 1) for name, part in given}

    def _keywords(self, shape: KeywordsShape, depth: int) -> Any:
        pairs = zip(shape.names, shape.shapes)
        return {name: self.value(part, depth + 1) for name, part in pairs if self.rng.random() < 0.5}

    def _is_given(self) -> bool:
        """Whether a key is there that may be missing."""
        return self.rng.random() < 0.7

    def _new(self, shape: ConstructorShape, depth: int) -> Any:
        known = self.mutator.known_objects.draw(shape)
        if known is not None and self.rng.random() < _KNOWN:
            return known
        if self._takes_room(shape, depth):
            return self._few(shape)
        self._drawn_times += shape.name in CONSTRUCTORS_OF_TIMES
        fewest = shape.fewest
        if fewest is not None and self.rng.random() < (0.1 if shape.is_optional else _LEFT_OUT):
            return New(shape.name, tuple([self.value(part, depth + 1) for part in shape.parts[:fewest]]))
        return shape.called_with([self.value(one, depth + 1) for one in (*shape.parts, *shape.further.shapes())])

    def _str(self, shape: StrShape, depth: int) -> str:
        text = self.rng.choice(self._names) if self._names else self.string()
        if shape.low is not None and len(text) < shape.low:
            text = (text or "a") * math.ceil(shape.low / max(1, len(text)))
        return text if shape.high is None else text[: int(shape.high)]

    def _matching(self, shape: MatchingShape, depth: int) -> str:
        """A string that a regular expression matches."""
        if shape not in self._samplers:
            self._samplers[shape] = Sampler.of(shape.pattern)
        sampler = self._samplers[shape]
        for _ in range(_TRIES):
            is_drawn = sampler is not None and self.rng.random() >= _MINED
            text = sampler.sample(self.rng, self._digits) if is_drawn else self._mined()  # type: ignore[union-attr]
            if next(inside_length(shape.bounds, [text]), None) is not None and shape.accepts(text):
                return text
        return self._few(shape)

    def _mined(self) -> str:
        """A string or a number of the programs, or any string."""
        known = [one for one in (self.pool.ints, self.pool.floats, self.pool.strings) if one]
        return str(self.pool.drawn(self.rng.choice(known), self.rng)) if known else self.string()

    def _digits(self) -> str:
        return str(abs(self._int(INT, 0)))

    def _int(self, shape: IntShape, depth: int) -> int:
        if self._names and shape.low is None:
            return self.rng.choice((0, 1, 2, 3, 5, 10)[: len(self._names) + 2])
        draw = self.rng.random()
        if shape.low is not None and shape.high is not None:
            return self.rng.randint(int(shape.low), int(shape.high))
        if draw < 0.35 and self.pool.ints:
            value = self.pool.drawn(self.pool.ints, self.rng)
        elif draw < 0.6:
            value = self.rng.choice(INTS)
        elif draw < 0.85:
            value = self.rng.randint(-20, 100)
        else:
            value = self.rng.randint(-10000, 10000)
        low = shape.low
        return value if low is None or value >= low else int(low) + abs(value)

    def _float(self, shape: FloatShape, depth: int) -> float:
        draw = self.rng.random()
        if draw < 0.3 and self.pool.floats:
            value = self.pool.drawn(self.pool.floats, self.rng)
        elif draw < 0.6:
            value = self.rng.choice(FLOATS)
        else:
            value = round(self.rng.uniform(-100, 100), self.rng.choice((0, 1, 1, 2, 3, 8)))
        return value if shape.bounds == (None, None) else self._within(shape, value)

    def _within(self, shape: FloatShape, value: float) -> float:
        """The number, or another one between the bounds of a shape."""
        low = shape.low if shape.low is not None else (shape.high or 0) - 100
        high = shape.high if shape.high is not None else low + 100
        return value if low <= value <= high else round(self.rng.uniform(low, high), self.rng.choice((0, 1, 2, 8)))

    def string(self) -> str:
        """Return a random string of one of several textures."""
        draw = self.rng.random()
        mutator = self.mutator
        length = self.rng.choice((1, 2, 2, 3, 3, 4, 5, 6, 8, 12, 20))
        if draw < 0.25:
            few = [mutator.char() for _ in range(2)]
            text = "".join([self.rng.choice(few) for _ in range(length)])
        elif draw < 0.5:
            text = "".join([mutator.char() for _ in range(length)])
        elif draw < 0.7:
            separator = self.rng.choice((" ", " ", "", ",", ", ", "-", "  ", ".", "/", "_", "\n"))
            text = separator.join([mutator.token() for _ in range(min(length, 7))])
        elif draw < 0.8:
            text = "".join([self.rng.choice("0123456789") for _ in range(length)])
            text = self.rng.choice(("", "", "-", "0")) + text + self.rng.choice(("", "", ".5", ".0"))
        elif draw < 0.9:
            text = self._brackets(length)
        else:
            text = "".join([self.rng.choice("abcdefghijklmnopqrstuvwxyzABCDEFXYZ    ") for _ in range(length)])
        if self.rng.random() < 0.12:
            text = text + text[::-1][self.rng.randint(0, 1) :]
        return text

    def _brackets(self, length: int) -> str:
        """Return mostly balanced brackets, of the kinds that occur in this problem."""
        kinds = [b for b in _BRACKETS if b[0] in self.pool.chars] or ["()"]
        text = ""
        for _ in range(length // 2 + 1):
            pair = self.rng.choice(kinds)
            at = self.rng.randint(0, len(text))
            text = text[:at] + pair + text[at:]
        if self.rng.random() < 0.3:
            at = self.rng.randrange(len(text))
            text = text[:at] + text[at + 1 :]
        return text.replace(")(", ") (") if self.rng.random() < 0.15 else text

    def _bytes(self, shape: BytesShape, depth: int) -> bytes:
        """A text, borders and numbers that were seen, or anything."""
        if self.pool.packed and self.rng.random() < _PACKED:
            whole = bytearray(self.rng.choice(self.pool.packed))
            for _ in range(self.rng.choice((0, 1, 2))):
                whole[self.rng.randrange(len(whole))] = self.mutator.byte()
            return bytes(whole)
        draw = self.rng.random()
        if draw < 0.4:
            return self.string().encode("latin-1", "ignore")
        length = self.rng.choice((0, 1, 1, 2, 2, 3, 4, 5, 8, 16))
        if draw < 0.8:
            return bytes([self.mutator.byte() for _ in range(length)])
        return bytes([self.rng.randrange(256) for _ in range(length)])

    def _sequence(self, shape: CollectionShape, depth: int) -> Any:
        length = self.rng.choice((0, 1, 2, 2, 3, 3, 4, 5, 6, 8, 10, 15) if depth == 0 else (0, 1, 2, 2, 3, 4))
        if shape.low is not None:
            length = max(length, int(shape.low))
        if shape.high is not None:
            length = min(length, int(shape.high))
        element = self._alike(shape.element)
        if self._room <= 0 and not element.ends_within(0):
            length = int(shape.low or 0)
        if self.rng.random() < 0.35:
            few = [self.value(element, depth + 1) for _ in range(self.rng.choice((1, 2, 2, 3)))]
            items = [self.rng.choice(few) for _ in range(length)]
        else:
            items = [self.value(element, depth + 1) for _ in range(length)]
        try:
            return shape.build(self._arranged(items))
        except TypeError:
            return shape.build([])

    def _alike(self, element: Shape) -> Shape:
        """What most lists of tuples hold: where several types are possible at one place, all of them have the same."""
        if type(element) is not RecordShape or not any([type(one) is UnionShape for one in element.items]):
            return element
        if self.rng.random() >= _ALIKE:
            return element
        parts = [self.rng.choice(one.members) if type(one) is UnionShape else one for one in element.items]
        return RecordShape(tuple(parts))

    def _arranged(self, items: list[Any]) -> list[Any]:
        draw = self.rng.random()
        try:
            if draw < 0.15:
                return sorted(items)
            if draw < 0.2:
                return sorted(items, reverse=True)
        except TypeError:
            return items
        if draw < 0.26:
            return items + items[::-1]
        if draw < 0.3 and items:
            return items + [items[0]]
        return items

    def _dict(self, shape: DictShape, depth: int) -> Any:
        found: dict[Any, Any] = {}
        count = self.rng.choice((0, 1, 1, 2, 2, 3, 4, 6))
        if self._room <= 0 and not shape.values.ends_within(0):
            count = 0
        for _ in range(count):
            try:
                found[self.value(shape.keys, depth + 1)] = self.value(shape.values, depth + 1)
            except TypeError:
                continue
        return found
