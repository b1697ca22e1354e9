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
_ENOUGH = 1e-10


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
    import numpy as np

    found = np.zeros((len(scores), len(scores)))
    known = ~np.isnan(scores)
    for level in np.unique(scores[known]):
        # Pairs whose first model is at this level and whose second is below it.
        at = (scores == level).astype(float)
        if weights is not None:
            at *= weights
        found += at @ (known & (scores < level)).T.astype(float)
    return found


def fit(wins: Matrix) -> Matrix:
    """Return the ratings of models, of shape (models,), by the wins of each against each."""
    import numpy as np

    beta: Matrix = np.zeros(len(wins))
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
    wins = count_wins(scores)
    battles, tasks = int(wins.sum()), scores.shape[1]
    by_battle, by_task = [fit(wins)] * rounds, [fit(wins)] * rounds
    if battles:
        cells = (wins / battles).ravel()
        for number in range(rounds):
            by_battle[number] = fit(generator.multinomial(battles, cells).reshape(wins.shape).astype(float))
            weights = generator.multinomial(tasks, np.full(tasks, 1 / tasks)).astype(float)
            by_task[number] = fit(count_wins(scores, weights))
    ends = [np.quantile(np.array(found), [0.025, 0.975], axis=0) for found in (by_battle, by_task)]
    return Ratings(fit(wins), ends[0][0], ends[0][1], ends[1][0], ends[1][1])
