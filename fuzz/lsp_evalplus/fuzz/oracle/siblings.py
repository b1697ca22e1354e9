"""Project modules that an older version of a file imports, at that revision."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from lsp_evalplus.fuzz.model import SourceModule
from lsp_evalplus.fuzz.source.project import Place

MOST_BYTES = 2_000_000
"""Size limit for modules sent to a guest; beyond it the older version imports the modules on disk."""


def find_siblings(text: str, place: Place, older: Mapping[Path, str]) -> tuple[SourceModule, ...]:
    """Return the modules that `text` imports, directly or transitively, and that have changed since.

    Args:
        text: the older source of a file.
        place: the file's location in its project.
        older: older source of the project's files that have changed since, by absolute path.
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
            if len(found) == len(changed):
                break
        pending += imported_modules(source, name if path.name == "__init__.py" else name.rpartition(".")[0])
    return tuple(found) if sum(len(module.source) for module in found) <= MOST_BYTES else ()


def _module_name(path: Path, root: Path) -> str | None:
    if not path.is_relative_to(root):
        return None
    parts = path.relative_to(root).with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts) if parts and all(part.isidentifier() for part in parts) else None


def file_of(name: str, root: Path) -> Path | None:
    """Return the file of a module below an import root."""
    place = root.joinpath(*name.split("."))
    return next((path for path in (place / "__init__.py", place.with_suffix(".py")) if path.is_file()), None)


def read_text(path: Path) -> str:
    """Return a file's content; empty if it cannot be read."""
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


_IMPORT = re.compile(r"(?:^|[;:])[ \t\f]*import[ \t]+([^\n;]+)", re.MULTILINE)
_FROM = re.compile(
    r"(?:^|[;:])[ \t\f]*from[ \t]*(\.*)[ \t]*([\w.]*)[ \t]*\bimport\b[ \t]*(\([^)]*\)|[^\n;]*)", re.MULTILINE
)
_COMMENT = re.compile(r"#[^\n]*")


@lru_cache(256)
def imported_modules(text: str, package: str) -> tuple[str, ...]:
    """Return the dotted names a module of `package` may import; ``from a import b`` may import a module ``a.b``.

    The statements are found by their words, as parsing takes twenty times as long; those in strings count too.
    """
    return tuple(dict.fromkeys(_imported(_COMMENT.sub("", text).replace("\\\n", " "), package)))


def _imported(text: str, package: str) -> Iterator[str]:
    for match in _IMPORT.finditer(text):
        for name in _names(match[1]):
            yield from _prefixes(name)
    for match in _FROM.finditer(text):
        base = _absolute(len(match[1]), match[2], package)
        yield from _prefixes(base)
        yield from (f"{base}.{name}" for name in _names(match[3]) if base)


def _names(text: str) -> Iterator[str]:
    """Yield the names in the list of an import statement, without those that they get."""
    for part in text.strip("() \t").split(","):
        words = part.split()
        if words:
            yield words[0]


def absolute_module(node: ast.ImportFrom, package: str) -> str:
    """Return the dotted name of what a module of `package` imports names from, also by a relative import."""
    return _absolute(node.level, node.module or "", package)


def _absolute(level: int, module: str, package: str) -> str:
    if not level:
        return module
    parts = package.split(".")
    base = parts[: len(parts) - level + 1]
    return ".".join([*base, *([module] if module else [])])


def _prefixes(name: str) -> list[str]:
    """Return ``a``, ``a.b`` and ``a.b.c`` for ``a.b.c``: importing the last one imports them all."""
    parts = name.split(".") if name else []
    return [".".join(parts[: count + 1]) for count in range(len(parts))]
