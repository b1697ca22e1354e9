"""What a search tried: counts by stage, and some of the inputs, spread evenly over the search."""

from __future__ import annotations

from typing import Any

from ..judging.judge import AGREE, DIFFER, REJECTED, SLOW

JUDGEMENTS = {AGREE: "agree", DIFFER: "differ", REJECTED: "rejected", SLOW: "slow"}
UNDECIDED = "undecided"


class Trace:
    """Notes each input that is judged; `most` inputs are kept, every one at first and then ever fewer.

    ``counts`` is stage -> judgement -> number of inputs; ``kept`` has ``(row, stage, judgement)``; ``shrinking`` has
    the counterexamples on the way to the smallest one, the first one first.
    """

    def __init__(self, most: int) -> None:
        self.counts: dict[str, dict[str, int]] = {}
        self.kept: list[tuple[Any, str, str]] = []
        self.shrinking: list[Any] = []
        self._most = most
        self._seen = 0
        self._every = 1

    def note(self, row: Any, stage: str, code: int) -> None:
        """Count a row with its judgement, and keep it if its turn has come."""
        word = JUDGEMENTS.get(code, UNDECIDED)
        counts = self.counts.setdefault(stage, {})
        counts[word] = counts.get(word, 0) + 1
        is_due = self._seen % self._every == 0
        self._seen += 1
        if not is_due:
            return
        self.kept.append((row, stage, word))
        if len(self.kept) > self._most:
            self.kept = self.kept[::2]
            self._every *= 2
