"""The reference's run decides which tests count; a sample passes all of them or fails."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lsp_evalplus.bench.judging.part_judge import Ended
from lsp_evalplus.bench.judging.verdicts import Status
from lsp_evalplus.bench.testing.conversation import Report, ReportedRun
from lsp_evalplus.bench.testing.plan import choose, plan_of, verdict_of

DONE = Ended("finished", None, None)
EXITED = Ended("exited", None, None, "ended its process")
LATE = Ended("deadline", None, None, "no result in time", is_timeout=True)
REFUSED = Ended("refused", "a syntax error", None)


def report(
    name: str, status: str = "passed", text: str = "", *, asserts: str = "1:0", returns_own: bool = False
) -> Report:
    return Report(name, status, text, frozenset(asserts.split()), returns_own, 0.5)


A, B = report("a"), report("b")
FAILED, SKIPPED = report("b", "failed", "AssertionError"), report("b", "skipped", "no network")
PLAN = plan_of(ReportedRun([A, B], DONE), is_together=False)


def test_what_the_reference_fails_judges_nobody() -> None:
    plan = plan_of(ReportedRun([A, FAILED], DONE), is_together=False)
    assert plan.names == ["a"]
    assert plan.failed == {"b": "AssertionError"}
    assert plan_of(ReportedRun([A, SKIPPED], DONE), is_together=False).names == ["a"]


def test_a_reference_that_did_not_come_to_its_end_says_so() -> None:
    assert plan_of(ReportedRun([A], EXITED), is_together=True).failed == {"the rest": "ended its process"}
    assert plan_of(ReportedRun([], REFUSED), is_together=True).failed == {"the rest": "a syntax error"}


def test_tests_that_assert_nothing_judge_nobody() -> None:
    plan = plan_of(ReportedRun([report("f(1)", asserts="")], DONE), is_together=False)
    assert plan.names == []
    assert plan.failed == {"all": "they assert nothing"}


@pytest.mark.parametrize(
    ("run", "status", "index", "text"),
    [
        (ReportedRun([A, B], DONE), Status.PASS, None, ""),
        (ReportedRun([A, FAILED], DONE), Status.FAIL, 1, "AssertionError"),
        (ReportedRun([A, SKIPPED], DONE), Status.FAIL, 1, "no network"),
        (ReportedRun([A], DONE), Status.FAIL, 1, "was not run"),
        (ReportedRun([A], EXITED), Status.FAIL, 1, "ended its process"),
        (ReportedRun([A], LATE), Status.TIMEOUT, 1, "no result in time"),
        (ReportedRun([report("a", "timed_out", "late"), B], DONE), Status.TIMEOUT, 0, "late"),
        (ReportedRun([], REFUSED), Status.FAIL, -1, "a syntax error"),
        (ReportedRun([A, A, B], DONE), Status.FAIL, 0, "was reported twice"),
        (ReportedRun([A, B, report("c", "failed", "no")], DONE), Status.FAIL, 1, "c: no"),
        (ReportedRun([A, B], EXITED), Status.FAIL, 1, "ended its process"),
        (ReportedRun([report("a", asserts=""), B], DONE), Status.FAIL, 0, "passed none of the asserts"),
        (ReportedRun([report("a", returns_own=True), B], DONE), Status.FAIL, 0, "an object of a class of its own"),
        (ReportedRun([report("a", asserts="9:9"), B], DONE), Status.PASS, None, ""),
        (ReportedRun([], None), Status.FAIL, 0, "was not run"),
    ],
)
def test_verdicts(run: ReportedRun, status: Status, index: int | None, text: str) -> None:
    verdict = verdict_of(PLAN, run, details=False)
    assert verdict.status is status
    assert [failure.index for failure in verdict.failures] == ([] if index is None else [index])
    assert all(text in failure.actual for failure in verdict.failures)


@pytest.mark.parametrize(
    ("apart", "together", "is_together"),
    [
        ([A, B], [A, B], False),
        ([A, FAILED], [A, B], True),
        ([A, B], [A, FAILED], False),
        ([A, B], [A, replace(B, trace="other calls or answers")], True),
        ([FAILED], [FAILED], False),
    ],
)
def test_together_only_where_the_reference_needs_it(
    apart: list[Report], together: list[Report], is_together: bool
) -> None:
    plans = [plan_of(ReportedRun(run, DONE), is_together=bool(place)) for place, run in enumerate([apart, together])]
    assert choose(*plans).is_together is is_together


def test_details_name_every_failing_test() -> None:
    run = ReportedRun([report("a", "failed", "x"), FAILED], DONE)
    assert [one.index for one in verdict_of(PLAN, run, details=True).failures] == [0, 1]


def test_objects_of_its_own_are_fine_where_the_reference_returns_some() -> None:
    plan = plan_of(ReportedRun([report("a", returns_own=True)], DONE), is_together=True)
    assert verdict_of(plan, ReportedRun([report("a", returns_own=True)], DONE), details=False).status is Status.PASS
