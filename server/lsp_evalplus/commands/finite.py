"""Numbers and lists on the command line: no infinity, no NaN, no item left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import click

LONGEST_SECONDS = 1e6
"""The system's timers cannot be set to times without end."""


class FiniteFloatRange(click.FloatRange):
    """`click.FloatRange`, which takes NaN for a number in any range, and infinity for one above any minimum."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; a usage error for anything else."""
        number: Any = click.FLOAT.convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return super().convert(number, param, ctx)


def split_items(values: Sequence[str]) -> tuple[str, ...]:
    """The items of options that take several, separated by commas; a usage error for one that is empty."""
    items = tuple(text.strip() for value in values for text in value.split(","))
    if not all(items):
        raise click.BadParameter(f"{','.join(values)!r} has an empty item")
    return items
