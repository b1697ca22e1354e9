"""Verdicts on programs that are equivalent to the reference of their task, by its outputs: they are not run.

Its outputs are there already, and a run takes seconds on some tasks. Equivalence is that of `equivalent`, so that such
a program is pure. It is run all the same where a limit of time might tell the two apart, or where it would not pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from lsp_evalplus.bench.judging.expected import SLOW_SECONDS, ExpectedPart, LargeOutput
from lsp_evalplus.bench.judging.part_judge import Answer, PartJudge
from lsp_evalplus.bench.judging.verdicts import Status
from lsp_evalplus.bench.problem import Part

from .sample_states import Found

SLOW_TASK_SECONDS = 0.3
"""Seconds of a reference from which on an equivalent program is looked for: that takes a guest, and few are equivalent.
"""
_MARGIN = 2.0
"""How many times the seconds of the reference an equivalent program may take to be within the limits of calls."""


class Times(Protocol):
    """The limits of time that decide, as `run.TimeRules` has them."""

    @property
    def min_time_limit(self) -> float:
        """Least seconds of a call's limit."""
        ...

    @property
    def gt_time_limit_factor(self) -> float:
        """How many times the seconds of the reference a call may take."""
        ...

    @property
    def task_time_limit(self) -> float:
        """Seconds of a part of a task."""
        ...


def pass_like_reference(expected: Mapping[Part, ExpectedPart], parts: Sequence[Part], times: Times) -> Found | None:
    """The verdicts on a program that gives the outputs of the reference; None where it has to be run."""
    if not all(_is_in_time(expected[part], times) for part in parts):
        return None
    found = {part: _judge_outputs(expected[part]) for part in parts}
    if any(judge.unread or judge.has_timed_out for judge in found.values()):
        return None
    verdicts = {part: judge.verdicts() for part, judge in found.items()}
    passes = all(verdict.status is Status.PASS for rules in verdicts.values() for verdict in rules.values())
    return verdicts if passes else None


def _is_in_time(expected: ExpectedPart, times: Times) -> bool:
    return (
        times.gt_time_limit_factor >= _MARGIN
        and times.min_time_limit >= _MARGIN * SLOW_SECONDS
        # These are seconds of the clock where they are more than those of the processor, which decide.
        and times.task_time_limit >= expected.outputs.seconds
    )


def _judge_outputs(expected: ExpectedPart) -> PartJudge:
    judge = PartJudge(expected, details=True)
    for part, index in judge.places:
        output = expected.outputs.outputs[index]
        if isinstance(output, LargeOutput):
            judge.take(Answer(part, index, digest=output.digest))
        else:
            judge.take(Answer(part, index, value=output))
    return judge
