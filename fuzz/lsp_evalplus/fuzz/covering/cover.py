"""Cover a function: inputs of a search, confirmed in fresh guests; of these, few that reach and tell as much as all.

The function is candidate and reference of a search, so that its inputs are valid ones. What it does on them is taken
from three fresh guests under three hash seeds, and only what is the same in all counts. A greedy cover of the
statements reached and of the mutants killed chooses; of inputs that add as much, the shortest. Nothing here says that
the function is right.
"""

from __future__ import annotations

import ast
import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from lsp_evalplus.fuzz.engine.requests import explore_request, program_request
from lsp_evalplus.fuzz.engine.strategies import with_drawn
from lsp_evalplus.fuzz.guest.static.walking import is_constant_alone
from lsp_evalplus.fuzz.guest.values.plain import PlainError, decode
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job
from lsp_evalplus.fuzz.model import ArgumentsText, Budget, FunctionTarget, Oracle, Outcome, OutcomeKind, Plain

from .mutants import Mutant, find_definition, find_mutants, thinned
from .set_cover import greedy_cover

MOST_INPUTS = 300
"""Inputs among which is chosen."""
MOST_MUTANTS = 60
RECORDED = 4_000
LONGEST_ARGUMENTS = 400
"""Characters; a longer input is no test that anybody reads."""
CALL_SECONDS = 0.5
MOST_TIMEOUTS = 3
"""A mutant that does not end on so many inputs is not tried on the others."""
HASH_SEEDS = (0, 1, 2)
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Case:
    """An input, and what the function does on it."""

    arguments: ArgumentsText
    call: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Covered:
    """What was chosen, and what that covers."""

    cases: Sequence[Case]
    reached: int
    """Statements of the function that the cases reach."""
    statements: int
    """Statements that it has; some may be reached by no input."""
    killed: int
    mutants: int
    survivors: Sequence[Mutant]
    """Mutants that no input of the search tells from the function: equal to it, or in need of another test."""
    tried: int
    """Inputs among which was chosen."""
    reason: str = ""
    """Why there is nothing; empty if there is something."""


@dataclass(slots=True)
class _Input:
    """An input of the search with what is known of it."""

    arguments: ArgumentsText
    call: str
    told: str = ""
    """What the function does, as text that is compared."""
    outcome: Outcome | None = None
    lines: set[int] = field(default_factory=set[int])


def _accept(_case: Case) -> bool:
    return True


async def cover(
    target: FunctionTarget,
    oracle: Oracle,
    budget: Budget,
    pool: GuestPool,
    *,
    accepts: Callable[[Case], bool] = _accept,
) -> Covered:
    """Choose inputs for `target`.

    Args:
        target: the function; it is taken to be right.
        oracle: has the function as its reference, with seeds, contract and instances.
        budget: of the search.
        pool: guests of the interpreter that the target runs under.
        accepts: whether the caller can state a case; among the others is not chosen.

    Raises:
        WorkerError: guests do not work.
    """
    if target.lack:
        return _nothing(target.lack)
    found, reason = await _search(target, oracle, budget, pool)
    confirmed = await _confirmed(target, found, pool)
    if not confirmed:
        return _nothing(reason or "on no input that was found, what it does is the same in three processes")
    inputs = [one for one in confirmed if one.outcome and accepts(Case(one.arguments, one.call, one.outcome))]
    if not inputs:
        return _nothing("what it does on the inputs that were found cannot be stated as a test")
    statements = _statements(target)
    mutants = thinned(find_mutants(target.program.source, target.program.qualname, is_thorough=True), MOST_MUTANTS)
    kills = await _kill_all(target, mutants, inputs, pool)
    lines = sorted({line for one in inputs for line in one.lines} & statements)
    needs = [_bits(place for place, one in enumerate(inputs) if line in one.lines) for line in lines]
    needs += [bits for bits in kills if bits]
    chosen = sorted(_without_spare(greedy_cover(needs, 1, _preference(inputs)), needs)) or [0]
    cases = [Case(one.arguments, one.call, one.outcome) for one in map(inputs.__getitem__, chosen) if one.outcome]
    killed = sum(bool(bits) for bits in kills)
    survivors = [mutant for mutant, bits in zip(mutants, kills, strict=True) if not bits]
    return Covered(cases, len(lines), len(statements), killed, len(mutants), survivors, len(inputs))


