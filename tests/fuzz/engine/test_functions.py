"""What returned functions do is compared: one check per case in tests/cases/pairs/functions.txt."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

CASE_FILE = "../../cases/pairs/functions.txt"
CALLS = 200


def test_verdict(case: Any, judge: Any) -> None:
    report = judge(case.reference, case.candidate, calls=CALLS)

    assert str(report.verdict) == case.expected["verdict"], report
    found = report.counterexample
    if found is not None:
        assert found.expected.text.startswith("a function ")
        assert found.candidate.text.startswith("a function ")
        assert found.candidate.text != found.expected.text


UPDATES = """
class Router:
    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.routes = [object()]

    def route(self, path: str):
        def decorator(function):
            self.routes.append((self.prefix + path, function))
            return function

        return decorator


def decrement(field: str):
    def transform(document):
        document[field] -= 1

    return transform
"""


@pytest.mark.parametrize(
    ("name", "old", "harmless", "wrong"),
    [
        ("decrement", "document[field] -= 1", "document[field] = document[field] - 1", "document[field] += 1"),
        pytest.param(
            "Router.route", "self.routes.append((", "list.append(self.routes, (", "print((", marks=pytest.mark.slow
        ),
    ],
)
def test_what_calls_of_returned_functions_change(judge: Any, name: str, old: str, harmless: str, wrong: str) -> None:
    agreed = judge(UPDATES, UPDATES.replace(old, harmless), name, kind=OracleKind.PREVIOUS, calls=100)
    assert agreed.verdict is Verdict.AGREES, agreed.reason
    differing = judge(UPDATES, UPDATES.replace(old, wrong), name, kind=OracleKind.PREVIOUS, calls=100)
    assert differing.verdict is Verdict.DIFFERS, differing.reason
