"""What the server knows now about each function of each file: the single source of everything it shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from lsp_evalplus.fuzz.directives import finding_mark, is_ignored
from lsp_evalplus.fuzz.model import Counterexample, FunctionTarget, Oracle, OracleKind, Report, Verdict
from lsp_evalplus.fuzz.settings import SEVERITIES, Settings

from .acceptance import Acceptance, AcceptedRanges, InsertionWatch
from .documents import Edit, moved
from .facts import FunctionFacts, Prepared, Survey
from .settings import severity_of

_MAX_KNOWN_INPUTS: Final = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """A counterexample with how loudly it is told."""

    report: Report
    oracle: Oracle
    counterexample: Counterexample
    severity: str


@dataclass(slots=True)
class FunctionState:
    """One function."""

    facts: FunctionFacts
    """Its spans are in the document as it is now."""
    prepared: Prepared | None = None
    reports: Mapping[OracleKind, Report] = field(default_factory=dict[OracleKind, Report])
    checked_key: str | None = None
    """`facts.key` of the text that `reports` speak of."""
    accepted: Acceptance | None = None
    replayed_key: str | None = None
    """`facts.key` of the text for which old counterexamples were tried again."""
    job_key: str | None = None
    """`facts.key` of the text that the latest job is about."""
    job_number: int = 0
    """Tells the latest job from those it replaced."""
    fresh: set[OracleKind] = field(default_factory=set[OracleKind])
    """Oracles whose report is of the text of `checked_key`."""
    is_checking: bool = False
    is_replaying: bool = False
    obstacle: str | None = None
    """Why it is not checked, as the end of "not checked: …"."""

    @property
    def name(self) -> str:
        """Its qualified name."""
        return self.facts.name

    @property
    def target(self) -> FunctionTarget | None:
        """What was checked last."""
        return self.prepared.target if self.prepared is not None else None

    def finding(self, settings: Settings) -> Finding | None:
        """The loudest counterexample; of equally loud ones, the strongest oracle's."""
        found: list[Finding] = []
        for report in self.reports.values():
            example = report.counterexample
            if report.verdict is Verdict.DIFFERS and example is not None and report.oracle is not None:
                found.append(Finding(report, report.oracle, example, self._severity(settings, report.oracle, example)))
        order = list(OracleKind)
        shown = [one for one in found if one.severity != "off"]
        return min(shown, key=lambda one: (SEVERITIES.index(one.severity), order.index(one.oracle.kind)), default=None)

    def _severity(self, settings: Settings, oracle: Oracle, example: Counterexample) -> str:
        directives: Mapping[str, str] = self.prepared.directives if self.prepared is not None else {}
        if is_ignored(directives.get("ignore"), finding_mark(self.name, oracle.kind, example.arguments)):
            return "off"
        if oracle.kind is OracleKind.PREVIOUS and "refactoring" in directives:
            return "error"  # The user says that behaviour must not change.
        return severity_of(settings, oracle.kind, example.tier)

    def has_counterexample(self) -> bool:
        """Whether any oracle is against it."""
        return any(report.verdict is Verdict.DIFFERS for report in self.reports.values())

    def agreement(self) -> Report | None:
        """The strongest report without a difference."""
        return next((one for one in self.reports.values() if one.verdict is Verdict.AGREES), None)


@dataclass(slots=True)
class FileState:
    """One file, open or not."""

    uri: str
    functions: dict[str, FunctionState] = field(default_factory=dict[str, FunctionState])
    known_inputs: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Arguments that once failed, by function: tried first. They outlive a moment without the function."""
    accepted: AcceptedRanges = field(default_factory=AcceptedRanges)
    insertions: InsertionWatch = field(default_factory=InsertionWatch)
    surveyed_version: int | None = None
    is_surveyed: bool = False

    def follow(self, edits: Sequence[Edit]) -> None:
        """Move all spans through edits of the document."""
        for edit in edits:
            for state in self.functions.values():
                facts = state.facts
                state.facts = replace(facts, span=moved(facts.span, edit), name_span=moved(facts.name_span, edit))

    def take(self, survey: Survey) -> list[FunctionState]:
        """Replace the functions by those of a survey; gives the states of those that are gone."""
        old = self.functions
        self.functions = {}
        for facts in survey.functions:
            state = old.pop(facts.name, None)
            if state is None:
                state = FunctionState(facts)
            state.facts = facts
            state.accepted = self.accepted.best_for(facts.span) or state.accepted
            self.functions[facts.name] = state
        self.is_surveyed = True
        return list(old.values())

    def remember_input(self, name: str, arguments: str) -> None:
        """Keep arguments that failed, the latest first."""
        known = [one for one in self.known_inputs.get(name, []) if one != arguments]
        self.known_inputs[name] = [arguments, *known][:_MAX_KNOWN_INPUTS]

    def findings(self, settings: Settings) -> Iterator[tuple[FunctionState, Finding]]:
        """Every function with something to show, in the order of the text."""
        for state in tuple(self.functions.values()):  # checks that run meanwhile may add and remove some
            found = state.finding(settings)
            if found is not None:
                yield state, found
