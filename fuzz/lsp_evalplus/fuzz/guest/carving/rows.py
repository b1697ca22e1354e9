"""Rows for a search out of the calls that a project's tests make."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from typing import Any

from ..program.call_clock import CallClock, CallTimeoutError
from ..program.invocation import RAISED, RETURNED, CallResult
from ..program.rows import Layout
from ..program.subject import Subject
from ..values.equality import same
from ..values.recipe import RecipeError, is_plain, to_text
from .carver import Carver
from .test_runs import Location, TestRuns

MOST_ROWS = 24
"""Maximum number of rows that are taken from tests."""
LIMIT = 0.3
"""The same of one test."""


def install(subject: Subject) -> Carver | None:
    """Bind what carves arguments in a program's namespace; None where the program has no tests.

    Raises:
        RecipeError: the calls of its function cannot be seen.
    """
    fields = subject.program.get("carving")
    if not fields:
        return None
    locations = {name: Location(*where) for name, where in fields["tests"].items()}
    return Carver(subject.loaded, TestRuns(locations, fields["search_path"]))


def carved_rows(subject: Subject, carver: Carver, layout: Layout, clock: CallClock) -> list[Any]:
    """Return the rows of calls in tests on which a program does the same each time.

    What differs from run to run - a file's name, a thread's number - would be taken for a difference of two programs.
    """
    found: dict[str, Any] = {}
    end = time.process_time() + subject.program["carving"]["seconds"]
    with subject.loaded.own_modules or contextlib.nullcontext():
        for test in subject.program["carving"]["tests"]:
            for case in carver.cases(test) if len(found) < MOST_ROWS and time.process_time() < end else ():
                found.update({to_text(row): row for row in _rows_of(case, carver, layout, clock)})
    side = subject.side(layout.form)
    limit = max(LIMIT, clock.allowance)
    return [
        row
        for row in list(found.values())[:MOST_ROWS]
        if is_plain(row) or _are_alike(side.run(row, clock, limit), side.run(row, clock, limit))
    ]


def _rows_of(case: str, carver: Carver, layout: Layout, clock: CallClock) -> Iterator[Any]:
    clock.start(LIMIT)
    try:
        calls = carver.calls_in(case)
    except CallTimeoutError:
        return
    finally:
        clock.stop()
    for call in calls:
        row = _row(call, layout.parameters)
        if row is not None:
            yield row


def _row(call: dict[str, Any], parameters: Sequence[Any]) -> Any:
    found: list[Any] = []
    for parameter in parameters:
        if parameter.name in call:
            found.append(call[parameter.name])
        elif parameter.has_default and is_plain(parameter.default):
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
