"""The event loop of ``lsp-evalplus bench``, and its guests, which start while the command is being imported."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Self

from lsp_evalplus.bench.problem import Dataset
from lsp_evalplus.bench.running.evaluate import EvaluationResult, Options, Watcher, evaluate, make_guests
from lsp_evalplus.bench.samples.samples import SampleSet

from .options import output_of, to_options


def session_for(options: dict[str, Any]) -> Session:
    """The session of a command with these options; its guests start at once if they will be needed."""
    outputs = [output_of(options, path) for path in options["samples"]]
    has_results = bool(outputs) and not options["fresh"] and all(output.exists() for output in outputs)
    return Session(to_options(options, None), ahead=not (options["model"] or has_results))


class Session:
    """Consecutive evaluations with the same guests; a context manager.

    Args:
        options: those of all evaluations, except their output.
        ahead: start the guests at once rather than on demand.
    """

    def __init__(self, options: Options, *, ahead: bool) -> None:
        self.options = options
        self._ahead = ahead
        self._guests = make_guests(options)
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        if self._ahead:
            self._runner.run(self._guests.begin())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._runner.run(self._guests.close())
        finally:
            self._runner.close()

    def evaluate(self, dataset: Dataset, samples: SampleSet, options: Options, watcher: Watcher) -> EvaluationResult:
        """Judge samples as `bench.running.evaluate.evaluate` does, with the guests of the session."""
        found: list[EvaluationResult] = []

        async def run() -> None:
            """Return nothing: asyncio's runner would format a result as a string, however large, that nobody reads."""
            found.append(await evaluate(dataset, samples, options, watcher, self._guests))

        self._runner.run(run())
        return found[0]
