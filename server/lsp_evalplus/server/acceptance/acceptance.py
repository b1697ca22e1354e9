"""Which code an AI just wrote: reported by clients, inferred from edits, tracked through later edits, kept on disk.

An acceptance is a range of a document with its certainty. Ranges of one source that touch are one (word by word
acceptance); they move with later edits, and a function that overlaps one counts as accepted until its text is what it
was at HEAD again. Between sessions a function is remembered by file, name and a hash of its text.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, cast

from lsp_evalplus.fuzz.files import write_atomically
from lsp_evalplus.fuzz.model import Span
from lsp_evalplus.server.documents.documents import Document, Edit, hull, moved, moved_by_all, touches

logger = logging.getLogger(__name__)

_MAX_HISTORY: Final = 64
_MAX_REMEMBERED: Final = 2000


class AcceptanceKind(StrEnum):
    """How much of a completion was taken."""

    FULL = "full"
    WORD = "word"
    LINE = "line"
    NEXT_EDIT = "nextEdit"


_PARTIAL: Final = (AcceptanceKind.WORD, AcceptanceKind.LINE)


class Certainty(StrEnum):
    """Where the knowledge comes from."""

    REPORTED = "reported"
    """The client said so."""
    GUESSED = "guessed"
    """One large insertion that was neither a paste nor an undo."""
    OUTSIDE = "outside"
    """The file changed on disk, or in many places at once: an agent, or a merge."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A range that was accepted."""

    span: Span
    kind: AcceptanceKind
    certainty: Certainty
    source: str | None = None
    replaced: str | None = None
    """The document's text before, where the accepted code took the place of other code."""


class AcceptedRanges:
    """The accepted ranges of one document, in its current coordinates."""

    _MAX_REPLACED: Final = 8
    """At most this many versions of the source are kept: a document may be large."""

    def __init__(self) -> None:
        self.accepted: list[Acceptance] = []
        self._history: deque[tuple[int, Sequence[Edit]]] = deque(maxlen=_MAX_HISTORY)

    def add(
        self,
        document: Document,
        spans: Sequence[Span],
        version: int | None,
        kind: AcceptanceKind,
        source: str | None,
    ) -> Span:
        """Take a client's report about `version` of the document; return the range as it is now.

        The spans are of that version; edits that came later move them. Several ranges are one acceptance.
        """
        span = moved_by_all(hull(spans), self._later_than(version))
        self._merge(
            Acceptance(span, kind, Certainty.REPORTED, source, self._text_before(document, span, version, kind))
        )
        return span

    def guess(self, document: Document, span: Span, certainty: Certainty, version: int | None = None) -> None:
        """Take a detected range that no client reported; of `version`, where that is not the newest."""
        kind = AcceptanceKind.FULL
        span = moved_by_all(span, self._later_than(version))
        replaced = self._text_before(document, span, version, kind)
        self._merge(Acceptance(span, kind, certainty, replaced=replaced))

    def _later_than(self, version: int | None) -> list[Edit]:
        return [edit for number, edits in self._history if version is not None and number > version for edit in edits]

    def follow(self, version: int | None, edits: Sequence[Edit]) -> None:
        """Move every range through an edit."""
        if version is not None:
            self._history.append((version, edits))
        for edit in edits:
            self.accepted = [replace(one, span=_followed(one, edit)) for one in self.accepted]
        self.accepted = [one for one in self.accepted if not _is_empty(one.span)]

    def best_for(self, spans: Iterable[Span]) -> Acceptance | None:
        """The most certain acceptance in the places of a function's code, or None."""
        order = list(Certainty)
        places = tuple(spans)
        found = [one for one in self.accepted if any(touches(one.span, place) for place in places)]
        return min(found, key=lambda one: (order.index(one.certainty), one.replaced is None), default=None)

    def _merge(self, new: Acceptance) -> None:
        parts = [one for one in self.accepted if one.certainty is new.certainty and touches(one.span, new.span)]
        if parts:
            # What a completion that was taken in parts replaced is what its first part did.
            is_going_on = any(one.kind in _PARTIAL for one in parts)
            known = [one.replaced for one in parts if one.replaced is not None]
            first = known[0] if known and (is_going_on or new.replaced is None) else new.replaced
            new = replace(new, span=hull([new.span, *(one.span for one in parts)]), replaced=first)
        self.accepted = [one for one in self.accepted if one not in parts]
        self.accepted.append(new)
        with_text = [one for one in self.accepted if one.replaced is not None]
        for one in with_text[: -self._MAX_REPLACED]:
            self.accepted[self.accepted.index(one)] = replace(one, replaced=None)

    def _text_before(self, document: Document, span: Span, version: int | None, kind: AcceptanceKind) -> str | None:
        """The document's text before the edit that inserted what is at `span`, if that replaced code."""
        later: list[Edit] = []
        for number, edits in reversed(self._history):
            places = (
                moved_by_all(
                    Span(edit.span.start_line, edit.span.start_column, *edit.end_after), [*edits[index:], *later][1:]
                )
                for index, edit in enumerate(edits)
            )
            if (version is None or number <= version) and any(touches(place, span) for place in places):
                before = document.before([*edits, *later])
                return before.text if any(_replaces_code(before, edit, kind) for edit in edits) else None
            later = [*edits, *later]
        return None


