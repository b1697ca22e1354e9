"""Find the previous version of a function that was moved from another file of its work tree."""

from __future__ import annotations

import ast
import difflib
import re
from functools import cached_property
from pathlib import Path
from typing import Final

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.source.definitions import Definition
from lsp_evalplus.fuzz.source.discover import Module, read_module

from .git import Base, find_work_tree
from .previous import PreviousVersion, read_changed, read_staged, with_siblings
from .reference import TextReader, read_source

_LIKENESS: Final = 0.5
"""Minimum similarity of functions whose parameters differ or are absent, like git's rename threshold for files."""


class Moves:
    """Finds functions removed from files of a work tree since a revision; runs git on first use."""

    def __init__(self, folder: Path, base: Base, *, staged: bool = False) -> None:
        """`folder` is in the work tree; with `staged`, the index is taken as the current content."""
        self._top = find_work_tree(folder)
        self._base = base
        self._is_staged = staged

    def find(self, module: Module, name: str, read: TextReader = read_source) -> PreviousVersion | None:
        """Return the older version of a function that is new in its file; None unless exactly one other file lost it.

        `read` returns the current source of a file.

        Raises:
            UserError: git failed.
        """
        if name not in module.definitions:
            return None
        own = module.path.resolve() if module.path is not None else None
        found = [
            (path, text)
            for path, text in self._older.items()
            if path != own and _had(path, text, module, name) and self._has_lost(path, name, read)
        ]
        if len(found) != 1:
            return None
        ((path, text),) = found
        label = f"{path.relative_to(self._top or path.parent).as_posix()} at {self._base.label}"
        return with_siblings(PreviousVersion(text, label, path=path), path, self._base.commit)

    @cached_property
    def _older(self) -> dict[Path, str]:
        return read_changed(self._top, self._base.commit, staged=self._is_staged) if self._top is not None else {}

    def _has_lost(self, path: Path, name: str, read: TextReader) -> bool:
        """Whether a file no longer has the function."""
        try:
            now = read_module(read_staged(path) if self._is_staged else read(path), path)
        except UserError:
            return self._is_staged or not path.exists()
        return name not in now.definitions and now.parsed.problem is None


def _had(path: Path, text: str, module: Module, name: str) -> bool:
    """Whether older source has the function; only parsed if it contains all parts of the qualified name."""
    parts = [part for part in name.split(".") if part.isidentifier()]
    if not all(re.search(rf"\b(?:def|class)\s+{part}\b", text) for part in parts):
        return False
    old = read_module(text, path)
    older = old.definitions.get(name)
    return older is not None and _is_alike(old, older, module, module.definitions[name])


def _is_alike(old: Module, older: Definition, module: Module, definition: Definition) -> bool:
    """Whether two functions of one name are the same: equal parameters, or similar source."""
    names = _parameters(definition)
    if names and names == _parameters(older):
        return True
    matcher = difflib.SequenceMatcher(None, _lines(old, older), _lines(module, definition), autojunk=False)
    return matcher.ratio() >= _LIKENESS


def _parameters(definition: Definition) -> list[str]:
    names = [one.arg for one in walk_tree(definition.node.args) if isinstance(one, ast.arg)]
    return [name for name in names if name not in ("self", "cls")]


def _lines(module: Module, definition: Definition) -> list[str]:
    lines = module.parsed.lines[definition.span.start_line : definition.span.end_line + 1]
    return [line.strip() for line in lines]
