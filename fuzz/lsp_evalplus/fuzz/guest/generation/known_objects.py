"""Keeps objects of the project on which methods were called, so that they can be parts of other arguments."""

from __future__ import annotations

import random
from typing import Any

from ..values.metrics import walk
from ..values.recipes.model import Prepared
from ..values.shapes import ConstructorShape

MOST_KEPT = 60
"""Maximum number of objects of one class."""


class KnownObjects:
    """A sample of the prepared objects that a search has made, by the name of their constructor."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._found: dict[str, list[Prepared]] = {}

    def keep(self, one: Prepared) -> None:
        """Add an object; a full sample drops a random one. Objects that are made with others like them are left out,
        so that they do not grow."""
        if any([type(part) is Prepared for part in walk(one)[1:]]):
            return
        kept = self._found.setdefault(one.name, [])
        if len(kept) < MOST_KEPT:
            kept.append(one)
        else:
            kept[self._rng.randrange(MOST_KEPT)] = one

    def draw(self, shape: ConstructorShape) -> Any:
        """Return an object for a shape, None where none is known."""
        kept = self._found.get(shape.name)
        return self._rng.choice(kept) if kept else None
