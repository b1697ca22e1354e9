"""Shared state of the stages."""

from __future__ import annotations

import random
from typing import Any, Callable

from ...values.metrics import largest_int
from ...values.shapes import Shape
from ..call_sequences import ObjectStates
from ..constants import Pool
from ..domain import Domain
from ..input_grammar import Writer
from ..mutation import Mutator

MAXIMUM_CORPUS = 400
MAXIMUM_TRIED = 300_000
"""Number of rows that are remembered, some 30 MB."""
_QUICK_INT = 1000
"""Integers up to this one are tried even where larger ones were slow."""
_TINY_INT = 20
"""The same where what is slow is decided by counts."""


class Context:
    """The domain, the ingredients, the corpus and the random generator of one search.

    Args:
        writer: generates strings in the format that the programs read, where that is known.
        make_states: makes the generators of states of objects.
    """

    def __init__(
        self,
        domain: Domain,
        pool: Pool,
        rng: random.Random,
        writer: Writer | None = None,
        make_states: Callable[[Domain, Mutator], ObjectStates] = lambda domain, mutator: ObjectStates({}),
    ) -> None:
        self.domain = domain
        self.pool = pool
        self.rng = rng
        self.mutator = Mutator(pool, rng, domain.nested)
        self.writer = writer
        self.states = make_states(domain, self.mutator)
        """Generators of states: of the instance of a method, and of objects that are passed, or inside of what is."""
        self.corpus: list[Any] = []
        """Valid rows worth mutating: examples, seeds, and rows that reached something new."""
        self._largest: dict[int, int] = {}
        """Largest int per position that is still handled in time, where a larger one was slow."""
        self.is_exact = False
        """Whether the numbers themselves are the limit: what is too slow is no matter of chance."""
        self.longest = 2000
        """Maximum length of a container that is still handled in time."""
        self._tried: dict[int, bool] = {}
        """Hashes of the rows that were tried."""
        self.repeated = 0
        """Number of duplicate rows since the last new one."""

    def was_tried(self, row: Any) -> bool:
        """Return whether the row was tried before, and mark it as tried."""
        key = hash(repr(row))
        if key in self._tried:
            self.repeated += 1
            return True
        if len(self._tried) >= MAXIMUM_TRIED:
            self._tried.clear()
        self._tried[key] = True
        self.repeated = 0
        return False

    def keep(self, row: Any) -> None:
        """Add a row to the corpus; a full corpus drops a random one."""
        if len(self.corpus) < MAXIMUM_CORPUS:
            self.corpus.append(row)
        else:
            self.corpus[self.rng.randrange(MAXIMUM_CORPUS)] = row

    def was_slow(self, row: Any) -> None:
        """Record a slow call: at the position of its largest number, none nearly as large is tried any more."""
        sizes = [largest_int(value) for value in row]
        if not sizes or max(sizes) <= (_TINY_INT if self.is_exact else _QUICK_INT):
            return
        index = sizes.index(max(sizes))
        if self.is_exact:
            self._largest[index] = min(self._largest.get(index, sizes[index]), sizes[index] - 1)
            return
        self._largest[index] = min(self._largest.get(index, sizes[index]), max(_QUICK_INT, sizes[index] // 2))

    def is_too_large(self, index: int, value: Any) -> bool:
        """Return whether a number as large was slow at that position."""
        largest = self._largest.get(index)
        if largest is None or (type(value) is int and value < 0):
            return False
        return largest_int(value) > largest

    def is_as_large(self, row: Any) -> bool:
        """Return whether one of the row's numbers is as large as one that was slow in its place."""
        return bool(self._largest) and any([self.is_too_large(index, value) for index, value in enumerate(row)])

    def base_row(self) -> Any:
        """Return a valid row; the newest and the oldest are the likeliest."""
        draw = self.rng.random()
        if draw < 0.4:
            return self.corpus[int(draw * 2.5 * min(len(self.corpus), 8))]
        if draw < 0.7:
            return self.corpus[-1 - int((draw - 0.4) / 0.3 * min(len(self.corpus), 8))]
        return self.rng.choice(self.corpus)

    def shapes(self, *, wide: bool) -> tuple[Shape, ...]:
        """Return the shapes of all parameters."""
        return self.domain.wide if wide else self.domain.typical
