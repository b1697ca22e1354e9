"""The measuring script says what it misses, and its figures hold on a few cases of the development sets."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "measure.py"


def measure(*options: str, data: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LSP_EVALPLUS_DATA": data}
    return subprocess.run(
        [sys.executable, str(SCRIPT), *options],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=280,
    )


def test_without_data_it_says_what_to_do(tmp_path: Path) -> None:
    done = measure(data=str(tmp_path))

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "LSP_EVALPLUS_DATA must name a folder with wrong_dev.jsonl; see docs/finder-measured.md.\n"


@pytest.mark.dataset
@pytest.mark.slow
def test_figures_on_a_few_cases() -> None:
    data = os.environ.get("LSP_EVALPLUS_DATA", "")
    if not (Path(data) / "wrong_dev.jsonl").is_file():
        pytest.skip("LSP_EVALPLUS_DATA does not name a folder with wrong_dev.jsonl")

    done = measure("--limit", "25", "--budgets", "1", "--seeds", "1", data=data)

    assert done.returncode == 0, done.stderr
    found = re.findall(r"\| (\d+)/(\d+) \(", done.stdout)
    assert [total for _, total in found] == ["25", "25"]
    assert all(int(count) >= 23 for count, _ in found), done.stdout
    assert int(re.findall(r"([\d,]+) calls/s", done.stdout)[0].replace(",", "")) > 0
