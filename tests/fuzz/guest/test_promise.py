"""Number types against annotations: what the numeric tower of PEP 484 allows is kept."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.hints import shape_of_hint
from lsp_evalplus.fuzz.guest.promise import is_broken, numeric_promise

TABLE: list[tuple[Any, Any, Any, bool]] = [
    (int, 1, 1.0, True),
    (int, 1, True, False),
    (bool, True, 1, True),
    (bool, False, 0.0, True),
    (list[int], [1, 2], [1, 2.0], True),
    (list[int], [1, 2], [1, 2], False),
    (tuple[int, float], (1, 2.0), (1, 2), False),
    (tuple[int, float], (1, 2.0), (1.0, 2.0), True),
    (dict[str, int], {"a": 1}, {"a": 1.0}, True),
    (int | None, None, None, False),
    (int | float, 1, 1.0, False),
    (int, 1.0, 1.0, False),
    (int, 2.0, 2, False),
]


@pytest.mark.parametrize(("hint", "expected", "actual", "broken"), TABLE)
def test_promise(hint: Any, expected: Any, actual: Any, broken: bool) -> None:
    promise = numeric_promise(shape_of_hint(hint))

    assert promise is not None
    assert is_broken(promise, expected, actual) is broken


@pytest.mark.parametrize("hint", [float, str, list[str], Any, object, None])
def test_annotations_without_whole_numbers_promise_nothing_more(hint: Any) -> None:
    assert numeric_promise(shape_of_hint(hint)) is None
