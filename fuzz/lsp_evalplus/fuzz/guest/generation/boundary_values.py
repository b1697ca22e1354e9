"""Boundary values of a shape, simplest first: common edge cases, and values mined from the programs."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator
from typing import Any, Callable, Optional

from ..values.recipes.model import New
from ..values.recipes.source import to_text
from ..values.shapes import (
    FLOAT,
    INT,
    NUMBER,
    STR,
    AnyShape,
    BoolShape,
    BytesShape,
    CallShape,
    ChoiceShape,
    ClassShape,
    CollectionShape,
    ComplexShape,
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
    NoneShape,
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
from .constants import Pool
from .regex_sampler import Sampler

FIELD_LIMITS = (
    *(0, 1, 2, 31, 30, 29, 28, 12, 13, 9, 10, 11, 99, 32, 59, 60, 23, 24, 3, 100, 255, 256, 1000),
    *(1900, 1999, 2001, 2000),
)
"""Numbers at the limits of the fields of dates, times, versions and amounts, for runs of digits in strings."""
_DRAWN = 24
"""Strings that are drawn for a regular expression."""
INTS = (
    0,
    1,
    -1,
    2,
    3,
    4,
    5,
    10,
    -2,
    6,
    7,
    8,
    9,
    11,
    12,
    -5,
    -10,
    13,
    15,
    16,
    17,
    20,
    25,
    27,
    31,
    36,
    49,
    50,
    64,
    81,
    97,
    99,
    100,
    101,
    -100,
    121,
    128,
    255,
    256,
    1000,
    1001,
    123,
)
FLOATS = (
    0.0,
    1.0,
    0.5,
    -1.0,
    1.5,
    -0.5,
    2.0,
    0.1,
    2.5,
    -1.5,
    3.0,
    0.25,
    0.2,
    3.5,
    -2.5,
    10.0,
    0.01,
    100.0,
    0.3,
    99.9,
    -0.1,
    1e-3,
    1.1,
    4.5,
    1000.5,
    1e-7,
)
STRINGS = (
    "",
    "a",
    "A",
    " ",
    "0",
    "1",
    "aa",
    "ab",
    "aA",
    "Aa",
    "ba",
    "a b",
    "-1",
    ".",
    "abc",
    "10",
    "aba",
    "a1",
    "AB",
    "  ",
    "a,b",
    "1.5",
    "-",
    "\n",
    "Abc",
    "b",
    "aab",
    "z",
    "Z",
    "hello",
    "a-b",
    "a_b",
    "\t",
    "()",
    ",",
)
CHARS = tuple("ab A01zZ.,-_c2(")
BYTES = (0, 255, 1, 128, 127)
LETTER_IN_BYTES = "\N{GREEK SMALL LETTER BETA}".encode()
"""Bytes that are decoded without an error, to what is not in ASCII."""
ANYTHING: list[Any] = [
    0,
    1,
    "a",
    None,
    True,
    1.5,
    "",
    [],
    -1,
    2,
    "b",
    False,
    [1],
    {},
    0.0,
    (1,),
    2.0,
    {"a": 1},
    "1",
    [[]],
    (),
]

DEEP = 4
"""Depth from which on only the simplest instances of classes are made."""
DEEPEST = 9
"""Maximum depth of instances: a class that needs another instance of itself below is not made at all."""
_MOST_FURTHER = 12
"""Maximum number of values of what a constructor takes beside the arguments that it needs."""


def interesting(shape: Shape, pool: Pool, limit: int = 60, depth: int = 0) -> list[Any]:
    """Return up to `limit` different recipes of the shape, simplest first.

    Those of shapes with parts are kept: classes whose constructors need instances of each other would be gone through
    once for every way that leads to them.
    """
    maker = _MAKERS.get(type(shape))
    if maker is None:
        return []
    if isinstance(shape, _WITHOUT_PARTS):
        return distinct(itertools.islice(maker(shape, pool, limit, depth), limit * 3), limit)
    asked = (shape, limit, depth)
    if asked not in pool.made:
        pool.made[asked] = distinct(itertools.islice(maker(shape, pool, limit, depth), limit * 3), limit)
    return list(pool.made[asked])


def distinct(values: Iterable[Any], limit: int) -> list[Any]:
    """Return the first `limit` values with distinct representations: ``1``, ``1.0`` and ``True`` are three."""
    found: dict[str, Any] = {}
    for value in values:
        found.setdefault(to_text(value), value)
        if len(found) >= limit:
            break
    return list(found.values())


def blend(*sources: Iterable[Any]) -> Iterator[Any]:
    """Interleave the sources until all are exhausted."""
    iterators = [iter(s) for s in sources]
    missing = object()
    while iterators:
        for iterator in list(iterators):
            value = next(iterator, missing)
            if value is missing:
                iterators.remove(iterator)
            else:
                yield value


Bounds = tuple[Optional[float], Optional[float]]


def _inside(bounds: Bounds, values: Iterable[Any]) -> Iterator[Any]:
    low, high = bounds
    for value in values:
        if (low is None or value >= low) and (high is None or value <= high):
            yield value


def _ints(shape: IntShape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    edges = [int(edge) for edge in shape.bounds if edge is not None and abs(edge) < 1 << 60]
    near = [e + d for e in edges for d in (0, 1, -1)]
    return _inside(shape.bounds, itertools.chain(near, INTS[:4], blend(pool.ints, INTS[4:])))


def _floats(shape: FloatShape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    mined = itertools.chain(pool.floats, (float(i) for i in pool.ints if abs(i) < 1 << 50))
    return _inside(shape.bounds, itertools.chain(FLOATS[:5], blend(mined, FLOATS[5:])))


def _strings(shape: StrShape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    singles = pool.chars
    values = itertools.chain(STRINGS[:3], blend(pool.strings, pool.formatted, singles, STRINGS[3:], pool.tokens))
    return inside_length(shape.bounds, values)


def _matching(shape: MatchingShape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    """Yield strings that a regular expression matches: those of the programs, and some that are drawn."""
    sampler, rng = Sampler.of(shape.pattern), random.Random(0)
    drawn = (
        [] if sampler is None else [sampler.sample(rng, lambda: str(rng.choice(FIELD_LIMITS))) for _ in range(_DRAWN)]
    )
    mined = itertools.chain(_strings(shape, pool, limit, depth), map(str, pool.ints), map(str, pool.floats))
    known = [text for text in mined if shape.accepts(text)]
    fitting = sorted([text for text in inside_length(shape.bounds, drawn) if shape.accepts(text)], key=len)
    return iter(list(dict.fromkeys(blend(fitting, known))) or drawn)


def inside_length(bounds: Bounds, values: Iterable[Any]) -> Iterator[Any]:
    """Yield the values whose length lies within bounds."""
    low, high = bounds
    for value in values:
        if (low is None or len(value) >= low) and (high is None or len(value) <= high):
            yield value


def _bytes(shape: BytesShape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    known = (_encoded(text) for text in _strings(STR, pool, limit, depth))
    singles = [bytes([number]) for number in alphabet_of_bytes(pool)]
    pairs = [one + two for one, two in itertools.product((b"\xff", b"\x00", b"a"), repeat=2)]
    pairs.insert(1, LETTER_IN_BYTES)
    packed = [pool.packed] if pool.packed else []
    return inside_length(shape.bounds, blend(*packed, known, singles, pairs))


def _encoded(text: str) -> bytes:
    """Encode a string: mined from bytes, as the same bytes; otherwise as in a file."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def alphabet_of_bytes(pool: Pool) -> list[int]:
    """Return single bytes: boundaries and those in the programs."""
    return list(dict.fromkeys([97, *BYTES[:2], *seen_bytes(pool)[:24], *BYTES[2:]]))


