"""Data frames with the columns that functions use, whose values fit what is done with them."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.inference.records.frame_columns import is_frame, used_as_frames, with_columns
from lsp_evalplus.fuzz.guest.program.source_facts import Anatomy
from lsp_evalplus.fuzz.guest.values.shapes import ANYTHING, CallShape


def columns(source: str, *frames: str) -> dict[str, list[str]]:
    """Return the columns of the first frame that each parameter gets."""
    found = with_columns(dict.fromkeys(frames, ANYTHING), [Anatomy(source, "f").function])
    shown: dict[str, list[str]] = {}
    for name, shape in found.items():
        first: Any = shape if isinstance(shape, CallShape) else shape.parts[0]  # type: ignore[attr-defined]
        assert is_frame(first)
        shown[name] = sorted(first.arguments[0].element.names)
    return shown


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x['a'] * x['b']", ["a", "b"]),
        ("return x.groupby('a', as_index=False)['b'].sum()", ["a", "b"]),
        ("x['c'] = x['a'] + 1\n    return x['c']", ["a"]),
        ("return x.assign(c=x['a']).sort_values('c')", ["a"]),
        ("x = x.dropna(subset=['a'])\n    return x[x['b'] > 0]", ["a", "b"]),
        ("return x.merge(x, on='a', how='left')[['a', 'b']]", ["a", "b"]),
        ("return x.loc[x['a'] > 0, 'b']", ["a", "b"]),
        ("for key, part in x.groupby('a'):\n        print(part['b'])", ["a", "b"]),
        ("return x['a'].fillna('b')", ["a"]),
        ("return x.rename(columns={'a': 'b'})['b']", ["a"]),
    ],
)
def test_columns(body: str, expected: list[str]) -> None:
    assert columns(f"def f(x):\n    {body}\n", "x") == {"x": expected}


def test_the_columns_of_several_frames() -> None:
    source = "def f(x, y):\n    z = x.merge(y, on='k')\n    return z['a'] - x['b']\n"
    assert columns(source, "x", "y") == {"x": ["a", "b", "k"], "y": ["k"]}


def test_frames_without_annotation() -> None:
    function = Anatomy("def f(x, y):\n    return x.groupby('a').size(), y.groups\n", "f").function
    assert used_as_frames(function, ["x", "y"]) == ["x"]
