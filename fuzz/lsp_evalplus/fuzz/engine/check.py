"""Check one target: search in a guest, replay counterexamples in fresh guests, report.

Guests are not trusted: a counterexample is replayed in fresh processes under other hash seeds, and a crash or a hang of
the guest is traced to the input that caused it and tried again. Only reproducible differences are findings.
"""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lsp_evalplus.fuzz.guest.protocol.channel import DOCTESTS
from lsp_evalplus.fuzz.guest.values.metrics import is_large_text
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import EndingKind, Job, Run
from lsp_evalplus.fuzz.model import (
    ArgumentsText,
    Budget,
    Counterexample,
    FunctionTarget,
    Oracle,
    OracleKind,
    Outcome,
    OutcomeKind,
    Plain,
    Report,
    Tier,
    Verdict,
)

from .call_sequences import STATE_NOTE, replay_after_others
from .crosscheck import cross_check, is_of_both
from .doctests import fails_in_doctest, held_in_doctest
from .events import TAMPERED, MalformedEventError, read_event, read_outcome, text_in
from .held_chance import UNSTABLE, differing_inputs, hold_still, is_chance, may_be_pace, sleeps, told_still
from .places import in_time, places_of
from .replay import (
    HASH_SEEDS,
    Replay,
    as_replayed,
    describe_corruption,
    describe_ending,
    field_of,
    is_reference_stable,
    replay,
    replay_found,
)
from .requests import explore_request, is_same_code, with_answers
from .sentences import (
    FEWEST_CALLS_IN_TESTS,
    FEWEST_INPUTS,
    TESTS,
    no_difference,
    note_of,
    same_in_tests,
    sentence_of,
    too_slow,
)
from .strategies import with_drawn
from .tracing import Tracing
from .whole_module import is_otherwise_as_a_whole, with_names_of_module

MOST_APART = 32
"""Maximum number of inputs of programs that run in processes of their own."""
FEWEST_APART = 8
"""Minimum number of such inputs to speak of."""
ROUNDS = 3
"""Maximum rounds of a search, which restarts when its counterexample is not reproducible or its guest died."""
MOST_UNCONFIRMED = 8
"""Maximum number of examples to skip because they fail here but not in doctest."""
STALL_SECONDS = 20.0
"""Silence after which a guest counts as stuck. What runs too long is ended by its own timer of processor time, so that
this is for what uses none; a busy machine may keep a guest waiting for seconds."""
LARGEST_AFTER_DEATH = 10**6
"""Largest number in the inputs of a search whose first guest was stuck in C code or out of memory: ``sum(range(n))``
is not a bug for being slow on huge numbers, and smaller ones still expose real bugs."""
BUSY_FACTOR = 6.0
"""How many times as long as its processor time a search may take: a busy machine gives little of it."""
HANG_SECONDS = 1.5
"""CPU time after which a candidate hangs on a small input, where the reference needs less than a clock tick."""
PROVEN_HANG_SECONDS = 0.1
"""The same where static analysis proves nontermination; a run confirms that the analysed code is what runs."""
IMPORT_SECONDS = 15.0
"""Processor time that importing the modules of both programs may take, beside that of a search."""
RETURN_SECONDS = 0.3
RETURN_CALLS = 400
"""Largest budget of the search for an input on which nothing is returned: whole projects are searched so."""
SAME_CODE_CALLS = 100
"""Calls of the search where both versions are the same code up to what no caller sees."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a search: numbers of inputs compared and rejected, and of branches covered."""

    inputs: int
    rejected: int
    branches: int


@dataclass(frozen=True, slots=True)
class _Task:
    """What is searched, and how."""

    target: FunctionTarget
    request: Plain
    oracle: Oracle
    budget: Budget
    pool: GuestPool
    on_progress: Callable[[Progress], None] | None
    on_run: Callable[[Run], None] | None
    most_rounds: int
    finds_places: bool
    is_same_code: bool
    """Whether both versions are the same code up to what no caller sees."""


