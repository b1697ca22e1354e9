"""Cross-check before reporting "no difference": run candidate and reference separately and compare in the host.

The search runs both programs in one process, where a hostile candidate could spoil the comparison, the choice of the
inputs, and what is reported of them. Here each program has a guest of its own; the inputs are the examples, those on
which the search saw no difference, and plausible inputs that a guest found which runs the reference alone. Results are
plain data, compared by the host. Where they differ, a third guest, which does not run the candidate, judges the
recorded result by the rules of the search (`recorded`): rounding, open orders and unused arguments count as there.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from lsp_evalplus.fuzz.engine.events import read_event
from lsp_evalplus.fuzz.guest.comparison.equality import Rules, same
from lsp_evalplus.fuzz.guest.static.endings import is_private_procedure
from lsp_evalplus.fuzz.guest.values.carved import named_test
from lsp_evalplus.fuzz.guest.values.plain import Opaque, PlainError, decode, without_folder
from lsp_evalplus.fuzz.guest.values.recipes.model import PREPARED
from lsp_evalplus.fuzz.guest.values.rendering import LONG_NUMBER
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job
from lsp_evalplus.fuzz.model import ArgumentsText, Budget, Counterexample, Outcome, OutcomeKind, Plain
from lsp_evalplus.fuzz.source.parsing import parse_anew, parse_module

from .recorded import annotated_as, definition_of, raising, recorded_program, returning

MOST_EXAMPLES = 8
MOST_OF_SEARCH = 24
MOST_CHOSEN = 32
SURVEY_CALLS = 160
"""Maximum number of inputs that are tried for that, and never more than the search may try."""
SURVEY_SECONDS = 0.4
CALL_SECONDS = 1.0
MOST_JUDGED = 4
"""Maximum number of contradictions that are given to the third guest."""
OTHER_HASH_SEED = 1


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An input on which the programs, run alone, give results that are not the same by the rules of the search."""

    arguments: ArgumentsText
    found: Plain
    """The event ``counterexample`` of the guest that judged the recorded result."""


@dataclass(frozen=True, slots=True)
class CrossCheck:
    """The result of a cross-check."""

    agreed: int
    """Inputs on which the host saw equal plain results."""
    differed: int
    """Inputs on which it did not; most often the rules of the search explain it."""
    unfinished: int
    """Inputs on which the reference returned in time and the candidate did not."""
    contradiction: Contradiction | None = None
    incomparable: int = 0
    """Inputs on which both returned, and one of them something that is no plain value, as an object of the project."""


@dataclass(frozen=True, slots=True)
class _Alone:
    """What a program did on an input, run alone."""

    kind: str
    value: tuple[Any] | None = None
    """The plain value that it returned."""
    exception: str = ""


async def cross_check(
    request: Plain, corpus: Sequence[ArgumentsText], budget: Budget, pool: GuestPool, *, most: int
) -> CrossCheck:
    """Run the programs of an ``explore`` request separately, on `corpus` and on inputs chosen without the candidate.

    Args:
        request: the request of the search that saw no difference.
        corpus: inputs on which it saw none.
        budget: that of the search.
        pool: guests of the interpreter that the target runs under.
        most: maximum number of inputs, those first that were chosen without the candidate.

    Raises:
        MalformedEventError: the code under test tampers with a guest.
    """
    stated = {**request, "reference": annotated_as(request["reference"], request["candidate"])}
    examples = [example["arguments"] for example in request["examples"]][:MOST_EXAMPLES]
    chosen = await _survey(stated, budget, pool)
    if any(map(_is_prepared, chosen)) and _differ_elsewhere(request["candidate"], request["reference"]):
        chosen = [one for one in chosen if not _is_prepared(one)]
    inputs = list(dict.fromkeys([*examples, *chosen, *corpus[:MOST_OF_SEARCH]]))[:most]
    if not inputs:
        return CrossCheck(0, 0, 0)
    ours, theirs = await _both_alone(request, inputs, pool)
    agreed = unfinished = incomparable = 0
    returns_nothing = bool(request.get("is_previous")) and _is_private_procedure(request["reference"])
    differing: list[int] = []
    for index in range(len(inputs)):
        actual, expected = ours.get(index), theirs.get(index)
        if actual is None or expected is None or expected.kind != "returned":
            continue
        unfinished += actual.kind == "timed_out"
        if actual.kind == "returned":
            if actual.value is None or expected.value is None:
                incomparable += 1
                continue
            is_any = returns_nothing and expected.value[0] is None
            if is_any or _is_same(expected.value[0], actual.value[0], request.get("equality", {})):
                agreed += 1
            else:
                differing.append(index)
        elif actual.kind == "raised":
            differing.append(index)
    for index in differing[:MOST_JUDGED]:
        found = await _judged(stated, inputs[index], ours[index], pool)
        if found is not None:
            return CrossCheck(agreed, len(differing), unfinished, Contradiction(inputs[index], found))
    return CrossCheck(agreed, len(differing), unfinished, incomparable=incomparable)


