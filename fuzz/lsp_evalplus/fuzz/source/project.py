"""Location of a file in its project: root folder, import roots, dotted package name."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_ROOT_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git", ".hg")


@dataclass(frozen=True, slots=True)
class Place:
    """The import environment of one file."""

    root: Path
    """The project's folder: the nearest with a pyproject.toml, setup file or repository; else the file's own folder."""
    package: str | None
    """The dotted package the file belongs to (``pkg.sub`` for ``pkg/sub/module.py``), or None."""
    search_path: tuple[str, ...]
    """Import roots, the file's own first."""


def find_place(path: Path, imported: Iterable[str] = ()) -> Place:
    """Determine how the imports of `path`, which need not exist yet, are resolved.

    `imported` are the first components of the file's absolute imports: in a namespace package, without an
    ``__init__.py``, the folder named by such an import determines the import root. A package with the name of a module
    of the standard library lies in a namespace package, too.
    """
    folder = path.absolute().parent
    root = find_project_root(folder)
    import_root = _import_root(folder)
    if import_root != root and root in import_root.parents:
        import_root = _namespace_root(import_root, folder, root, frozenset(imported))
    package = ".".join(folder.relative_to(import_root).parts) or None
    candidates = [import_root, root / "src", root]
    search_path = dict.fromkeys(str(candidate) for candidate in candidates if candidate.is_dir())
    return Place(root, package, tuple(search_path))


def _namespace_root(import_root: Path, folder: Path, root: Path, imported: frozenset[str]) -> Path:
    for candidate in (import_root, *import_root.parents):
        if candidate == root:
            break
        if candidate.name in imported or candidate.parent == root / "src":
            return candidate.parent
    outermost = next(iter(folder.relative_to(import_root).parts), "")
    return import_root.parent if outermost in sys.stdlib_module_names else import_root


def find_project_root(folder: Path) -> Path:
    """Return the nearest folder, from `folder` upwards, with a project marker; else `folder` itself."""
    for candidate in (folder, *folder.parents):
        if any((candidate / mark).exists() for mark in _ROOT_MARKS):
            return candidate
    return folder


def _import_root(folder: Path) -> Path:
    while folder.name.isidentifier() and (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder
