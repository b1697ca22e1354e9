"""The divisors of integers, without dividing by one number after the other."""

from __future__ import annotations

import math
from bisect import bisect_left

LARGEST = 3_317_044_064_679_887_385_961_980
"""Above it, the test for primes would be none (Sorenson and Webster, Math. Comp. 86, 2017)."""
_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
_FIRST = 1_000
"""Numbers that are tried one by one before anything else."""


def is_prime(number: int) -> bool:
    """Whether a number from 2 to `LARGEST` is prime: the test of Miller and Rabin with witnesses that suffice."""
    for witness in _WITNESSES:
        if number % witness == 0:
            return number == witness
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_is_like_prime(number, witness, odd, twos) for witness in _WITNESSES)


def _is_like_prime(number: int, witness: int, odd: int, twos: int) -> bool:
    power = pow(witness, odd, number)
    if power in (1, number - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False


def divisors_of(number: int) -> list[int]:
    """All divisors of a number from 1 to `LARGEST`, in order."""
    found = [1]
    for prime, count in _factors(number).items():
        powers = [prime**power for power in range(count + 1)]
        found = [divisor * power for divisor in found for power in powers]
    return sorted(found)


def next_divisor(divisors: list[int], least: int, step: int) -> int | None:
    """The first of the divisors that is `least`, or so many steps after it; None if there is none."""
    for divisor in divisors[bisect_left(divisors, least) :]:
        if (divisor - least) % step == 0:
            return divisor
    return None


def _factors(number: int) -> dict[int, int]:
    """The prime factors, each with its power."""
    found: dict[int, int] = {}
    for small in range(2, _FIRST):
        while number % small == 0:
            found[small] = found.get(small, 0) + 1
            number //= small
    pending = [number] if number > 1 else []
    while pending:
        part = pending.pop()
        if part < _FIRST * _FIRST or is_prime(part):
            found[part] = found.get(part, 0) + 1
        else:
            factor = _some_factor(part)
            pending += [factor, part // factor]
    return found


def _some_factor(number: int) -> int:
    """A factor of a composite number without small ones: Pollard's rho (BIT 15, 1975)."""
    root = math.isqrt(number)
    if root * root == number:
        return root
    shift = 0
    while True:
        shift += 1
        slow = fast = 2
        before = slow, fast
        factor = 1
        while factor == 1:
            product = 1
            before = slow, fast
            for _ in range(64):
                slow = (slow * slow + shift) % number
                fast = (fast * fast + shift) % number
                fast = (fast * fast + shift) % number
                product = product * (slow - fast) % number
            factor = math.gcd(product, number)
        if factor == number:
            # Several factors came at once: the steps are taken again, one by one.
            slow, fast = before
            factor = 1
            while factor == 1:
                slow = (slow * slow + shift) % number
                fast = (fast * fast + shift) % number
                fast = (fast * fast + shift) % number
                factor = math.gcd(slow - fast, number)
        if factor != number:
            return factor
