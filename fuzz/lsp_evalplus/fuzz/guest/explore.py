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
import math
import random
import sys
from collections import Counter
from functools import cached_property
from typing import Any, Callable

from .aftermath import keep_alike
from .alone import alone, reduced
from .awaiting import AWAITED, tell_awaited
from .channel import DOCTESTS, Channel
from .clock import CallClock, CallTimeoutError
from .contracts import Judge, Refused
from .docstring_types import documented_types
from .domain import ACCEPTED, Domain
from .endless import ends
from .evidence import compared_kinds, handed_down
from .grammar import Grammar, Writer
from .hints import constructor_shape, hints_of, instance_shape, shape_of_hint
from .instrument import COUNTERS, Feedback, instrument
from .loader import LoadError
from .mine import Pool, mine_source, mine_text, mine_values
from .overloads import fill_in, overload_rows
from .pair import AGREE, CODES, DIFFER, RAISED, RETURNED, TIMED_OUT, CallResult, Pair, Side, outcome_text
from .programs import (
    Subject,
    call_alike,
    contract_refusal_of,
    fill_keywords,
    import_ahead,
    instance_types,
    parameters_of,
    progress_in,
    refusal_of,
    show_keywords,
)
from .promise import checkable, names_abstract, numeric_promise, promised_shape
from .recipe import RecipeError, build, from_text, is_plain, to_text
from .rendering import error_text, value_text
from .reordering import Order, reordering_source
from .rounding import Noise, rounding_source
from .rows import Layout, parse_rows, trim_parameters
from .search import TIERS, Patience, Search, Unstable
from .session import Missed, SessionRun
from .shapes import describe
from .solo import ExamplePair, SoloPair, StatedExample, first_failure
from .surroundings import FRAMES


def run(request: dict[str, Any], channel: Channel) -> None:
    """Run one exploration; every end is told by a ``done`` reply."""
    clock = CallClock()
    saved, sys.stdout, sys.stderr = (sys.stdout, sys.stderr), Nowhere(), Nowhere()
    try:
        setting = _Setting(request, channel, clock)
        clock.install()
        if "session" in request:
            _replay_session(setting, request["session"])
        elif "replay" in request:
            _replay(setting)
        elif setting.kind == "examples":
            _judge_examples(setting)
        else:
            _explore(setting)
    except LoadError as error:
        channel.send({"event": "done", "status": "not_checked", "reason": str(error)})
    finally:
        clock.remove()
        sys.stdout, sys.stderr = saved


PROOF_SECONDS = 0.05
FUNCTIONS_ONLY = "it returns functions, and what they do is not compared"


FIRST_TEXTS = 12
"""Texts of the programs' own form among the ingredients, so that one of them may be the first valid input."""


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


