"""A call that ends the program is what its author wants, as an exception is that a statement raises."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
import sys
from sys import exit

LIMITS = {"width": 80, "depth": 3}


class UsageError(Exception):
    pass


def limits(config: dict[str, int]) -> dict[str, int]:
    for key, value in config.items():
        if key not in LIMITS:
            sys.exit(f"unknown key: {key}")
        if value < 0:
            sys.exit(2)
    return {**LIMITS, **config}


def checked(paths: list[str]) -> int:
    if not paths:
        exit("no paths")
    return len(paths)


class Command:
    def __init__(self, name: str = "run"):
        self.name = name

    def run(self, code: int) -> int:
        if code > 3:
            self.fail()
        return code

    def fail(self):
        sys.exit(1)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("limits", 'sys.exit(f"unknown key: {key}")', "raise UsageError(key)"),
        ("limits", "sys.exit(2)", "continue"),
        ("checked", 'exit("no paths")', "raise UsageError"),
        ("Command.run", "code > 3", "code > 4"),
    ],
)
def test_an_exit_is_a_result(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(SOURCE, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "SystemExit" in report.counterexample.expected.text


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("limits", 'sys.exit(f"unknown key: {key}")', 'raise SystemExit(f"unknown key: {key}")'),
        ("checked", "if not paths:", "if len(paths) == 0:"),
    ],
)
def test_the_same_exit(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(SOURCE, name, old, new)
    assert report.verdict is Verdict.AGREES, report.reason


MESSAGES = """
import sys


def fail(message: str):
    sys.stderr.write("error: " + message + "\\n")
    sys.exit(1)


def parsed(word: str) -> int:
    if not word.isdigit():
        print("not a number:", word, file=sys.stderr)
        sys.exit(2)
    return int(word)


def count(words: list[str]) -> int:
    for word in words:
        if not word:
            sys.stderr.write("an empty word\\n")
    return len(words)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("fail", '"error: " + message + "\\n"', '"error: "'),
        ("parsed", '"not a number:", word', '"not a number:"'),
        ("count", "an empty word", "empty"),
    ],
)
def test_what_is_written_to_the_stream_of_errors(judge: Any, name: str, old: str, new: str) -> None:
    assert old in MESSAGES
    report = judge.edit(MESSAGES, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("fail", '"error: " + message + "\\n"', 'f"error: {message}\\n"'),
        ("parsed", "file=sys.stderr", "file=sys.stderr, flush=True"),
        ("count", 'sys.stderr.write("an empty word\\n")', 'print("an empty word", file=sys.stderr)'),
    ],
)
def test_the_same_written_in_another_way(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(MESSAGES, name, old, new)
    assert report.verdict is not Verdict.DIFFERS, report.reason


def test_what_a_log_says_of_lines_is_no_result(judge: Any) -> None:
    source = "import sys, traceback\ndef halved(number: int):\n    try:\n        return 10 // number\n"
    source += "    except ZeroDivisionError:\n        traceback.print_exc(file=sys.stderr)\n"
    report = judge(
        source,
        source.replace("return 10 // number", "found = 10 // number\n        return found"),
        "halved",
        kind="previous",
    )
    assert report.verdict is Verdict.AGREES, report.reason


LOGGED = """
import logging
import sys

log = logging.getLogger(__name__)


def usage(name: str, level: int = logging.INFO) -> int:
    if not name:
        print("no name", file=sys.stderr)
        return 1
    return len(name) if level < logging.ERROR else 0


def start(name: str) -> int:
    note(name)
    return usage(name)


def note(name: str) -> None:
    log.warning("started %s", name)
"""


def test_messages_count_where_only_other_functions_log(judge: Any) -> None:
    """A module may log elsewhere and name levels: what a function prints to the stream of errors is seen."""
    report = judge(LOGGED, LOGGED.replace('"no name"', '"no name is given"'), "usage", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_what_a_called_function_logs_is_no_result(judge: Any) -> None:
    report = judge(LOGGED, LOGGED.replace("started %s", "started: %s"), "start", kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason
