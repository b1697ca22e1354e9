"""Inputs are counted once, and a search ends when there are no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lsp_evalplus.commands.check import check

FINITE = [
    ("up: bool, down: bool", 4),
    ("way: Way, fast: bool = False", 6),
]
HEAD = "import enum\nclass Way(enum.Enum):\n    UP = 1\n    DOWN = 2\n    LEFT = 3\n"
KEEPS = "calls = []\ndef f(up: bool) -> int:\n    calls.append(up)\n    return 1 if len(calls) < 20 else 2\n"


def run(folder: Path, candidate: str, reference: str) -> Result:
    (folder / "code.py").write_text(candidate)
    (folder / "right.py").write_text(reference)
    arguments = [f"{folder / 'code.py'}::f", "--reference", f"{folder / 'right.py'}::f", "--budget", "20"]
    return CliRunner().invoke(check, arguments)


@pytest.mark.parametrize(("parameters", "count"), FINITE, ids=[name for name, _ in FINITE])
def test_when_all_inputs_were_tried_the_search_ends(parameters: str, count: int, tmp_path: Path) -> None:
    source = f"{HEAD}def f({parameters}) -> str:\n    return repr(locals())\n"

    result = run(tmp_path, source, source)

    assert f" in {count} inputs" in result.output
    assert float(result.output.split("(")[1].split(" s)")[0]) < 10


def test_what_a_function_keeps_between_calls_shows_though_its_inputs_are_few(tmp_path: Path) -> None:
    result = run(tmp_path, KEEPS, "def f(up: bool) -> int:\n    return 1\n")

    assert " in 2 inputs" not in result.output
