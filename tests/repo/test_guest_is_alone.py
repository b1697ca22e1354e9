"""The guest needs nothing but a CPython >= 3.9: no package, no part of this project, no name of its own."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import parse

OLDEST = (3, 9)
NEWER_THAN_OLDEST = {"tomllib", "compression", "annotationlib", "concurrent.interpreters"}

IMPORT_EVERY_MODULE = """
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
package = importlib.import_module("planted_guest")
names = [module.name for module in pkgutil.walk_packages(package.__path__, "planted_guest.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
foreign = sorted(
    name for name, module in sys.modules.items()
    if "site-packages" in (getattr(module, "__file__", None) or "") or name.split(".")[0] == "lsp_evalplus"
)
print(len(names), foreign)
"""


@pytest.fixture(scope="module")
def guest(repository: Path) -> Path:
    """Return the folder of the guest."""
    return repository / "fuzz/lsp_evalplus/fuzz/guest"


@pytest.fixture(scope="module")
def modules(guest: Path) -> list[tuple[Path, ast.Module]]:
    """Return each module of the guest, parsed with the grammar of the oldest Python."""
    return list(parse(sorted(guest.rglob("*.py")), OLDEST).items())


def imports(tree: ast.Module) -> list[tuple[int, str]]:
    """Return (level, dotted name) of each import anywhere in the module."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.level, node.module or ""))
    return found


def test_guest_imports_standard_library_and_itself_only(modules: list[tuple[Path, ast.Module]]) -> None:
    allowed = set(sys.stdlib_module_names) - NEWER_THAN_OLDEST
    foreign = [
        (path.name, name)
        for path, tree in modules
        for level, name in imports(tree)
        if level == 0 and name.split(".")[0] not in allowed
    ]

    assert foreign == []


def test_guest_never_reaches_above_itself(guest: Path, modules: list[tuple[Path, ast.Module]]) -> None:
    outside = [
        (path.name, name)
        for path, tree in modules
        for level, name in imports(tree)
        if level > len(path.relative_to(guest).parts)
    ]

    assert outside == []


@pytest.mark.slow
def test_guest_loads_under_another_name_without_site(guest: Path, tmp_path: Path, any_interpreter: str) -> None:
    """`-I -S`: no environment, no site-packages; the folder is loaded as a package of another name."""
    shutil.copytree(guest, tmp_path / "planted_guest", ignore=shutil.ignore_patterns("__pycache__"))

    run = subprocess.run(
        [any_interpreter, "-I", "-S", "-W", "error", "-c", IMPORT_EVERY_MODULE, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    count, foreign = run.stdout.split(" ", 1)
    assert int(count) > 5
    assert foreign.strip() == "[]"
