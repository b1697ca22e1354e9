"""What the tests of the repository share: where it is and which files belong to it."""

from __future__ import annotations

import ast
import gc
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def repository() -> Path:
    """Return the top folder."""
    return ROOT


@pytest.fixture(scope="session")
def tracked() -> list[Path]:
    """Return every file that git knows or would add; skip where there is no git work tree."""
    listing = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=False,
    )
    if listing.returncode:
        pytest.skip("not a git work tree")
    names = listing.stdout.decode().split("\0")
    return [path for name in names if name and (path := ROOT / name).is_file()]


@pytest.fixture(scope="session")
def sources() -> list[Path]:
    """Return every Python file of the product: all three source roots."""
    found = sorted(path for root in ("server", "fuzz", "bench") for path in (ROOT / root).rglob("*.py"))
    assert len(found) > 10
    return found


@pytest.fixture(scope="session")
def trees(sources: list[Path]) -> dict[Path, ast.Module]:
    """Return each Python file of the product parsed."""
    return parse(sources)


def parse(paths: Iterable[Path], version: tuple[int, int] | None = None) -> dict[Path, ast.Module]:
    """Parse files with the grammar of a version of Python."""
    # All of it stays, so collecting garbage meanwhile would look through a million nodes again and again.
    gc.disable()
    try:
        return {path: ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=version) for path in paths}
    finally:
        gc.enable()
