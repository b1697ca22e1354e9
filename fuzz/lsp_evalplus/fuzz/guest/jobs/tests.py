"""The job that runs the tests of a task.

The request::

    sources             the test code, one text after the other
    setup               code that runs before the tests, in their namespace
    reference           the reference: tests find what else it defines
    entry_point         name of the function under test
    program             the program to test, in this process; absent: its calls are asked of the host
    has_trace           report a digest of the calls and answers in each test
    key                 sent with each report, so that only who has read the request can write one
    load_seconds        processor time of loading a program
    test_seconds        processor time of one test of a program in this process
    slow_seconds        limits of single tests, by name

Replies: ``{"call": number, "args", "kwargs"}`` for each call (encoded), which the host answers as ``calls`` describes,
and ``{"report": {"name", "status": "passed" | "failed" | "timed_out" | "skipped", "text", "asserts": [position, ...],
"own": bool, "seconds": s, "trace": digest}, "key"}`` for each test, in order. ``asserts`` are those it passed, ``own``
whether the program returned objects of classes of its own. ``{"load_error": {"kind", "message"}}`` is the only reply
where a program cannot be loaded.
"""

from __future__ import annotations

import ast
import functools
import linecache
import os
import sys
import time
import types
from typing import TYPE_CHECKING, Any, Callable

from ..calling.call_clock import CallClock
from ..calling.call_outcome import error_text, exception_message
from ..program.environment import NoInput, do_above_frames, make_output, raise_stack_limit
from ..program.module_overlay import SourceLoader
from ..static.walking import walk_tree
from ..surroundings.random_numbers import seed
from ..testing.collection import CaseFailedError, CaseSkippedError, Collection, Test, import_first, imported_by
from ..testing.guarded import REFERENCE, SOLUTION, Guard, GuardedCall
from ..testing.plain_calls import (
    LIMITS,
    NotPlainError,
    Trace,
    bases_of,
    exception_like,
    from_answer,
    from_plain,
    is_iterator,
    to_answer,
    to_plain,
    write_back,
)
from ..values.plain import TooLargeError, encode
from ..values.program_errors import CallTimeoutError
from ..values.source_text import without_mark

if TYPE_CHECKING:
    from ..protocol.channel import Channel

_TEXT = 500
_NO_LIMIT = 1e6
HARD_SECONDS = 1.0
"""Processor time after a limit at which a test that cannot be interrupted ends the process."""


class CallStoppedError(BaseException):
    """A call gave nothing that a test could use. Not an `Exception`, so that a test does not catch it by accident."""


def run(request: dict[str, Any], channel: Channel) -> None:
    """Run the job; see the module's docstring."""
    raise_stack_limit()
    do_above_frames(_Tests(request, channel).run)


