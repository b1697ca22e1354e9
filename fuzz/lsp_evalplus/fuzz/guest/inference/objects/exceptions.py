"""Exceptions as arguments: builtin ones of the class that is asked for, and of those that derive from it."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ...calling.subject import Parameter, Subject
from ...values.dynamic import is_class, is_subclass, type_of
from ...values.recipe import ASSIGNMENT, Name, New, Prepared
from ...values.shapes import ANY, INT, STR, CallShape, ChoiceShape, Shape, UnionShape

_DECODED: Final = ("utf-8", b"a\xff", 1, 2, "a")
_ENCODED: Final = ("ascii", "a\xe9", 1, 2, "a")
_NUMBERED: Final = ((2, "a", "b"), (2, "a"), ("a",))
"""Numbers, texts and file names of errors of the system."""
_PLAIN: Final = (("a",), ())
_ARGUMENTS: Final[tuple[tuple[type, tuple[tuple[Any, ...], ...]], ...]] = (
    (UnicodeDecodeError, (_DECODED,)),
    (UnicodeEncodeError, (_ENCODED,)),
    (UnicodeTranslateError, (_ENCODED[1:],)),
    (OSError, _NUMBERED),
    (SyntaxError, (("a", ("b", 1, 2, "c")), ("a",))),
    (SystemExit, ((), (1,), ("a",))),
    (StopIteration, ((), (1,))),
    (KeyError, (("a",), (1,))),
)
"""What classes that are made otherwise take."""
_COMMON: Final = (ValueError, KeyError, TypeError, OSError, RuntimeError, AttributeError, UnicodeDecodeError)
"""Those that stand for any."""
_MOST_CLASSES: Final = 8


def exceptions(kind: type) -> Shape | None:
    """Return the shape of exceptions of a builtin class; None for other classes."""
    if not is_subclass(kind, BaseException) or getattr(builtins, kind.__name__, None) is not kind:
        return None
    classes = list(_classes(kind))[:_MOST_CLASSES]
    made = [[New(one.__name__, arguments) for arguments in _arguments_of(one)] for one in classes]
    if not any(made):
        return None
    first = [listed[0] for listed in made if listed]
    others = [one for listed in made for one in listed[1:]]
    cause = Prepared(first[0], (New(ASSIGNMENT, ("__cause__", New("KeyError", ("b",)))),))
    fixed = ChoiceShape((*first, cause, *others))
    with_texts = [one for one in classes if _arguments_of(one) is _PLAIN][:1]
    calls = [CallShape(one.__name__, (STR,)) for one in with_texts]
    calls += [CallShape(one.__name__, (INT, STR, STR)) for one in classes if one is OSError]
    return UnionShape((fixed, *calls)) if calls else fixed


def _classes(kind: type) -> Iterator[type]:
    """Yield the class and those that derive from it, the common ones where there are many."""
    if kind not in (BaseException, Exception):
        yield kind
    common = [one for one in _COMMON if one is not kind and issubclass(one, kind)]
    yield from common
    if kind is BaseException:
        yield KeyboardInterrupt
    elif kind is Exception:
        yield kind
    for one in type.__subclasses__(kind):
        if one not in common and getattr(builtins, one.__name__, None) is one and not issubclass(one, Warning):
            yield one


def _arguments_of(kind: type) -> tuple[tuple[Any, ...], ...]:
    """Return lists of arguments that a class of exceptions takes."""
    if kind.__name__.endswith("ExceptionGroup"):
        return (("a", [New("ValueError", ("b",))]),)
    return next((arguments for one, arguments in _ARGUMENTS if issubclass(kind, one)), _PLAIN)


_LEAVING: Final = ("__exit__", "__aexit__")
_GIVEN: Final = 3
_MOST_NAMED: Final = 4


def rows_of_leaving(subject: Subject, parameters: Sequence[Parameter]) -> list[list[Shape]]:
    """Return the shapes of all parameters for each way to leave a ``with`` statement, and give them to the parameters:
    without an exception, or with its class, itself and no traceback. Empty for other methods.
    """
    if not is_leaving(subject, parameters):
        return []
    taken = [one for one in parameters if one.kind != "instance"]
    places, is_open = len(taken), taken[-1].kind == "spread"
    ways: list[tuple[Any, ...]] = [(None, None, None)]
    ways += [(Name(one.name), one, None) for one in _raised_within(subject)]
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


def _raised_within(subject: Subject) -> list[New]:
    """Return exceptions that a body may raise: those that the method names, and common ones."""
    named: list[str] = []
    for node in ast.walk(subject.anatomy.function) if subject.anatomy.function is not None else ():
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = ast.unparse(node)
            kind = subject.find(name)
            is_own = is_class(kind) and is_subclass(kind, BaseException) and _is_plainly_made(kind)
            if is_own or name in _OTHERS or any([name == one.__name__ for one, _ in _ARGUMENTS]):
                named.append(name)
    kinds = dict.fromkeys([*named[:_MOST_NAMED], "ValueError", "KeyError", "KeyboardInterrupt"])
    known = {one.__name__: arguments[0] for one, arguments in _ARGUMENTS}
    return [New(name, known.get(name, ("a",))) for name in kinds]


_OTHERS: Final = frozenset(
    "Exception ArithmeticError ZeroDivisionError LookupError IndexError TypeError AttributeError RuntimeError"
    " NotImplementedError AssertionError ImportError GeneratorExit KeyboardInterrupt TimeoutError".split()
)


def _is_plainly_made(kind: type) -> bool:
    """Whether the constructor of a class of exceptions is a builtin one."""
    return type_of(kind.__init__) is types.WrapperDescriptorType
