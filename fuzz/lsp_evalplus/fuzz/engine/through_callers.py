"""Compare a function with its previous version through the functions that call it.

Of many functions no input can be made: they take an object in the middle of its work, as a parser's state. Their
callers make that object. Both versions of a caller differ in nothing but the function (and what else was changed), so
that a difference of their results is a difference of the function. Inputs on which it is not reached do not count.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable

from lsp_evalplus.fuzz.model import Budget, Caller, Oracle, Report, Verdict

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


async def through_callers(
    report: Report, oracle: Oracle, budget: Budget, ask: Callable[[Caller, Budget], Awaitable[Report]]
) -> Report:
    """Return a report of which nothing was compared with what the first caller shows that reaches the target.

    Args:
        report: of the target itself.
        oracle: the target's.
        budget: of the target; each caller has a share of it.
        ask: compares a caller with its previous version, and counts the inputs on which the target is reached.
    """
    if report.verdict is not Verdict.NOT_CHECKED or not report.reason.startswith(UNREACHED):
        return report
    seconds = report.seconds
    for caller in oracle.callers:
        found = await ask(caller, dataclasses.replace(budget, seconds=SHARE * budget.seconds))
        seconds += found.seconds
        if found.verdict is not Verdict.NOT_CHECKED:
            return dataclasses.replace(_told(found, caller), oracle=oracle, seconds=seconds, corpus=(), trace=None)
    return dataclasses.replace(report, seconds=seconds)


def _told(found: Report, caller: Caller) -> Report:
    name, example = caller.target.name, found.counterexample
    if example is None:
        reason = f"{no_difference(found.inputs)} of {name}(), which calls it"
        return dataclasses.replace(found, reason=reason, caller=name)
    return dataclasses.replace(found, counterexample=dataclasses.replace(example, caller=caller.target), caller=name)
