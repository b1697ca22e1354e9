"""Nouns and verbs agree with their numbers: no sentence of the product has a plural beside a bare number."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.counts import by_number, count

ROOT = Path(__file__).parents[2]
NOUNS = (
    "tasks functions inputs cases samples files findings programs lines tests problems calls entries errors packages "
    "models chunks workers mutants checks branches items statements implementations answers requests "
    "questions tokens verdicts solutions rows results targets changes commits instances folders flaws"
).split()
COUNTED = re.compile(rf"^ (?:more |other |wrong |plus |base )?(?:{'|'.join(NOUNS)})\b")
FIXED = {
    "commands/check/next_steps.py",  # one function has a sentence of its own
    "bench/ranking/board.py",  # from fewer to more, so never one
    "bench/reporting/many_runs.py",  # a range as text
    "bench/bigcodebench/",  # an error of data that always has many
    "guest/",  # more than one, by a condition beside it
    "fuzz/excerpts.py",  # more than one, by a condition beside it
    "fuzz/llm/prompts.py",  # a prompt
}
"""Where a plural beside a number is right."""
NO_COUNTS = {
    "tests": "a mean with two decimals",
    "part": "base or plus",
    "used.completion_tokens": "the second part of a sum",
}
"""Values that are no counts."""


@pytest.mark.parametrize(("number", "said"), [(0, "0 inputs"), (1, "1 input"), (2, "2 inputs"), (1234, "1,234 inputs")])
def test_the_noun_agrees(number: int, said: str) -> None:
    assert count(number, "input") == said


def test_irregular_words_agree() -> None:
    assert [count(1, "branch", "branches"), count(3, "branch", "branches")] == ["1 branch", "3 branches"]
    assert [by_number(1, "is", "are"), by_number(0, "is", "are")] == ["is", "are"]


def bare_plurals(text: str) -> list[str]:
    """The formatted texts in which a value is followed by a plural."""
    found: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.JoinedStr):
            for value, after in zip(node.values, node.values[1:], strict=False):
                if isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant):
                    shown = ast.unparse(value.value)
                    if COUNTED.match(str(after.value)) and shown not in NO_COUNTS:
                        found.append(f"{{{shown}}}{str(after.value)[:30]}")
    return found


def test_a_bare_plural_is_seen() -> None:
    assert bare_plurals("f'{len(x)} tasks'") == ["{len(x)} tasks"]
    assert bare_plurals("f\"{n} more files in {count(n, 'task')} now\"") == ["{n} more files in "]
    assert bare_plurals("f\"{count(n, 'task')} tried\"") == []


def test_no_plural_stands_beside_a_bare_number() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {one}"
        for root in ("server", "fuzz", "bench")
        for path in sorted((ROOT / root).rglob("*.py"))
        if not any(part in path.as_posix() for part in FIXED)
        for one in bare_plurals(path.read_text(encoding="utf-8"))
    ]

    assert found == []
