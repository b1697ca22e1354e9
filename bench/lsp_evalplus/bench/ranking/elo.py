"""Elo ratings of models from the tasks that one passes and another does not: a penalised Bradley-Terry model.

A *battle* is a task on which one model of a pair has a higher pass rate than the other; ties are left out. Of the wins
``w[a, b]`` the ratings minimise ``|beta|^2 / 2 + sum(w[a, b] * log(1 + 10 ** (beta[b] - beta[a])))``, which is the
logistic regression that BigCodeBench fits (as Chatbot Arena did, https://arxiv.org/abs/2403.04132), and are shown as
``400 * beta + 1000``. Newton's method on the wins themselves takes a few steps, however many tasks there are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Matrix = npt.NDArray[np.float64]

SCALE = 400.0
CENTRE = 1000.0
ROUNDS = 500
_STEPS = 100
_ENOUGH = 1e-6
"""The step of a rating, in units of 400 points, at which it is final: Newton's next one is about its square."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """Elo ratings with two 95 % intervals, each of shape (models,)."""

    points: Matrix
    battles_low: Matrix
    """Battles resampled, as upstream's leaderboard does: how surely these tasks order the models."""
    battles_high: Matrix
    tasks_low: Matrix
    """Tasks resampled: how surely other tasks of their kind would. Wider, since all battles of a task go together."""
    tasks_high: Matrix


def count_wins(scores: Matrix, weights: Matrix | None = None) -> Matrix:
    """Count the battles that each model wins against each other.

    Args:
        scores: pass rates, of shape (models, tasks); NaN where a model has no samples, which is no battle.
        weights: how often each task counts, of shape (tasks,); once if None.

    Returns:
        wins of shape (models, models): the row's model against the column's.
    """
    return _wins(_levels(scores), len(scores), weights)


def _wins(levels: list[tuple[Matrix, Matrix]], models: int, weights: Matrix | None) -> Matrix:
    import numpy as np

    found = np.zeros((models, models))
    for at, below in levels:
        found += (at if weights is None else at * weights) @ below.T
    return found


def _levels(scores: Matrix) -> list[tuple[Matrix, Matrix]]:
    """Return, for each pass rate but the lowest, which scores are equal to it and which are below it, as ones."""
    import numpy as np

    known = ~np.isnan(scores)
    levels = np.unique(scores[known])[1:]
    return [((scores == one).astype(float), (known & (scores < one)).astype(float)) for one in levels]


def fit(wins: Matrix, start: Matrix | None = None) -> Matrix:
    """Return the ratings of models, of shape (models,), by the wins of each against each.

    `start` are ratings to begin with, which saves steps where they are near; the result does not depend on them.
    """
    import numpy as np

    beta: Matrix = np.zeros(len(wins)) if start is None else (start - CENTRE) / SCALE
    scale = math.log(10.0)
    for _ in range(_STEPS):
        expected: Matrix = 1 / (1 + np.exp(scale * (beta[None, :] - beta[:, None])))
        surprise: Matrix = wins * (1 - expected)
        gradient: Matrix = beta - scale * (surprise.sum(axis=1) - surprise.sum(axis=0))
        curvature: Matrix = scale**2 * (wins + wins.T) * expected * (1 - expected)
        hessian: Matrix = np.diag(1 + curvature.sum(axis=1)) - curvature
        step: Matrix = np.linalg.solve(hessian, gradient).astype(np.float64)
        beta = beta - step
        if np.abs(step).max() < _ENOUGH:
            break
    return SCALE * beta + CENTRE


def rate(scores: Matrix, *, rounds: int = ROUNDS, seed: int = 0) -> Ratings:
    """Rate models by their pass rates, of shape (models, tasks), with both bootstraps."""
    import numpy as np

    generator = np.random.default_rng(seed)
    levels = _levels(scores)
    wins = _wins(levels, len(scores), None)
    points = fit(wins)
    battles, tasks = int(wins.sum()), scores.shape[1]
    by_battle, by_task = [points] * rounds, [points] * rounds
    if battles:
        cells = (wins / battles).ravel()
        for number in range(rounds):
            drawn = generator.multinomial(battles, cells).reshape(wins.shape).astype(float)
            by_battle[number] = fit(drawn, points)
            weights = generator.multinomial(tasks, np.full(tasks, 1 / tasks)).astype(float)
            by_task[number] = fit(_wins(levels, len(scores), weights), points)
    ends = [np.quantile(np.array(found), [0.025, 0.975], axis=0) for found in (by_battle, by_task)]
    return Ratings(points, ends[0][0], ends[0][1], ends[1][0], ends[1][1])
