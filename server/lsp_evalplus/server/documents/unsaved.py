"""Unsaved versions of the project's modules that checked code imports. Used in the analysis process only."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import Oracle, Program, SourceModule
from lsp_evalplus.fuzz.oracle.reference import read_source
from lsp_evalplus.fuzz.oracle.siblings import find_siblings
from lsp_evalplus.fuzz.source.parsing import normalise_newlines, try_parse
from lsp_evalplus.fuzz.source.project import Place


def current_text(path: Path, open_texts: Mapping[str, str]) -> str:
    """The source of a file from the editor, else from disk. Raises `UserError` as `read_source` does."""
    text = open_texts.get(os.path.normpath(path))
    return text if text is not None else read_source(path)


def is_saved(path: str | None, text: str) -> bool:
    """Whether source text equals its file on disk."""
    try:
        return path is not None and read_source(Path(path)) == normalise_newlines(text)
    except UserError:
        return False


class Unsaved:
    """The unsaved documents by path; one that does not parse is left out."""

    def __init__(self, open_texts: Mapping[str, str], own: str | None) -> None:
        """`own` is the file that is checked itself."""
        changed = {path: text for path, text in open_texts.items() if path != own and not is_saved(path, text)}
        self._texts = {Path(path): normalise_newlines(text) for path, text in changed.items() if _parses(text)}

    def program(self, program: Program) -> Program:
        """A program with the unsaved modules that it imports, directly or through others."""
        modules = self._imported(program)
        return replace(program, modules=modules) if modules else program

    def oracle(self, oracle: Oracle) -> Oracle:
        """An oracle whose reference imports them too: what both sides import makes no difference."""
        return replace(oracle, reference=self.program(oracle.reference)) if oracle.reference is not None else oracle

    def _imported(self, program: Program) -> tuple[SourceModule, ...]:
        if not self._texts or not program.search_path:
            return ()
        place = Place(Path(program.search_path[0]), program.package, program.search_path)
        return find_siblings(program.source, place, self._texts)


@lru_cache(16)
def _parses(text: str) -> bool:
    return try_parse(text)[0] is not None
