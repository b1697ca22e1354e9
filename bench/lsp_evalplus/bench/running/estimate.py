"""What an evaluation will cost, before it starts, by what the verdict store knows of its tasks. No guest is started."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from lsp_evalplus.bench.problem import Dataset
from lsp_evalplus.bench.samples.samples import SampleSet
from lsp_evalplus.bench.store.keys import task_digest

from .evaluate import Options, open_store

ASSUMED_SECONDS = 0.03
"""A program of HumanEval+, on average, where nothing was measured."""
ROW_BYTES = 400
"""A verdict in the store, about."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What an evaluation takes."""

    files: int
    samples: int
    programs: int
    """Different programs of all files together."""
    known: int
    """Those among them that were judged before."""
    tasks: int
    """Tasks with programs to judge."""
    measured_tasks: int
    """Those among them of which the store has measured programs."""
    seconds: float
    """For one worker."""
    is_assumed: bool
    """Whether nothing was measured at all."""

    @property
    def missing(self) -> int:
        """Programs to judge."""
        return self.programs - self.known

    @property
    def bytes(self) -> int:
        """What the store grows by, about."""
        return self.missing * ROW_BYTES

    def wall_seconds(self, workers: int) -> float:
        """With so many workers, each on a core of its own."""
        return self.seconds / workers


def estimate(dataset: Dataset, files: Iterable[SampleSet], options: Options) -> Cost:
    """The cost of judging some files of samples; one is read after the other, and only digests are kept.

    A task that was not measured is taken for an average one of those that were.
    """
    digests: dict[str, str] = {}
    programs: dict[int, str] = {}  # The tasks by numbers that stand for programs, because a campaign has millions.
    count = samples = 0
    for found in files:
        count += 1
        samples += len(found.samples)
        for sample in found.samples:
            if sample.task_id not in digests:
                digests[sample.task_id] = task_digest(dataset.problems[sample.task_id])
            task = digests[sample.task_id]
            programs[hash((task, sample.digest))] = task
    tasks = set(digests.values())
    store = open_store(options)
    total = len(programs)
    spent: dict[str, float] = {}
    measured: Counter[str] = Counter()
    for key, seconds in () if store is None else store.seconds(lambda key: key[0] in tasks):
        spent[key[0]] = spent.get(key[0], 0.0) + seconds
        measured[key[0]] += 1
        programs.pop(hash(key), None)
    means = {task: seconds / measured[task] for task, seconds in spent.items()}
    usual = sum(means.values()) / len(means) if means else ASSUMED_SECONDS
    missing = Counter(programs.values())
    return Cost(
        files=count,
        samples=samples,
        programs=total,
        known=total - missing.total(),
        tasks=len(missing),
        measured_tasks=len(missing.keys() & means.keys()),
        seconds=sum(means.get(task, usual) * number for task, number in missing.items()),
        is_assumed=not means,
    )
