"""Rows for a search out of the calls that a project's tests make."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..calling.call_clock import CallClock
from ..calling.invocation import RAISED, RETURNED, CallResult
from ..calling.rows import Layout
from ..calling.subject import Subject
from ..comparison.equality import same
from ..values.carved import SECONDS_IN_TEST
from ..values.dynamic import type_of
from ..values.program_errors import CallTimeoutError
from ..values.recipes.model import RecipeError, is_plain
from ..values.recipes.source import to_text
from ..values.rendering import value_text
from .carver import Carver
from .test_runs import Location, TestRuns

MOST_ROWS = 24
"""Maximum number of rows that are taken from tests."""
MOST_CANDIDATES = 100
"""Maximum number of those from which they are chosen."""
MOST_ALIKE = 3
"""Maximum number of rows with one outcome."""
MOST_UNFINISHED = 6
"""After this many tests that wait too long, no others are run: waiting takes no processor time."""
TESTS_SHARE = 4.0
"""How many times as much processor time as the search itself the runs of tests may take before it."""


def install(subject: Subject, texts: Sequence[str] = ()) -> Carver | None:
    """Bind what carves arguments in a program's namespace; None where the program has no tests.

    Args:
        texts: arguments whose tests are imported.

    Raises:
        RecipeError: the calls of its function cannot be seen.
    """
    fields = subject.program.get("carving")
    if not fields:
        return None
    loaded = subject.loaded
    if loaded.makes_instance and not loaded.is_constructor:
        # Tests have other instances than the one that is made without arguments.
        loaded.makes_instance, loaded.is_made_bare = False, True
    locations = {name: Location(*where) for name, where in fields["tests"].items()}
    carver = Carver(subject.loaded, TestRuns(locations, fields["search_path"]))
    import_tests(subject, carver, texts)
    return carver


def import_tests(subject: Subject, carver: Carver, texts: Sequence[str]) -> None:
    """Import the tests that some texts of arguments name, which takes longer than a call may."""
    with subject.loaded.own_modules or contextlib.nullcontext():
        for test in subject.program["carving"]["tests"]:
            if any([test in text for text in texts]):
                carver.cases(test)


def carved_rows(subject: Subject, carver: Carver, layout: Layout, clock: CallClock, budget: float) -> list[Any]:
    """Return the rows of calls in tests on which a program does the same each time.

    What differs from run to run - a file's name, a thread's number - would be taken for a difference of two programs.
    Of rows with one outcome some are taken: tests begin alike. `budget` is the processor time of the search.
    """
    candidates: dict[str, Any] = {}
    seconds = TESTS_SHARE * budget
    end = time.process_time() + seconds
    unfinished = 0
    with subject.loaded.own_modules or contextlib.nullcontext():
        for test in subject.program["carving"]["tests"]:
            is_over = len(candidates) >= MOST_CANDIDATES or time.process_time() > end or unfinished >= MOST_UNFINISHED
            for case in carver.cases(test) if not is_over else ():
                rows = _rows_of(case, carver, layout, clock)
                unfinished += rows is None
                candidates.update({to_text(row): row for row in rows or ()})
    side, limit = subject.side(layout.form), max(SECONDS_IN_TEST, clock.allowance)
    found: list[Any] = []
    alike: Counter[str] = Counter()
    for row in candidates.values():
        if len(found) >= MOST_ROWS or (found and time.process_time() > end + seconds):
            break
        one = side.run(row, clock, limit)
        outcome = _outcome(one)
        if alike[outcome] < MOST_ALIKE and (is_plain(row) or _are_alike(one, side.run(row, clock, limit))):
            alike[outcome] += 1
            found.append(row)
    return found


def _outcome(result: CallResult) -> str:
    return f"{result.kind} {type_of(result.error).__name__} {value_text(result.value)[:200]}"


def _rows_of(case: str, carver: Carver, layout: Layout, clock: CallClock) -> list[Any] | None:
    """Return the rows of the calls in a test; None where it does not end in time."""
    clock.start(SECONDS_IN_TEST)
    try:
        calls = carver.calls_in(case)
    except CallTimeoutError:
        return None
    finally:
        clock.stop()
    rows = [_row(call, layout.parameters) for call in calls]
    return [row for row in rows if row is not None]


def _row(call: dict[str, Any], parameters: Sequence[Any]) -> Any:
    found: list[Any] = []
    for parameter in parameters:
        if parameter.name in call:
            found.append(call[parameter.name])
        elif parameter.is_default_written:
            found.append(parameter.default)
        else:
            return None
    return tuple(found)


def _are_alike(one: CallResult, two: CallResult) -> bool:
    if one.kind != two.kind or isinstance(one.error, RecipeError):
        return False
    if one.kind == RETURNED:
        return same(one.value, two.value)
    return one.kind == RAISED and type(one.error) is type(two.error)
