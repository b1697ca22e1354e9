"""Programs of the next file of samples, for workers that have nothing left to do in the current one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from lsp_evalplus.bench.judging.verdicts import SampleVerdict
from lsp_evalplus.bench.problem import Dataset

from .recorded import RecordedVerdicts
from .sample_states import Unjudged
from .task_queue import make_jobs

if TYPE_CHECKING:
    from lsp_evalplus.bench.samples.samples import SampleSet

Key = tuple[str, str]


class NextFile:
    """The file that follows the current one in the same command, read when the first worker asks for its programs.

    Args:
        read: its samples, and the verdicts that are known of them.
    """

    def __init__(self, read: Callable[[], tuple[SampleSet, RecordedVerdicts]]) -> None:
        self._read = read
        self._record: RecordedVerdicts | None = None
        self._jobs: deque[Unjudged] = deque()
        self._begun: set[Key] = set()
        self._tasks: Collection[str] = ()
        self._taken: Collection[Key] = ()
        self.verdicts: dict[Key, SampleVerdict] = {}
        """The verdicts that were found ahead."""

    def follow(self, current: Collection[Key]) -> None:
        """Offer programs of the tasks of the current file, whose programs are given, and none of those programs."""
        self._taken = current
        self._tasks = {task_id for task_id, _ in current}

    def take(self, dataset: Dataset, without: Collection[str]) -> Unjudged | None:
        """The next program to judge of a task that is not among `without`; None if there are no more."""
        if self._record is None:
            samples, self._record = self._read()
            due = make_jobs(dataset, samples.samples, self._record.parts, self._record.verdicts)
            self._jobs.extend(job for job in due if job.problem.task_id in self._tasks and job.key not in self._taken)
        job = next((job for job in self._jobs if job.problem.task_id not in without), None)
        if job is not None:
            self._jobs.remove(job)
            self._begun.add(job.key)
        return job

    def note(
        self, task_id: str, digest: str, verdict: SampleVerdict, seconds: float, layers_off: Mapping[str, str]
    ) -> bool:
        """Record a verdict if it is on a program that was taken here; return whether it is."""
        if self._record is None or (task_id, digest) not in self._begun:
            return False
        self._record.note(task_id, digest, verdict, seconds, layers_off)
        self.verdicts[task_id, digest] = verdict
        return True

    def close(self) -> None:
        """Close the store; no more programs are taken."""
        self._jobs.clear()
        if self._record is not None:
            self._record.close()
