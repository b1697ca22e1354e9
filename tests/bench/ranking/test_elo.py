"""Elo ratings: against sums by hand, against upstream's own output, and their intervals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lsp_evalplus.bench.ranking.elo import count_wins, fit, rate

NAN = float("nan")


def test_battles_are_tasks_on_which_pass_rates_differ() -> None:
    scores = np.array([[1.0, 0.5, 0.0, NAN], [0.0, 0.5, 1.0, 1.0], [0.0, 0.25, 1.0, 0.0]])

    assert count_wins(scores).tolist() == [[0, 1, 2], [1, 0, 2], [1, 0, 0]]
    assert count_wins(scores, np.array([2.0, 0.0, 1.0, 5.0])).tolist() == [[0, 2, 2], [1, 0, 5], [1, 0, 0]]


def test_ratings_are_where_the_penalised_likelihood_is_greatest() -> None:
    wins = np.array([[0.0, 9, 4], [3, 0, 6], [2, 1, 0]])

    def loss(points: np.ndarray) -> float:
        beta = (points - 1000) / 400
        return float(beta @ beta / 2 + (wins * np.log1p(10 ** (beta[None, :] - beta[:, None]))).sum())

    best = fit(wins)

    assert sum(best) == pytest.approx(3000)
    for place in range(3):
        for step in (-1.0, 1.0):
            assert loss(best + step * np.eye(3)[place]) > loss(best)


def test_a_model_that_wins_everything_has_a_finite_rating() -> None:
    points = fit(np.array([[0.0, 500], [0, 0]]))

    assert 1000 < points[0] < 3000
    assert fit(np.zeros((3, 3))).tolist() == [1000.0] * 3


def test_intervals_hold_the_rating_and_those_of_tasks_are_wider() -> None:
    generator = np.random.default_rng(1)
    hardness = generator.random(80)
    scores = (generator.random((6, 80)) < np.linspace(0.3, 0.9, 6)[:, None] * hardness).astype(float)

    ratings = rate(scores, rounds=100)

    assert (ratings.battles_low <= ratings.points).all()
    assert (ratings.points <= ratings.battles_high).all()
    assert (ratings.tasks_high - ratings.tasks_low).sum() > (ratings.battles_high - ratings.battles_low).sum()
    assert rate(scores, rounds=100).tasks_low.tolist() == ratings.tasks_low.tolist()


@pytest.mark.dataset
def test_ratings_are_upstreams(data_folder: Path) -> None:
    folder = data_folder / "bigcodebench"
    results, fixture = (json.loads((folder / name).read_text()) for name in ("task_perf.json", "elo_fixture.json"))
    for split, wanted in fixture.items():
        tasks = sorted(set().union(*results[split].values()))
        scores = np.array([[results[split][name].get(task, NAN) for task in tasks] for name in wanted["models"]])

        wins = count_wins(scores)

        assert wins.sum() == wanted["battles"]
        assert fit(wins) == pytest.approx([wanted["point"][name] for name in wanted["models"]], abs=0.05)
