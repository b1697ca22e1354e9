"""Programs of a task that do the same are judged once, though their texts differ.

Which these are, guests find out from the texts before anything is run (`fuzz.guest.survey`), and with it which programs
may share a process. Of one that could do something to others nothing is said: it is judged by itself.
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
"""Programs that one guest reads, and their characters."""
LONGEST_SURVEYED = 1 << 16
"""Characters of a program; a longer one is not read."""


class Twins:
    """The jobs that wait for the verdict on another one, which does the same."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], list[Unjudged]] = {}

    async def find(self, guests: Guests, jobs: Sequence[Unjudged], workers: int) -> list[Unjudged]:
        """The jobs that do not wait, in order; only these have to be done. Raises `WorkerError` as guests do."""
        known: dict[int, str | None] = {}
        chunks = _chunks(_with_company(jobs))

        async def worker() -> None:
            for chunk in chunks:
                found = await guests.survey([job.solution for job in chunk])
                known.update(zip(map(id, chunk), found, strict=True))

        await run_together(worker, workers)
        first: dict[tuple[str, str], Unjudged] = {}
        kept: list[Unjudged] = []
        for job in jobs:
            likeness = known.get(id(job))
            if likeness is None:
                kept.append(replace(job, is_alone=True) if id(job) in known else job)
                continue
            judged = first.setdefault((job.problem.task_id, likeness), job)
            if judged is job:
                kept.append(replace(job, is_harmless=True))
            else:
                self._waiting.setdefault(_key(judged), []).append(replace(job, is_harmless=True))
        return kept

    def take(self, job: Unjudged) -> list[Unjudged]:
        """The jobs that have waited for this one."""
        return self._waiting.pop(_key(job), [])


def is_of_twins(verdict: SampleVerdict) -> bool:
    """Whether a verdict is that of twins too, in its words: what an exception says may name a program's variables."""
    return all(
        failure.index >= 0 and not failure.actual.startswith("raised ")
        for rules in verdict.parts.values()
        for found in rules.values()
        for failure in found.failures
    )


def _key(job: Unjudged) -> tuple[str, str]:
    return job.problem.task_id, job.digest


def _with_company(jobs: Sequence[Unjudged]) -> list[Unjudged]:
    """The jobs of tasks that have several, task by task, but for those that are too long to be read."""
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
