"""Ranks and tiers of runs, solve rates, and names of result files."""

from __future__ import annotations

import random

import pytest

from lsp_evalplus.bench.ranking.standing import names_of, rank_runs, rate_runs, scores_by_task, solve_rates
from lsp_evalplus.bench.results.results import TaskScores
from lsp_evalplus.fuzz.errors import UserError


def run_of(results: str) -> TaskScores:
    """One sample a task: `1` passes, `0` does not, a blank is no sample."""
    return TaskScores({f"T/{place}": (1, int(mark)) for place, mark in enumerate(results) if mark != " "})


def test_runs_that_no_test_tells_apart_share_a_tier() -> None:
    runs = {
        "good": run_of("1" * 90 + "0" * 10),
        "as good": run_of("0" * 4 + "1" * 85 + "0" * 11),
        "poor": run_of("1" * 40 + "0" * 60),
        "as poor": run_of("0" * 2 + "1" * 37 + "0" * 61),
        "none": run_of("0" * 100),
    }

    placed = rank_runs(runs)

    assert [(one.name, one.rank, one.tier) for one in placed] == [
        ("good", 1, 1),
        ("as good", 2, 1),
        ("poor", 3, 2),
        ("as poor", 4, 2),
        ("none", 5, 3),
    ]
    assert placed[0].to_first is None
    assert placed[2].to_first is not None
    assert placed[2].to_first.only_second == 0


def test_many_equal_runs_are_one_tier() -> None:
    """Without the correction, one of forty would seem worse about twice."""
    generator = random.Random(5)
    runs = {f"r{n}": run_of("".join(generator.choice("01") for _ in range(120))) for n in range(40)}

    assert {one.tier for one in rank_runs(runs)} == {1}


def test_runs_without_samples_or_common_tasks_are_refused() -> None:
    with pytest.raises(UserError, match="empty has no task with samples"):
        rank_runs({"a": run_of("1"), "empty": TaskScores({})})
    with pytest.raises(UserError, match="no task in common"):
        rank_runs({"a": run_of("1"), "b": run_of(" 1")})


def test_tasks_are_ordered_by_the_runs_that_solve_them() -> None:
    runs = {"a": TaskScores({"x": (2, 1), "y": (2, 2)}), "b": TaskScores({"x": (1, 0), "y": (1, 1), "z": (1, 0)})}

    tasks, scores = scores_by_task(runs)

    assert [(one.task, one.rate, one.solved_by, one.runs) for one in solve_rates(runs)] == [
        ("z", 0.0, 0, 1),
        ("x", 0.25, 1, 2),
        ("y", 1.0, 2, 2),
    ]
    assert tasks == ["x", "y", "z"]
    assert scores[0, 2] != scores[0, 2]  # NaN
    assert rate_runs(runs, rounds=5)["a"][0] > 1000


def test_names_are_as_short_as_they_may_be() -> None:
    assert names_of(["a/gpt_eval_results.json", "a/llama_eval_results.json"]) == ["gpt", "llama"]
    assert names_of(["gpt/eval_results.json", "llama/eval_results.json"]) == ["gpt/eval_results", "llama/eval_results"]
