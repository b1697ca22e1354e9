"""Bounds that a constructor checks: ``if self.quantity < 1: raise ValueError(...)``.

Objects with other values do not exist: each input that has one is refused before the function under test is called.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...static.walking import Function
from ...values.shapes import FLOAT, INT, STR, Shape, union_of
from ..choices import literal_of
from ..stored_parameters import definition_of, line_of, methods_of

_MAKERS = ("__init__", "__post_init__")
_NUMBERS = (int, float)
_TURNED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
}
_OPPOSITE: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}


class Refused(NamedTuple):
    """Values that a constructor refuses: those for which a comparison with a number holds, or that are empty."""

    name: str
    operator: type[ast.cmpop] | None
    number: float = 0


def within_checks(kind: type, parts: Mapping[str, Shape]) -> dict[str, Shape]:
    """Return the shapes of a constructor's parameters without numbers, and empty strings, that it refuses."""
    refused = _refused_by(kind)
    return {name: _without(shape, [one for one in refused if one.name == name]) for name, shape in parts.items()}


def _without(shape: Shape, refused: list[Refused]) -> Shape:
    if not refused:
        return shape
    return union_of([_bounded(one, refused) for one in shape.alternatives])


def _bounded(shape: Shape, refused: list[Refused]) -> Shape:
    """Return a shape within the bounds that are left, if it is one of numbers or strings."""
    low, high = shape.bounds
    if shape.kind is STR.kind and type(shape) is type(STR):
        return shape.bounded(max(low or 0, 1), high) if any([one.operator is None for one in refused]) else shape
    if type(shape) not in (type(INT), type(FLOAT)):
        return shape
    step = 1 if type(shape) is type(INT) else 0
    for _, operator, number in refused:
        if operator is ast.Lt or operator is ast.LtE:
            bound = number + (step if operator is ast.LtE else 0)
            low = bound if low is None else max(low, bound)
        elif operator is ast.Gt or operator is ast.GtE:
            bound = number - (step if operator is ast.GtE else 0)
            high = bound if high is None else min(high, bound)
    return shape if low is not None and high is not None and low > high else shape.bounded(low, high)


@functools.lru_cache(maxsize=256)
def _refused_by(kind: type) -> tuple[Refused, ...]:
    nodes = [definition_of(one) for one in line_of(kind)]
    methods = [one for one in methods_of([node for node in nodes if node is not None]) if one.name in _MAKERS]
    return tuple([found for method in methods for found in _refused_in(method)])


def _refused_in(method: Function) -> Iterator[Refused]:
    """Yield what the checks at the top level of a method refuse."""
    for statement in method.body:
        if isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Raise) and not statement.orelse:
            yield from _held_in(statement.test)
        elif isinstance(statement, (ast.For, ast.While, ast.Return, ast.With, ast.Try)):
            return  # Further on, other things may have happened to a value.


def _held_in(test: ast.expr, *, is_negated: bool = False) -> Iterator[Refused]:
    """Yield values for which a condition holds, whatever other values are."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _held_in(test.operand, is_negated=not is_negated)
        return
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And if is_negated else ast.Or):
        for part in test.values:
            yield from _held_in(part, is_negated=is_negated)
    elif isinstance(test, ast.Compare) and (is_negated or len(test.ops) == 1):
        for left, operator, right in zip([test.left, *test.comparators], test.ops, test.comparators):
            yield from _compared(left, type(operator), right, is_negated=is_negated)
    elif is_negated and _name_of(test):
        yield Refused(_name_of(test), None)


def _compared(left: ast.expr, operator: type[ast.cmpop], right: ast.expr, *, is_negated: bool) -> Iterator[Refused]:
    if operator not in _TURNED:
        return
    operator = _OPPOSITE[operator] if is_negated else operator
    for one, other, how in ((left, right, operator), (right, left, _TURNED[operator])):
        number = _number_of(other)
        if _name_of(one) and number is not None:
            yield Refused(_name_of(one), how, number)


def _name_of(node: ast.expr) -> str:
    """Return the name of a parameter, or of the attribute of the instance that has it."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _number_of(node: ast.expr) -> float | None:
    value = literal_of(node)
    return value if type(value) in _NUMBERS else None
