"""Schedule the stages: turns are counted in inputs, so that a run depends on its seed and not on the clock.

A turn starts small and grows; a stage whose inputs reach new branches gets more of them. Time limits only a stage that
is slow as such.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any, Callable

from ..generation.stages.call_sequences import prepared_arguments, prepared_instances
from ..generation.stages.choices import products_of_choices
from ..generation.stages.context import Context
from ..generation.stages.digit_templates import templates
from ..generation.stages.extremes import extremes, widen
from ..generation.stages.grammar import structured_texts
from ..generation.stages.mutation import mutants
from ..generation.stages.product import around_examples, typical_product, wide_product
from ..generation.stages.random import random_rows
from ..generation.stages.redrawing import redrawn_rows
from ..generation.stages.small_scope import small_scope

STAGES: tuple[tuple[str, Callable[[Context], Iterator[Any]], int, float], ...] = (
    ("product", typical_product, 150, 1.0),
    ("parts", redrawn_rows, 100, 1.2),
    ("around", around_examples, 120, 1.0),
    ("choices", products_of_choices, 120, 1.0),
    ("prepared", prepared_instances, 250, 1.0),
    ("objects", prepared_arguments, 120, 0.8),
    ("enumeration", small_scope, 150, 1.0),
    ("mutation", mutants, 100, 1.6),
    ("random", random_rows, 60, 0.7),
    ("text", structured_texts, 100, 0.8),
    ("template", templates, 40, 0.6),
    ("extremes", extremes, 24, 0.35),
    ("widening", widen, 16, 0.25),
    ("wide", wide_product, 40, 0.4),
)
"""Name, generator, inputs in the first turn, and share of the later turns."""

FIRST_LATER_TURN = 64
GROWTH = 1.35
LARGEST_TURN = 1200
TURN_SECONDS = 0.08
SLOW_SECONDS = 0.1
"""Seconds of a row above which larger ones are assumed to take too long."""
_END = object()
_CLOCKED_STAGES = ("extremes", "widening")
"""Stages whose single rows may be slow: the clock is read after each of them, elsewhere after a few."""


class _Turns:
    def __init__(self, name: str, make: Callable[[], Iterator[Any]], first: int, share: float) -> None:
        self.name = name
        self.make = make
        self.source = make()
        self.first = first
        self.share = share
        self.tried = 0
        self.repeated = 0
        self.paid = 0.0

    def weight(self) -> float:
        """The share, more for a stage that keeps reaching new branches and less for one that repeats."""
        fresh = 1.0 - self.repeated / (self.tried + 50.0)
        return self.share * fresh * (1.0 + 2.0 * min(1.0, 20.0 * self.paid / (self.tried + 50.0)))


class Scheduler:
    """Yields ``(stage name, row)``; `reward` credits the stage of the last row.

    A stage that ended before any input was valid starts again once one is: most derive their inputs from valid ones.
    Where a stage yields None instead of a row, it has tried something in vain: that takes time of its turn.

    Args:
        slack: factor of the time of a turn.
        is_timed: whether time ends turns; if not, the same rows come on each machine.
    """

    def __init__(
        self, context: Context, disabled: tuple[str, ...] = (), slack: float = 1.0, *, is_timed: bool = True
    ) -> None:
        self._turns: list[_Turns] = [
            _Turns(n, partial(g, context), first, share) for n, g, first, share in STAGES if n not in disabled
        ]
        self._added: list[_Turns] = []
        """Stages that were added since the last turn."""
        self._starved: list[_Turns] = []
        """Stages that ended while no input was valid."""
        self._context = context
        self._disabled = disabled
        self._slack = slack
        self._is_timed = is_timed
        self._current = self._turns[0] if self._turns else None
        self._is_late = False
        self.rounds = 0
        """How often each stage has had its turn."""

    def add(self, name: str, source: Iterator[Any], share: float, first: int = 0) -> None:
        """A further stage, with `first` inputs in a turn after the current one; left out when it was disabled."""
        if name not in self._disabled:
            self._added.append(_Turns(name, lambda: source, first, share))

    def reward(self, amount: float) -> None:
        """The last row reached something new."""
        if self._current is not None:
            self._current.paid += amount

    def was_repeated(self) -> None:
        """The last row had been tried before."""
        if self._current is not None:
            self._current.repeated += 1

    def was_slow(self) -> None:
        """The last row took long: the time of the turn may be over."""
        self._is_late = True

    def rows(self) -> Iterator[tuple[str, Any]]:
        """Rows in turns until every stage is exhausted."""
        size = float(FIRST_LATER_TURN)
        yield from self._first_turns()
        for turns in list(self._turns):
            yield from self._turn(turns, turns.first)
            yield from self._first_turns()
        self.rounds = 1
        while self._turns:
            for turns in self._restarted():
                yield from self._turn(turns, turns.first)
            for turns in list(self._turns):
                yield from self._turn(turns, max(4, int(size * turns.weight())))
                yield from self._first_turns()
            size = min(LARGEST_TURN, size * GROWTH)
            self.rounds += 1

    def _first_turns(self) -> Iterator[tuple[str, Any]]:
        """Rows of the stages that were added."""
        added, self._added = self._added, []
        self._turns += added
        for turns in added:
            yield from self._turn(turns, turns.first)

    def _restarted(self) -> list[_Turns]:
        """Return the stages that had no valid input to start from, once there is one."""
        if not self._starved or not self._context.corpus:
            return []
        again, self._starved = self._starved, []
        for turns in again:
            turns.source = turns.make()
        self._turns += again
        return again

    def _turn(self, turns: _Turns, count: int) -> Iterator[tuple[str, Any]]:
        self._current = turns
        limit = self._slack * TURN_SECONDS * max(0.25, turns.share)
        started = time.process_time()
        every = 1 if turns.name in _CLOCKED_STAGES else 8
        last, produced, drawn = started, 0, 0
        self._is_late = False
        while produced < count:
            row = next(turns.source, _END)
            if row is _END:
                break
            drawn += 1
            if row is not None:
                produced += 1
                yield turns.name, row
            if self._is_timed and (drawn % every == 0 or self._is_late):
                now = time.process_time()
                if every == 1 and now - last > SLOW_SECONDS:
                    self._context.was_slow(row)
                if now - started > limit:
                    break
                last = now
        turns.tried += produced
        if count and not drawn:
            self._turns.remove(turns)
            if not self._context.corpus:
                self._starved.append(turns)
