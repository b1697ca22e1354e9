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
_LETTERS: Final = 3
"""Letters of the words that are looked at: shorter ones say little."""
_MIN_WORDS: Final = 4
_MIN_SHARE: Final = 0.75
"""How many words of a stream begin with two letters in one piece. A key brings one letter; a completion replaces what
was typed of a word, or makes up half of the words at most, as after dots."""
_WORD: Final = re.compile(r"[^\W\d_]+")
"""Also a part of a name that is made of several words."""

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
    words: int = 0
    """Words of at least `_LETTERS` letters."""
    begun: int = 0
    """Those of them whose first two letters came in one piece."""
    letters: int = 0
    """Of the word at the end, so far."""
    is_begun: bool = False
    """Whether its first two letters came in one piece."""

    def take(self, text: str) -> None:
        """Count the words that a piece brings, or goes on with."""
        for found in _WORD.finditer(text):
            before = self.letters if not found.start() else 0
            if not before:
                self.is_begun = len(found[0]) > 1
            self.letters = before + len(found[0])
            if before < _LETTERS <= self.letters:
                self.words += 1
                self.begun += self.is_begun
        if text and _WORD.match(text[-1]) is None:
            self.letters = 0

    @property
    def is_stream(self) -> bool:
        """Whether the pieces are more than keys: longer on average, or words as a whole, as a model's single tokens."""
        if self.pieces < 2:
            return False
        is_of_words = self.words >= _MIN_WORDS and self.begun >= _MIN_SHARE * self.words
        return is_of_words or self.characters >= _MIN_PIECE * self.pieces


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
        if run is None or run is not before or not run.is_stream:
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
        run.take(edit.text)
