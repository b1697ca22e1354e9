"""The job that runs one docstring as ``python -m doctest`` does: the whole module, imported under its own name, and all
lines of the docstring in order, in a process that has called nothing before.

The request::

    module      {"name", "path", "source", "search_path", "modules"}: the source code of the file, not only what the
                function needs; modules are those it imports in another version than that on disk (name -> path, source)
    function    the unqualified name of the function that is judged
    docstring   the docstring with the examples
    line        the line of the docstring, from 0, whose example is in question; null for all of them
    is_steady   whether the clock is at rest and random numbers are the same, as in `surroundings.steady`, in another
                time zone than the machine's

Reply: ``{"fails": bool, "raised": str | None, "got": str, "held": int, "failed": int}``: whether the standard library's
doctest sees that example fail because of the function, the class of the exception that it raised, and what it showed.
An exception in a line that never reaches the function does not count, nor does a line after an unexpected exception,
which may depend on what the failed line was to prepare, nor one after files of this machine were read, such as those of
time zones, or after it was asked which distributions are installed, such as those that bring plugins. ``held`` counts
the lines, from the first that reached the function on, that gave the output they state; ``failed`` all others that
state one.
"""

from __future__ import annotations

import doctest
import importlib
import os
import re
import sys
import time
import types
from typing import TYPE_CHECKING, Any

from ..program.customary_names import customary_modules, names_in
from ..program.module_overlay import Overlay, search_first
from ..surroundings.steady import install

if TYPE_CHECKING:
    from ..protocol.channel import Channel

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
"""Option flags that most projects set for their doctests; a result that fails with them fails without."""


def run(request: dict[str, Any], channel: Channel) -> None:
    """Run the job; see the module's docstring."""
    described = request["module"]
    search_first(described.get("search_path") or ())
    texts = {**described.get("modules", {}), described["name"]: [described["path"], described["source"]]}
    sys.stdout = _CurrentOutput(sys.stdout)
    if request["is_steady"]:
        install().begin()
        _move_time_zone()
    with Overlay(texts):
        try:
            module = importlib.import_module(described["name"])
        except BaseException:  # noqa: BLE001 - user code; what cannot be imported cannot be confirmed.
            channel.send(_NOTHING)
            return
        channel.heartbeat()
        channel.send(_run(request, module))


def _move_time_zone() -> None:
    """Set another time zone: what an example shows of the machine's own says nothing of the function."""
    if hasattr(time, "tzset"):
        ahead = time.timezone - 20_700  # By 5:45 hours, which no zone's summer time comes to.
        sign, minutes = "-" if ahead < 0 else "", abs(ahead) // 60
        os.environ["TZ"] = f"<moved>{sign}{minutes // 60:02}:{minutes % 60:02}"
        time.tzset()


def _run(request: dict[str, Any], module: types.ModuleType) -> dict[str, Any]:
    """Run the docstring up to the example in question; return the reply."""
    try:
        test = doctest.DocTestParser().get_doctest(request["docstring"], {}, module.__name__, module.__file__, 0)
    except ValueError:
        return _NOTHING
    if request["line"] is not None:
        test.examples = [one for one in test.examples if one.lineno <= request["line"]]
    names = names_in([one.source for one in test.examples])
    customary = customary_modules(names, module.__name__.partition(".")[0])
    test.globs = {**customary, **vars(module), "__name__": module.__name__}
    runner = _Runner(request["line"], request["function"], request["module"]["path"])
    roots = [sys.prefix, sys.base_prefix, os.path.dirname(request["module"]["path"]), *sys.path]
    own = tuple({os.path.join(os.path.abspath(root), "") for root in (*roots, os.curdir)} | {"/dev/", "/proc/"})
    sys.addaudithook(lambda event, arguments: runner.note_file(arguments[0], own) if event == "open" else None)
    saved = sys.getprofile()
    sys.setprofile(runner.watch)
    try:
        runner.run(test, out=_nowhere, clear_globs=False)
    finally:
        sys.setprofile(saved)
    fails = runner.fails and not runner.is_unprepared and not runner.reads_elsewhere
    got = _ADDRESS.sub("", runner.got)[:_MOST_SHOWN]
    return {"fails": fails, "raised": runner.raised, "got": got, "held": runner.held, "failed": runner.failed}


