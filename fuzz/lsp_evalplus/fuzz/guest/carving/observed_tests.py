"""Runs tests of a project to their ends, and observes which functions of one file each of them calls."""

from __future__ import annotations

import ast
import linecache
import os
import re
import types
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..calling.call_clock import CallClock
from ..static.walking import walk_tree
from ..values.program_errors import CallTimeoutError, traces_of
from ..values.rendering import message_of
from .captured_calls import profiled
from .pytest_stand_in import SkippedError
from .test_runs import TestRuns

LIMIT = 1.0
"""Processor time of one test."""
MOST_LAYERS = 4
"""Maximum number of functions of decorators between a test and the function that it calls."""
PASSED, FAILED, UNKNOWN = "passed", "failed", "unknown"


class ObservedFunction(NamedTuple):
    """A function whose calls are observed."""

    name: str
    """Qualified."""
    is_decorated: bool
    """Whether other functions may stand between a caller and its code."""


class Failure(NamedTuple):
    """The ``assert`` statement by which a test fails."""

    names: list[str]
    """The functions that the test itself called in this statement."""
    statement: str
    message: str


class Observed(NamedTuple):
    """What one test did."""

    ending: str
    """`PASSED`; `FAILED` by an assert statement of its own; `UNKNOWN` where it could not be run, or ended otherwise."""
    direct: list[str]
    """The functions that the file of the test called itself."""
    through: dict[str, str]
    """The functions that it reached through others, each with the name of the one that it called."""
    failure: Failure | None = None


class ObservedTests:
    """Tests that are run with a watch on the functions of one file.

    Args:
        path: the file.
        functions: by the line on which their code begins.
        runs: the tests.
        clock: limits each of them.
    """

    def __init__(self, path: str, functions: Mapping[int, ObservedFunction], runs: TestRuns, clock: CallClock) -> None:
        self._path = os.path.realpath(path)
        self._functions = functions
        self._runs = runs
        self._clock = clock
        self._known: dict[types.CodeType, ObservedFunction | None] = {}

    def cases(self, test: str) -> list[str]:
        """Return the names of a test and its rows; none where it cannot be imported."""
        try:
            return list(self._runs.cases(test))
        except CallTimeoutError:
            raise
        except BaseException:  # noqa: BLE001 - a program raises anything
            return []

    def observe(self, case: str, root: str) -> Observed:
        """Run a test that stands in the project with this root."""
        calls = _Calls(os.path.realpath(os.path.join(root, case.partition("::")[0])))
        error: Any = None
        self._clock.start(LIMIT)
        try:
            with self._watching(calls):
                self._runs.run(case)
        except CallTimeoutError:
            return Observed(UNKNOWN, [], {})
        except BaseException as raised:  # noqa: BLE001 - whatever it raises, the test fails by it.
            error = raised
        finally:
            self._clock.stop()
        if error is None:
            return Observed(PASSED, sorted(calls.direct), calls.through)
        failure = None if isinstance(error, SkippedError) else calls.failure(error)
        if failure is None or self._runs.why_incomplete(case) is not None:
            return Observed(UNKNOWN, [], {})
        return Observed(FAILED, sorted(calls.direct), {}, failure)

    @contextmanager
    def _watching(self, calls: _Calls) -> Generator[None]:
        def hook(frame: types.FrameType, event: str, _argument: Any) -> None:
            if event == "call":
                code = frame.f_code
                found = self._known[code] if code in self._known else self._find(code)
                if found is not None:
                    calls.note(found, frame.f_back)

        with profiled(hook):
            yield

    def _find(self, code: types.CodeType) -> ObservedFunction | None:
        found = self._functions.get(code.co_firstlineno)
        is_here = found is not None and found.name.rpartition(".")[2] == code.co_name
        if not is_here or os.path.realpath(code.co_filename) != self._path:
            found = None
        self._known[code] = found
        return found


class _Calls:
    """The calls of watched functions during one test, which stands in the file `path`."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._files: dict[str, bool] = {}
        self.direct: dict[str, set[int]] = {}
        """The lines of the test's file that call a function."""
        self.through: dict[str, str] = {}

    def note(self, watched: ObservedFunction, caller: Any) -> None:
        """Note a call of a function by a frame."""
        name, frame, called, depth = watched.name, caller, watched.name, 0
        while frame is not None and not self._is_test(frame.f_code.co_filename):
            called, frame, depth = frame.f_code.co_name, frame.f_back, depth + 1
        if frame is None:
            return
        if depth == 0 or (watched.is_decorated and depth <= MOST_LAYERS and self._is_wrapper(caller, depth)):
            self.direct.setdefault(name, set()).add(frame.f_lineno)
            self.through.pop(name, None)
        elif name not in self.direct:
            self.through.setdefault(name, called)

    def _is_test(self, filename: str) -> bool:
        if filename not in self._files:
            self._files[filename] = os.path.realpath(filename) == self._path
        return self._files[filename]

    def _is_wrapper(self, frame: Any, depth: int) -> bool:
        """Whether the frames between are closures of decorators: functions inside of others."""
        for _ in range(depth):
            if not frame.f_code.co_freevars:
                return False
            frame = frame.f_back
        return True

    def failure(self, error: BaseException) -> Failure | None:
        """Return the assert statement of the test's file that failed; None where the test ended otherwise."""
        if not isinstance(error, AssertionError):
            return None
        line = 0
        for trace in traces_of(error):
            if self._is_test(trace.tb_frame.f_code.co_filename):
                line = trace.tb_lineno
            elif not _is_unittest(trace.tb_frame.f_code.co_filename):
                line = 0
        found = _assertion_at(linecache.getlines(self._path), line) if line else None
        if found is None:
            return None
        first, last, text = found
        # An assertion that does not name a function, as it calls ``__bool__``, states nothing of its result.
        names = [
            name
            for name, lines in self.direct.items()
            if any([first <= one <= last for one in lines]) and re.search(rf"\b{name.rpartition('.')[2]}\b", text)
        ]
        return Failure(sorted(names), text, message_of(error).strip().split("\n")[0][:200])


def _is_unittest(filename: str) -> bool:
    parts = filename.replace("\\", "/").split("/")
    return "unittest" in parts[-2:-1]


def _assertion_at(lines: list[str], line: int) -> tuple[int, int, str] | None:
    """Return first and last line, and the text, of the assertion at a line of a file."""
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        return None
    assertions = [node for node in walk_tree(tree) if _is_assertion(node)]
    found = [node for node in assertions if _lines_of(node)[0] <= line <= _lines_of(node)[1]]
    if len(found) != 1:
        return None
    first, last = _lines_of(found[0])
    return first, last, " ".join("".join(lines[first - 1 : last]).split())


def _is_assertion(node: Any) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        return isinstance(called, ast.Attribute) and called.attr.startswith("assert")
    return isinstance(node, ast.Assert)


def _lines_of(node: Any) -> tuple[int, int]:
    return node.lineno, node.end_lineno or node.lineno


def named_of(functions: Collection[Any]) -> dict[int, ObservedFunction]:
    """Return functions by their first lines, from ``[name, line, is_decorated]`` of a request."""
    return {line: ObservedFunction(name, bool(is_decorated)) for name, line, is_decorated in functions}
