"""Exceptions that a docstring documents. Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_FIELD = re.compile(r":(?:raises?|exception)\s+([\w.]+)\s*:")
_HEADING = re.compile(r"\s*raises\s*:?\s*", re.IGNORECASE)


def read_documented_raises(docstring: str) -> Iterator[str]:
    """Yield the exception types that a docstring documents, in Google, NumPy and Sphinx style."""
    yield from _FIELD.findall(docstring)
    lines = docstring.split("\n")
    for number, line in enumerate(lines):
        if _HEADING.fullmatch(line):
            indent = len(line) - len(line.lstrip())
            yield from _section_names(lines[number + 1 :], indent)


def _section_names(lines: Sequence[str], indent: int) -> Iterator[str]:
    """Yield the names at the first depth of a section; it ends at a dedent, or at a line that is no entry."""
    inner: int | None = None
    for number, line in enumerate(lines):
        following = lines[number + 1].strip() if number + 1 < len(lines) else ""
        if not line.strip("- \t"):
            continue
        depth = len(line) - len(line.lstrip())
        inner = depth if inner is None else inner
        if depth < max(indent, inner) or (following and not following.strip("-")):
            return
        if depth == inner:
            match = re.match(r"\s*`*((?:\w+\.)*[A-Z]\w*)`*\s*(?::|$|–|--)", line)
            if match is None:
                return
            yield match[1]
