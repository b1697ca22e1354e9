"""Judges samples by the tests of their tasks: the reference first, then each sample in fresh guests.

The host decides by what the reference's run has shown: names, number and order of the tests, and the asserts in them.
A sample says nothing about that. Where the reference passes its tests apart, as most do, no code of a sample ever
shares a process with test code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lsp_evalplus.bench.judging.part_judge import Ended
from lsp_evalplus.bench.judging.verdicts import PartVerdict, Rule, SampleVerdict, Status
from lsp_evalplus.bench.problem import Part, Problem

from .conversation import JudgedProgram, Limits, Report, ReportedRun, Starter, run_apart, run_together
from .plan import Plan, choose, fault_in, plan_of, verdict_of

REFERENCE_LIMITS = Limits(call=60.0, test=60.0, whole=600.0, load=60.0)
"""References are expected to terminate, but not trusted to."""
LOAD_SECONDS = 5.0
_LONGEST_PROGRAM = 1 << 20


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds: the minimal limit of a call or test, the factor on the reference's time, and the limit of a part."""

    least: float
    factor: float
    whole: float


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """One program to judge; identical samples of a task share it."""

    problem: Problem
    digest: str
    solution: str
    parts: Sequence[Part]


class TestedEvaluation:
    """Judge the samples of tasks that have tests. `starter` stays open.

    Args:
        details: name every failing test, not only the first.
        on_verdict: receives task, digest of the program, and verdict. A verdict without parts means that nobody can be
            judged on the task.
    """

    def __init__(
        self,
        starter: Starter,
        times: Times,
        *,
        details: bool,
        on_verdict: Callable[[str, str, SampleVerdict], None],
    ) -> None:
        self._starter = starter
        self._times = times
        self._details = details
        self._on_verdict = on_verdict
        self._plans: dict[str, Mapping[Part, Plan]] = {}

    def arrange(self, order: Sequence[str]) -> None:
        """Put the prepared tasks in order; what is said of them is told in it."""
        self._plans = {task: self._plans[task] for task in order}

    @property
    def names(self) -> Mapping[str, Mapping[Part, Sequence[str]]]:
        """The names of the tests that judge, by task and part."""
        return {task: {part: plan.names for part, plan in plans.items()} for task, plans in self._plans.items()}

    @property
    def left_out(self) -> Iterator[str]:
        """Sentences: the tests that references fail, and the tasks that nobody can be judged on."""
        for task_id, plans in self._plans.items():
            for part, plan in plans.items():
                for name, text in plan.failed.items():
                    yield f"{task_id} {part} test {name}: the reference itself fails ({text})"
            if not plans[Part.BASE].tests:
                yield f"{task_id} at all: its reference passes none of its base tests"

    @property
    def together(self) -> list[str]:
        """The tasks whose tests need the program in their own process."""
        return [task for task, plans in self._plans.items() if any(plan.is_together for plan in plans.values())]

    async def prepare(self, problem: Problem) -> None:
        """Run the reference of a task, unless it was run."""
        if problem.task_id not in self._plans:
            parts = [part for part in Part if problem.tests is not None and problem.tests.of(part)]
            plans = {part: await self._plan(problem, part) for part in parts}
            self._plans[problem.task_id] = {Part.BASE: Plan([]), **plans}

    async def _plan(self, problem: Problem, part: Part) -> Plan:
        """Run the reference both ways; see `choose`."""
        program = JudgedProgram(problem, part, problem.reference, REFERENCE_LIMITS, has_trace=True)
        apart = plan_of(await run_apart(self._starter, program), is_together=False)
        together = plan_of(await run_together(self._starter, program), is_together=True)
        return choose(apart, together)

    async def judge(self, sample: JudgedSample) -> None:
        """Judge one sample and report its verdict; its task must be prepared."""
        plans = self._plans[sample.problem.task_id]
        verdicts: dict[Part, PartVerdict] = {}
        if plans[Part.BASE].tests:
            for part in sample.parts:
                plan = plans.get(part)
                verdicts[part] = (
                    await self._judge_part(sample, part, plan)
                    if plan is not None and plan.tests
                    else _without_tests(verdicts[Part.BASE])
                )
        verdict = SampleVerdict({part: dict.fromkeys(Rule, one) for part, one in verdicts.items()})
        self._on_verdict(sample.problem.task_id, sample.digest, verdict)

    async def _judge_part(self, sample: JudgedSample, part: Part, plan: Plan) -> PartVerdict:
        planned = {test.name: test for test in plan.tests}

        def is_enough(report: Report) -> bool:
            test = planned.get(report.name)
            return not self._details and test is not None and fault_in(test, report) is not None

        if len(sample.solution) > _LONGEST_PROGRAM:
            text = "the program is too long to be run"
            return verdict_of(plan, ReportedRun(ended=Ended("refused", text, None, text)), details=False)
        program = JudgedProgram(sample.problem, part, sample.solution, self._limits(plan), is_enough)
        run = run_together if plan.is_together else run_apart
        return verdict_of(plan, await run(self._starter, program), details=self._details)

    def _limits(self, plan: Plan) -> Limits:
        least, factor = self._times.least, self._times.factor
        slow = {test.name: factor * test.seconds for test in plan.tests if factor * test.seconds > least}
        whole = max(self._times.whole, factor * sum(test.seconds for test in plan.tests))
        call = max(least, factor * plan.slowest_call)
        return Limits(call, least, whole, max(LOAD_SECONDS, least), slow)


def _without_tests(base: PartVerdict) -> PartVerdict:
    """The verdict on a part without tests: passed by whatever can be loaded."""
    is_loaded = not any(failure.index < 0 for failure in base.failures)
    return PartVerdict(Status.PASS) if is_loaded else base
