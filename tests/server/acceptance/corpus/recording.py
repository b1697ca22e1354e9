"""One recorded edit: the document, what happened before, and the notifications that are judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .clients import Event

COUNT = 60
"""Edits of each kind."""


@dataclass(frozen=True, slots=True)
class Recording:
    """An edit as a server hears of it."""

    way: str
    """How it was made, within its kind."""
    text: str
    events: Sequence[Event]
    before: Sequence[Event] = ()
    """What happened in this session before, and is not judged."""
    opened: Mapping[str, str] = field(default_factory=dict)
    """Other documents that are open, by name."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Other files of the project, by name."""
    path: Path | None = None
    """The document's file, where it is in a repository."""
    command: Callable[[], object] | None = None
    """What brings the edits, where that has to happen while the document is open."""
