"""Exceptions that other modules of a project raise on purpose are behaviour of an older version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsp_evalplus.fuzz.model import HANDLED_NOTE, Budget, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

ERRORS = """
class Refused(Exception):
    pass

def refuse(text):
    raise Refused(text)

def first_of(items):
    return items[0]
"""
STORE = """
from .errors import first_of, refuse

def stored(key: str, is_open: bool):
    if not is_open:
        refuse(key)
    return len(key)

def head(items: list[int]):
    return first_of(items) + 1
"""


def judged(folder: Path, judge: Any, name: str, old: str, new: str) -> Report:
    package = folder / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "errors.py").write_text(ERRORS)
    path = package / "store.py"
    path.write_text(STORE.replace(old, new))
    module = read_module(path.read_text(), path)
    oracle = oracles_for(module.target(name), module, previous=PreviousVersion(STORE, "HEAD"))[0]
    report: Report = judge.check(module.target(name), oracle, Budget(60.0, 150, 0))
    return report


def test_what_another_module_raises_is_compared(tmp_path: Path, judge: Any) -> None:
    report = judged(tmp_path, judge, "stored", "if not is_open", "if is_open is None")
    assert report.counterexample is not None, report
    assert "Refused" in str(report.counterexample.expected)


def test_what_fails_in_another_module_is_not(tmp_path: Path, judge: Any) -> None:
    report = judged(tmp_path, judge, "head", "first_of(items) + 1", "sum(items[:1]) + 1")
    assert report.verdict is Verdict.AGREES, report


def test_what_fails_in_another_module_is_told_where_new_code_takes_care_of_it(tmp_path: Path, judge: Any) -> None:
    report = judged(tmp_path, judge, "head", "return first_of", "return 0 if not items else first_of")
    assert report.counterexample is not None, report
    assert report.counterexample.note == HANDLED_NOTE
    assert report.counterexample.arguments == "([],)"
