"""Counting lines: the number decides, whatever the call does against it, and nothing is traced afterwards."""

from __future__ import annotations

import contextlib
import sys

import pytest

from lsp_evalplus.fuzz.guest.surroundings.steps import SECONDS_A_STEP, exceeds, is_quick


def _loops(count: int) -> None:
    for _ in range(count):
        pass


def _swallows(count: int) -> None:
    with contextlib.suppress(Exception):
        _loops(count)


@pytest.mark.parametrize("function", [_loops, _swallows])
@pytest.mark.parametrize(("count", "is_too_many"), [(10, False), (10_000, True)])
def test_more_lines_than_allowed_are_told(function: object, count: int, *, is_too_many: bool) -> None:
    assert callable(function)
    assert exceeds(lambda: function(count), 1000) is is_too_many
    assert sys.gettrace() is None


def test_an_exception_of_the_call_is_its_own() -> None:
    with pytest.raises(ZeroDivisionError):
        exceeds(lambda: 1 // 0, 1000)
    assert sys.gettrace() is None


def test_what_takes_less_than_its_lines_can_is_quick() -> None:
    assert is_quick(1000 * SECONDS_A_STEP, 1000)
    assert not is_quick(1001 * SECONDS_A_STEP, 1000)
