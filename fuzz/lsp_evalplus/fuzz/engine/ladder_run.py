"""One function against all its oracles: they are asked in turn, the most certain first.

The command line, the editor's server and the MCP server ask by this one rule, so that they tell the same of a function:

* A finding that is told as an error or a warning ends the run: what weaker oracles would add says less.
* So does the agreement of a reference. That of a previous version does not: what did not change may still be wrong.
* After anything else (a finding told more quietly, an oracle that could not judge) the next oracle is asked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lsp_evalplus.fuzz.config.settings import SEVERITIES, Settings
from lsp_evalplus.fuzz.config.severity import severity_of
from lsp_evalplus.fuzz.model import Counterexample, Oracle, OracleKind, Report, Verdict
from lsp_evalplus.fuzz.source.directives import finding_mark, is_ignored

_DECISIVE: Final = ("error", "warning")
_OFF: Final = SEVERITIES[-1]


@dataclass(frozen=True, slots=True)
class Severities:
    """How loudly the findings of one function are told."""

    settings: Settings
    name: str
    """Of the function."""
    is_refactoring: bool = False
    """Whether a comment says that it must do what its previous version did."""
    ignored: str | None = None
    """What a comment leaves out, as a directive ``ignore`` has it."""
    silenced: frozenset[OracleKind] = frozenset()
    """Oracles whose finding is known and accepted."""

    def of(self, kind: OracleKind, example: Counterexample) -> str:
        """One of `SEVERITIES`; "off" where a comment leaves the finding out."""
        mark = finding_mark(self.name, kind, example.arguments)
        if kind in self.silenced or is_ignored(self.ignored, mark):
            return _OFF
        return severity_of(self.settings, kind, example.tier, is_refactoring=self.is_refactoring)

    def of_report(self, report: Report) -> str | None:
        """The same for a report; None where it tells no finding."""
        if report.verdict is not Verdict.DIFFERS or report.counterexample is None or report.oracle is None:
            return None
        return self.of(report.oracle.kind, report.counterexample)


def _tell_nobody(_report: Report) -> None:
    return


async def ask_in_turn(
    oracles: Sequence[Oracle],
    ask: Callable[[Oracle], Awaitable[Report]],
    severities: Severities,
    on_report: Callable[[Report], None] = _tell_nobody,
) -> list[Report]:
    """The reports of the oracles that were asked, in their order; `on_report` is told each as it comes.

    Args:
        oracles: as `oracle.ladder.oracles_for` gives them.
        ask: one check against one oracle; each has the whole budget.
        severities: how loudly findings are told, on which it depends who is asked.
        on_report: see above.
    """
    reports = list[Report]()
    for oracle in oracles:
        report = await ask(oracle)
        reports.append(report)
        on_report(report)
        if is_decisive(report, severities):
            break
    return reports


def is_decisive(report: Report, severities: Severities) -> bool:
    """Whether no weaker oracle need be asked."""
    if report.verdict is Verdict.AGREES:
        return report.oracle is not None and report.oracle.kind is OracleKind.REFERENCE
    return severities.of_report(report) in _DECISIVE


def loudest_finding(reports: Iterable[Report], severities: Severities) -> Report | None:
    """The finding that is told first: the loudest; of equally loud ones, the strongest oracle's."""
    order, found = list(OracleKind), list[tuple[int, int, Report]]()
    for report in reports:
        severity = severities.of_report(report)
        if severity is not None and report.oracle is not None:
            found.append((SEVERITIES.index(severity), order.index(report.oracle.kind), report))
    return min(found, key=lambda one: one[:2])[2] if found else None


def without_finding(reports: Iterable[Report]) -> Report | None:
    """What is told where no oracle found anything: the strongest agreement, or why nobody could judge.

    A reference that could not judge is told before others' agreement: the user designated it, and would otherwise take
    their word for its.
    """
    known = [report for report in reports if report.verdict is not Verdict.DIFFERS]
    agreeing = [report for report in known if report.verdict is Verdict.AGREES]
    failed = [one for one in known if one.verdict is Verdict.NOT_CHECKED and _is_designated(one)]
    return next(iter([*failed, *agreeing, *known]), None)


def conclude(reports: Sequence[Report], severities: Severities) -> Report:
    """All reports of a run in one: the loudest finding or what is told without one, with the effort that led to it."""
    found = loudest_finding(reports, severities)
    if found is not None:
        before = reports[: next(index for index, report in enumerate(reports) if report is found)]
        return _with_effort(found, before)
    told = without_finding(reports)
    assert told is not None, "an empty ladder is not run"
    if told.verdict is not Verdict.AGREES:
        return told
    return _with_effort(told, [one for one in reports if one.verdict is Verdict.AGREES and one is not told])


def _is_designated(report: Report) -> bool:
    return report.oracle is not None and report.oracle.kind is OracleKind.REFERENCE


def _with_effort(report: Report, others: Iterable[Report]) -> Report:
    others = list(others)
    return replace(
        report,
        inputs=report.inputs + sum(other.inputs for other in others),
        rejected=report.rejected + sum(other.rejected for other in others),
        seconds=report.seconds + sum(other.seconds for other in others),
    )
