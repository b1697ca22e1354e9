"""The ``explore`` job: look for arguments on which a candidate is not what its oracle demands, inside the guest.

request::

    oracle      "reference" (default), "examples", "contract", "annotation" or "robustness"
    candidate   a program; with the oracle "reference" also ``reference``
    is_previous whether the reference is what the candidate was before
    contract    the fields of ``fuzz.model.Contract``, for the oracles without a reference
    examples    ``[{"arguments", "expected", "raises", "written"}]``: judged by the oracle "examples", seeds for all
    sessions    lists of the fields of ``fuzz.model.Step``: doctests that the oracle "examples" runs line after line
    seeds       further argument texts
    text        text around the function, mined for constants
    budget      ``{"seconds", "calls", "seed", "disabled", "no_feedback", "distrusted", "largest"}``
    replay      argument texts to run once each instead of searching
    session     which of the sessions to run once instead, up to the step whose call is in ``replay``
    is_careful  journal each input before it is tried

replies: ``progress``, at most one ``counterexample``, at most one ``hang``, ``replaying`` before and ``replayed`` after
each replay, and ``done``.
"""

# Values under test have no static type: what is read out of them stays unknown.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import io
import random
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

from ..contracts.runtime import Refused
from ..generation.domain import ACCEPTED, RAISED_ON_PURPOSE
from ..generation.mutation import Mutator
from ..generation.stages.call_sequences import prepared_rows
from ..judging.differential import AGREE, CODES, DIFFER, Pair, outcome_text
from ..judging.doctest_session import Missed, SessionRun
from ..judging.empty_instances import ONLY_EMPTY, reads_empty_state
from ..judging.without_reference import EXAMPLE_SECONDS, ExamplePair, StatedExample, first_failure
from ..program.calibration import LONGEST_LIMIT, Calibration
from ..program.call_clock import USUAL_LIMIT, CallClock
from ..program.invocation import RAISED, RETURNED, TIMED_OUT, CallResult
from ..program.loader import LoadError
from ..program.rows import Layout
from ..program.subject import progress_in
from ..protocol.channel import DOCTESTS, Channel
from ..search.search import TIERS, Search, Unstable
from ..search.setup import Setting
from ..values.recipe import RecipeError, from_text, to_text
from ..values.rendering import error_text, value_text


def run(request: dict[str, Any], channel: Channel) -> None:
    """Run one exploration; every end is told by a ``done`` reply."""
    clock = CallClock()
    saved, sys.stdout, sys.stderr = (sys.stdout, sys.stderr), Nowhere(), Nowhere()
    try:
        setting = Setting(request, channel, clock)
        clock.install()
        if "session" in request:
            _replay_session(setting, request["session"])
        elif "replay" in request:
            _replay(setting)
        elif setting.kind == "examples":
            _judge_examples(setting)
        else:
            with clock.limited(USUAL_LIMIT):
                _explore(setting)
    except LoadError as error:
        channel.send({"event": "done", "status": "not_checked", "reason": str(error)})
    finally:
        clock.remove()
        sys.stdout, sys.stderr = saved


STUCK_SECONDS = 0.5
"""Processor time that C code may use, beyond the limit of a replayed call, before its process is ended. It is not
limited where modules are imported, some of which take as long to be linked."""
MOST_EARLIER = 4
"""So many inputs that a counterexample may need another call to show after, itself among them."""
FIRST_PREPARED = 1000
"""Rows with prepared instances among which a first valid input is looked for."""
FUNCTIONS_ONLY = "it returns functions, and what they do is not compared"


class Nowhere(io.TextIOWrapper):
    """Takes what programs print and forgets it: a file would be full after some ten thousand calls."""

    def __init__(self) -> None:
        super().__init__(_Forgetful(), "utf-8", "surrogatepass", newline="\n", write_through=True)  # type: ignore[arg-type]


class _Forgetful(io.RawIOBase):
    """Takes the bytes: programs also write to ``sys.stdout.buffer``."""

    def writable(self) -> bool:
        """Anything may be written."""
        return True

    def write(self, data: Any, /) -> int:
        """Forget the bytes."""
        return len(data)


def _explore(setting: Setting) -> None:
    setting.prepare_search()
    setting.clock.install(STUCK_SECONDS)
    search = _search(setting)
    if search is None:
        setting.channel.send({"event": "done", "status": "not_checked", "reason": _why_none(setting)})
        return
    _report(search, setting)


