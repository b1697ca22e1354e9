"""Makes the arguments with which a project's tests call a function: by running a test up to the call."""

from __future__ import annotations

import contextlib
import inspect
import types
from typing import Any, Callable

from ..calling.call_clock import CallClock
from ..calling.invocation import RAISED, RETURNED, TIMED_OUT, CallResult
from ..program.loader import Loaded
from ..surroundings.placeholders import USES, uses_since
from ..values.carved import CARVED, SECONDS_IN_TEST, Carved, carved_text, read_carved
from ..values.dynamic import type_of
from ..values.program_errors import PROGRAM_ERRORS, CallTimeoutError
from ..values.recipes.model import IMMUTABLE, Name, New, RecipeError, is_in_test
from .captured_calls import Reached, arguments_in, watched
from .missing_modules import is_missing
from .pytest_stand_in import SkippedError
from .test_runs import TestRuns

MOST_CALLS = 4
"""Maximum number of calls that are taken from one run of a test."""
LARGEST = 400
"""Maximum number of parts of an argument that is written as a literal."""
_LONGEST_TEXT = 2000


class Carver:
    """The arguments of a loaded function in tests; it is what `CARVED` calls in expressions."""

    def __init__(self, loaded: Loaded, runs: TestRuns) -> None:
        self._code = code_of(loaded.function)
        self._runs = runs
        self._own_modules = loaded.own_modules
        self._surroundings = loaded.surroundings
        self._kept: dict[tuple[str, int, int], dict[str, Any]] = {}
        """What the last run left that was not asked for yet: one run makes all arguments of a call."""
        self.calling: dict[str, None] = {}
        """The tests that were seen to call the function, or whose file does so where it is imported."""
        self._called_by: set[str] = set()
        loaded.namespace[CARVED] = self

    def in_test(self, row: Any, call: Callable[[], Any], clock: CallClock, limit: float) -> Any:
        """Return what `call` returns, made where a test calls the function; None for a row that belongs to no test.

        The test stands still meanwhile: what it opened is open, its event loop runs, and its patches are in force. Then
        it is ended.

        Args:
            row: the arguments; those in a test have to belong to one call.
            call: makes the call with them.
            clock: limits the run of the test, and is at the disposal of `call`.
            limit: processor time of the run; it gets `SECONDS_IN_TEST` at least.

        Raises:
            RecipeError: the test makes no such call.
        """
        carved = [read_carved(part.name) for part in row if is_in_test(part)]
        places = {(one.test, one.number) for one in carved}
        if len(places) != 1:
            return None
        test, number = places.pop()
        found: list[Any] = []
        count = 0

        def note(frame: types.FrameType) -> None:
            nonlocal count
            count += 1
            if count == number:
                clock.stop()
                self._kept = {self._key(test, number): self._parts(arguments_in(frame))}
                try:
                    found.append(call())
                finally:
                    self._kept = {}
                    clock.start(limit)
                raise Reached

        limit = max(limit, SECONDS_IN_TEST)
        clock.start(limit)
        try:
            with watched(self._code, note):
                self._run(test)
        except CallTimeoutError:
            pass
        finally:
            clock.stop()
        if not found:
            raise RecipeError(f"{test} does not call it")
        return found[0]

    def argument(self, test: str, parameter: str, number: int = 1) -> Any:
        """Return an argument of the call of that number in a test, which is run up to it.

        Each value is given away once, so that no two calls share it; those of one call belong to one run.

        Raises:
            RecipeError: the test makes no such call.
        """
        name, _, part = parameter.partition(".")
        key = self._key(test, number)
        kept = self._kept.get(key)
        if kept is None or parameter not in kept:
            kept = self._parts(self._arguments(test, number))
            self._kept = {key: kept}
        if parameter not in kept:
            raise RecipeError(f"the call in {test} has no {name!r} {part}".rstrip())
        return kept.pop(parameter)

    __call__ = argument

    def _key(self, test: str, number: int) -> tuple[str, int, int]:
        # What an earlier call left may share its parts with what that call changed.
        return test, number, 0 if self._own_modules is None else self._own_modules.entries

    def _parts(self, arguments: dict[str, Any]) -> dict[str, Any]:
        found = dict(arguments)
        for name, value in arguments.items():
            if name == self._spread:
                found.update({f"{name}.{place}": one for place, one in enumerate(value)})
            elif name == self._further:
                found.update({f"{name}.{key}": one for key, one in value.items()})
        return found

    @property
    def _spread(self) -> str:
        code = self._code
        count = code.co_argcount + code.co_kwonlyargcount
        return code.co_varnames[count] if code.co_flags & inspect.CO_VARARGS else ""

    @property
    def _further(self) -> str:
        code = self._code
        count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)
        return code.co_varnames[count] if code.co_flags & inspect.CO_VARKEYWORDS else ""

    def _arguments(self, test: str, number: int) -> dict[str, Any]:
        frames: list[dict[str, Any]] = []

        def note(frame: types.FrameType) -> None:
            frames.append(arguments_in(frame) if len(frames) + 1 == number else {})
            if len(frames) == number:
                raise Reached

        with watched(self._code, note):
            self._run(test)
        if len(frames) < number:
            raise RecipeError(f"{test} does not call it")
        return frames[-1]

    def left_out(self, case: str) -> Any:
        """Return the exception for which something of a test's file was left out; None where it is whole."""
        with self._own_modules or contextlib.nullcontext():
            return self._runs.why_incomplete(case)

    def cases(self, test: str) -> list[str]:
        """Return the names of a test and its rows; none where it cannot be imported."""

        def note(_frame: types.FrameType) -> None:
            self._called_by.add(_file_of(test))

        try:
            with watched(self._code, note):
                return list(self._runs.cases(test))
        except PROGRAM_ERRORS:  # rows are made by the project's code.
            return []

    def calls_in(self, case: str) -> list[dict[str, Any]]:
        """Return the arguments of the calls that a test makes, as recipes by the names of the parameters."""
        calls: list[dict[str, Any]] = []

        def note(frame: types.FrameType) -> None:
            arguments = arguments_in(frame)
            if any(map(is_missing, arguments.values())):
                raise Reached
            calls.append(self._written(arguments, case, len(calls) + 1))
            if len(calls) >= MOST_CALLS:
                raise Reached

        with watched(self._code, note):
            self._run(case)
        if calls or _file_of(case) in self._called_by:
            self.calling[case] = None
        return calls

    def outcome(self, case: str, clock: CallClock, limit: float) -> CallResult:
        """Run a test to its end: it returns whether it calls the function, and raises what fails it.

        A test that cannot be run here raises `RecipeError`; so does one in which something uses a library that is not
        installed.
        """
        count, uses = 0, USES.count

        def note(_frame: types.FrameType) -> None:
            nonlocal count
            count += 1

        if self._surroundings.steady is not None:
            self._surroundings.steady.begin(case)  # What a test measures is rounded by where the clock stands.
        with self._own_modules or contextlib.nullcontext():
            clock.start(limit)
            try:
                with watched(self._code, note):
                    self._runs.run(case)
            except CallTimeoutError:
                return CallResult(TIMED_OUT)
            except SkippedError as error:
                return CallResult(RAISED, error=RecipeError(str(error)))
            except BaseException as error:  # noqa: BLE001 - whatever it raises, the test fails by it.
                return CallResult(RAISED, error=uses_since(uses, error=error) or error)
            finally:
                clock.stop()
        use = uses_since(uses)
        if use is not None:
            return CallResult(RAISED, error=use)
        return CallResult(RETURNED, bool(count) or _file_of(case) in self._called_by)

    def _written(self, arguments: dict[str, Any], test: str, number: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in arguments.items():
            if name == self._spread:
                found[name] = tuple([_recipe(one, Carved(test, f"{name}.{n}", number)) for n, one in enumerate(value)])
            elif name == self._further:
                found[name] = {key: _recipe(one, Carved(test, f"{name}.{key}", number)) for key, one in value.items()}
            else:
                found[name] = _recipe(value, Carved(test, name, number))
        return found

    def _run(self, case: str) -> None:
        try:
            self._runs.run(case)
        except Reached:
            return
        except CallTimeoutError:
            raise
        except BaseException:  # noqa: BLE001, S110 - a program raises anything
            pass


def _file_of(test: str) -> str:
    return test.partition("::")[0]


def code_of(function: Any) -> types.CodeType:
    """Return the code that runs when a function is called. Raises `RecipeError` where it is not Python's."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if not isinstance(code, types.CodeType):
        raise RecipeError("its calls cannot be watched")
    return code


def _recipe(value: Any, carved: Carved) -> Any:
    """Return a copy of a value that is a literal of moderate size; else the expression that carves it."""
    try:
        return _literal(value, [LARGEST])
    except RecipeError:
        return Name(carved_text(carved))


def _literal(value: Any, left: list[int]) -> Any:
    kind = type_of(value)
    left[0] -= 1
    if kind is slice:
        return New("slice", (_literal(value.start, left), _literal(value.stop, left), _literal(value.step, left)))
    if left[0] < 0:
        raise RecipeError("it is too large")
    if kind in (str, bytes) and len(value) > _LONGEST_TEXT:
        raise RecipeError("it is too long")
    if kind in IMMUTABLE:
        return value
    if kind in (list, tuple, set, frozenset):
        make: Any = kind
        return make([_literal(one, left) for one in value])
    if kind is dict:
        return {_literal(key, left): _literal(one, left) for key, one in value.items()}
    raise RecipeError("it has no literal")
