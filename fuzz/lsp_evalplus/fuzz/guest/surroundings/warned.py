"""The warnings that a program's own package issues: its callers see them, and may turn them into errors."""

from __future__ import annotations

import contextlib
import inspect
import types
import warnings
from collections.abc import Generator
from typing import Any

from ..values.class_lookup import package_of


def _mentions_warnings(code: types.CodeType) -> bool:
    """Whether a function calls `warn` itself; else Python warns of something that it does."""
    return any(["warn" in name for name in (*code.co_names, *code.co_freevars, *code.co_varnames)])


@contextlib.contextmanager
def noted(namespace: dict[str, Any]) -> Generator[list[str]]:
    """Note the warnings for which the code of a program's package asks; those of Python and others are dropped."""
    told: list[str] = []

    def note(message: Any, category: Any, *place: Any) -> None:
        # Which line a warning names is a matter of `stacklevel`: who asked for it is the innermost frame.
        frame = inspect.currentframe()
        while frame is not None and frame.f_globals.get("__name__") in ("warnings", __name__):
            frame = frame.f_back
        if frame is None or not _mentions_warnings(frame.f_code):
            return
        if package_of(frame.f_globals) == package_of(namespace):
            told.append(f"{category.__name__}: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = note
        yield told
