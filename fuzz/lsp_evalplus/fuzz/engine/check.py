"""Check one target: search in a guest, replay counterexamples in fresh guests, report.

Guests are not trusted: a counterexample is replayed in fresh processes under other hash seeds, and a crash or a hang of
the guest is traced to the input that caused it and tried again. Only reproducible differences are findings.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence

from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job, Run
from lsp_evalplus.fuzz.model import (
    ArgumentsText,
    Budget,
    FunctionTarget,
    Oracle,
    OracleKind,
    OutcomeKind,
    Plain,
    Report,
    Verdict,
)

from .confirming.agreements import confirm_agreement, excuse_examples
from .confirming.endings import confirm_hang, explain_death
from .confirming.findings import confirm_finding, holds_in_doctest
from .confirming.whole_module import is_otherwise_as_a_whole, with_names_of_module
from .events import TAMPERED, MalformedEventError, read_event
from .held_chance import UNSTABLE, differing_inputs, hold_still, is_chance, may_be_pace, needs_rest, told_still
from .requests import explore_request, is_same_code, with_answers
from .search_state import Progress, SearchState, Task
from .sentences import TESTS
from .strategies import with_drawn

ROUNDS = 3
"""Maximum rounds of a search, which restarts when its counterexample is not reproducible or its guest died."""
MOST_UNCONFIRMED = 8
"""Maximum number of examples to skip because they fail here but not in doctest."""
STALL_SECONDS = 20.0
"""Silence after which a guest counts as stuck. What runs too long is ended by its own timer of processor time, so that
this is for what uses none; a busy machine may keep a guest waiting for seconds."""
BUSY_FACTOR = 6.0
"""How many times as long as its processor time a search may take: a busy machine gives little of it."""
IMPORT_SECONDS = 15.0
"""Processor time that importing the modules of both programs may take, beside that of a search."""
RETURN_SECONDS = 0.3
RETURN_CALLS = 400
"""Largest budget of the search for an input on which nothing is returned: whole projects are searched so."""
SAME_CODE_CALLS = 100
"""Calls of the search where both versions are the same code up to what no caller sees."""


async def check(
    target: FunctionTarget,
    oracle: Oracle,
    budget: Budget,
    pool: GuestPool,
    *,
    seeds: Sequence[ArgumentsText] = (),
    on_progress: Callable[[Progress], None] | None = None,
    on_run: Callable[[Run], None] | None = None,
    finds_places: bool = False,
    reach: str = "",
    rounds: int = ROUNDS,
    is_blank: bool = False,
) -> Report:
    """Search for an input on which `target` contradicts `oracle`.

    Args:
        target: the function under test.
        oracle: what it is compared with.
        budget: CPU seconds, calls and seed of the search; shrinking and replays add about 0.5 s at most.
        pool: guests of the interpreter that the target runs under.
        seeds: inputs to try first: known counterexamples, a stored corpus.
        on_progress: called about every 50 ms during the search.
        finds_places: also locate the lines that produced a counterexample's result, while it is replayed.
        on_run: called with each run as it starts; ``Run.send({"seeds": [...]})`` adds seeds to it.
        reach: qualified name of a function of the program; only inputs on which it is called count.
        rounds: most rounds, and as many more with the clock at rest where results vary.
        is_blank: whether no constructor initialises the instances of a method.

    Returns:
        The report; cancelling the task kills the guests first.

    Raises:
        WorkerError: our own machinery failed; this says nothing about the target.
    """
    is_older = oracle.kind is OracleKind.PREVIOUS
    obstacle = target.obstacle or (None if is_older else target.needs_older or target.reads)
    if obstacle:
        return Report(Verdict.NOT_CHECKED, obstacle, oracle)
    oracle = await with_drawn(target, oracle, pool)
    if oracle.kind is OracleKind.RETURN:
        seconds, calls = min(budget.seconds, RETURN_SECONDS), min(budget.calls or RETURN_CALLS, RETURN_CALLS)
        budget = dataclasses.replace(budget, seconds=seconds, calls=calls)

    async def search(limits: Budget, *, is_same: bool = False) -> Report:
        request: Plain = {**explore_request(target, oracle, limits, seeds), "reach": reach, "is_blank": is_blank}
        request["budget"]["no_feedback"] = is_same
        return await _searched(
            SearchState(Task(target, request, oracle, limits, pool, on_progress, on_run, rounds, finds_places, is_same))
        )

    if is_same_code(target.program, oracle) and not budget.traced:
        calls = min(budget.calls or SAME_CODE_CALLS, SAME_CODE_CALLS)
        report = await search(dataclasses.replace(budget, calls=calls), is_same=True)
        if report.verdict is not Verdict.NOT_CHECKED:
            return report
    return await search(budget)


async def _searched(state: SearchState) -> Report:
    """Search for a counterexample in some rounds, and once more with the clock at rest where results vary, or where a
    difference may be one of time that passed."""
    request, oracle = state.task.request, state.task.oracle
    is_first = not (needs_rest(request) and hold_still(request))
    try:
        report = await _rounds(state)
        if (is_chance(report) or may_be_pace(report, request)) and hold_still(request):
            request["seeds"] = [*differing_inputs(report), *request["seeds"]]
            second = SearchState(state.task, state.started)
            again = await _rounds(second)
            is_first = is_chance(again) or report.verdict is again.verdict
            state, report = (state, report) if is_first else (second, again)
        if not is_first:
            report = told_still(report, 0 if state.done is None else int(state.done.get("undecided", 0)))
    except MalformedEventError:
        report = Report(Verdict.NOT_CHECKED, TAMPERED, oracle)
    found = report.counterexample
    if oracle.kind is OracleKind.RETURN and found is not None and found.candidate.kind is not OutcomeKind.RETURNED:
        # Whether such an input is valid, nothing says.
        reason = f"it does not return for every input: {found.call}"
        report = Report(Verdict.NOT_CHECKED, reason, oracle)
    return dataclasses.replace(
        report,
        inputs=state.inputs,
        rejected=state.rejected,
        branches=state.branches,
        is_complete=state.done is not None and state.done.get("is_complete") is True,
        misses_change=state.done is not None and state.done.get("misses_change") is True,
        seconds=time.monotonic() - state.started,
        corpus=state.corpus,
        trace=state.tracing.trace,
    )


async def _rounds(state: SearchState) -> Report:
    target, request, oracle, pool = state.task.target, state.task.request, state.task.oracle, state.task.pool
    deaths = 0
    rounds = 0
    while rounds < state.task.most_rounds and len(state.unconfirmed) <= MOST_UNCONFIRMED:
        request["budget"]["distrusted"] = list(state.distrusted)
        state.tracing.begin()
        run = pool.start(_job(request, state.task.budget))
        if state.task.on_run is not None:
            state.task.on_run(run)
        await _follow(run, state)
        if state.counterexample is not None:
            is_test = state.counterexample["difference"] in TESTS
            report = await confirm_finding(state)
            found = state.counterexample
            if report is not None and (
                await is_otherwise_as_a_whole(target, oracle, request, report, found, pool)
                or not await holds_in_doctest(state)
            ):
                state.counterexample = None
                continue
            if report is None and is_test:
                # A test is asked last: what else was compared stands.
                return await confirm_agreement(state)
        elif state.hang is not None:
            report = await confirm_hang(state)
        elif state.done is not None:
            is_again = with_names_of_module(target, request, state.done)
            if is_again or with_answers(target.program, oracle, request, state.done):
                state.in_part, state.done = state.done, None
                continue
            if state.in_part is not None and state.done["status"] != "checked":
                state.done = state.in_part
            return await excuse_examples(await confirm_agreement(state), state)
        else:
            report = await explain_death(run, state)
            deaths += 1
        if report is not None:
            return report
        rounds += 1
        state.counterexample = state.hang = state.done = None
    if deaths:
        reason = state.death or "its process died, but no single input does that to it again"
        return Report(Verdict.NOT_CHECKED, reason, oracle)
    return await excuse_examples(Report(Verdict.NOT_CHECKED, UNSTABLE, oracle), state)


def _job(request: Plain, budget: Budget) -> Job:
    cpu_seconds = 3.0 * budget.seconds + 6.0 + IMPORT_SECONDS
    wall = BUSY_FACTOR * cpu_seconds
    return Job("explore", request, wall_seconds=wall, cpu_seconds=cpu_seconds, stall_seconds=STALL_SECONDS)


async def _follow(run: Run, state: SearchState) -> None:
    """Process the replies of one run.

    Raises:
        MalformedEventError: the code under test tampers with the guest.
    """
    before = (state.inputs, state.rejected, state.unfinished)
    async with run:
        async for reply in run:
            event = read_event(reply)
            kind = event["event"]
            if kind in ("progress", "done"):
                state.inputs = before[0] + event.get("inputs", 0)
                state.rejected = before[1] + event.get("rejected", 0)
                state.unfinished = before[2] + event.get("unfinished", 0)
                state.branches = max(state.branches, event.get("branches", 0))
            if kind == "done":
                state.done = event
                state.corpus = tuple(event.get("corpus", ()))
            elif kind == "progress" and state.task.on_progress is not None:
                state.task.on_progress(Progress(state.inputs, state.rejected, state.branches))
            elif kind in ("trials", "trace"):
                state.tracing.take(event, state.task.budget.traced)
            elif kind == "counterexample":
                state.counterexample = event
            elif kind == "hang":
                state.hang = event