class _Setting:
    """Everything one job works with: programs, pair, layout, domain, ingredients and seeds."""

    def __init__(self, request: dict[str, Any], channel: Channel, clock: CallClock) -> None:
        self.request = request
        self.channel = channel
        self.clock = clock
        self.kind: str = request.get("oracle", "reference")
        self.reference = _load(request["reference"], "the reference") if self.kind == "reference" else None
        channel.heartbeat()
        self.candidate = _load(request["candidate"], "the function")
        channel.heartbeat()
        if self.reference is not None:
            call_alike(self.candidate.loaded, self.reference.loaded)
        subject = self.reference or self.candidate
        hints: dict[str, Any] = {}
        for one in (self.candidate, subject):
            hints.update(documented_types(one.anatomy.docstring))
        for one in (self.candidate, subject):
            hints.update(hints_of(one.loaded.function))
        parameters = parameters_of(subject, hints, shape_of_hint)
        owner = instance_types(subject)
        for parameter in parameters:
            if parameter.kind == "instance" and owner is not None:
                parameter.shape = instance_shape(owner) if subject.loaded.is_made_alone else constructor_shape(owner)
        parameters = fill_keywords(
            trim_parameters(parameters, handed_down(subject.anatomy.function)),
            [subject, self.candidate],
            guess=self.kind in ("reference", "examples"),
        )
        self.overloads = overload_rows(subject, parameters)
        fill_in(parameters, self.overloads)
        self.layout = Layout(parameters, subject.loaded, request["candidate"]["qualname"])
        self.examples = parse_rows(self.layout, [e["arguments"] for e in request.get("examples", ())])
        show_keywords(parameters, self.examples)
        self.seeds = self.examples + parse_rows(self.layout, list(request.get("seeds", ())))
        self.pool = Pool()
        self.grammar = Grammar(())
        self.failures: Counter[str] = Counter()
        """What the program raised while a first valid input was looked for."""
        self.unfinished = 0
        """How often it did not end in time then."""
        self.domain = Domain([], [], has_contract=False, named=frozenset(), text="")
        self.pair = self._make_pair(self.candidate, self.reference)
        if request.get("is_careful"):
            _journal_inputs(self.pair, self.layout, channel)

    def prepare_search(self) -> None:
        """Read off the programs what a search needs and a replay does not."""
        subject = self.reference or self.candidate
        # Each step is a second's work in a module of ten thousand lines.
        self.grammar = Grammar(dict.fromkeys([subject.source, self.candidate.source]))
        self.channel.heartbeat()
        self.pool = self._mined(subject)
        self.channel.heartbeat()
        if not self.grammar.is_silent():
            writer = Writer(self.grammar, self.pool, random.Random(0))
            for _ in range(FIRST_TEXTS):
                self.pool.add_text(writer.text())
        self.domain = self._domain(subject)
        for program in {subject, self.candidate}:
            import_ahead(program)

    def _mined(self, subject: Subject) -> Pool:
        pool = Pool()
        mine_values(self.seeds, pool)
        pool.others = [v for row in self.seeds for v in row if type(v) in (list, tuple, dict, set)]
        mine_source(subject.source, pool)
        if subject is not self.candidate:
            mine_source(self.candidate.source, pool)
        mine_text(self.request.get("text", "") + "\n" + subject.anatomy.docstring, pool)
        return pool

    def _domain(self, subject: Subject) -> Domain:
        anatomy = subject.anatomy
        contract = self.request.get("contract") or {}
        has_contract = anatomy.contract_end > 0 or bool(
            contract.get("preconditions") or set(contract.get("styles", ())) - {"assert"}
        )
        text = self.request.get("text", "") + anatomy.docstring
        return Domain(
            self.layout.parameters,
            self.examples,
            has_contract=has_contract,
            named=anatomy.contract_names,
            text=text,
            combinations=self.overloads,
            is_bound=self.reference is None,
            annotated=frozenset(hints_of(subject.loaded.function)),
            compared=compared_kinds([anatomy.function, self.candidate.anatomy.function]),
            fields=self.grammar.fields,
        )

    def _make_pair(self, candidate: Subject, reference: Subject | None) -> Pair:
        side = self._side(candidate)
        if self.kind == "examples":
            return ExamplePair(side, self.clock, lambda recipe: build(recipe, candidate.namespace))
        if reference is None:
            judge = Judge(candidate.loaded.function, self.request.get("contract") or {}, candidate.loaded.owner)
            return SoloPair(candidate, side, self.clock, judge, self.kind)
        pair = Pair(side, self._side(reference), self.clock, refusal_of(reference))
        if self.request.get("contract"):
            self._bound(pair, candidate)
        pair.reference.capture = pair.candidate.capture = pair.compares_output = reference.anatomy.prints
        pair.is_previous = bool(self.request.get("is_previous"))
        if pair.is_previous and (candidate.loaded.kind in AWAITED) != (reference.loaded.kind in AWAITED):
            pair.value_difference = "awaited"
            tell_awaited(pair.candidate, candidate.loaded)
            tell_awaited(pair.reference, reference.loaded)
        pair.has_receiver = reference.loaded.binding == "method"
        pair.keeps_inside = pair.has_receiver and self._keeps_inside
        pair.rounding = lambda: self._rounding_copy(pair)
        pair.reordering = lambda: self._reordering_copy(pair)
        promised = promised_shape(reference.loaded.function)
        if promised is not None:
            pair.promise = numeric_promise(promised)
            pair.usage = checkable(promised) if names_abstract(promised) else None
        return pair

    def _side(self, subject: Subject) -> Side:
        layout = self.layout
        return subject.side(layout.keywords, layout.defaults, spread=layout.spread, taken=layout.taken)

    def _rounding_copy(self, pair: Pair) -> tuple[Side, Noise] | None:
        """The reference once more, with arithmetic that rounds by chance; None where it cannot be made."""
        noise = Noise()
        side = self._copy(pair, rounding_source, noise.put_into)
        return None if side is None else (side, noise)

    def _reordering_copy(self, pair: Pair) -> tuple[Side, Order] | None:
        """The reference once more, going through sets in another order; None where it has none."""
        order = Order()
        side = self._copy(pair, reordering_source, order.put_into)
        return None if side is None else (side, order)

    def _copy(
        self, pair: Pair, rewrite: Callable[[str], str | None], put_into: Callable[[dict[str, Any]], None]
    ) -> Side | None:
        copy = _variant(reduced(self.request["reference"]), rewrite)
        if copy is None or self.reference is None:
            return None
        copy.loaded.makes_instance = self.reference.loaded.makes_instance
        put_into(copy.namespace)
        side = self._side(copy)
        side.capture = pair.compares_output
        return side

    def _bound(self, pair: Pair, candidate: Subject) -> None:
        """The candidate's own preconditions bound the inputs, whoever judges."""
        contract: dict[str, Any] = self.request["contract"]
        pair.candidate_refusal = contract_refusal_of(candidate)
        if set(contract.get("styles", ())) - {"assert"}:
            judge = Judge(candidate.loaded.function, {**contract, "leading_asserts": None}, candidate.loaded.owner)
            pair.candidate.call = judge.guard(pair.candidate.call)

    @cached_property
    def _keeps_inside(self) -> bool:
        """Whether objects of both programs mean the same by what they keep in private."""
        one, two = self.request["candidate"], self.request["reference"]
        return keep_alike(one["source"], two["source"], one["qualname"])

    @cached_property
    def _alone(self) -> str | None:
        """The candidate with what it needs; None where that is not plain to see, or a row is not how it is called."""
        program, loaded = self.request["candidate"], self.candidate.loaded
        is_plainly_called = loaded.kind == "function" and loaded.binding == "free" and "." not in program["qualname"]
        if not is_plainly_called or self.layout.keywords or self.layout.spread or self.layout.taken is not None:
            return None
        return alone(program["source"], program["qualname"])

    def never_ends(self, row: Any) -> bool:
        """Whether the candidate's call on a row, which took too long, provably comes back to a state that it was in."""
        name, source = self.request["candidate"]["qualname"], self._alone
        if source is None or not is_plain(row):
            return False
        clock = self.clock
        try:
            clock.start(PROOF_SECONDS)
            try:
                # No count of calls or rounds is endless: what is merely slow is not proven here.
                return ends(source, name, build(row, {}), math.inf, FRAMES) is False
            finally:
                clock.stop()
        except CallTimeoutError:
            return False

    def watched(self) -> tuple[Pair | None, Feedback | None]:
        """Instrumented copies of the programs, None where they cannot be made."""
        if self.request["budget"].get("no_feedback"):
            return None, None
        if self.reference is None:
            candidate, reference = _instrumented(self.request["candidate"]), None
        else:
            candidate = _instrumented(reduced(self.request["candidate"]))
            self.channel.heartbeat()
            reference = _instrumented(reduced(self.request["reference"]))
        if candidate is None or (self.reference is not None and reference is None):
            return None, None
        self.channel.heartbeat()
        candidate.loaded.makes_instance = self.candidate.loaded.makes_instance
        namespaces = [s.namespace for s in (candidate, reference) if s is not None]
        pair = self._make_pair(candidate, reference)
        # Reduced copies have no annotations.
        pair.promise = self.pair.promise
        return pair, Feedback(namespaces)