async def is_of_both(request: Plain, found: Counterexample, pool: GuestPool) -> bool:
    """Whether an exception in one of two versions of a package's module is raised only where both are loaded."""
    kinds = (found.candidate.kind, found.expected.kind)
    if not request.get("reference") or not request["candidate"].get("package") or OutcomeKind.RAISED not in kinds:
        return False
    if "carving" in request["candidate"]:
        if named_test(found.arguments):
            return False  # Each program has copies of all modules of its package, and only tests make the arguments.
        # A library outside of the package may have a registry that both share.
        request = {**request, **{role: _without_tests(request[role]) for role in ("candidate", "reference")}}
    return not await shows_alone(request, found, pool)


def _without_tests(program: Plain) -> Plain:
    return {name: value for name, value in program.items() if name != "carving"}


async def shows_alone(request: Plain, found: Counterexample, pool: GuestPool) -> bool:
    """Whether each program, alone in a process, returns or raises on an input as it did beside the other one.

    Side by side they are two modules of one package, so that what the package keeps, as pickled objects or a registry,
    can belong to only one of them: its classes are strangers to the other.
    """
    ours, theirs = await _both_alone(request, [found.arguments], pool)
    return _is_as_told(ours.get(0), found.candidate) and _is_as_told(theirs.get(0), found.expected)


def _is_as_told(alone: _Alone | None, outcome: Outcome) -> bool:
    """Whether a program ended alike; also where nothing is known, as the input cannot be built from its text."""
    if alone is None or alone.kind not in ("returned", "raised"):
        return True
    if alone.kind == str(outcome.kind) == "raised":
        return alone.exception.rpartition(".")[2] == outcome.text.partition(":")[0].rpartition(".")[2]
    return alone.kind == str(outcome.kind)


async def _survey(request: Plain, budget: Budget, pool: GuestPool) -> list[ArgumentsText]:
    """Return plausible inputs that the reference accepts, found by a guest in which the candidate does not run."""
    limits: Plain = {
        "seconds": min(SURVEY_SECONDS, budget.seconds),
        "calls": min(SURVEY_CALLS, budget.calls or SURVEY_CALLS),
        "seed": budget.seed + 1,
        "kept": SURVEY_CALLS,
        "survey": MOST_CHOSEN,
        "no_feedback": True,
    }
    alone: Plain = {**request, "candidate": request["reference"], "seeds": [], "budget": limits, "is_careful": False}
    found: list[ArgumentsText] = []
    async with pool.start(Job("explore", alone, wall_seconds=10.0 + 3.0 * budget.seconds)) as run:
        async for reply in run:
            event = read_event(reply)
            if event["event"] == "done":
                found = event.get("corpus", [])
    return found


async def _judged(request: Plain, arguments: ArgumentsText, actual: _Alone, pool: GuestPool) -> Plain | None:
    """Return the event of a difference on `arguments`, None if the rules of the search see none.

    A candidate that, alone, gives another result under another hash seed is not deterministic: nothing can be said.
    """
    again = await _alone(request["candidate"], [arguments], pool, OTHER_HASH_SEED)
    if 0 not in again or not _is_alike(again[0], actual):
        return None
    program = recorded_program(request["reference"], arguments, _statement(actual))
    if program is None:
        return None
    limits: Plain = {**request["budget"], "seconds": CALL_SECONDS, "calls": 1, "no_feedback": True, "distrusted": []}
    judging: Plain = {
        **request,
        "candidate": program,
        "seeds": [arguments],
        "only_seeds": True,
        "budget": limits,
        "is_careful": False,
    }
    found: Plain | None = None
    async with pool.start(Job("explore", judging, wall_seconds=20.0)) as run:
        async for reply in run:
            event = read_event(reply)
            if event["event"] == "counterexample" and event["tier"] == "inside":
                found = event
    return found


def _is_prepared(arguments: ArgumentsText) -> bool:
    """Whether methods are called to make arguments: the search knows which are the same in both programs."""
    return f"({PREPARED}" in arguments and ":=" in arguments


def _differ_elsewhere(candidate: Plain, reference: Plain) -> bool:
    """Whether the modules of two programs differ beside the body of the function under test."""
    rests: list[str] = []
    for program in (candidate, reference):
        tree = parse_anew(str(program["source"]))
        if tree is None:
            return True
        function = definition_of(tree, str(program["qualname"]))
        if function is not None:
            function.body = [ast.Pass()]
        rests.append(ast.dump(tree))
    return rests[0] != rests[1]


