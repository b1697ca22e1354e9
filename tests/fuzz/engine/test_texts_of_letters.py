"""What is asked of the letters of a text makes no list of it, and a string that is sought in a text no dict."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

OLDER = '''
import re


def has_space(line: str):
    for letter in line:
        if letter.isspace():
            return True
    return False


def capitals(line):
    """Count capital letters.

    >>> capitals("aB")
    1
    """
    return sum(1 for letter in line if letter.upper() == letter and letter in "ABC")


def quoted(value):
    if '"' in value:
        return value.replace('"', "'")
    return '""' if any(letter.isspace() for letter in value) else value


def longest(words):
    best = ""
    for word in words:
        best = word.strip() if len(word.strip()) > len(best) else best
    return best


def names(rows):
    return [key.strip() for key in rows if "id" in rows and rows["id"] > 0]
'''
STRICTER = (
    ("has_space", "for letter in line", 'for letter in re.sub(r"[.]", ".", line)'),
    ("capitals", "for letter in line", 'for letter in re.findall("(?s).", line)'),
    ("quoted", "for letter in value", 'for letter in re.findall("(?s).", value)'),
    ("quoted", "'\"' in value", "re.search('\"', value)"),
)
MISTAKES = (
    ("has_space", "return True", "return False"),
    ("quoted", "'\"\"' if any", "'' if any"),
    ("longest", "> len(best)", "< len(best)"),
    ("names", '["id"] > 0', '["id"] >= 0'),
)


@pytest.mark.parametrize(("name", "old", "new"), STRICTER)
def test_what_only_texts_are_given_to(judge: Any, name: str, old: str, new: str) -> None:
    report = judge(OLDER, OLDER.replace(old, new), name, kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason


@pytest.mark.parametrize(("name", "old", "new"), MISTAKES)
def test_mistakes_beside_them(judge: Any, name: str, old: str, new: str) -> None:
    report = judge(OLDER, OLDER.replace(old, new), name, kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason
