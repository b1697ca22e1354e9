"""Counts in sentences: the noun and the verb agree with the number."""

from __future__ import annotations


def count(number: int, thing: str, things: str = "") -> str:
    """``1 input``, ``1,234 inputs``; `things` is the plural of an irregular noun."""
    return f"{number:,} {by_number(number, thing, things or f'{thing}s')}"


def by_number(number: int, one: str, several: str) -> str:
    """Return the form of a word that goes with a number: ``is`` or ``are``."""
    return one if number == 1 else several
