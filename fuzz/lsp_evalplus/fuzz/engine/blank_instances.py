"""Compare a method with its previous version on instances that no constructor initialises.

Where a constructor opens a connection, or needs a part that only a subclass names, nothing else makes an instance. One
without it gets what both versions of the method use. It comes last: what tests and callers make is more like the use.
"""

from __future__ import annotations

import dataclasses

from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import Budget, FunctionTarget, Report, Verdict

from .check import check
from .through_callers import ACCEPTS_NONE, is_unreached


async def check_blank(report: Report, target: FunctionTarget, budget: Budget, pool: GuestPool) -> Report:
    """Return the report of a function, or that of a search on instances that no constructor initialises, where no other
    instance was of use.

    Args:
        report: of the target, its tests and its callers.
        target: the function under test.
        budget: of the target.
        pool: guests of the interpreter that the target runs under.

    Raises:
        WorkerError: our own machinery failed.
    """
    is_method = "." in target.program.qualname
    if report.oracle is None or not is_method or not is_unreached(report, ACCEPTS_NONE):
        return report
    found = await check(target, report.oracle, budget, pool, is_blank=True)
    shown = report if found.verdict is Verdict.NOT_CHECKED else dataclasses.replace(found, corpus=())
    return dataclasses.replace(shown, seconds=report.seconds + found.seconds)