def _explore(setting: _Setting) -> None:
    setting.prepare_search()
    search = _search(setting)
    if search is None:
        setting.channel.send({"event": "done", "status": "not_checked", "reason": _why_none(setting)})
        return
    _report(search, setting.seeds, setting.channel)


def _why_none(setting: _Setting) -> str:
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


def _judge_examples(setting: _Setting) -> None:
    """Run the examples that fit the parameters, tell the first that fails."""
    pair = setting.pair
    assert isinstance(pair, ExamplePair)
    listed = _examples_of(setting)
    failed = first_failure(pair, listed)
    reason = ""
    if failed is not None and pair.difference == "hang":
        # Confirmed as hangs are; what the other examples say is not known, so there is no word of an end.
        layout, row = setting.layout, listed[failed][0]
        setting.channel.send({"event": "progress", "inputs": pair.inputs, "rejected": 0, "branches": 0})
        setting.channel.send(_hang(layout, row, is_proven=setting.never_ends(row)))
        return
    if failed is not None:
        setting.channel.send(_counterexample_of(pair, setting.layout, listed[failed][0], "inside", "example"))
    else:
        why = _judge_sessions(setting, pair) or "their arguments do not fit the parameters"
        reason = "" if pair.inputs else f"none of its examples can be run: {why}"
    done = {"event": "done", "status": "not_checked" if reason else "checked", "reason": reason, "corpus": []}
    setting.channel.send({**done, "inputs": pair.inputs, "rejected": 0, "branches": 0})