_NOTHING: dict[str, Any] = {"fails": False, "raised": None, "got": "", "held": 0, "failed": 0}
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
"""Addresses of objects, which say nothing of what a program does."""
_MOST_SHOWN = 10_000
"""Characters of an output that are compared with those of another run."""


_OF_DISTRIBUTIONS = frozenset(("importlib.metadata", "importlib_metadata", "pkg_resources"))
"""Modules that tell what is installed: a project that is not, or an older one, has other entry points there."""


class _CurrentOutput:
    """Forwards to what is standard output at the time of use; a function may keep it as the default of a parameter."""

    def __init__(self, first: Any) -> None:
        self._first = first

    def __getattr__(self, name: str) -> Any:
        return getattr(self._first if sys.stdout is self else sys.stdout, name)


def _exception_in(got: str) -> tuple[str | None, str]:
    """Return the class (without its module; None if there is none) and message of the exception in an output."""
    _, header, trace = got.partition("Traceback (most recent call last):\n")
    lines = [line for line in trace.split("\n") if line and not line.startswith(" ")]
    if not header or not lines:
        return None, ""
    kind, _, message = lines[0].partition(": ")
    return kind.rpartition(".")[2], message


def _nowhere(text: str) -> None:
    del text


class _Checker(doctest.OutputChecker):
    """Compares outputs without the prefixes of strings, which examples written for Python 2 have."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        """Return whether the output is as wanted."""
        if super().check_output(want, got, optionflags):
            return True
        plain, actual = (re.sub(r"(?<!\w)[uU](?=[rR]?['\"])", "", text) for text in (want, got))
        return plain != want and super().check_output(plain, actual, optionflags)


class _Runner(doctest.DocTestRunner):
    """Records the result of one example, and whether its line reached the function."""

    def __init__(self, line: int | None, function: str, path: str) -> None:
        super().__init__(checker=_Checker(), verbose=False, optionflags=FLAGS)
        self._line = line
        self._function = function
        self._path = path
        self._is_entered = False
        self._was_entered = False
        self._has_begun = False
        self.fails = False
        self.is_unprepared = False
        self.reads_elsewhere = False
        self.raised: str | None = None
        self.got = ""
        self.held = 0
        self.failed = 0

    def watch(self, frame: Any, event: str, argument: Any) -> None:
        """Trace function: called by the interpreter for every call."""
        del argument
        code = frame.f_code
        if event == "call" and code.co_name == self._function and code.co_filename == self._path:
            self._is_entered = self._was_entered = True
        elif self._has_begun and frame.f_globals.get("__name__") in _OF_DISTRIBUTIONS:
            self.reads_elsewhere = True

    def note_file(self, path: Any, own: tuple[str, ...]) -> None:
        """Audit hook for files that are opened: those outside of the project and its interpreter are the machine's."""
        if self._has_begun and isinstance(path, (str, bytes)):
            self.reads_elsewhere |= not os.path.abspath(os.fsdecode(path)).startswith(own)

    def report_start(self, out: Any, test: doctest.DocTest, example: doctest.Example) -> None:
        """Start a line."""
        del out, test, example
        self._is_entered = False
        self._has_begun = True

    def report_success(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        """Count a line that gave the output it states."""
        del out, test, got
        self.held += self._was_entered and bool(example.want)

    def report_failure(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        """Record an unexpected result: it may reveal state left by an earlier call."""
        del out, test
        self.failed += 1
        if example.lineno != self._line:
            return
        self.got = got
        self.raised, message = _exception_in(got)
        if self.raised is None:
            self.fails = self.fails or self._was_entered
        else:
            self.fails = self.fails or self._is_entered or self._is_refusal(self.raised, message)

    def report_unexpected_exception(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        """Record an unexpected exception."""
        del out, test
        self.failed += 1
        if example.lineno == self._line:
            self.raised = type(exc_info[1]).__name__
            self.fails = self.fails or self._is_entered or self._is_refusal(self.raised, str(exc_info[1]))
        else:
            self.is_unprepared = True

    def _is_refusal(self, raised: str, message: str) -> bool:
        """Return whether the example's arguments do not fit the function's parameters."""
        called = message.partition("(")[0] if raised == TypeError.__name__ else ""
        return called.rpartition(".")[2] == self._function
