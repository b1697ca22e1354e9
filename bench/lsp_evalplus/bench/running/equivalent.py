"""Judge semantically equivalent programs of a task once, even if their source code differs.

Guests determine equivalence from the source code before anything runs (`fuzz.guest.jobs.survey`), and also which
programs may share a process. Programs that might affect others get no equivalence key and are judged separately.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lsp_evalplus.bench.judging.verdicts import SampleVerdict

from .guest_client import Guests
from .sample_states import Unjudged
from .workers import run_together

MOST_SURVEYED = 100
CHARACTERS_SURVEYED = 400_000
"""Maximal number of programs per survey guest, and their characters in total."""
LONGEST_SURVEYED = 1 << 16
"""Maximal characters of a surveyed program; longer ones are skipped."""


class EquivalentPrograms:
    """Jobs that wait for the verdict on an equivalent program."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], list[Unjudged]] = {}
        self._surveyed: set[str] = set()
        """Tasks whose programs have been surveyed."""
        self._judged: dict[tuple[str, str], Unjudged] = {}
        """Their jobs to be run that have an equivalence key, by task and key."""

    async def find(self, guests: Guests, jobs: Sequence[Unjudged], workers: int) -> list[Unjudged]:
        """The jobs to run, in order; the others wait for one of these. Raises `WorkerError` as guests do."""
        known: dict[int, str | None] = {}
        chunks = _chunks(_in_groups(jobs))

        async def worker() -> None:
            for chunk in chunks:
                found = await guests.survey([job.solution for job in chunk])
                known.update(zip(map(id, chunk), found, strict=True))

        await run_together(worker, workers)
        self._surveyed.update(job.problem.task_id for job in jobs if id(job) in known)
        kept: list[Unjudged] = []
        for job in jobs:
            equivalence = known.get(id(job))
            if equivalence is None:
                kept.append(replace(job, is_alone=True) if id(job) in known else job)
                continue
            judged = self._judged.setdefault((job.problem.task_id, equivalence), job)
            if judged is job:
                kept.append(replace(job, is_harmless=True))
            else:
                self._waiting.setdefault(_key(judged), []).append(replace(job, is_harmless=True))
        return kept

    async def find_like_reference(self, guests: Guests, job: Unjudged) -> tuple[str, str] | None:
        """The key of the job that is equivalent to the reference of its task; `job` is any job to be run of that task.

        It may have been run before. Raises `WorkerError` as guests do.
        """
        task_id = job.problem.task_id
        programs = [job.problem.reference, *([] if task_id in self._surveyed else [job.solution])]
        if max(map(len, programs)) > LONGEST_SURVEYED:
            return None
        reference, *own = await guests.survey(programs)
        if reference is None:
            return None
        judged = job if reference in own else self._judged.get((task_id, reference))
        return None if judged is None else judged.key

    def take(self, job: Unjudged) -> list[Unjudged]:
        """Remove and return the jobs that waited for this one."""
        return self._waiting.pop(_key(job), [])


def holds_for_equivalent(verdict: SampleVerdict) -> bool:
    """Whether a verdict holds verbatim for equivalent programs: exception messages may contain variable names."""
    return all(
        failure.index >= 0 and not failure.actual.startswith("raised ")
        for rules in verdict.parts.values()
        for found in rules.values()
        for failure in found.failures
    )


def _key(job: Unjudged) -> tuple[str, str]:
    return job.problem.task_id, job.digest


def _in_groups(jobs: Sequence[Unjudged]) -> list[Unjudged]:
    """The jobs of tasks with several programs, grouped by task, without those too long for the survey."""
    by_task: dict[str, list[Unjudged]] = {}
    for job in jobs:
        if len(job.solution) <= LONGEST_SURVEYED:
            by_task.setdefault(job.problem.task_id, []).append(job)
    return [job for group in by_task.values() if len(group) > 1 for job in group]


def _chunks(jobs: Sequence[Unjudged]) -> Iterator[list[Unjudged]]:
    chunk: list[Unjudged] = []
    characters = 0
    for job in jobs:
        characters += len(job.solution)
        if chunk and (len(chunk) >= MOST_SURVEYED or characters > CHARACTERS_SURVEYED):
            yield chunk
            chunk, characters = [], len(job.solution)
        chunk.append(job)
    if chunk:
        yield chunk
