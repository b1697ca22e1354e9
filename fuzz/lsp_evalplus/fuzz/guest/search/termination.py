"""Prove non-termination: a candidate that returns to an earlier state on a row never ends."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

from ..calling.call_clock import CallClock
from ..calling.rows import Layout
from ..calling.subject import Subject
from ..program.environment import FRAMES
from ..program.extract import alone
from ..static.nontermination import ends
from ..values.program_errors import CallTimeoutError
from ..values.recipes.building import build
from ..values.recipes.model import is_plain

PROOF_SECONDS = 0.05


class NonTermination:
    """Proves that calls of one candidate return to an earlier state."""

    def __init__(self, candidate: Subject, layout: Layout, clock: CallClock) -> None:
        self._candidate = candidate
        self._layout = layout
        self._clock = clock

    @cached_property
    def _source(self) -> str | None:
        """The candidate with the functions that it needs; None where these or its call are unclear."""
        loaded, name, form = self._candidate.loaded, self._candidate.qualname, self._layout.form
        is_plainly_called = loaded.kind == "function" and loaded.binding == "free" and "." not in name
        if not is_plainly_called or form.keywords or form.spread or form.taken is not None:
            return None
        return alone(self._candidate.source, name)

    def is_proven(self, row: Any) -> bool:
        """Whether the candidate's call on a row, which timed out, provably does not terminate."""
        source = self._source
        if source is None or not is_plain(row):
            return False
        try:
            self._clock.start(PROOF_SECONDS)
            try:
                # A bound on calls or rounds proves nothing: a program that is merely slow is not proven here.
                return ends(source, self._candidate.qualname, build(row, {}), math.inf, FRAMES) is False
            finally:
                self._clock.stop()
        except CallTimeoutError:
            return False