def _why_none(setting: Setting) -> str:
    """Why there is nothing to search: a program that fails on everything alike tells what it lacks."""
    who = "reference" if setting.reference is not None else "function"
    reason = f"no input was found that the {who} accepts"
    if setting.unfinished > sum(setting.failures.values()):
        return f"{reason}; it does not end in time" if setting.layout.parameters else f"the {who} does not end in time"
    if not setting.failures:
        return reason
    text, count = setting.failures.most_common(1)[0]
    return f"{reason}; {text}" if 2 * count > sum(setting.failures.values()) else reason


def _failure_text(error: Any) -> str:
    """What the program does on an input, in half a sentence; an exception of ours stands for its contract."""
    if isinstance(error, Refused):
        return f"its contract refuses them: {error}"[:120] if str(error) else "its contract refuses them"
    return f"it raises {error_text(error)[:120]}"


def _judge_examples(setting: Setting) -> None:
    """Run the examples that fit the parameters, tell the first that fails."""
    pair = setting.pair
    assert isinstance(pair, ExamplePair)
    numbered = _examples_of(setting)
    listed = [stated for stated, _ in numbered]
    setting.clock.install(2.0 * EXAMPLE_SECONDS)  # What is imported in a call has not been loaded before.
    with setting.clock.limited(EXAMPLE_SECONDS):
        failed = first_failure(pair, listed)
    reason = ""
    if failed is not None and pair.difference == "hang":
        # Confirmed as hangs are; what the other examples say is not known, so there is no word of an end.
        layout, row = setting.layout, listed[failed][0]
        setting.channel.send({"event": "progress", "inputs": pair.inputs, "rejected": 0, "branches": 0})
        setting.channel.send(_hang(layout, row, is_proven=setting.never_ends(row)))
        return
    if failed is not None:
        told = _counterexample_of(pair, setting.layout, listed[failed][0], "inside", "example")
        setting.channel.send({**told, "line": numbered[failed][1]})
    else:
        why = _judge_sessions(setting, pair) or "their arguments do not fit the parameters"
        reason = "" if pair.inputs else f"none of its examples can be run: {why}"
    done = {"event": "done", "status": "not_checked" if reason else "checked", "reason": reason, "corpus": []}
    setting.channel.send({**done, "inputs": pair.inputs, "rejected": 0, "branches": 0})


def _judge_sessions(setting: Setting, pair: Pair) -> str:
    """Run the doctests that are no plain calls, tell the first line that misses; returns what stopped one, if any."""
    passed_over = frozenset(setting.request["budget"].get("distrusted", ()))
    stopped = ""
    setting.channel.journal(DOCTESTS)
    for number, steps in enumerate(setting.request.get("sessions", ())):
        run = SessionRun(steps, setting.candidate.namespace, setting.clock)
        missed = run.first_missed(passed_over)
        pair.inputs += run.judged
        stopped = stopped or run.stopped
        if missed is not None:
            setting.channel.send({**_missed_of(steps, missed), "event": "counterexample", "session": number})
            break
    return stopped


def _missed_of(steps: list[dict[str, Any]], missed: Missed) -> dict[str, Any]:
    call = steps[missed.number]["call"]
    return {
        "arguments": call,
        "call": call,
        "candidate": _outcome(missed.actual, missed.difference),
        "expected": _outcome(missed.expected, missed.difference),
        "tier": "inside",
        "difference": missed.difference,
        "stage": "example",
        "line": steps[missed.number]["line"],
    }


def _replay_session(setting: Setting, number: int) -> None:
    """Run one session up to the line that missed, and tell what it did this time."""
    wanted = setting.request["replay"][-1]
    steps = setting.request["sessions"][number]
    others = frozenset(step["call"] for step in steps) - {wanted}
    missed = SessionRun(steps, setting.candidate.namespace, setting.clock).first_missed(others)
    reply = _missed_of(steps, missed) if missed is not None else {}
    setting.channel.send({**reply, "event": "replayed", "code": CODES[AGREE if missed is None else DIFFER]})
    setting.channel.send({"event": "done", "status": "checked", "reason": "", "inputs": 1})


