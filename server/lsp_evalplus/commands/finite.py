"""Parameter types for the command line: finite numbers, and lists without empty items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import click

LONGEST_SECONDS = 1e6
"""Maximal duration; the system's timers have an upper limit."""


class FiniteFloatRange(click.FloatRange):
    """`click.FloatRange` without NaN, which it accepts in any range, and without infinity."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; raise a usage error for anything else."""
        number: Any = click.FLOAT.convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return super().convert(number, param, ctx)


def split_items(values: Sequence[str]) -> tuple[str, ...]:
    """Split comma-separated options; raise a usage error for an empty item."""
    items = tuple(text.strip() for value in values for text in value.split(","))
    if not all(items):
        raise click.BadParameter(f"{','.join(values)!r} has an empty item")
    return items
