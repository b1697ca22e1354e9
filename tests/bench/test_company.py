"""Programs that are judged in one process get the verdicts that each of them gets alone."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest

from lsp_evalplus.bench.company import FIRST_INPUTS, LONGEST_MEMBER, Member, judge_company
from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.evaluate import Options, Watcher, evaluate
from lsp_evalplus.bench.expected import ExpectedPart, PartOutputs
from lsp_evalplus.bench.guests import CompanyRun, Guests, Limits, Report, RunSettings
from lsp_evalplus.bench.judging import PartJudge
from lsp_evalplus.bench.problem import Part, Problem
from lsp_evalplus.bench.remembering import may_remember
from lsp_evalplus.bench.run import TimeRules
from lsp_evalplus.bench.samples import load_samples
from lsp_evalplus.bench.verdicts import Rule, Status
from lsp_evalplus.fuzz.host.interpreter import find_interpreter

RIGHT = "right"
TIMED_OUT = {"kind": "timed_out", "text": ""}
RAISED = {"kind": "raised", "text": "ValueError: no"}
DIGEST = {"digest": "0" * 64}
LIMITS = Limits(1.0, 60.0, 1.0)


@dataclass
class Script:
    """What programs say in a company, by their text: an outcome where it is not the right one, by input.

    The messages of every run are read by the real `CompanyRun`.
    """

    says: dict[str, dict[tuple[Part, int], Any]]
    load_errors: dict[str, str] = field(default_factory=dict[str, str])
    unfinished: set[str] = field(default_factory=set[str])
    runs: list[tuple[list[str], int, int | None]] = field(default_factory=list[tuple[list[str], int, int | None]])

    def start_company(
        self, problem: Problem, sources: Sequence[str], limits: Limits, places: Sequence[Any], stop_from: int | None
    ) -> CompanyRun:
        self.runs.append((list(sources), len(places), stop_from))
        run = CompanyRun(cast("Guests", self), RunSettings(problem, sources, limits, places, stop_from))
        reports = [item for of, source in enumerate(sources) for item in self._tell(of, source, places, stop_from)]

        async def tell() -> Any:
            for item in reports:
                report = run._read(item)  # pyright: ignore[reportPrivateUsage]
                assert isinstance(report, Report)
                yield report

        run.reports = tell  # type: ignore[method-assign]
        return run

    def _tell(self, of: int, source: str, places: Sequence[Any], stop_from: int | None) -> list[dict[str, Any]]:
        if source in self.load_errors:
            error = {"kind": self.load_errors[source], "message": "it cannot be loaded"}
            return [{"load_error": error, "of": of}, {"of": of, "done": True}]
        outcomes: list[Any] = []
        for place, (part, index) in enumerate(places):
            outcome = self.says[source].get((part, index), str(index))
            outcomes.append(outcome)
            kind: Any = outcome.get("kind") if isinstance(outcome, dict) else None
            if kind == "timed_out" or (kind and stop_from is not None and place >= stop_from):
                break
        half = len(outcomes) // 2
        told: list[dict[str, Any]] = [
            {"outcomes": some, "slow": {}, "of": of} for some in (outcomes[:half], outcomes[half:])
        ]
        return told[:1] if source in self.unfinished else [*told, {"of": of, "done": True}]


def problem(base: int, plus: int) -> Problem:
    from tests.bench.conftest import problem as make  # noqa: PLC0415

    return make(base_inputs=[[n] for n in range(base)], plus_inputs=[[n] for n in range(plus)])
