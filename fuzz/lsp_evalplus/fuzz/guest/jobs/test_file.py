"""The job that runs a program and the unittest cases after it as one file, as BigCodeBench does.

The request::

    program     the program to test
    tests       the test code that follows it, with a class of unittest cases
    class       name of that class
    key         sent with each reply, so that only who has read the request can write one

Replies, each with ``key``: ``{"test": {"name", "outcome": "pass" | "fail" | "error" | "skip" | "expected_failure" |
"unexpected_success", "trace", "seconds", "tampered": [name, ...]}}`` for each test in order, and for what fails between
tests (``setUpClass``); ``{"outside": text}`` where something else than a test raised; ``{"ended": true}`` at the end.
``tampered`` are the parts of unittest and builtins that are no longer what they were before the program was loaded.

Program and tests are executed in two steps, so that what the program did to unittest is undone before the tests are
defined; names, line numbers and ``__future__`` imports are those of one file.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import importlib
import os
import re
import sys
import time
import traceback
import types
from typing import TYPE_CHECKING, Any, Callable

from ..calling.call_outcome import error_text
from ..program.environment import NoInput, do_above_frames, make_output, raise_stack_limit
from ..static.walking import walk_tree
from ..surroundings.random_numbers import seed
from ..testing.collection import import_first, imported_by
from ..testing.guarded import Guard

if TYPE_CHECKING:
    from ..protocol.channel import Channel

_MODULE = "__test__"
_TRACE = 10_000
"""Most characters of a traceback that are sent."""
_NEWLINE = re.compile("\r\n|\r|\n")
_FUTURE = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
"""Flags of all ``__future__`` imports."""


def run(request: dict[str, Any], channel: Channel) -> None:
    """Run the job; see the module's docstring."""
    raise_stack_limit()
    do_above_frames(lambda: _run(request, channel))


def _run(request: dict[str, Any], channel: Channel) -> None:
    import unittest

    importlib.import_module("unittest.mock")
    key, owner = request["key"], os.getpid()

    def send(message: dict[str, Any]) -> None:
        if os.getpid() == owner:  # A process that the program has forked says nothing.
            channel.send({**message, "key": key})

    if hasattr(time, "tzset"):
        time.tzset()
    builtins.exit = builtins.quit = None  # type: ignore[assignment]
    sys.stdin, sys.stdout, sys.stderr = NoInput(), make_output(), make_output()
    loader = unittest.TestLoader()
    seed()
    try:
        first, rest = _parse(request["program"], request["tests"])
        guard = Guard(imported=imported_by(walk_tree(ast.Module(rest, []))))
        result = _make_result(unittest.TestResult, _Reporter(guard, send))
        module = _execute(first, rest, guard)
        suite = loader.loadTestsFromTestCase(vars(module)[request["class"]])
        suite.run(result)
    except BaseException as error:  # noqa: BLE001 - whatever a program does, SystemExit among it
        send({"outside": error_text(error)})
        return
    send({"ended": True})


def _parse(program: str, tests: str) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Return the statements of a program and of the tests that follow it. Raises whatever the parser raises."""
    boundary = len(_NEWLINE.split(program))
    body = ast.parse(program + "\n" + tests, _MODULE + ".py").body
    count = sum(node.lineno <= boundary for node in body)
    return body[:count], body[count:]


def _execute(program: list[ast.stmt], tests: list[ast.stmt], guard: Guard) -> types.ModuleType:
    """Return the module of a program followed by its tests. Raises whatever they raise."""
    import_first(imported_by(tests))
    module = types.ModuleType(_MODULE)
    space = vars(module)
    space.update(
        __builtins__=builtins,
        __file__=_MODULE + ".py",
        __package__=None,
        __doc__=None,
        sys=sys,
        os=os,
        environ=os.environ,
    )
    first = compile(ast.Module(program, []), _MODULE + ".py", "exec", dont_inherit=True)
    rest = ast.Module(tests, [])
    second: Any = compile(rest, _MODULE + ".py", "exec", flags=first.co_flags & _FUTURE, dont_inherit=True)
    try:
        exec(first, space)  # noqa: S102 - in the confined guest
    finally:
        guard.restore()
    exec(second, space)  # noqa: S102 - test code
    sys.modules[_MODULE] = module
    return module


class _Reporter:
    """Follows unittest's result through one test after the other and sends a report of each."""

    def __init__(self, guard: Guard, send: Callable[[dict[str, Any]], None]) -> None:
        self._guard = guard
        self._send = send
        self._found = ("pass", "")
        self._began = 0.0
        self._is_inside = False

    def start(self, _test: Any) -> None:
        """Note that a test begins."""
        self._found, self._began, self._is_inside = ("pass", ""), time.process_time(), True

    def stop(self, test: Any) -> None:
        """Report the test that has ended."""
        self._is_inside = False
        outcome, trace = self._found
        report = {
            "name": test.id().split(".")[-1],
            "outcome": outcome,
            "trace": trace[-_TRACE:],
            "seconds": time.process_time() - self._began,
            "tampered": self._guard.changed()[:10],
        }
        self._send({"test": report})

    def note(self, test: Any, outcome: str, text: str = "") -> None:
        """Note how a test ends; the first fault counts."""
        if self._found[0] not in ("fail", "error"):
            self._found = (outcome, text)
        if not self._is_inside:  # A class cannot be set up or torn down.
            self.stop(test)
            self._found = ("pass", "")


def _make_result(base: Any, reporter: _Reporter) -> Any:
    """Return a result of unittest that tells the reporter everything."""

    def following(name: str, tell: Callable[..., None]) -> Callable[..., None]:
        usual = getattr(base, name)

        def method(self: Any, test: Any, *rest: Any) -> None:
            usual(self, test, *rest)
            tell(test, *rest)

        return method

    def fault(outcome: str) -> Callable[..., None]:
        def note(test: Any, error: Any) -> None:
            reporter.note(test, outcome, _trace_of(error))

        return note

    def other(outcome: str) -> Callable[..., None]:
        def note(test: Any, *said: Any) -> None:
            reporter.note(test, outcome, str(said[0]) if outcome == "skip" else "")

        return note

    def in_subtest(test: Any, _subtest: Any, error: Any) -> None:
        if error is not None:
            reporter.note(test, "fail", _trace_of(error))

    methods: dict[str, Callable[..., None]] = {
        "startTest": reporter.start,
        "stopTest": reporter.stop,
        "addError": fault("error"),
        "addFailure": fault("fail"),
        "addSubTest": in_subtest,
        "addSkip": other("skip"),
        "addExpectedFailure": other("expected_failure"),
        "addUnexpectedSuccess": other("unexpected_success"),
    }
    return type("Result", (base,), {name: following(name, tell) for name, tell in methods.items()})()


def _trace_of(found: Any) -> str:
    """Return the traceback of an exception as upstream writes it; how it ends if its class lets nobody write it."""
    try:
        return "".join(traceback.format_exception(*found))
    except Exception:  # noqa: BLE001 - its class may do anything
        return error_text(found[1])
