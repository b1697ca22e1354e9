"""Compare a function with its previous version through the functions that call it.

Of many functions no input can be made: they take an object in the middle of its work, as a parser's state. Their
callers make that object. A difference of a caller's results is one of the function where the newer module, with the
older function in it, does as the older module does; otherwise something else that was changed is to blame, and nothing
is reported. Inputs on which the function is not reached do not count.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable

from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import Budget, Caller, FunctionTarget, OracleKind, Report, Verdict
from lsp_evalplus.fuzz.source.parsing import parse_module

from .check import check
from .confirming.call_sequences import STATE_NOTE
from .confirming.recorded import definition_of
from .confirming.replay import replay
from .in_tests import with_function_of
from .requests import explore_request, is_same_code
from .sentences import no_difference

SHARE = 0.5
"""Of the budget, for each caller."""
ACCEPTS_NONE = (
    "no input was found that the reference accepts",
    "the reference returned nothing on any input that was tried",
)
"""Beginnings of the reasons for which no input was of use."""
UNREACHED = (
    *ACCEPTS_NONE,
    "it returns functions, and what they do is not compared",
    "its results cannot be compared",
    "only an empty instance could be made",
    "every input that was tried is outside of what the function accepts",
)
"""Beginnings of the reasons for which nothing was compared, although the programs run."""


def is_unreached(report: Report, reasons: tuple[str, ...] = UNREACHED) -> bool:
    """Whether nothing was compared although the programs run, so that callers may help.

    Args:
        report: of the function.
        reasons: beginnings of the reasons that count.
    """
    is_older = report.oracle is not None and report.oracle.kind is OracleKind.PREVIOUS
    return is_older and report.verdict is Verdict.NOT_CHECKED and report.reason.startswith(reasons)


def needs_callers(report: Report, target: FunctionTarget) -> bool:
    """Whether callers may show more: nothing was compared, or no input reached what differs between two versions."""
    if is_unreached(report):
        return True
    is_agreed = report.verdict is Verdict.AGREES and report.misses_change and report.oracle is not None
    return is_agreed and not is_same_code(target.program, report.oracle)  # type: ignore[arg-type]


async def check_through(
    report: Report, target: FunctionTarget, callers: Iterable[Caller], budget: Budget, pool: GuestPool
) -> Report:
    """Return a report of which nothing was compared with what the first caller shows that reaches the target.

    Args:
        report: of the target itself; see `needs_callers`. One without a difference stands unless a caller shows one.
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
        is_more = found.verdict is not Verdict.NOT_CHECKED and found.verdict is not report.verdict
        if is_more and await _is_to_blame(target, caller, found, limited, pool):
            told = _told(found, caller)
            return dataclasses.replace(told, oracle=report.oracle, seconds=seconds, corpus=(), trace=None)
    return dataclasses.replace(report, seconds=seconds)


async def _is_to_blame(target: FunctionTarget, caller: Caller, found: Report, budget: Budget, pool: GuestPool) -> bool:
    """Whether a caller does otherwise because of the target, and not of what else was changed around it."""
    example, older, newer = found.counterexample, caller.oracle.reference, caller.target.program
    if example is None or example.note == STATE_NOTE or older is None:
        return True
    mixed = _restored(newer.source, older.source, target.program.qualname, caller.target.program.qualname)
    if mixed is None or (mixed == older.source and newer.modules == older.modules):
        return True
    restored = dataclasses.replace(caller.target, program=dataclasses.replace(newer, source=mixed))
    request = explore_request(restored, caller.oracle, budget, ())
    replays = await replay(request, example.arguments, pool, hash_seeds=(0,))
    return replays[0].code == "agree"


def _restored(newer: str, older: str, name: str, caller: str) -> str | None:
    """The newer module with the older function in it, and with its older caller where both changed what is passed."""
    mixed = with_function_of(newer, older, name)
    if mixed is None or _parameters(newer, name) == _parameters(older, name):
        return mixed
    return with_function_of(mixed, older, caller)


def _parameters(source: str, name: str) -> str:
    function = definition_of(parse_module(source) or ast.Module([], []), name)
    return "" if function is None else ast.dump(function.args)


def _told(found: Report, caller: Caller) -> Report:
    name, example = caller.target.name, found.counterexample
    found = dataclasses.replace(found, caller=name)
    if example is None:
        return dataclasses.replace(found, reason=no_difference(found.inputs) + found.whose_inputs)
    return dataclasses.replace(found, counterexample=dataclasses.replace(example, caller=caller.target))
