"""What a check tried, for people (``--explain``) and for Tyche (``--observations``)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.engine.tried_inputs import (
    choose_steps,
    count_judgements,
    count_kinds,
    count_stages,
    kind_of,
    measure_sizes,
)
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.files import write_atomically

from .report import without_controls
from .run import Checked

TRACED = 200
"""Inputs that ``--explain`` looks at."""
OBSERVED = 2_000
"""Inputs that ``--observations`` writes of each search."""
_MOST_KINDS = 6
_MOST_STEPS = 6
_LONGEST = 100
_STATUS = {"agree": "passed", "differ": "failed", "rejected": "gave_up", "slow": "gave_up", "undecided": "gave_up"}
"""Judgement -> the status of an observation."""
_REASONS = {
    "agree": "",
    "differ": "the results differ",
    "rejected": "the contract or the reference refuses the input",
    "slow": "a call took too long",
    "undecided": "nobody can say whether the results mean the same",
}


def explain(checked: Checked) -> list[str]:
    """Lines on what was tried: stages, kinds and sizes of inputs, branches, and how the counterexample became small."""
    report, trace = checked.report, checked.report.trace
    if trace is None or not trace.stages:
        return []
    totals = count_stages(trace)
    ordered = sorted(totals, key=lambda stage: (-totals[stage], stage))
    lines = [f"tried {count(totals.total(), 'input')}: {', '.join(f'{stage} {totals[stage]:,}' for stage in ordered)}"]
    judged = count_judgements(trace).most_common()
    told = [f"{number:,} {_named(word)}" for word, number in judged if word != "agree"]
    kinds = count_kinds(trace.trials)
    shown = ", ".join(
        f"({kind}) {100 * number / kinds.total():.0f} %" for kind, number in kinds.most_common(_MOST_KINDS)
    )
    sizes = measure_sizes(trace.trials)
    if told:
        lines.append(f"of these, {', '.join(told)}")
    if shown:
        lines.append(
            f"arguments: {shown}; {sizes['smallest']} to {sizes['largest']} characters, median {sizes['median']:g}"
        )
    if report.branches:
        lines.append(f"{count(report.branches, 'branch', 'branches')} reached")
    if trace.steps:
        lines.append(
            f"the counterexample became smaller {count(trace.steps, 'time')}: {describe_shrinking(trace.shrinking)}"
        )
    return [without_controls(line) for line in lines]


def _named(word: str) -> str:
    return {"differ": "differed", "rejected": "refused", "slow": "too slow", "undecided": "not comparable"}.get(
        word, word
    )


def describe_shrinking(calls: tuple[str, ...]) -> str:
    """The calls on the way to the smallest one, the first and the last among them."""
    return " → ".join(map(_short, choose_steps(calls, _MOST_STEPS)))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def write_observations(path: Path, results: Iterable[Checked], started: float) -> None:
    """Write a line of JSON for each input, in the form of OpenPBTStats, which Tyche shows. Raises `UserError`."""
    lines = "".join(json.dumps(one) + "\n" for checked in results for one in observations(checked, started))
    try:
        write_atomically(path, lines.encode("utf-8"), is_private=False)
    except OSError as error:
        raise UserError(f"--observations: {path} cannot be written: {error.strerror or error}.") from error


def observations(checked: Checked, started: float) -> Iterator[dict[str, Any]]:
    """The inputs of a check as test cases; `started` is the time of the run in seconds since the epoch."""
    report, item = checked.report, checked.item
    name = f"{item.place}::{item.name}"
    common: dict[str, Any] = {
        "type": "test_case",
        "run_start": started,
        "property": name,
        "arguments": {},
        "coverage": None,
    }
    for trial in () if report.trace is None else report.trace.trials:
        yield common | {
            "status": _STATUS[trial.judgement],
            "status_reason": _REASONS[trial.judgement],
            "representation": trial.call,
            "how_generated": f"stage {trial.stage}",
            "features": {"stage": trial.stage, "size": len(trial.call), "types": kind_of(trial.call) or "?"},
            "timing": {},
            "metadata": {},
        }
    found = report.counterexample
    if found is not None:
        yield common | {
            "status": "failed",
            "status_reason": _REASONS["differ"],
            "representation": found.call,
            "how_generated": "smallest failing input",
            "features": {"stage": "shrinking", "size": len(found.call), "types": kind_of(found.call) or "?"},
            "timing": {},
            "metadata": {"result": found.candidate.text, "expected": found.expected.text},
        }
    yield {
        "type": "info",
        "run_start": started,
        "property": name,
        "title": "lsp-evalplus",
        "content": report.reason or report.verdict.value,
    }
