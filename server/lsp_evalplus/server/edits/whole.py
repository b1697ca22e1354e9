"""The span of a whole text."""

from __future__ import annotations

from lsp_evalplus.fuzz.model import Span


def whole_span(text: str) -> Span:
    """From the first to the last character."""
    lines = text.split("\n")
    return Span(0, 0, len(lines) - 1, len(lines[-1]))
