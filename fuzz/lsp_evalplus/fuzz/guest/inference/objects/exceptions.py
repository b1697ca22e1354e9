"""Exceptions as arguments: builtin ones of the class that is asked for, and of those that derive from it."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any, Final

from ...values.dynamic import is_subclass
from ...values.recipe import ASSIGNMENT, New, Prepared
from ...values.shapes import INT, STR, CallShape, ChoiceShape, Shape, UnionShape

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
