"""Covers: each program is killed as often as asked, by few inputs, and the same ones each time."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from lsp_evalplus.fuzz.covering.set_cover import bits_of, greedy_cover


def kills(killers: list[int], chosen: tuple[int, ...], folds: int) -> bool:
    found = sum(1 << index for index in chosen)
    return all((bits & found).bit_count() >= min(folds, bits.bit_count()) for bits in killers)


@pytest.mark.parametrize("folds", [1, 2, 3])
def test_covers_are_complete_and_near_the_optimum(folds: int) -> None:
    chance = random.Random(folds)
    for _ in range(40):
        killers = [chance.getrandbits(8) & chance.getrandbits(8) for _ in range(chance.randint(1, 7))]
        chosen = greedy_cover(killers, folds)
        assert kills(killers, tuple(chosen), folds), (killers, chosen)
        assert len(set(chosen)) == len(chosen)
        least = next(
            size for size in range(9) if any(kills(killers, some, folds) for some in combinations(range(8), size))
        )
        assert least <= len(chosen) <= least + 1, (killers, chosen, least)


@pytest.mark.parametrize(
    ("killers", "folds", "preference", "chosen"),
    [
        ([], 3, {}, []),
        ([0], 1, {}, []),
        ([0b110], 1, {}, [1]),  # Ties go to the smaller index,
        ([0b110], 1, {2: 0.5}, [2]),  # unless another one is preferred.
        ([0b011, 0b110, 0b100], 1, {}, [1, 2]),
        ([0b111], 5, {}, [0, 1, 2]),
    ],
)
def test_what_is_chosen(killers: list[int], folds: int, preference: dict[int, float], chosen: list[int]) -> None:
    assert greedy_cover(killers, folds, preference) == chosen


def test_all_inputs_that_kill_a_rarely_killed_program_are_chosen() -> None:
    killers = [0b0011, 0b11100]
    assert greedy_cover(killers, 1) == [0, 2]
    assert greedy_cover(killers, 1, rare=2) == [0, 1, 2]
    assert greedy_cover(killers, 1, rare=3) == [0, 1, 2, 3, 4]


def test_positions_of_bits() -> None:
    assert list(bits_of(1 << 700 | 0b101)) == [0, 2, 700]
