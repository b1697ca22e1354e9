"""What counts as a difference: one check per case in tests/cases/pairs/precision.txt, through real guests."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from lsp_evalplus.fuzz.model import Report

CASE_FILE = "../../cases/pairs/precision.txt"
CALLS = {"agrees": 400}
"""How many inputs are tried, by the verdict that is expected, where that is not as usual: these take all of them."""
USUAL_CALLS = 2000


def told(report: Report) -> dict[str, str]:
    """Everything a case may expect something of."""
    found = report.counterexample
    facts = {"verdict": str(report.verdict), "reason": report.reason}
    if found is not None:
        facts |= {
            "call": found.call,
            "candidate": found.candidate.text,
            "expected": found.expected.text,
            "note": found.note,
            "tier": str(found.tier),
        }
    return facts


def test_verdict(case: Any, judge: Any) -> None:
    name, kind = case.expected.get("name", "f"), case.expected.get("oracle", "reference")
    calls = int(case.expected.get("calls", CALLS.get(case.expected["verdict"], USUAL_CALLS)))
    report = judge(case.reference, case.candidate, name, kind=kind, calls=calls)

    facts = told(report) | {"name": name, "oracle": kind, "calls": str(calls)}
    for key, expected in case.expected.items():
        if key == "reason":
            assert expected in facts[key], facts
        else:
            assert facts.get(key) == expected or fnmatchcase(facts.get(key, ""), expected), facts
