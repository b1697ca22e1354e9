"""What a worker on another machine needs, as plain values: a plan, and chunks of programs of one task.

A chunk carries its task, so that nothing has to be sent to a node before. Rows of results are what the verdict store
keeps, so that whoever judged, the bytes are the same.
"""

from __future__ import annotations

import marshal
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from lsp_evalplus.bench.datasets.stored import LateInputs
from lsp_evalplus.bench.judging.verdicts import Rule, SampleVerdict
from lsp_evalplus.bench.problem import Dataset, Family, Input, Problem, TaskTests
from lsp_evalplus.bench.running.evaluate import Options, conditions_of
from lsp_evalplus.bench.running.run import TimeRules
from lsp_evalplus.bench.running.sample_states import Unjudged
from lsp_evalplus.bench.samples.samples import Sample, SampleSet
from lsp_evalplus.bench.store.keys import task_digest
from lsp_evalplus.fuzz.guest.values.marshal_codec import read_marshalled
from lsp_evalplus.fuzz.host.interpreter import Interpreter

Plain: TypeAlias = dict[str, Any]
"""Plain Python values, which every engine can send."""

_MARSHAL_VERSION: Final = 2
"""Of the bytes of a task; every Python reads it."""


def plan_of(options: Options, layers_off: Mapping[str, str]) -> Plain:
    """Return the plan of an evaluation: its options, and what a worker's machine has to have.

    Args:
        options: those of the evaluation.
        layers_off: the layers of the sandbox that the machine of the driver lacks too.
    """
    return {
        "conditions": conditions_of(options),
        "layers_off": sorted(layers_off),
        "rule": str(options.rule),
        "base_only": options.base_only,
        "test_details": options.test_details,
        "times": asdict(options.times),
        "memory_bytes": options.memory_bytes,
        "isolate": options.isolate,
        "python": str(options.interpreter.path),
    }


def options_of(plan: Plain, interpreter: Interpreter, folder: Path) -> Options:
    """Return the options of a worker: one guest at a time, and nothing written but the cache of reference outputs."""
    return Options(
        rule=Rule(plan["rule"]),
        base_only=plan["base_only"],
        test_details=plan["test_details"],
        times=TimeRules(**plan["times"]),
        jobs=1,
        memory_bytes=plan["memory_bytes"],
        interpreter=interpreter,
        cache=folder,
        output=None,
        isolate=plan["isolate"],
    )


def chunk_of(jobs: Sequence[Unjudged], attempt: int = 1) -> Plain:
    """Return programs of one task, with the task.

    Attempts have numbers: an engine may take equal calls for one, and Dask would answer the second with the failure of
    the first. The task is one string of bytes: Dask walks through all values of a call to give it a name. Unlike a
    pickle, these bytes run nothing when they are read. Its inputs are as guests get them, so that neither the driver
    nor a worker has to read them.
    """
    programs = [[job.digest, job.solution] for job in jobs]
    task = marshal.dumps(_task_to_plain(jobs[0].problem), _MARSHAL_VERSION)
    return {"task": task, "programs": programs, "attempt": attempt}


def read_chunk(chunk: Plain) -> tuple[Dataset, SampleSet]:
    """Return the data set with the one task of a chunk, and its programs as samples."""
    problem = _task_from_plain(marshal.loads(chunk["task"]))  # noqa: S302 - a worker obeys its driver anyway.
    digest = task_digest(problem)
    dataset = Dataset(str(problem.family), digest, digest, digest, problem.task_id, {problem.task_id: problem})
    samples = [
        Sample(problem.task_id, number, source, f"program {number}")
        for number, (_, source) in enumerate(chunk["programs"])
    ]
    return dataset, SampleSet(problem.task_id, digest, samples, ())


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """What a worker says of a chunk."""

    verdicts: Mapping[str, SampleVerdict]
    """Verdicts by the program's digest."""
    seconds: float
    """Wall time of the chunk."""
    layers_off: Mapping[str, str]
    left_out: Sequence[str]
    refusal: str = ""
    """Why this worker judges nothing of this evaluation; empty where it does."""

    def to_plain(self) -> Plain:
        """Return the result as plain values."""
        rows = [[digest, verdict.to_json()] for digest, verdict in self.verdicts.items()]
        layers = dict(self.layers_off)
        return {
            "rows": rows,
            "seconds": self.seconds,
            "layers_off": layers,
            "left_out": [*self.left_out],
            "refusal": self.refusal,
        }

    @classmethod
    def from_plain(cls, plain: Plain) -> ChunkResult:
        """Return the result that `to_plain` wrote. Raises `ValueError`, `KeyError` or `TypeError` for anything else."""
        verdicts = {str(digest): SampleVerdict.from_json(row) for digest, row in plain["rows"]}
        return cls(
            verdicts, float(plain["seconds"]), dict(plain["layers_off"]), list(plain["left_out"]), plain["refusal"]
        )


_TASK_FIELDS = ("task_id", "prompt", "entry_point", "canonical_solution", "contract", "atol")


def _task_to_plain(problem: Problem) -> Plain:
    tests = problem.tests
    return {
        **{name: getattr(problem, name) for name in _TASK_FIELDS},
        "counts": [len(problem.base_inputs), len(problem.plus_inputs)],
        "inputs": problem.marshalled(),
        "family": str(problem.family),
        "tests": None if tests is None else [list(tests.base), list(tests.plus), tests.setup],
    }


def _task_from_plain(plain: Plain) -> Problem:
    tests, marshalled = plain["tests"], plain["inputs"]
    base, plus = plain["counts"]

    @cache
    def inputs() -> list[Input]:
        return [list(arguments) for arguments, _ in read_marshalled(marshalled)]

    return Problem(
        **{name: plain[name] for name in _TASK_FIELDS},
        base_inputs=LateInputs(base, lambda index: inputs()[index]),
        plus_inputs=LateInputs(plus, lambda index: inputs()[base + index]),
        family=Family(plain["family"]),
        tests=None if tests is None else TaskTests(*tests),
        stored=lambda: marshalled,
    )
