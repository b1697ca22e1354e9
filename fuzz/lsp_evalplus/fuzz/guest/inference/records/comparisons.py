"""What comparisons show about a value: those with constants, and with the patterns of a ``match`` statement."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, Callable

from ...static.parameter_members import MOST_PLACES, names_constant
from ...static.walking import has_star, name_of
from ...values.dynamic import type_of
from ...values.shapes import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NUMBER,
    STR,
    ChoiceShape,
    FloatShape,
    IntShape,
    ListShape,
    Shape,
    shape_of,
    union_of,
)
from .likely_values import WRITTEN
from .value_usage import Use

PLAIN_CLASSES: dict[str, Shape] = {"str": STR, "int": INT, "float": NUMBER, "bool": BOOL, "bytes": BYTES}
_NUMBERS = frozenset("year month day hour minute second microsecond".split())
"""Attributes of dates and times."""
_GIVING_NUMBERS = frozenset("len ord int round weekday isoweekday toordinal bit_length".split())
_LISTS: Mapping[type, Sequence[Shape]] = {
    str: (ListShape(STR),),
    int: (ListShape(INT), ListShape(FLOAT)),
    float: (ListShape(FLOAT),),
}
Bind = Callable[[str, Use], None]


def are_places(parts: Sequence[ast.expr]) -> bool:
    """Whether the targets of an assignment are for a few items, each for one."""
    return 1 < len(parts) <= MOST_PLACES and not has_star(parts)


def fit(pattern: Any, use: Use, bind: Bind) -> None:
    """Note how a pattern uses a value, and bind its names."""
    kind, bound = type(pattern).__name__, getattr(pattern, "name", None) or getattr(pattern, "rest", None)
    if bound is not None:
        bind(bound, use)
    if kind == "MatchValue":
        note_compared(use, pattern.value)
    elif kind == "MatchOr":
        for one in pattern.patterns:
            fit(one, use, bind)
    elif kind == "MatchAs":
        if pattern.pattern is not None:
            fit(pattern.pattern, use, bind)
    elif kind == "MatchMapping":
        for key, one in zip(pattern.keys, pattern.patterns):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                use.optional.add(key.value)
                fit(one, use.field(key.value), bind)
    elif kind == "MatchSequence":
        _fit_items(pattern.patterns, use, bind)
    elif kind == "MatchClass" and isinstance(pattern.cls, ast.Name) and pattern.cls.id in PLAIN_CLASSES:
        use.shapes.append(PLAIN_CLASSES[pattern.cls.id])
        for one in pattern.patterns[:1]:
            fit(one, use, bind)


def _fit_items(patterns: Sequence[Any], use: Use, bind: Bind) -> None:
    if any([type(one).__name__ == "MatchStar" for one in patterns]):
        for one in patterns:
            if type(one).__name__ != "MatchStar":
                fit(one, use.item(), bind)
    elif patterns and len(patterns) <= MOST_PLACES:
        for one, place in zip(patterns, use.unpacked(len(patterns))):
            fit(one, place, bind)


def note_compared(use: Use | None, node: ast.expr) -> None:
    """Note an expression with which a value is compared."""
    note_constant(use, node)
    if use is not None and names_constant(node):
        use.names.append(ast.unparse(node))
    if use is not None and isinstance(node, ast.Constant) and isinstance(node.value, str):
        use.words.append(node.value)
    if use is not None and isinstance(node, ast.Constant) and type(node.value) in (int, float):
        use.numbers.append(node.value)  # type: ignore[arg-type]


def note_sought(use: Use, sought: ast.expr) -> None:
    """Note what is sought in a value: where it is surely a number, the value is a list of such."""
    use.is_searched = True
    if isinstance(sought, ast.Constant) and isinstance(sought.value, str):
        use.seek(sought.value)
    if names_constant(sought):
        use.names.append(ast.unparse(sought))
    if isinstance(sought, ast.NamedExpr):
        sought = sought.value
    is_attribute = isinstance(sought, ast.Attribute) and sought.attr in _NUMBERS
    is_result = isinstance(sought, ast.Call) and name_of(sought.func) in _GIVING_NUMBERS
    is_rest = isinstance(sought, ast.BinOp) and isinstance(sought.op, (ast.Sub, ast.FloorDiv))
    if is_attribute or is_result or is_rest or (isinstance(sought, ast.Constant) and type(sought.value) is int):
        use.shapes.append(ListShape(INT))


def note_default(node: ast.BoolOp, use_of: Callable[[ast.expr], Use | None]) -> None:
    """Note values in whose place a constant or an empty container is taken: ``one.name or ""``."""
    last = node.values[-1]
    is_empty = isinstance(last, (ast.List, ast.Dict)) and ast.unparse(last) in ("[]", "{}")
    is_default = isinstance(node.op, ast.Or) and (is_empty or isinstance(last, ast.Constant))
    for use in filter(None, map(use_of, node.values[:-1] if is_default else ())):
        use.has_default = True


def note_constant(use: Use | None, node: ast.expr) -> None:
    """Note a constant that stands beside a value, and so has its type."""
    if use is not None and isinstance(node, ast.List) and not node.elts:
        use.item()
    elif use is not None and isinstance(node, ast.Dict) and not node.keys:
        use.shapes.append(WRITTEN)
    elif use is not None and isinstance(node, ast.Constant) and type(node.value) in (str, int, float, bool, bytes):
        shape = shape_of(node.value)
        use.shapes.append(NUMBER if isinstance(shape, (IntShape, FloatShape)) else shape)


def lists_of_words(choices: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, Shape]]:
    """Yield parameters whose items code compares with words, or looks up in a table of such, as lists of strings.

    Nothing else may tell what the items are: both lists of numbers and strings are gone through in the same way. Those
    that are compared with single characters may be the characters of a string.

    Args:
        choices: what items are compared with, by the names of the parameters.
    """
    for name, values in choices.items():
        words = [one for one in values if type(one) is str]
        if any([len(one) > 1 for one in words]) and len(words) == len(values):
            yield name, ListShape(union_of([ChoiceShape(tuple(words)), STR]))


def lists_compared(values: Sequence[Any]) -> Set[Any]:
    """Return the keys of the lists of strings, or of numbers, that are gone through where their items are compared with
    some values."""
    return {shape.key() for one in values for shape in _LISTS.get(type_of(one), ())}
