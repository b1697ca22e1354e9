"""What came of a program and its unittest cases, and the verdicts on it by two rules. All pure.

Upstream's rule passes a program when its tests came to their end and none failed: tests that were left out, skipped or
patched count for it. The strict rule wants every test that the reference passes, once, and unittest untouched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from lsp_evalplus.bench.judging.verdicts import Status

_BAD = ("fail", "error")


@dataclass(frozen=True, slots=True)
class CaseReport:
    """What a guest says of one test."""

    name: str
    outcome: str
    """``pass``, ``fail``, ``error``, ``skip``, ``expected_failure`` or ``unexpected_success``."""
    trace: str = ""
    seconds: float = 0.0
    tampered: tuple[str, ...] = ()
    """Parts of unittest and builtins that were changed."""


@dataclass(slots=True)
class Outcome:
    """One run of a program with its tests."""

    reports: list[CaseReport] = field(default_factory=list[CaseReport])
    outside: str | None = None
    """What was raised outside of tests: the program cannot be loaded, or has exited."""
    has_ended: bool = False
    """Whether the last test was followed by the end of the job."""
    is_timeout: bool = False
    how: str = ""
    """How the process ended, in words, if that was early."""
    lacked_memory: bool = False
    """Whether it was ended because it took more memory than it may have."""
    memory: int = 0
    """Resident bytes of its largest process at their most; what it shares with others counts too."""

    @property
    def says_something(self) -> bool:
        """Whether the program ended by itself or by its limits of time; others may have been killed from outside."""
        return self.has_ended or self.outside is not None or self.is_timeout


@dataclass(frozen=True, slots=True)
class Reference:
    """What the run of a task's reference has shown; kept with the cache of references."""

    outcomes: Mapping[str, str]
    """The outcome of each test by name, in order."""
    seconds: float
    """Processor seconds of all tests."""
    fault: str = ""
    """Why the reference does not pass; empty if it does."""
    tampered: tuple[str, ...] = ()
    """What its own tests leave changed."""
    memory: int = 0
    """Resident bytes of its largest process."""
    first_fault: str = ""
    """Why its first run failed, if it was run again."""

    @classmethod
    def of(cls, outcome: Outcome) -> Self:
        """What a run says."""
        status, details = upstream_verdict(outcome)
        fault = ""
        if status is not Status.PASS:
            name, text = next(iter(details.items()), ("ALL", outcome.how or status))
            fault = f"{name}: {_last_line(text)}"
        elif not any(report.outcome == "pass" for report in outcome.reports):
            fault = "no test passes"
        return cls(
            {report.name: report.outcome for report in outcome.reports},
            sum(report.seconds for report in outcome.reports),
            fault,
            tuple(sorted({name for report in outcome.reports for name in report.tampered})),
            outcome.memory,
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`. Raises `TypeError`, `ValueError` or `KeyError` for anything else."""
        outcomes = {str(name): str(outcome) for name, outcome in dict(data["outcomes"]).items()}
        tampered = tuple(map(str, data["tampered"]))
        memory, first_fault = int(data["memory"]), str(data["first_fault"])
        return cls(outcomes, float(data["seconds"]), str(data["fault"]), tampered, memory, first_fault)

    def to_json(self) -> dict[str, Any]:
        """The form kept in the cache."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {**fields, "outcomes": {**self.outcomes}, "tampered": [*self.tampered]}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdicts on one program, with what failed by the name of the test (``ALL``: outside of tests)."""

    strict: Status
    upstream: Status
    details: Mapping[str, str]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Self:
        """The inverse of `to_json`. Raises `ValueError`, `TypeError` or `AttributeError` for anything else."""
        strict, upstream, details = data
        return cls(Status(strict), Status(upstream), {str(name): str(text) for name, text in details.items()})

    def to_json(self) -> list[Any]:
        """The form kept in the journal of a run."""
        return [self.strict, self.upstream, dict(self.details)]


def verdict_of(reference: Reference, outcome: Outcome) -> Verdict:
    """The verdicts on a program by both rules, with the details of the rule that fails it."""
    status, details = upstream_verdict(outcome)
    if status is not Status.PASS or reference.fault:
        return Verdict(status, status, details)
    faults = _strict_faults(reference, outcome.reports)
    return Verdict(Status.FAIL if faults else Status.PASS, status, faults)


def upstream_verdict(outcome: Outcome) -> tuple[Status, dict[str, str]]:
    """Upstream's verdict and its ``details``."""
    if outcome.outside is not None:
        return Status.FAIL, {"ALL": outcome.outside}
    if not outcome.has_ended:
        # Upstream has one word for a process that says nothing: killed, crashed, or out of time.
        return Status.TIMEOUT, {}
    details = {report.name: report.trace for report in outcome.reports if report.outcome in _BAD}
    return (Status.FAIL if details else Status.PASS), details


def _strict_faults(reference: Reference, reports: Sequence[CaseReport]) -> dict[str, str]:
    faults: dict[str, str] = {}
    found: dict[str, CaseReport] = {}
    for report in reports:
        if report.name not in reference.outcomes:
            faults[report.name] = "is no test of the task"
        elif report.name in found:
            faults[report.name] = "was reported twice"
        found[report.name] = report
        changed = sorted(set(report.tampered) - set(reference.tampered))
        if changed:
            faults[report.name] = f"changed what tests are made of: {', '.join(changed)}"
    for name, outcome in reference.outcomes.items():
        report = found.get(name)
        if report is None:
            faults[name] = "was not run"
        elif report.outcome not in ("pass", outcome):
            faults[name] = f"ended as {report.outcome}, where the reference ends as {outcome}"
    return faults


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else text
