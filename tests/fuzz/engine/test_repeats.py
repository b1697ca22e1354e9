"""Inputs are counted once, and a search ends when there are no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lsp_evalplus.commands.check.command import check

FINITE = [pytest.param("up: bool, down: bool", marks=pytest.mark.slow), "way: Way, fast: bool = False"]
FEW = 500
"""Inputs of the wider types are tried too."""
HEAD = "import enum\nclass Way(enum.Enum):\n    UP = 1\n    DOWN = 2\n    LEFT = 3\n"
KEEPS = "def f(up: bool, seen=[]) -> int:\n    seen.append(up)\n    return len(seen)\n"


def run(folder: Path, candidate: str, reference: str) -> Result:
    (folder / "code.py").write_text(candidate)
    (folder / "right.py").write_text(reference)
    arguments = [f"{folder / 'code.py'}::f", "--reference", f"{folder / 'right.py'}::f", "--budget", "20"]
    return CliRunner().invoke(check, arguments)


@pytest.mark.parametrize("parameters", FINITE)
def test_when_all_inputs_were_tried_the_search_ends(parameters: str, tmp_path: Path) -> None:
    source = f"{HEAD}def f({parameters}) -> str:\n    return repr(locals())\n"

    result = run(tmp_path, source, source)

    found = re.search(r" in ([\d,]+) inputs \(([\d.]+) s\)", result.output)
    assert found is not None, result.output
    assert 4 <= int(found[1].replace(",", "")) <= FEW
    assert float(found[2]) < 20


def test_what_a_function_keeps_between_calls_shows_though_its_inputs_are_few(tmp_path: Path) -> None:
    result = run(tmp_path, KEEPS, "def f(up: bool) -> int:\n    return 1\n")

    assert "it keeps state between calls" in result.output
