"""Changes that a test makes for its time, taken back when it ends."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import sys
from collections.abc import Generator
from typing import Any, Callable

_MISSING = object()


class MonkeyPatch:
    """The fixture ``monkeypatch``."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], Any]] = []

    def setattr(self, target: Any, name: Any, value: Any = _MISSING, raising: bool = True) -> None:  # noqa: FBT001, FBT002
        """Set an attribute, given by an object and a name or by a dotted name."""
        if value is _MISSING:
            place, _, last = str(target).rpartition(".")
            target, name, value = importlib.import_module(place), last, name
        before: Any = getattr(target, name, _MISSING)
        if isinstance(target, type):  # A static method stays one.
            before = inspect.getattr_static(target, name, before)
        if before is _MISSING and raising:
            raise AttributeError(name)
        setattr(target, name, value)
        if before is _MISSING:
            self._undo.append(lambda: delattr(target, name))
        else:
            self._undo.append(lambda: setattr(target, name, before))

    def delattr(self, target: Any, name: str, raising: bool = True) -> None:  # noqa: FBT001, FBT002
        """Delete an attribute."""
        before = getattr(target, name, _MISSING)
        if before is _MISSING:
            if raising:
                raise AttributeError(name)
            return
        delattr(target, name)
        self._undo.append(lambda: setattr(target, name, before))

    def setitem(self, target: Any, name: Any, value: Any) -> None:
        """Set an item of a dict."""
        before = target.get(name, _MISSING)
        target[name] = value
        self._undo.append(lambda: target.pop(name, None) if before is _MISSING else target.__setitem__(name, before))

    def delitem(self, target: Any, name: Any, raising: bool = True) -> None:  # noqa: FBT001, FBT002
        """Delete an item of a dict."""
        if name not in target:
            if raising:
                raise KeyError(name)
            return
        before = target.pop(name)
        self._undo.append(lambda: target.__setitem__(name, before))

    def setenv(self, name: str, value: Any, prepend: str | None = None) -> None:
        """Set a variable of the environment."""
        self.setitem(os.environ, name, f"{value}{prepend}{os.environ[name]}" if prepend else str(value))

    def delenv(self, name: str, raising: bool = True) -> None:  # noqa: FBT001, FBT002
        """Delete a variable of the environment."""
        self.delitem(os.environ, name, raising)

    def syspath_prepend(self, path: Any) -> None:
        """Search a folder for modules first."""
        before = list(sys.path)
        sys.path.insert(0, str(path))
        self._undo.append(lambda: sys.path.__setitem__(slice(None), before))

    def chdir(self, path: Any) -> None:
        """Change the working directory."""
        before = os.getcwd()
        os.chdir(path)
        self._undo.append(lambda: os.chdir(before))

    @contextlib.contextmanager
    def context(self) -> Generator[MonkeyPatch]:
        """Give changes for the time of a block."""
        inner = MonkeyPatch()
        try:
            yield inner
        finally:
            inner.undo()

    def undo(self) -> None:
        """Take all changes back, the last one first."""
        while self._undo:
            self._undo.pop()()
