"""Versions that only readers of the source can tell apart are compared on few inputs."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.engine import check as engine
from lsp_evalplus.fuzz.engine.check import SAME_CODE_CALLS
from lsp_evalplus.fuzz.model import Budget, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

OLDER = """\
def longest(words: list[str]) -> str:
    best = ""
    for word in words:
        if len(word) > len(best):
            best = word
    return best
"""


def report_on(judge: Any, name: str, older: str, newer: str) -> Report:
    assert older != newer
    module = read_module(newer)
    target = module.target(name)
    previous = PreviousVersion(older, "git HEAD")
    oracle = oracles_for(target, module, settings=Settings(oracles=("previous",)), previous=previous)[0]
    found: Report = judge.check(target, oracle, Budget(seconds=20.0, calls=600))
    return found


def test_other_names_of_variables_are_compared_on_few_inputs(judge: Any) -> None:
    report = report_on(judge, "longest", OLDER, OLDER.replace("best", "longest_yet"))
    assert report.verdict is Verdict.AGREES
    assert 10 <= report.inputs <= SAME_CODE_CALLS


def test_other_code_is_compared_on_all(judge: Any) -> None:
    newer = OLDER.replace("return best", "result = best\n    return result")
    report = report_on(judge, "longest", OLDER, newer)
    assert report.verdict is Verdict.AGREES
    assert report.inputs > SAME_CODE_CALLS


def test_a_changed_constant_of_the_module_is_no_sameness(judge: Any) -> None:
    older = "LEAST = 3\n\n\ndef is_long(word: str) -> bool:\n    return len(word) > LEAST\n"
    report = report_on(judge, "is_long", older, older.replace("3", "4"))
    assert report.verdict is Verdict.DIFFERS


def test_where_few_inputs_show_nothing_more_are_tried(judge: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SAME_CODE_CALLS", 1)
    older = """\
def middle(word: str) -> str:
    if len(word) < 3:
        raise ValueError(word)
    part = word[1:-1]
    return part
"""
    report = report_on(judge, "middle", older, older.replace("part", "inner"))
    assert report.verdict is Verdict.AGREES
    assert report.inputs > 100
