"""Strings that code puts together, read off its text."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.guest.generation.composed_strings import composed, named_strings

KNOWN = {"day": r"\d\d", "year": r"\d{4}"}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("'^' + day", r"^\d\d"),
        ("f'{year}-{day}$'", r"\d{4}-\d\d$"),
        ("'%s-%s' % (year, day)", r"\d{4}-\d\d"),
        ("'{0}-{of}'.format(year, of=day)", r"\d{4}-\d\d"),
        ("'|'.join([year, day])", r"\d{4}|\d\d"),
    ],
)
def test_parts_are_put_together(code: str, text: str) -> None:
    assert composed(ast.parse(code, mode="eval").body, KNOWN) == text


@pytest.mark.parametrize(
    "code",
    [
        *(
            "'^' + month",
            "f'{day!r}'",
            "f'{month}'",
            "'%s-%s' % day",
            "'{1}'.format(day)",
            "'{:>99999999}'.format(day)",
        ),
        *("'|'.join(days)", "'%99999999s' % day", "day * 3", "4", "'%s' % [*days]", "day.format(**days)"),
    ],
)
def test_what_is_not_known_is_none(code: str) -> None:
    assert composed(ast.parse(code, mode="eval").body, KNOWN) is None


def test_names_of_strings() -> None:
    known: dict[str, str] = {}
    for statement in ast.parse("a, b = 'x', 'y'\nc: str = a + b\nc += 'z'\nd: str\nd = e = f(a)\n[*g] = a").body:
        known.update(named_strings(statement, known))
    assert known == {"a": "x", "b": "y", "c": "xyz"}
