"""Check one function against its oracles in turn, the most reliable first.

The command line, the language server and the MCP server share this rule, so that they report the same findings:

* A finding reported as an error or a warning ends the run: weaker oracles would add less.
* So does agreement with a reference. Agreement with a previous version does not: unchanged behaviour may be wrong.
* After anything else (a finding of lower severity, an oracle that could not judge) the next oracle is tried.
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
    """Severities of the findings of one function."""

    settings: Settings
    name: str
    """Of the function."""
    is_refactoring: bool = False
    """Whether a comment requires the behaviour of the previous version."""
    ignored: str | None = None
    """The value of its ``ignore`` directive."""
    silenced: frozenset[OracleKind] = frozenset()
    """Oracles whose finding has been accepted."""

    def of(self, kind: OracleKind, example: Counterexample) -> str:
        """Return one of `SEVERITIES`; "off" where a comment suppresses the finding."""
        mark = finding_mark(self.name, kind, example.arguments)
        if kind in self.silenced or is_ignored(self.ignored, mark):
            return _OFF
        return severity_of(self.settings, kind, example.tier, is_refactoring=self.is_refactoring)

    def of_report(self, report: Report) -> str | None:
        """Return the severity of a report; None if it has no finding."""
        if report.verdict is not Verdict.DIFFERS or report.counterexample is None or report.oracle is None:
            return None
        return self.of(report.oracle.kind, report.counterexample)


def _ignore_report(_report: Report) -> None:
    return


async def ask_in_turn(
    oracles: Sequence[Oracle],
    ask: Callable[[Oracle], Awaitable[Report]],
    severities: Severities,
    on_report: Callable[[Report], None] = _ignore_report,
) -> list[Report]:
    """Check against each oracle until one is decisive; return the reports in order.

    Args:
        oracles: as `oracle.ladder.oracles_for` gives them.
        ask: runs one check against one oracle; each has the whole budget.
        severities: of findings, which determine whether the next oracle is tried.
        on_report: called with each report as it arrives.
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
    """Whether no weaker oracle needs to be tried."""
    if report.verdict is Verdict.AGREES:
        return report.oracle is not None and report.oracle.kind is OracleKind.REFERENCE
    return severities.of_report(report) in _DECISIVE


def loudest_finding(reports: Iterable[Report], severities: Severities) -> Report | None:
    """Return the finding of the highest severity; among equal ones, that of the strongest oracle."""
    order, found = list(OracleKind), list[tuple[int, int, Report]]()
    for report in reports:
        severity = severities.of_report(report)
        if severity is not None and report.oracle is not None:
            found.append((SEVERITIES.index(severity), order.index(report.oracle.kind), report))
    return min(found, key=lambda one: one[:2])[2] if found else None


def without_finding(reports: Iterable[Report]) -> Report | None:
    """Return the report to show if no oracle found anything: the strongest agreement, or why none could judge.

    A designated reference that could not judge precedes the agreement of others, which the user would otherwise
    mistake for its own.
    """
    known = [report for report in reports if report.verdict is not Verdict.DIFFERS]
    agreeing = [report for report in known if report.verdict is Verdict.AGREES]
    failed = [one for one in known if one.verdict is Verdict.NOT_CHECKED and _is_designated(one)]
    return next(iter([*failed, *agreeing, *known]), None)


def conclude(reports: Sequence[Report], severities: Severities) -> Report:
    """Merge the reports of a run: its most severe finding, or its result without one, with the total effort."""
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
