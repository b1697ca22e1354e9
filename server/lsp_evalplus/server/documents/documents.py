"""Open documents: text as lines, versions, and how edits move positions.

Positions inside the server are `Span`s: zero-based lines and columns in code points. Clients count columns in UTF-8,
UTF-16 or UTF-32 units; `Encoding` converts, and is used at the boundary only. A line ends at ``\\n``, ``\\r\\n`` or
``\\r``, as the protocol says (`str.splitlines` also cuts at form feeds and Unicode separators, which would shift every
position after them).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePath
from typing import Final
from urllib.parse import unquote

from pygls.uris import to_fs_path

from lsp_evalplus.fuzz.model import Span

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")

_MIN_COMPARED_LINES: Final = 3
_MAX_COMPARED_LINES: Final = 5000
"""Longer replacements are not compared line by line: an edit must not block."""
_MAX_EXACT_LINES: Final = 400
"""In longer ones, lines that occur all over the text do not count as equal unless lines beside them are."""

_OTHER_ENDS: Final = ("\v", "\f", "\x1c", "\x1d", "\x1e")
"""Further characters at which `str.splitlines` splits ASCII text."""


def split_lines(text: str) -> list[str]:
    """The lines of `text` with their ends; the last is empty when `text` ends with a line end or is empty."""
    # `splitlines` is much faster, and splits at the same places unless there are other line ends.
    is_plain = text.isascii() and not any(sign in text for sign in _OTHER_ENDS)
    lines = text.splitlines(keepends=True) if is_plain else _LINE.findall(text)
    if not lines or lines[-1][-1] in "\r\n":
        lines.append("")
    return lines


class Encoding(StrEnum):
    """How a client counts columns."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"

    def width(self, text: str) -> int:
        """The length of `text` in units."""
        if self is Encoding.UTF32 or text.isascii():
            return len(text)
        if self is Encoding.UTF8:
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2

    def to_column(self, line: str, units: int) -> int:
        """The code point column of a unit offset; an offset inside a character is that character's start."""
        body = line.rstrip("\r\n")
        if self is Encoding.UTF32 or body.isascii():
            return min(units, len(body))
        if self is Encoding.UTF8:
            return len(body.encode("utf-8", "surrogatepass")[:units].decode("utf-8", "ignore"))
        column = 0
        for character in body:
            units -= 2 if ord(character) > 0xFFFF else 1
            if units < 0:
                break
            column += 1
        return column

    def to_units(self, line: str, column: int) -> int:
        """The unit offset of a code point column."""
        return self.width(line[:column])


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a document, in the coordinates of the text before it."""

    span: Span
    text: str
    removed: str = ""
    """The replaced text; empty for an insertion."""

    @property
    def end_after(self) -> tuple[int, int]:
        """Where the new text ends, in the coordinates of the text after the change."""
        inserted = split_lines(self.text)
        if len(inserted) == 1:
            return self.span.start_line, self.span.start_column + len(self.text)
        return self.span.start_line + len(inserted) - 1, len(inserted[-1])

    def pieces(self) -> list[Edit]:
        """The same change line by line, in order: some clients replace a whole text to change a few lines of it.

        Each piece is in the coordinates of the text after those before it.
        """
        old, new = split_lines(self.removed), split_lines(self.text)
        if len(old) < _MIN_COMPARED_LINES or max(len(old), len(new)) > _MAX_COMPARED_LINES:
            return [self]
        found: list[Edit] = []
        is_long = max(len(old), len(new)) > _MAX_EXACT_LINES
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=is_long)
        for kind, first, last, new_first, new_last in matcher.get_opcodes():
            if kind != "equal":
                removed, text = "".join(old[first:last]), "".join(new[new_first:new_last])
                line, column = self.span.start_line + new_first, 0 if new_first else self.span.start_column
                end = Edit(Span(line, column, line, column), removed).end_after
                found.append(Edit(Span(line, column, *end), text, removed))
        return found


@dataclass(slots=True)
class Document:
    """A document that a client has open (or, when `version` is None, that was read from disk)."""

    uri: str
    version: int | None
    language: str
    lines: list[str]
    notebook: str | None = None
    """The notebook's URI when this is one of its cells."""
    _text: str | None = field(default=None, repr=False)

    @classmethod
    def from_text(
        cls, uri: str, text: str, version: int | None = None, language: str = "python", notebook: str | None = None
    ) -> Document:
        """A document of `text`."""
        return cls(uri, version, language, split_lines(text), notebook)

    @property
    def path(self) -> str | None:
        """The document's file, if it is on this machine."""
        return path_of(self.uri)

    @property
    def text(self) -> str:
        """The whole text, its line ends as the client has them."""
        if self._text is None:
            self._text = "".join(self.lines)
        return self._text

    @property
    def line_end(self) -> str:
        """The line end to use for new text."""
        first = self.lines[0]
        return "\r\n" if first.endswith("\r\n") else "\n"

    @property
    def is_python(self) -> bool:
        """Whether it may contain something to check."""
        return self.language == "python" or PurePath(unquote(self.uri)).suffix in {".py", ".pyi"}

    def replace(self, span: Span, text: str) -> Edit:
        """Replace `span` by `text`; return the edit."""
        span = self.clamped(span)
        removed = self.slice(span)
        first, last = span.start_line, span.end_line
        joined = self.lines[first][: span.start_column] + text + self.lines[last][span.end_column :]
        if first > 0 and span.start_column == 0 and self.lines[first - 1].endswith("\r"):
            # "\r" of the line before and a new "\n" are one line end.
            first -= 1
            joined = self.lines[first] + joined
        lines = split_lines(joined)
        if last + 1 < len(self.lines) and lines[-1] == "":
            lines.pop()
        self.lines[first : last + 1] = lines
        self._text = None
        return Edit(span, text, removed)

    def replace_all(self, text: str) -> Edit:
        """Replace the whole text; the edit covers only the lines that differ, so that positions elsewhere stay."""
        old, new = self.lines, split_lines(text)
        self.lines, self._text = new, text
        shorter = min(len(old), len(new))
        head = next((number for number in range(shorter) if old[number] != new[number]), shorter)
        left = shorter - head
        tail = next((number for number in range(left) if old[-1 - number] != new[-1 - number]), left)
        removed, inserted = old[head : len(old) - tail], new[head : len(new) - tail]
        if not tail and head == len(old):
            # Lines were added behind the last one, whose end is where they begin.
            end = len(old) - 1, len(old[-1])
            return Edit(Span(*end, *end), "".join(inserted))
        last = (len(old) - tail, 0) if tail else (len(old) - 1, len(old[-1]))
        return Edit(Span(head, 0, *last), "".join(inserted), "".join(removed))

    def before(self, edits: Sequence[Edit]) -> Document:
        """The document before the latest of its edits, given in the order in which they were made."""
        older = Document(self.uri, None, self.language, list(self.lines), self.notebook)
        for edit in reversed(edits):
            older.replace(Span(edit.span.start_line, edit.span.start_column, *edit.end_after), edit.removed)
        return older

    def slice(self, span: Span) -> str:
        """The text of `span`."""
        if span.start_line == span.end_line:
            return self.lines[span.start_line][span.start_column : span.end_column]
        first = self.lines[span.start_line][span.start_column :]
        last = self.lines[span.end_line][: span.end_column]
        return first + "".join(self.lines[span.start_line + 1 : span.end_line]) + last

    def clamped(self, span: Span) -> Span:
        """`span`, moved inside the text; a column never points into or behind a line end."""
        start = self._clamped_position(span.start_line, span.start_column)
        end = max(start, self._clamped_position(span.end_line, span.end_column))
        return Span(*start, *end)

    def _clamped_position(self, line: int, column: int) -> tuple[int, int]:
        if line >= len(self.lines):
            return len(self.lines) - 1, len(self.lines[-1].rstrip("\r\n"))
        return max(line, 0), max(0, min(column, len(self.lines[line].rstrip("\r\n"))))


