"""Confirms hangs and deaths of guests: the input that ended one is sought, and tried again in fresh guests."""

from __future__ import annotations

from lsp_evalplus.fuzz.engine.events import read_outcome, text_in
from lsp_evalplus.fuzz.engine.search_state import SearchState
from lsp_evalplus.fuzz.engine.sentences import sentence_of
from lsp_evalplus.fuzz.guest.protocol.channel import DOCTESTS
from lsp_evalplus.fuzz.guest.values.metrics import is_large_text
from lsp_evalplus.fuzz.host.run import EndingKind, Run
from lsp_evalplus.fuzz.model import Counterexample, OracleKind, Outcome, OutcomeKind, Plain, Report, Tier, Verdict

from .agreements import report_agreement
from .replay import describe_corruption, describe_ending, field_of, replay

LARGEST_AFTER_DEATH = 10**6
"""Largest number in the inputs of a search whose first guest was stuck in C code or out of memory: ``sum(range(n))``
is not a bug for being slow on huge numbers, and smaller ones still expose real bugs."""
HANG_SECONDS = 1.5
"""CPU time after which a candidate hangs on a small input, where the reference needs less than a clock tick."""
PROVEN_HANG_SECONDS = 0.1
"""The same where static analysis proves nontermination; a run confirms that the analysed code is what runs."""


async def confirm_hang(state: SearchState) -> Report | None:
    """Report a hang if only the candidate fails to terminate again, by proof or in far more time than the reference."""
    request, oracle, pool = state.task.request, state.task.oracle, state.task.pool
    hang = state.hang
    assert hang is not None
    arguments = text_in(hang, "arguments")
    is_proven = hang.get("is_proven") is True
    limit = PROVEN_HANG_SECONDS if is_proven else HANG_SECONDS
    replays = await replay(request, arguments, pool, limit=limit, hash_seeds=(0,))
    if replays[0].code != "slow" or field_of(replays[0].reply, "candidate", "kind") != "timed_out":
        return report_agreement(state) if state.done is not None else None
    text = "it comes back to an earlier state" if is_proven else f"it was ended after {HANG_SECONDS:g} seconds"
    outcome = Outcome(OutcomeKind.TIMED_OUT, text)
    expected = read_outcome(replays[0].reply["expected"])
    counterexample = Counterexample(arguments, text_in(hang, "call"), outcome, expected, Tier.HANG)
    return Report(Verdict.DIFFERS, sentence_of(counterexample), oracle, counterexample)


async def explain_death(run: Run, state: SearchState) -> Report | None:
    """Find the input that killed a guest without a reply, and check whether it does so again."""
    request, oracle = state.task.request, state.task.oracle
    ending = run.ending
    if ending.kind is EndingKind.CORRUPTED and request.get("is_careful"):
        return Report(Verdict.NOT_CHECKED, describe_corruption(ending), oracle)
    if ending.kind is EndingKind.FLOODED:
        # What the watch of its process says; other floods are of replies.
        reason = (
            f"it takes {ending.detail}" if " than " in ending.detail else "it writes more output than can be taken in"
        )
        return Report(Verdict.NOT_CHECKED, reason, oracle)
    if ending.is_stuck and not ending.is_loaded:
        return Report(Verdict.NOT_CHECKED, f"loading it {describe_ending(ending)}", oracle)
    arguments = ending.journal
    if not request.get("is_careful"):
        request["is_careful"] = True
        if ending.is_stuck or ending.kind is EndingKind.MEMORY:
            request["budget"]["largest"] = LARGEST_AFTER_DEATH
        return None
    if not arguments or arguments == DOCTESTS:
        what = "running its doctests" if arguments else "loading it"
        return Report(Verdict.NOT_CHECKED, f"{what} {describe_ending(ending)}", oracle)
    report = await _confirmed_death(arguments, state)
    if report is None and state.death and oracle.kind is OracleKind.EXAMPLES:
        return Report(Verdict.NOT_CHECKED, state.death, oracle)  # Examples are not chosen: it would die again.
    return report


async def _confirmed_death(arguments: str, state: SearchState) -> Report | None:
    """Report a crash, an exit or a hang in C code if it is reproducible and the reference survives the same input,
    or if an example states the result for that input."""
    request, oracle, pool = state.task.request, state.task.oracle, state.task.pool
    state.distrusted.append(arguments)
    replays = await replay(request, arguments, pool, limit=1.0, hash_seeds=(0,))
    death = replays[0]
    if death.code == "slow" and oracle.kind is OracleKind.EXAMPLES:
        # On a busy machine it counts as stuck before its CPU time is used up.
        state.hang = death.reply
        return await confirm_hang(state)
    if death.code != "died":
        return None
    state.death = f"calling it {death.how}"
    if death.is_hang and is_large_text(arguments):
        return None
    if "reference" in request:
        survived = await _survival(arguments, state)
    else:
        # Without a reference, the time and memory it may take are unknown.
        survived = death.announced if death.is_crash else {}
    if "expected" not in survived:
        return None
    kind = OutcomeKind.TIMED_OUT if death.is_hang else OutcomeKind.CRASHED
    ended = f"it was ended after {HANG_SECONDS:g} seconds"
    text = ended if kind is OutcomeKind.TIMED_OUT else death.how
    call = text_in(survived, "call")
    tier = Tier.HANG if kind is OutcomeKind.TIMED_OUT else Tier.INSIDE
    counterexample = Counterexample(arguments, call, Outcome(kind, text), read_outcome(survived["expected"]), tier)
    return Report(Verdict.DIFFERS, sentence_of(counterexample), oracle, counterexample)


async def _survival(arguments: str, state: SearchState) -> Plain:
    """Return what the reference does on an input that ended a process; empty if the reference does not survive it."""
    request, pool = state.task.request, state.task.pool
    swapped = {**request, "candidate": {**request["reference"], "qualname": request["reference"]["qualname"]}}
    reference = (await replay(swapped, arguments, pool, limit=1.0, hash_seeds=(0,)))[0]
    if reference.code == "died":
        state.death = f"calling the reference {reference.how}"
    return reference.reply if reference.code == "agree" else {}
