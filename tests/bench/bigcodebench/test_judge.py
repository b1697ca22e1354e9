"""What the judge runs beside what: large programs one at a time, references that failed once more and alone.

Only a machine that is short of memory or time could show this, so what comes of a program is told here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.bigcodebench.judge import (
    LEAST_BYTES,
    MOST_BYTES,
    MOST_REPEATED,
    SHARE_BYTES,
    WALL_SECONDS,
    Judge,
    Limits,
    Program,
)
from lsp_evalplus.bench.bigcodebench.outcome import CaseReport, Outcome, Reference, Verdict
from lsp_evalplus.bench.bigcodebench.references import ReferenceCache, Surroundings
from lsp_evalplus.bench.bigcodebench.scores import failed_references, repeated_references
from lsp_evalplus.bench.datasets.bigcodebench import Task

LARGE = SHARE_BYTES + 1
PASSED = Outcome([CaseReport("test_a", "pass")], has_ended=True)
FAILED = Outcome([CaseReport("test_a", "fail", "AssertionError: late\n")], has_ended=True)
LACKED = Outcome(how="used too much memory", lacked_memory=True)


def task(number: int) -> Task:
    return Task(f"BigCodeBench/{number}", "", "", "", "    pass\n", "", "task_func", ())


@dataclass
class Ran:
    """One run of a program."""

    number: int
    memory: int
    beside: list[Ran]
    """What ran when it began."""
    limits: Limits


class Scripted(Judge):
    """Tells what comes of a program in place of running it; each run waits until nothing else could begin."""

    def __init__(self, outcome: Callable[[Ran, int], Outcome], wall_seconds: float = WALL_SECONDS) -> None:
        starter: Any = None
        super().__init__(starter, wall_seconds)
        self.outcome = outcome
        self.runs: list[Ran] = []
        self.running: list[Ran] = []

    async def _run(self, task: Task, source: str, limits: Limits) -> Outcome:
        number = int(task.task_id.rpartition("/")[2])
        ran = Ran(number, limits.memory, [*self.running], limits)
        times = sum(one.number == number for one in self.runs)
        self.runs.append(ran)
        self.running.append(ran)
        for _ in range(10):
            await asyncio.sleep(0)
        self.running.remove(ran)
        return self.outcome(ran, times)

    def references(self, numbers: Sequence[int]) -> dict[str, Reference]:
        """What references of some tasks show, by id."""
        found: dict[str, Reference] = {}
        tasks = [task(number) for number in numbers]
        asyncio.run(self.check_references(tasks, 2, lambda one, reference: found.update({one.task_id: reference})))
        return found


@dataclass
class Judged:
    """Verdicts on one sample of each of some tasks, whose references take `memory`."""

    judge: Scripted
    memory: int
    seconds: float = 0.1
    found: dict[str, Verdict] = field(default_factory=dict[str, Verdict])

    def run(self, count: int, *, has_upstream_limits: bool = False) -> dict[str, Verdict]:
        programs = [Program(task(number), "digest", "") for number in range(count)]
        shown = Reference({"test_a": "pass"}, self.seconds, memory=self.memory)
        references = {one.task.task_id: shown for one in programs}

        def note(program: Program, verdict: Verdict, _outcome: Outcome) -> None:
            self.found[program.task.task_id] = verdict

        asyncio.run(self.judge.judge(programs, references, 3, note, has_upstream_limits=has_upstream_limits))
        return self.found


def test_what_takes_more_than_its_share_runs_again_with_nothing_large_beside_it() -> None:
    judge = Scripted(lambda ran, _: LACKED if ran.memory == SHARE_BYTES else PASSED)

    found = Judged(judge, memory=1 << 20).run(6)

    assert {verdict.strict for verdict in found.values()} == {"pass"}
    assert [ran.memory for ran in judge.runs].count(SHARE_BYTES) == 6
    again = [ran for ran in judge.runs if ran.memory != SHARE_BYTES]
    assert {ran.memory for ran in again} == {LEAST_BYTES}
    assert sorted(ran.number for ran in again) == [*range(6)]
    assert [other for ran in again for other in ran.beside if other.memory != SHARE_BYTES] == []
    assert any(ran.beside for ran in judge.runs)


def test_what_takes_more_than_it_may_have_fails_alone() -> None:
    judge = Scripted(lambda ran, _: LACKED if ran.number == 1 else PASSED)

    found = Judged(judge, memory=1 << 20).run(4)

    assert {name: str(verdict.strict) for name, verdict in found.items()} == {
        "BigCodeBench/0": "pass",
        "BigCodeBench/1": "timeout",
        "BigCodeBench/2": "pass",
        "BigCodeBench/3": "pass",
    }
    assert [ran.memory for ran in judge.runs if ran.number == 1] == [SHARE_BYTES, LEAST_BYTES]


def test_a_sample_of_a_large_reference_begins_with_more_than_its_reference_takes() -> None:
    judge = Scripted(lambda _ran, _times: PASSED)
    Judged(judge, memory=1 << 30).run(4)
    assert [(ran.memory, ran.beside) for ran in judge.runs] == [(3 << 29, [])] * 4


def test_with_upstreams_limits_a_program_may_have_all_that_a_container_has() -> None:
    judge = Scripted(lambda ran, _: LACKED if ran.memory == SHARE_BYTES else PASSED)
    Judged(judge, memory=1 << 20).run(1, has_upstream_limits=True)
    assert [ran.memory for ran in judge.runs] == [SHARE_BYTES, MOST_BYTES]


@pytest.mark.parametrize(
    ("seconds", "wall", "asked", "has_upstream_limits"),
    [
        (0.1, WALL_SECONDS, WALL_SECONDS, False),
        (WALL_SECONDS, 2 * WALL_SECONDS, WALL_SECONDS, False),
        (WALL_SECONDS, WALL_SECONDS, WALL_SECONDS, True),
        (50.0, 10.0, 10.0, False),
    ],
)
def test_a_sample_as_slow_as_a_slow_reference_has_the_time(
    seconds: float, wall: float, asked: float, has_upstream_limits: bool
) -> None:
    """Upstream's limit stays what it is, and so does one that the user asks for."""
    judge = Scripted(lambda _ran, _times: PASSED, asked)
    Judged(judge, memory=1 << 20, seconds=seconds).run(1, has_upstream_limits=has_upstream_limits)
    assert [ran.limits.wall for ran in judge.runs] == [wall]


