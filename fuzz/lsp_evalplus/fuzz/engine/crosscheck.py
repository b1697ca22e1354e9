"""Cross-check before reporting "no difference": run candidate and reference separately and compare in the host.

The search runs both programs in one process, where a hostile candidate could spoil the comparison. Here each has a
guest of its own, on inputs on which the search saw no difference; the results are plain data, compared by the host.
Where the reference's source leaves a container's type or the order of its items open, neither is compared.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any, cast

from lsp_evalplus.fuzz.guest.docstrings.sections import mentions_open_order
from lsp_evalplus.fuzz.guest.static.set_usage import mentions_sets
from lsp_evalplus.fuzz.guest.values.equality import same
from lsp_evalplus.fuzz.guest.values.plain import Opaque, PlainError, decode
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job
from lsp_evalplus.fuzz.model import ArgumentsText, Plain

MAXIMUM_INPUTS = 24
CALL_SECONDS = 1.0
_ABSTRACT = re.compile(r"\b(Sequence|Iterable|Collection|Mapping|AbstractSet|Set|Mutable(Sequence|Mapping|Set))\b")


async def first_contradiction(
    candidate: Plain, reference: Plain, arguments: Sequence[ArgumentsText], pool: GuestPool
) -> ArgumentsText | None:
    """Return the first input on which the two programs, run separately, return different plain values, or None.

    Inputs on which either does not return, or returns anything but plain data, are skipped.
    """
    chosen = list(arguments)[:MAXIMUM_INPUTS]
    if not chosen:
        return None
    values = await asyncio.gather(_values(candidate, chosen, pool), _values(reference, chosen, pool))
    source = str(reference.get("source", ""))
    leaves_open = mentions_sets(source) or _ABSTRACT.search(source) is not None or mentions_open_order(source)
    for index, text in enumerate(chosen):
        if index not in values[0] or index not in values[1]:
            continue
        expected, actual = values[1][index], values[0][index]
        if not same(expected, actual) and not (leaves_open and same(_in_one_order(expected), _in_one_order(actual))):
            return text
    return None


def _in_one_order(value: Any) -> Any:
    """Convert all lists, tuples and sets in a value to lists in a canonical order."""
    if isinstance(value, dict):
        return {key: _in_one_order(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return sorted([_in_one_order(item) for item in cast("list[Any]", value)], key=repr)
    return value


async def _values(program: Plain, arguments: list[ArgumentsText], pool: GuestPool) -> dict[int, Any]:
    """Run a program; return its plain results by the index of their input."""
    request: Plain = {
        "program": program,
        "arguments": arguments,
        "per_call_seconds": CALL_SECONDS,
        "observe_arguments": False,
        "describe": False,
        "batch": len(arguments),
    }
    found: dict[int, Any] = {}
    run = pool.start(Job("evaluate", request, wall_seconds=10.0 + CALL_SECONDS * len(arguments)))
    async for reply in run:
        indices = cast("list[Any]", reply.get("indices") or [reply.get("index")])
        outcomes = cast("list[Any]", reply.get("outcomes") or [reply.get("outcome")])
        for index, outcome in zip(indices, outcomes, strict=False):
            value = _returned(outcome)
            if isinstance(index, int) and value is not None:
                found[index] = value[0]
    return found


def _returned(outcome: Any) -> tuple[Any] | None:
    """Return the value of an outcome in a 1-tuple, or None if it has no comparable value."""
    if not isinstance(outcome, dict):
        return None
    fields = cast("dict[str, Any]", outcome)
    if fields.get("kind") != "returned":
        return None
    try:
        value = decode(fields.get("value"))
    except PlainError:
        return None
    return None if _holds_opaque(value) else (value,)


def _holds_opaque(value: Any) -> bool:
    if isinstance(value, Opaque):
        return True
    if isinstance(value, dict):
        pairs = cast("dict[Any, Any]", value).items()
        return any(_holds_opaque(key) or _holds_opaque(item) for key, item in pairs)
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(_holds_opaque(item) for item in cast("list[Any]", value))
    return False
