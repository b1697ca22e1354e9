"""Statistics of a trace: the types of the arguments of a call, and which steps of a shrinking are shown."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.engine.tried_inputs import choose_steps, kind_of


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("f()", ""),
        ("f(-1, 2.5, None, True)", "int, float, None, bool"),
        ("f([], (1, 'a'), {1, 2.0, 'x'}, {'a': [1]})", "list[], tuple[int | str], set[...], dict[list[int]]"),
        ("f(Point(1), x=decimal.Decimal('1'), **{'k': 1})", "Point, x=Decimal, **=dict[int]"),
        ("f(a + b)", "object"),
        ("f([1, 2", None),
        ("f([1, 2…", None),
        ("x", None),
        ("(f(0), f(0))[-1]", None),
    ],
)
def test_kind_of_a_call(call: str, kind: str | None) -> None:
    assert kind_of(call) == kind


@pytest.mark.parametrize("number", [0, 1, 7, 8, 9, 40])
def test_chosen_steps_begin_and_end_with_the_first_and_the_last(number: int) -> None:
    calls = [str(place) for place in range(number)]

    chosen = choose_steps(calls, 8)

    assert len(chosen) == min(number, 8)
    assert chosen[:1] + chosen[-1:] == calls[:1] + calls[-1:]
    assert sorted(set(chosen), key=int) == chosen