class _Tests:
    """State of one request."""

    def __init__(self, request: dict[str, Any], channel: Channel) -> None:
        self._request = request
        self._channel = channel
        self._clock = CallClock()
        self._now = time.process_time
        self._calls = 0
        self._stopped: tuple[str, bool] | None = None
        """Why a call of the current test gave no value, and whether that was its time."""
        self._trace = Trace()
        self._guarded: GuardedCall | None = None
        self._guard: Guard | None = None

    def run(self) -> None:
        request = self._request
        entry_point: str = request["entry_point"]
        try:
            import_first(_imports_in([request["setup"], *request["sources"]]))
            namespace = dict(vars(_make_module(REFERENCE, request["reference"])))
        except Exception as error:  # noqa: BLE001 - the data set's code may raise anything
            message = f"neither tests nor reference can be loaded: {error_text(error)}"
            self._channel.send({"load_error": {"kind": "failed", "message": message}})
            return
        if request.get("program") is None:
            namespace[entry_point] = self._make_candidate(namespace.get(entry_point))
        elif not self._load(request["program"], namespace):
            return
        namespace["__name__"] = "tests"
        sources = [request["setup"], *request["sources"]] if request["setup"].strip() else request["sources"]
        collection = Collection(sources, namespace, entry_point)
        for test in collection.tests():
            report = self._run_test(test, collection)
            if report is not None:
                self._channel.send({"report": report, "key": request["key"]})

    def _run_test(self, test: Test, collection: Collection) -> dict[str, Any] | None:
        """Run one test and return its report; None for a statement that did what it is there for."""
        self._stopped = None
        self._trace = Trace()
        collection.passed.clear()
        if self._guard is not None:
            self._guard.restore()
        if self._guarded is not None:
            self._guarded.returns_own = False
        sys.stdin, sys.stdout, sys.stderr = NoInput(), make_output(), make_output()
        seed()
        began = self._now()
        status, text = self._outcome_of(test)
        if self._clock.has_expired:
            status, text = "timed_out", "no result within its time"
        if self._guard is not None:
            self._guard.restore()
        if self._stopped is not None:
            status, text = "timed_out" if self._stopped[1] else "failed", self._stopped[0]
        if not test.is_test and status == "passed":
            return None
        return {
            "name": test.name,
            "status": status,
            "text": text[:_TEXT],
            "asserts": sorted(set(collection.passed)),
            "own": self._guarded is not None and self._guarded.returns_own,
            "seconds": self._now() - began,
            "trace": self._trace.text(),
        }

    def _outcome_of(self, test: Test) -> tuple[str, str]:
        request, clock = self._request, self._clock
        try:
            if request.get("program") is None:
                test.run()
            else:
                limit: float = request["slow_seconds"].get(test.name, request["test_seconds"])
                clock.install(limit + HARD_SECONDS)
                clock.start(limit)
                try:
                    test.run()
                finally:
                    clock.stop()
        except CallTimeoutError:
            return "timed_out", "no result within its time"
        except CaseSkippedError as error:
            return "skipped", str(error)
        except (CaseFailedError, CallStoppedError) as error:
            return "failed", str(error)
        except BaseException as error:  # noqa: BLE001 - whatever test code or code under test raises
            return "failed", error_text(error)
        return "passed", ""

    def _make_candidate(self, original: Any) -> Callable[..., Any]:
        """Return a function that asks the host for the result of each call."""

        def candidate(*args: Any, **kwargs: Any) -> Any:
            return self._ask(list(args), kwargs)

        if isinstance(original, types.FunctionType):
            candidate.__name__, candidate.__qualname__ = original.__name__, original.__qualname__
            candidate.__doc__ = original.__doc__
        return candidate

    def _ask(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        try:
            message = {"args": to_plain(args), "kwargs": to_plain(kwargs)}
        except (NotPlainError, TooLargeError) as error:
            raise self._stopped_by(f"it was called with what is no plain data: {error}") from None
        self._calls += 1
        self._trace.add_call(message["args"], message["kwargs"])
        self._channel.send({"call": self._calls, **message})
        answer = self._channel.next_message()
        if answer is None or answer.get("answer") != self._calls:
            raise self._stopped_by("gave no answer")
        self._trace.add_answer(answer)
        if "stopped" in answer:
            raise self._stopped_by(str(answer["stopped"]), is_timeout=bool(answer.get("is_timeout")))
        try:
            if "after" in answer:
                after = from_plain(answer["after"])
                write_back(args, after[0])
                for key, value in kwargs.items():
                    write_back(value, after[1].get(key))
            if "raised" not in answer:
                return from_answer(answer)
        except (NotPlainError, LookupError, TypeError, AttributeError) as error:
            raise self._stopped_by(f"returned {error}, which is no plain data") from None
        raise exception_like(answer["raised"], answer.get("text"))

    def _stopped_by(self, text: str, *, is_timeout: bool = False) -> CallStoppedError:
        self._stopped = self._stopped or (text, is_timeout)
        return CallStoppedError(text)

    def _load(self, source: str, namespace: dict[str, Any]) -> bool:
        """Load a program into this process and put what it defines in the place of what the reference defines."""
        request, entry_point = self._request, self._request["entry_point"]
        limit: float = request["load_seconds"]
        guard = Guard(_imports_in([request["setup"], *request["sources"]]))
        clock = self._clock
        kind, message = "failed", ""
        sys.stdin, sys.stdout, sys.stderr = NoInput(), make_output(), make_output()
        clock.install(limit + HARD_SECONDS)
        clock.start(limit)
        try:
            try:
                module = _make_module(SOLUTION, source)
            finally:
                clock.stop()
                guard.restore()
        except CallTimeoutError:
            kind, message = "timed_out", "the module cannot be loaded because it does not end"
        except BaseException as error:  # noqa: BLE001 - whatever code under test raises
            message = "the module cannot be loaded: " + error_text(error)
        else:
            if entry_point in vars(module):
                self._guard = guard
                self._replace(namespace, vars(module), entry_point)
                return True
            message = f"the module does not define {entry_point!r}"
        self._channel.send({"load_error": {"kind": kind, "message": message}})
        return False

    def _traced(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that adds its calls to the trace; only for references."""

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            self._trace.add_call(_encoded([*args]), _encoded(kwargs))
            try:
                result = function(*args, **kwargs)
            except Exception as error:
                self._trace.add_answer({"raised": bases_of(error), "text": exception_message(error)})
                raise
            answer = {"form": "iterator"} if is_iterator(result) else None
            try:
                self._trace.add_answer(answer or to_answer(result))
            except TooLargeError:
                self._trace.add_answer({"text": "too large"})
            return result

        return call

    def _replace(self, namespace: dict[str, Any], found: dict[str, Any], entry_point: str) -> None:
        """Replace the definitions of the reference, not what it has imported."""
        assert self._guard is not None
        for name, value in list(namespace.items()):
            if getattr(value, "__module__", None) == REFERENCE and name in found:
                namespace[name] = found[name]
        entry = found[entry_point]
        if isinstance(entry, types.FunctionType):
            entry = self._traced(entry) if self._request.get("has_trace") else entry
            self._guarded = GuardedCall(entry, self._guard)
            entry = self._guarded.as_function()
        namespace[entry_point] = entry


def _encoded(value: Any) -> Any:
    try:
        return encode(value, LIMITS)
    except TooLargeError:
        return "too large"


def _make_module(name: str, source: str) -> types.ModuleType:
    """Return the module of a program, which finds its own source text."""
    text = without_mark(source)
    path = os.path.abspath(name + ".py")
    loader: Any = SourceLoader(text, path)
    module = types.ModuleType(name)
    module.__file__, module.__loader__ = path, loader
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    sys.modules[name] = module
    exec(compile(text, path, "exec", dont_inherit=True), vars(module))  # noqa: S102 - in the confined guest
    return module


def _imports_in(sources: list[str]) -> list[str]:
    """Return the names of the modules that test code imports."""
    return imported_by(node for source in sources for node in walk_tree(ast.parse(source)))
