"""Main functions are given command lines, variables and lines that other modules of their project read for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.model import Budget, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

OPTIONS = """
import argparse
import os


class UsageError(Exception):
    pass


def _parsed(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--level", type=int, default=0)
    return parser.parse_args(argv)


def read_options(argv=None):
    options = _parsed(argv)
    if options.level < 0:
        raise UsageError("no such level")
    return options


def colored():
    return os.environ.get("TOOL_COLOR") == "always"
"""
MAIN = """
import sys

from . import options
from .settings import read_options, UsageError


def main():
    try:
        given = read_options()
    except UsageError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    if given.verbose:
        print("checking")
    print(given.level, given.paths)


def banner():
    return "\\x1b[1mtool\\x1b[0m" if options.colored() else "tool"


def called(argv=None):
    return read_options(argv).level


def needs(text):
    return read_options([text]).paths
"""


def report_of(folder: Path, judge: Any, name: str, old: str, new: str) -> Report:
    """Compare a function of `MAIN` with a change, in a package that takes the parser from another module."""
    source = MAIN.replace(old, new)
    assert source != MAIN
    package = folder / "tool"
    package.mkdir()
    settings = "from tool.options import UsageError, read_options\n"
    files = {"__init__.py": "", "options.py": OPTIONS, "settings.py": settings, "main.py": source}
    for file, content in files.items():
        (package / file).write_text(content)
    module, previous = read_module(source, package / "main.py"), PreviousVersion(MAIN, "git HEAD")
    target = module.target(name)
    oracle = oracles_for(target, module, settings=Settings(oracles=("previous",)), previous=previous)[0]
    report: Report = judge.check(target, oracle, Budget(seconds=20.0, calls=300))
    return report


@pytest.mark.parametrize(
    ("name", "old", "new", "call"),
    [
        ("main", "if given.verbose:", "if not given.verbose:", "in_environment(main, argv=["),
        ("main", 'print("checking")', 'print("ready")', "in_environment(main, argv=['--v"),
        ("main", "sys.exit(2)", "sys.exit(1)", "in_environment(main, argv=['--l"),
        ("main", "given.level, given.paths", "given.level, given.paths[:1]", "in_environment(main, argv=["),
        ("banner", "if options.colored()", "if not options.colored()", "banner()"),
        ("banner", "[1mtool", "[2mtool", "in_environment(banner, environ={'TOOL_COLOR': 'always'})()"),
        ("called", ".level", ".level + 1", "in_environment(called, argv=["),
    ],
)
def test_mistakes(tmp_path: Path, judge: Any, name: str, old: str, new: str, call: str) -> None:
    report = report_of(tmp_path, judge, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert call in report.counterexample.call


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("main", "print(given.level, given.paths)", 'print(f"{given.level} {given.paths}")'),
        ("main", "given = read_options()", "given = read_options(None)"),
        ("banner", '"tool"\n', 'str("tool")\n'),
    ],
)
def test_harmless_changes(tmp_path: Path, judge: Any, name: str, old: str, new: str) -> None:
    report = report_of(tmp_path, judge, name, old, new)
    assert report.verdict is Verdict.AGREES, report.counterexample or report.reason
