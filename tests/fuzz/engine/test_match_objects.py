"""Matches of regular expressions, for functions that are given some: callbacks of `re.sub`, lexers, routes."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

TEXT = """
import re

ENTITY = re.compile(r"&(#?)(x?)(\\w{1,8});")

def shout(match):
    return match.group(1).upper() + match.group(2)

def span(m):
    if m.group("name") is None:
        return m.start(), m.end()
    return m.span("name")

def replaced(found: re.Match[str]) -> str:
    named = found.groupdict()
    return f"<{found['key']}:{found.group('value') or ''}:{len(named)}>"

def entity(match):
    sign, hexadecimal, name = match.groups()
    if sign:
        return chr(int(name, 16 if hexadecimal else 10))
    return {"amp": "&", "lt": "<"}.get(name, match.group(3))

def version(match: re.Match[str]) -> str:
    parts = match.groupdict()
    found = [parts["major"]]
    if minor := parts.get("minor"):
        found.append(minor)
    return ".".join(found)

def third(match):
    first, second, last = match.groups()
    return last or first

def unit(match):
    if match is None:
        return 0
    if match.group(2) == "kilo":
        return 1000
    return len(match.group(1))

def texts(found):
    return [one.group() + "." for one in found]

class Lexer:
    def words(self, match):
        for word in match.group(1).split():
            yield match.start(), "word", word

def place(member):
    return f"{member.group()} {member.user}"
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("shout", "group(1).upper()", "group(1).lower()"),
        ("span", 'm.span("name")', "m.span()"),
        ("replaced", "found.group('value') or ''", "found.group('value')"),
        pytest.param("entity", "16 if hexadecimal else 10", "10 if hexadecimal else 16", marks=pytest.mark.slow),
        ("version", 'parts.get("minor")', 'parts.get("micro")'),
        ("third", "last or first", "last or second"),
        ("unit", "return 1000", "return 100"),
        pytest.param("texts", 'one.group() + "."', 'one.group() + ","', marks=pytest.mark.slow),
        ("Lexer.words", "group(1).split", "group(0).split"),
    ],
)
def test_matches_have_the_groups_that_are_asked_for(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(TEXT, name, old, new, calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "re.match(" in report.counterexample.call


def test_what_has_other_members_is_no_match(judge: Any) -> None:
    changed = TEXT.replace("{member.group()} {member.user}", "{member.user} {member.group()}")
    report = judge(TEXT, changed, "place", kind="previous", calls=400)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "re.match(" not in report.counterexample.call


def test_a_match_that_is_used_otherwise_agrees(judge: Any) -> None:
    changed = TEXT.replace("match.group(1).upper() + match.group(2)", '"".join((match[1].upper(), match[2]))')
    report = judge(TEXT, changed, "shout", kind="previous", calls=400)
    assert report.verdict is Verdict.AGREES, report.reason
