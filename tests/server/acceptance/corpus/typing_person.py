"""A person who types: key by key; brackets are closed, lines indented, and words completed."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from .clients import Buffer, Event

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class Typist:
    """Types text at a place of a buffer."""

    rng: random.Random
    buffer: Buffer
    offset: int
    completes: float = 0.3
    """How often a word of five letters or more is completed after its second letter."""
    errs: float = 0.02

    def type(self, text: str) -> list[Event]:
        """The notifications of typing `text`."""
        events: list[Event] = []
        closers: list[str] = []
        position = 0
        while position < len(text):
            sign = text[position]
            word = _WORD.match(text, position)
            is_start = word is not None and not (position and re.match(r"\w", text[position - 1]))
            if sign == "\n":
                position, more = self._enter(text, position)
                events += more
            elif word is not None and is_start and len(word[0]) > 4 and self.rng.random() < self.completes:
                events += self._complete(word[0])
                position = word.end()
            elif closers and sign == closers[-1] and self.buffer.text.startswith(sign, self.offset):
                closers.pop()
                events.append(self._put(self.offset, self.offset + 1, sign))
                position += 1
            elif sign in _PAIRS and "\n" not in text[position : text.find(_PAIRS[sign], position)]:
                closers.append(_PAIRS[sign])
                events.append(self._put(self.offset, self.offset, sign + _PAIRS[sign], back=1))
                position += 1
            else:
                events += self._key(sign)
                position += 1
        return events

    def _put(self, start: int, end: int, text: str, *, back: int = 0) -> Event:
        # An undo takes back a word at a time.
        joins = bool(text) and re.fullmatch(r"\w", text) is not None
        change = self.buffer.replace(start, end, text, joins=joins)
        self.offset = start + len(text) - back
        return [change]

    def _key(self, sign: str) -> list[Event]:
        events = []
        if sign.isalpha() and self.rng.random() < self.errs:
            events.append(self._put(self.offset, self.offset, self.rng.choice("abcdefgh")))
            events.append(self._put(self.offset - 1, self.offset, ""))
        events.append(self._put(self.offset, self.offset, sign))
        return events

    def _complete(self, word: str) -> list[Event]:
        start = self.offset
        events = [event for sign in word[:2] for event in self._key(sign)]
        events.append(self._put(start, self.offset, word))
        return events

    def _enter(self, text: str, position: int) -> tuple[int, list[Event]]:
        """Enter, which indents the new line as the one before it, and what corrects that."""
        line_start = self.buffer.text.rfind("\n", 0, self.offset) + 1
        line = self.buffer.text[line_start : self.offset]
        depth = len(line) - len(line.lstrip(" ")) + (4 if line.rstrip().endswith((":", "(", "[", "{")) else 0)
        wanted = re.match(r" *", text[position + 1 :])
        width = len(wanted[0]) if wanted is not None else 0
        events = [self._put(self.offset, self.offset, "\n" + " " * depth)]
        while width < depth:
            step = min(4, depth - width)
            events.append(self._put(self.offset - step, self.offset, ""))
            depth -= step
        if width > depth:
            events.append(self._put(self.offset, self.offset, " " * (width - depth)))
        return position + 1 + width, events
