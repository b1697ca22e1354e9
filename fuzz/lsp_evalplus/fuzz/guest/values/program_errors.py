"""Exceptions that code of a program raises, as told from those that end its calls."""

from __future__ import annotations

PROGRAM_ERRORS = (Exception, SystemExit, KeyboardInterrupt, GeneratorExit)
"""Whatever a constructor, a comparison or a representation of the program may raise.

A time limit's exception is none of them: it passes through every ``except`` of these.
"""


class CallTimeoutError(BaseException):
    """A call exceeded its time limit. Not an `Exception`, which code under test may catch."""
