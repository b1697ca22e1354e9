"""What the server knows about a file and its functions. Plain values: they cross to the analysis process and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lsp_evalplus.fuzz.model import FunctionTarget, Oracle, OracleKind, Span


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """A function of a file, before anything is decided about it."""

    name: str
    span: Span
    name_span: Span
    key: str
    """Hash of its text and of all that it uses in its file: while it is the same, so is its behaviour."""
    text_hash: str
    """Hash of its own text alone."""
    is_changed: bool | None
    """Whether its text differs from the one at HEAD; None where there is no HEAD to compare with."""
    has_reference: bool
    """Whether a reference is designated for it, by a comment or a setting."""
    has_examples: bool
    """Whether its docstring holds something that looks like an example."""


@dataclass(frozen=True, slots=True)
class Survey:
    """All functions of one text."""

    functions: tuple[FunctionFacts, ...]
    problem: str | None
    """The first syntax error, as ``line 3: invalid syntax``."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A function ready to be checked."""

    target: FunctionTarget
    oracles: tuple[Oracle, ...]
    """Strongest first."""
    key: str
    """Hash of everything its verdict depends on, but interpreter and budget."""
    directives: Mapping[str, str] = field(default_factory=dict[str, str])
    """What comments at the function say, see `fuzz.directives`."""
    reference_lines: Mapping[OracleKind, str] = field(default_factory=dict[OracleKind, str])
    """The line on which each oracle's reference has its name: clients count columns in it."""
    depends_on: tuple[str, ...] = ()
    """Files whose change may change the verdict: references, and what the module imports from its project."""
    problem: str | None = None
    """Why there is no oracle, where the user can mend it: a reference that cannot be read."""


@dataclass(frozen=True, slots=True)
class PreviousText:
    """A function's definition at HEAD."""

    lines: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class FileText:
    """A text with the file it belongs to."""

    text: str
    path: str | None
    first_line: int = 0
    """Where the document starts in `text`: cells above a notebook's cell come first."""
