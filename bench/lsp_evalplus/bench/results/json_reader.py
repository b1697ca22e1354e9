"""A JSON text read member by member, so that one value of a large file is in memory at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, TextIO

_PIECE: Final = 1 << 20
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_AFTER: Final = frozenset(" \t\n\r,:]}")
_DECODER: Final = json.JSONDecoder()


class JsonReader:
    """Reads one JSON text from a file; all methods raise `ValueError` for anything else.

    Args:
        piece: the least number of characters to read at a time.
    """

    def __init__(self, file: TextIO, piece: int = _PIECE) -> None:
        self._file = file
        self._piece = piece
        self._text = ""
        self._place = 0
        self._is_whole = False

    def peek(self) -> str:
        """The next character that is no space; empty at the end of the file."""
        while True:
            space = _SPACE.match(self._text, self._place)
            self._place = self._place if space is None else space.end()
            if self._place < len(self._text) or self._is_whole:
                return self._text[self._place : self._place + 1]
            self._read_more()

    def value(self) -> Any:
        """Read the next value whole."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._place)
            except ValueError:
                if self._is_whole:
                    raise
            else:
                # A number may go on in the next piece, also one that ends before its point.
                if self._is_whole or self._text[end : end + 1] in _AFTER:
                    self._place = end
                    return value
            self._read_more()

    def members(self) -> Iterator[str]:
        """Read an object: its names, after each of which the caller reads the value."""
        self._take("{")
        if self.peek() == "}":
            self._take("}")
            return
        while True:
            name = self.value()
            if not isinstance(name, str):
                raise ValueError(f"the name of a member is {name!r}")
            self._take(":")
            yield name
            if self._take(",}") == "}":
                return

    def end(self) -> None:
        """Check that nothing follows."""
        if self.peek():
            raise ValueError(f"{self.peek()!r} follows the value")

    def _take(self, marks: str) -> str:
        found = self.peek()
        if not found or found not in marks:
            raise ValueError(f"{found or 'the end'!r} in the place of {' or '.join(marks)}")
        self._place += 1
        return found

    def _read_more(self) -> None:
        """Read as much again as there is, so that a value of any length is decoded a few times only."""
        rest = self._text[self._place :]
        more = self._file.read(max(self._piece, len(rest)))
        self._text, self._place, self._is_whole = rest + more, 0, not more
