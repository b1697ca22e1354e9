"""When a function is checked automatically. The rule, in words, is in docs/lsp-extensions.md."""

from __future__ import annotations

from enum import StrEnum

from lsp_evalplus.server.analysis.facts import FunctionFacts


class Event(StrEnum):
    """What happened to a file."""

    OPENED = "opened"
    SAVED = "saved"
    EDITED = "edited"
    """Typing has paused."""
    ACCEPTED = "accepted"
    """Code was accepted in it."""
    OUTSIDE = "outside"
    """A reference or dependency changed: HEAD moved, settings, another file."""
    UNSAVED = "unsaved"
    """Typing has paused in another file that it depends on."""
    WRITTEN = "written"
    """It was written by another program: an agent, a checkout."""
    KNOWN = "known"
    """The baseline was changed, which starts no check."""
    ASKED = "asked"
    """A command; always due."""


def is_due(trigger: str, event: Event, facts: FunctionFacts, *, is_accepted: bool, has_finding: bool) -> bool:
    """Whether `event` starts a check of a function, given the setting `trigger`.

    A function is *watched* when it was accepted, has a designated reference, differs from HEAD, or, where there is no
    HEAD to compare with, has examples.
    """
    if event is Event.ASKED:
        return True
    if trigger == "manual" or event is Event.KNOWN:
        return False
    is_watched = is_accepted or facts.has_reference or _differs_from_head(facts)
    if event in {Event.OPENED, Event.SAVED, Event.OUTSIDE, Event.WRITTEN}:
        return is_watched or has_finding
    if trigger == "save":
        return False
    if trigger == "changed" and event is Event.EDITED:
        return True
    if event is Event.UNSAVED and not (is_watched or has_finding):
        return False
    if trigger == "changed" and event is Event.UNSAVED:
        return True
    # "accepted": what was typed by hand is judged by what the user wrote down, not by what it did before.
    return is_accepted or has_finding or facts.has_reference or facts.has_examples


def _differs_from_head(facts: FunctionFacts) -> bool:
    if facts.is_changed is None:
        return facts.has_examples
    return facts.is_changed
