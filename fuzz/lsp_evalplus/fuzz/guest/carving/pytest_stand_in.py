"""What test modules import as ``pytest``, reduced to what running a test up to a call needs.

The project's environment may have no pytest, and importing the real one takes longer than a check. Marks and fixtures
are noted, nothing is collected or reported.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import re
import types
from collections.abc import Mapping, Sequence
from typing import Any, Callable, NamedTuple, NoReturn

from ..values.dynamic import type_of
from .approximation import Approximate
from .lenient_import import LEFT_OUT
from .missing_modules import Missing, is_missing
from .patches import MonkeyPatch


class SkippedError(Exception):
    """A test says that it cannot run here."""


class Row(NamedTuple):
    """The values of one row of a parametrized test."""

    values: tuple[Any, ...]
    marks: tuple[Mark, ...] = ()


class Fixture:
    """A fixture: the function that makes its value, and how it is asked for."""

    def __init__(self, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
        self.function = function
        self.name = str(options.get("name") or getattr(function, "__name__", ""))
        self.is_always_used = bool(options.get("autouse"))
        self.params: Sequence[Any] = tuple(options.get("params") or ())

    def __get__(self, instance: Any, owner: Any = None) -> Fixture:
        """Return the fixture itself: its function is called with the instance of the test."""
        return self


class Mark(NamedTuple):
    """A mark of a test."""

    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


class _Marker:
    """``pytest.mark.name``, with or without arguments."""

    def __init__(self, mark: Mark) -> None:
        self.mark = mark

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        is_decorating = len(args) == 1 and not kwargs and (callable(args[0]) or isinstance(args[0], type))
        if not is_decorating:
            return _Marker(Mark(self.mark.name, args, kwargs))
        marked: Any = args[0]
        with contextlib.suppress(AttributeError, TypeError):
            marked.pytestmark = [*marks_of(marked), self.mark]
        return marked


class _Marks:
    def __getattr__(self, name: str) -> _Marker:
        return _Marker(Mark(name, (), {}))


class _Raises(contextlib.AbstractContextManager["_Raises"]):
    """Expects an exception; where it is not raised, the test fails."""

    def __init__(self, expected: Any, match: str | None) -> None:
        self._expected = expected
        self._match = match
        self.value: Any = None
        self.type: Any = None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        self.value, self.type = error, kind
        if error is None:
            raise AssertionError("nothing was raised")
        fits = self._match is None or re.search(self._match, str(error)) is not None
        return isinstance(error, self._expected) and fits

    def match(self, pattern: str) -> bool:
        """Whether the message has a pattern."""
        return re.search(pattern, str(self.value)) is not None


class _Warned(list[Any], contextlib.AbstractContextManager[Any]):
    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        return None


def marks_of(function: Any) -> list[Mark]:
    """Return the marks of a test, a class of tests or a module."""
    return _marks_in(getattr(function, "pytestmark", None))


def _marks_in(found: Any) -> list[Mark]:
    marks = found if type_of(found) in (list, tuple) else [found]
    return [one.mark if type_of(one) is _Marker else one for one in marks if type_of(one) in (Mark, _Marker)]


def _fixture(function: Any = None, **options: Any) -> Any:
    if callable(function):
        return Fixture(function, options)

    def decorate(decorated: Callable[..., Any]) -> Fixture:
        return Fixture(decorated, options)

    return decorate


def _raises(expected: Any = Exception, *args: Any, match: Any = None, check: Any = None, **kwargs: Any) -> Any:
    context = _Raises(expected, getattr(match, "pattern", match))
    if not args:
        return context
    with context:
        args[0](*args[1:], **kwargs)
    return context


def _warns(expected: Any = Warning, *args: Any, match: Any = None, **kwargs: Any) -> Any:
    return args[0](*args[1:], **kwargs) if args else _Warned()


def _deprecated_call(*args: Any, **kwargs: Any) -> Any:
    return _warns(Warning, *args, **kwargs)


def _param(*values: Any, marks: Any = (), **_options: Any) -> Row:
    return Row(values, tuple(_marks_in(marks)))


def _approx(expected: Any, rel: float | None = None, abs: float | None = None, nan_ok: bool = False) -> Any:  # noqa: A002, FBT001, FBT002
    return Approximate(expected, rel, abs, nan_ok=nan_ok)


def _skip(reason: str = "", **_options: Any) -> NoReturn:
    raise SkippedError(reason)


def _import_or_skip(name: str, *_args: Any, **_options: Any) -> Any:
    try:
        found = importlib.import_module(name)
    except ImportError as error:
        caller = inspect.currentframe()
        caller = caller and caller.f_back
        if caller is not None and caller.f_code.co_name == "<module>":
            caller.f_globals.setdefault(LEFT_OUT, error)
            return Missing()  # Other tests of the file do without: rows of a table, say, name it.
        raise SkippedError(str(error)) from None
    if is_missing(found):
        raise SkippedError(f"there is no {name}")
    return found


def _other(name: str) -> Any:
    """Return an empty class for what annotations and plug-ins name."""
    if name[:1].isupper():
        return type(name, (), {})
    raise AttributeError(name)


def make_module() -> types.ModuleType:
    """Return a module that stands for pytest."""
    module = types.ModuleType("pytest")
    module.__dict__.update(
        fixture=_fixture,
        yield_fixture=_fixture,
        mark=_Marks(),
        param=_param,
        raises=_raises,
        warns=_warns,
        deprecated_call=_deprecated_call,
        approx=_approx,
        skip=_skip,
        fail=_skip,
        xfail=_skip,
        exit=_skip,
        importorskip=_import_or_skip,
        MonkeyPatch=MonkeyPatch,
        __getattr__=_other,
        __version__="8.0.0",
        version_tuple=(8, 0, 0),
    )
    return module
