"""Captures the arguments with which a function is called while something runs."""

from __future__ import annotations

import sys
import types
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Callable


class Reached(BaseException):
    """The call that was waited for is there: what runs is ended."""


@contextmanager
def watched(code: types.CodeType, note: Callable[[types.FrameType], None]) -> Generator[None]:
    """Note each frame of a function's code as it is entered, however it was called.

    What `note` raises is raised by the call.
    """

    def hook(frame: types.FrameType, event: str, _argument: Any) -> None:
        if event == "call" and frame.f_code is code:
            note(frame)

    with profiled(hook):
        yield


@contextmanager
def profiled(hook: Callable[[types.FrameType, str, Any], None]) -> Generator[None]:
    """Have the interpreter report calls to a hook, and afterwards to the one before it."""
    before = sys.getprofile()
    sys.setprofile(hook)
    try:
        yield
    finally:
        sys.setprofile(before)


def arguments_in(frame: types.FrameType) -> dict[str, Any]:
    """Return the arguments of a call by the names of the parameters, as its frame has them on entry."""
    code, values = frame.f_code, frame.f_locals
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)  # *args, **kwargs
    return {name: values[name] for name in code.co_varnames[:count] if name in values}
