"""The edits that the modules of this package return: plain values, in code points, free of LSP."""

from __future__ import annotations

from dataclasses import dataclass

from lsp_evalplus.fuzz.model import Span


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace the text at `span`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class FileEdit:
    """Edits of one file; a file that does not exist yet is created with the text of its only edit."""

    place: str
    """The file's path or, for an open document, its URI."""
    edits: tuple[TextEdit, ...]
    creates: bool = False


def insertion(line: int, column: int, text: str) -> TextEdit:
    """Put `text` at a position."""
    return TextEdit(Span(line, column, line, column), text)


def new_file(path: str, text: str) -> FileEdit:
    """Create a file."""
    return FileEdit(path, (insertion(0, 0, text),), creates=True)


def apply_edits(text: str, edits: tuple[TextEdit, ...]) -> str:
    """`text` after `edits`, which must not overlap and whose spans are all of the unedited text."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    # From the end; of insertions at one position, the last of the list first, so that they keep the list's order.
    ordered = list(edits)
    ordered.reverse()
    ordered.sort(key=lambda one: (one.span.start_line, one.span.start_column), reverse=True)
    for edit in ordered:
        start = starts[min(edit.span.start_line, len(lines))] + edit.span.start_column
        end = starts[min(edit.span.end_line, len(lines))] + edit.span.end_column
        text = text[:start] + edit.text + text[end:]
    return text
