"""Judgement of a candidate by one stated example, without a guest."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from lsp_evalplus.fuzz.guest.calling.invocation import RAISED, TIMED_OUT, CallResult
from lsp_evalplus.fuzz.guest.judging.judge import SLOW, UNDECIDED
from lsp_evalplus.fuzz.guest.judging.stated_examples import ExampleJudge, StatedExample


def judge_of(actual: CallResult) -> ExampleJudge:
    """Return a judge of a candidate with one outcome."""
    side = SimpleNamespace(run=lambda *_: actual, is_refused_call=None, namespace={})
    return ExampleJudge(cast("Any", side), cast("Any", SimpleNamespace(allowance=1.0)))


def test_a_call_without_time_to_raise_is_tried_again_with_more() -> None:
    example = StatedExample((), None, "ValueError", None, None)

    assert judge_of(CallResult(TIMED_OUT)).judge(example).code == SLOW


def test_a_module_that_is_missing_is_not_the_candidates_fault() -> None:
    example = StatedExample((), (2,), None, None, None)

    assert judge_of(CallResult(RAISED, error=ImportError("no"))).judge(example).code == UNDECIDED
