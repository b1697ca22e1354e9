"""k-fold greedy cover: few inputs such that each program is killed by k of those that kill it, or by all there are.

Greedy set cover (Johnson, 1974; Chvatal, 1979), which the paper of EvalPlus uses with k = 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence


def bits_of(bits: int) -> Iterator[int]:
    """The positions of the ones of a bit set, ascending."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def greedy_cover(
    killers: Sequence[int], folds: int, preference: Mapping[int, float] | None = None, rare: int = 0
) -> list[int]:
    """Choose inputs until `folds` of them kill each program, in the order they are chosen.

    A program that at most `rare` inputs kill is killed by all of these.

    `killers` has a bit set of inputs for each program. Of inputs that kill equally many programs the one with the
    higher `preference` is chosen, then the one with the smaller index.
    """
    counts = [bits.bit_count() for bits in killers]
    needs = {place: total if total <= rare else min(folds, total) for place, total in enumerate(counts)}
    victims: dict[int, list[int]] = {}
    gains: Counter[int] = Counter()
    for place, bits in enumerate(killers):
        for index in bits_of(bits):
            victims.setdefault(index, []).append(place)
            gains[index] += 1
    liked = preference or {}
    chosen: list[int] = []
    open_needs = sum(needs.values())
    while open_needs:
        best = min(gains, key=lambda index: (-gains[index], -liked.get(index, 0.0), index))
        chosen.append(best)
        del gains[best]
        for place in victims[best]:
            if not needs[place]:
                continue
            needs[place] -= 1
            open_needs -= 1
            if not needs[place]:
                for index in bits_of(killers[place]):
                    if index in gains:
                        gains[index] -= 1
    return chosen
