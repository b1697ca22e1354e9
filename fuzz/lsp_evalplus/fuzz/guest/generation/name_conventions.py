"""Numbers that are unusual for a parameter's name: a month of 13, a window of -1, a lower bound above the upper one.

They are valid, so they are tried; findings with them are reported as unusual inputs. A name is ignored where a program
compares the parameter with such a number, or has it for a default.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..calling.subject import Parameter
from ..program.source_facts import nodes_of
from ..static.walking import Function
from ..values.shapes import DictShape, IteratorShape, ListShape, SetShape, StrShape, TupleShape

_CALENDAR = {"month": (1, 12), "weekday": (0, 7), "hour": (0, 24), "minute": (0, 60), "second": (0, 60)}
_SIZES = frozenset(("size", "width", "window", "page"))
"""Last words of names that imply a size of at least one."""
_COUNTS = frozenset(("count", "length", "times", "attempts", "retries"))
_SHORT_COUNTS = frozenset(("n", "k", "top"))
"""Names of counts if there is also a container parameter."""
_CONTAINERS = (ListShape, TupleShape, DictShape, SetShape, IteratorShape, StrShape)
_ENDS = (("low", "high"), ("lo", "hi"), ("lower", "upper"), ("min", "max"), ("minimum", "maximum"))


class Custom(NamedTuple):
    """The usual numbers of the parameters of a function, by their positions."""

    ranges: dict[int, tuple[float, float]]
    ends: tuple[tuple[int, int], ...]
    """Positions of lower and upper bounds."""

    def admits(self, row: Any) -> bool:
        """Return whether all numbers of a row are usual ones."""
        for index, (least, most) in self.ranges.items():
            if type(row[index]) in (int, float) and not least <= row[index] <= most:
                return False
        pairs = [(row[low], row[high]) for low, high in self.ends]
        return all([low <= high for low, high in pairs if type(low) in (int, float) and type(high) in (int, float)])


NOTHING_CUSTOMARY = Custom({}, ())


def customary(parameters: Sequence[Parameter], functions: Sequence[Function | None]) -> Custom:
    """Return the usual numbers implied by the names of parameters."""
    names = [parameter.name for parameter in parameters]
    has_container = any([isinstance(parameter.shape, _CONTAINERS) for parameter in parameters])
    mentioned = {name: list(_numbers_beside(functions, name)) for name in names}
    ranges: dict[int, tuple[float, float]] = {}
    for index, parameter in enumerate(parameters):
        span = _span(parameter.name, has_container=has_container)
        if span is None or not all([span[0] <= one <= span[1] for one in _shown(parameter, mentioned[parameter.name])]):
            continue
        ranges[index] = span
    ends = [
        (names.index(name), names.index(name.replace(low, high)))
        for low, high in _ENDS
        for name in names
        if low in name.split("_") and name.replace(low, high) in names
    ]
    return Custom(ranges, tuple(ends))


def _span(name: str, *, has_container: bool) -> tuple[float, float] | None:
    last = name.lower().rpartition("_")[2]
    if last in _CALENDAR:
        return _CALENDAR[last]
    if last in _SIZES or name.startswith("per_"):
        return (1, math.inf)
    is_count = last in _COUNTS or (has_container and name in _SHORT_COUNTS)
    return (0, math.inf) if is_count else None


def _shown(parameter: Parameter, mentioned: list[float]) -> list[float]:
    default = parameter.default
    return mentioned + ([default] if parameter.has_default and type(default) in (int, float) else [])


def _numbers_beside(functions: Sequence[Function | None], name: str) -> Iterator[float]:
    """Yield the numbers that a parameter is compared with, and their neighbours: ``n <= 0`` includes -1, too."""
    for function in functions:
        for node in nodes_of(function) if function is not None else ():
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                if any([isinstance(side, ast.Name) and side.id == name for side in sides]):
                    for number in filter(None, map(_number, sides)):
                        yield from (number[0] - 1, number[0], number[0] + 1)


def _number(node: ast.expr) -> tuple[float] | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None
    return (value,) if type(value) in (int, float) else None
