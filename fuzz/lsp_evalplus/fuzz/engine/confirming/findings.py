"""Confirms the differences that a search reports: only those that fresh guests reproduce are findings."""

from __future__ import annotations

import asyncio
import dataclasses
import time

from lsp_evalplus.fuzz.engine.events import read_outcome, text_in
from lsp_evalplus.fuzz.engine.places import in_time, places_of
from lsp_evalplus.fuzz.engine.search_state import SearchState
from lsp_evalplus.fuzz.engine.sentences import TESTS, no_difference, note_of, sentence_of
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import Counterexample, Plain, Report, Verdict

from .call_sequences import STATE_NOTE, replay_after_others
from .crosscheck import cross_check, is_of_both
from .doctests import fails_in_doctest
from .replay import HASH_SEEDS, Replay, as_replayed, field_of, is_reference_stable, replay, replay_found

MOST_APART = 32
"""Maximum number of inputs of programs that run in processes of their own."""
FEWEST_APART = 8
"""Minimum number of such inputs to speak of."""


async def confirm_finding(state: SearchState) -> Report | None:
    """Report a counterexample that is reproducible in fresh processes; otherwise add its input to `distrusted`."""
    request, oracle, pool = state.task.request, state.task.oracle, state.task.pool
    found = state.counterexample
    assert found is not None
    if isinstance(found.get("session"), int):
        return await _confirmed_session(state)
    arguments = text_in(found, "arguments")
    if found["difference"] == "mended":
        # Tests may make the call, which are not run again.
        request = {**request, "examples": [*request["examples"], {"arguments": arguments}]}
    finding = asyncio.create_task(places_of(request, oracle, found, pool)) if state.task.finds_places else None
    started = time.monotonic()
    try:
        replays = await replay_found(request, found, arguments, pool)
        counterexample = None
        if is_reference_stable(replays):
            counterexample = as_counterexample(found, replays) or await _of_sequence(request, found, replays, pool)
        if counterexample is None:
            state.distrusted.append(arguments)
            return None
        if finding is not None and counterexample.call == found.get("call"):
            counterexample = dataclasses.replace(
                counterexample, places=await in_time(finding, time.monotonic() - started)
            )
    finally:
        if finding is not None:
            finding.cancel()
            await asyncio.gather(finding, return_exceptions=True)
    if await is_of_both(request, counterexample, pool):
        return await _apart(request, state)
    return Report(Verdict.DIFFERS, sentence_of(counterexample), oracle, counterexample)


async def _apart(request: Plain, state: SearchState) -> Report:
    """Report on programs that cannot both be loaded into one process, by running each in processes of its own."""
    oracle = state.task.oracle
    found = await cross_check(request, state.corpus, state.task.budget, state.task.pool, most=MOST_APART)
    if found.agreed < FEWEST_APART or found.differed:
        return Report(Verdict.NOT_CHECKED, "it does otherwise alone than beside its older version", oracle)
    state.inputs = found.agreed
    return Report(Verdict.AGREES, no_difference(found.agreed), oracle)


async def _confirmed_session(state: SearchState) -> Report | None:
    """Report a doctest that fails in the same way in fresh processes under each hash seed."""
    request, oracle, pool = state.task.request, state.task.oracle, state.task.pool
    found = state.counterexample
    assert found is not None
    again: Plain = {**request, "session": found["session"]}
    replays = await replay(again, text_in(found, "arguments"), pool, hash_seeds=HASH_SEEDS)
    told = {(field_of(one.reply, "candidate", "text"), field_of(one.reply, "candidate", "output")) for one in replays}
    if len(told) > 1 or any(one.code != "differ" for one in replays):
        state.distrusted.append(text_in(found, "arguments"))
        return None
    counterexample = as_replayed(found, replays[0].reply, text_in(found, "call"), "")
    return Report(Verdict.DIFFERS, sentence_of(counterexample), oracle, counterexample)


def as_counterexample(found: Plain, replays: list[Replay]) -> Counterexample | None:
    """Return the counterexample as seen in fresh processes; None if it is not reproducible."""
    differing = [r for r in replays if r.code == "differ"]
    if not differing or (found["difference"] in TESTS and len(differing) < len(replays)):
        return None
    reply = differing[0].reply
    difference, changed = str(reply.get("difference", "")), field_of(reply, "candidate", "mutated_arguments")
    # What a constructor stores is its result.
    note = note_of(difference) if changed or difference != "arguments" else ""
    if found.get("varies") is True:
        note = "its result changes from call to call"
    elif len(differing) < len(replays):
        note = "only under some hash seeds"
    elif changed == text_in(found, "arguments"):
        note = "does not change its argument"
    return as_replayed(found, reply, text_in(found, "call"), note)


async def _of_sequence(request: Plain, found: Plain, alone: list[Replay], pool: GuestPool) -> Counterexample | None:
    """Find a difference that needs earlier calls; the reference must then give the same result as it does alone."""
    if any(r.code != "agree" for r in alone):
        return None
    earlier = [text for text in found.get("earlier", ()) if isinstance(text, str)]
    sequence = await replay_after_others(request, text_in(found, "arguments"), earlier, pool)
    if sequence is None or not is_reference_stable([*alone, sequence.last]):
        return None
    return as_replayed(found, sequence.last.reply, sequence.call, STATE_NOTE)


async def holds_in_doctest(state: SearchState) -> bool:
    """Whether the standard library's doctest confirms the failure; an unconfirmed example is not tried again."""
    found, request, oracle = state.counterexample, state.task.request, state.task.oracle
    assert found is not None
    line = found.get("line")
    if oracle.docstrings is None or not isinstance(line, int):
        return True
    outcome = read_outcome(found["candidate"]) if found.get("candidate") else None
    if await fails_in_doctest(state.task.target.program, oracle.docstrings, line, outcome, state.task.pool):
        return True
    state.unconfirmed[line] = text_in(found, "call")
    if isinstance(found.get("session"), int):
        state.distrusted.append(text_in(found, "arguments"))
    request["examples"] = [
        one if one["line"] != line else {**one, "expected": None, "raises": None} for one in request["examples"]
    ]
    return False