def _followed(one: Acceptance, edit: Edit) -> Span:
    """Where an accepted range is after an edit; the rest of a completion is often written over its first part."""
    span = moved(one.span, edit)
    if one.kind in _PARTIAL and _is_empty(span) and edit.text.startswith(edit.removed):
        return Span(edit.span.start_line, edit.span.start_column, *edit.end_after)
    return span


def _replaces_code(before: Document, edit: Edit, kind: AcceptanceKind) -> bool:
    """Whether an edit took away whole lines of code: a completion often writes over the word that is being typed.

    A next-edit suggestion may change a single character.
    """
    if kind is AcceptanceKind.NEXT_EDIT or not edit.removed.strip():
        return bool(edit.removed.strip())
    head = before.lines[edit.span.start_line][: edit.span.start_column] if edit.span.start_column else ""
    is_within = edit.span.end_column and edit.span.end_line < len(before.lines)
    tail = before.lines[edit.span.end_line][edit.span.end_column :] if is_within else ""
    return not head.strip() and not tail.strip()


def _is_empty(span: Span) -> bool:
    return (span.start_line, span.start_column) == (span.end_line, span.end_column)


@dataclass(frozen=True, slots=True)
class Remembered:
    """An accepted function between sessions."""

    path: str
    name: str
    text_hash: str
    certainty: Certainty


class AcceptanceStore:
    """Accepted functions on disk, one small JSON file per workspace, in the user's cache folder."""

    def __init__(self, folder: Path, workspace: str) -> None:
        digest = hashlib.sha256(workspace.encode()).hexdigest()[:16]
        self._file = folder / "accepted" / f"{digest}.json"
        self._known: dict[tuple[str, str], Remembered] = {}
        self._is_loaded = False

    def find(self, path: str, name: str, text_hash: str) -> Certainty | None:
        """How certainly the function was accepted, if it is remembered with this source."""
        self._load()
        known = self._known.get((path, name))
        return known.certainty if known is not None and known.text_hash == text_hash else None

    def remember(self, entry: Remembered) -> bool:
        """Keep an accepted function; True if it is new, so that `save` has something to write."""
        self._load()
        if self._known.get((entry.path, entry.name)) == entry:
            return False
        self._known.pop((entry.path, entry.name), None)
        self._known[entry.path, entry.name] = entry
        while len(self._known) > _MAX_REMEMBERED:
            self._known.pop(next(iter(self._known)))
        return True

    def save(self) -> None:
        """Write the file atomically; a cache folder that cannot be written is logged and otherwise ignored."""
        entries = [[one.path, one.name, one.text_hash, one.certainty] for one in self._known.values()]
        text = json.dumps({"version": 1, "accepted": entries})
        try:
            write_atomically(self._file, text.encode("utf-8", "surrogateescape"), is_private=True)
        except OSError as error:
            logger.warning("accepted functions could not be saved in %s: %s", self._file, error)

    def _load(self) -> None:
        if self._is_loaded:
            return
        self._is_loaded = True
        try:
            content: Any = json.loads(self._file.read_text(encoding="utf-8"))
            for path, name, text_hash, certainty in cast("list[list[str]]", content["accepted"]):
                self._known[path, name] = Remembered(path, name, text_hash, Certainty(certainty))
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError) as error:
            logger.warning("%s is not readable and is started anew: %s", self._file, error)
