"""The targets of a command line: files and folders, and the functions asked for in each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from lsp_evalplus.fuzz.config.exclusion import IgnoreFiles
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.oracle.reference import read_source
from lsp_evalplus.fuzz.source.discover import read_module
from lsp_evalplus.fuzz.source.notebook import Notebook, read_notebook

NOTEBOOK = ".ipynb"
_PYTHON = frozenset({".py", ".pyw", ".pyi", NOTEBOOK})
_SKIPPED_FOLDERS = frozenset(
    {"venv", "env", "node_modules", "site-packages", "build", "dist", "__pycache__", "__pypackages__"}
)
_AT_LINE = re.compile(r"(?P<path>.+?)(?::cell (?P<cell>\d+))?:(?P<line>\d+)(?::\d+)?:?")


def to_shown(path: Path) -> str:
    """Return how a user in the current folder writes a path: relative where it is below that."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def parse_target(text: str) -> tuple[Path, str | None]:
    """Split ``path.py::name`` into path and name; ``path.py:12`` is the function at that line.

    Raises:
        UserError: one side of ``::`` is empty, or there is no function at the line.
    """
    path, separator, name = text.partition("::")
    at_line = _AT_LINE.fullmatch(text) if not separator and not os.path.exists(text) else None
    if at_line is not None:
        path = Path(at_line["path"])
        return path, name_at(path, int(at_line["line"]), int(at_line["cell"]) if at_line["cell"] else None)
    if not path or (separator and not name):
        raise UserError(f"{text!r} is no target; write path.py, path.py:12, path.py::name or path.py::Class.method.")
    return Path(path), name or None


def names_function(text: str) -> bool:
    """Whether a target names one function, by its name or line."""
    return "::" in text or (_AT_LINE.fullmatch(text) is not None and not os.path.exists(text))


def name_at(path: Path, line: int, cell: int | None = None) -> str:
    """Return the innermost function at a line, from 1; in a notebook at a line of a cell.

    Raises:
        UserError: there is none; the next function below is named.
    """
    text, notebook = read_python(path)
    wanted = line - 1 if notebook is None else notebook.line_of(cell or 0, line)
    if wanted is None:
        raise UserError(f"{path} is a notebook; name a line as {path}:cell 3:{line}, of a cell with code.")
    module = read_module(text, path.absolute())
    spans = [(definition.span, name) for name, definition in module.definitions.items()]
    spans += [(span, name) for name, parts in module.other_parts.items() for span in parts]
    around = [
        (span.end_line - span.start_line, name) for span, name in spans if span.start_line <= wanted <= span.end_line
    ]
    if around:
        return min(around)[1]
    below = min(((span.start_line, name) for span, name in spans if span.start_line > wanted), default=None)
    hint = f"; the next one below is {path}::{below[1]}" if below is not None else ""
    raise UserError(f"there is no function at line {line} of {path}{hint}.")


def read_python(path: Path) -> tuple[str, Notebook | None]:
    """Return the source of a file, and the notebook if it is one.

    Raises:
        UserError: it cannot be read, or its suffix is that of something else.
    """
    if path.suffix and path.suffix not in _PYTHON and path.is_file():
        raise UserError(f"{path} is no Python file; name a .py file, a notebook or a folder.")
    if path.suffix != NOTEBOOK:
        return read_source(path), None
    try:
        notebook = read_notebook(read_source(path))
    except ValueError as error:
        raise UserError(f"{path} is not a notebook: {error}.") from error
    return notebook.text, notebook


def chosen_files(targets: Sequence[str], *, respects_gitignore: bool = True) -> dict[Path, list[str]]:
    """Return the files of targets, with the requested names in each; no names stand for all functions.

    Raises:
        UserError: see `parse_target`.
    """
    chosen = dict[Path, list[str]]()
    whole = set[Path]()
    for text in targets:
        path, name = parse_target(text)
        is_folder = name is None and path.is_dir()
        files = list(python_files(path, respects_gitignore=respects_gitignore)) if is_folder else [path]
        for file in files:
            chosen.setdefault(file, []).extend([name] if name else [])
        whole.update(() if name else files)
    return {file: [] if file in whole else list(dict.fromkeys(names)) for file, names in chosen.items()}


def python_files(folder: Path, *, respects_gitignore: bool = True) -> Iterator[Path]:
    """Yield the Python files below a folder, in order, without environments, build folders and what is hidden or
    ignored by git."""
    ignored = IgnoreFiles(folder) if respects_gitignore else None
    for place, folders, files in os.walk(folder):
        here = Path(place)
        folders[:] = [
            name
            for name in sorted(folders)
            if not name.startswith(".")
            and name not in _SKIPPED_FOLDERS
            and not (ignored is not None and ignored.names(here / name, is_folder=True))
        ]
        for name in sorted(files):
            file = here / name
            if not name.endswith(".py") or name.startswith(".") or not file.is_file():
                continue
            if ignored is None or not ignored.names(file):
                yield file
