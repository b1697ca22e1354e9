"""Data sets for runs on several machines."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


@pytest.fixture
def make_tasks() -> Callable[[Iterable[int]], list[dict[str, Any]]]:
    """Make the rows of tasks whose functions multiply by a number."""

    def make(numbers: Iterable[int]) -> list[dict[str, Any]]:
        return [
            {
                "task_id": f"Own/{number}",
                "prompt": "def f(x):\n",
                "entry_point": "f",
                "canonical_solution": f"    return x * {number}\n",
                "contract": "",
                "base_input": [[1], [2]],
                "plus_input": [[10**20], [-3]],
                "atol": 0,
            }
            for number in numbers
        ]

    return make
