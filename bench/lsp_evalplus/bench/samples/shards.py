"""Shards: work on a data set in parts, by task, for the jobs of a cluster, which need not know of one another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lsp_evalplus.bench.problem import Dataset
from lsp_evalplus.fuzz.errors import UserError

from .samples import SampleSet

MOST_SHARDS = 1_000_000
_SLURM, _AWS, _KUBERNETES = "SLURM_ARRAY_TASK_ID", "AWS_BATCH_JOB_ARRAY_INDEX", "JOB_COMPLETION_INDEX"
_NAME = re.compile(r"(?P<stem>.+)\.shard-(?P<index>[0-9]{1,7})-of-(?P<count>[0-9]{1,7})\.json")


@dataclass(frozen=True, slots=True)
class Shard:
    """Every `count`-th task of a data set, beginning with the one at `index`, counted from 0."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def of(self, dataset: Dataset, samples: SampleSet) -> SampleSet:
        """The samples of its tasks. Which those are depends on the data set alone, so that equal programs meet."""
        tasks = self.tasks(dataset)
        return replace(samples, samples=[sample for sample in samples.samples if sample.task_id in tasks])

    def tasks(self, dataset: Dataset) -> frozenset[str]:
        """Its tasks; which those are depends on the data set alone."""
        return frozenset(task for place, task in enumerate(dataset.problems) if place % self.count == self.index)

    def path(self, output: Path, ending: str = ".json") -> Path:
        """Where its part of an output goes."""
        return output.with_name(f"{output.name.removesuffix(ending)}.shard-{self.index}-of-{self.count}{ending}")


def whole_path(part: Path) -> Path:
    """The result file that a part is of. Raises `UserError` if the name is not that of a part."""
    match = _NAME.fullmatch(part.name)
    if match is None:
        raise UserError(f"{part} is not the part of a shard; those are called X_eval_results.shard-0-of-4.json.")
    return part.with_name(match["stem"] + ".json")


def part_paths(output: Path, ending: str) -> list[Path]:
    """The parts of an output that are there, by shard: those of `Shard.path`."""
    stem = re.escape(output.name.removesuffix(ending))
    name = re.compile(f"{stem}[.]shard-([0-9]{{1,7}})-of-([0-9]{{1,7}}){re.escape(ending)}")
    try:
        found = [(match, path) for path in output.parent.iterdir() if (match := name.fullmatch(path.name))]
    except OSError:
        return []
    return [path for _, path in sorted(((int(match[2]), int(match[1])), path) for match, path in found)]


def parse_shard(text: str, environment: Mapping[str, str]) -> Shard:
    """The shard that ``2/8``, ``auto`` or ``auto/8`` names; ``auto`` asks the scheduler's variables.

    Raises `UserError` for anything else, and where the variables say too little.
    """
    given, slash, counted = text.partition("/")
    count = _number(counted, text) if slash else None
    if given != "auto":
        if count is None:
            raise UserError(f"--shard {text}: it is INDEX/COUNT, such as 0/4 to 3/4, or auto.")
        return _checked(_number(given, text), count, f"--shard {text}")
    name = next((one for one in (_SLURM, _AWS, _KUBERNETES) if environment.get(one, "").strip()), None)
    if name is None:
        raise UserError(
            f"--shard {text}: this is no job of an array (none of {_SLURM}, {_AWS} and {_KUBERNETES} is set); "
            "say which shard it is, such as 0/4."
        )
    index = _variable(environment, name)
    if count is None:
        index, count = _counted(environment, name, index)
    return _checked(index, count, f"--shard {text}, {name}={environment[name]}")


def _counted(environment: Mapping[str, str], name: str, index: int) -> tuple[int, int]:
    """The shard by what the scheduler says of the whole array."""
    if name == _SLURM and environment.get("SLURM_ARRAY_TASK_COUNT"):
        first, step = (_variable(environment, f"SLURM_ARRAY_TASK_{part}") for part in ("MIN", "STEP"))
        count, last = (_variable(environment, f"SLURM_ARRAY_TASK_{part}") for part in ("COUNT", "MAX"))
        if step < 1 or first + step * (count - 1) != last:
            raise UserError(
                f"{name}={index}: the jobs of the array are not numbered evenly, so the number does not say which "
                "shard this is; write --shard auto/COUNT, where job 0 is shard 0."
            )
        return (index - first) // step, count
    if name == _AWS and environment.get("AWS_BATCH_JOB_ARRAY_SIZE"):
        return index, _variable(environment, "AWS_BATCH_JOB_ARRAY_SIZE")
    raise UserError(f"{name} says which job this is, but not how many there are; say so, as in --shard auto/8.")


def _checked(index: int, count: int, what: str) -> Shard:
    if not 1 <= count <= MOST_SHARDS:
        raise UserError(f"{what}: there must be 1 to {MOST_SHARDS} shards.")
    if index >= count:
        raise UserError(f"{what}: {count} shards are numbered 0 to {count - 1}.")
    return Shard(index, count)


def _number(digits: str, text: str) -> int:
    if not re.fullmatch("[0-9]{1,7}", digits):
        raise UserError(f"--shard {text}: it is INDEX/COUNT, such as 0/4 to 3/4, or auto, or auto/COUNT.")
    return int(digits)


def _variable(environment: Mapping[str, str], name: str) -> int:
    text = environment.get(name, "").strip()
    if not re.fullmatch("[0-9]{1,9}", text):
        raise UserError(f"{name} is {text!r}, which is no number of a job; say which shard this is, such as 0/4.")
    return int(text)
