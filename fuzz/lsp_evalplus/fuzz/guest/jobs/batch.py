"""The job ``outputs`` for a batch of programs, run one after another in one process where that is equivalent.

A process of its own costs more than most programs of a benchmark do. A program that cannot affect another one
(`static.purity`) does not need one. Each sees what it would see alone: its own module, the random generator in its
initial state, as many frames below it, unmodified copies of the inputs, and empty caches of the
standard library. Calls see nothing of earlier calls either, so they can be split among several processes.

The request is that of ``outputs``, with ``programs`` instead of ``program``; if it ``is_surveyed``, all of them are
known to be pure (`survey`), otherwise they are checked here. Replies: ``{"reports": [...]}``, each report being a
reply of ``outputs`` with ``"of"``, the index of its program, or ``{"of": index, "done": true}`` at its end. A program
without that end needs a process of its own: because it might affect others, keeps state between calls,
used or lacked much memory, or because one before it has ended the process, or used much memory or time.
"""

from __future__ import annotations

import re
import sys
import time
import typing
from typing import TYPE_CHECKING, Any, Callable

from ..program.environment import do_above_frames, raise_stack_limit
from ..protocol.resource_usage import peak_bytes
from ..static.purity import read_harmless
from ..values.copies import FreshInputs
from ..values.source_text import UNNAMED
from .outputs import LARGEST_BATCH, ProgramJob, indices_of

if TYPE_CHECKING:
    from ..protocol.channel import Channel

_FLUSH_SECONDS = 0.02
_LONG_SECONDS = 0.3
"""Processor time after which the other programs of a batch can as well be run in parallel, each alone."""
_MUCH_MEMORY = 256 << 20
"""Maximum bytes used by the programs so far: the next one must not lack them."""


def run(request: dict[str, Any], channel: Channel) -> None:
    """Run the job; see the module's docstring."""
    raise_stack_limit()
    _Batch(request, channel).run()


class _Batch:
    def __init__(self, request: dict[str, Any], channel: Channel) -> None:
        self._programs: list[dict[str, Any]] = request["programs"]
        self._inputs = FreshInputs(request["provided"])
        self._request: dict[str, Any] = {**request, "provided": self._inputs}
        self._is_surveyed: bool = request.get("is_surveyed", False)
        self._channel = channel
        self._now = time.monotonic
        self._reports: list[dict[str, Any]] = []
        self._flushed = self._now()
        self._used = time.process_time
        self._memory = _peak_memory()
        self._caches: list[Callable[[], object]] = [re.purge, *getattr(typing, "_cleanups", ())]

    def run(self) -> None:
        """Run one program after another."""
        if not self._inputs.can_copy(indices_of(self._request)):
            return
        for place, program in enumerate(self._programs):
            if self._is_surveyed or _may_join(program["source"]):
                self._run(place, program)
            if self._used() > _LONG_SECONDS or self._has_taken_much():
                break
            if self._now() - self._flushed > _FLUSH_SECONDS:
                self._flush()
        self._flush()

    def _run(self, place: int, program: dict[str, Any]) -> None:
        replies: list[dict[str, Any]] = []

        def keep(reply: dict[str, Any], *, more: bool = False) -> None:
            """Do not hold many outcomes of one program until its end."""
            replies.append({**reply, "of": place})
            if not more and "outcomes" in reply:
                self._reports += replies
                replies.clear()
                self._flush()

        job = ProgramJob({**self._request, "program": program}, keep, LARGEST_BATCH)
        do_above_frames(job.run)
        sys.modules.pop(UNNAMED, None)
        for clear in self._caches:
            clear()
        if not job.lacked_memory and not self._has_taken_much():
            self._reports += [*replies, {"of": place, "done": True}]

    def _has_taken_much(self) -> bool:
        """Return whether a program may have run out of memory: one that catches `MemoryError` does not show it."""
        return _peak_memory() - self._memory > _MUCH_MEMORY

    def _flush(self) -> None:
        if self._reports:
            self._channel.send({"reports": self._reports}, more=True)
            self._reports = []
        self._flushed = self._now()


def _may_join(source: str) -> bool:
    try:
        return read_harmless(source) is not None
    except SyntaxError:
        return True  # It will not be run.


def _peak_memory() -> int:
    """Return the peak memory of this process, in bytes."""
    import resource

    return peak_bytes(resource.getrusage(resource.RUSAGE_SELF))
