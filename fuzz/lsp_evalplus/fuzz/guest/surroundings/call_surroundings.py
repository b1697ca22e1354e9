"""What surrounds the calls of both programs of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .steady import Steady


class Surroundings:
    """What the programs of a search are called in; shared by both.

    Args:
        has_loop: whether they are called inside of a running event loop.
        steady: the clock and the random numbers that are the same for each call; None for the real ones.
    """

    __slots__ = ("has_loop", "steady")

    def __init__(self, *, has_loop: bool, steady: Steady | None = None) -> None:
        self.has_loop = has_loop
        self.steady = steady
