"""Exceptions that code of a program raises, as told from those that end its calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

PROGRAM_ERRORS = (Exception, SystemExit, KeyboardInterrupt, GeneratorExit)
"""Whatever a constructor, a comparison or a representation of the program may raise.

A time limit's exception is none of them: it passes through every ``except`` of these.
"""


class CallTimeoutError(BaseException):
    """A call exceeded its time limit. Not an `Exception`, which code under test may catch."""


_LONGEST_CHAIN = 20
"""Exceptions that are looked at, each the cause of the one before."""
_MOST_LINES = 20


def causes_of(error: Any) -> Iterator[BaseException]:
    """Yield an exception, and the ones that led to it, each before its own cause."""
    for _ in range(_LONGEST_CHAIN):
        if not isinstance(error, BaseException):
            return
        yield error
        error = error.__cause__ or error.__context__


def traces_of(error: Any) -> Iterator[Any]:
    """Yield the parts of an exception's traceback, the outermost first."""
    trace: Any = getattr(error, "__traceback__", None)
    while trace is not None:
        yield trace
        trace = trace.tb_next


def innermost(error: Any) -> Any:
    """Return the part of a traceback where an exception was raised; None where there is no traceback."""
    return next(reversed([*traces_of(error)]), None)


def lines_in(error: BaseException, filename: str) -> list[int]:
    """Return the line numbers (from 1) in `filename` that the traceback passes, outermost first, at most 20."""
    lines = [one.tb_lineno for one in traces_of(error) if one.tb_frame.f_code.co_filename == filename]
    return lines[-_MOST_LINES:]
