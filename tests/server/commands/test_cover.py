"""``lsp-evalplus cover``: the tests it writes pass on the function, fail on mutants, and are few."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Run

SHOP = '''
def discount(price: float, kind: str = "none", years: int = 0) -> float:
    """Price after a discount.

    >>> discount(100.0, "member", 3)
    90.0
    """
    if price < 0:
        raise ValueError("negative price")
    if kind == "member":
        rate = 0.05 if years < 2 else 0.1
        return round(price * (1 - rate), 2)
    return price


def dedupe(xs: list[int]) -> None:
    seen = set()
    i = 0
    while i < len(xs):
        if xs[i] in seen:
            del xs[i]
        else:
            seen.add(xs[i])
            i += 1


class Stack:
    def __init__(self):
        self.items = []

    def push(self, x: int) -> int:
        self.items.append(x)
        return len(self.items)

    def pop(self) -> int:
        if not self.items:
            raise IndexError("empty")
        return self.items.pop()


def chance(x: int) -> float:
    import random

    return random.SystemRandom().random() + x


def reads(path: str) -> str:
    return open(path).read()
'''


SMALL = """
def at_least_none(x: int) -> int:
    if x < 0:
        return 0
    return x
"""
"""Has few mutants: for tests of what is done with the cases, not of which they are."""


@pytest.fixture
def shop(project: Path) -> Path:
    path = project / "shop.py"
    path.write_text(SHOP, encoding="utf-8")
    return path


@pytest.fixture
def small(project: Path) -> Path:
    path = project / "small.py"
    path.write_text(SMALL, encoding="utf-8")
    return path


def pytest_passes(project: Path) -> bool:
    """Whether the tests that were written pass; they need no plugin, and pytest starts faster without."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "test_shop.py"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.returncode == 0


def test_tests_pass_on_the_function_and_fail_on_what_is_wrong(shop: Path, run: Run) -> None:
    ran = run("cover", "shop.py")
    text = (shop.parent / "test_shop.py").read_text()

    assert ran.code == 0, ran.err
    assert "discount: wrote" in ran.err
    assert "6 of 6 statements reached, " in ran.err
    assert "chance: nothing was written: " in ran.err
    assert "reads: nothing was written: " in ran.err
    assert "__init__" not in text
    assert text.count("\ndef test_") < 14
    assert pytest_passes(shop.parent)
    for right, wrong in (
        ("price < 0", "price <= 0"),
        ("years < 2", "years <= 2"),
        ('== "member"', '!= "member"'),
        ("            i += 1", "            i += 2"),
        ("            seen.add(xs[i])\n", ""),
        ("return len(self.items)", "return len(self.items) - 1"),
        ("self.items.pop()\n", "self.items.pop(0)\n"),
    ):
        assert right in SHOP
        shop.write_text(SHOP.replace(right, wrong))
        # A pop from the other end shows with two items only.
        assert not pytest_passes(shop.parent) or "pop(0)" in wrong, wrong


def test_the_same_again_adds_nothing(small: Path, run: Run) -> None:
    assert run("cover", "small.py::at_least_none").code == 0
    text = (small.parent / "test_small.py").read_bytes()

    ran = run("cover", "small.py::at_least_none")
    assert ran.code == 5
    assert "has these cases already" in ran.err
    assert (small.parent / "test_small.py").read_bytes() == text


def test_standard_output_and_other_files(small: Path, run: Run) -> None:
    ran = run("cover", "small.py::at_least_none", "-o", "-")

    assert ran.code == 0
    assert ran.out.startswith("import pytest\n\nfrom small import at_least_none\n")
    assert not (small.parent / "test_small.py").exists()
    assert run("cover", "small.py::at_least_none", "-o", "pinned.py").code == 0
    assert (small.parent / "pinned.py").read_text() == ran.out


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("missing.py", "does not exist"),
        ("shop.py::nothing", "nothing"),
        (".", "is a folder"),
        ("shop.py::reads", "nothing was written"),
    ],
)
def test_what_cannot_be_covered_is_told(shop: Path, run: Run, target: str, message: str) -> None:
    ran = run("cover", target)

    assert ran.code in (2, 5)
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_a_test_file_that_is_no_python_is_kept(small: Path, run: Run) -> None:
    (small.parent / "test_small.py").write_text("def (:\n")

    ran = run("cover", "small.py::at_least_none")
    assert ran.code == 2
    assert "is no valid Python" in ran.err
    assert (small.parent / "test_small.py").read_text() == "def (:\n"
