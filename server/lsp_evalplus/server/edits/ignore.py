"""Suppress one finding with a comment at the function; other counterexamples are still reported."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lsp_evalplus.fuzz.model import Span

from .model import TextEdit, insertion

_IGNORE: Final = re.compile(r"(#\s*lsp-evalplus:.*?\bignore\s*=\s*)([^,;\s\"]+|\"[^\"]*\")")


def ignore_finding(mark: str, span: Span, lines: Sequence[str]) -> TextEdit:
    """The edit that adds the directive above the function, or the finding to the directive that is there.

    `mark` is the result of `fuzz.source.directives.finding_mark`.
    """
    first = span.start_line
    while first > 0 and lines[first - 1].lstrip().startswith("#"):
        first -= 1
        match = _IGNORE.search(lines[first])
        if match is not None:
            end = match.end(2) - (1 if match[2].endswith('"') else 0)
            return insertion(first, end, f"+{mark}")
    line = lines[span.start_line]
    indent = line[: len(line) - len(line.lstrip())]
    return insertion(span.start_line, 0, f"{indent}# lsp-evalplus: ignore={mark}\n")
