"""Simple arguments for functions that a program returned, to see what they do."""

from __future__ import annotations

import inspect
from typing import Any

from ..values.dynamic import type_of
from ..values.equality import FUNCTIONS

MAXIMUM_CALLS = 40
"""Calls of one returned function."""
CALLS_WITHOUT_ARGUMENTS = 3
"""Several, as the function may keep state."""


def echo(*args: Any, **kwargs: Any) -> Any:
    """Return the arguments: the function that returned functions which take functions are called with."""
    return args, kwargs


_BY_ANNOTATION: dict[str, tuple[Any, ...]] = {
    "int": (0, 1, -1, 2, 7),
    "float": (0.0, 1.5, -2.0, 7.25),
    "bool": (True, False),
    "str": ("", "a", "ab c", "B", "7"),
    "bytes": (b"", b"a", b"ab c"),
    "list": ([], [1, 2, 3], ["a", "b"]),
    "tuple": ((), (1, 2), ("a", "b", "c")),
    "dict": ({}, {"a": 1}, {1: "a"}),
    "set": (set(), {1, 2}),
    "Callable": (echo,),
}
_BY_ANNOTATION.update(
    {"List": _BY_ANNOTATION["list"], "Dict": _BY_ANNOTATION["dict"], "Tuple": _BY_ANNOTATION["tuple"]}
)
_ANY: tuple[Any, ...] = (0, 1, -1, 2, 7, 1.5, "", "a", "ab c", [], [1, 2, 3], (1, 2), {"a": 1}, None, echo, b"ab")
_SCALARS = (int, float, str, bytes)


def is_function(value: Any) -> bool:
    """Whether a result is a function, also bound to an instance or to arguments."""
    return type_of(value) in FUNCTIONS


def probes_for(function: Any, row: Any) -> list[tuple[Any, ...]]:
    """Return positional arguments to call a returned function with.

    `row` has the arguments of the call that returned it: their scalars are among the values tried.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except Exception:  # noqa: BLE001 - builtins have none, and annotations may name what does not exist.
        return [*_combined([_ANY]), *_combined([_ANY, _ANY])][:MAXIMUM_CALLS]
    empty = inspect.Parameter.empty
    if any([one.kind is one.KEYWORD_ONLY and one.default is empty for one in parameters]):
        return []
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    required = [one for one in positional if one.default is empty]
    rows = _combined([_values_for(one.annotation, row) for one in required])
    if len(positional) > len(required):
        rows += _combined([_values_for(one.annotation, row) for one in positional[: len(required) + 1]])
    if any([one.kind is one.VAR_POSITIONAL for one in parameters]):
        rows += [*[one[:1] for one in _combined([_ANY])], (1, 2), ("a", [1])]
    return rows[:MAXIMUM_CALLS]


def _values_for(annotation: Any, row: Any) -> tuple[Any, ...]:
    """Return values for a parameter: of its annotation where that is a known one, else of many types."""
    text = annotation if type_of(annotation) is str else getattr(annotation, "__name__", str(annotation))
    name = text.partition("[")[0].rpartition(".")[2]
    kept = _BY_ANNOTATION.get(name)
    scalars = [value for value in row if type_of(value) in _SCALARS]
    if kept is None:
        return (*_ANY, *scalars)
    return (*kept, *[value for value in scalars if type_of(value).__name__ == name])


def _combined(values: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return rows of arguments in which each value occurs beside its neighbour, and beside its like."""
    if not values:
        return [()] * CALLS_WITHOUT_ARGUMENTS
    longest = max([len(one) for one in values])
    shifted = [tuple([one[(i + j) % len(one)] for j, one in enumerate(values)]) for i in range(longest)]
    if len(values) == 1:
        return shifted
    return [*shifted, *[tuple([one[i % len(one)] for one in values]) for i in range(longest)]]
