"""Detect edits that were not typed, from the edits alone, for editors whose client reports no acceptance.

Two kinds are distinguished: several lines of code at one place (a completion, a paste; at once or as a stream of
pieces), and changes at several places at once (an agent, a patch, or a file that was read again from disk). What a
formatter, a rename, undo, redo, a snippet or a move does is neither. How exactly they are told apart is measured by
``tests/server/acceptance/corpus``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from lsp_evalplus.fuzz.model import Span
from lsp_evalplus.server.documents.documents import Edit, moved_by_all, split_lines

from .code_lines import bare_lines, count_code, count_statements
from .streams import StreamWatch, are_keys

_MIN_CODE: Final = 2
"""Lines of new code: fewer are typed or completed by name."""
_MIN_AROUND: Final = 4
"""Lines that come or go at once, of which one line of new code is enough: no key does that."""
_MIN_CHARACTERS: Final = 10
"""Of new code, without layout: two lines of less are a few keys that came in one notification."""
_CONFLICT: Final = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
_LAYOUT: Final = b" \t\r\n\f,;#()\\'\""
"""What formatters and comment keys add and remove."""


def substance(text: str) -> bytes:
    """Code without its layout; the same for a block that was indented, wrapped or commented out."""
    return text.encode("utf-8", "surrogatepass").translate(None, _LAYOUT).lower()


@dataclass(frozen=True, slots=True)
class Insertion:
    """Code that may have been accepted."""

    span: Span
    text: str
    is_streamed: bool = False
    """Whether it came piece by piece, and more may come."""


class RecentTexts:
    """Lines of code that edits took away lately, in any document of the session."""

    _MAX_KEPT: Final = 10_000

    def __init__(self) -> None:
        self._kept: dict[bytes, None] = {}

    def add(self, text: str) -> None:
        """Keep the lines of a text."""
        for line in text.splitlines():
            kept = substance(line)
            self._kept.pop(kept, None)
            self._kept[kept] = None
        while len(self._kept) > self._MAX_KEPT:
            del self._kept[next(iter(self._kept))]

    def hold(self, line: str) -> bool:
        """Whether the line was taken away, however it was laid out."""
        return substance(line) in self._kept


class InsertionWatch:
    """Detects insertions of code that is new to the session."""

    def __init__(self, recent: RecentTexts | None = None) -> None:
        self._recent = recent or RecentTexts()
        self._streams = StreamWatch()

    def notice(
        self,
        edits: Sequence[Edit],
        other_texts: Iterable[str],
        changes: Sequence[Edit] | None = None,
        uri: str = "",
    ) -> Insertion | None:
        """What these edits of one document inserted at one place, if it looks accepted.

        `other_texts` are the texts it may be copied from, `changes` what `line_changes` made of the edits.
        """
        changes = edits if changes is None else changes
        new = new_code(changes, self._recent.hold)
        if any(edit.removed.strip() for edit in edits):
            for change in changes:
                self._recent.add(change.removed)
        stream = self._streams.notice(edits, uri)
        if stream is not None and self._is_new(stream.text):
            return Insertion(stream.span, stream.text, is_streamed=True)
        if are_keys(edits):
            return None
        if len(new) != 1 or len(changes) > 1 or not is_large(new):
            return None
        found = Insertion(new[0].span, new[0].text)
        return None if stands_in(found.text, other_texts) else found

    def agent_spans(self, edits: Sequence[Edit], changes: Sequence[Edit], functions: Iterable[Span]) -> list[Span]:
        """See `agent_spans`."""
        return [] if are_keys(edits) else agent_spans(changes, functions, self._recent.hold)

    def _is_new(self, text: str) -> bool:
        lines = [line for line in text.splitlines() if not self._recent.hold(line)]
        return count_statements(bare_lines("\n".join(lines))) >= _MIN_CODE


@dataclass(frozen=True, slots=True)
class NewCode:
    """Lines of one change that are new."""

    span: Span
    """Where the change is, after all changes."""
    text: str
    code: int
    """How many of the lines do something."""
    characters: int
    """How much of it was not in the lines before."""
    around: int
    """How many lines came or went with all of the changes; 0 of what may be a snippet."""


def new_code(changes: Sequence[Edit], is_known: Callable[[str], bool]) -> list[NewCode]:
    """The new code of each change that has some; none where all of it is layout, a rename, or comes from git."""
    changes = [change for change in changes if not is_layout(change)]
    pieces = [piece for change in changes for piece in change.pieces()]
    if any(_CONFLICT.search(piece.text) for piece in pieces) or _is_rename(pieces):
        return []
    taken = Counter(substance(line) for piece in pieces for line in piece.removed.splitlines())
    found: list[NewCode] = []
    pieces = [piece for piece in pieces if not is_layout(piece)]
    is_at_one_place = len(pieces) == 1
    around = sum(_count_changed(piece) for piece in pieces)
    for piece, span in zip(pieces, _spans_of_lines(pieces), strict=True):
        lines: list[str] = []
        for line in piece.text.splitlines(keepends=True):
            kept = substance(line)
            if taken[kept]:
                taken[kept] -= 1
            elif not is_known(line):
                lines.append(line)
        bare = bare_lines("".join(lines))
        # A snippet is put in at one place, and takes away the word that stands for it at most.
        may_be_snippet = is_at_one_place and not _takes_code(piece)
        code = count_code(bare, goes_on=bool(piece.removed.strip())) if may_be_snippet else count_statements(bare)
        if code:
            found.append(NewCode(span, "".join(lines), code, _count_added(piece), 0 if may_be_snippet else around))
    return found


def is_large(new: Sequence[NewCode]) -> bool:
    """Whether new code is more than a key or the completion of a name brings."""
    if len(new) == 1 and new[0].characters < _MIN_CHARACTERS:
        return False
    return sum(one.code for one in new) >= _MIN_CODE or any(one.around >= _MIN_AROUND for one in new)


def _count_changed(piece: Edit) -> int:
    """How many lines with something in them came or went."""
    old, new = _lines_with_code(piece.removed), _lines_with_code(piece.text)
    return (old - new).total() + (new - old).total()


def _lines_with_code(text: str) -> Counter[bytes]:
    return Counter(kept for line in text.splitlines() if (kept := substance(line)))


def _takes_code(piece: Edit) -> bool:
    return any(len(_TOKEN.findall(line)) > 1 for line in bare_lines(piece.removed))


def _spans_of_lines(pieces: Sequence[Edit]) -> list[Span]:
    """Where each new text is after all of them, without the line after it: another function may begin there."""
    spans: list[Span] = []
    for index, piece in enumerate(pieces):
        end, lines = piece.end_after, split_lines(piece.text)
        if not end[1] and len(lines) > 1:
            end = end[0] - 1, len(lines[-2].rstrip("\r\n")) + (piece.span.start_column if len(lines) == 2 else 0)
        span = Span(piece.span.start_line, piece.span.start_column, *end)
        spans.append(moved_by_all(span, pieces[index + 1 :]))
    return spans


def _count_added(piece: Edit) -> int:
    """Characters of code that came, apart from what the text before and after have in common at their ends."""
    return len(substance(_difference(piece.removed, piece.text)[1]))


def _is_rename(pieces: Sequence[Edit]) -> bool:
    """Whether the same part of a name was replaced by the same text everywhere, as several cursors do too."""
    pairs: set[tuple[str, str]] = set()
    for piece in pieces:
        old, new = _TOKEN.findall(piece.removed), _TOKEN.findall(piece.text)
        if len(old) != len(new):
            if max(len(old), len(new)) > 1:
                return False
            old, new = old or [""], new or [""]
        other = [pair for pair in zip(old, new) if pair[0] != pair[1]]
        if any(token[:1].isdigit() for pair in other for token in pair):
            return False  # A number has no name.
        pairs |= {_difference(*pair) for pair in other}
        if len(pairs) > 1:
            return False
    return True


def _difference(old: str, new: str) -> tuple[str, str]:
    """Two texts without what they begin and end with alike."""
    shorter = min(len(old), len(new))
    head = next((index for index in range(shorter) if old[index] != new[index]), shorter)
    left = shorter - head
    tail = next((index for index in range(left) if old[-1 - index] != new[-1 - index]), left)
    return old[head : len(old) - tail], new[head : len(new) - tail]


def is_layout(edit: Edit) -> bool:
    """Whether an edit does only what a formatter does."""
    return substance(edit.removed) == substance(edit.text)


def stands_in(text: str, others: Iterable[str]) -> bool:
    """Whether code occurs in one of several documents, however it is laid out there."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    wanted = substance(text)
    # A line of it is found fast; only then is it worth to look closer.
    return any(first in other and wanted in substance(other) for other in others)


def agent_spans(
    changes: Sequence[Edit], functions: Iterable[Span], is_known: Callable[[str], bool] = lambda line: False
) -> list[Span]:
    """Where code was changed at several places at once; `functions` are as they are after the changes."""
    new = new_code(changes, is_known)
    places = [one.span for one in new]
    # A file may have thousands of functions: they come last.
    is_accepted = is_large(new) and any(_overlap(span, place) for span in functions for place in places)
    return places if is_accepted else []


def _overlap(one: Span, other: Span) -> bool:
    """Whether two spans overlap; a change at the end of a function belongs to it, one at its beginning does not."""
    one_start, one_end = (one.start_line, one.start_column), (one.end_line, one.end_column)
    start, end = (other.start_line, other.start_column), (other.end_line, other.end_column)
    return one_start < end and start <= one_end
