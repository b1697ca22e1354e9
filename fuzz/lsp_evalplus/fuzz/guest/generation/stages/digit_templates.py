"""Strings as templates: every run of digits takes every number that is a boundary or occurs in this problem.

Dates, times, versions and amounts inside strings fail on combinations ("02", "29" and a year that is no leap year) that
mutation reaches only by luck.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..boundary_values import FIELD_LIMITS, diagonal
from .context import Context

_DIGITS = re.compile(r"[0-9]+")


def templates(context: Context) -> Iterator[Any]:
    """Yield rows of the corpus with the numbers of one string replaced, few at a time first."""
    for row in list(context.corpus[:6]):
        for index, value in enumerate(row):
            if type(value) is str and 1 <= len(_DIGITS.findall(value)) <= 4:
                for text in fillings(context, value):
                    yield row[:index] + (text,) + row[index + 1 :]


def fillings(context: Context, value: str) -> Iterator[str]:
    """Yield the string with its runs of digits replaced by numbers of the same width."""
    parts = _DIGITS.split(value)
    columns: list[list[str]] = [_numbers(context, digits) for digits in _DIGITS.findall(value)]
    for numbers in diagonal(columns, 6000):
        yield "".join([part + number for part, number in zip(parts, list(numbers) + [""])])


def _numbers(context: Context, digits: str) -> list[str]:
    width = len(digits)
    mined = [abs(i) for i in context.pool.ints[:60]]
    near = [int(digits[:18]) + 1, max(0, int(digits[:18]) - 1)]
    texts = [digits] + [str(n).zfill(width) for n in list(FIELD_LIMITS) + near + mined if n < 10**width]
    return list(dict.fromkeys(texts))[:32]
