"""Which oracles are asked in turn, and what is told of all their reports."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.engine.ladder_run import Severities, ask_in_turn, conclude
from lsp_evalplus.fuzz.model import Counterexample, Oracle, OracleKind, Outcome, OutcomeKind, Report, Tier, Verdict
from lsp_evalplus.fuzz.source.directives import finding_mark

KINDS = {kind.value[0]: kind for kind in reversed(OracleKind) if kind is not OracleKind.ROBUSTNESS}
"""``r`` reference, ``p`` previous, ``e`` examples, ``c`` contract, ``a`` annotation; of two, the stronger one."""
CONTRACT_MARK = finding_mark("f", OracleKind.CONTRACT, "(1,)")

# What each oracle says ("=" agrees, "x" differs, "w" differs on a widened input, "?" cannot judge), who is asked, and
# whose report is told with which verdict. Then settings and comments that matter.
CASES = [
    ("r= e=", "r", "r="),
    ("rx ex", "r", "rx"),
    ("rw ex", "r", "rw"),
    ("r? e= c=", "rec", "r?"),
    ("r? ex c=", "re", "ex"),
    ("p= e= c=", "pec", "p="),
    ("p= ex c=", "pe", "ex"),
    ("px e= c=", "pec", "px"),
    ("px ex c=", "pe", "ex"),
    ("px e= cx", "pec", "cx"),
    ("p? e=", "pe", "e="),
    ("p? e?", "pe", "p?"),
    ("ew cx", "e", "ew"),
    ("cw ax", "ca", "ax"),
    ("cw a=", "ca", "cw"),
    ("px px", "pp", "px"),
    ("px ex", "p", "px", {"is_refactoring": True}),
    ("p= ex", "pe", "ex", {"is_refactoring": True}),
    ("px ex", "p", "px", {"severity": (("previous", "error"),)}),
    ("ex cx", "ec", "cx", {"severity": (("examples", "hint"),)}),
    ("rx ex", "re", "ex", {"severity": (("reference", "off"),)}),
    ("rx e=", "re", "rx", {"severity": (("reference", "off"),)}),
    ("px cx", "pc", "px", {"ignored": CONTRACT_MARK}),
    ("px cx", "pc", "px", {"ignored": ""}),
    ("cx a=", "ca", "cx", {"silenced": frozenset({OracleKind.CONTRACT})}),
]


def answer(oracle: Oracle, mark: str) -> Report:
    if mark in "xw":
        outcome = Outcome(OutcomeKind.RETURNED, "1")
        tier = Tier.WIDENED if mark == "w" else Tier.INSIDE
        found = Counterexample("(1,)", "f(1)", outcome, outcome, tier)
        return Report(Verdict.DIFFERS, "", oracle, found, inputs=10, rejected=1, seconds=0.5)
    verdict = Verdict.AGREES if mark == "=" else Verdict.NOT_CHECKED
    return Report(verdict, "why", oracle, inputs=10, rejected=1, seconds=0.5)


def severities_for(given: dict[str, object]) -> Severities:
    options = dict(given)
    settings = Settings(severity=options.pop("severity", ()))  # type: ignore[arg-type]
    return Severities(settings, "f", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}:{'+'.join(case[3]) if len(case) > 3 else ''}")
async def test_the_ladder(case: tuple[str, str, str] | tuple[str, str, str, dict[str, object]]) -> None:
    said, asked, told, *options = case
    marks = {index: one[1] for index, one in enumerate(said.split())}
    oracles = [Oracle(KINDS[one[0]], source=str(index)) for index, one in enumerate(said.split())]
    severities = severities_for(options[0] if options else {})
    came: list[Report] = []

    async def ask(oracle: Oracle) -> Report:
        return answer(oracle, marks[int(oracle.source)])

    reports = await ask_in_turn(oracles, ask, severities, came.append)
    report = conclude(reports, severities)

    assert came == reports
    assert "".join(one.oracle.kind.value[0] for one in reports if one.oracle) == asked
    assert report.oracle is not None
    assert KINDS[told[0]] is report.oracle.kind
    expected = {"=": Verdict.AGREES, "?": Verdict.NOT_CHECKED}.get(told[1], Verdict.DIFFERS)
    assert report.verdict is expected


async def test_the_effort_of_all_that_led_to_a_report_adds_up() -> None:
    marks = {OracleKind.PREVIOUS: "=", OracleKind.EXAMPLES: "?", OracleKind.CONTRACT: "="}
    severities = severities_for({})

    async def ask(oracle: Oracle) -> Report:
        return answer(oracle, marks[oracle.kind])

    agreed = conclude(await ask_in_turn([Oracle(kind, "") for kind in marks], ask, severities), severities)
    marks[OracleKind.CONTRACT] = "x"
    found = conclude(await ask_in_turn([Oracle(kind, "") for kind in marks], ask, severities), severities)

    assert (agreed.inputs, agreed.rejected, agreed.seconds) == (20, 2, 1.0)
    assert (found.inputs, found.rejected, found.seconds) == (30, 3, 1.5)
