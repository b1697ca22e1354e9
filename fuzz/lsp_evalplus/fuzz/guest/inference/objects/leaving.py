"""How a ``with`` statement is left: without an exception, or by one, with its class."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, Final

from ...calling.subject import Parameter, Subject
from ...values.dynamic import is_class
from ...values.recipes.model import Name, New
from ...values.shapes import ANY, ChoiceShape, Shape
from ..library_objects import ARGUMENTS_OF_EXCEPTIONS, is_made_as_builtins

_LEAVING: Final = ("__exit__", "__aexit__")
_GIVEN: Final = 3
_MOST_NAMED: Final = 4


def rows_of_leaving(subject: Subject, parameters: Sequence[Parameter], newer: Subject) -> list[list[Shape]]:
    """Return the shapes of all parameters for each way to leave a ``with`` statement, and give them to the parameters:
    without an exception, or with its class, itself and no traceback. Empty for other methods.
    """
    if not is_leaving(subject, parameters):
        return []
    taken = [one for one in parameters if one.kind != "instance"]
    places, is_open = len(taken), taken[-1].kind == "spread"
    ways: list[tuple[Any, ...]] = [(None, None, None)]
    ways += [(Name(one.name), one, None) for one in _raised_within(subject, newer)]
    if is_open:
        ways = [(*way[: places - 1], way[places - 1 :]) for way in ways]
    for parameter, values in zip(taken, zip(*ways)):
        parameter.shape = ChoiceShape(tuple({repr(value): value for value in values}.values()))
    unknown = [ANY] * (len(parameters) - places)
    return [[*unknown, *[ChoiceShape((value,)) for value in way]] for way in ways]


def is_leaving(subject: Subject, parameters: Sequence[Parameter]) -> bool:
    """Whether a function is called where a ``with`` statement is left."""
    kinds = [one.kind for one in parameters if one.kind != "instance"]
    is_named, is_open = kinds == ["positional"] * _GIVEN, kinds[-1:] == ["spread"] and len(kinds) <= _GIVEN
    is_method = subject.loaded.binding == "method"
    return subject.qualname.rpartition(".")[2] in _LEAVING and is_method and (is_named or is_open)


def _raised_within(subject: Subject, newer: Subject) -> list[New]:
    """Return exceptions that a body may raise: those that the method names in either program, and common ones."""
    named: list[str] = []
    functions = [one.anatomy.function for one in (subject, newer) if one.anatomy.function is not None]
    for node in [part for function in functions for part in ast.walk(function)]:
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = ast.unparse(node)
            kind = subject.find(name)
            is_own = is_class(kind) and is_made_as_builtins(kind)
            if is_own or name in _OTHERS or any([name == one.__name__ for one, _ in ARGUMENTS_OF_EXCEPTIONS]):
                named.append(name)
    kinds = dict.fromkeys([*list(dict.fromkeys(named))[:_MOST_NAMED], "ValueError", "KeyError", "KeyboardInterrupt"])
    known = {one.__name__: arguments[0] for one, arguments in ARGUMENTS_OF_EXCEPTIONS}
    return [New(name, known.get(name, ("a",))) for name in kinds]


_OTHERS: Final = frozenset(
    "Exception ArithmeticError ZeroDivisionError LookupError IndexError TypeError AttributeError RuntimeError"
    " NotImplementedError AssertionError ImportError GeneratorExit KeyboardInterrupt TimeoutError".split()
)
