"""The examples are what they say: each finding is real, and the demo shows exactly the planted ones."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import runpy
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

# `make demo` shows the same findings; this holds them to the examples' own text.
pytestmark = pytest.mark.slow
DATES = {"datetime": dt, "date": dt.date}


@pytest.fixture(scope="module")
def examples(repository: Path) -> Path:
    """Return the folder of the examples."""
    return repository / "examples"


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment in which no earlier run is remembered."""
    return {**os.environ, "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))}


@pytest.fixture(scope="module")
def found(examples: Path, forgetful: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Return example file -> what a check of it says, as JSON."""
    files = [str(path) for path in sorted(examples.glob("*.py")) if path.name != "demo.py"]
    program = Path(sysconfig.get_path("scripts")) / "lsp-evalplus"
    command = [program, "check", *files, "--format", "json"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=forgetful)
    assert run.returncode == 1, run.stderr
    return {Path(target["path"]).name: target for target in json.loads(run.stdout)["targets"]}


@pytest.mark.slow
def test_demo_succeeds(examples: Path, forgetful: dict[str, str]) -> None:
    command = [sys.executable, str(examples / "demo.py")]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=forgetful)

    assert run.returncode == 0, run.stdout + run.stderr
    assert "as planted" in run.stdout
    assert "verified" not in run.stdout.lower()


def behaviour(path: Path, name: str, arguments: str) -> tuple[str, str]:
    """Return what a function of our own examples gives for fresh arguments, and the arguments afterwards."""
    values = eval(arguments, DATES)
    return repr(runpy.run_path(str(path))[name](*values)), repr(values)


@pytest.mark.slow
def test_every_counterexample_is_a_difference(examples: Path, found: dict[str, dict[str, Any]]) -> None:
    """Told apart here, without any part of the engine."""
    told = [target for target in found.values() if target["oracle"]["kind"] == "reference"]
    findings = {
        (Path(target["path"]).name, target["name"]): target["counterexample"]["arguments"]
        for target in told
        if target["counterexample"]
    }

    assert len(findings) == 7
    for (file, name), arguments in findings.items():
        ours, right = (behaviour(folder / file, name, arguments) for folder in (examples, examples / "references"))
        assert ours != right, f"{name}{arguments}"


@pytest.mark.parametrize(
    ("file", "call"),
    [("bill.py", "split_bill(1000, 3)"), ("pages.py", "page_count(1, 1)"), ("roman.py", "roman(400)")],
)
def test_counterexample_is_the_smallest(found: dict[str, dict[str, Any]], file: str, call: str) -> None:
    assert found[file]["counterexample"]["call"] == call


def test_picture_shows_every_example_and_loads_nothing(examples: Path, repository: Path) -> None:
    picture = (repository / "docs/images/demo.svg").read_text(encoding="utf-8")
    shown = set(re.findall(r"examples/(\w+\.py)", picture))

    assert {path.name for path in examples.glob("*.py")} - {"demo.py"} == shown
    assert "url(http" not in picture


def test_every_example_is_planted_and_described(examples: Path) -> None:
    described = (examples / "README.md").read_text()
    demo = (examples / "demo.py").read_text()

    for path in examples.glob("*.py"):
        if path.name != "demo.py":
            assert f'"{path.name}"' in demo
            assert f"[{path.name}]" in described


@pytest.mark.parametrize(
    "reference", sorted((Path(__file__).parents[2] / "examples/references").glob("*.py")), ids=lambda path: path.stem
)
def test_references_keep_their_own_examples(reference: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-B", "-m", "doctest", str(reference)], capture_output=True, text=True, check=False
    )

    assert run.returncode == 0, run.stdout + run.stderr
