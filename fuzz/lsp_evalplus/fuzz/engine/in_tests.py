"""Compare a function with its previous version on the calls that the tests of its project make.

Many functions take what no expression makes in few words: an object after a day's work. Tests make it. Run up to the
call in a guest, for each version with copies of all modules of the project, they give both the same arguments; what a
test says of the results is not judged.
"""

from __future__ import annotations

import dataclasses
import re

from lsp_evalplus.fuzz.guest.values.carved import named_test
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import (
    HELD_NOTE,
    Budget,
    Counterexample,
    FunctionTarget,
    Oracle,
    OutcomeKind,
    Program,
    Report,
    Verdict,
)
from lsp_evalplus.fuzz.source.discover import read_module

from .check import ROUNDS, check
from .confirming.replay import field_of, replay
from .held_chance import hold_still
from .requests import explore_request, is_same_code

SHARE, SHARE_AFTER_AGREEMENT = 0.5, 0.2
"""Of the budget, for the search; where one without tests saw no difference, this one only adds to it."""


ENOUGH_INPUTS = 300
"""Inputs on which both versions agree, after which old tests add nothing if every block of the function was reached."""


def is_thorough(report: Report, target: FunctionTarget) -> bool:
    """Whether a search saw no difference where tests that are as they were would hardly show one: both versions are the
    same code, or it knew of which types the arguments are, and tried enough of them."""
    if report.verdict is not Verdict.AGREES:
        return False
    if report.oracle is not None and is_same_code(target.program, report.oracle):
        return True
    annotations = [one.annotation for one in target.parameters]
    is_known = all(one is not None and not _UNKNOWN.search(one) for one in annotations)
    return is_known and report.is_complete and report.inputs >= ENOUGH_INPUTS


_UNKNOWN = re.compile(r"\b(Any|object)\b")
"""What annotations name where they state nothing."""


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
    is_addition = report.verdict is Verdict.AGREES
    share = SHARE_AFTER_AGREEMENT if is_addition else SHARE
    limited = dataclasses.replace(budget, seconds=share * budget.seconds, traced=0)
    found = await check(*carved, limited, pool, rounds=1 if is_addition else ROUNDS)
    seconds = report.seconds + found.seconds
    if found.verdict is Verdict.NOT_CHECKED or (report.verdict, found.verdict) == (Verdict.AGREES, Verdict.AGREES):
        return dataclasses.replace(report, seconds=seconds)
    example = found.counterexample
    if example is not None and example.is_whole_test and not await _is_to_blame(carved, example, limited, pool):
        return dataclasses.replace(report, seconds=seconds)
    if example is not None:
        example = dataclasses.replace(example, test=named_test(example.arguments))
    return dataclasses.replace(
        found, oracle=report.oracle, seconds=seconds, corpus=(), trace=None, counterexample=example
    )


async def _is_to_blame(
    carved: tuple[FunctionTarget, Oracle], example: Counterexample, budget: Budget, pool: GuestPool
) -> bool:
    """Whether a test does otherwise because of the function.

    Each version has to do so alone, where no registry of the interpreter holds what the other one put there. The newer
    module with the older function in it, beside the newer modules of the project, has to do as the older one does, or
    else something else is to blame. Where the older one fails, it has to fail with the same exception: an older
    function that does not fit what it calls now says nothing about the test.
    """
    target, oracle = carved
    newer, older = target.program, oracle.reference
    assert older is not None

    async def failure(program: Program) -> str | None:
        one = dataclasses.replace(target, program=program)
        request = explore_request(one, dataclasses.replace(oracle, reference=program), budget, ())
        if example.note.endswith(HELD_NOTE):
            hold_still(request)
        replays = await replay(request, example.arguments, pool, hash_seeds=(0,))
        if replays[0].code == "agree":
            return None
        return _ADDRESS.sub("", field_of(replays[0].reply, "candidate", "text"))

    mixed = with_function_of(newer.source, older.source, newer.qualname)
    if mixed == newer.source != older.source:
        return False  # The function is as it was.
    before, now = await failure(older), await failure(newer)
    passed_before = example.candidate.kind is OutcomeKind.RAISED
    if (before is None) is not passed_before or (now is None) is passed_before:
        return False
    return mixed is None or await failure(dataclasses.replace(newer, source=mixed)) == before


_ADDRESS = re.compile(r"0x[0-9A-Fa-f]+")


def with_function_of(newer: str, older: str, qualname: str) -> str | None:
    """Return a module with one function as it was in an older text; None where one of both has no such function."""
    ours, theirs = (read_module(text).definitions.get(qualname) for text in (newer, older))
    if ours is None or theirs is None:
        return None
    lines, others = newer.splitlines(keepends=True), older.splitlines(keepends=True)
    kept = others[theirs.span.start_line : theirs.span.end_line + 1]
    return "".join([*lines[: ours.span.start_line], *kept, *lines[ours.span.end_line + 1 :]])
