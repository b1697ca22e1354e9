"""Compare a function with its previous version on the calls that the tests of its project make.

Many functions take what no expression makes in few words: an object after a day's work. Tests make it. Run up to the
call in a guest, for each version with copies of all modules of the project, they give both the same arguments; what a
test says of the results is not judged.
"""

from __future__ import annotations

import dataclasses

from lsp_evalplus.fuzz.guest.values.carved import named_test
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import Budget, FunctionTarget, Oracle, Report, Verdict

from .check import check

SHARE, SHARE_AFTER_AGREEMENT = 0.5, 0.2
"""Of the budget, for the search; where one without tests saw no difference, this one only adds to it."""


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
    share = SHARE_AFTER_AGREEMENT if report.verdict is Verdict.AGREES else SHARE
    limited = dataclasses.replace(budget, seconds=share * budget.seconds, traced=0)
    found = await check(*carved, limited, pool)
    seconds = report.seconds + found.seconds
    if found.verdict is Verdict.NOT_CHECKED or (report.verdict, found.verdict) == (Verdict.AGREES, Verdict.AGREES):
        return dataclasses.replace(report, seconds=seconds)
    example = found.counterexample
    if example is not None:
        example = dataclasses.replace(example, test=named_test(example.arguments))
    return dataclasses.replace(
        found, oracle=report.oracle, seconds=seconds, corpus=(), trace=None, counterexample=example
    )
