"""Modules that files of tests import and the environment lacks: empty ones, so that the other tests can run.

Tests draw inputs with Hypothesis, freeze the time, or compare with NumPy. What the project itself imports, or does
without, stays as it is: only imports in files of tests are served. A file of tests that does without a module, as it
catches the failure or asks whether the module is there, is not served either. One that was served is marked by
`LEFT_OUT`.
"""

from __future__ import annotations

import importlib.machinery
import inspect
import os
import sys
import types
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from ..surroundings.placeholders import is_guarded
from ..values.public_state import is_special
from ..values.source_text import is_test_name
from .lenient_import import LEFT_OUT

_FOLDERS = frozenset(("tests", "test"))
_IMPORTER = "importlib"
_GUEST = __name__.rpartition(".carving.")[0] + "."


class Missing:
    """Stands for anything of a module that is not there; used as a decorator, it leaves things as they are."""

    def __getattr__(self, name: str) -> Any:
        """Return another one."""
        if is_special(name):
            raise AttributeError(name)
        return Missing()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what is decorated; another one for other calls."""
        is_decorating = len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type))
        return args[0] if is_decorating else Missing()

    def __getitem__(self, key: Any) -> Any:
        """Return another one."""
        return Missing()

    def __or__(self, other: Any) -> Any:
        """Return another one."""
        return Missing()

    __ror__ = __or__

    def __enter__(self) -> Any:
        """Return another one."""
        return Missing()

    def __exit__(self, *error: object) -> None:
        """Let exceptions pass."""

    __iter__ = None

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        """Stand for no class where it is a base."""
        return ()


@contextmanager
def served() -> Generator[None]:
    """Serve imports in files of tests within the block."""
    finder: Any = _Finder()
    first: Any = _Forgetting(finder)
    sys.meta_path.insert(0, first)
    sys.meta_path.append(finder)
    try:
        yield
    finally:
        sys.meta_path.remove(first)
        sys.meta_path.remove(finder)
        finder.forget()


class _Forgetting:
    """Is asked first, and finds nothing: a module that is loaded now must not see what was made for a test."""

    def __init__(self, finder: _Finder) -> None:
        self._finder = finder

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        """Forget the modules that were made, unless one inside of them is looked for."""
        if fullname.rpartition(".")[0] not in self._finder.made:
            self._finder.forget()


class _Finder:
    """Finds what no other finder has found."""

    def __init__(self) -> None:
        self.made: set[str] = set()

    def forget(self) -> None:
        """Take what was made out of the loaded modules."""
        for name in self.made:
            sys.modules.pop(name, None)

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """Find a module that a file of tests imports; one inside of a module that exists is really not there."""
        parent = fullname.rpartition(".")[0]
        asking = _asking() if not parent or parent in self.made else None
        if asking is None or is_guarded(asking):
            return None
        error = ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        asking.f_globals.setdefault(LEFT_OUT, error)
        self.made.add(fullname)
        loader: Any = self
        return importlib.machinery.ModuleSpec(fullname, loader, is_package=True)

    def create_module(self, spec: Any) -> types.ModuleType:
        """Return a module with any attribute."""
        return _MissingModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: the module is empty."""


class _MissingModule(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if is_special(name):
            raise AttributeError(name)
        return Missing()


def is_missing(value: Any) -> bool:
    """Whether a value stands for something that is not there."""
    return type(value) in (Missing, _MissingModule)


def is_test_file(path: str) -> bool:
    """Whether a path is that of a file of tests, by its name or its folder."""
    *folders, name = path.split(os.sep)
    return is_test_name(name) or name.startswith("conftest") or not _FOLDERS.isdisjoint(folders)


def _asking() -> types.FrameType | None:
    """Return the frame of a file of tests that imports a module; None where another file does, or only asks for it."""
    frame: types.FrameType | None = inspect.currentframe()
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module == "importlib.util" and frame.f_code.co_name == "find_spec":
            return None
        if (
            not module.startswith(_GUEST)  # Its own `__import__`, too.
            and not frame.f_code.co_filename.startswith("<frozen")
            and (module.partition(".")[0] != _IMPORTER)
        ):
            return frame if is_test_file(frame.f_code.co_filename) else None
        frame = frame.f_back
    return None
