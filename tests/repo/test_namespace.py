"""The three source roots are portions of one namespace package, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOTS = ("server", "fuzz", "bench")
TOP = Path(__file__).resolve().parents[2]
PORTIONS = sorted(
    str(path.parent.relative_to(TOP)) for root in ROOTS for path in (TOP / root / "lsp_evalplus").glob("*/__init__.py")
)


@pytest.mark.parametrize("root", ROOTS)
def test_namespace_folder_has_no_init(repository: Path, root: str) -> None:
    """One `__init__.py` there would hide the other two portions."""
    assert not (repository / root / "lsp_evalplus" / "__init__.py").exists()


@pytest.mark.parametrize("root", ROOTS)
def test_source_root_holds_nothing_but_the_namespace(repository: Path, root: str) -> None:
    names = {path.name for path in (repository / root).iterdir()} - {"__pycache__"}

    assert names == {"lsp_evalplus"}


@pytest.mark.parametrize("portion", PORTIONS)
def test_portion_is_typed(repository: Path, portion: str) -> None:
    assert (repository / portion / "py.typed").is_file()


def test_every_other_package_has_an_init(repository: Path) -> None:
    """A folder without one would be a namespace by accident: linters and wheels skip it."""
    folders = {path.parent for root in ROOTS for path in (repository / root).rglob("*.py")}
    namespaces = {repository / root / "lsp_evalplus" for root in ROOTS}

    assert [folder for folder in sorted(folders - namespaces) if not (folder / "__init__.py").is_file()] == []
