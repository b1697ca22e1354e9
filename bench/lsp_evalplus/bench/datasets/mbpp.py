"""Conversion of MBPP+ inputs from JSON to the values its tasks are called with.

JSON has no tuple, set or complex number. EvalPlus releases MBPP+ with lists (and strings) in their place and restores
the types task by task; the table below states the same rules as shapes. Other tasks take their inputs unchanged. A
change of a rule requires a new `stored.FORMAT`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

from lsp_evalplus.bench.problem import Input

Shape: TypeAlias = Callable[[Any], Any]
"""Converts one argument from its JSON form to the value the task expects."""


def keep(value: Any) -> Any:
    """Return the argument unchanged."""
    return value


def to_tuple(value: Any) -> Any:
    """Convert a list to a tuple; its items stay unchanged."""
    return tuple(value)


def to_list_of_tuples(value: Any) -> Any:
    """Convert each item to a tuple."""
    return [tuple(item) for item in value]


def to_tuple_of_tuples(value: Any) -> Any:
    """Convert the argument and each of its items to tuples."""
    return tuple(tuple(item) for item in value)


def to_deep_tuple(value: Any) -> Any:
    """Convert every list, at any depth, to a tuple."""
    if not isinstance(value, list):
        return value
    return tuple(to_deep_tuple(item) for item in cast("list[Any]", value))


def to_tuple_with_inner_tuples(value: Any) -> Any:
    """Convert the argument to a tuple, and those of its items that are lists."""
    return tuple(tuple(cast("list[Any]", item)) if isinstance(item, list) else item for item in value)


def to_list_of_sets(value: Any) -> Any:
    """Convert each non-empty list to a set, and an empty one to the empty dict that the original tests pass."""
    return [set(cast("list[Any]", item)) if isinstance(item, list) and item else {} for item in value]


def to_dict_of_tuples(value: Any) -> Any:
    """Convert the values of a dict to tuples."""
    return {key: tuple(item) for key, item in value.items()}


def _each(shape: Shape) -> Callable[[Input], Input]:
    return lambda arguments: [shape(argument) for argument in arguments]


def _by_position(*shapes: Shape) -> Callable[[Input], Input]:
    """One shape per argument; further arguments stay unchanged."""

    def restore(arguments: Input) -> Input:
        padded = (*shapes, *[keep] * (len(arguments) - len(shapes)))
        return [shape(argument) for shape, argument in zip(padded, arguments, strict=False)]

    return restore


def _restore_powers(arguments: Input) -> Input:
    return (float(arguments[0]), complex(arguments[1]))


def _restore_all_as_tuple(arguments: Input) -> Input:
    return to_deep_tuple(list(arguments))


_RULES: tuple[tuple[tuple[int, ...], Callable[[Input], Input]], ...] = (
    (
        (2, 116, 132, 143, 222, 261, 273, 394, 399, 421, 424, 429, 470, 560, 579, 596, 616, 630, 726, 740, 744, 809),
        _each(to_tuple),
    ),
    ((63, 64, 70, 94, 120, 237, 272, 299, 400, 409, 417, 438, 473, 614, 780), _each(to_list_of_tuples)),
    ((75, 413, 444, 753), _by_position(to_list_of_tuples)),
    ((106, 750), _by_position(keep, to_tuple)),
    ((115,), _each(to_list_of_sets)),
    ((124,), _restore_powers),
    ((250, 307, 405, 446, 617, 720, 763, 808), _by_position(to_tuple)),
    ((252,), _each(complex)),
    ((259, 401, 445), _each(to_tuple_of_tuples)),
    ((278,), _each(to_tuple_with_inner_tuples)),
    ((580, 615, 791), _restore_all_as_tuple),
    ((722,), _by_position(to_dict_of_tuples)),
)


def restore_inputs(task_id: str, inputs: Sequence[Input]) -> Sequence[Input]:
    """The inputs of task `task_id` (``Mbpp/124``) with the types that JSON cannot represent.

    `inputs` is the content of the file; the result has the same length. The one task whose added inputs are stored as
    an empty object (``Mbpp/793``) has none.
    """
    number = int(task_id.rpartition("/")[2])
    restore = next((rule for numbers, rule in _RULES if number in numbers), list)
    return [restore(arguments) for arguments in inputs]