@dataclass(slots=True)
class _Search:
    """State of one search; counts accumulate over its rounds."""

    task: _Task
    started: float = field(default_factory=time.monotonic)
    inputs: int = 0
    """Inputs on which results were compared."""
    rejected: int = 0
    unfinished: int = 0
    """Calls that were interrupted at their time limit."""
    branches: int = 0
    counterexample: Plain | None = None
    hang: Plain | None = None
    done: Plain | None = None
    in_part: Plain | None = None
    """The event ``done`` of a search without the whole module, after which that is tried."""
    distrusted: list[str] = field(default_factory=list[str])
    corpus: tuple[str, ...] = ()
    tracing: Tracing = field(default_factory=Tracing)
    death: str = ""
    """Description of a process that died, where that is not a finding."""
    unconfirmed: dict[int, str] = field(default_factory=dict[int, str])
    """Examples, by their lines, that failed here but not in doctest, and hence are no findings."""


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
        request: Plain = {**explore_request(target, oracle, limits, seeds), "reach": reach}
        request["budget"]["no_feedback"] = is_same
        return await _searched(
            _Search(_Task(target, request, oracle, limits, pool, on_progress, on_run, rounds, finds_places, is_same))
        )

    if is_same_code(target.program, oracle) and not budget.traced:
        calls = min(budget.calls or SAME_CODE_CALLS, SAME_CODE_CALLS)
        report = await search(dataclasses.replace(budget, calls=calls), is_same=True)
        if report.verdict is not Verdict.NOT_CHECKED:
            return report
    return await search(budget)


async def _searched(state: _Search) -> Report:
    """Search for a counterexample in some rounds, and once more with the clock at rest where results vary, or where a
    difference may be one of time that passed."""
    request, oracle = state.task.request, state.task.oracle
    is_first = not (sleeps(request) and hold_still(request))
    try:
        report = await _rounds(state)
        if (is_chance(report) or may_be_pace(report, request)) and hold_still(request):
            request["seeds"] = [*differing_inputs(report), *request["seeds"]]
            second = _Search(state.task, state.started)
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
        seconds=time.monotonic() - state.started,
        corpus=state.corpus,
        trace=state.tracing.trace,
    )


async def _rounds(state: _Search) -> Report:
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
            report = await _confirmed(state)
            found = state.counterexample
            if report is not None and (
                await is_otherwise_as_a_whole(target, oracle, request, report, found, pool) or not await _holds(state)
            ):
                state.counterexample = None
                continue
            if report is None and is_test:
                # A test is asked last: what else was compared stands.
                return await _cross_checked(state)
        elif state.hang is not None:
            report = await _confirmed_hang(state)
        elif state.done is not None:
            is_again = with_names_of_module(target, request, state.done)
            if is_again or with_answers(target.program, oracle, request, state.done):
                state.in_part, state.done = state.done, None
                continue
            if state.in_part is not None and state.done["status"] != "checked":
                state.done = state.in_part
            return await _excused(await _cross_checked(state), state)
        else:
            report = await _explained(run, state)
            deaths += 1
        if report is not None:
            return report
        rounds += 1
        state.counterexample = state.hang = state.done = None
    if deaths:
        reason = state.death or "its process died, but no single input does that to it again"
        return Report(Verdict.NOT_CHECKED, reason, oracle)
    return await _excused(Report(Verdict.NOT_CHECKED, UNSTABLE, oracle), state)


async def _excused(report: Report, state: _Search) -> Report:
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


async def _holds(state: _Search) -> bool:
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


def _job(request: Plain, budget: Budget) -> Job:
    cpu_seconds = 3.0 * budget.seconds + 6.0 + IMPORT_SECONDS
    wall = BUSY_FACTOR * cpu_seconds
    return Job("explore", request, wall_seconds=wall, cpu_seconds=cpu_seconds, stall_seconds=STALL_SECONDS)


async def _follow(run: Run, state: _Search) -> None:
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


async def _cross_checked(state: _Search) -> Report:
    """Report a search that found nothing, after cross-checking the programs in separate processes."""
    request, oracle, pool = state.task.request, state.task.oracle, state.task.pool
    is_in_tests = "carving" in request["candidate"]
    report = _agreed(state, FEWEST_CALLS_IN_TESTS if is_in_tests else FEWEST_INPUTS)
    if report.verdict is not Verdict.AGREES or "reference" not in request or is_in_tests or state.task.is_same_code:
        return report
    inputs_per_second = state.inputs / max(0.001, time.monotonic() - state.started)
    found = await cross_check(request, state.corpus, state.task.budget, pool, most=max(4, int(inputs_per_second)))
    if found.contradiction is None:
        if found.unfinished > found.agreed + found.differed:
            return Report(Verdict.NOT_CHECKED, too_slow(state.task.budget, found.agreed), oracle)
        # The numbers of hashes may all differ: only whether equal objects share theirs was compared.
        is_hash = request["candidate"]["qualname"].endswith(".__hash__")
        if found.differed and not found.agreed and not is_hash:
            return Report(Verdict.NOT_CHECKED, "alone, it agrees with the reference on no input", oracle)
        return report
    text = found.contradiction.arguments
    replays = await replay(request, text, pool)
    counterexample = _counterexample(found.contradiction.found, replays) if is_reference_stable(replays) else None
    if counterexample is not None:
        return Report(Verdict.DIFFERS, sentence_of(counterexample), oracle, counterexample)
    reason = f"its result on {text} depends on the process that checks it: alone, it differs from the reference"
    return Report(Verdict.NOT_CHECKED, reason, oracle)


