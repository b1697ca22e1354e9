"""Where no input reaches what differs between two versions of a function, its callers are compared, too."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.engine.through_callers import check_through, needs_callers
from lsp_evalplus.fuzz.guest.calling.instrument import COUNTERS, blocks_with, instrument
from lsp_evalplus.fuzz.guest.static.changed_parts import changed_parts
from lsp_evalplus.fuzz.model import Budget, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import callers_for, oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

TEXT = """
def begun(text: str) -> list:
    return ["state", text, sum(map(ord, text)) % 251]


def applied(state, key):
    kind, text, check = state
    if kind != "state" or check != sum(map(ord, text)) % 251 or len(text) < 4:
        return None
    return text.strip(key)


def cleaned(text: str) -> str:
    return applied(begun(text), "-") or ""


class Token:
    def __init__(self, kind, text):
        self.kind = kind
        self.text = text


class Scanner:
    def __init__(self, text: str):
        self.text = text
        self.found = []

    def scan(self) -> list:
        for word in self.text.split():
            self._take(Token("number" if word.isdigit() else "word", word))
        return self.found

    def _take(self, token):
        if token.kind == "number":
            value = int(token.text)
            if 10 <= value <= 99 and len(self.found) == 1:
                self.found.append(value)
        else:
            self.found.append(token.text)
"""


def report_of(judge: Any, name: str, newer: str) -> tuple[Report, bool]:
    """The report of a function, with what its callers show where they are needed, and whether they are."""
    module, previous = read_module(newer, Path("/nowhere/scanner.py")), PreviousVersion(TEXT, "git HEAD")
    target = module.target(name)
    (oracle, *_) = oracles_for(target, module, previous=previous)
    budget = Budget(seconds=60.0, calls=1500)
    report: Report = judge.check(target, oracle, budget)
    if not needs_callers(report, target):
        return report, False
    callers = callers_for(target, module, previous, Settings())
    return judge.run(check_through(report, target, callers, budget, judge.pool)), True


@pytest.mark.parametrize(
    ("name", "old", "new", "caller"),
    [
        ("applied", "text.strip(key)", "text.lstrip(key)", "cleaned"),
        ("Scanner._take", "self.found.append(value)", "self.found.append(value + 1)", "Scanner.scan"),
    ],
)
def test_a_caller_shows_a_difference(judge: Any, name: str, old: str, new: str, caller: str) -> None:
    report, _ = report_of(judge, name, TEXT.replace(old, new))
    assert (report.verdict, report.caller) == (Verdict.DIFFERS, caller), report


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("applied", "return text.strip(key)", "kept = text.strip(key)\n    return kept"),
        ("Scanner._take", "self.found.append(value)", "self.found += [value]"),
    ],
)
def test_a_report_without_a_difference_stands(judge: Any, name: str, old: str, new: str) -> None:
    report, is_asked = report_of(judge, name, TEXT.replace(old, new))
    assert (report.verdict, report.caller, is_asked) == (Verdict.AGREES, "", True), report


def test_callers_are_left_out_where_inputs_reach_the_change(judge: Any) -> None:
    report, is_asked = report_of(judge, "begun", TEXT.replace("% 251]", "% 251 + 0]"))
    assert (report.verdict, is_asked) == (Verdict.AGREES, False), report


STATEMENTS = """
def f(x, y):
    if x > 3:
        return 1
    y += []
    for one in y:
        if one:
            continue
        y = one
    else:
        x = 2
    try:
        x = 3
        sum(y or [])
    except TypeError:
        x = 4
    return x
"""


@pytest.mark.parametrize(
    ("old", "new", "reaching", "missing"),
    [
        ("return 1", "return 2", (4, []), (3, [])),
        ("y += []", "y += ()", (3, []), (4, [])),
        ("y = one", "y = 1", (3, [0]), (3, [1])),
        ("x = 2", "x = 5", (3, [1]), (4, [])),
        ("x = 3", "x = 6", (3, []), (4, [])),
        ("x = 4", "x = 7", (3, ["a"]), (3, [])),
    ],
)
def test_the_block_of_a_statement(old: str, new: str, reaching: tuple[Any, ...], missing: tuple[Any, ...]) -> None:
    newer = STATEMENTS.replace(old, new)
    text = instrument(newer) or ""
    ours, theirs = (ast.parse(one).body[0] for one in (newer, STATEMENTS))
    copy = next(one for one in ast.parse(text).body if getattr(one, "name", "") == "f")
    assert isinstance(ours, ast.FunctionDef)
    assert isinstance(theirs, ast.FunctionDef)
    (block,) = blocks_with(changed_parts(ours, theirs), ours, copy)
    for arguments, is_reached in ((reaching, True), (missing, False)):
        scope: dict[str, Any] = {}
        exec(text, scope)
        scope["f"](*arguments)
        assert bool(scope[COUNTERS][block]) is is_reached
