"""Divisors, beside those that are found by trying every number."""

from __future__ import annotations

import random

import pytest

from lsp_evalplus.fuzz.guest.static.divisors import LARGEST, divisors_of, is_prime, next_divisor


def test_small_numbers():
    for number in range(1, 3000):
        tried = [divisor for divisor in range(1, number + 1) if number % divisor == 0]
        assert divisors_of(number) == tried
        assert number == 1 or is_prime(number) == (tried == [1, number])


@pytest.mark.parametrize(
    "factors",
    [
        (2,) * 81,
        (3,) * 51,
        (9973, 9973),
        (1009, 1009, 1009),
        (1000003, 1000003),
        (9375829, 86020717),
        (99194853094755497,),
        (9999999967,),
        (1299709, 15485863, 32452843),
        (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47),
        (1000000007, 1000000009),
        # What the first one, two, four, nine and twelve witnesses take for prime (A014233 of the OEIS).
        (23, 89),
        (829, 1657),
        (151, 751, 28351),
        (149491, 747451, 34233211),
        (399165290221, 798330580441),
    ],
)
def test_products_of_primes(factors: tuple[int, ...]):
    number = 1
    for factor in factors:
        number *= factor
    assert number <= LARGEST
    found = divisors_of(number)
    expected = {1}
    for factor in factors:
        expected |= {factor * divisor for divisor in expected}

    assert found == sorted(expected)
    assert is_prime(number) == (len(factors) == 1)


def test_random_products():
    rng = random.Random(3)
    for _ in range(60):
        one, other = rng.randrange(2, 10**6), rng.randrange(2, 10**6)
        found = divisors_of(one * other)
        assert {one, other, one * other} <= set(found)
        assert all(one * other % divisor == 0 for divisor in found)
        assert len(set(found)) == len(found)


def test_the_next_divisor():
    divisors = divisors_of(60)

    assert next_divisor(divisors, 1, 1) == 1
    assert next_divisor(divisors, 7, 1) == 10
    assert next_divisor(divisors, 7, 2) == 15
    assert next_divisor(divisors, 31, 2) is None
    assert next_divisor(divisors, 60, 7) == 60
    assert next_divisor(divisors, 61, 1) is None
