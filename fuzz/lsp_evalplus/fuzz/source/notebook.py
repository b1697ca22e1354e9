"""Jupyter notebooks as Python source."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final, cast

_MAGIC: Final = re.compile(r"^([ \t]*)[%!?][^\n]*", re.MULTILINE)
_CELL_MAGIC: Final = re.compile(r"\A\s*%%(\w+)")
_PYTHON_MAGICS: Final = frozenset({"capture", "prun", "python", "python3", "time", "timeit"})
"""Cell magics whose cell is Python."""


@dataclass(frozen=True, slots=True)
class Notebook:
    """The code cells of a notebook, one below the other."""

    text: str
    first_lines: tuple[tuple[int, int], ...]
    """For each code cell its number among all cells, from 1, and the zero-based line of `text` where it begins."""

    def place_of(self, line: int) -> tuple[int, int]:
        """Return cell and line in the cell, both from 1, of a zero-based line of `text`."""
        cell, first = max((one for one in self.first_lines if one[1] <= line), key=lambda one: one[1])
        return cell, line - first + 1

    def line_of(self, cell: int, line: int) -> int | None:
        """Return the zero-based line of `text` for a line of a cell, both from 1; None without such a cell."""
        first = dict(self.first_lines).get(cell)
        return first + line - 1 if first is not None else None


def blank_magics(text: str) -> str:
    """Return a cell's source with lines that only IPython understands replaced by ``pass``; no line moves."""
    cell_magic = _CELL_MAGIC.match(text)
    if cell_magic is not None and cell_magic[1] not in _PYTHON_MAGICS:
        return "\n" * text.count("\n")
    return _MAGIC.sub(r"\1pass", text)


def read_notebook(content: str) -> Notebook:
    """Read the JSON of an ``.ipynb`` file (nbformat 4).

    Raises:
        ValueError: it is no notebook of that format.
    """
    try:
        document: Any = json.loads(content)
        cells = cast("list[dict[str, Any]]", document["cells"])
        sources = [(number, _source_of(cell)) for number, cell in enumerate(cells, 1) if cell["cell_type"] == "code"]
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError("it has no list of cells") from error
    text, first_lines = "", list[tuple[int, int]]()
    for number, source in sources:
        first_lines.append((number, text.count("\n")))
        text += f"{blank_magics(source)}\n"
    return Notebook(text, tuple(first_lines) or ((1, 0),))


def _source_of(cell: dict[str, Any]) -> str:
    """A cell's source: a string, or a list of lines."""
    source = cell["source"]
    return source if isinstance(source, str) else "".join(cast("list[str]", source))
