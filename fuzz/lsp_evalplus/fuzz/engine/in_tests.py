"""Compare a function with its previous version on the calls that the tests of its project make.

Many functions take what no expression makes in few words: an object after a day's work. Tests make it. Run up to the
call in a guest, for each version with copies of all modules of the project, they give both the same arguments; what a
test says of the results is not judged.
"""

from __future__ import annotations

import dataclasses

from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import Budget, FunctionTarget, Oracle, Report, Verdict

from .check import check

SHARE = 0.5
"""Of the budget."""


async def check_in_tests(
    report: Report, carved: tuple[FunctionTarget, Oracle], budget: Budget, pool: GuestPool
) -> Report:
    """Return the report of a function, or that of a search on the calls of tests where that shows more.

    Args:
        report: of the search on inputs that have expressions, without a difference.
        carved: the target and its oracle, as programs whose tests are run.
        budget: of the target.
        pool: guests of the interpreter that the target runs under.

    Raises:
        WorkerError: our own machinery failed.
    """
    limited = dataclasses.replace(budget, seconds=SHARE * budget.seconds, traced=0)
    found = await check(*carved, limited, pool)
    seconds = report.seconds + found.seconds
    if found.verdict is Verdict.NOT_CHECKED or (report.verdict, found.verdict) == (Verdict.AGREES, Verdict.AGREES):
        return dataclasses.replace(report, seconds=seconds)
    return dataclasses.replace(found, oracle=report.oracle, seconds=seconds, corpus=(), trace=None)
