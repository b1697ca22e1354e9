"""References of the functions in `functions.py`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator


def total(numbers: list[int]) -> int:
    return sum(numbers)


def largest(numbers: list[int]) -> int:
    if not numbers:
        raise ValueError("no numbers")
    return max(numbers)


def reverse(text: str) -> str:
    return text[::-1]


def evens(limit: int) -> Iterator[int]:
    yield from range(0, limit, 2)


async def delayed(number: int) -> int:
    await asyncio.sleep(0)
    return number + 1


async def counted(limit: int) -> AsyncIterator[int]:
    for number in range(limit):
        yield number


def halve(number: int) -> int:
    while number > 10:
        number //= 2
    return number


def unusable(number: int) -> int:
    return undefined_name(number)  # noqa: F821


class Box:
    def __init__(self, content: int = 0) -> None:
        self.content = content

    def add(self, number: int) -> int:
        self.content += number
        return self.content
