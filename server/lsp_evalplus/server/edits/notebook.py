"""Notebook cells as Python text."""

from __future__ import annotations

import re
from typing import Final

_MAGIC: Final = re.compile(r"^([ \t]*)[%!?][^\n]*", re.MULTILINE)
_CELL_MAGIC: Final = re.compile(r"\A\s*%%")


def blank_magics(text: str) -> str:
    """`text` with lines that only IPython understands replaced by ``pass``; no line moves."""
    if _CELL_MAGIC.match(text):
        return "\n" * text.count("\n")
    return _MAGIC.sub(r"\1pass", text)