def _nothing(reason: str) -> Covered:
    return Covered((), 0, 0, 0, 0, (), 0, reason)


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in places)


def _preference(inputs: Sequence[_Input]) -> dict[int, float]:
    """Results before exceptions, then short inputs."""
    return {place: -len(one.call) - 1000.0 * one.told.startswith("raised") for place, one in enumerate(inputs)}


def _without_spare(chosen: Sequence[int], needs: Sequence[int]) -> list[int]:
    """Leave out the inputs whose work others do; the longest are last in a greedy choice."""
    kept = list(chosen)
    for place in reversed(chosen):
        rest = _bits(other for other in kept if other != place)
        if all(bits & rest for bits in needs):
            kept.remove(place)
    return kept


def _statements(target: FunctionTarget) -> set[int]:
    """The lines, from 1, on which a statement of the function begins; not its docstring, nor functions in it."""
    try:
        tree = find_definition(ast.parse(target.program.source), target.program.qualname)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    found: set[int] = set()
    waiting = list[ast.stmt](tree.body) if tree is not None else []
    while waiting:
        node = waiting.pop()
        is_silent = is_constant_alone(node) or isinstance(node, (ast.Global, ast.Nonlocal, ast.Try))
        if not is_silent:
            found.add(node.lineno)
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            handlers = [
                child for child in ast.iter_child_nodes(node) if isinstance(child, (ast.ExceptHandler, ast.match_case))
            ]
            waiting += [
                child
                for part in (node, *handlers)
                for child in ast.iter_child_nodes(part)
                if isinstance(child, ast.stmt)
            ]
    return found


async def _search(target: FunctionTarget, oracle: Oracle, budget: Budget, pool: GuestPool) -> tuple[list[_Input], str]:
    """The inputs of a search, those like the examples first and else as they came; and why there are none."""
    request = explore_request(target, await with_drawn(target, oracle, pool), budget, ())
    request["budget"] |= {"recorded": RECORDED, "shows_calls": True, "kept": 40}
    usual: dict[str, _Input] = {}
    wider: dict[str, _Input] = {}
    reason = "its search ended before it reported anything"
    wall = 30.0 + 10.0 * budget.seconds
    async with pool.start(Job("explore", request, wall_seconds=wall, hash_seed=0)) as run:
        async for reply in run:
            if reply.get("event") == "inputs":
                for arguments, is_inside, call in _read(reply.get("inputs")):
                    (usual if is_inside else wider).setdefault(arguments, _Input(arguments, call))
            elif reply.get("event") == "done":
                reason = str(reply.get("reason") or "")[:300]
    return _spread([*usual.values()], [*wider.values()]), reason


