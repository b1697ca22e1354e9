"""The version of `functions.py` that was committed."""

from __future__ import annotations


def unchanged_but_for_words(number: int) -> int:
    return number * 2


def changed(number: int) -> int:
    return number * 2


def changed_against_its_examples(number: int) -> int:
    """
    >>> changed_against_its_examples(3)
    6
    """
    return number * 2


def the_same_and_wrong(number: int) -> int:
    """
    >>> the_same_and_wrong(4)
    8
    """
    return number + 2


def changed_and_broken(number: int) -> int:
    assert number < 100
    result = abs(number)
    assert result >= 0
    return result


# lsp-evalplus: refactoring
def refactored(numbers: list[int]) -> list[int]:
    return sorted(numbers)


# lsp-evalplus: refactoring
def refactored_badly(numbers: list[int]) -> list[int]:
    return sorted(numbers)


# lsp-evalplus: refactoring
def refactored_and_wrong(number: int) -> int:
    """
    >>> refactored_and_wrong(4)
    8
    """
    return number + 2


class Counter:
    def __init__(self) -> None:
        self.count = 0

    def step(self, by: int = 1) -> int:
        self.count += by
        return self.count
