"""State of each function of each file: the single source of everything that the server shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.engine.ladder_run import Severities, loudest_finding, without_finding
from lsp_evalplus.fuzz.model import Counterexample, FunctionTarget, Oracle, OracleKind, Report, Verdict
from lsp_evalplus.server.acceptance.acceptance import Acceptance, AcceptedRanges
from lsp_evalplus.server.analysis.facts import FunctionFacts, PreparedFunction, Survey
from lsp_evalplus.server.documents.documents import Edit, moved_by_all

from .schedule import Breather

_MAX_KNOWN_INPUTS: Final = 5


OracleId = tuple[OracleKind, str]
"""Identifies an oracle among those of one function: kind and source."""


def oracle_id(oracle: Oracle) -> OracleId:
    """See `OracleId`."""
    return oracle.kind, oracle.source


@dataclass(frozen=True, slots=True)
class Finding:
    """A counterexample with its severity."""

    report: Report
    oracle: Oracle
    counterexample: Counterexample
    severity: str


@dataclass(slots=True)
class FunctionState:
    """One function."""

    name: str
    """Its qualified name."""
    _survey: Survey
    """The facts that were read last, with spans of that version."""
    _index: int
    _edits: Sequence[Edit] = ()
    """The edits since, shared by all functions of the file."""
    _facts: FunctionFacts | None = None
    _followed: int = 0
    """How many edits have been applied to the spans of `_facts`."""
    prepared: PreparedFunction | None = None
    reports: Mapping[OracleId, Report] = field(default_factory=dict[OracleId, Report])
    checked_key: str | None = None
    """`facts.key` of the version that `reports` are about."""
    accepted: Acceptance | None = None
    replayed_key: str | None = None
    """`facts.key` of the version on which old counterexamples were replayed."""
    job_key: str | None = None
    """`facts.key` of the version that the latest job checks."""
    job_number: int = 0
    """Number of the latest job, which distinguishes it from those that it replaced."""
    job_change: int = 0
    """Number of the latest change of any file when that job began; see `session.dependents`."""
    fresh: frozenset[OracleId] = frozenset()
    """Oracles whose report is about the version of `fresh_key`, by a check or by a replay."""
    fresh_key: str | None = None
    """`facts.key` of the version that the latest result is about."""
    silenced: frozenset[OracleKind] = frozenset()
    """Oracles whose finding is in the baseline."""
    is_checking: bool = False
    is_replaying: bool = False
    obstacle: str | None = None
    """Why it is not checked, as the end of "not checked: …"."""

    def prepare(self, prepared: PreparedFunction | None, *, is_first: bool) -> None:
        """Take the function as a check prepared it, None where it could not.

        At first, reports of oracles that it no longer has are dropped, such as an older version; not those of a model.
        """
        self.prepared = prepared or self.prepared
        if prepared is not None and is_first:
            known = {oracle.kind for oracle in prepared.oracles} | {OracleKind.MODEL}
            self.reports = {one: report for one, report in self.reports.items() if one[0] in known}

    def learn_from(self, text_key: str, *, is_replay: bool) -> None:
        """A result about the version `text_key` comes in.

        Reports of the version before stay until the check ends, so that nothing flickers. What a replay found about
        this version counts as its result also if the check that follows is cancelled.
        """
        if self.fresh_key != text_key:
            self.fresh_key, self.fresh = text_key, frozenset()
        if not is_replay:
            self.checked_key = text_key
        elif self.checked_key != text_key:
            self.checked_key = None  # The results no longer belong to the version before, should that come back.

    @property
    def facts(self) -> FunctionFacts:
        """The facts about it, with their spans in the current document.

        Computed on demand and kept only where there is something to show: a large file has thousands of
        functions of which little is ever asked, and each object kept is work for the garbage collector.
        """
        facts, later = self._facts, self._edits[self._followed :]
        if facts is None:
            facts, later = self._survey.function(self._index), self._edits
        if later:
            facts = facts.moved(lambda span: moved_by_all(span, later))
        if self.is_noted:
            self._facts, self._followed = facts, len(self._edits)
        return facts

    @property
    def key(self) -> str:
        """See `FunctionFacts.key`."""
        return self._survey.key(self._index)

    def place(self, survey: Survey, index: int, edits: Sequence[Edit]) -> None:
        """The file was read again; `edits` will hold the edits from now on."""
        self._survey, self._index, self._edits = survey, index, edits
        self._facts, self._followed = None, 0

    @property
    def is_noted(self) -> bool:
        """Whether there is anything to show about it."""
        return bool(self.reports) or self.is_checking or self.obstacle is not None

    @property
    def target(self) -> FunctionTarget | None:
        """What was checked last."""
        return self.prepared.target if self.prepared is not None else None

    def finding(self, settings: Settings) -> Finding | None:
        """The most severe counterexample; of equally severe ones, the strongest oracle's."""
        directives: Mapping[str, str] = self.prepared.directives if self.prepared is not None else {}
        severities = severities_of(settings, self.name, directives, self.silenced)
        report = loudest_finding(self.reports.values(), severities)
        if report is None or report.oracle is None or report.counterexample is None:
            return None
        severity = severities.of(report.oracle.kind, report.counterexample)
        return Finding(report, report.oracle, report.counterexample, severity) if severity != "off" else None

    def has_counterexample(self) -> bool:
        """Whether any oracle disagrees with it."""
        return any(report.verdict is Verdict.DIFFERS for report in self.reports.values())

    def without_finding(self) -> Report | None:
        """The report to show where nothing was found: the strongest agreement, or why no oracle could judge."""
        return without_finding(self.reports.values())