def _spread(usual: list[_Input], wider: list[_Input]) -> list[_Input]:
    """At most `MOST_INPUTS`: half of them the first, which are the plainest, and half spread over the search."""
    ordered = [*usual, *wider]
    if len(ordered) <= MOST_INPUTS:
        return ordered
    first, rest = ordered[: MOST_INPUTS // 2], ordered[MOST_INPUTS // 2 :]
    step = len(rest) / (MOST_INPUTS - len(first))
    return first + [rest[int(number * step)] for number in range(MOST_INPUTS - len(first))]


def _read(rows: object) -> list[tuple[str, bool, str]]:
    """The inputs of a reply, which code under test may have written."""
    found: list[tuple[str, bool, str]] = []
    for row in cast("list[Any]", rows) if isinstance(rows, list) else ():
        if not isinstance(row, list) or len(cast("list[Any]", row)) != 4:
            continue
        arguments, _, is_inside, call = cast("list[Any]", row)
        if isinstance(arguments, str) and isinstance(call, str) and len(call) <= LONGEST_ARGUMENTS:
            found.append((arguments, is_inside is True, call))
    return found


async def _confirmed(target: FunctionTarget, inputs: list[_Input], pool: GuestPool) -> list[_Input]:
    """Those inputs on which the function does the same in three fresh guests, with what it does."""
    if not inputs:
        return []
    program = program_request(target.program)
    first, *others = [
        await _outcomes(program, inputs, pool, hash_seed, traced=place == 0)
        for place, hash_seed in enumerate(HASH_SEEDS)
    ]
    kept: list[_Input] = []
    for place, one in enumerate(inputs):
        outcome = first.get(place)
        told = _told(outcome)
        if outcome is None or not told or any(_told(other.get(place)) != told for other in others):
            continue
        kind = OutcomeKind.RETURNED if outcome["kind"] == "returned" else OutcomeKind.RAISED
        changed = _changed_arguments(outcome)
        one.outcome = Outcome(kind, str(outcome.get("text") or ""), changed)
        one.told, one.lines = told, _lines(outcome)
        kept.append(one)
    return kept


def _told(outcome: Plain | None) -> str:
    """What a call did, as text to be compared; empty for what is no result: time-outs, crashes, unreadable values."""
    if outcome is None:
        return ""
    if outcome.get("kind") == "returned":
        return f"returned {json.dumps(outcome.get('value'))} {json.dumps(outcome.get('arguments_after'))}"
    exception = outcome.get("exception")
    if outcome.get("kind") != "raised" or not isinstance(exception, dict):
        return ""
    return f"raised {cast('Plain', exception).get('type')}"


def _changed_arguments(outcome: Plain) -> str | None:
    """The arguments after the call as text, where it changed them and returned nothing else."""
    after: Any = outcome.get("arguments_after")
    if after is None or outcome.get("text") != "None":
        return None
    return _text_of(after)


def _text_of(after: Any) -> str | None:
    try:
        value: Any = decode(after)
    except (PlainError, ValueError, TypeError, RecursionError):
        return None
    return repr(value["args"]) if not value["kwargs"] else None


def _lines(outcome: Plain) -> set[int]:
    trace: Any = outcome.get("trace")
    if not isinstance(trace, dict):
        return set()
    told = cast("Plain", trace)
    return {line for key in ("head", "tail") for line in cast("list[Any]", told.get(key) or []) if type(line) is int}


async def _outcomes(
    program: Plain,
    inputs: Sequence[_Input],
    pool: GuestPool,
    hash_seed: int,
    *,
    traced: bool = False,
    failures: int = 0,
) -> dict[int, Plain]:
    """What a program does on the inputs, by their places; those after its end are missing."""
    request: Plain = {
        "program": program,
        "arguments": [one.arguments for one in inputs],
        "per_call_seconds": CALL_SECONDS,
        "batch": 50,
        "trace": traced,
        "random_seed": 0,
    }
    found: dict[int, Plain] = {}
    timeouts = 0
    async with pool.start(Job("evaluate", request, wall_seconds=60.0, hash_seed=hash_seed)) as run:
        async for reply in run:
            indices, outcomes = reply.get("indices"), reply.get("outcomes")
            if not isinstance(indices, list) or not isinstance(outcomes, list):
                continue
            for place, outcome in zip(cast("list[Any]", indices), cast("list[Any]", outcomes), strict=False):
                if type(place) is int and isinstance(outcome, dict):
                    found[place] = cast("Plain", outcome)
                    timeouts += found[place].get("kind") == "timed_out"
            if failures and timeouts >= failures:
                break
    return found


async def _kill_all(
    target: FunctionTarget, mutants: Sequence[Mutant], inputs: Sequence[_Input], pool: GuestPool
) -> list[int]:
    """For each mutant a bit set of the inputs on which it does something else than the function."""
    free = asyncio.Semaphore(_AT_ONCE)

    async def kill(mutant: Mutant) -> int:
        program = program_request(replace(target.program, source=mutant.source))
        async with free:
            outcomes = await _outcomes(program, inputs, pool, HASH_SEEDS[0], failures=MOST_TIMEOUTS)
        if not outcomes:
            return (1 << len(inputs)) - 1  # It cannot even be loaded: every test tells it.
        # What came after a mutant's death is not known, and its death is a difference.
        died_at = max(outcomes) + 1
        differing = [place for place, outcome in outcomes.items() if _told(outcome) != inputs[place].told]
        return _bits([*differing, *([died_at] if died_at < len(inputs) and not differing else [])])

    return list(await asyncio.gather(*map(kill, mutants)))
