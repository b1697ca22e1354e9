"""The job that runs tests of a project and reports which functions of one file they call, and how they end.

The request::

    path            the file
    functions       [[qualified name, line of its first decorator or its ``def``, whether it has a decorator], ...]
    search_path     import roots of the file
    carving         the tests, as in a program's fields
    root            the folder from which the names of the tests begin
    seconds         processor time after which no further test is begun
    enough          a function that so many passing tests call themselves needs no more
    only            the name of one case: no other one is run; "" for all

Replies: for each test that was run ``{"case", "ending", "direct", "through", "failure"}``, as `ObservedTests` has them.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from ..calling.call_clock import CallClock
from ..carving.observed_tests import FAILED, PASSED, ObservedTests, named_of
from ..carving.test_runs import Location, TestRuns
from ..program.module_overlay import search_first
from ..values.program_errors import CallTimeoutError
from .muted import muted

if TYPE_CHECKING:
    from ..protocol.channel import Channel

STUCK_SECONDS = 3.0
"""Processor time without a tick of the clock after which the process is ended."""
MOST_FAILED = 5
"""A function that so many tests fail by needs no more."""


def run(request: dict[str, Any], channel: Channel) -> None:
    """Run the job; see the module's docstring."""
    search_first(request["search_path"])
    _enter(request["root"])
    fields = request["carving"]
    locations = {name: Location(*where) for name, where in fields["tests"].items()}
    clock = CallClock()
    runs = TestRuns(locations, fields["search_path"])
    functions = named_of(request["functions"])
    tests = ObservedTests(request["path"], functions, runs, clock)
    with muted():
        clock.install(STUCK_SECONDS)
        try:
            for case in _cases(request, tests, clock):
                observed = tests.observe(case, request["root"])
                failure = None if observed.failure is None else observed.failure._asdict()
                channel.send({"case": case, **observed._asdict(), "failure": failure})
                if _is_enough(request, observed, {one.name for one in functions.values()}):
                    break
        finally:
            clock.remove()


def _enter(root: str) -> None:
    """Make a project's root the current folder, from which tests read files, unless they could write there."""
    if not hasattr(os, "O_TMPFILE"):
        return
    try:
        os.close(os.open(root, os.O_TMPFILE | os.O_WRONLY, 0o600))  # A file without a name.
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            with contextlib.suppress(OSError):
                os.chdir(root)


def _cases(request: dict[str, Any], tests: ObservedTests, clock: CallClock) -> Any:
    if request["only"]:
        yield request["only"]
        return
    end = time.process_time() + request["seconds"]
    for test in request["carving"]["tests"]:
        if time.process_time() > end:
            return
        clock.start(max(STUCK_SECONDS, request["seconds"]))
        try:
            found = tests.cases(test)
        except CallTimeoutError:
            found = []
        finally:
            clock.stop()
        yield from found


def _is_enough(request: dict[str, Any], observed: Any, names: set[str]) -> bool:
    """Whether no function needs another test."""
    passed: Counter[str] = request.setdefault("passed", Counter())
    failed: Counter[str] = request.setdefault("failed", Counter())
    if observed.ending == PASSED:
        passed.update(observed.direct)
    elif observed.ending == FAILED and observed.failure is not None:
        failed.update(observed.failure.names)
    return all([passed[name] >= request["enough"] or failed[name] >= MOST_FAILED for name in names])
