"""How editors send a change of a document: the ``contentChanges`` of their ``textDocument/didChange``."""

from __future__ import annotations

import difflib
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

Change = dict[str, Any]
"""An entry of ``contentChanges``, as in the protocol."""
Event = list[Change]
"""The ``contentChanges`` of one notification."""
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Step:
    """One change by offsets, which can be taken back."""

    start: int
    removed: str
    text: str


@dataclass(slots=True)
class Buffer:
    """The text in an editor, and what was done to it, group by group: a group is what one undo takes back."""

    text: str
    groups: list[list[Step]] = field(default_factory=list)

    def replace(self, start: int, end: int, text: str, *, joins: bool = False) -> Change:
        """Replace a part of the text; `joins`: the change belongs to the latest group."""
        if not joins or not self.groups:
            self.groups.append([])
        self.groups[-1].append(Step(start, self.text[start:end], text))
        return self._apply(start, end, text)

    def _apply(self, start: int, end: int, text: str) -> Change:
        change = {"range": {"start": self._position(start), "end": self._position(end)}, "text": text}
        self.text = self.text[:start] + text + self.text[end:]
        return change

    def _position(self, offset: int) -> dict[str, int]:
        return {
            "line": self.text.count("\n", 0, offset),
            "character": offset - self.text.rfind("\n", 0, offset) - 1,
        }

    def undo(self, group: Sequence[Step]) -> Event:
        """Take a group back, in one notification."""
        return [self._apply(one.start, one.start + len(one.text), one.removed) for one in reversed(group)]

    def redo(self, group: Sequence[Step]) -> Event:
        """Do a group again."""
        return [self._apply(one.start, one.start + len(one.removed), one.text) for one in group]

    def replace_all(self, parts: Iterable[tuple[int, int, str]]) -> Event:
        """Replace several parts, given by offsets of the text before, in one notification: the last one first."""
        ordered = sorted(parts, reverse=True)
        return [self.replace(*part, joins=number > 0) for number, part in enumerate(ordered)]


def reloaded(buffer: Buffer, new: str) -> Event:
    """As VS Code reads a file again: one change from the first line that differs to the last one."""
    old_lines, new_lines = buffer.text.splitlines(keepends=True), new.splitlines(keepends=True)
    shorter = min(len(old_lines), len(new_lines))
    head = next((n for n in range(shorter) if old_lines[n] != new_lines[n]), shorter)
    left = shorter - head
    tail = next((n for n in range(left) if old_lines[-1 - n] != new_lines[-1 - n]), left)
    start = len("".join(old_lines[:head]))
    end = len("".join(old_lines[: len(old_lines) - tail]))
    return [buffer.replace(start, end, "".join(new_lines[head : len(new_lines) - tail]))]


def by_hunks(buffer: Buffer, new: str) -> Event:
    """As an extension applies a diff: each hunk of lines a change, the last one first."""
    return buffer.replace_all(_parts(buffer.text.splitlines(keepends=True), new.splitlines(keepends=True)))


def by_tokens(buffer: Buffer, new: str) -> Event:
    """As VS Code applies a formatter's answer: only the characters that differ, within each hunk of lines."""
    old_lines, new_lines = buffer.text.splitlines(keepends=True), new.splitlines(keepends=True)
    found = []
    for start, end, text in _parts(old_lines, new_lines):
        old = _TOKEN.findall(buffer.text[start:end])
        found += [(start + first, start + last, part) for first, last, part in _parts(old, _TOKEN.findall(text))]
    return buffer.replace_all(found)


def _parts(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, str]]:
    offsets = [0]
    for one in old:
        offsets.append(offsets[-1] + len(one))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        (offsets[first], offsets[last], "".join(new[new_first:new_last]))
        for kind, first, last, new_first, new_last in matcher.get_opcodes()
        if kind != "equal"
    ]


def by_span(buffer: Buffer, new: str) -> Event:
    """As Neovim tells of a change: one from the first character that differs to the last one."""
    old = buffer.text
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    left = shorter - head
    tail = next((n for n in range(left) if old[-1 - n] != new[-1 - n]), left)
    return [buffer.replace(head, len(old) - tail, new[head : len(new) - tail])]


def whole(buffer: Buffer, new: str) -> Event:
    """As a client that knows no ranges: the whole text."""
    buffer.replace(0, len(buffer.text), new)
    return [{"text": new}]


def grouped(rng: random.Random, events: Sequence[Event], most: int) -> list[Event]:
    """As a client that waits a moment before it sends: several changes in one notification."""
    found: list[Event] = []
    rest = list(events)
    while rest:
        count = rng.randint(1, most)
        found.append([change for event in rest[:count] for change in event])
        rest = rest[count:]
    return found
