"""The changes of one notification as changes of whole lines: keys and fragments mean little without their line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsp_evalplus.fuzz.model import Span
from lsp_evalplus.server.documents.documents import Document, Edit, split_lines


@dataclass(slots=True)
class _Lines:
    """Lines ``old_first:old_end`` of the text before, which became ``first:end`` of the text now."""

    old_first: int
    old_end: int
    first: int
    end: int

    @property
    def growth(self) -> int:
        return (self.end - self.first) - (self.old_end - self.old_first)


def line_changes(document: Document, edits: Sequence[Edit]) -> list[Edit]:
    """What `edits`, which made `document` what it is, did to whole lines, from top to bottom.

    Changes of one line are one; each is in the coordinates of the text after those before it.
    """
    parts: list[_Lines] = []
    for edit in edits:
        parts = _with(parts, edit)
    before = document.before(edits)
    return [
        _edit(part.first, before.lines[part.old_first : part.old_end], document.lines[part.first : part.end])
        for part in parts
    ]


def _edit(line: int, old: Sequence[str], new: Sequence[str]) -> Edit:
    removed = "".join(old)
    end = Edit(Span(line, 0, line, 0), removed).end_after
    return Edit(Span(line, 0, *end), "".join(new), removed)


def _with(parts: list[_Lines], edit: Edit) -> list[_Lines]:
    first, end = edit.span.start_line, edit.span.end_line
    inserted = len(split_lines(edit.text)) - 1
    is_of_lines = not edit.span.start_column and not edit.span.end_column and edit.text[-1:] in ("", "\n", "\r")
    if not is_of_lines:
        end, inserted = end + 1, inserted + 1
    # What is inserted right above an earlier change is another one; right below, it goes on.
    joined = [one for one in parts if one.first < end and first <= one.end]
    above = [one for one in parts if one not in joined and one.first < end]
    below = [one for one in parts if one not in joined and one.first >= end]
    start = min([first, *(one.first for one in joined)])
    stop = max([end, *(one.end for one in joined)])
    old_first = start - sum(one.growth for one in above)
    old_end = old_first + (stop - start) - sum(one.growth for one in joined)
    growth = inserted - (end - first)
    moved = [_Lines(one.old_first, one.old_end, one.first + growth, one.end + growth) for one in below]
    return [*above, _Lines(old_first, old_end, start, stop + growth), *moved]