def _judge_sessions(setting: _Setting, pair: Pair) -> str:
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
    }


def _replay_session(setting: _Setting, number: int) -> None:
    """Run one session up to the line that missed, and tell what it did this time."""
    wanted = setting.request["replay"][-1]
    steps = setting.request["sessions"][number]
    others = frozenset(step["call"] for step in steps) - {wanted}
    missed = SessionRun(steps, setting.candidate.namespace, setting.clock).first_missed(others)
    reply = _missed_of(steps, missed) if missed is not None else {}
    setting.channel.send({**reply, "event": "replayed", "code": CODES[AGREE if missed is None else DIFFER]})
    setting.channel.send({"event": "done", "status": "checked", "reason": "", "inputs": 1})


def _examples_of(setting: _Setting) -> list[StatedExample]:
    found: list[StatedExample] = []
    for example in setting.request.get("examples", ()):
        try:
            row = setting.layout.row(example["arguments"])
            expected = None if example.get("expected") is None else (from_text(example["expected"]),)
        except RecipeError:
            continue
        if expected is not None or example.get("raises"):
            found.append((row, expected, example.get("raises"), example.get("written")))
    return found


def _replay(setting: _Setting) -> None:
    """Run given arguments once each, with generous limits, and tell what happened."""
    pair = setting.pair
    pair.limit = float(setting.request.get("limit", 1.0))
    for text in setting.request["replay"]:
        setting.channel.journal(text)
        row = setting.layout.row(text)
        setting.channel.send({"event": "replaying", **_announced(setting, row)})
        if isinstance(pair, ExamplePair):
            code = pair.judge(*next(e for e in _examples_of(setting) if setting.layout.arguments_text(e[0]) == text))
        else:
            code = pair.run(row)
        reply = (
            _counterexample_of(pair, setting.layout, row, "inside", "replay") if pair.expected or pair.actual else {}
        )
        setting.channel.send({**reply, "event": "replayed", "code": CODES[code]})
    setting.channel.send({"event": "done", "status": "checked", "reason": "", "inputs": pair.inputs})


def _announced(setting: _Setting, row: Any) -> dict[str, Any]:
    """The call that follows, which may end the process, and what an example says that it gives."""
    call = {"call": setting.layout.call_text(row)}
    text = setting.layout.arguments_text(row)
    for example in setting.request.get("examples", ()) if setting.kind == "examples" else ():
        stated = example.get("raises") or example.get("expected")
        if stated and setting.layout.arguments_text(setting.layout.row(example["arguments"])) == text:
            return {**call, "expected": {"kind": RAISED if example.get("raises") else RETURNED, "text": stated}}
    return call


def _load(program: dict[str, Any], role: str) -> Subject:
    try:
        return Subject(program)
    except LoadError as error:
        raise LoadError(f"{role}: {error}") from None


def _instrumented(program: dict[str, Any]) -> Subject | None:
    subject = _variant(program, instrument)
    return subject if subject is not None and COUNTERS in subject.namespace else None


