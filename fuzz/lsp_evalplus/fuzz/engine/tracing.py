"""The trace of a search, put together from its events."""

from __future__ import annotations

from dataclasses import dataclass, field

from lsp_evalplus.fuzz.model import Plain, Trace, Trial

from .events import MalformedEventError


@dataclass(slots=True)
class Tracing:
    """Takes the events ``trials`` and ``trace``; of several rounds, the last one counts."""

    trace: Trace | None = None
    _trials: list[Trial] = field(default_factory=list[Trial])

    def begin(self) -> None:
        """Forget what a round that ended early has sent."""
        self._trials = []

    def take(self, event: Plain, most: int) -> None:
        """Add an event of a search that was asked for `most` trials.

        Raises:
            MalformedEventError: it reports more.
        """
        if event["event"] == "trials":
            self._trials += [Trial(*one) for one in event["trials"]]
            if len(self._trials) > most + 1:
                raise MalformedEventError("more trials than were asked for")
            return
        self.trace = Trace(event["stages"], tuple(self._trials), tuple(event["shrinking"]), event["steps"])
        self._trials = []
