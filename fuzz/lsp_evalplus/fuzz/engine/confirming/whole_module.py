"""A finding is tried on the whole module, where the program that was searched is only a part of it.

What a statement elsewhere in the module registers may be missing in a part: the finding then says nothing.
"""

from __future__ import annotations

from typing import Any

from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import FunctionTarget, Oracle, OracleKind, Plain, Report

from .call_sequences import STATE_NOTE
from .replay import replay

_DIED = "died"
_LACKS_NAME = "none of its examples can be run: NameError"
"""In the reason why no example was judged."""
_NO_DIFFERENCE = ("agree", "rejected", "undecided")


async def is_otherwise_as_a_whole(
    target: FunctionTarget, oracle: Oracle, request: Plain, report: Report, found: Plain, pool: GuestPool
) -> bool:
    """Return whether a finding is another one or none in the whole modules, which are then put into `request`.

    A module that cannot be loaded as a whole says nothing, and `request` stays as it is. Neither is a difference asked
    about that needs earlier calls.

    Args:
        target: the function under test.
        oracle: what it was compared with.
        request: of the search.
        report: the finding.
        found: the event ``counterexample`` that it stands on.
        pool: guests of the interpreter that the target runs under.
    """
    if oracle.kind is OracleKind.EXAMPLES:
        return await _fails_otherwise(target, oracle, request, found, pool)
    example = report.counterexample
    if oracle.reference is None or example is None or example.note == STATE_NOTE:
        return False
    programs = {"candidate": target.program, "reference": oracle.reference}
    if not any(one.skips_code for one in programs.values()):
        return False
    wholes: Plain = {role: {**request[role], "source": one.whole or one.source} for role, one in programs.items()}
    if all(wholes[role]["source"] == request[role]["source"] for role in programs):
        return False
    (again,) = await replay({**request, **wholes}, str(found["arguments"]), pool, hash_seeds=[0])
    if again.code not in _NO_DIFFERENCE:
        return False
    request.update(wholes)
    return True


def with_names_of_module(target: FunctionTarget, request: Plain, done: Plain) -> bool:
    """Put the whole module into `request`, where for want of a name no example could be run; return whether it is put.

    Args:
        target: the function under test.
        request: of the search.
        done: the event ``done`` of the search.
    """
    whole = {**request["candidate"], "source": target.program.whole}
    if not whole["source"] or whole == request["candidate"] or _LACKS_NAME not in str(done["reason"]):
        return False
    request["candidate"] = whole
    return True


async def _fails_otherwise(
    target: FunctionTarget, oracle: Oracle, request: Plain, found: Plain, pool: GuestPool
) -> bool:
    """Return whether a failing example has another outcome in the whole module.

    Doctests are not asked about: `doctests` runs them on the whole module.
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
