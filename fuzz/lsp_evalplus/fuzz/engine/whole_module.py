"""A failing example is tried on the whole module, where the program that was searched is only a part of it.

What a statement elsewhere in the module registers may be missing in a part: the example then says nothing.
"""

from __future__ import annotations

from typing import Any

from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import FunctionTarget, Oracle, OracleKind, Plain

from .replay import replay

_DIED = "died"


async def is_otherwise_as_a_whole(
    target: FunctionTarget, oracle: Oracle, request: Plain, found: Plain, pool: GuestPool
) -> bool:
    """Return whether a failing example has another outcome in the whole module, which is then put into `request`.

    Doctests are not asked about: `doctests` runs them on the whole module. A module that cannot be loaded as a whole
    says nothing, and `request` stays as it is.
    """
    docstrings, line = oracle.docstrings, found.get("line")
    if oracle.kind is not OracleKind.EXAMPLES or docstrings is None or "<locals>" in target.name:
        return False
    is_doctest = isinstance(line, int) and docstrings.around(line) is not None
    is_doctest = is_doctest or isinstance(found.get("session"), int)
    if is_doctest or not target.skipped or request["candidate"]["source"] == docstrings.module:
        return False
    whole: Plain = {**request, "candidate": {**request["candidate"], "source": docstrings.module}}
    (again,) = await replay(whole, str(found["arguments"]), pool, hash_seeds=[0])
    if again.code == _DIED or (again.code == "differ" and _outcome(again.reply) == _outcome(found)):
        return False
    request["candidate"] = whole["candidate"]
    return True


def _outcome(reply: Plain) -> list[Any]:
    candidate: Any = reply.get("candidate") or {}
    return [candidate.get(name) for name in ("kind", "text", "output")]
