"""The rule of docs/lsp-extensions.md, case by case."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.model import Span
from lsp_evalplus.server.analysis.facts import FunctionFacts
from lsp_evalplus.server.checking.triggers import Event, is_due

SPAN = Span(0, 0, 1, 0)


def facts(given: str) -> FunctionFacts:
    """A function described by words: changed, same, reference, examples."""
    words = set(given.split())
    is_changed = True if "changed" in words else False if "same" in words else None
    return FunctionFacts("f", SPAN, SPAN, "key", "hash", is_changed, "reference" in words, "examples" in words)


@pytest.mark.parametrize(
    ("trigger", "event", "function", "expected"),
    [
        # Whoever asks is answered.
        ("manual", "asked", "same", True),
        ("manual", "opened", "changed reference accepted", False),
        ("manual", "accepted", "accepted", False),
        # Opened, saved, outside: watched functions.
        ("accepted", "opened", "changed", True),
        ("accepted", "opened", "same examples", False),
        ("accepted", "opened", "same reference", True),
        ("accepted", "opened", "same accepted", True),
        ("accepted", "opened", "examples", True),
        ("accepted", "opened", "", False),
        ("save", "opened", "changed", True),
        ("save", "saved", "changed", True),
        ("changed", "outside", "same examples", False),
        ("accepted", "outside", "changed", True),
        ("accepted", "saved", "same finding", True),
        # Typing: only what the user wrote down may speak.
        ("accepted", "edited", "changed", False),
        ("accepted", "edited", "changed accepted", True),
        ("accepted", "edited", "changed examples", True),
        ("accepted", "edited", "changed reference", True),
        ("accepted", "edited", "changed finding", True),
        ("changed", "edited", "changed", True),
        ("save", "edited", "changed reference", False),
        # Typing in a file that it depends on.
        ("accepted", "unsaved", "changed examples", True),
        ("accepted", "unsaved", "changed", False),
        ("accepted", "unsaved", "same finding", True),
        ("accepted", "unsaved", "same examples", False),
        ("changed", "unsaved", "changed", True),
        ("changed", "unsaved", "same", False),
        ("save", "unsaved", "changed reference", False),
        # Acceptance.
        ("accepted", "accepted", "changed accepted", True),
        ("accepted", "accepted", "changed", False),
        ("changed", "accepted", "changed accepted", True),
        ("save", "accepted", "changed accepted", False),
    ],
)
def test_when_a_function_is_due(trigger: str, event: str, function: str, expected: bool) -> None:
    words = set(function.split())

    due = is_due(
        trigger, Event(event), facts(function), is_accepted="accepted" in words, has_finding="finding" in words
    )

    assert due is expected
