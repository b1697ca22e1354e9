"""Tells when a search has gone on for long without reaching anything new.

The more different ways through the programs there were, the likelier is one more: a program with one way shows soon
that it has no other, and a parser of dates needs thousands of inputs. So the wait for news grows with their number.
"""

from __future__ import annotations

from ..calling.processor_time import ProcessorTime

FEWEST_IDLE = 1000
"""Number of inputs without anything new that is waited for at least."""
FEWEST_IDLE_STRAIGHT = 400
"""The same where neither program branches in the function: of 166 slips of packages, all showed within 544 inputs."""
IDLE_FOR_EACH = 300
"""How many more for each way: wrong benchmark solutions show within 260 of them since the latest news."""
FEWEST_ROUNDS = 2
"""Each stage has had its turn by then, and so have those that begin when the first turns are over."""
IDLE_SHARE = 0.2
"""Of the budget, in processor time: after it, fewer inputs are waited for, as a slow program gives no more of them."""
FEWEST_IDLE_SLOW = 200
"""The same as `FEWEST_IDLE` after that time, since the latest new block."""
IDLE_FOR_EACH_SLOW = 25
"""How many more for each block of the programs: another combination of known blocks is no news by then."""
FEWEST_ROUNDS_SLOW = 1


class Saturation:
    """Counts the ways through the programs, and the inputs and the time since the latest new one.

    Args:
        budget: of the search, in processor seconds.
    """

    def __init__(self, budget: float) -> None:
        self._patience = IDLE_SHARE * budget
        self._fewest = FEWEST_IDLE
        self._ways = self._blocks = 0
        self._latest = self._latest_block = 0
        self._moment = 0.0

    def wait_shortly(self) -> None:
        """Wait for fewer inputs, as the function has no branches: only what it calls has other ways."""
        self._fewest = FEWEST_IDLE_STRAIGHT

    def note(self, inputs: int, moment: float | None) -> None:
        """Note that the latest of some inputs took a way as none before it, at a moment in processor time if it reached
        a block of the programs as none before it."""
        self._ways += 1
        self._latest = inputs
        if moment is not None:
            self._blocks += 1
            self._latest_block, self._moment = inputs, moment

    def is_reached(self, inputs: int, rounds: int, clock: ProcessorTime) -> bool:
        """Whether more inputs would show nothing; never where nothing watches the ways."""
        idle = inputs - self._latest
        if self._ways == 0 or rounds < FEWEST_ROUNDS_SLOW:
            return False
        if rounds >= FEWEST_ROUNDS and idle >= max(self._fewest, IDLE_FOR_EACH * self._ways):
            return True
        return self._is_idle_for_long(inputs - self._latest_block, clock)

    def _is_idle_for_long(self, idle: int, clock: ProcessorTime) -> bool:
        """Whether a slow program has had its time since its latest new block, and some inputs."""
        fewest = max(FEWEST_IDLE_SLOW, IDLE_FOR_EACH_SLOW * self._blocks)
        return idle >= fewest and clock.has_passed(self._moment + self._patience)