def _examples_of(setting: Setting) -> list[tuple[StatedExample, int | None]]:
    """The examples that state something, each with its line in the file, where that is known."""
    found: list[tuple[StatedExample, int | None]] = []
    for example in setting.request.get("examples", ()):
        try:
            row = setting.layout.row(example["arguments"])
            expected = None if example.get("expected") is None else (from_text(example["expected"]),)
        except RecipeError:
            continue
        if expected is not None or example.get("raises"):
            stated = (row, expected, example.get("raises"), example.get("written"))
            found.append((stated, example.get("line")))
    return found


def _replay(setting: Setting) -> None:
    """Run given arguments once each, with generous limits, and tell what happened."""
    limit = float(setting.request.get("limit", 1.0))
    setting.clock.install(limit + STUCK_SECONDS)
    with setting.clock.limited(limit):
        _run_once_each(setting)


def _run_once_each(setting: Setting) -> None:
    pair = setting.pair
    for text in setting.request["replay"]:
        setting.channel.journal(text)
        row = setting.layout.row(text)
        setting.channel.send({"event": "replaying", **_announced(setting, row)})
        if isinstance(pair, ExamplePair):
            stated = (one for one, _ in _examples_of(setting) if setting.layout.arguments_text(one[0]) == text)
            code = pair.judge(*next(stated))
        else:
            code = pair.run(row)
        reply = (
            _counterexample_of(pair, setting.layout, row, "inside", "replay") if pair.expected or pair.actual else {}
        )
        setting.channel.send({**reply, "event": "replayed", "code": CODES[code]})
    setting.channel.send({"event": "done", "status": "checked", "reason": "", "inputs": pair.inputs})


def _announced(setting: Setting, row: Any) -> dict[str, Any]:
    """The call that follows, which may end the process, and what an example says that it gives."""
    call = {"call": setting.layout.call_text(row)}
    text = setting.layout.arguments_text(row)
    for example in setting.request.get("examples", ()) if setting.kind == "examples" else ():
        stated = example.get("raises") or example.get("expected")
        if stated and setting.layout.arguments_text(setting.layout.row(example["arguments"])) == text:
            return {**call, "expected": {"kind": RAISED if example.get("raises") else RETURNED, "text": stated}}
    return call


def _search(setting: Setting) -> Search | None:
    """The search, ready to run; None when no valid input could be found."""
    pair, request = setting.pair, setting.request
    subject = setting.reference or setting.candidate

    calibration = Calibration(
        lambda row: pair.reference.run(row, pair.clock, pair.clock.allowance),
        pair.refusal,
        setting.clock,
        float(request["budget"]["seconds"]),
    )

    def progress_of(row: Any) -> int:
        setting.channel.heartbeat()
        if request.get("is_careful"):
            setting.channel.journal(setting.layout.arguments_text(row))
        expected = calibration.run(row)
        if expected.kind == RETURNED:
            return ACCEPTED if expected.value is not NotImplemented else RAISED_ON_PURPOSE
        if expected.kind == RAISED and not pair.refusal(expected.error):
            return RAISED_ON_PURPOSE
        if expected.kind == RAISED and not isinstance(expected.error, RecipeError):
            setting.failures[_failure_text(expected.error)] += 1
        return progress_in(subject, expected.error)

    chance = random.Random(request["budget"]["seed"])

    def prepared() -> Iterator[Any]:
        states = setting.states(Mutator(setting.pool, random.Random(request["budget"]["seed"])))
        return islice(prepared_rows(states, setting.domain) if states is not None else (), FIRST_PREPARED)

    if setting.domain.learn(progress_of, setting.pool, chance, pair.is_for_both, prepared) is None:
        setting.unfinished = calibration.unfinished
        return None

    def poll(search: Search) -> None:
        setting.channel.send(_progress(search))
        message = setting.channel.receive()
        if message is not None:
            search.add_seeds([t for t in message.get("seeds", ()) if isinstance(t, str)])

    search = Search(
        pair,
        setting.watched,
        setting.layout,
        setting.domain,
        setting.pool,
        request["budget"],
        poll,
        setting.grammar,
        setting.never_ends,
        setting.pumped,
    )
    search.context.states = setting.states(search.context.mutator)
    return search


def _progress(search: Search) -> dict[str, Any]:
    branches = search.feedback.branches() if search.feedback is not None else 0
    # Without parameters all calls are the same, and a second one only shows that.
    inputs = search.pair.inputs if search.layout.parameters else min(search.pair.inputs, 1)
    return {"event": "progress", "inputs": inputs, "rejected": search.pair.rejected, "branches": branches}


