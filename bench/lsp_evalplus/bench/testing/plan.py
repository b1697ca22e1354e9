"""What counts for a part of a task: the tests that its reference passes, known before any sample runs. All pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lsp_evalplus.bench.judging.verdicts import Failure, PartVerdict, Status, shorten

from .conversation import Report, ReportedRun


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """A test that the reference passes, and what its run was like."""

    name: str
    asserts: frozenset[str]
    """The asserts that the reference passed on the way; a sample must pass some too. Which, a right one may decide."""
    returns_own: bool
    """Whether the reference returned objects of classes of its own, so that a sample may, too."""
    seconds: float
    trace: str = ""
    """A digest of the calls in it and what they gave."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The tests of one part, in order."""

    tests: Sequence[PlannedTest]
    failed: Mapping[str, str] = field(default_factory=dict[str, str])
    """Tests that the reference itself fails, with the reason; samples are not judged by them."""
    is_together: bool = False
    """Whether tests and program must be in one process."""
    slowest_call: float = 0.0
    """Processor seconds of the slowest call of the reference."""

    @property
    def names(self) -> list[str]:
        """The names of the tests that judge, which `Failure.index` refers to."""
        return [test.name for test in self.tests]


def plan_of(run: ReportedRun, *, is_together: bool) -> Plan:
    """What the run of a reference says."""
    tests = [
        PlannedTest(one.name, one.asserts, one.returns_own, one.seconds, one.trace)
        for one in run.reports
        if one.status == "passed"
    ]
    failed = {one.name: one.text for one in run.reports if one.status not in ("passed", "skipped")}
    ended = run.ended
    if ended is not None and ended.kind != "finished":
        failed["the rest"] = ended.refusal or ended.text
    elif not any(test.asserts or "." in test.name for test in tests) and not failed:
        # Calls alone assert nothing: anything that can be called would pass.
        return Plan([], {"all": "they assert nothing"}, is_together, run.slowest_call)
    return Plan(tests, failed, is_together, run.slowest_call)


def choose(apart: Plan, together: Plan) -> Plan:
    """Apart, unless the reference passes other tests so, or gives something else in them.

    The latter shows that tests and function share more than calls: a seed, a patched module, files.
    """
    traces = {test.name: test.trace for test in apart.tests}
    is_same = all(traces.get(test.name) == test.trace for test in together.tests)
    return apart if is_same else together


def verdict_of(plan: Plan, run: ReportedRun, *, details: bool) -> PartVerdict:
    """The verdict on a sample: a pass only if it passes each test of the plan, in order, once.

    `details`: name every failing test instead of the first one.
    """
    ended = run.ended
    if ended is not None and ended.refusal is not None:
        status = Status.TIMEOUT if ended.is_timeout else Status.FAIL
        return PartVerdict(status, (Failure(-1, shorten(ended.refusal)),))
    reports = {report.name: report for report in run.reports}
    has_twice = len(reports) < len(run.reports)
    failures: list[Failure] = []
    status = Status.PASS
    for index, test in enumerate(plan.tests):
        report = reports.get(test.name)
        text = "was reported twice" if has_twice else fault_in(test, report)
        if text is None:
            continue
        is_timeout = report.status == "timed_out" if report is not None else ended is not None and ended.is_timeout
        text = text or (ended.text if ended is not None and ended.kind != "finished" else "was not run")
        if not failures:
            status = Status.TIMEOUT if is_timeout else Status.FAIL
        failures.append(Failure(index, shorten(text)))
        if not details or report is None:
            break
    if not failures and (text := _fault_between(plan, run)) is not None:
        return PartVerdict(Status.FAIL, (Failure(len(plan.tests) - 1, shorten(text)),))
    return PartVerdict(status, tuple(failures))


def fault_in(test: PlannedTest, report: Report | None) -> str | None:
    """Why a test is not passed, empty if there is no report of it; None if it is passed."""
    if report is None:
        return ""
    if report.status != "passed":
        return report.text or report.status
    if test.asserts and not report.asserts:
        return "passed none of the asserts that the reference passes"
    if report.returns_own and not test.returns_own:
        return "returned an object of a class of its own, which decides what it equals"
    return None


def _fault_between(plan: Plan, run: ReportedRun) -> str | None:
    """What failed between the tests that the reference got through, or how the program ended before the end."""
    known = {*plan.names, *plan.failed}
    for report in run.reports:
        if report.name not in known and report.status not in ("passed", "skipped"):
            return f"{report.name}: {report.text}"
    ended = run.ended
    if ended is not None and ended.kind != "finished" and "the rest" not in plan.failed:
        return ended.text
    return None