def severities_of(
    settings: Settings, name: str, directives: Mapping[str, str], silenced: frozenset[OracleKind] = frozenset()
) -> Severities:
    """Severity of a function's findings, given the `directives` in its comments."""
    return Severities(settings, name, "refactoring" in directives, directives.get("ignore"), silenced)


@dataclass(slots=True)
class FileState:
    """One file, open or not."""

    uri: str
    functions: dict[str, FunctionState] = field(default_factory=dict[str, FunctionState])
    known_inputs: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Arguments that once failed, by function: tried first. They are kept while the function is briefly absent."""
    accepted: AcceptedRanges = field(default_factory=AcceptedRanges)
    edition: int = 0
    """How often it was edited, or the cells above a notebook's cell, which are read with it."""
    _edits: list[Edit] = field(default_factory=list[Edit])
    """The edits since the document was read."""

    def follow(self, edits: Sequence[Edit]) -> None:
        """The document was edited: move all spans."""
        self.edition += 1
        self._edits += edits

    async def take(self, survey: Survey, breather: Breather) -> list[FunctionState] | None:
        """Replace the functions by those of a survey; return the states of those that are gone.

        Returns None and changes nothing when the document was edited meanwhile.
        """
        old, edition = self.functions, self.edition
        edits, new = list[Edit](), dict[str, FunctionState]()
        for index in range(len(survey)):
            if await breather.rest() and (self.edition != edition or self.functions is not old):
                return None
            name = survey.name(index)
            new[name] = old.get(name) or FunctionState(name, survey, index)
        for index, state in enumerate(new.values()):
            state.place(survey, index, edits)
        self.functions, self._edits = new, edits
        return [state for name, state in old.items() if name not in new]

    def noted(self) -> list[FunctionState]:
        """The functions about which there is anything to show, in source order."""
        return [state for state in self.functions.values() if state.is_noted]

    def remember_input(self, name: str, arguments: str) -> None:
        """Keep arguments that failed, the latest first."""
        known = [one for one in self.known_inputs.get(name, []) if one != arguments]
        self.known_inputs[name] = [arguments, *known][:_MAX_KNOWN_INPUTS]

    def findings(self, settings: Settings) -> Iterator[tuple[FunctionState, Finding]]:
        """Every function with something to show, in source order."""
        for state in self.noted():
            found = state.finding(settings)
            if found is not None:
                yield state, found
