"""Confirm a failing example with the standard library's doctest, on the whole file and in a fresh process."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lsp_evalplus.fuzz.guest.values.source_text import dotted_name
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job, collect
from lsp_evalplus.fuzz.model import Docstrings, Outcome, OutcomeKind, Plain, Program
from lsp_evalplus.fuzz.seeds.doctests import uses_any

CPU_SECONDS = 20.0
WALL_SECONDS = 120.0
"""Time limit for importing the whole module and running the rest of the docstring."""
MOST_EXAMPLES = 10_000
"""No docstring has more; a guest that counts more tampers with its result."""


async def fails_in_doctest(
    program: Program, docstrings: Docstrings, line: int, outcome: Outcome | None, pool: GuestPool
) -> bool:
    """Whether doctest sees the example at `line` (zero-based, of the file) fail because of the function, and likewise.

    Likewise: it raises the class of exception that `outcome`, the result of the search, has, or returns as that does.
    An example that shows something else at another time of the clock says nothing of the function, nor does one that
    uses what the project's tests give to its doctests. Also true if there is no doctest on that line: an example in
    prose cannot be confirmed this way.
    """
    found = docstrings.around(line)
    if found is None:
        return True
    first, text = found
    if uses_any(docstrings.given, text, line - first):
        return False
    reply = await _run(program, docstrings, text, line - first, pool)
    if reply.get("fails") is not True:
        return False
    if outcome is not None and outcome.kind in (OutcomeKind.RETURNED, OutcomeKind.RAISED):
        raised = outcome.text.partition(":")[0] if outcome.kind is OutcomeKind.RAISED else None
        if reply.get("raised") != raised:
            return False
    again = await _run(program, docstrings, text, line - first, pool, is_steady=True)
    return all(again.get(key) == reply.get(key) for key in ("fails", "raised", "got"))


async def held_in_doctest(program: Program, docstrings: Docstrings, lines: Iterable[int], pool: GuestPool) -> int:
    """The number of results that doctest compared in the docstrings around `lines`; 0 if any was not as stated."""
    texts = dict.fromkeys(found[1] for line in lines if (found := docstrings.around(line)) is not None)
    replies = [await _run(program, docstrings, text, None, pool) for text in texts]
    held = [reply.get("held") if reply.get("failed") == 0 else 0 for reply in replies]
    counts = [count for count in held if type(count) is int and 0 < count < MOST_EXAMPLES]
    return sum(counts) if len(counts) == len(replies) else 0


async def _run(
    program: Program, docstrings: Docstrings, text: str, line: int | None, pool: GuestPool, *, is_steady: bool = False
) -> Plain:
    path = Path(program.path) if program.path is not None else Path.cwd() / "program.py"
    request: Plain = {
        "module": {
            "name": dotted_name(path.stem, program.package),
            "path": str(path),
            "source": docstrings.module,
            "search_path": list(program.search_path),
            "modules": {module.name: [module.path, module.source] for module in program.modules},
        },
        "function": program.qualname.rpartition(".")[2],
        "docstring": text,
        "line": line,
        "is_steady": is_steady,
    }
    replies = await collect(pool.start(Job("doctests", request, WALL_SECONDS, cpu_seconds=CPU_SECONDS)))
    return replies[0] if replies else {}
