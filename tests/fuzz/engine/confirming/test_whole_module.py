"""Findings are judged in the whole module where a part of it was cut away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Budget, OracleKind, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion, previous_oracle
from lsp_evalplus.fuzz.oracle.tests import ProjectTests
from lsp_evalplus.fuzz.source.discover import read_module

MODULE = '''
class Registry:
    def __init__(self):
        self.known = {{}}

    def enter(self, name, value):
        self.known[name] = value


WORDS = Registry()
WORDS.enter("one", 1)
{effect}

def number(name):
    """Look a word up.{example}"""
    return WORDS.known.get(name)


def unrelated(name):
    return name
'''
TEST = "from words import number\n\ndef test_number():\n    assert number('one') == {}\n"


def check(judge: Any, folder: Path, *, example: str = "", effect: str = "", tested: int | None = None) -> Report:
    (folder / "pyproject.toml").touch()
    path = folder / "words.py"
    path.write_text(MODULE.format(example=example, effect=effect))
    if tested is not None:
        (folder / "test_words.py").write_text(TEST.format(tested))
    module = read_module(path.read_text(), path)
    target = module.target("number")
    assert target.skipped
    oracles = oracles_for(target, module, path, tests=ProjectTests())
    oracle = next(one for one in oracles if one.kind is OracleKind.EXAMPLES)
    report: Report = judge.check(target, oracle, Budget(1, calls=200))
    return report


@pytest.mark.parametrize(
    ("example", "tested", "verdict"),
    [
        ("", 1, Verdict.AGREES),
        ("", 2, Verdict.DIFFERS),
        ("\n\n    number('one') == 1\n", None, Verdict.AGREES),
        ("\n\n    number('one') == 2\n", None, Verdict.DIFFERS),
        ("\n\n    >>> number(unrelated('one'))\n    1\n", None, Verdict.AGREES),
        ("\n\n    >>> number(unrelated('one'))\n    2\n", None, Verdict.DIFFERS),
    ],
)
def test_what_a_cut_away_statement_registers_counts(
    judge: Any, tmp_path: Path, example: str, tested: int | None, verdict: Verdict
) -> None:
    report = check(judge, tmp_path, example=example, tested=tested)

    assert report.verdict is verdict, report
    if report.counterexample is not None:
        assert report.counterexample.candidate.text == "1"


def test_a_module_that_cannot_be_loaded_as_a_whole_says_nothing(judge: Any, tmp_path: Path) -> None:
    report = check(judge, tmp_path, effect="raise SystemExit(3)", tested=2)

    assert report.counterexample is not None, report
    assert report.counterexample.candidate.text == "None"


VERSIONS = """
class Handlers:
    def __init__(self):
        self.known = {{}}

    def enter(self, name, value):
        self.known[name] = value


HANDLERS = Handlers()
HANDLERS.enter("one", 1)
{effect}

def number(name: str):
    return {result}
"""
OLDER = VERSIONS.format(effect="", result="1 if name == 'one' else 0")


@pytest.mark.parametrize(
    ("effect", "result", "verdict"),
    [
        ("", "HANDLERS.known.get(name, 0)", Verdict.AGREES),
        ("", "HANDLERS.known.get(name, 2)", Verdict.DIFFERS),
        # Nobody knows what a module does that cannot be loaded.
        ("raise LookupError(3)", "HANDLERS.known.get(name, 0)", Verdict.DIFFERS),
    ],
)
def test_a_difference_from_the_older_version_counts_in_the_whole_module(
    judge: Any, tmp_path: Path, effect: str, result: str, verdict: Verdict
) -> None:
    path = tmp_path / "words.py"
    path.write_text(VERSIONS.format(effect=effect, result=result))
    module = read_module(path.read_text(), path)
    target = module.target("number")
    assert target.skipped
    oracle = previous_oracle(target, module, PreviousVersion(OLDER, "git HEAD"))

    report: Report = judge.check(target, oracle, Budget(1, calls=400), seeds=["'one'"])

    assert report.verdict is verdict, report


def test_examples_that_lack_a_name_keep_their_reason_where_the_whole_module_cannot_be_loaded(
    judge: Any, tmp_path: Path
) -> None:
    example = "\n\n    >>> number(unrelated('one'))\n    1\n"
    report = check(judge, tmp_path, example=example, effect="raise LookupError(3)")

    assert report.verdict is Verdict.NOT_CHECKED
    assert report.reason == "none of its examples can be run: NameError: name 'unrelated' is not defined"