def _report(search: Search, setting: Setting) -> None:
    channel = setting.channel
    done = {"event": "done", "status": "checked", "reason": "", "corpus": []}
    try:
        found = search.run(setting.seeds)
    except Unstable:
        channel.send(
            {
                **_progress(search),
                **done,
                "status": "not_checked",
                "reason": "not deterministic: the same input gives different results",
            }
        )
        return
    if found is not None:
        channel.send(_counterexample(search, found[0], found[1]))
    else:
        hang = search.hang()
        reason = _why_not_known(search, setting, has_hang=hang is not None)
        if reason:
            channel.send({**_progress(search), **done, "status": "not_checked", "reason": reason})
            return
        if hang is not None:
            channel.send(_hang(search.layout, hang, is_proven=bool(search.endless)))
    kept = [row for row in search.context.corpus[:40] if len(to_text(row)) < 500 and search.can_be_told_again(row)]
    corpus = [search.layout.arguments_text(row) for row in kept]
    channel.send(
        {**_progress(search), **done, "corpus": corpus, "domain": [s.describe() for s in search.domain.typical]}
    )


def _why_not_known(search: Search, setting: Setting, *, has_hang: bool) -> str:
    """Why calls that show no difference say nothing; empty where they do."""
    if search.saw_functions_only():
        return FUNCTIONS_ONLY
    if has_hang:
        return ""
    if _saw_empty_only(setting, search):
        return ONLY_EMPTY
    expected = setting.pair.expected
    if setting.reference is None or not setting.layout.parameters or expected is None or not search.saw_errors_only():
        return ""
    if expected.error is None:
        return ""
    reason = "the reference returned nothing on any input that was tried"
    # An exception of ours says that the input cannot be made.
    return reason if isinstance(expected.error, RecipeError) else f"{reason}; it raised {type(expected.error).__name__}"


def _saw_empty_only(setting: Setting, search: Search) -> bool:
    """Whether the only call is one on an empty instance, whose contents one of the programs reads."""
    subjects = [one for one in (setting.candidate, setting.reference) if one is not None]
    states, others = search.context.states, [p for p in setting.layout.parameters if p.kind != "instance"]
    if others or (setting.layout.parameters and not subjects[-1].loaded.is_made_bare):
        return False
    return not (states is not None and states.has_any) and any([reads_empty_state(one.loaded) for one in subjects])


def _hang(layout: Layout, row: Any, *, is_proven: bool) -> dict[str, Any]:
    place = {"arguments": layout.arguments_text(row), "call": layout.call_text(row)}
    return {"event": "hang", **place, "is_proven": is_proven}


def _counterexample(search: Search, row: Any, tier: int) -> dict[str, Any]:
    with search.pair.clock.limited(LONGEST_LIMIT):
        search.pair.run(row)
    reply = _counterexample_of(search.pair, search.layout, row, TIERS[tier], search.found_by)
    others = [one for one in (*search.before, *search.context.corpus[:MOST_EARLIER]) if one is not None]
    earlier = dict.fromkeys([search.layout.arguments_text(one) for one in [row, *others]])
    return {**reply, "varies": search.varies, "earlier": list(earlier)[:MOST_EARLIER]}


def _counterexample_of(pair: Pair, layout: Layout, row: Any, tier: str, stage: str) -> dict[str, Any]:
    expected = pair.expected if pair.expected is not None else CallResult(RETURNED, None)
    actual = pair.actual if pair.actual is not None else CallResult(TIMED_OUT)
    return {
        "event": "counterexample",
        "arguments": layout.arguments_text(row),
        "call": layout.call_text(row),
        "candidate": _outcome(actual, pair.difference),
        "expected": _outcome(expected, pair.difference),
        "tier": tier,
        "difference": pair.difference,
        "stage": stage,
    }


def _outcome(result: CallResult, difference: str) -> dict[str, Any]:
    """An outcome as plain data for the host."""
    mutated = None
    if difference == "arguments":
        mutated = value_text(result.arguments)
    return {
        "kind": result.kind,
        "text": outcome_text(result),
        "mutated_arguments": mutated,
        "output": result.output if difference == "output" else None,
    }