def seen_bytes(pool: Pool) -> list[int]:
    """Return the numbers in the programs that may be bytes."""
    return [number for number in pool.ints if 0 <= number < 256]


def _complexes(shape: Shape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    return (complex(a, b) for a, b in itertools.product((0.0, 1.0, -1.0, 2.5), repeat=2))


def _anything(shape: Shape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    return blend(ANYTHING, pool.strings[:12], pool.ints[:12], pool.others[:8])


def _sequences(shape: CollectionShape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    """Yield empty, one-item, two-item and three-item sequences of simple elements, then containers of the examples."""
    values = interesting(shape.element, pool, max(8, limit // 2) if depth < 3 else 1, depth + 1)
    few = values[:5]
    plans: list[Iterable[Any]] = [
        ([],),
        ([v] for v in values[:12]),
        ([v, w] for v, w in itertools.product(few[:4], repeat=2)),
        ([v, v] for v in values[4:12]),
        _known_containers(shape, pool),
        (list(t) for t in itertools.product(few[:3], repeat=3)),
        (values[i : i + 3] for i in range(0, len(values), 3)),
        ([v] for v in values[12:]),
        ([v, v] for v in values[12:]),
        ([v, w] for v, w in itertools.product(values[:9], repeat=2)),
    ]
    return inside_length(shape.bounds, _hashable(shape.build, itertools.chain.from_iterable(plans)))


def _hashable(build: Callable[[Any], Any], values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        try:
            yield build(value)
        except TypeError:
            continue


def _known_containers(shape: CollectionShape, pool: Pool) -> Iterator[Any]:
    return (list(v) for v in pool.others if shape.accepts(v))


def _records(shape: RecordShape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    columns = [interesting(p, pool, 8, depth + 1) for p in shape.items]
    return (tuple(row) for row in diagonal(columns, limit * 2))


def _dicts(shape: DictShape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    keys = interesting(shape.keys, pool, 10, depth + 1)
    values = interesting(shape.values, pool, 10, depth + 1)
    if not keys or not values:
        return iter([dict[Any, Any]()])
    plans: list[Iterable[Any]] = [
        ({},),
        ({k: values[0]} for k in keys),
        ({keys[0]: v} for v in values[1:]),
        ({k: w, m: v} for (k, m), (v, w) in itertools.product(zip(keys, keys[1:]), zip(values, values[1:]))),
        ({k: values[i % len(values)] for i, k in enumerate(keys[:n])} for n in range(3, 8)),
        (known for known in pool.others if shape.accepts(known)),
    ]
    return _safely(itertools.chain.from_iterable(plans))


def _safely(values: Iterator[Any]) -> Iterator[Any]:
    """Stop iteration, rather than the run, at unhashable keys."""
    try:
        yield from values
    except TypeError:
        return


def _fields(shape: FieldsShape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    if depth > DEEPEST:
        return iter(())
    columns = _columns(shape, pool, 24, depth)
    count = len(shape.required)
    whole = (dict(zip(shape.names, row)) for row in diagonal(columns, limit))
    if count == len(columns):
        return whole
    return blend(whole, (dict(zip(shape.names, row)) for row in diagonal(columns[:count], limit)))


def _keywords(shape: KeywordsShape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    """Yield no keywords, each name with each value, all known names, and pairs of names."""
    columns = [interesting(part, pool, 10, depth + 1) or [None] for part in shape.shapes]
    columns = [[(name, value) for value in column] for name, column in zip(shape.names, columns)]
    singles = blend(*columns)
    pairs = (pair for one, two in itertools.combinations(columns, 2) for pair in diagonal([one, two], 4))
    plans: list[Iterable[Any]] = [((),), ((one,) for one in singles), ([c[0] for c in columns],), pairs]
    return (dict(items) for items in itertools.chain.from_iterable(plans))


def _news(shape: ConstructorShape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    if depth > DEEPEST:
        return iter(())
    free = [part for part in shape.parts if not isinstance(part, ChoiceShape)]
    columns = _columns(shape, pool, limit if depth == 0 and len(free) == 1 else 12, depth)
    columns += [interesting(one, pool, _MOST_FURTHER, depth + 1) for one in shape.further.shapes()]
    split = len(shape.parts) - len(shape.keywords)
    filled = map(shape.called_with, diagonal(columns, limit * 2))
    fewest = shape.fewest
    if fewest is None or fewest >= split:
        return filled
    if not fewest:
        return itertools.chain([New(shape.name)], filled)
    return blend((New(shape.name, row) for row in diagonal(columns[:fewest], limit)), filled)


def _columns(shape: Shape, pool: Pool, limit: int, depth: int) -> list[list[Any]]:
    """Return values for each part; parts of one shape share them, which keeps recursive classes in bounds."""
    found: dict[Any, list[Any]] = {}
    keys = [part.key() for part in shape.parts]
    for key, part in zip(keys, shape.parts):
        if key not in found:
            found[key] = interesting(part, pool, limit if depth < DEEP else 2, depth + 1)
    return [found[key] for key in keys]


def _iterators(shape: IteratorShape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    return map(shape.build, interesting(ListShape(shape.element), pool, limit, depth))


def _unions(shape: UnionShape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    if shape.key() == NUMBER.key():
        return blend(_ints(INT, pool, limit, depth), _floats(FLOAT, pool, limit, depth))
    classes = [part for part in shape.members if is_recursive(part)]
    depth += len(classes) // 3
    parts = simplest(shape) if classes else shape.members
    if classes and depth < DEEP:
        parts += tuple([part for part in shape.members if part not in parts])
    return blend(*[interesting(part, pool, limit, depth) for part in parts])


def _booleans(shape: BoolShape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    return iter((False, True))


def _none(shape: NoneShape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    return iter((None,))


def _choices(shape: ChoiceShape, pool: Pool, limit: int, depth: int) -> Iterator[Any]:
    return iter(shape.values)


_MAKERS: dict[type[Shape], Callable[[Any, Pool, int, int], Iterator[Any]]] = {
    IntShape: _ints,
    FloatShape: _floats,
    StrShape: _strings,
    MatchingShape: _matching,
    BytesShape: _bytes,
    ComplexShape: _complexes,
    BoolShape: _booleans,
    NoneShape: _none,
    AnyShape: _anything,
    ListShape: _sequences,
    TupleShape: _sequences,
    SetShape: _sequences,
    FrozensetShape: _sequences,
    RecordShape: _records,
    DictShape: _dicts,
    FixedDictShape: _fields,
    TypedDictShape: _fields,
    KeywordsShape: _keywords,
    CallShape: _news,
    ClassShape: _news,
    IteratorShape: _iterators,
    UnionShape: _unions,
    ChoiceShape: _choices,
}
"""Generators by shape class. A parameter never has the missing one, `AbstractShape`."""
_WITHOUT_PARTS = (IntShape, FloatShape, StrShape, BytesShape, ComplexShape, BoolShape, NoneShape, AnyShape, ChoiceShape)


def diagonal(columns: list[list[Any]], limit: int) -> Iterator[Any]:
    """Yield rows of the product of the columns by increasing sum of indices: simple combinations first."""
    if any([not c for c in columns]):
        return
    if not columns:
        yield ()
        return
    produced = 0
    for total in range(sum([len(c) for c in columns]) - len(columns) + 1):
        for row in _rows(columns, total):
            yield row
            produced += 1
            if produced >= limit:
                return


def _rows(columns: list[list[Any]], total: int) -> Iterator[Any]:
    first = columns[0]
    if len(columns) == 1:
        if total < len(first):
            yield (first[total],)
        return
    room = sum([len(c) - 1 for c in columns[1:]])
    for index in range(min(total, len(first) - 1), max(0, total - room) - 1, -1):
        for rest in _rows(columns[1:], total - index):
            yield (first[index],) + rest
