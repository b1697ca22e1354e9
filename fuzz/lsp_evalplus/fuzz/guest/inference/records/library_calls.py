"""What functions of the standard library take, where code hands them parts of records: ``math.hypot(one["x"], 1)``."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from ...values.shapes import INT, NUMBER, STR, Shape
from ..usage import name_of

_OF_ITEMS = frozenset(("dist", "fsum", "prod", "sumprod"))
_MATH = frozenset([name for name, value in vars(math).items() if callable(value)]) - _OF_ITEMS
_MATH_BY_NAME = frozenset("atan2 ceil cos degrees floor hypot isclose isinf isnan radians sin sqrt tan".split())
"""Those that say by their names alone which module they are of."""
_NUMBERS = frozenset(("fromordinal", "fromtimestamp", "sleep", "timedelta", "utcfromtimestamp"))
_INTEGERS = frozenset(("bin", "chr", "hex", "oct", "range"))
_STRINGS = frozenset(("fromisoformat", "loads", "strptime"))


def taken_by(node: ast.Call) -> Iterator[tuple[ast.expr, Shape]]:
    """Yield the arguments of a call of the standard library whose type its function says, with their shapes."""
    shape = _shape_of(node.func)
    if shape is None:
        return
    first = 1 if shape is STR or name_of(node.func).endswith("timestamp") else None
    for one in node.args[:first]:
        yield one, shape
    if name_of(node.func) == "timedelta":
        for keyword in node.keywords:
            yield keyword.value, shape


def _shape_of(function: ast.expr) -> Shape | None:
    name = name_of(function)
    is_method = isinstance(function, ast.Attribute)
    if name in _NUMBERS:
        return NUMBER
    if name in _STRINGS and is_method:
        return STR
    if name in _INTEGERS and not is_method:
        return INT
    is_math = name in _MATH and isinstance(function, ast.Attribute) and name_of(function.value) == "math"
    return NUMBER if is_math or (name in _MATH_BY_NAME and not is_method) else None