def path_of(uri: str) -> str | None:
    """The path of a ``file:`` URI, None for every other scheme and where it names no file."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    if not path or "\0" in path:
        return None
    return path.removeprefix("//localhost") if path.startswith("//localhost/") else path


def moved(span: Span, edit: Edit) -> Span:
    """Where `span` is after `edit`.

    Text typed at its start stays outside, and at its end too; a replacement that overlaps it takes the overlapping part
    away and leaves the rest.
    """
    start = _moved_position((span.start_line, span.start_column), edit, sticks_to_end=True)
    end = _moved_position((span.end_line, span.end_column), edit, sticks_to_end=False)
    return Span(*start, *max(start, end))


def moved_by_all(span: Span, edits: Iterable[Edit]) -> Span:
    """Where `span` is after several edits, one after the other."""
    for edit in edits:
        span = moved(span, edit)
    return span


def _moved_position(position: tuple[int, int], edit: Edit, *, sticks_to_end: bool) -> tuple[int, int]:
    start = (edit.span.start_line, edit.span.start_column)
    end = (edit.span.end_line, edit.span.end_column)
    if position < start or (position == start and not sticks_to_end):
        return position
    end_line, end_column = edit.end_after
    if position < end:
        return (end_line, end_column) if sticks_to_end else start
    line, column = position
    if line == end[0]:
        return end_line, end_column + column - end[1]
    return line + end_line - end[0], column


def touches(one: Span, other: Span) -> bool:
    """Whether two spans overlap or meet."""
    one_start, one_end = (one.start_line, one.start_column), (one.end_line, one.end_column)
    other_start, other_end = (other.start_line, other.start_column), (other.end_line, other.end_column)
    return one_start <= other_end and other_start <= one_end


def hull(spans: Sequence[Span]) -> Span:
    """The smallest span around all of `spans`, a non-empty sequence."""
    start = min((span.start_line, span.start_column) for span in spans)
    end = max((span.end_line, span.end_column) for span in spans)
    return Span(*start, *end)
