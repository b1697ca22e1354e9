"""The pool of a task: inputs that the search finds in a guest, and those of them that fresh guests confirm.

The reference, behind its contract, is candidate and reference of the search. Calls end it and each of its turns; the
limit of processor time only ends what hangs, and is told.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from lsp_evalplus.bench.judging.expected import find_incomparable
from lsp_evalplus.fuzz.guest.comparison.equality import same
from lsp_evalplus.fuzz.guest.values.plain import PlainError, decode
from lsp_evalplus.fuzz.guest.values.recipe import is_json
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
    """The value that the reference returned on an input, as JSON, and else why there is none."""

    text: str | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """Calls and random seed of a search, stages it leaves out, and the processor seconds after which it is stopped."""

    calls: int
    seed: int
    disabled: frozenset[str] = frozenset()
    seconds: float = 30.0
    wall_seconds: float = 300.0


async def search_pool(
    program: str, entry_point: str, text: str, seeds: Sequence[Any], limits: SearchLimits, guests: GuestPool
) -> Pool:
    """Search for inputs that `program` accepts. Raises `WorkerError` when guests do not work."""
    fields = _program(program, entry_point)
    request: Plain = {
        "oracle": "reference",
        "candidate": fields,
        "reference": fields,
        "examples": [],
        "seeds": [repr(tuple(values)) for values in seeds],
        "text": text,
        "budget": {
            "seconds": limits.seconds,
            "calls": limits.calls,
            "seed": limits.seed,
            "recorded": limits.calls,
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
    kept = list(inputs)
    known: list[_Result] = []
    refused: dict[str, int] = {}
    for hash_seed in HASH_SEEDS:
        results = await _results(program, entry_point, kept, hash_seed, guests)
        known = known or results
        rest: list[tuple[Found, _Result]] = []
        for found, one, result in zip(kept, known, results, strict=True):
            if _is_alike(one, result):
                rest.append((found, one))
            else:
                reason = result.why or "the result is not deterministic"
                refused[reason] = refused.get(reason, 0) + 1
        kept, known = [found for found, _ in rest], [one for _, one in rest]
    return kept, refused


def _is_alike(one: _Result, two: _Result) -> bool:
    """Whether two calls returned the same value; its JSON may be another where the order of a set is."""
    if one.text is None or two.text is None:
        return False
    return one.text == two.text or same(decode(json.loads(one.text)), decode(json.loads(two.text)))


async def _results(
    program: str, entry_point: str, inputs: Sequence[Found], hash_seed: int, guests: GuestPool
) -> list[_Result]:
    is_first = hash_seed == HASH_SEEDS[0]
    request: Plain = {
        "program": _program(program, entry_point),
        "arguments": [repr(one.values) if is_first else _to_request(one.values) for one in inputs],
        "per_call_seconds": CALL_SECONDS,
        "by_processor": True,
        "most_steps": MOST_STEPS if is_first else None,
        "observe_arguments": False,
        "describe": False,
        "batch": _BATCH,
        "stop_after_failures": MOST_FAILURES,
    }
    outcomes: dict[int, _Result] = {}
    wall = 60.0 + 2.0 * CALL_SECONDS * len(inputs)
    async with guests.start(Job("evaluate", request, wall_seconds=wall, hash_seed=hash_seed)) as run:
        async for reply in run:
            indices, found = reply.get("indices"), reply.get("outcomes")
            if isinstance(indices, list) and isinstance(found, list):
                pairs = zip(cast("list[Any]", indices), cast("list[Any]", found), strict=False)
                outcomes.update({index: _outcome(one) for index, one in pairs if type(index) is int})
        ended = "the reference fails too often" if run.ending.kind is EndingKind.FINISHED else str(run.ending.kind)
    return [outcomes.get(index, _Result(why=ended)) for index in range(len(inputs))]


_ENCODER = json.JSONEncoder(separators=(",", ":"))


def _outcome(outcome: Any) -> _Result:
    if not isinstance(outcome, dict):
        return _Result(why="no outcome")
    fields = cast("dict[str, Any]", outcome)
    kind, value = str(fields.get("kind")), fields.get("value")
    if kind != "returned":
        reasons = {"raised": "the reference raises", "timed_out": "the reference is slow"}
        return _Result(why=reasons.get(kind, kind[:40]))
    try:
        text = _ENCODER.encode(value)
        if len(text) > LONGEST_RESULT:
            return _Result(why="the result is too long")
        if "{" in text:  # What is no value of JSON.
            decode(value)
        is_anonymous = find_incomparable(text) is not None
        return _Result(why="the result cannot be compared") if is_anonymous else _Result(text)
    except (PlainError, ValueError, TypeError, RecursionError):
        return _Result(why="the result is no plain data")


def _to_request(values: tuple[Any, ...]) -> Any:
    """Arguments as a guest takes them: a list where JSON has all the values, else a literal."""
    return list(values) if is_json(list(values)) else repr(values)


def _read(rows: object) -> list[Found]:
    """The inputs of a reply, which code under test may have written: JSON, or plain literals, each a tuple."""
    found: list[Found] = []
    for row in cast("list[Any]", rows) if isinstance(rows, list) else ():
        if not isinstance(row, list) or len(cast("list[Any]", row)) != 3:
            continue
        told, stage, is_inside = cast("list[Any]", row)
        values = _values(told)
        if values is not None and isinstance(stage, str) and len(repr(values)) <= LONGEST_TEXT:
            found.append(Found(values, stage[:_STAGE_LENGTH], is_inside is True))
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