def _is_private_procedure(program: Plain) -> bool:
    """Whether a program is a private function that returns only None: a newer version may return something."""
    tree = parse_module(str(program["source"]))
    function = None if tree is None else definition_of(tree, str(program["qualname"]))
    return function is not None and is_private_procedure(function)


def _is_same(expected: Any, actual: Any, equality: Plain) -> bool:
    """Whether two plain values are the same by what was stated of tolerance and order."""
    rules = Rules(tolerance=equality.get("tolerance"))
    if same(expected, actual, rules) or _differ_in_addresses(expected, actual):
        return True
    if not equality.get("any_order") or type(expected) not in (list, tuple) or type(expected) is not type(actual):
        return False
    return same(sorted(expected, key=repr), sorted(actual, key=repr), rules)


def _differ_in_addresses(one: Any, two: Any) -> bool:
    """Whether two results of different processes differ in long numbers in strings alone, as `id` gives, or in the
    names of the folders in which they ran.

    The search told apart which of them are addresses: in each of these processes, objects lie elsewhere.
    """
    hidden = _without_long_numbers(one), _without_long_numbers(two)
    return hidden[0] != one and same(*hidden)


def _without_long_numbers(value: Any) -> Any:
    if isinstance(value, str):
        return LONG_NUMBER.sub("0x...", without_folder(value))
    if type(value) in (list, tuple):
        return type(value)([_without_long_numbers(one) for one in value])
    if type(value) is dict:
        fields = cast("dict[Any, Any]", value)
        return {key: _without_long_numbers(one) for key, one in fields.items()}
    return value


def _is_alike(one: _Alone, two: _Alone) -> bool:
    if one.kind != two.kind or one.exception != two.exception:
        return False
    if one.value is None or two.value is None:
        return True
    return same(one.value[0], two.value[0]) or _differ_in_addresses(one.value[0], two.value[0])


def _statement(actual: _Alone) -> ast.stmt | None:
    if actual.kind == "raised":
        return raising(actual.exception)
    return None if actual.value is None else returning(actual.value[0])


async def _both_alone(
    request: Plain, arguments: list[ArgumentsText], pool: GuestPool
) -> tuple[dict[int, _Alone], dict[int, _Alone]]:
    """Run the candidate and the reference, each in a guest of its own; return as `_alone`."""
    candidate, reference = request["candidate"], request["reference"]
    return await asyncio.gather(_alone(candidate, arguments, pool), _alone(reference, arguments, pool))


async def _alone(
    program: Plain, arguments: list[ArgumentsText], pool: GuestPool, hash_seed: int | None = None
) -> dict[int, _Alone]:
    """Run a program; return its outcomes by the index of their input."""
    request: Plain = {
        "program": program,
        "arguments": arguments,
        "per_call_seconds": CALL_SECONDS,
        "observe_arguments": False,
        "describe": False,
        "batch": len(arguments),
    }
    found: dict[int, _Alone] = {}
    wall = 10.0 + CALL_SECONDS * len(arguments)
    async with pool.start(Job("evaluate", request, wall_seconds=wall, hash_seed=hash_seed)) as run:
        async for reply in run:
            indices, outcomes = _listed(reply, "indices", "index"), _listed(reply, "outcomes", "outcome")
            for index, outcome in zip(indices, outcomes, strict=False):
                if type(index) is int and isinstance(outcome, dict):
                    found[index] = _read(cast("dict[str, Any]", outcome))
    return found


def _listed(reply: Plain, many: str, one: str) -> list[Any]:
    value = reply.get(many)
    return cast("list[Any]", value) if isinstance(value, list) else [reply.get(one)]


def _read(fields: dict[str, Any]) -> _Alone:
    kind = str(fields.get("kind"))
    if kind == "raised":
        exception = fields.get("exception")
        name = cast("dict[str, Any]", exception).get("type") if isinstance(exception, dict) else None
        return _Alone(kind, None, name if isinstance(name, str) else "")
    if kind != "returned":
        return _Alone(kind)
    try:
        value = decode(fields.get("value"))
    except PlainError:
        return _Alone(kind)
    return _Alone(kind) if _holds_opaque(value) else _Alone(kind, (value,))


def _holds_opaque(value: Any) -> bool:
    if isinstance(value, Opaque):
        return True
    if isinstance(value, dict):
        pairs = cast("dict[Any, Any]", value).items()
        return any(_holds_opaque(key) or _holds_opaque(item) for key, item in pairs)
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(_holds_opaque(item) for item in cast("list[Any]", value))
    return False
