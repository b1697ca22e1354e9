"""The pool of a task: inputs that the search finds in a guest, and those of them that fresh guests confirm.

The reference, behind its contract, is candidate and reference of the search. Calls end it and each of its turns; the
limit of processor time only ends what hangs, and is told.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from lsp_evalplus.bench.judging.expected import find_incomparable
from lsp_evalplus.bench.problem import Input
from lsp_evalplus.fuzz.guest.comparison.equality import same
from lsp_evalplus.fuzz.guest.values.plain import PlainError, decode, is_json
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import EndingKind, Job
from lsp_evalplus.fuzz.model import Plain

CALL_SECONDS = 1.0
"""Processor time that the reference may take on an input: it ends what hangs. What is slow, `MOST_STEPS` decides."""
MOST_STEPS = 100_000
"""Lines of Python that the reference may run on an input: some 5 ms, and the same number on each machine."""
HASH_SEEDS = (0, 1, 2)
LONGEST_TEXT = 20_000
"""Characters of the text of an input."""
LONGEST_RESULT = 10_000
"""Characters of what the reference returns, as JSON: samples return as much on each of the inputs."""
MOST_FAILURES = 60
"""An evaluation whose calls fail this often in time ends: what was confirmed is kept."""
_BATCH = 200
_STAGE_LENGTH = 40


@dataclass(frozen=True, slots=True)
class Found:
    """An input of the pool."""

    values: tuple[Any, ...]
    stage: str
    """The stage of the search that made it."""
    is_inside: bool
    """Whether it is like the base inputs and examples, not wider."""
    is_counted: bool = True
    """Whether the search counted the lines that the reference runs on it, and found them few enough."""
    is_json: bool = False
    """Whether it is known that JSON gives the values back as they are."""
    text: str = field(init=False)
    """The literal of the values."""

    def __post_init__(self) -> None:
        """Make the text, which is needed several times."""
        object.__setattr__(self, "text", repr(self.values))


@dataclass(frozen=True, slots=True)
class Pool:
    """What a search gave."""

    inputs: Sequence[Found]
    refused: int = 0
    """Inputs that the contract or the reference refused."""
    reason: str = ""
    """Why the search gave nothing or ended early."""


@dataclass(frozen=True, slots=True)
class _Result:
    """The encoded value that the reference returned on an input, with its literal, and else why there is none."""

    value: Any = None
    text: str | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Trial:
    """An input that guests are asked for."""

    found: Found
    request: Any
    """The arguments as a guest takes them."""
    first: _Result | None = None
    """What the first guest returned."""


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """When a search ends: at a number of inputs like the base inputs, and at the latest at a number of calls.

    Also its random seed, the stages that it leaves out, and the processor seconds after which it is stopped.
    """

    sufficient: int
    calls: int
    seed: int
    disabled: frozenset[str] = frozenset()
    seconds: float = 30.0
    wall_seconds: float = 300.0


async def search_pool(
    program: str, entry_point: str, text: str, base: Sequence[Input], limits: SearchLimits, guests: GuestPool
) -> Pool:
    """Search for inputs that `program` accepts. Raises `WorkerError` when guests do not work.

    The base inputs are its examples: they show what inputs are like, and it starts from them.
    """
    fields = _program(program, entry_point)
    request: Plain = {
        "oracle": "reference",
        "candidate": fields,
        "reference": fields,
        "examples": [{"arguments": repr(tuple(values))} for values in base],
        "seeds": [],
        "text": text,
        "budget": {
            "seconds": limits.seconds,
            "calls": limits.calls,
            "seed": limits.seed,
            "recorded": limits.calls,
            "sufficient": limits.sufficient,
            "as_json": True,
            "distrusted": [],
            "disabled": sorted(limits.disabled),
        },
    }
    found: list[Found] = []
    refused, reason = 0, "its search ended before it reported: "
    async with guests.start(Job("explore", request, wall_seconds=limits.wall_seconds, hash_seed=0)) as run:
        async for reply in run:
            kind = reply.get("event")
            if kind == "inputs":
                found += _read(reply.get("inputs"))
            elif kind == "done":
                rejected = reply.get("rejected")
                refused = rejected if type(rejected) is int else 0
                reason = str(reply.get("reason") or "")[:200]
                if reply.get("is_out_of_time") is True:
                    reason = f"its search was stopped after {limits.seconds:g} s"
        if reason.endswith(": "):
            reason += str(run.ending.kind)
    return Pool(found, refused, reason)


async def confirm(
    program: str, entry_point: str, inputs: Sequence[Found], guests: GuestPool
) -> tuple[list[Found], dict[str, int]]:
    """The inputs on which `program` returns the same plain value in three fresh guests under three hash seeds.

    Also the number of those left out, by reason. Raises `WorkerError` when guests do not work.
    """
    kept = [_Trial(one, _to_request(one)) for one in inputs]
    refused: dict[str, int] = {}
    for hash_seed in HASH_SEEDS:
        results = await _results(program, entry_point, kept, hash_seed, guests)
        rest: list[_Trial] = []
        for trial, result in zip(kept, results, strict=True):
            if _is_alike(trial.first or result, result):
                rest.append(trial if trial.first else replace(trial, first=result))
            else:
                reason = result.why or "the result is not deterministic"
                refused[reason] = refused.get(reason, 0) + 1
        kept = rest
    return [trial.found for trial in kept], refused


def _is_alike(one: _Result, two: _Result) -> bool:
    """Whether two calls returned the same value; its text may be another where the order of a set is."""
    if one.text is None or two.text is None:
        return False
    return one.text == two.text or same(decode(one.value), decode(two.value))


async def _results(
    program: str, entry_point: str, trials: Sequence[_Trial], hash_seed: int, guests: GuestPool
) -> list[_Result]:
    # The number of lines is the same in each guest, so one counts them.
    uncounted = [hash_seed == HASH_SEEDS[0] and not one.found.is_counted for one in trials]
    request: Plain = {
        "program": _program(program, entry_point),
        "arguments": [
            one.found.text if is_uncounted else one.request for one, is_uncounted in zip(trials, uncounted, strict=True)
        ],
        "per_call_seconds": CALL_SECONDS,
        "by_processor": True,
        "most_steps": [MOST_STEPS if is_uncounted else None for is_uncounted in uncounted],
        "observe_arguments": False,
        "describe": False,
        "batch": _BATCH,
        "stop_after_failures": MOST_FAILURES,
    }
    outcomes: dict[int, _Result] = {}
    wall = 60.0 + 2.0 * CALL_SECONDS * len(trials)
    async with guests.start(Job("evaluate", request, wall_seconds=wall, hash_seed=hash_seed)) as run:
        async for reply in run:
            indices, found = reply.get("indices"), reply.get("outcomes")
            if isinstance(indices, list) and isinstance(found, list):
                pairs = zip(cast("list[Any]", indices), cast("list[Any]", found), strict=False)
                places = [(at, one) for at, one in pairs if type(at) is int and 0 <= at < len(trials)]
                outcomes.update({at: _outcome(one, trials[at].first) for at, one in places})
        ended = "the reference fails too often" if run.ending.kind is EndingKind.FINISHED else str(run.ending.kind)
    return [outcomes.get(index, _Result(why=ended)) for index in range(len(trials))]


_ENCODER = json.JSONEncoder(separators=(",", ":"))
_LONGEST_ESCAPE = 12
"""Characters of JSON for one character of a string, at most."""


def _outcome(outcome: Any, first: _Result | None) -> _Result:
    """The result in a reply; `first` is that of the first guest, which was found to be plain data."""
    if not isinstance(outcome, dict):
        return _Result(why="no outcome")
    fields = cast("dict[str, Any]", outcome)
    kind, value = str(fields.get("kind")), fields.get("value")
    if kind != "returned":
        reasons = {"raised": "the reference raises", "timed_out": "the reference is slow"}
        return _Result(why=reasons.get(kind, kind[:40]))
    try:
        literal = repr(value)
        if first is not None and literal == first.text:
            return first
        if len(literal) > LONGEST_RESULT // _LONGEST_ESCAPE and len(_ENCODER.encode(value)) > LONGEST_RESULT:
            return _Result(why="the result is too long")
        if "{" in literal:  # What is no value of JSON.
            decode(value)
            if find_incomparable(_ENCODER.encode(value)) is not None:
                return _Result(why="the result cannot be compared")
        return _Result(value, literal)
    except (PlainError, ValueError, TypeError, RecursionError):
        return _Result(why="the result is no plain data")


def _to_request(found: Found) -> Any:
    """Arguments as a guest takes them: a list where JSON has all the values, else a literal."""
    return list(found.values) if found.is_json or is_json(list(found.values)) else found.text


def _read(rows: object) -> list[Found]:
    """The inputs of a reply, which code under test may have written: JSON, or plain literals, each a tuple."""
    found: list[Found] = []
    for row in cast("list[Any]", rows) if isinstance(rows, list) else ():
        if not isinstance(row, list) or len(cast("list[Any]", row)) != 3:
            continue
        told, stage, is_inside = cast("list[Any]", row)
        values = _values(told)
        if values is not None and isinstance(stage, str):
            one = Found(values, stage[:_STAGE_LENGTH], is_inside is True, is_json=isinstance(told, list))
            if len(one.text) <= LONGEST_TEXT:
                found.append(one)
    return found


def _values(told: Any) -> tuple[Any, ...] | None:
    """The arguments in a reply; None where they are no literals."""
    if isinstance(told, list):
        return tuple(cast("list[Any]", told)) if is_json(told) else None
    if not isinstance(told, str) or len(told) > LONGEST_TEXT:
        return None
    try:
        values = ast.literal_eval(told)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return cast("tuple[Any, ...]", values) if isinstance(values, tuple) else None


def _program(source: str, entry_point: str) -> Plain:
    return {
        "source": source,
        "qualname": entry_point,
        "path": "reference.py",
        "package": None,
        "search_path": [],
        "first_line": 0,
        "modules": {},
    }
