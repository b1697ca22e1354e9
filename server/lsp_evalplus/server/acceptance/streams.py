"""Recognise code that comes as a stream: piece after piece, each longer than a key."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lsp_evalplus.fuzz.model import Span
from lsp_evalplus.server.documents.documents import Edit, hull, moved, touches

_MIN_PIECE: Final = 2.5
"""Characters other than spaces that a piece of a stream has on average. Who types has little more than one."""

_KEY: Final = re.compile(r"\s*(?:\w*|\W{1,2})\s*")
"""What a key puts in: a sign, a pair of brackets, a line with its indentation; or a word that is completed."""


def are_keys(edits: Sequence[Edit]) -> bool:
    """Whether edits are keys one after the other, as a client sends them that waits a moment before it sends."""
    typed: Span | None = None
    for edit in edits:
        if _KEY.fullmatch(edit.text) is None or (typed is not None and not touches(typed, edit.span)):
            return False
        place = Span(edit.span.start_line, edit.span.start_column, *edit.end_after)
        typed = place if typed is None else hull([moved(typed, edit), place])
    return True


@dataclass(slots=True)
class _Run:
    """Insertions, each where the one before it ends."""

    uri: str
    start: tuple[int, int]
    end: tuple[int, int]
    texts: list[str]
    characters: int = 0
    pieces: int = 0


@dataclass(frozen=True, slots=True)
class Stream:
    """What has come so far."""

    span: Span
    text: str


class StreamWatch:
    """Follows insertions of which each goes on where the one before it ended."""

    def __init__(self) -> None:
        self._run: _Run | None = None

    def notice(self, edits: Sequence[Edit], uri: str) -> Stream | None:
        """The stream that these edits continue, where it is one."""
        before = self._run
        for edit in edits:
            self._take(edit, uri)
        run = self._run
        if run is None or run is not before or run.pieces < 2 or run.characters < _MIN_PIECE * run.pieces:
            return None
        text = "".join(run.texts)
        # Where it ends in a line's end, it does not reach into the next line.
        end = (run.end[0] - 1, 1) if text.endswith("\n") and run.end[0] > run.start[0] else run.end
        return Stream(Span(*run.start, *end), text)

    def _take(self, edit: Edit, uri: str) -> None:
        start = edit.span.start_line, edit.span.start_column
        if edit.removed:
            self._run = None
            return
        if self._run is None or self._run.uri != uri or self._run.end != start:
            self._run = _Run(uri, start, start, [])
        run = self._run
        size = sum(map(len, edit.text.split()))
        run.end = edit.end_after
        run.texts.append(edit.text)
        run.characters += size
        run.pieces += size > 0
