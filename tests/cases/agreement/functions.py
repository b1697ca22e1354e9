"""Forty functions of many kinds, each with the verdict and the oracle that both front ends are to give.

A comment ``# verdict: …`` stands above each function, before other comments; methods say it of their class and name.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator


# verdict: agrees reference
# lsp-evalplus: reference=right.py::total
def total_right(numbers: list[int]) -> int:
    result = 0
    for number in numbers:
        result += number
    return result


# verdict: differs reference
# lsp-evalplus: reference=right.py::total
def total_wrong(numbers: list[int]) -> int:
    return sum(numbers[1:])


# verdict: differs reference
# lsp-evalplus: reference=right.py::total
def total_wrong_in_its_example_too(numbers: list[int]) -> int:
    """
    >>> total_wrong_in_its_example_too([1, 2])
    3
    """
    return sum(numbers[1:])


# verdict: agrees reference
# lsp-evalplus: reference=right.py::total
def total_right_with_a_wrong_example(numbers: list[int]) -> int:
    return sum(sorted(numbers))


# verdict: agrees reference
# lsp-evalplus: reference=right.py::largest
def largest_right(numbers: list[int]) -> int:
    if len(numbers) == 0:
        raise ValueError("no numbers")
    return sorted(numbers)[-1]


# verdict: differs reference
# lsp-evalplus: reference=right.py::largest
def largest_wrong(numbers: list[int]) -> int:
    best = 0
    for number in numbers:
        best = max(best, number)
    if not numbers:
        raise ValueError("no numbers")
    return best


# verdict: differs reference
# lsp-evalplus: reference=right.py::reverse
def reverse_wrong(text: str) -> str:
    return text.strip()[::-1]


# verdict: agrees reference
# lsp-evalplus: reference=right.py::evens
def evens_right(limit: int) -> Iterator[int]:
    for number in range(limit):
        if number % 2 == 0:
            yield number


# verdict: differs reference
# lsp-evalplus: reference=right.py::evens
def evens_wrong(limit: int) -> Iterator[int]:
    yield from range(2, limit, 2)


# verdict: agrees reference
# lsp-evalplus: reference=right.py::delayed
async def delayed_right(number: int) -> int:
    await asyncio.sleep(0)
    return 1 + number


# verdict: differs reference
# lsp-evalplus: reference=right.py::delayed
async def delayed_wrong(number: int) -> int:
    await asyncio.sleep(0)
    return abs(number) + 1


# verdict: differs reference
# lsp-evalplus: reference=right.py::counted
async def counted_wrong(limit: int) -> AsyncIterator[int]:
    for number in range(limit):
        if number != 1:
            yield number


# verdict: differs reference
# lsp-evalplus: reference=right.py::halve
def halve_without_end(number: int) -> int:
    while number > 10:
        number = number
    return number


# verdict: not_checked reference
# lsp-evalplus: reference=right.py::unusable
def with_an_unusable_reference(number: int) -> int:
    """
    >>> with_an_unusable_reference(2)
    3
    """
    return number + 1


# verdict: differs examples
# lsp-evalplus: reference=right.py::unusable
def wrong_with_an_unusable_reference(number: int) -> int:
    """
    >>> wrong_with_an_unusable_reference(2)
    3
    """
    return number + 2


# verdict: agrees previous
def unchanged_but_for_words(number: int) -> int:
    return 2 * number


# verdict: differs previous
def changed(number: int) -> int:
    return number * 2 + 1


# verdict: differs examples
def changed_against_its_examples(number: int) -> int:
    """
    >>> changed_against_its_examples(3)
    6
    """
    return number * 2 + 1


# verdict: differs examples
def the_same_and_wrong(number: int) -> int:
    """
    >>> the_same_and_wrong(4)
    8
    """
    return 2 + number


# verdict: differs contract
def changed_and_broken(number: int) -> int:
    assert number < 100
    result = number
    assert result >= 0
    return result


# verdict: agrees previous
# lsp-evalplus: refactoring
def refactored(numbers: list[int]) -> list[int]:
    result = list(numbers)
    result.sort()
    return result


# verdict: differs previous
# lsp-evalplus: refactoring
def refactored_badly(numbers: list[int]) -> list[int]:
    return sorted(set(numbers))


# verdict: differs examples
# lsp-evalplus: refactoring
def refactored_and_wrong(number: int) -> int:
    """
    >>> refactored_and_wrong(4)
    8
    """
    return 2 + number


# verdict: agrees examples
def with_a_right_doctest(text: str) -> str:
    """
    >>> with_a_right_doctest("ab")
    'AB'
    """
    return text.upper()


# verdict: differs examples
def with_a_wrong_doctest(text: str) -> str:
    """
    >>> with_a_wrong_doctest("ab")
    'AB'
    """
    return text.title()


# verdict: differs examples
def with_two_examples_in_prose(number: int) -> int:
    """with_two_examples_in_prose(2) == 4 and with_two_examples_in_prose(3) == 9"""
    return number * 2


# verdict: agrees examples
def prints_what_it_says(name: str) -> None:
    """
    >>> prints_what_it_says("you")
    hello you
    """
    print("hello", name)


# verdict: differs examples
def prints_something_else(name: str) -> None:
    """
    >>> for each in ["you", "me"]:
    ...     prints_something_else(each)
    hello you
    hello me
    """
    print("bye", name)


# verdict: agrees contract
def with_a_contract_that_holds(number: int) -> int:
    assert number > 0
    result = number * number
    assert result >= number
    return result


# verdict: differs contract
def with_a_contract_that_breaks(number: int) -> int:
    assert number >= 0
    result = number * number
    assert result > number
    return result


# verdict: differs contract
def with_an_example_and_a_broken_contract(number: int) -> int:
    """
    >>> with_an_example_and_a_broken_contract(5)
    25
    """
    assert number >= 0
    result = number * number
    assert result > number
    return result


# verdict: differs annotation
def that_returns_another_type(number: int) -> int:
    return number if number < 7 else str(number)


# verdict: agrees annotation
def that_keeps_its_annotation(number: int) -> str:
    return str(number)


# verdict: differs robustness
def that_is_not_robust(numbers: list[int]) -> int:
    return numbers[0]


# verdict: agrees robustness
def that_is_robust(first: int, second: list[int]):
    return [first, *second]


# verdict: not_checked -
def that_reads(path: str) -> str:
    """
    >>> that_reads("a")
    'b'
    """
    return open(path).read()


# verdict: not_checked -
# lsp-evalplus: off
def that_is_switched_off(number: int) -> int:
    """
    >>> that_is_switched_off(1)
    2
    """
    return number


class Counter:
    def __init__(self) -> None:
        self.count = 0

    # verdict: differs previous
    def step(self, by: int = 1) -> int:
        self.count += abs(by)
        return self.count


class Box:
    def __init__(self, content: int = 0) -> None:
        self.content = content

    # verdict: differs examples
    @staticmethod
    def size(text: str) -> int:
        """
        >>> Box.size("abc")
        3
        """
        return len(set(text)) - 1

    # verdict: agrees examples
    @classmethod
    def of(cls, number: int) -> int:
        """
        >>> Box.of(2)
        2
        """
        return cls(number).content
