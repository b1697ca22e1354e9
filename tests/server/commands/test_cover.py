"""``lsp-evalplus cover``: the tests it writes pass on the function, fail on mutants, and are few."""

from __future__ import annotations

import json
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
COVER_SMALL = ("cover", "small.py::at_least_none", "--budget", "0.05")


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


OUTCOMES = """
import json, os, sys, pytest
for text in json.load(sys.stdin):
    with open("shop.py", "w", encoding="utf-8") as file:
        file.write(text)
    sys.modules.pop("shop", None)
    sys.modules.pop("test_shop", None)
    code = int(pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", ".", "test_shop.py"]))
    os.write(2, b"%d\\n" % code)
"""


def exit_codes(project: Path, programs: list[str]) -> list[int]:
    """What pytest says of the tests that were written beside each program; it needs no plugin, and starts faster
    without."""
    done = subprocess.run(
        [sys.executable, "-B", "-c", OUTCOMES],
        cwd=project,
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        check=True,
        timeout=280,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    return [int(line) for line in done.stderr.splitlines()]


WRONG = [
    ("price < 0", "price <= 0"),
    ("years < 2", "years <= 2"),
    ('== "member"', '!= "member"'),
    ("            i += 1", "            i += 2"),
    ("            seen.add(xs[i])\n", ""),
    ("return len(self.items)", "return len(self.items) - 1"),
    ("self.items.pop()\n", "self.items.pop(0)\n"),
]


@pytest.mark.slow  # Sixty mutants of each function, on three hundred inputs each.
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
    assert all(right in SHOP for right, _ in WRONG)
    right, *wrong = exit_codes(shop.parent, [SHOP, *(SHOP.replace(*change) for change in WRONG)])
    assert right == 0
    # A pop from the other end shows with two items only.
    assert wrong[:-1] == [1] * (len(WRONG) - 1)
    assert wrong[-1] in (0, 1)


def test_the_same_again_adds_nothing(small: Path, run: Run) -> None:
    assert run(*COVER_SMALL).code == 0
    text = (small.parent / "test_small.py").read_bytes()

    ran = run(*COVER_SMALL)
    assert ran.code == 5
    assert "has these cases already" in ran.err
    assert (small.parent / "test_small.py").read_bytes() == text


def test_standard_output_and_other_files(small: Path, run: Run) -> None:
    ran = run(*COVER_SMALL, "-o", "-")

    assert ran.code == 0
    assert ran.out.startswith("import pytest\n\nfrom small import at_least_none\n")
    assert not (small.parent / "test_small.py").exists()
    assert run(*COVER_SMALL, "-o", "pinned.py").code == 0
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

    ran = run(*COVER_SMALL)
    assert ran.code == 2
    assert "is no valid Python" in ran.err
    assert (small.parent / "test_small.py").read_text() == "def (:\n"
