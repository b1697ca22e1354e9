"""Confirms agreements: enough results were compared, and the programs agree in processes of their own too."""

from __future__ import annotations

import dataclasses
import time

from lsp_evalplus.fuzz.engine.search_state import SearchState
from lsp_evalplus.fuzz.engine.sentences import (
    FEWEST_CALLS_IN_TESTS,
    FEWEST_INPUTS,
    no_difference,
    same_in_tests,
    sentence_of,
    too_slow,
)
from lsp_evalplus.fuzz.model import Report, Verdict

from .crosscheck import cross_check
from .doctests import held_in_doctest
from .findings import as_counterexample
from .replay import is_reference_stable, replay


async def excuse_examples(report: Report, state: SearchState) -> Report:
    """Where a report has nothing else to state, ask doctest for all examples; if some fail, name one unconfirmed."""
    if report.verdict is not Verdict.NOT_CHECKED or not state.unconfirmed:
        return report
    docstrings = report.oracle.docstrings if report.oracle is not None else None
    held = (
        0
        if docstrings is None
        else await held_in_doctest(state.task.target.program, docstrings, state.unconfirmed, state.task.pool)
    )
    if held:
        state.inputs = held
        return Report(Verdict.AGREES, no_difference(held), report.oracle)
    example = next(iter(state.unconfirmed.values()))
    reason = f"the example {example} fails, but not in doctest on the whole file by what the function does"
    return dataclasses.replace(report, reason=reason)


async def confirm_agreement(state: SearchState) -> Report:
    """Report a search that found nothing, after cross-checking the programs in separate processes."""
    request, oracle, pool = state.task.request, state.task.oracle, state.task.pool
    is_in_tests = "carving" in request["candidate"]
    report = report_agreement(state, FEWEST_CALLS_IN_TESTS if is_in_tests else FEWEST_INPUTS)
    if report.verdict is not Verdict.AGREES or "reference" not in request or is_in_tests or state.task.is_same_code:
        return report
    inputs_per_second = state.inputs / max(0.001, time.monotonic() - state.started)
    found = await cross_check(request, state.corpus, state.task.budget, pool, most=max(4, int(inputs_per_second)))
    if found.contradiction is None:
        if found.unfinished > found.agreed + found.differed:
            return Report(Verdict.NOT_CHECKED, too_slow(state.task.budget, found.agreed), oracle)
        # The numbers of hashes may all differ: only whether equal objects share theirs was compared.
        is_hash = request["candidate"]["qualname"].endswith(".__hash__")
        if found.differed and not (found.agreed or found.incomparable or is_hash):
            return Report(Verdict.NOT_CHECKED, "alone, it agrees with the reference on no input", oracle)
        return report
    text = found.contradiction.arguments
    replays = await replay(request, text, pool)
    counterexample = as_counterexample(found.contradiction.found, replays) if is_reference_stable(replays) else None
    if counterexample is not None:
        return Report(Verdict.DIFFERS, sentence_of(counterexample), oracle, counterexample)
    reason = f"its result on {text} depends on the process that checks it: alone, it differs from the reference"
    return Report(Verdict.NOT_CHECKED, reason, oracle)


def report_agreement(state: SearchState, fewest: int = FEWEST_INPUTS) -> Report:
    """Report a search that ended without a difference; it agrees if enough results were compared.

    Args:
        state: of the search.
        fewest: how many inputs have to be compared where time alone limits it.
    """
    assert state.done is not None
    is_checked = state.done["status"] == "checked"
    reason = _why_unknown(state, fewest) if is_checked else state.done["reason"] or "the search ended early"
    if reason and state.done.get("tests"):
        tests = int(state.done["tests"])
        return Report(Verdict.AGREES, same_in_tests(tests), state.task.oracle, tests=tests)
    return Report(
        Verdict.NOT_CHECKED if reason else Verdict.AGREES, reason or no_difference(state.inputs), state.task.oracle
    )


def _why_unknown(state: SearchState, fewest: int) -> str:
    """Why too few results were compared to speak of agreement; empty if there were enough."""
    assert state.done is not None
    if state.inputs == 0:
        return _why_nothing(state)
    is_limited_by_time = state.done.get("is_out_of_time") or state.unfinished > state.inputs
    is_short = is_limited_by_time and max(state.inputs, state.rejected) < fewest
    return (
        too_slow(state.task.budget, state.inputs) if is_short or state.unfinished > FEWEST_INPUTS * state.inputs else ""
    )


def _why_nothing(state: SearchState) -> str:
    if state.unfinished:
        return too_slow(state.task.budget, 0)
    if state.done is not None and state.done.get("undecided"):
        return "its results cannot be compared"
    return "every input that was tried is outside of what the function accepts"
