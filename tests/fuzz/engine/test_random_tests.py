"""Numbers that a project's tests draw are the same in both versions, and no difference where they cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Report, Verdict
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion

WEIGHTS = """
def total(*items):
    found = sum(item.weigh(3) for item in items)
    yield found
"""
ITEMS = """
import random

NUMBERS = [random.random() for _ in range(9)]

class Item:
    def __init__(self, weight):
        self.weight = weight

    def weigh(self, digits):
        return round(self.weight, digits)
"""
TESTS = """
import random
import uuid

import pytest

from tests.items import Item
from weights import total

@pytest.mark.parametrize("items", [[Item(DRAWN) for _ in range(count)] for count in range(1, 4)])
def test_total(items):
    assert len(list(total(*items))) == 1
"""


def report_of(project: Path, judge: Any, drawn: str, new: str) -> Report:
    """Compare `total` with a change on items of a weight that a test draws by the expression `drawn`."""
    (project / "pyproject.toml").touch()
    (project / "tests").mkdir()
    (project / "tests" / "__init__.py").touch()
    (project / "tests" / "items.py").write_text(ITEMS)
    (project / "tests" / "test_weights.py").write_text(TESTS.replace("DRAWN", drawn))
    path, source = project / "weights.py", WEIGHTS.replace("    yield found", new)
    report: Report = judge.in_tests(path, source, PreviousVersion(WEIGHTS, "git HEAD"), "total")[1]
    return report


@pytest.mark.parametrize(
    ("new", "verdict"),
    [
        ("    result = found\n    yield result", Verdict.AGREES),
        ("    yield found + (len(items) > 2)", Verdict.DIFFERS),
    ],
    ids=["harmless", "wrong"],
)
def test_numbers_that_a_module_of_tests_draws(tmp_path: Path, judge: Any, new: str, verdict: Verdict) -> None:
    """The module imports another one, which only one of the versions finds imported."""
    report = report_of(tmp_path, judge, "random.random()", new)
    assert (report.verdict, report.inputs > 0) == (verdict, True)


def test_numbers_of_the_system_are_no_difference(tmp_path: Path, judge: Any) -> None:
    """Each process draws others: the reference gives another result in each, too."""
    report = report_of(tmp_path, judge, "uuid.uuid4().int", "    result = found\n    yield result")
    assert report.verdict is not Verdict.DIFFERS
