"""Judges functions that nothing else can judge by the tests of their project that call them.

The tests of a file are run once for all of its functions, in a guest, to their ends. A function has passed those that
it was called in. A test that fails is a finding only where the failing statement is an assertion of the test itself
that names the function and calls it, another test that calls it passes, fresh guests under other hash seeds agree, and
neither the file of the test nor that of the function names what differs in a guest: files, the clock, the network.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping, Sequence
from typing import cast

from lsp_evalplus.fuzz.guest.values.carved import whole_test_text
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job, collect
from lsp_evalplus.fuzz.model import (
    STATED_TEST_NOTE,
    Counterexample,
    Oracle,
    OracleKind,
    Outcome,
    OutcomeKind,
    Plain,
    Report,
    Verdict,
)
from lsp_evalplus.fuzz.oracle.project_tests import TestedFile

from .sentences import passed_in_tests

SECONDS, SECONDS_EACH, MOST_SECONDS = 1.0, 0.1, 4.0
"""Processor time in which tests are begun: for a file, and for each of its functions."""
WALL_FACTOR = 6.0
ENOUGH = 3
"""Number of passing tests that call a function after which no others are needed for it."""
OTHER_HASH_SEEDS = (1, 2)


@dataclasses.dataclass(frozen=True, slots=True)
class _Ended:
    """What a guest says of one test."""

    case: str
    ending: str
    direct: frozenset[str]
    through: Mapping[str, str]
    blamed: frozenset[str] = frozenset()
    statement: str = ""
    message: str = ""


class ProjectTestRuns:
    """The runs of tests of one check: those of a file are made once, for all of its functions."""

    def __init__(self) -> None:
        self._runs = dict[tuple[str, str], asyncio.Task[list[_Ended]]]()

    @property
    def count(self) -> int:
        """The number of files whose tests were run."""
        return len(self._runs)

    async def close(self) -> None:
        """Cancel what still runs."""
        for task in self._runs.values():
            task.cancel()
        await asyncio.gather(*self._runs.values(), return_exceptions=True)

    async def report(self, name: str, file: TestedFile, pool: GuestPool) -> Report | None:
        """Return what the tests of a project say of a function; None where none of them can tell.

        Raises:
            WorkerError: our own machinery failed.
        """
        key = (file.path, file.text)
        if key not in self._runs:
            self._runs[key] = asyncio.ensure_future(_run(file, pool))
        ended = await asyncio.shield(self._runs[key])
        failing = await self._failing(name, ended, file, pool)
        if failing is not None:
            return failing
        passed = [one for one in ended if one.ending == "passed"]
        direct = [one for one in passed if name in one.direct]
        told = direct or [one for one in passed if name in one.through]
        if not told or any(name in one.blamed for one in ended):
            return None
        caller = "" if direct else told[0].through[name]
        oracle = _oracle_of(told[0])
        reason = passed_in_tests(len(told), caller)
        return Report(Verdict.AGREES, reason, oracle, tests=len(told), caller=caller)

    async def _failing(self, name: str, ended: Sequence[_Ended], file: TestedFile, pool: GuestPool) -> Report | None:
        is_passed = any(one.ending == "passed" and name in one.direct for one in ended)
        for one in ended if is_passed else ():
            if name in one.blamed and _file_of(one.case) not in file.files_of_place:
                again = [await _run(file, pool, one.case, seed) for seed in OTHER_HASH_SEEDS]
                if all(len(two) == 1 and name in two[0].blamed for two in again):
                    return _finding(one)
        return None


def _finding(one: _Ended) -> Report:
    said = f"{one.statement}: {one.message}" if one.message else one.statement
    example = Counterexample(
        whole_test_text(one.case),
        one.case,
        Outcome(OutcomeKind.RAISED, said),
        Outcome(OutcomeKind.RETURNED, "what the test asserts"),
        note=STATED_TEST_NOTE,
        test=one.case,
    )
    return Report(Verdict.DIFFERS, f"the test {one.case} fails: {said}", _oracle_of(one), example)


def _oracle_of(one: _Ended) -> Oracle:
    return Oracle(OracleKind.EXAMPLES, f"tests in {_file_of(one.case)}")


def _file_of(case: str) -> str:
    return case.partition("::")[0]


async def _run(file: TestedFile, pool: GuestPool, case: str = "", hash_seed: int | None = None) -> list[_Ended]:
    """Run the tests of a file, or one case of them."""
    seconds = min(MOST_SECONDS, SECONDS + SECONDS_EACH * len(file.functions))
    tests = {
        name: [one.module, one.names, one.conftests]
        for name, one in file.carving.tests.items()
        if not case or case == name or case.startswith(f"{name}[")
    }
    request: Plain = {
        "path": file.path,
        "functions": [[one.name, one.first_line, one.is_decorated] for one in file.functions],
        "search_path": list(file.search_path),
        "carving": {"tests": tests, "search_path": list(file.carving.search_path)},
        "root": file.root,
        "seconds": seconds,
        "enough": ENOUGH,
        "only": case,
    }
    wall = WALL_FACTOR * (seconds + 4.0)
    job = Job(
        "project_tests",
        request,
        wall,
        most_wall_seconds=4 * wall,
        cpu_seconds=2 * seconds + 20.0,
        hash_seed=hash_seed,
    )
    return [one for one in map(_read, await collect(pool.start(job))) if one is not None]


def _read(reply: Plain) -> _Ended | None:
    """Return what a reply says of a test, as far as it has the form that it should have."""
    case, ending, failure = reply.get("case"), reply.get("ending"), reply.get("failure")
    direct, through = reply.get("direct"), reply.get("through")
    if not isinstance(case, str) or not isinstance(ending, str) or not isinstance(direct, list):
        return None
    others = cast("dict[object, object]", through) if isinstance(through, dict) else {}
    one = _Ended(
        case, ending, _strings(cast("object", direct)), {str(key): str(value) for key, value in others.items()}
    )
    if not isinstance(failure, dict):
        return one
    told = cast("Plain", failure)
    text, message = str(told.get("statement"))[:500], str(told.get("message"))[:300]
    return dataclasses.replace(one, blamed=_strings(told.get("names")), statement=text, message=message)


def _strings(value: object) -> frozenset[str]:
    return frozenset(str(one) for one in cast("list[object]", value)) if isinstance(value, list) else frozenset()
