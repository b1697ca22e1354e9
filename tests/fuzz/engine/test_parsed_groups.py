"""Groups of a match are strings that the program can parse."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = r"""
import json
import re
from datetime import datetime

ENTRY = re.compile(r"(?P<level>[A-Z]+)\|(?P<at>[^|]+)\|(?P<size>[^|]*)\|(?P<rest>.*)")
PAIR = re.compile(r"(\w+)@\[([^\]]*)\]")


def entry_of(line):
    found = ENTRY.match(line)
    if found is None:
        return None
    at = datetime.strptime(found["at"], "%d.%m.%Y %H:%M")
    size = float(found["size"])
    return found["level"], at.year, at.hour, size > 1, found["rest"].strip()


def pair_of(text):
    found = PAIR.fullmatch(text)
    if not found:
        raise ValueError(text)
    name, moment = found.groups()
    return name.lower(), datetime.strptime(moment, "%H:%M").minute
"""

MISTAKES = [
    ("entry_of", "at.year, at.hour", "at.year, at.minute"),
    ("entry_of", "size > 1", "size > 10"),
    ("entry_of", 'found["rest"].strip()', 'found["rest"]'),
    ("pair_of", "name.lower()", "name"),
    ("pair_of", ").minute", ").hour"),
]


@pytest.mark.parametrize(("name", "old", "new"), MISTAKES)
def test_a_mistake_after_a_group_is_parsed(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new, calls=4000)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("entry_of", "found is None", "not found"),
        ("pair_of", "name, moment = found.groups()", "name, moment = found.group(1), found[2]"),
    ],
)
def test_the_same_match_read_otherwise(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new, calls=2000)
    assert report.verdict is Verdict.AGREES, report.reason
