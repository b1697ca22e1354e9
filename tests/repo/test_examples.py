"""The examples are what they say: each finding is real, and the demo shows exactly the planted ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def examples(repository: Path) -> Path:
    """Return the folder of the examples."""
    return repository / "examples"


def test_demo_succeeds(examples: Path) -> None:
    run = subprocess.run([sys.executable, str(examples / "demo.py")], capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stdout + run.stderr
    assert "as planted" in run.stdout
    assert "verified" not in run.stdout.lower()


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