def _agreed(state: _Search, fewest: int = FEWEST_INPUTS) -> Report:
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


def _why_unknown(state: _Search, fewest: int) -> str:
    """Why too few results were compared to speak of agreement; empty if there were enough."""
    assert state.done is not None
    if state.inputs == 0:
        return _why_nothing(state)
    is_limited_by_time = state.done.get("is_out_of_time") or state.unfinished > state.inputs
    is_short = is_limited_by_time and max(state.inputs, state.rejected) < fewest
    return (
        too_slow(state.task.budget, state.inputs) if is_short or state.unfinished > FEWEST_INPUTS * state.inputs else ""
    )


def _why_nothing(state: _Search) -> str:
    if state.unfinished:
        return too_slow(state.task.budget, 0)
    if state.done is not None and state.done.get("undecided"):
        return "its results cannot be compared"
    return "every input that was tried is outside of what the function accepts"


async def _confirmed(state: _Search) -> Report | None:
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
            counterexample = _counterexample(found, replays) or await _of_sequence(request, found, replays, pool)
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


async def _apart(request: Plain, state: _Search) -> Report:
    """Report on programs of which only one can be loaded into a process, by running each in processes of its own."""
    oracle = state.task.oracle
    found = await cross_check(request, state.corpus, state.task.budget, state.task.pool, most=MOST_APART)
    if found.agreed < FEWEST_APART or found.differed:
        return Report(Verdict.NOT_CHECKED, "it does otherwise alone than beside its older version", oracle)
    state.inputs = found.agreed
    return Report(Verdict.AGREES, no_difference(found.agreed), oracle)


async def _confirmed_session(state: _Search) -> Report | None:
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


def _counterexample(found: Plain, replays: list[Replay]) -> Counterexample | None:
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


async def _confirmed_hang(state: _Search) -> Report | None:
    """Report a hang if only the candidate fails to terminate again, by proof or in far more time than the reference."""
    request, oracle, pool = state.task.request, state.task.oracle, state.task.pool
    hang = state.hang
    assert hang is not None
    arguments = text_in(hang, "arguments")
    is_proven = hang.get("is_proven") is True
    limit = PROVEN_HANG_SECONDS if is_proven else HANG_SECONDS
    replays = await replay(request, arguments, pool, limit=limit, hash_seeds=(0,))
    if replays[0].code != "slow" or field_of(replays[0].reply, "candidate", "kind") != "timed_out":
        return _agreed(state) if state.done is not None else None
    text = "it comes back to an earlier state" if is_proven else f"it was ended after {HANG_SECONDS:g} seconds"
    outcome = Outcome(OutcomeKind.TIMED_OUT, text)
    expected = read_outcome(replays[0].reply["expected"])
    counterexample = Counterexample(arguments, text_in(hang, "call"), outcome, expected, Tier.HANG)
    return Report(Verdict.DIFFERS, sentence_of(counterexample), oracle, counterexample)


async def _explained(run: Run, state: _Search) -> Report | None:
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


async def _confirmed_death(arguments: str, state: _Search) -> Report | None:
    """Report a crash, an exit or a hang in C code if it is reproducible and the reference survives the same input,
    or if an example states the result for that input."""
    request, oracle, pool = state.task.request, state.task.oracle, state.task.pool
    state.distrusted.append(arguments)
    replays = await replay(request, arguments, pool, limit=1.0, hash_seeds=(0,))
    death = replays[0]
    if death.code == "slow" and oracle.kind is OracleKind.EXAMPLES:
        # On a busy machine it counts as stuck before its CPU time is used up.
        state.hang = death.reply
        return await _confirmed_hang(state)
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


async def _survival(arguments: str, state: _Search) -> Plain:
    """Return what the reference does on an input that ended a process; empty if the reference does not survive it."""
    request, pool = state.task.request, state.task.pool
    swapped = {**request, "candidate": {**request["reference"], "qualname": request["reference"]["qualname"]}}
    reference = (await replay(swapped, arguments, pool, limit=1.0, hash_seeds=(0,)))[0]
    if reference.code == "died":
        state.death = f"calling the reference {reference.how}"
    return reference.reply if reference.code == "agree" else {}
