"""Functions that fail on all strings but those which a regular expression of theirs describes."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = r"""
import re

RELEASE = r"release-(?P<year>[12]\d{3})/(?P<name>[a-z]+)\+(?P<build>\d+)"


def build_of(tag):
    found = re.fullmatch(RELEASE, tag)
    return int(found.group("build")), found.group("name")


def archive_of(url: str) -> str:
    of_tags = r"https?://example.org/(?P<owner>\w+)/archive/v(?P<version>[\d.]+).zip"
    of_files = r"https?://example.org/(?P<owner>\w+)/raw/(?P<version>[^/]+)/.+"
    for pattern in (of_tags, of_files):
        found = re.search(pattern, url)
        if found:
            break
    return found["owner"] + "@" + found["version"]
"""

COMPOSED = r"""
import re

LETTERS = "[A-Z]{3}"


def currency_of(price: str) -> str:
    whole, cents = r"(?P<whole>[1-9]\d{0,2})", r"(?P<cents>\d\d)"
    amount = whole + r"\." + cents
    found = re.fullmatch(f"(?P<currency>{LETTERS}) {amount}", price)
    return found["currency"]


def year_of(period: str) -> int:
    day = "(%s)-(%s)" % (r"[12]\d{3}", r"W[0-5]\d")
    found = re.match("/".join(["from", day, "to", day]), period)
    return int(found.group(1))
"""
"""Functions with regular expressions that they put together."""

SOURCE += f"WORDS = {[f'word {number}' for number in range(200)]}\n"
"""More constants than are tried."""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("build_of", 'int(found.group("build"))', 'int(found.group("build")) % 10'),
        ("archive_of", 'found["owner"] + "@"', 'found["owner"].lower() + "@"'),
        ("archive_of", 'found["version"]', 'found["version"].strip(".")'),
    ],
)
def test_strings_of_a_pattern_are_a_first_input(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(SOURCE, name, old, new, calls=600)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_strings_of_a_pattern_that_make_no_difference(judge: Any) -> None:
    report = judge(
        SOURCE, SOURCE.replace('+ "@" +', "+ '@' +").replace("url)", "url, 0)"), "archive_of", kind="previous"
    )
    assert report.verdict is Verdict.AGREES, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("currency_of", 'return found["currency"]', 'return found["currency"].lower()'),
        ("year_of", "found.group(1)", "found.group(3)"),
    ],
)
def test_patterns_that_are_put_together(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(COMPOSED, name, old, new, calls=600)
    assert report.verdict is Verdict.DIFFERS, report.reason


LOGGED = """
import re
from datetime import datetime

LINE = re.compile(r"^(\\d{4}-\\d{2}-\\d{2}) (\\d{2}:\\d{2}:\\d{2}) \\[([A-Z]+)\\] (\\w+): (.*)$")
LEVELS = {"DEBUG": 10, "INFO": 20, "WARNING": 30}

def parsed(line: str):
    match = LINE.match(line)
    if match is None or match.group(3) not in LEVELS:
        return None
    moment = datetime.strptime(match.group(1) + " " + match.group(2), "%Y-%m-%d %H:%M:%S")
    return moment, LEVELS[match.group(3)], match.group(4).lower(), match.group(5).strip()
"""


@pytest.mark.parametrize(
    ("old", "new"), [(".lower()", ""), (".strip()", ""), ("return moment,", "return moment.date(),")]
)
def test_code_behind_matches_with_dates_and_known_words(judge: Any, old: str, new: str) -> None:
    report = judge.edit(LOGGED, "parsed", old, new, calls=4000, seconds=20)
    assert report.verdict is Verdict.DIFFERS, report


COMMANDS = """
def parsed(line: str):
    match line.split():
        case ["go", ("north" | "south") as way]:
            return way
        case ["take", item, *rest] if item != "all":
            return [item, *rest]
        case [word, *rest]:
            return word.lower()
"""


@pytest.mark.parametrize(
    ("old", "new"), [("return way", "return way.upper()"), ("return [item, *rest]", "return [item]")]
)
def test_parts_of_strings_follow_patterns_for_sequences(judge: Any, old: str, new: str) -> None:
    report = judge.edit(COMMANDS, "parsed", old, new, calls=2000)
    assert report.verdict is Verdict.DIFFERS, report


EVENTS = """
def handled(event: dict):
    match event:
        case {"type": "key", "key": str(key), **rest} if rest.get("ctrl"):
            return "ctrl+" + key
        case {"type": "key", "key": str(key)}:
            return key
"""


def test_what_a_pattern_for_mappings_leaves_over(judge: Any) -> None:
    newer = EVENTS.replace('"ctrl+" + key', "key")
    report = judge(EVENTS, newer, "handled", kind="previous", calls=1500)
    assert report.verdict is Verdict.DIFFERS, report
