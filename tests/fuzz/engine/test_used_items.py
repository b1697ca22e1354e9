"""What is asked of items makes no list of a text, a set or a dict, and a string that is sought in a text no dict."""

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


def listed(options: dict):
    return [key.strip() for key in options]


def tagged(tags):
    """List tags.

    Args:
        tags (set): what they are
    """
    return sorted([tag.strip() for tag in tags if tag.strip()])


def pair(names: tuple):
    return [name.lower() for name in names]


def spread(value: str):
    if isinstance(value, list):
        return [one.strip() for one in value]
    return [value]
'''
STRICTER = (
    ("has_space", "for letter in line", 'for letter in re.sub(r"[.]", ".", line)'),
    ("capitals", "for letter in line", 'for letter in re.findall("(?s).", line)'),
    ("quoted", "for letter in value", 'for letter in re.findall("(?s).", value)'),
    ("listed", "for key in options", "for key, _ in options.items()"),
    ("tagged", "for tag in tags", "for tag in tags.union()"),
    ("pair", "for name in names", "for name in (*names, *names[:0] + ())"),
    ("quoted", "'\"' in value", "re.search('\"', value)"),
)
MISTAKES = (
    ("has_space", "return True", "return False"),
    ("quoted", "'\"\"' if any", "'' if any"),
    ("longest", "> len(best)", "< len(best)"),
    ("listed", "key.strip()", "key.lower()"),
    ("tagged", "if tag.strip()", "if tag"),
    ("spread", "[one.strip() for", "[one.lower() for"),
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


UNPACKED = """
def merged(sheets, kinds):
    found = {}
    for place, sheet in enumerate(sheets):
        for name, value in sheet:
            found.setdefault(kinds[place], {})[name] = value
    return {kind: [name for name, _ in sorted(one.items())] for kind, one in found.items()}


def ends(drawings):
    return [(start, end) for shapes in drawings for edges in shapes for start, end in edges]
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("merged", "sorted(one.items())", "one.items()"), ("ends", "[(start, end)", "[(end, start)")],
)
def test_what_is_unpacked_in_loops_inside_of_loops(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(UNPACKED, name, old, new, calls=3000)
    assert report.verdict is Verdict.DIFFERS, report.reason


COUNTED = """
def told(spec):
    if isinstance(spec, (list, tuple)) and len(spec) == 2 and isinstance(spec[0], str) and isinstance(spec[1], dict):
        options = spec[1]
        return spec[0] + (" with " if options else "") + ",".join(sorted(options))
    return str(spec)


def spread(place):
    if isinstance(place, tuple) and len(place) == 3:
        if not isinstance(place[0], str) or place[1] not in ("left", "right") or not isinstance(place[2], float):
            raise ValueError(place)
        return (place[0], place[2] * 2) if place[1] == "left" else (place[0], place[2])
    return (str(place), 0.0)


def short(color):
    if isinstance(color, str) and len(color) == 4 and color[0] == "#":
        return color[1:]
    return color
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("told", '" with "', '" without "'),
        ("spread", "place[2] * 2", "place[2] * 3"),
        ("short", "color[1:]", "color[2:]"),
    ],
)
def test_sequences_of_a_number_of_items(judge: Any, name: str, old: str, new: str) -> None:
    assert COUNTED.count(old) == 1
    report = judge.edit(COUNTED, name, old, new, calls=2000)
    assert report.verdict is Verdict.DIFFERS, report.reason
