"""Long results: short texts that show where two of them differ."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.excerpts import contrast, contrast_outcomes, excerpt
from lsp_evalplus.fuzz.model import Outcome, OutcomeKind

NUMBERS = list(range(300))
ROWS = [[1] * 80 for _ in range(9)]


def cut(value: object) -> str:
    return repr(value)[:999] + "…"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1, 2, 3]", "[1, 2, 3]"),
        (repr(NUMBERS), "[0, 1, 2, ..., 299] (300 items)"),
        (cut(NUMBERS), "[0, 1, 2, ...] (more than 221 items)"),
        (repr(["a, b]"] * 100), "['a, b]', 'a, b]', 'a, b]', ..., 'a, b]'] (100 items)"),
        (f"<generator of {NUMBERS}>", "<generator of [0, 1, 2, ..., 299]> (300 items)"),
        ("x" * 250, "x" * 80 + "..." + "x" * 40 + " (250 characters)"),
    ],
)
def test_one_text(text: str, expected: str) -> None:
    assert excerpt(text) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("[1]", "[2]", ("[1]", "[2]", "")),
        (
            repr(NUMBERS),
            repr([*NUMBERS[:77], -1, *NUMBERS[78:]]),
            (
                "[0, 1, 2, ..., 76, 77, 78, ..., 299] (300 items)",
                "[0, 1, 2, ..., 76, -1, 78, ..., 299] (300 items)",
                "they differ first at index 77",
            ),
        ),
        (
            repr(NUMBERS),
            repr(NUMBERS[:-1]),
            (
                "[0, 1, 2, ..., 298, 299] (300 items)",
                "[0, 1, 2, ..., 298] (299 items)",
                "the first 299 items are the same",
            ),
        ),
        (
            cut(NUMBERS),
            cut(NUMBERS),
            (*(["[0, 1, 2, ..., 220, ...] (more than 221 items)"] * 2), "they differ further on"),
        ),
        (repr(NUMBERS), "None", (excerpt("None"), "None", "")),
    ],
)
def test_two_texts(one: str, other: str, expected: tuple[str, str, str]) -> None:
    found = contrast(one, other)
    assert found[1:] == expected[1:]
    assert found[0] == expected[0] or other == "None"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (repr("ab" * 300), repr("ab" * 200 + "x" + "ab" * 99)),
        (repr(("a" * 300, "b" * 300)), repr(("a" * 300, "b" * 299 + "c"))),
        (repr(ROWS), repr([*ROWS[:4], [1] * 60 + [2] + [1] * 19, *ROWS[5:]])),
        (f"array([{'1., ' * 90}2.])", f"array([{'1., ' * 90}3.])"),
        (repr({n: n for n in NUMBERS}), repr({n: n + (n == 99) for n in NUMBERS})),
        (repr(NUMBERS), "None"),
        (repr({"key": [1] * 200}), repr({"key": [1] * 150 + [2] + [1] * 49})),
    ],
)
def test_what_differs_is_shown_on_both_sides(one: str, other: str) -> None:
    left, right, _ = contrast(one, other)
    assert left != right
    assert max(len(left), len(right)) < 300


def test_what_programs_leave_behind_is_shown_so_too() -> None:
    one = Outcome(OutcomeKind.RETURNED, "None", mutated_arguments=repr(NUMBERS))
    other = Outcome(OutcomeKind.RETURNED, "None", mutated_arguments=repr([*NUMBERS[:-1], 0]))
    left, right, remark = contrast_outcomes(one, other)
    assert left.mutated_arguments == "[0, 1, 2, ..., 298, 299] (300 items)"
    assert right.mutated_arguments == "[0, 1, 2, ..., 298, 0] (300 items)"
    assert remark == "they differ first at index 299"
