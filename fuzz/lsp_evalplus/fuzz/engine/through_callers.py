"""Compare a function with its previous version through the functions that call it.

Of many functions no input can be made: they take an object in the middle of its work, as a parser's state. Their
callers make that object. Both versions of a caller differ in nothing but the function (and what else was changed), so
that a difference of their results is a difference of the function. Inputs on which it is not reached do not count.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import Budget, Caller, FunctionTarget, OracleKind, Report, Verdict

from .check import check
from .sentences import no_difference

SHARE = 0.5
"""Of the budget, for each caller."""
UNREACHED = (
    "no input was found that the reference accepts",
    "the reference returned nothing on any input that was tried",
    "it returns functions, and what they do is not compared",
    "its results cannot be compared",
    "only an empty instance could be made",
    "every input that was tried is outside of what the function accepts",
)
"""Beginnings of the reasons for which nothing was compared, although the programs run."""


def is_unreached(report: Report) -> bool:
    """Whether nothing was compared although the programs run, so that callers may help."""
    is_older = report.oracle is not None and report.oracle.kind is OracleKind.PREVIOUS
    return is_older and report.verdict is Verdict.NOT_CHECKED and report.reason.startswith(UNREACHED)


async def check_through(
    report: Report, target: FunctionTarget, callers: Iterable[Caller], budget: Budget, pool: GuestPool
) -> Report:
    """Return a report of which nothing was compared with what the first caller shows that reaches the target.

    Args:
        report: of the target itself; see `is_unreached`.
        target: the function under test.
        callers: functions that may call it, those that help most first.
        budget: of the target; each caller has a share of it.
        pool: guests of the interpreter that the target runs under.

    Raises:
        WorkerError: our own machinery failed.
    """
    limited, seconds = dataclasses.replace(budget, seconds=SHARE * budget.seconds, traced=0), report.seconds
    for caller in callers:
        found = await check(caller.target, caller.oracle, limited, pool, reach=target.program.qualname)
        seconds += found.seconds
        if found.verdict is not Verdict.NOT_CHECKED:
            told = _told(found, caller)
            return dataclasses.replace(told, oracle=report.oracle, seconds=seconds, corpus=(), trace=None)
    return dataclasses.replace(report, seconds=seconds)


def _told(found: Report, caller: Caller) -> Report:
    name, example = caller.target.name, found.counterexample
    found = dataclasses.replace(found, caller=name)
    if example is None:
        return dataclasses.replace(found, reason=no_difference(found.inputs) + found.whose_inputs)
    return dataclasses.replace(found, counterexample=dataclasses.replace(example, caller=caller.target))
