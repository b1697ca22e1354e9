"""Shorten long results for display: keep the beginning, the end and the first difference between two of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from .model import Outcome, OutcomeKind

_ROOM: Final = 200
"""Maximum length of a string, in characters, before parts of it are elided."""
_LEAST_ROOM: Final = 16
_MAX_PREFIX: Final = 60
_OPENING: Final = re.compile(r"[^\[({'\"]*[\[({]")
_TOKEN: Final = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\[({]|[\])}]|,""", re.DOTALL)
_CUT: Final = "…"
"""Suffix of a string that the guest has truncated."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """A bracketed string split into its items."""

    prefix: str
    items: tuple[str, ...]
    suffix: str
    is_cut: bool

    @property
    def is_row(self) -> bool:
        """Whether its items are countable: a list, tuple, set, dict, or the values an iterator yielded."""
        return self.prefix[-1] in "[{" or self.prefix == "("

    @property
    def count(self) -> str:
        """`` (1,025 items)``."""
        more = "more than " if self.is_cut else ""
        return f" ({more}{len(self.items):,} items)" if self.is_row and len(self.items) > 1 else ""


def contrast_outcomes(one: Outcome, other: Outcome, room: int = _ROOM) -> tuple[Outcome, Outcome, str]:
    """Shorten two outcomes around their first difference; also return a remark on it, or an empty string."""
    if not one.kind is other.kind is OutcomeKind.RETURNED:
        return _shortened(one, room), _shortened(other, room), ""
    text, other_text, remark = contrast(one.text, other.text, room)
    changes = [text, one.mutated_arguments, one.output]
    other_changes = [other_text, other.mutated_arguments, other.output]
    for index in (1, 2):
        left, right = changes[index], other_changes[index]
        if left is not None and right is not None:
            changes[index], other_changes[index], said = contrast(left, right, room)
            remark = remark or said
    return _changed(one, changes), _changed(other, other_changes), remark


def contrast(one: str, other: str, room: int = _ROOM) -> tuple[str, str, str]:
    """Shorten two strings around their first difference; also return a remark on it, or an empty string."""
    if max(len(one), len(other)) <= room:
        return one, other, ""
    left, right = _split(one), _split(other)
    if left is None or right is None or left.prefix != right.prefix:
        place = next(
            (index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
        )
        is_beyond = one == other and one.endswith(_CUT)
        return _around(one, place, room), _around(other, place, room), _BEYOND if is_beyond else ""
    both = min(len(left.items), len(right.items))
    place = next((index for index in range(both) if left.items[index] != right.items[index]), both)
    inner = _item_room(room)
    items, other_items, remark = list(left.items), list(right.items), ""
    if place < both:
        items[place], other_items[place], remark = contrast(items[place], other_items[place], inner)
        if left.is_row and left.prefix[-1] != "{":
            remark = f"they differ first at index {place:,}"
    elif left.is_cut or right.is_cut:
        remark = _BEYOND
    elif left.is_row and len(left.items) != len(right.items):
        remark = f"the first {place:,} items are the same" if place > 1 else ""
    texts = [
        text
        if len(text) <= room
        else _written(replace(parts, items=tuple(changed)), place, room, is_ready=place < both)
        for text, parts, changed in ((one, left, items), (other, right, other_items))
    ]
    return texts[0], texts[1], remark


_BEYOND: Final = "they differ further on"


def excerpt(text: str, room: int = _ROOM) -> str:
    """Return the beginning and the end of a long string, with its total length."""
    if len(text) <= room:
        return text
    parts = _split(text)
    return _around(text, 0, room) if parts is None else _written(parts, 0, room)


def _shortened(outcome: Outcome, room: int) -> Outcome:
    is_value = outcome.kind is OutcomeKind.RETURNED
    texts = [outcome.text, outcome.mutated_arguments, outcome.output]
    short = [text if text is None else excerpt(text, room) for text in texts]
    return _changed(outcome, short if is_value else [outcome.text, *short[1:]])


def _changed(outcome: Outcome, texts: list[str | None]) -> Outcome:
    return replace(outcome, text=texts[0] or "", mutated_arguments=texts[1], output=texts[2])


def _split(text: str) -> _Parts | None:
    """Split a string into the items between its outermost brackets; None if it has no such form."""
    opening = _OPENING.match(text)
    if opening is None or opening.end() > _MAX_PREFIX:
        return None
    items, start, depth = list[str](), opening.end(), 0
    for token in _TOKEN.finditer(text, start):
        if token[0] in ("[", "(", "{"):
            depth += 1
        elif token[0] in ("]", ")", "}"):
            depth -= 1
        if depth < 0 or (depth == 0 and token[0] == ","):
            items += [text[start : token.start()].strip()] if text[start : token.start()].strip() else []
            start = token.end()
        if depth < 0:
            suffix = text[token.start() :]
            return _Parts(opening[0], tuple(items), suffix, is_cut=False) if len(suffix) <= 2 else None
    return _Parts(opening[0], tuple(items), "", is_cut=True) if items and text.endswith(_CUT) else None


def _item_room(room: int) -> int:
    return max(room // 5, _LEAST_ROOM)


def _written(parts: _Parts, place: int, room: int, *, is_ready: bool = False) -> str:
    """Join the first items, those around `place` and the last; `is_ready`: keep the item at `place` unchanged."""
    last = len(parts.items) - 1
    shown = {0, 1, 2, place - 1, place, place + 1, *(() if parts.is_cut else (last,))} & set(range(last + 1))
    inner = room if last == 0 else _item_room(room)
    said, before = list[str](), -1
    for index in sorted(shown):
        said += ["..."] if index > before + 1 else []
        item = parts.items[index]
        said.append(item if is_ready and index == place else _without_count(item, inner))
        before = index
    said += ["..."] if parts.is_cut or before < last else []
    closing = parts.suffix or {"[": "]", "(": ")", "{": "}"}[parts.prefix[-1]]
    return f"{parts.prefix}{', '.join(said)}{closing}{parts.count}"


def _without_count(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    parts = _split(text)
    if parts is not None and room > 2 * _LEAST_ROOM:
        return _written(parts, 0, room)
    return _joined(text, [(0, room // 2), (len(text) - room // 3, len(text))])


def _around(text: str, place: int, room: int) -> str:
    """Return the beginning, the part around `place`, and the end."""
    if len(text) <= room:
        return text
    part = room // 5
    spans = [(0, 2 * part), (max(place - part, 0), place + part), (len(text) - part, len(text))]
    more = "more than " if text.endswith(_CUT) else ""
    return f"{_joined(text, spans)} ({more}{len(text):,} characters)"


def _joined(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Join spans of a string in order, with dots for the parts left out."""
    said, end = "", 0
    for start, stop in sorted(spans):
        said += ("..." if start > end else "") + text[max(start, end) : stop]
        end = max(end, min(stop, len(text)))
    return said + ("..." if end < len(text) else "")


def as_sentence(text: str) -> str:
    """Return a string with a full stop at its end, which a message of an exception may have already."""
    return f"{text.removesuffix('.')}."
