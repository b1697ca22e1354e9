"""Tells when a search has gone on for long without reaching anything new.

The more different ways through the programs there were, the likelier is one more: a program with one way shows soon
that it has no other, and a parser of dates needs thousands of inputs. So the wait for news grows with their number.
"""

from __future__ import annotations

FEWEST_IDLE = 1000
"""Number of inputs without anything new that is waited for at least."""
IDLE_FOR_EACH = 300
"""How many more for each way: wrong benchmark solutions show within 260 of them since the latest news."""
FEWEST_ROUNDS = 2
"""Each stage has had its turn by then, and so have those that begin when the first turns are over."""


class Saturation:
    """Counts the ways through the programs, and the inputs since the latest new one."""

    def __init__(self) -> None:
        self._ways = 0
        self._latest = 0

    def note(self, inputs: int) -> None:
        """Note that the latest of some inputs took a way as none before it."""
        self._ways += 1
        self._latest = inputs

    def is_reached(self, inputs: int, rounds: int) -> bool:
        """Whether more inputs would show nothing; never where nothing watches the ways."""
        idle = inputs - self._latest
        return self._ways > 0 and rounds >= FEWEST_ROUNDS and idle >= max(FEWEST_IDLE, IDLE_FOR_EACH * self._ways)
