"""Locate a counterexample's result: the line that produced it, and the first executed line that differs.

Candidate and reference are run once more on the counterexample, each in its own guest with line tracing. If the two
sources have little in common, there is no meaningful point of divergence, and only the first line is reported.
"""

from __future__ import annotations

import ast
import asyncio
import difflib
from dataclasses import dataclass
from typing import Any, cast

from lsp_evalplus.fuzz.errors import WorkerError
from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job
from lsp_evalplus.fuzz.model import ArgumentsText, Oracle, OracleKind, Outcome, OutcomeKind, Places, Plain

from .events import read_outcome

_CALL_SECONDS = 0.5
_LEAST_COMMON = 0.5
"""Minimum share of executed lines that the reference must contain for a first differing line to be reported."""
_LEAST_SECONDS = 0.05
"""Minimum time limit for locating a counterexample; twice the duration of its replays if that is longer."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The lines of one call, counted from the first line of the function, which is 0."""

    kind: str
    first: int
    """First line of the function in its program, from 1."""
    head: tuple[int, ...]
    tail: tuple[int, ...]
    last: int

    @property
    def lines(self) -> tuple[int, ...]:
        """Return all known lines in execution order."""
        return self.head + self.tail


async def places_of(request: Plain, oracle: Oracle, found: Plain, pool: GuestPool) -> Places | None:
    """Locate the result of the event ``counterexample`` of a search, as `find_places` does."""
    actual = read_outcome(found["candidate"]) if found.get("candidate") else None
    # Only an older version of the same function has a line at which the two diverge.
    older = request["reference"] if oracle.kind is OracleKind.PREVIOUS else None
    return await find_places(request["candidate"], older, str(found["arguments"]), actual, pool)


async def in_time(finding: asyncio.Task[Places | None], taken: float) -> Places | None:
    """Wait briefly for places: they are located during the replays, and left out if that takes much longer.

    Args:
        finding: the task that locates them.
        taken: seconds that the replays took.
    """
    done, _ = await asyncio.wait([finding], timeout=max(_LEAST_SECONDS, 2 * taken))
    return finding.result() if done else None


async def find_places(
    candidate: Plain, reference: Plain | None, arguments: ArgumentsText, actual: Outcome | None, pool: GuestPool
) -> Places | None:
    """Locate a counterexample's result; None if tracing gives another result, or none.

    Args:
        candidate: its program, from `engine.requests.program_request`.
        reference: the program it was compared with, likewise.
        arguments: the input.
        actual: what the candidate did; None accepts any outcome.
        pool: guests of the interpreter that the target runs under.
    """
    programs = [candidate] if reference is None else [candidate, reference]
    try:
        traces = await asyncio.gather(*(_trace(program, arguments, pool) for program in programs))
    except WorkerError:
        return None  # The finding is valid without it.
    ours = traces[0]
    if ours is None or (actual is not None and ours.kind != actual.kind):
        return None
    lines = _function_lines(candidate, ours)
    theirs = traces[1] if reference is not None else None
    parted = None
    if theirs is not None and reference is not None:
        parted = first_difference(lines, ours, _function_lines(reference, theirs), theirs)
    return Places(_result_line(lines, ours), parted)


def first_difference(ours: list[str], ran: Trace, theirs: list[str], ran_there: Trace) -> int | None:
    """Return the first executed line of `ours` that is not in `theirs`, or where execution diverged."""
    blocks = difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    common = {block.a + offset: block.b + offset for block in blocks for offset in range(block.size)}
    lines = set(ran.lines)
    if not lines or sum(line in common for line in lines) < _LEAST_COMMON * (len(lines) - 1):
        return None
    for number, line in enumerate(ran.head):
        if line not in common or number >= len(ran_there.head) or common[line] != ran_there.head[number]:
            return line
    return None


def _result_line(lines: list[str], trace: Trace) -> int:
    """Return the line that produced the result: for a value its ``return``, even if cleanup code ran later."""
    if trace.kind == OutcomeKind.RETURNED:
        returns = _return_lines(lines)
        for line in reversed(trace.lines):
            if line in returns:
                return returns[line]
    return trace.last


def _return_lines(lines: list[str]) -> dict[int, int]:
    """Map each line of a ``return`` statement to the statement's first line."""
    try:
        tree = ast.parse("if True:\n" + "\n".join(" " + line for line in lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[int, int] = {}
    for node in walk_tree(tree):
        if isinstance(node, ast.Return):
            found |= dict.fromkeys(range(node.lineno - 2, (node.end_lineno or node.lineno) - 1), node.lineno - 2)
    return found


def _function_lines(program: Plain, trace: Trace) -> list[str]:
    """Return the lines of the function, from its first decorator on."""
    lines = str(program["source"]).split("\n")
    first = trace.first - 1
    if not 0 <= first < len(lines):
        return []
    indent = len(lines[first]) - len(lines[first].lstrip())
    end, is_body = first + 1, False
    while end < len(lines):
        text = lines[end].strip()
        inside = len(lines[end]) - len(lines[end].lstrip()) > indent
        is_header = not is_body and not inside
        if text and not inside and not is_header:
            break
        is_body = is_body or (bool(text) and inside)
        end += 1
    return [line.rstrip() for line in lines[first:end]]


async def _trace(program: Plain, arguments: ArgumentsText, pool: GuestPool) -> Trace | None:
    request: Plain = {
        "program": program,
        "arguments": [arguments],
        "per_call_seconds": _CALL_SECONDS,
        "observe_arguments": False,
        "describe": False,
        "trace": True,
    }
    found: Trace | None = None
    async with pool.start(Job("evaluate", request, wall_seconds=4 * _CALL_SECONDS)) as run:
        async for reply in run:
            found = _read(reply)
    return found


def _read(reply: Plain) -> Trace | None:
    """Parse a trace of a guest's reply; None if it is malformed."""
    outcome: Any = reply.get("outcome")
    told: Any = cast("dict[str, Any]", outcome).get("trace") if isinstance(outcome, dict) else None
    if not isinstance(told, dict):
        return None
    fields = cast("dict[str, Any]", told)
    first, last, head, tail = (fields.get(name) for name in ("first", "last", "head", "tail"))
    numbers = (
        [first, last, *cast("list[object]", head), *cast("list[object]", tail)] if _are_lists(head, tail) else [""]
    )
    if not all(type(one) is int and 0 <= one < 1 << 31 for one in numbers):
        return None
    start = cast("int", first)
    counted = [cast("int", one) - start for one in numbers]
    if min(counted) < 0:
        return None
    middle = 2 + len(cast("list[int]", head))
    kind = str(cast("dict[str, Any]", outcome).get("kind"))
    return Trace(kind, start, tuple(counted[2:middle]), tuple(counted[middle:]), counted[1])


def _are_lists(*values: object) -> bool:
    return all(isinstance(value, list) for value in values)
