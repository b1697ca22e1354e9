"""The jobs of an evaluation, one per distinct program, and the order in which workers take them."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from lsp_evalplus.bench.judging.verdicts import SampleVerdict
from lsp_evalplus.bench.problem import Dataset, Part
from lsp_evalplus.bench.samples.samples import Sample

from .sample_states import Unjudged

_LEAST_WEIGHT = 0.005
"""Minimal seconds per program, whatever the reference needs."""
MOST_TOGETHER = 24
SECONDS_TOGETHER = 0.3
"""Maximal seconds of jobs taken together, so that no worker runs out of work at the end."""


class TaskQueue:
    """The jobs of a run, longest first.

    A worker stays with its task, whose inputs its fork server holds. A worker whose task has no jobs left joins the
    task with the most remaining work, so that no task is left to the end.
    """

    def __init__(self, jobs: Iterable[Unjudged], weights: Mapping[str, float]) -> None:
        groups: dict[str, list[Unjudged]] = {}
        for job in reversed(list(jobs)):
            groups.setdefault(job.problem.task_id, []).append(job)
        self._given = weights
        self._weights = {task_id: weights.get(task_id, 0.0) + _LEAST_WEIGHT for task_id in groups}
        self._groups = groups
        self._untouched = sorted(groups, key=lambda task_id: (self.load(task_id), task_id))

    def add(self, job: Unjudged) -> None:
        """Add a job that arrived later."""
        task_id = job.problem.task_id
        if task_id not in self._groups:
            self._groups[task_id] = []
            self._weights[task_id] = self._given.get(task_id, 0.0) + _LEAST_WEIGHT
            self._untouched.insert(0, task_id)
        self._groups[task_id].insert(0, job)

    def add_task(self, task_id: str, jobs: Sequence[Unjudged], *, is_begun: bool) -> None:
        """Add all jobs of a task that arrived later; `is_begun`: a worker is at this task."""
        self._groups[task_id] = [*reversed(jobs)]
        self._weights[task_id] = self._given.get(task_id, 0.0) + _LEAST_WEIGHT
        if not is_begun:
            insort(self._untouched, task_id, key=lambda one: (self.load(one), one))

    def take(self, task_id: str | None) -> Unjudged | None:
        """The next job for a worker that has just done one of `task_id`; None at the end."""
        if task_id is None or not self._groups[task_id]:
            while self._untouched and not self._groups[self._untouched[-1]]:
                self._untouched.pop()
            task_id = self._untouched.pop() if self._untouched else max(self._groups, key=self.load, default=None)
        return self._groups[task_id].pop() if task_id is not None and self._groups[task_id] else None

    def take_like(self, job: Unjudged, is_wanted: Callable[[Unjudged], bool]) -> list[Unjudged]:
        """Further jobs of the same task that can be done together with `job`."""
        task_id = job.problem.task_id
        most = min(MOST_TOGETHER, int(SECONDS_TOGETHER / self._weights[task_id])) - 1
        group = self._groups[task_id]
        taken = list(islice(filter(is_wanted, reversed(group)), max(0, most)))
        if taken:
            gone = {id(job) for job in taken}
            self._groups[task_id] = [job for job in group if id(job) not in gone]
        return taken

    def load(self, task_id: str) -> float:
        """Approximate seconds of the remaining jobs of a task."""
        return self._weights[task_id] * len(self._groups[task_id])


def make_jobs(
    dataset: Dataset, samples: Iterable[Sample], parts: tuple[Part, ...], done: Mapping[tuple[str, str], SampleVerdict]
) -> list[Unjudged]:
    """One job per distinct program without a verdict, in the order of the samples."""
    jobs: dict[tuple[str, str], Unjudged] = {}
    for sample in samples:
        key = (sample.task_id, sample.digest)
        if key not in done and key not in jobs:
            jobs[key] = Unjudged(dataset.problems[sample.task_id], sample.digest, sample.solution, parts)
    return list(jobs.values())
