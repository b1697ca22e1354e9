"""What constructors refuse is not made: bounds of numbers, and empty strings."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.inference.constructors.checked_parameters import within_checks
from lsp_evalplus.fuzz.guest.values.shapes import FLOAT, INT, NONE, STR, union_of
from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    name: str
    count: int = 1
    rate: float = 0.0
    most: int | None = None

    def __post_init__(self) -> None:
        CHECK


def worth(line: Line, price: int) -> float:
    return line.count * price * (1 + line.rate)
"""


@pytest.mark.parametrize(
    ("check", "name", "bounds"),
    [
        ("if self.count < 1: raise ValueError(self.count)", "count", (1, None)),
        ("if self.count <= 0: raise ValueError(self.count)", "count", (1, None)),
        ("if 1 > self.count: raise ValueError(self.count)", "count", (1, None)),
        ("if not 1 <= self.count <= 9: raise ValueError(self.count)", "count", (1, 9)),
        ("if self.count < -1 or self.count >= 9: raise ValueError(self.count)", "count", (-1, 8)),
        ("if not self.count > 0: raise ValueError(self.count)", "count", (1, None)),
        ("if self.rate <= 0: raise ValueError(self.rate)", "rate", (0, None)),
        ("if not self.name: raise ValueError(self.name)", "name", (1, None)),
        ("if self.count < 1 and self.rate: raise ValueError(self.count)", "count", (None, None)),
        ("if self.count < 1: print(self.count)", "count", (None, None)),
        ("if self.count < self.rate: raise ValueError(self.count)", "count", (None, None)),
        ("if not 1 <= self.count <= 9 and self.rate: raise ValueError(self.count)", "count", (None, None)),
    ],
)
def test_what_a_constructor_refuses(tmp_path: Path, check: str, name: str, bounds: tuple[Any, Any]) -> None:
    path = tmp_path / "checked_lines.py"
    path.write_text(SOURCE.replace("CHECK", check))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    parts = {"name": STR, "count": INT, "rate": FLOAT, "most": union_of([INT, NONE])}

    found = within_checks(module.Line, parts)

    assert found[name].bounds == bounds
    assert all(found[other] == part for other, part in parts.items() if other != name)
    del sys.modules[path.stem]


def test_a_check_that_is_lost_is_found(judge: Any) -> None:
    older = SOURCE.replace("CHECK", "if self.count < 1: raise ValueError(self.count)")
    report = judge(older, SOURCE.replace("CHECK", "pass"), "Line.__post_init__", kind="previous", calls=800)

    assert report.verdict is Verdict.DIFFERS


def test_objects_are_made_within_the_checks(judge: Any) -> None:
    older = SOURCE.replace("CHECK", "if not 20 <= self.count <= 30: raise ValueError(self.count)")
    report = judge(older, older.replace("(1 + line.rate)", "(1 - line.rate)"), "worth", kind="previous", calls=800)

    assert report.verdict is Verdict.DIFFERS