def test_a_reference_that_fails_runs_once_more_and_alone() -> None:
    judge = Scripted(lambda ran, times: FAILED if ran.number == 3 or (ran.number == 1 and not times) else PASSED)

    found = judge.references(range(6))

    assert failed_references(found) == {"BigCodeBench/3": "test_a: AssertionError: late"}
    assert repeated_references(found) == {"BigCodeBench/1": "test_a: AssertionError: late"}
    assert [(ran.number, ran.beside) for ran in judge.runs[6:]] == [(1, []), (3, [])]


def test_where_most_references_fail_none_runs_again() -> None:
    judge = Scripted(lambda _ran, _times: FAILED)

    found = judge.references(range(MOST_REPEATED + 5))

    assert len(failed_references(found)) == MOST_REPEATED + 5 == len(judge.runs)


def test_what_a_reference_takes_and_why_it_failed_first_is_kept(tmp_path: Path) -> None:
    judge = Scripted(lambda _ran, times: FAILED if not times else Outcome(PASSED.reports, has_ended=True, memory=LARGE))
    found = judge.references([1])
    surroundings = Surroundings("distributions", "3.11.7", 1 << 30, 60.0)

    ReferenceCache(tmp_path, surroundings).save({"BigCodeBench/1": task(1)}, found)

    kept = ReferenceCache(tmp_path, surroundings).load([task(1)])
    assert kept == found
    assert (kept["BigCodeBench/1"].memory, kept["BigCodeBench/1"].first_fault) == (
        LARGE,
        "test_a: AssertionError: late",
    )
