"""What counts as the same outcome, by comments and settings."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import Budget, Equality, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

OLD = """
def half(x: int) -> float:
    return x / 2

def shares(numbers: list[int]) -> list[float]:
    return [x / 10 for x in numbers]

def largest(numbers: list[int]) -> int:
    if not numbers:
        raise ValueError("nothing is the largest")
    return max(numbers)

def scaled(numbers: list[float]) -> None:
    numbers[:] = [x * 3 for x in numbers]
"""
CASES = [
    ("half", "x / 2", "x / 2 + 0.004", "tolerance", "0.01"),
    ("shares", "for x in numbers", "for x in reversed(numbers)", "order", "any"),
    pytest.param("shares", "x / 10", "x / 10 + 1e-4", "tolerance", "0.001", marks=pytest.mark.slow),
    ("largest", "raise ValueError", "raise LookupError", "exceptions", "any"),
    pytest.param("scaled", "x * 3", "x * 3 + 1e-5", "tolerance", "0.001", marks=pytest.mark.slow),
]


def judged(name: str, text: str, judge: Any, settings: Settings | None = None) -> Verdict:
    module = read_module(text, Path("shop.py"))
    target = module.target(name)
    oracle = oracles_for(target, module, settings=settings, previous=PreviousVersion(OLD, "HEAD"))[0]
    verdict: Verdict = judge.check(target, oracle, Budget(4.0, 100, 0)).verdict
    return verdict


@pytest.mark.parametrize(("name", "old", "new", "key", "value"), CASES)
def test_a_comment_or_a_setting_says_what_is_the_same(
    name: str, old: str, new: str, key: str, value: str, judge: Any
) -> None:
    text = OLD.replace(old, new)
    commented = text.replace(f"def {name}", f"# lsp-evalplus: {key}={value}\ndef {name}")
    setting: Any = {key: float(value) if key == "tolerance" else value}

    assert text != OLD
    assert judged(name, text, judge) is Verdict.DIFFERS
    assert judged(name, commented, judge) is Verdict.AGREES
    assert judged(name, text, judge, dataclasses.replace(Settings(), **setting)) is Verdict.AGREES


def test_other_differences_are_still_told(judge: Any) -> None:
    text = OLD.replace("x / 2", "x / 2 + 0.004").replace("def half", "# lsp-evalplus: tolerance=0.001\ndef half")

    assert judged("half", text, judge) is Verdict.DIFFERS


def test_a_smaller_tolerance_sees_more(judge: Any) -> None:
    text = OLD.replace("x / 2", "x / 2 + 1e-8")

    assert judged("half", text, judge) is Verdict.AGREES
    assert judged("half", text.replace("def half", "# lsp-evalplus: tolerance=0\ndef half"), judge) is Verdict.DIFFERS


@pytest.mark.parametrize("body", ["tolerance=much", "tolerance=2", "order=random", "exceptions=none", "tolerance"])
def test_a_value_that_is_not_allowed_is_named(body: str) -> None:
    module = read_module(OLD.replace("def half", f"# lsp-evalplus: {body}\ndef half"), Path("shop.py"))

    with pytest.raises(UserError, match=r"shop\.py, line \d.*half.*allowed"):
        oracles_for(module.target("half"), module, previous=PreviousVersion(OLD.replace("2", "3"), "HEAD"))


def test_a_usual_oracle_states_nothing() -> None:
    module = read_module(OLD, Path("shop.py"))
    oracles = oracles_for(module.target("half"), module)

    assert [one.equality for one in oracles] == [Equality()]
