"""What every stage may use."""

from __future__ import annotations

import random
from typing import Any

from ..domain import Domain
from ..grammar import Writer
from ..mine import Pool
from ..mutate import Mutator
from ..shapes import Shape

MAXIMUM_CORPUS = 400


class Context:
    """The domain, the ingredients, the corpus and the source of chance of one search."""

    def __init__(self, domain: Domain, pool: Pool, chance: random.Random) -> None:
        self.domain = domain
        self.pool = pool
        self.chance = chance
        self.mutator = Mutator(pool, chance)
        self.writer: Writer | None = None
        """Writes texts of the form that the programs read, where that is known."""
        self.corpus: list[Any] = []
        """Valid rows worth mutating: examples, seeds, and rows that reached something new."""
        self.extreme_int = 10**6
        """The largest int that the reference still handles in time; lowered when large ones are slow."""
        self.longest = 2000
        """The longest container that is still handled in time."""

    def keep(self, row: Any) -> None:
        """Add a row to the corpus; a full corpus forgets a random one."""
        if len(self.corpus) < MAXIMUM_CORPUS:
            self.corpus.append(row)
        else:
            self.corpus[self.chance.randrange(MAXIMUM_CORPUS)] = row

    def base_row(self) -> Any:
        """A valid row; the newest and the oldest are the likeliest."""
        draw = self.chance.random()
        if draw < 0.4:
            return self.corpus[int(draw * 2.5 * min(len(self.corpus), 8))]
        if draw < 0.7:
            return self.corpus[-1 - int((draw - 0.4) / 0.3 * min(len(self.corpus), 8))]
        return self.chance.choice(self.corpus)

    def shapes(self, *, wide: bool) -> list[Shape]:
        """The shapes of all parameters."""
        return self.domain.wide if wide else self.domain.typical
