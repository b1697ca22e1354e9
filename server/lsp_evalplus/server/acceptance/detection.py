"""Detect edits that were not typed, from the edits alone, for editors whose client reports no acceptance.

Two kinds are distinguished: one insertion of several lines of code (a completion), and different changes of several
functions at once (an agent, or a file that was read again from disk). What a formatter, a rename, undo, redo, a paste
or a move does is neither.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from lsp_evalplus.fuzz.model import Span
from lsp_evalplus.server.documents.documents import Edit, hull, moved_by_all

_MIN_CHARACTERS: Final = 20
_STRUCTURE: Final = re.compile(r"^\s*(return|yield|raise|def|class|async|for|while|if|with|try)\b", re.MULTILINE)
_LAYOUT: Final = b" \t\r\n\f,()\\'\""
"""What formatters add and remove."""


def substance(text: str) -> bytes:
    """Code without its layout; the same for a block that was indented or wrapped."""
    return text.encode("utf-8", "surrogatepass").translate(None, _LAYOUT)


@dataclass(frozen=True, slots=True)
class Insertion:
    """Code that may have been accepted."""

    span: Span
    text: str


class RecentTexts:
    """Blocks of code that were removed or inserted lately, in any document of the session."""

    _MAX_KEPT: Final = 50

    def __init__(self) -> None:
        self._kept: deque[bytes] = deque(maxlen=self._MAX_KEPT)

    def add(self, text: str) -> None:
        """Keep a block; a short one occurs everywhere, and would only push out the others."""
        if len(text) >= _MIN_CHARACTERS:
            self._kept.append(substance(text))

    def hold(self, text: bytes) -> bool:
        """Whether one of the blocks contains a text that `substance` returned."""
        return any(text in one for one in self._kept)


class InsertionWatch:
    """Detects insertions of code that is new to the session."""

    def __init__(self, recent: RecentTexts | None = None) -> None:
        self._recent = recent or RecentTexts()

    def notice(self, edits: Sequence[Edit], other_texts: Iterable[str]) -> Insertion | None:
        """What these edits inserted, if it looks accepted; `other_texts` are the open documents."""
        changes = [piece for edit in edits for piece in edit.pieces() if not is_layout(piece)]
        found = _insertion(changes) if len(edits) == 1 or len(changes) == 1 else None
        is_known = found is not None and (
            self._recent.hold(substance(found.text)) or stands_in(found.text, other_texts)
        )
        for change in changes:
            self._recent.add(change.removed)
        if found is None:
            return None
        # What was written over (a prefix that the completion repeats) is part of the new text.
        self._recent.add(found.text)
        return None if is_known else found


def _insertion(changes: Sequence[Edit]) -> Insertion | None:
    """What one change of the client added, if that is several lines of code."""
    text = "".join(one.text for one in changes)
    added = _count_lines(text) - _count_lines("".join(one.removed for one in changes))
    if added < 2 or len(text) < _MIN_CHARACTERS or _STRUCTURE.search(text) is None:
        return None
    return Insertion(hull([place for _, place in placed(changes)]), text)


def placed(edits: Sequence[Edit]) -> list[tuple[Edit, Span]]:
    """Edits, each with the span of its new text after all of them."""
    places = [Span(one.span.start_line, one.span.start_column, *one.end_after) for one in edits]
    return [(one, moved_by_all(places[index], edits[index + 1 :])) for index, one in enumerate(edits)]


def is_layout(edit: Edit) -> bool:
    """Whether an edit does only what a formatter does."""
    return substance(edit.removed) == substance(edit.text)


def stands_in(text: str, others: Iterable[str]) -> bool:
    """Whether code occurs in one of several documents, however it is laid out there."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    wanted = substance(text)
    # A line of it is found fast; only then is it worth to look closer.
    return any(first in other and wanted in substance(other) for other in others)


def agent_spans(edits: Sequence[Edit], functions: Iterable[Span]) -> list[Span]:
    """Where different changes were made in several functions at once; `functions` are as they are after the edits."""
    pieces = [piece for edit in edits for piece in edit.pieces()]
    changes = [(edit, place) for edit, place in placed(pieces) if not is_layout(edit)]
    # A rename, many lines commented out, several cursors: the same change everywhere.
    if len({(edit.removed.strip(), edit.text.strip()) for edit, _ in changes}) < 2:
        return []
    places = [place for _, place in changes]
    touched = [span for span in functions if any(_overlap(span, place) for place in places)]
    outermost = [one for one in touched if not any(_is_inside(one, other) for other in touched)]
    return places if len(outermost) > 1 else []


def _overlap(one: Span, other: Span) -> bool:
    """Whether two spans overlap; a change at the end of a function belongs to it, one at its beginning does not."""
    one_start, one_end = (one.start_line, one.start_column), (one.end_line, one.end_column)
    start, end = (other.start_line, other.start_column), (other.end_line, other.end_column)
    return one_start < end and start <= one_end


def _is_inside(one: Span, other: Span) -> bool:
    start, end = (one.start_line, one.start_column), (one.end_line, one.end_column)
    other_start, other_end = (other.start_line, other.start_column), (other.end_line, other.end_column)
    return one != other and other_start <= start and end <= other_end


def _count_lines(text: str) -> int:
    return sum(1 for line in text.splitlines() if line.strip())
