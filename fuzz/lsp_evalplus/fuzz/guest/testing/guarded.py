"""Protects tests from a program in their own process, as far as that can be done.

A program can change what tests are made of: ``unittest``, builtins, the functions that run the tests. `Guard`
remembers those and restores them after the program was loaded and after each of its calls. Whoever reads the memory of
the process is not stopped by that: tests run in another process than the program wherever they can (`plain_calls`).
"""

from __future__ import annotations

import functools
import operator
import os
import sys
import types
from collections.abc import Iterable, Mapping
from typing import Any, Callable

from ..values.plain import type_of

_PACKAGE = __name__.rpartition(".testing.")[0]
REFERENCE, SOLUTION = "reference", "solution"
"""Names of the modules that the reference and a program become."""
_MOST_ITEMS = 1_000
_DEPTH = 3


class Guard:
    """What tests are made of, as it is now.

    Args:
        modules: names of further modules that tests use; those that are not loaded are left out.
        imported: names of modules that stay the ones which are imported, their contents aside; None: all. To look at a
            module means to copy the page that it is in, which the process shares with its zygote.
    """

    def __init__(self, modules: Iterable[str] = (), imported: Iterable[str] | None = None) -> None:
        names = {"builtins", "math", "random", *modules}
        names |= {name for name in sys.modules if name.startswith((_PACKAGE + ".", "unittest"))}
        kept = sys.modules if imported is None else names.union(*map(_with_parents, imported)) & sys.modules.keys()
        self._modules = {name: sys.modules[name] for name in kept}
        self._spaces: list[tuple[Any, dict[str, Any]]] = []
        for name in sorted(names):
            module: Any = sys.modules.get(name)
            if type_of(module) is types.ModuleType:
                self._add(module)

    def _add(self, module: types.ModuleType) -> None:
        space = _content(module)
        self._spaces.append((module, space))
        for value in space.values():
            if type_of(value) is type and value.__module__ == module.__name__ and not _is_builtin(value):
                self._spaces.append((value, _content(value)))

    def state(self) -> list[tuple[Any, dict[str, Any]]]:
        """Return the state now, for `restore`: a test may itself have patched something on purpose."""
        return [(owner, _content(owner)) for owner, _ in self._spaces]

    def changed(self) -> list[str]:
        """Return the names that are no longer what they were in the beginning, such as ``TestCase.assertEqual``.

        What was None may have been filled by its own module, as ``unittest.mock`` does.
        """
        return [
            f"{getattr(owner, '__name__', '')}.{name}"
            for owner, before in self._spaces
            for now in (owner.__dict__,)
            if not _holds(now, before)
            for name, value in before.items()
            if value is not None and now.get(name, _MISSING) is not value and name not in _VARYING
        ]

    def restore(self, state: list[tuple[Any, dict[str, Any]]] | None = None) -> None:
        """Undo every change since the beginning, or since a state."""
        for owner, before in self._spaces if state is None else state:
            now = owner.__dict__
            if _holds(now, before):
                continue
            for name, value in before.items():
                if now.get(name, _MISSING) is not value and name not in _VARYING:
                    setattr(owner, name, value)
        for name, module in self._modules.items():
            if sys.modules.get(name) is not module:
                sys.modules[name] = module


_MISSING: Any = object()
_VARYING = ("__dict__", "__weakref__", "__doc__")
"""Names whose values are made anew each time they are asked for."""


def _holds(now: Mapping[str, Any], before: dict[str, Any]) -> bool:
    """Return whether all names have the values that they had, by identity; asked after each test, hence no loop."""
    return all(map(operator.is_, map(now.get, before), before.values()))


def _with_parents(name: str) -> list[str]:
    """Return the names of a module and of the packages that it is in."""
    parts = name.split(".")
    return [".".join(parts[: count + 1]) for count in range(len(parts))]


def _content(owner: Any) -> dict[str, Any]:
    """Return the names of a module or class and their values."""
    return owner.__dict__.copy()  # type: ignore[no-any-return]


def _is_builtin(kind: type) -> bool:
    """Return whether nobody can change a class: it is written in C."""
    return not type.__dict__["__flags__"].__get__(kind) & (1 << 9)  # Py_TPFLAGS_HEAPTYPE


class GuardedCall:
    """A function of a program that leaves what tests are made of as it was, and notes what it returns.

    Args:
        function: the function of the program.
        guard: what it must not change.
    """

    def __init__(self, function: Callable[..., Any], guard: Guard) -> None:
        self._function = function
        self._guard = guard
        self.returns_own = False
        """Whether it has returned an object of a class of the program, whose comparisons the program decides."""

    def as_function(self) -> Callable[..., Any]:
        """Return a function that looks like that of the program."""

        @functools.wraps(self._function)
        def call(*args: Any, **kwargs: Any) -> Any:
            state = self._guard.state()
            try:
                result = self._function(*args, **kwargs)
            finally:
                self._guard.restore(state)
            self.returns_own = self.returns_own or contains_own(result)
            return result

        return call


def contains_own(value: Any, depth: int = _DEPTH) -> bool:
    """Return whether a value, or an item of it, has a class that no imported module defines under its name."""
    kind = type_of(value)
    if not is_installed(kind):
        return True
    if depth <= 0 or kind not in (list, tuple, set, frozenset, dict):
        return False
    items = [*value.keys(), *value.values()] if kind is dict else value
    return any(contains_own(item, depth - 1) for item, _ in zip(items, range(_MOST_ITEMS)))


def is_installed(kind: type) -> bool:
    """Return whether a class can be found in an imported module that has a file, or is built in."""
    if _is_builtin(kind):
        return True
    name = str(type.__dict__["__module__"].__get__(kind))
    found: Any = sys.modules.get(name)
    if found is None or name in (REFERENCE, SOLUTION):
        return False
    if name not in sys.builtin_module_names and not os.path.isfile(getattr(found, "__file__", None) or ""):
        return False
    for part in str(type.__dict__["__qualname__"].__get__(kind)).split("."):
        found = getattr(found, part, None)
    return found is kind
