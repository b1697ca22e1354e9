"""The types of what goes beyond the Language Server Protocol; the site's page of them is made from this module.

What a client sends comes as any JSON at all and is read part by part; its types here say what is understood.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from lsprotocol.types import Position, Range, TextDocumentIdentifier, VersionedTextDocumentIdentifier


class AcceptedParams(TypedDict):
    """The parameters of ``lspEvalplus/accepted``, and the argument of the command ``lspEvalplus.accepted``."""

    textDocument: VersionedTextDocumentIdentifier
    """The document, and its version in which the ranges are; null where that is not known: the newest one."""
    ranges: list[Range]
    """What was inserted; several where one acceptance changed several places. In the agreed position encoding."""
    kind: Literal["full", "word", "line", "nextEdit"]
    """How much was taken: a whole completion, its next word, its next line, or a next-edit suggestion."""
    source: NotRequired[str]
    """Where it came from, shown to the user: "GitHub.copilot", for example."""


class TrustParams(TypedDict):
    """The parameters of ``lspEvalplus/trust``."""

    trusted: bool
    """Whether the user trusts the workspace from now on."""


class FindingParams(TypedDict):
    """The parameters of ``lspEvalplus/finding``."""

    textDocument: TextDocumentIdentifier
    """The document."""
    position: Position
    """Where the function's name is."""


class Sizes(TypedDict):
    """Numbers of characters of the calls that a search tried."""

    smallest: int
    """Of the shortest call."""
    median: float
    """Of the median call."""
    largest: int
    """Of the longest call."""


class Tried(TypedDict):
    """What the search for a finding tried. Pairs are names with numbers of inputs, the largest first."""

    inputs: int
    """How many inputs were tried."""
    stages: list[tuple[str, int]]
    """Inputs by the stages of the search."""
    judgements: list[tuple[str, int]]
    """Inputs by what came of them."""
    kinds: list[tuple[str, int]]
    """Inputs by the types of their arguments, of a sample."""
    sizes: Sizes
    """How long the calls were, of a sample."""
    steps: int
    """How often the counterexample became smaller."""
    shrinking: list[str]
    """Calls on that way, the first and the last among them."""


class FindingView(TypedDict):
    """The result of ``lspEvalplus/finding``; null where no finding is at the position."""

    function: str
    """The function's qualified name."""
    call: str
    """The call that shows the difference, as a user pastes it."""
    actual: str
    """What the function does on it."""
    expected: str
    """What it should do."""
    oracle: str
    """What the function was compared with, in words."""
    facts: list[tuple[str, str]]
    """Label and text, in the order to be shown."""
    tried: Tried | None
    """What the search tried; null where no search was made, as after the replay of an earlier input."""


class OutcomeView(TypedDict):
    """What a program did on an input."""

    kind: str
    """How the call ended: it returned, raised an exception, or did not end."""
    text: str
    """The result or the exception, as text."""


class FindingData(TypedDict):
    """The ``data`` of a diagnostic."""

    name: str
    """The function's qualified name."""
    oracle: str
    """What the function was compared with: a name of the setting ``oracles``."""
    call: str
    """What a user pastes: f([3, 1])"""
    arguments: str
    """The same as the text of a tuple."""
    candidate: OutcomeView
    """What the function did."""
    expected: OutcomeView
    """What it should have done."""


TYPES = (AcceptedParams, TrustParams, FindingParams, FindingView, Tried, Sizes, FindingData, OutcomeView)
"""In the order in which a reader needs them."""
