"""A clock that moves on by itself, as an argument of programs that take one.

What a program does after some time shows where the clock tells another time at each reading. How often it reads the
clock is its own concern: where two programs read it at other times, it shows nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dynamic import is_instance
from ..held_values import held_values

CLOCK = "ticking_clock"
"""The name that recipes have for the maker."""


class TickingClock:
    """A function that tells one second more at each call, from 1 on."""

    __slots__ = ("readings",)

    def __init__(self) -> None:
        self.readings = 0

    def __call__(self) -> int:
        """Return the time."""
        self.readings += 1
        return self.readings


CLOCKS: dict[str, Any] = {CLOCK: TickingClock}
"""What makes clocks, by the names that recipes have for it."""


def readings_in(arguments: Sequence[Any]) -> list[int]:
    """Return how often each of the clocks was read that arguments are or hold, fewest first."""
    found = [value.readings for _, value in held_values(arguments) if is_instance(value, TickingClock)]
    return sorted(found)
