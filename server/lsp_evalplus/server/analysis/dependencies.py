"""What a function's behaviour depends on: the statements of its module that it uses, and the files these import."""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from lsp_evalplus.fuzz.files import read_ordinary
from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.source.discover import Module
from lsp_evalplus.fuzz.source.parsing import ParsedText, parse_module
from lsp_evalplus.fuzz.source.slicing import Slicer, Unit

_MAX_FILES: Final = 200
_MAX_MISSING: Final = 200
"""Paths of modules that do not exist yet and may be written."""


class ModuleDependencies:
    """The statements of one module that a function depends on."""

    def __init__(self, module: Module) -> None:
        self._parsed: ParsedText = module.parsed
        self._slicer = Slicer(module.parsed)
        self._texts: dict[int, str] = {}

    def closure(self, name: str) -> tuple[Unit, ...]:
        """The top-level statements that the function `name` depends on, its own included, in order."""
        return self._slicer.needed_units([name.partition(".")[0]])

    def key(self, name: str) -> str:
        """A hash of the source of these statements; moving them unchanged does not change it.

        Unlike `Module.fingerprint` it includes docstrings and comments, which hold examples and directives.
        """
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass"))
        for unit in self.closure(name):
            digest.update(self._text(unit).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def _text(self, unit: Unit) -> str:
        """The statement with the comments right above it, which may hold directives."""
        text = self._texts.get(unit.first_line)
        if text is None:
            first = unit.first_line - 1
            while first > 0 and self._parsed.lines[first - 1].lstrip().startswith("#"):
                first -= 1
            text = "\n".join([*self._parsed.lines[first : unit.last_line], ""])
            self._texts[unit.first_line] = text
        return text


def imported_files(
    units: Iterable[Unit], path: str, search_path: Sequence[str], open_texts: Mapping[str, str]
) -> list[str]:
    """Files of the project that these statements import, directly or not; installed packages are left out.

    For a module that the project lacks, the paths at which it would be found if it were written.
    `open_texts` are unsaved documents, by path.
    """
    pending = [module for unit in units for node in unit.nodes for module in _imports(node, path, search_path)]
    found: dict[str, None] = {}
    missing: dict[str, None] = {}
    while pending and len(found) < _MAX_FILES:
        file = pending.pop()
        if file in found or file == path:
            continue
        if not os.path.isfile(file):
            if len(missing) < _MAX_MISSING:
                missing[file] = None
            continue
        found[file] = None
        text = open_texts.get(file)
        tree = parse_module(_read(file) if text is None else text)
        if tree is not None:
            pending += [other for node in walk_tree(tree) for other in _imports(node, file, search_path)]
    return sorted({**found, **missing})


def files_signature(files: Iterable[str]) -> str:
    """A hash that changes when one of the files does."""
    digest = hashlib.sha256()
    for file in files:
        try:
            status = os.stat(file)
            digest.update(f"{file}\0{status.st_mtime_ns}\0{status.st_size}\0".encode("utf-8", "surrogatepass"))
        except OSError:
            digest.update(f"{file}\0-\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _imports(node: ast.AST, path: str, search_path: Sequence[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield from _files_of(alias.name, search_path)
    elif isinstance(node, ast.ImportFrom):
        if node.level:
            base = Path(path).parent
            for _ in range(node.level - 1):
                base = base.parent
            roots: Sequence[str] = (str(base),)
        else:
            roots = search_path
        module = node.module or ""
        yield from _files_of(module, roots)
        for alias in node.names:
            yield from _files_of(f"{module}.{alias.name}".strip("."), roots)


def _files_of(module: str, roots: Sequence[str]) -> list[str]:
    """The file of a module; where there is none, all paths at which it may be written."""
    if not module:
        return []
    bases = [Path(root, *module.split(".")) for root in roots]
    # A package takes precedence over a module of the same name.
    places = [str(place) for base in bases for place in (base / "__init__.py", base.with_name(base.name + ".py"))]
    found = next((place for place in places if os.path.isfile(place)), None)
    if found is not None:
        return [found]
    return [] if module.partition(".")[0] in sys.stdlib_module_names else places


def _read(file: str) -> str:
    try:
        return read_ordinary(Path(file)).decode()
    except (OSError, UnicodeDecodeError):
        return ""
