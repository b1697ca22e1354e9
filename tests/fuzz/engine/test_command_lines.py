"""A function that parses a command line is called with the options that its parser has."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

TEXT = """
import argparse

def parser():
    made = argparse.ArgumentParser()
    made.add_argument("names", nargs="*")
    made.add_argument("--mode", choices=["plain", "strict"], default="plain")
    return made

def main(argv=None):
    args = parser().parse_args(argv)
    if args.mode == "strict" and not args.names:
        return 2
    return len(args.names)
"""


def test_an_option_of_the_parser_shows_a_difference(judge: Any) -> None:
    newer = TEXT.replace("return 2", "return 1")
    report = judge(TEXT, newer, "main", kind=OracleKind.PREVIOUS, calls=900, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report
    assert "'strict'" in report.counterexample.call


OPTIONS = """
import argparse
import sys

def main(args):
    parser = argparse.ArgumentParser()
    parser.add_argument("-f", "--file", default=sys.stdin)
    parser.add_argument("--mode", choices=["plain", "strict"], default="plain")
    parser.add_argument("--pretty", action="store_true")
    options = parser.parse_args(args)
    text = options.file.read() if options.file is sys.stdin else options.file
    return text.strip() if options.mode == "strict" else text.title() if options.pretty else text
"""


@pytest.mark.parametrize("change", [("text.strip()", "text.strip() + text[:1]"), ("text.title()", "text.upper()")])
def test_a_parameter_that_a_parser_takes_is_a_list_of_words(judge: Any, change: tuple[str, str]) -> None:
    report = judge(OPTIONS, OPTIONS.replace(*change), "main", kind=OracleKind.PREVIOUS, calls=900, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report


COMMANDS = """
import argparse
from typing import Optional

def parser():
    made = argparse.ArgumentParser()
    commands = made.add_subparsers(dest="command", required=True)
    commands.add_parser("add").add_argument("title", nargs="+")
    rename = commands.add_parser("rename")
    rename.add_argument("old")
    rename.add_argument("new")
    return made

def main(argv: Optional[list[str]] = None):
    args = parser().parse_args(argv)
    return args.title if args.command == "add" else [args.new, args.old]
"""


def test_subcommands_get_lines_where_an_annotation_states_words(judge: Any) -> None:
    newer = COMMANDS.replace("[args.new, args.old]", "[args.old, args.new]")
    report = judge(COMMANDS, newer, "main", kind=OracleKind.PREVIOUS, calls=900, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report
    assert "'rename'" in report.counterexample.call
