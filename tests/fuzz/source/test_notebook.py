"""Notebooks as Python source: lines stay where they are, and what only IPython understands is left out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lsp_evalplus.fuzz.source.notebook import blank_magics, read_notebook


def notebook(*cells: tuple[str, Any]) -> str:
    return json.dumps({"cells": [{"cell_type": kind, "source": source} for kind, source in cells], "nbformat": 4})


@pytest.mark.parametrize(
    ("text", "blanked"),
    [
        ("x = 1\n  %time x\n!ls -l\n?x\ny = x % 2", "x = 1\n  pass\npass\npass\ny = x % 2"),
        ("%%bash\nls\n", "\n\n"),
        ("%%time\nx = 1\n", "pass\nx = 1\n"),
    ],
)
def test_magics(text: str, blanked: str) -> None:
    assert blank_magics(text) == blanked


def test_cells_and_lines() -> None:
    found = read_notebook(notebook(("markdown", "# Title"), ("code", ["x = 1\n", "y = 2"]), ("code", "z = 3\nw = 4")))
    assert found.text == "x = 1\ny = 2\nz = 3\nw = 4\n"
    assert [found.place_of(line) for line in range(4)] == [(2, 1), (2, 2), (3, 1), (3, 2)]
    assert (found.line_of(3, 2), found.line_of(1, 1)) == (3, None)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"cells": [{}]}', "not JSON", '{"cells": 3}'])
def test_what_is_no_notebook(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the message is of the JSON decoder or of ours
        read_notebook(text)
