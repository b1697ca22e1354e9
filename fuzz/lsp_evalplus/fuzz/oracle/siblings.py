"""What an older text imports from its own project, as that was then."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from lsp_evalplus.fuzz.model import SourceModule
from lsp_evalplus.fuzz.source.parsing import parse_text
from lsp_evalplus.fuzz.source.project import Place

MOST_BYTES = 2_000_000
"""Texts beyond this travel to no guest: the older text then uses the modules on disk."""


def find_siblings(text: str, place: Place, older: Mapping[Path, str]) -> tuple[SourceModule, ...]:
    """The modules that `text` imports, directly or through others, and that were another text then.

    Args:
        text: the older text of a file.
        place: where the file stands in its project.
        older: older texts of the project's files that have changed since, by absolute path.
    """
    root = Path(place.search_path[0])
    changed = {name: path for path in older if (name := _module_name(path, root))}
    package = place.package or ""
    pending = [*_prefixes(package), *imported_modules(text, package)]
    seen, found = set[str](), list[SourceModule]()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        path = changed.get(name) or file_of(name, root)
        if path is None:
            continue
        source = older[path] if name in changed else read_text(path)
        if name in changed:
            found.append(SourceModule(name, str(path), source))
        pending += imported_modules(source, name if path.name == "__init__.py" else name.rpartition(".")[0])
    return tuple(found) if sum(len(module.source) for module in found) <= MOST_BYTES else ()


def _module_name(path: Path, root: Path) -> str | None:
    if not path.is_relative_to(root):
        return None
    parts = path.relative_to(root).with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts) if parts and all(part.isidentifier() for part in parts) else None


def file_of(name: str, root: Path) -> Path | None:
    """The file of a module, below a folder that modules are imported from."""
    place = root.joinpath(*name.split("."))
    return next((path for path in (place / "__init__.py", place.with_suffix(".py")) if path.is_file()), None)


def read_text(path: Path) -> str:
    """A file's text; empty where it cannot be read."""
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


@lru_cache(256)
def imported_modules(text: str, package: str) -> tuple[str, ...]:
    """Dotted names that a module of `package` may import; ``from a import b`` may import a module ``a.b``."""
    return tuple(_imported(text, package))


def _imported(text: str, package: str) -> Iterator[str]:
    for node in ast.walk(parse_text(text).tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _prefixes(alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            yield from _prefixes(base)
            yield from (f"{base}.{alias.name}" for alias in node.names if base)


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    base = parts[: len(parts) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def _prefixes(name: str) -> list[str]:
    """``a``, ``a.b`` and ``a.b.c`` of ``a.b.c``: importing the last one imports them all."""
    parts = name.split(".") if name else []
    return [".".join(parts[: count + 1]) for count in range(len(parts))]
