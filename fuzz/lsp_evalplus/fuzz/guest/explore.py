"""The ``explore`` job: look for arguments on which a candidate is not what its reference is, inside the guest.

request: ``candidate`` and ``reference`` (programs), ``seeds`` (argument texts, examples first), ``text`` (docstrings),
``budget`` ``{"seconds", "calls", "seed", "disabled", "distrusted"}``, ``is_careful`` (journal each input).
replies: ``progress``, at most one ``counterexample``, at most one ``hang``, and ``done``.
"""

from __future__ import annotations

import random
from typing import Any, Dict, List, Optional, Tuple

from .channel import Channel
from .clock import CallClock
from .domain import ACCEPTED, Domain
from .hints import constructor_shape, hints_of, shape_of_hint
from .instrument import COUNTERS, Feedback, instrument
from .loader import LoadError
from .mine import Pool, mine_source, mine_text, mine_values
from .pair import RAISED, RETURNED, TIMED_OUT, CallResult, Pair, outcome_text, value_text
from .programs import Subject, instance_types, parameters_of, progress_in, refusal_of
from .recipe import to_text
from .rows import Layout, parse_rows, trim_parameters
from .search import TIERS, Search, Unstable
from .shapes import ANY, Shape


def run(request: Dict[str, Any], channel: Channel) -> None:
    """Run one exploration; every end is told by a ``done`` reply."""
    try:
        _explore(request, channel)
    except LoadError as error:
        channel.send({"event": "done", "status": "not_checked", "reason": str(error)})


def _explore(request: Dict[str, Any], channel: Channel) -> None:
    reference = _load(request["reference"], "the reference")
    candidate = _load(request["candidate"], "the function")
    clock = CallClock()
    layout, domain, pool, seeds = _prepare(request, candidate, reference)
    clock.install()
    try:
        search = _search(request, channel, candidate, reference, layout, domain, pool, clock)
        if search is None:
            reason = "no input was found that the reference accepts"
            channel.send({"event": "done", "status": "not_checked", "reason": reason})
            return
        _report(search, seeds, channel)
    finally:
        clock.remove()


def _load(program: Dict[str, Any], role: str) -> Subject:
    try:
        return Subject(program)
    except LoadError as error:
        raise LoadError("%s: %s" % (role, error)) from None


def _prepare(request: Dict[str, Any], candidate: Subject, reference: Subject) -> Tuple[Layout, Domain, Pool, List[Any]]:
    hints = {**hints_of(candidate.loaded.function), **hints_of(reference.loaded.function)}
    parameters = parameters_of(reference, hints, shape_of_hint)
    owner = instance_types(reference)
    for parameter in parameters:
        if parameter.kind == "instance" and owner is not None:
            parameter.shape = constructor_shape(owner)
    parameters = trim_parameters(parameters)
    layout = Layout(parameters, reference.loaded, request["candidate"]["qualname"])
    seeds = parse_rows(layout, list(request.get("seeds", ())))
    pool = Pool()
    mine_values(seeds, pool)
    pool.others = [v for row in seeds for v in row if type(v) in (list, tuple, dict, set)]
    mine_source(reference.source, pool)
    mine_source(candidate.source, pool)
    mine_text(request.get("text", "") + "\n" + reference.anatomy.docstring, pool)
    examples = seeds[: int(request.get("examples", len(seeds)))]
    return layout, Domain(parameters, examples, reference.anatomy.contract_end > 0), pool, seeds


def _pair(candidate: Subject, reference: Subject, layout: Layout, clock: CallClock) -> Pair:
    pair = Pair(
        candidate.side(layout.keywords, layout.spread),
        reference.side(layout.keywords, layout.spread),
        clock,
        refusal_of(reference),
    )
    pair.reference.capture = pair.candidate.capture = reference.anatomy.prints
    pair.compares_output = reference.anatomy.prints
    return pair


def _search(
    request: Dict[str, Any],
    channel: Channel,
    candidate: Subject,
    reference: Subject,
    layout: Layout,
    domain: Domain,
    pool: Pool,
    clock: CallClock,
) -> Optional[Search]:
    pair = _pair(candidate, reference, layout, clock)
    if request.get("is_careful"):
        _journal_inputs(pair, layout, channel)

    def progress_of(row: Any) -> int:
        expected = pair.reference.run(row, clock, pair.limit)
        if expected.kind == RETURNED or expected.kind == RAISED and not pair.refusal(expected.error):
            return ACCEPTED
        return progress_in(reference, expected.error)

    chance = random.Random(request["budget"]["seed"])  # noqa: S311 - chance, not secrecy.
    if domain.learn(progress_of, pool, chance) is None:
        return None
    watched, feedback = _watched(request, layout, clock)

    def poll(search: Search) -> None:
        channel.send(_progress(search))
        message = channel.receive()
        if message is not None:
            search.add_seeds([t for t in message.get("seeds", ()) if isinstance(t, str)])

    return Search(pair, watched, feedback, layout, domain, pool, request["budget"], poll)


def _watched(request: Dict[str, Any], layout: Layout, clock: CallClock) -> Tuple[Optional[Pair], Optional[Feedback]]:
    """Instrumented copies of both programs, None where they cannot be made."""
    if request["budget"].get("no_feedback"):
        return None, None
    subjects: List[Subject] = []
    for role in ("candidate", "reference"):
        program = dict(request[role])
        source = instrument(program["source"].lstrip("\ufeff"))
        if source is None:
            return None, None
        program["source"] = source
        try:
            subject = Subject(program)
        except LoadError:
            return None, None
        if COUNTERS not in subject.namespace:
            return None, None
        subjects.append(subject)
    pair = _pair(subjects[0], subjects[1], layout, clock)
    return pair, Feedback([s.namespace for s in subjects])


def _journal_inputs(pair: Pair, layout: Layout, channel: Channel) -> None:
    """Note each input before it is tried, so that the one that kills the process is known."""
    plain_run = pair.run

    def noted_run(row: Any) -> int:
        channel.journal(layout.arguments_text(row))
        return plain_run(row)

    pair.run = noted_run  # type: ignore[method-assign]


def _progress(search: Search) -> Dict[str, Any]:
    branches = search.feedback.branches() if search.feedback is not None else 0
    return {"event": "progress", "inputs": search.pair.inputs, "rejected": search.pair.rejected, "branches": branches}


def _report(search: Search, seeds: List[Any], channel: Channel) -> None:
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
    else:
        hang = search.hang()
        if hang is not None:
            channel.send(
                {
                    "event": "hang",
                    "arguments": search.layout.arguments_text(hang),
                    "call": search.layout.call_text(hang),
                }
            )
    corpus = [search.layout.arguments_text(row) for row in search.context.corpus[:40] if len(to_text(row)) < 500]
    channel.send(
        {**_progress(search), **done, "corpus": corpus, "domain": [_describe(s) for s in search.domain.typical]}
    )


def _describe(shape: Shape) -> str:
    from .shapes import describe

    return describe(shape if shape is not None else ANY)


def _counterexample(search: Search, row: Any, tier: int) -> Dict[str, Any]:
    pair = search.pair
    pair.run(row)
    assert pair.expected is not None
    actual = pair.actual if pair.actual is not None else CallResult(TIMED_OUT)
    return {
        "event": "counterexample",
        "arguments": search.layout.arguments_text(row),
        "call": search.layout.call_text(row),
        "candidate": _outcome(actual, pair.difference),
        "expected": _outcome(pair.expected, pair.difference),
        "tier": TIERS[tier],
        "difference": pair.difference,
        "stage": search.found_by,
    }


def _outcome(result: CallResult, difference: str) -> Dict[str, Any]:
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
