"""pass@k against counting, intervals against published figures, tests against hand-computed p-values."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from lsp_evalplus.bench.results.passk import bootstrap_mean, estimate, mcnemar, pass_at_k, sign_flip_test, wilson


@pytest.mark.parametrize(
    ("total", "correct", "k"), [(n, c, k) for n in range(1, 7) for c in range(n + 1) for k in range(1, n + 1)]
)
def test_estimator_is_the_share_of_draws_with_a_right_sample(total: int, correct: int, k: int) -> None:
    draws = list(combinations(range(total), k))
    share = sum(any(number < correct for number in draw) for draw in draws) / len(draws)
    assert pass_at_k(total, correct, k) == pytest.approx(share)


@pytest.mark.parametrize(("total", "correct", "k"), [(1, 1, 2), (1, 2, 1), (3, -1, 1), (3, 1, 0)])
def test_estimator_refuses_what_is_not_defined(total: int, correct: int, k: int) -> None:
    with pytest.raises(ValueError, match="not defined"):
        pass_at_k(total, correct, k)


# Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
@pytest.mark.parametrize(
    ("right", "total", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_interval(right: int, total: int, low: float, high: float) -> None:
    assert wilson(right, total) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_single_samples_get_wilsons_interval() -> None:
    found = estimate([(1, 1)] * 8 + [(1, 0)] * 2, 1)
    assert (found.value, found.method) == (0.8, "wilson")
    assert (found.low, found.high) == wilson(8, 10)


def test_several_samples_get_a_bootstrap_that_a_seed_repeats() -> None:
    counts = [(97, 7 * number % 97) for number in range(1, 60)]
    one, again, other = (estimate(counts, 1, seed=seed) for seed in (3, 3, 4))
    assert one == again
    assert (one.low, one.high) != (other.low, other.high)
    assert one.method == "bootstrap"
    assert one.low < one.value < one.high


def test_bootstrap_is_near_the_normal_interval() -> None:
    values = np.random.default_rng(1).normal(size=400)
    half = 1.96 * values.std() / 20
    low, high = bootstrap_mean(values)
    assert (low, high) == (pytest.approx(values.mean() - half, abs=0.01), pytest.approx(values.mean() + half, abs=0.01))


def test_degenerate_scores_do_not_get_an_interval_without_width() -> None:
    assert estimate([(10, 10)] * 5, 10).high - estimate([(10, 10)] * 5, 10).low > 0.3
    assert estimate([(2, 1)], 1).method == "none"
    same = estimate([(10, 3)] * 20, 1)
    assert (same.low, same.high) == (pytest.approx(wilson(6, 20)[0]), pytest.approx(wilson(6, 20)[1]))
    assert estimate([(3, 1), (6, 2)] * 4, 1).method == "wilson"


def test_mcnemar_against_binomial_tails() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(0, 5) == pytest.approx(2 / 32)
    assert mcnemar(1, 7) == pytest.approx(2 * 9 / 256)
    assert mcnemar(4, 4) == 1.0


def test_sign_flip_test_exact_and_sampled() -> None:
    assert sign_flip_test([0.0, 0.0]) == 1.0
    assert sign_flip_test([1.0] * 5 + [0.0]) == pytest.approx(2 / 32)
    many = [0.1] * 15 + [-0.1] * 5
    exact = mcnemar(15, 5)
    assert sign_flip_test(many, seed=1) == pytest.approx(exact, abs=0.005)
    assert sign_flip_test(many, seed=1) == sign_flip_test(many, seed=1)
