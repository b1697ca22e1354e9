"""Data frames with the columns that functions use, whose values fit what is done with them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.inference.files.frame_columns import (
    FRAME,
    imports_pandas,
    is_frame,
    used_as_frames,
    with_columns,
)
from lsp_evalplus.fuzz.guest.inference.files.stored_contents import with_contents
from lsp_evalplus.fuzz.guest.program.source_facts import Anatomy
from lsp_evalplus.fuzz.guest.values.shapes import ANYTHING, CallShape


def columns(source: str, *frames: str) -> dict[str, list[str]]:
    """Return the columns of the first frame that each parameter gets."""
    found = with_columns(dict.fromkeys(frames, ANYTHING), [Anatomy(source, "f").function])
    return {name: names_in(shape) for name, shape in found.items()}


def names_in(shape: Any) -> list[str]:
    """Return the columns of a frame, the first of several."""
    first = shape if isinstance(shape, CallShape) else shape.parts[0]
    assert is_frame(first)
    rows: Any = first.arguments[0]
    return sorted(rows.element.names)


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


CLASSES = """
from dataclasses import dataclass

class Report:
    def __init__(self, frame, limit=10):
        self._frame = frame.copy()
        self._frame["total"] = self._frame["price"] * 2
        self.limit = limit

    def large(self):
        return self._frame[self._frame["amount"] > self.limit]

    def kinds(self):
        held = self._frame
        return held.groupby("kind")["total"].sum()

class Narrow(Report):
    def named(self, frame):
        return self._frame["name"], frame["other"]

@dataclass
class Sales:
    frame: object

    def dates(self):
        return self.frame["date"].dt.month
"""
FRAMES = CallShape(FRAME, (ANYTHING,))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Report", ["amount", "kind", "price"]),
        ("Narrow", ["amount", "kind", "name", "price"]),
        ("Sales", ["date"]),
    ],
)
@pytest.mark.parametrize("sees_pandas", [True, False])
def test_the_columns_that_methods_use(
    name: str, expected: list[str], sees_pandas: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without annotation, where the file of a class imports pandas, or anything of that name."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "pandas.py").write_text("", encoding="utf-8")
    path = tmp_path / f"reports_{sees_pandas}_{name.lower()}.py"
    path.write_text("import pandas\n" * sees_pandas + CLASSES, encoding="utf-8")
    kind = getattr(importlib.import_module(path.stem), name)

    stated = with_contents(kind, {"frame": FRAMES, "limit": ANYTHING})
    untold = with_contents(kind, {"frame": ANYTHING, "limit": ANYTHING})
    sys.modules.pop("pandas", None)

    assert names_in(stated["frame"]) == expected
    assert stated["limit"] is untold["limit"] is ANYTHING
    is_told = sees_pandas and name != "Sales"
    assert (names_in(untold["frame"]) if is_told else untold["frame"]) == (expected if is_told else ANYTHING)


def test_a_library_that_cannot_be_imported_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "pandas.py").write_text("raise ValueError\n", encoding="utf-8")
    program = tmp_path / "program.py"
    program.write_text("import pandas as pd\n", encoding="utf-8")
    assert not imports_pandas(str(program))
    assert not imports_pandas(str(tmp_path / "missing.py"))
