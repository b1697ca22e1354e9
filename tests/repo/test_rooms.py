"""A folder is small enough to be taken in at a glance."""

from __future__ import annotations

from pathlib import Path

import pytest

MOST_MODULES = 20


@pytest.mark.parametrize("root", ["server", "fuzz", "bench"])
def test_a_folder_holds_at_most_twenty_modules(repository: Path, root: str) -> None:
    folders = [path for path in (repository / root).rglob("*") if path.is_dir()]
    counts = {
        folder.relative_to(repository).as_posix(): sum(one.name != "__init__.py" for one in folder.glob("*.py"))
        for folder in folders
    }

    assert sum(counts.values()) > MOST_MODULES
    assert {folder: number for folder, number in counts.items() if number > MOST_MODULES} == {}
