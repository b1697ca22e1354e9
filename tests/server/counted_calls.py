"""The program with budgets in calls: ``counted_calls.py CALLS COMMAND...``.

Every check gets as many calls and processor time in plenty, so that what it finds is the same on every machine.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from lsp_evalplus.fuzz.engine import check as engine
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import Budget, FunctionTarget, Oracle, Report

SECONDS = 60.0


def main(calls: int, arguments: Sequence[str]) -> int:
    """Run a command; who imports the engine from now on has the check that counts."""
    check = engine.check

    async def counted(
        target: FunctionTarget, oracle: Oracle, budget: Budget, pool: GuestPool, **options: Any
    ) -> Report:
        return await check(target, oracle, Budget(SECONDS, calls, budget.seed), pool, **options)

    engine.check = counted

    from lsp_evalplus import cli

    return cli.main(list(arguments))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
