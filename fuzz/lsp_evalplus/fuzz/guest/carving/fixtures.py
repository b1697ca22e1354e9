"""The values of fixtures: those of a test's class, module and conftest.py files, and the usual ones of pytest."""

from __future__ import annotations

import contextlib
import inspect
import io
import itertools
import os
import pathlib
import shutil
import tempfile
import types
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, Callable, NamedTuple

from ..surroundings.completion import awaited
from ..values.dynamic import type_of
from .patches import MonkeyPatch
from .pytest_stand_in import Fixture, SkippedError

DEEPEST = 12
"""Maximum nesting of fixtures that ask for others."""


class Scope(NamedTuple):
    """Where a test stands, the nearest namespaces first."""

    instance: Any
    """Of the test's class; None for a function."""
    namespaces: Sequence[Mapping[str, Any]]
    params: Mapping[str, Any]
    """Values of the row of a parametrized test."""


class Fixtures:
    """Makes the values that one run of a test asks for, and takes them back when it is closed."""

    def __init__(self, scope: Scope, stack: contextlib.ExitStack) -> None:
        self._scope = scope
        self._stack = stack
        self._values: dict[str, Any] = dict(scope.params)
        self._known = dict(_fixtures_in(scope))

    def begin(self) -> None:
        """Make the fixtures that are always used."""
        for name, fixture in list(self._known.items()):
            if fixture.is_always_used:
                with contextlib.suppress(SkippedError):  # Most often, the test does without.
                    self.value(name)

    def arguments(self, function: Callable[..., Any]) -> dict[str, Any]:
        """Return the arguments of a test. Raises `SkippedError` where one of them is not known."""
        return self._arguments(function, 0)

    def value(self, name: str, depth: int = 0) -> Any:
        """Return the value of a fixture, the same one throughout a test. Raises `SkippedError` where there is none."""
        if name not in self._values:
            self._values[name] = self._make(name, depth)
        return self._values[name]

    def _arguments(self, function: Callable[..., Any], depth: int, request: Any = None) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, parameter in inspect.signature(function).parameters.items():
            if name == "request":
                found[name] = request or _Request(self, self._scope, self._stack, None)
            elif parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            elif parameter.default is parameter.empty or name in self._scope.params:
                found[name] = self.value(name, depth + 1)
        return found

    def _make(self, name: str, depth: int) -> Any:
        fixture = self._known.get(name)
        if depth > DEEPEST:
            raise SkippedError(f"the fixture {name!r} asks for itself")
        if fixture is None:
            usual = _USUAL.get(name)
            if usual is None:
                raise SkippedError(f"the fixture {name!r} is not known")
            return self._stack.enter_context(usual())
        param = fixture.params[0] if fixture.params else None
        request = _Request(self, self._scope, self._stack, getattr(param, "values", (param,))[0])
        function = fixture.function
        if self._scope.instance is not None and next(iter(inspect.signature(function).parameters), "") == "self":
            function = types.MethodType(function, self._scope.instance)
        return self._entered(function(**self._arguments(function, depth, request)))

    def _entered(self, made: Any) -> Any:
        """Return what a fixture returns or yields; the rest of a generator runs at the end."""
        if inspect.isgenerator(made):
            self._stack.callback(next, made, None)
            return next(made)
        if inspect.isasyncgen(made):
            self._stack.callback(lambda: awaited(made.aclose()))
            return awaited(made.__anext__())
        return awaited(made)


class _Request:
    """The fixture ``request``."""

    def __init__(self, fixtures: Fixtures, scope: Scope, stack: contextlib.ExitStack, param: Any) -> None:
        self._fixtures = fixtures
        self._stack = stack
        self.instance = scope.instance
        self.cls: Any = type_of(scope.instance) if scope.instance is not None else None
        self.param = param

    def getfixturevalue(self, name: str) -> Any:
        """Return the value of a fixture."""
        return self._fixtures.value(name)

    def addfinalizer(self, function: Callable[[], Any]) -> None:
        """Call a function at the end of the test."""
        self._stack.callback(function)


def _fixtures_in(scope: Scope) -> Iterator[tuple[str, Fixture]]:
    kind: Any = type_of(scope.instance)
    own = {} if scope.instance is None else {name: getattr(kind, name) for name in dir(kind)}
    # The nearest last: it replaces those of the same name.
    for namespace in (*reversed(scope.namespaces), own):
        for name, value in list(namespace.items()):
            if isinstance(value, Fixture):
                yield (value.name or name), value


@contextlib.contextmanager
def _monkeypatch() -> Generator[MonkeyPatch]:
    patches = MonkeyPatch()
    try:
        yield patches
    finally:
        patches.undo()


@contextlib.contextmanager
def _folder() -> Generator[pathlib.Path]:
    """A new folder, which has the same name in each run: a path may be part of a result."""
    path = os.path.join(tempfile.gettempdir(), "carved")
    shutil.rmtree(path, ignore_errors=True)
    os.mkdir(path)
    try:
        yield pathlib.Path(path)
    finally:
        shutil.rmtree(path, ignore_errors=True)


class _Folders:
    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        self._numbers = itertools.count()

    def mktemp(self, name: str, numbered: bool = True) -> pathlib.Path:  # noqa: FBT001, FBT002
        """Return a new folder."""
        found = self._folder / f"{name}{next(self._numbers)}"
        found.mkdir()
        return found


@contextlib.contextmanager
def _folders() -> Generator[_Folders]:
    with _folder() as folder:
        yield _Folders(folder)


class _Output(NamedTuple):
    out: str
    err: str


class _Captured:
    def __init__(self, out: io.StringIO, err: io.StringIO) -> None:
        self._streams = out, err

    def readouterr(self) -> _Output:
        """Return what was written since the last time."""
        texts = [stream.getvalue() for stream in self._streams]
        for stream in self._streams:
            stream.seek(0)
            stream.truncate()
        return _Output(*texts)


@contextlib.contextmanager
def _output() -> Generator[_Captured]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield _Captured(out, err)


class _Records:
    """The fixture ``caplog``, which keeps nothing here."""

    def __init__(self) -> None:
        self.text = ""
        self.records: list[Any] = []
        self.messages: list[str] = []
        self.record_tuples: list[Any] = []

    def at_level(self, *_options: Any, **_named: Any) -> Any:
        """Return a context manager that does nothing."""
        return contextlib.nullcontext()

    def set_level(self, *_options: Any, **_named: Any) -> None:
        """Do nothing."""

    def clear(self) -> None:
        """Do nothing."""


def _called(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


_USUAL: Mapping[str, Callable[[], Any]] = types.MappingProxyType(
    {
        "monkeypatch": _monkeypatch,
        "tmp_path": _folder,
        "tmp_path_factory": _folders,
        "capsys": _output,
        "anyio_backend": lambda: contextlib.nullcontext("asyncio"),
        "anyio_backend_name": lambda: contextlib.nullcontext("asyncio"),
        "caplog": lambda: contextlib.nullcontext(_Records()),
        "doctest_namespace": lambda: contextlib.nullcontext(dict[str, Any]()),
        "recwarn": lambda: contextlib.nullcontext([]),
        "benchmark": lambda: contextlib.nullcontext(_called),
    }
)
"""Fixtures of pytest and of common plug-ins."""
