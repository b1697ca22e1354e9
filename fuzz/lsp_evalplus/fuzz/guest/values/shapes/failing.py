"""Shapes of functions that raise an exception, for programs that catch what an argument of theirs raises, and of one
that counts its calls."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import Any

from ..dynamic import is_instance, type_of
from ..makers.call_recorder import RECORDER
from ..makers.clocks import CLOCK
from ..program_errors import PROGRAM_ERRORS
from ..recipes.building import lookup
from ..recipes.model import Name
from .base import ChoiceShape, Shape
from .classes import CallShape
from .merging import union_of

_ANY_EXCEPTION = "ValueError"
"""What a function raises where a clause catches any exception."""
_OTHER_EXCEPTION = "RuntimeError"
"""The same where another clause catches certain ones."""


def failing_functions(
    caught: Sequence[str], namespace: Mapping[str, Any], defaults: Mapping[str, Any]
) -> tuple[Shape, Shape]:
    """Return functions that raise at each call, and those that raise at the first calls only.

    Args:
        caught: the exceptions that clauses around a call catch, as they are written.
        namespace: the globals of the program.
        defaults: of the parameters: these may say what is caught.
    """
    raised = ChoiceShape(tuple([Name(one) for one in _exceptions(caught, dict(namespace), defaults)]))
    return CallShape(RECORDER, (raised,), ("raises",)), CallShape(RECORDER, (raised, ChoiceShape((1, 2))), _FIRST)


def failing_calls(raised: Shape, answers: Shape | None) -> list[Shape]:
    """Return functions that raise one of some exceptions at each call, and those that do so at the first calls only.

    Args:
        raised: the exceptions.
        answers: what the functions return at further calls; None where nobody uses that, or nothing tells it.
    """
    always = CallShape(RECORDER, (raised,), ("raises",))
    if answers is None:
        return [always, CallShape(RECORDER, (raised, ChoiceShape((1, 2))), _FIRST)]
    return [always, CallShape(RECORDER, (raised, ChoiceShape((1, 2)), answers), (*_FIRST, "returns"))]


def raised_classes(caught: Sequence[str], namespace: Mapping[str, Any]) -> list[Name]:
    """Return the classes of exceptions that clauses catch and that need no arguments; a common one for a clause that
    catches any, which is empty text."""
    stated = [one for one in caught if not one or _is_plain(meaning_of(one, dict(namespace)))]
    return [Name(one) for one in _exceptions(stated, dict(namespace), {})] if stated else []


_FIRST = ("raises", "times")
COUNTING = CallShape(RECORDER, (ChoiceShape((0,)),), ("times",))
"""A function that returns the number of its calls."""
TICKING = CallShape(CLOCK, ())
"""A clock that moves on by itself."""
CLOCKS = union_of([ChoiceShape((Name("lambda: 0"), Name("lambda: 100.0"))), TICKING])
"""Functions in place of a clock: what depends on the time shows where that is known. The last one moves on."""
PAUSES = CallShape(RECORDER, ())
"""Functions in place of one that waits: for how long it was asked to shows."""


def _exceptions(caught: Sequence[str], namespace: dict[str, Any], defaults: Mapping[str, Any]) -> list[str]:
    """Return the names of exceptions that a clause catches and that need no arguments; that of a common one where it
    catches any, or where its names mean nothing in the module."""
    found: list[str] = []
    for name in caught:
        value = defaults[name] if name in defaults else meaning_of(name, namespace)
        value = value[0] if type_of(value) is tuple and value else value
        names = (name, value.__name__) if _is_plain(value) else ()
        found.append(next((one for one in names if meaning_of(one, namespace) is value), ""))
    known = [one for one in found if one]
    # What all catch shows no difference between one that catches any and one that does not.
    other = _OTHER_EXCEPTION if known else _ANY_EXCEPTION
    return list(dict.fromkeys([*known, *([other] if "" in found else [])]))


def _is_plain(value: Any) -> bool:
    """Whether a value is a class of exceptions, but not that of all of them, whose constructor needs nothing."""
    is_own = is_instance(value, type) and issubclass(value, Exception) and value is not Exception
    return is_own and type_of(value.__init__) is types.WrapperDescriptorType


def meaning_of(name: str, namespace: dict[str, Any]) -> Any:
    """Return what a dotted name stands for in a module; None for what is no such name."""
    try:
        return lookup(name, namespace)
    except PROGRAM_ERRORS:  # it may be any expression.
        return None
