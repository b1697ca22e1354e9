"""Confirm a failing example with the standard library's doctest, on the whole file and in a fresh process."""

from __future__ import annotations

from pathlib import Path

from lsp_evalplus.fuzz.guest.values.source_text import dotted_name
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job, collect
from lsp_evalplus.fuzz.model import Docstrings, Outcome, OutcomeKind, Plain, Program

CPU_SECONDS = 20.0
WALL_SECONDS = 120.0
"""Time limit for importing the whole module and running the rest of the docstring."""


async def fails_in_doctest(
    program: Program, docstrings: Docstrings, line: int, outcome: Outcome | None, pool: GuestPool
) -> bool:
    """Whether doctest sees the example at `line` (zero-based, of the file) fail because of the function, and likewise.

    Likewise: it raises the class of exception that `outcome`, the result of the search, has, or returns as that does.
    Also true if there is no doctest on that line: an example in prose cannot be confirmed this way.
    """
    found = docstrings.around(line)
    if found is None:
        return True
    first, text = found
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
        "line": line - first,
    }
    replies = await collect(pool.start(Job("doctests", request, WALL_SECONDS, cpu_seconds=CPU_SECONDS)))
    if not replies or replies[0].get("fails") is not True:
        return False
    if outcome is None or outcome.kind not in (OutcomeKind.RETURNED, OutcomeKind.RAISED):
        return True
    raised = outcome.text.partition(":")[0] if outcome.kind is OutcomeKind.RAISED else None
    return replies[0].get("raised") == raised
