"""Restore a function's previous version."""

from __future__ import annotations

from collections.abc import Sequence

from lsp_evalplus.fuzz.model import FunctionTarget, Span

from .model import TextEdit


def restore(target: FunctionTarget, lines: Sequence[str], previous_lines: Sequence[str], previous: Span) -> TextEdit:
    """Replace the target's definition in `lines` by the definition at `previous` of `previous_lines`, with or
    without their line ends."""
    old = "\n".join(line.rstrip("\r\n") for line in previous_lines[previous.start_line : previous.end_line + 1])
    had = _indent(previous_lines[previous.start_line])
    has = _indent(lines[target.span.start_line])
    if had != has:
        old = "\n".join(
            has + line[len(had) :] if line.startswith(had) and line.strip() else line for line in old.split("\n")
        )
    span = Span(target.span.start_line, 0, target.span.end_line, target.span.end_column)
    return TextEdit(span, old)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
