"""Exceptions that code of a program raises, as told from those that end its calls."""

from __future__ import annotations

from typing import Any

PROGRAM_ERRORS = (Exception, SystemExit, KeyboardInterrupt, GeneratorExit)
"""Whatever a constructor, a comparison or a representation of the program may raise.

A time limit's exception is none of them: it passes through every ``except`` of these.
"""


class CallTimeoutError(BaseException):
    """A call exceeded its time limit. Not an `Exception`, which code under test may catch."""


def innermost(error: Any) -> Any:
    """Return the part of a traceback where an exception was raised; None where there is no traceback."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace
