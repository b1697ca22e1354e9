"""Static check whether a set of samples is complete and compilable."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lsp_evalplus.bench.problem import Problem
from lsp_evalplus.fuzz.source.parsing import normalise_newlines

from .samples import Sample
from .sanitize_blocks import split_blocks


@dataclass(frozen=True, slots=True)
class Fault:
    """A sample that fails on all inputs."""

    task_id: str
    where: str
    """``line 3`` or ``HumanEval_0/2.py``."""
    problem: str


@dataclass(frozen=True, slots=True)
class SyntaxReport:
    """The result of checking all samples of a set."""

    tasks: int
    samples: int
    missing: Sequence[str]
    """Tasks without samples."""
    short: Mapping[str, int]
    """Tasks with fewer samples than required, but some, with their number."""
    uncompilable: Sequence[Fault]
    undefined: Sequence[Fault]
    """Samples that compile and do not define the requested function."""

    @property
    def complete(self) -> bool:
        """Whether every task has the required number of samples."""
        return not self.missing and not self.short


def check_samples(
    samples: Sequence[Sample], problems: Mapping[str, Problem], expected: int | None = None
) -> SyntaxReport:
    """Check every sample against its task.

    Args:
        samples: the programs.
        problems: the tasks that should be covered, by id.
        expected: required samples per task; None requires at least one.
    """
    counts = Counter(sample.task_id for sample in samples)
    uncompilable: list[Fault] = []
    undefined: list[Fault] = []
    for sample in samples:
        fault = find_syntax_error(sample.solution)
        entry = problems[sample.task_id].entry_point if sample.task_id in problems else None
        if fault is not None:
            uncompilable.append(Fault(sample.task_id, sample.where, fault))
        elif entry is not None and not defines(sample.solution, entry):
            undefined.append(Fault(sample.task_id, sample.where, f"does not define {entry}"))
    return SyntaxReport(
        tasks=len(problems),
        samples=len(samples),
        missing=[task for task in problems if not counts[task]],
        short={task: counts[task] for task in problems if 0 < counts[task] < (expected or 1)},
        uncompilable=uncompilable,
        undefined=undefined,
    )


def find_syntax_error(program: str) -> str | None:
    """Return the reason why the running Python cannot compile `program`, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(normalise_newlines(program), "<sample>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)
    except (ValueError, OverflowError, MemoryError, RecursionError) as error:
        return str(error) or type(error).__name__
    return None


def defines(program: str, name: str) -> bool:
    """Whether a module-level statement of `program` binds `name`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return any(name in block.binds or block.star for block in split_blocks(program))