def _variant(program: dict[str, Any], rewrite: Callable[[str], str | None]) -> Subject | None:
    """The program loaded once more from a rewritten text, None where that cannot be."""
    source = rewrite(program["source"].lstrip("\ufeff"))
    if source is None:
        return None
    try:
        return Subject({**program, "source": source})
    except LoadError:
        return None


def _search(setting: _Setting) -> Search | None:
    """The search, ready to run; None when no valid input could be found."""
    pair, request = setting.pair, setting.request
    subject = setting.reference or setting.candidate

    patience = Patience(pair, float(request["budget"]["seconds"]))

    def progress_of(row: Any) -> int:
        setting.channel.heartbeat()
        if request.get("is_careful"):
            setting.channel.journal(setting.layout.arguments_text(row))
        expected = patience.run(row)
        if expected.kind == RETURNED or (expected.kind == RAISED and not pair.refusal(expected.error)):
            return ACCEPTED
        if expected.kind == RAISED and not isinstance(expected.error, RecipeError):
            setting.failures[_failure_text(expected.error)] += 1
        return progress_in(subject, expected.error)

    chance = random.Random(request["budget"]["seed"])
    if setting.domain.learn(progress_of, setting.pool, chance, pair.is_for_both) is None:
        setting.unfinished = patience.unfinished
        return None

    def poll(search: Search) -> None:
        setting.channel.send(_progress(search))
        message = setting.channel.receive()
        if message is not None:
            search.add_seeds([t for t in message.get("seeds", ()) if isinstance(t, str)])

    return Search(
        pair,
        setting.watched,
        setting.layout,
        setting.domain,
        setting.pool,
        request["budget"],
        poll,
        setting.grammar,
        setting.never_ends,
    )


def _journal_inputs(pair: Pair, layout: Layout, channel: Channel) -> None:
    """Note each input before it is tried, so that the one that kills the process is known."""
    plain_run = pair.run

    def noted_run(row: Any) -> int:
        channel.journal(layout.arguments_text(row))
        return plain_run(row)

    pair.run = noted_run  # type: ignore[method-assign]
    if isinstance(pair, ExamplePair):
        plain_judge = pair.judge

        def noted_judge(row: Any, *stated: Any) -> int:
            channel.journal(layout.arguments_text(row))
            return plain_judge(row, *stated)

        pair.judge = noted_judge  # type: ignore[method-assign]


def _progress(search: Search) -> dict[str, Any]:
    branches = search.feedback.branches() if search.feedback is not None else 0
    # Without parameters all calls are the same, and a second one only shows that.
    inputs = search.pair.inputs if search.layout.parameters else min(search.pair.inputs, 1)
    return {"event": "progress", "inputs": inputs, "rejected": search.pair.rejected, "branches": branches}


def _report(search: Search, seeds: list[Any], channel: Channel) -> None:
    done = {"event": "done", "status": "checked", "reason": "", "corpus": []}
    try:
        found = search.run(seeds)
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
    elif search.saw_functions_only():
        channel.send({**_progress(search), **done, "status": "not_checked", "reason": FUNCTIONS_ONLY})
        return
    else:
        hang = search.hang()
        if hang is not None:
            channel.send(_hang(search.layout, hang, is_proven=bool(search.endless)))
    corpus = [search.layout.arguments_text(row) for row in search.context.corpus[:40] if len(to_text(row)) < 500]
    channel.send(
        {**_progress(search), **done, "corpus": corpus, "domain": [describe(s) for s in search.domain.typical]}
    )


def _hang(layout: Layout, row: Any, *, is_proven: bool) -> dict[str, Any]:
    place = {"arguments": layout.arguments_text(row), "call": layout.call_text(row)}
    return {"event": "hang", **place, "is_proven": is_proven}


def _counterexample(search: Search, row: Any, tier: int) -> dict[str, Any]:
    search.pair.run(row)
    reply = _counterexample_of(search.pair, search.layout, row, TIERS[tier], search.found_by)
    earlier = [row, *search.context.corpus[:2]]
    return {**reply, "varies": search.varies, "earlier": [search.layout.arguments_text(one) for one in earlier]}


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
