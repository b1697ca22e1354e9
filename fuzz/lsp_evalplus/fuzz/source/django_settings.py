"""Finds the settings of the Django project that a program belongs to."""

from __future__ import annotations

import functools
import re
import sys
from pathlib import Path
from typing import Final

from lsp_evalplus.fuzz.model import Program

_MANAGER: Final = "manage.py"
"""The file of a project that states its settings."""
_STATED: Final = re.compile(r"DJANGO_SETTINGS_MODULE['\"]\]?\s*[,=]\s*['\"]([\w.]+)['\"]")
_IMPORTED: Final = re.compile(r"^[ \t]*(?:from|import)[ \t]+(\.|\w+)", re.MULTILINE)
_MOST_CHARACTERS: Final = 10_000


def settings_of(program: Program) -> str:
    """Return the name of the settings module of a program's project; empty where there is none, and for a program that
    imports the standard library alone.

    ``manage.py`` states it, in a folder from which the program imports modules.
    """
    if sys.stdlib_module_names.issuperset(_IMPORTED.findall(program.source)):
        return ""
    found = (_stated_in(Path(folder, _MANAGER)) for folder in program.search_path)
    return next(filter(None, found), "")


def _stated_in(manager: Path) -> str:
    try:
        state = manager.stat()
    except OSError:
        return ""
    return _read(manager, (state.st_mtime_ns, state.st_size))


@functools.lru_cache(maxsize=64)
def _read(manager: Path, _state: tuple[int, int]) -> str:
    try:
        text = manager.read_text(encoding="utf-8", errors="replace")[:_MOST_CHARACTERS]
    except OSError:
        return ""
    stated = _STATED.search(text)
    return stated[1] if stated is not None else ""
