"""pass@k with confidence intervals, and a paired test between two runs.

The estimator is the unbiased one of Chen et al., "Evaluating Large Language Models Trained on Code" (2021), equation
1: ``1 - C(n - c, k) / C(n, k)`` for a task with `n` samples, `c` of them right, averaged over tasks.

Intervals treat the tasks as a sample from a population of tasks. Where every task is either solved or not, as with
one sample per task, the score is a proportion with Wilson's interval (1927). Otherwise the tasks are resampled
(percentile bootstrap, seeded). Where all tasks have the same score, the bootstrap interval would have no width, so
Wilson's is used too; it is wide enough, because zeros and ones have the largest variance of all scores with that
mean. A single task that is solved sometimes allows no inference about others: 0 to 1.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

RESAMPLES = 10_000
_CHUNK = 1_000_000
_ROUNDING = 1e-9
"""Scores that differ by less are considered equal."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A score in [0, 1] with its interval and the method (``wilson``, ``bootstrap`` or ``none``)."""

    value: float
    low: float
    high: float
    method: str


def get_ready() -> None:
    """Import what `estimate` needs ahead of time, while something else is pending."""
    importlib.import_module("numpy.random")


def pass_at_k(total: int, correct: int, k: int) -> float:
    """Probability that at least one of `k` of the `total` samples of one task, drawn without replacement, is right.

    Raises `ValueError` unless ``0 <= correct <= total`` and ``1 <= k <= total``.
    """
    if not 0 <= correct <= total or not 1 <= k <= total:
        raise ValueError(f"pass@{k} is not defined for {correct} right samples of {total}")
    if total - correct < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / number for number in range(total - correct + 1, total + 1))


def mean_pass_at_k(counts: Sequence[tuple[int, int]], k: int) -> float:
    """The value of `estimate` without its interval; same arguments and exceptions."""
    return float(_scores(counts, k).mean())


def estimate(counts: Sequence[tuple[int, int]], k: int, *, confidence: float = 0.95, seed: int = 0) -> Estimate:
    """pass@k over tasks, `counts` being each task's (samples, right samples), with its confidence interval.

    Raises `ValueError` when there is no task or one has fewer than `k` samples.
    """
    import numpy as np

    scores = _scores(counts, k)
    value = float(scores.mean())
    if np.isin(scores, (0.0, 1.0)).all():
        low, high = wilson(round(float(scores.sum())), len(counts), confidence=confidence)
        return Estimate(value, low, high, "wilson")
    if len(counts) == 1:
        return Estimate(value, 0.0, 1.0, "none")
    if float(scores.max() - scores.min()) < _ROUNDING:
        low, high = wilson(value * len(counts), len(counts), confidence=confidence)
        return Estimate(value, low, high, "wilson")
    low, high = bootstrap_mean(scores, confidence=confidence, seed=seed)
    return Estimate(value, low, high, "bootstrap")


def _scores(counts: Sequence[tuple[int, int]], k: int) -> npt.NDArray[np.float64]:
    import numpy as np

    if not counts:
        raise ValueError("pass@k needs at least one task")
    return np.array([pass_at_k(total, correct, k) for total, correct in counts])


def normal_quantile(confidence: float) -> float:
    """The two-sided quantile of the normal distribution: 1.96 for 0.95."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(0.5 + confidence / 2)


def wilson(successes: float, trials: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a proportion (JASA 22, 1927)."""
    z = normal_quantile(confidence)
    share = successes / trials
    scale = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / scale
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / scale
    return max(0.0, centre - half), min(1.0, centre + half)


def bootstrap_mean(
    values: npt.NDArray[np.float64], *, confidence: float = 0.95, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """Percentile bootstrap interval of the mean (Efron 1979); the same seed gives the same interval."""
    import numpy as np

    random = np.random.default_rng(seed)
    means = np.empty(resamples)
    rows = max(1, _CHUNK // len(values))
    for start in range(0, resamples, rows):
        stop = min(start + rows, resamples)
        drawn = random.integers(0, len(values), size=(stop - start, len(values)))
        means[start:stop] = values[drawn].mean(axis=1)
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact two-sided p-value for the hypothesis of no difference between two runs (McNemar 1947, binomial form).

    Both runs have one sample per task; the arguments count the tasks that only the first or only the second run
    solved.
    """
    discordant = only_first + only_second
    if discordant == 0:
        return 1.0
    tail = sum(math.comb(discordant, count) for count in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / 2**discordant)


def sign_flip_test(differences: Sequence[float], *, seed: int = 0, rounds: int = 100_000) -> float:
    """Two-sided p-value of a paired permutation test on per-task differences (Fisher's randomisation test).

    Exact by enumeration up to 16 differing tasks; beyond that with `rounds` random sign patterns, seeded, with the
    observed pattern counted as one of them (so never 0).
    """
    import numpy as np

    moved = np.array([value for value in differences if value != 0.0])
    if not len(moved):
        return 1.0
    observed = abs(float(moved.sum())) - 1e-12
    if len(moved) <= 16:
        numbers: npt.NDArray[np.int64] = np.arange(2 ** len(moved), dtype=np.int64)
        patterns: npt.NDArray[np.int64] = (numbers[:, None] >> np.arange(len(moved), dtype=np.int64)) & 1
        return float((np.abs((1 - 2 * patterns) @ moved) >= observed).mean())
    random = np.random.default_rng(seed)
    extreme = 0
    rows = max(1, _CHUNK // len(moved))
    for start in range(0, rounds, rows):
        signs = random.integers(0, 2, size=(min(rows, rounds - start), len(moved))) * 2 - 1
        extreme += int((np.abs(signs @ moved) >= observed).sum())
    return (extreme + 1) / (rounds + 1)
