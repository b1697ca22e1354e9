"""The event loop of ``lsp-evalplus bench``, and its guests, which start while the command is being imported."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar

from lsp_evalplus.bench.problem import Dataset, Family
from lsp_evalplus.bench.running.evaluate import (
    Engine,
    EvaluationResult,
    Options,
    Verdicts,
    Watcher,
    evaluate,
    make_guests,
    open_store,
)
from lsp_evalplus.bench.running.guest_client import GuestProfile, Guests
from lsp_evalplus.bench.running.next_file import NextFile
from lsp_evalplus.bench.samples.samples import SampleSet

from .options import output_of, to_options

T = TypeVar("T")


def session_for(options: dict[str, Any]) -> Session:
    """The session of a command with these options; its guests start at once if they will be needed."""
    outputs = [output_of(options, path) for path in options["samples"]]
    may_rest = bool(outputs) and not options["fresh"]
    has_results = may_rest and all(output.exists() for output in outputs)
    setup = to_options(options, outputs[0] if outputs else None)
    store = open_store(setup) if may_rest else None
    is_judged = has_results or (store is not None and not store.is_empty)
    is_general = options["dataset"] != Family.BIGCODEBENCH
    return Session(replace(setup, output=None), ahead=is_general and not (options["model"] or is_judged))


class Session:
    """Consecutive evaluations with the same guests; a context manager.

    Args:
        options: those of all evaluations, except their output.
        ahead: start the guests at once rather than on demand.
    """

    def __init__(self, options: Options, *, ahead: bool) -> None:
        self.options = options
        self._ahead = ahead
        self.known: Verdicts = {}
        """Verdicts found by the same command before its evaluations."""
        self.following: NextFile | None = None
        """The file whose evaluation comes next."""
        self.found_ahead = 0
        """Verdicts among `known` that were found during the evaluation before this one."""
        self.engine: Engine | None = None
        """Where programs are judged, if that is not here."""
        self._guests = make_guests(options)
        self._profile: GuestProfile | None = None
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        if self._ahead:
            try:
                self._runner.run(self._guests.begin())
            except BaseException:
                self._runner.close()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._runner.run(self._guests.close())
        finally:
            self._runner.close()

    def use(self, profile: GuestProfile) -> None:
        """Run what follows in guests of a profile."""
        if self._profile != profile:
            self._runner.run(self._guests.close())
            self._guests = Guests(self.options.interpreter, profile, size=self.options.jobs)
            self._profile = profile

    def run(self, work: Callable[[Guests], Coroutine[None, None, T]]) -> T:
        """Run other work with the guests of the session."""
        found: list[T] = []

        async def note() -> None:
            found.append(await work(self._guests))

        self._runner.run(note())
        return found[0]

    def evaluate(self, dataset: Dataset, samples: SampleSet, options: Options, watcher: Watcher) -> EvaluationResult:
        """Judge samples as `bench.running.evaluate.evaluate` does, with the guests of the session."""
        found: list[EvaluationResult] = []

        async def run() -> None:
            """Return nothing: asyncio's runner would format a result as a string, however large, that nobody reads."""
            known, engine, following = self.known, self.engine, self.following
            found.append(await evaluate(dataset, samples, options, watcher, self._guests, known, engine, following))

        self._runner.run(run())
        return found[0]
