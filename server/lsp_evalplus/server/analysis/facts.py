"""What the server knows about a file and its functions. Plain values: they cross to the analysis process and back."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from lsp_evalplus.fuzz.model import FunctionTarget, Oracle, OracleKind, Span

JUST_REPLACED: Final = "the version you just replaced"
"""The `source` of the oracle that is the code which accepted code replaced."""


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """A function of a file, as it was read."""

    name: str
    span: Span
    name_span: Span
    key: str
    """Hash of its source and of all that it uses in its file: while it is the same, so is its behaviour."""
    text_hash: str
    """Hash of its own source alone."""
    is_changed: bool | None
    """Whether its source differs from HEAD; None where there is no HEAD to compare with."""
    has_reference: bool
    """Whether a reference is designated for it, by a comment or a setting."""
    has_examples: bool
    """Whether its docstring holds something that looks like an example."""
    is_new: bool = False
    """Whether HEAD is known and lacks it; it then counts as changed."""
    is_stashed: bool = False
    """Whether its own source is as in a version that ``git stash`` put away, now or since the server started."""
    other_parts: tuple[Span, ...] = ()
    """Where else its code stands, see `Module.other_parts`."""

    @property
    def spans(self) -> tuple[Span, ...]:
        """All places of its code."""
        return (self.span, *self.other_parts)

    def moved(self, move: Callable[[Span], Span]) -> FunctionFacts:
        """The facts with all spans changed by a function."""
        others = tuple(map(move, self.other_parts))
        return replace(self, span=move(self.span), name_span=move(self.name_span), other_parts=others)


@dataclass(frozen=True, slots=True)
class Survey:
    """All functions of one source text, by column, so that a pipe carries thousands of them in milliseconds."""

    problem: str | None
    """The first syntax error, as ``line 3: invalid syntax``."""
    seconds: float
    """How long the source took to parse."""
    is_saved: bool
    """Whether it equals its file on disk."""
    _texts: tuple[str, ...]
    """Name, key and source hash of each function."""
    _numbers: array[int]
    """The spans of each function and of its name."""
    _marks: bytes
    """The flags of each function, as bits."""
    _other_parts: Mapping[int, tuple[Span, ...]]
    """Of the few functions that have them, by index."""

    @classmethod
    def of(
        cls, functions: Iterable[FunctionFacts], problem: str | None, seconds: float = 0.0, *, is_saved: bool = False
    ) -> Survey:
        """A survey of these functions."""
        texts, numbers, marks, others = list[str](), array("q"), bytearray(), dict[int, tuple[Span, ...]]()
        for one in functions:
            if one.other_parts:
                others[len(marks)] = one.other_parts
            texts += (one.name, one.key, one.text_hash)
            for span in (one.span, one.name_span):
                numbers.extend((span.start_line, span.start_column, span.end_line, span.end_column))
            changed = 0 if one.is_changed is None else _KNOWN | (_CHANGED if one.is_changed else 0)
            marks.append(changed | (_REFERENCE if one.has_reference else 0) | (_EXAMPLES if one.has_examples else 0))
            marks[-1] |= (_NEW if one.is_new else 0) | (_STASHED if one.is_stashed else 0)
        return cls(problem, seconds, is_saved, tuple(texts), numbers, bytes(marks), others)

    def __len__(self) -> int:
        return len(self._marks)

    def name(self, index: int) -> str:
        """The name of the function at an index, in source order."""
        return self._texts[3 * index]

    def key(self, index: int) -> str:
        """Its key."""
        return self._texts[3 * index + 1]

    def function(self, index: int) -> FunctionFacts:
        """All facts about it."""
        name, key, text_hash = self._texts[3 * index : 3 * index + 3]
        numbers, marks = self._numbers[8 * index : 8 * index + 8], self._marks[index]
        return FunctionFacts(
            name=name,
            span=Span(*numbers[:4]),
            name_span=Span(*numbers[4:]),
            key=key,
            text_hash=text_hash,
            is_changed=bool(marks & _CHANGED) if marks & _KNOWN else None,
            has_reference=bool(marks & _REFERENCE),
            has_examples=bool(marks & _EXAMPLES),
            is_new=bool(marks & _NEW),
            is_stashed=bool(marks & _STASHED),
            other_parts=self._other_parts.get(index, ()),
        )


_KNOWN: Final = 1
"""The flag that says that `changed` is known."""
_CHANGED: Final = 2
_REFERENCE: Final = 4
_EXAMPLES: Final = 8
_NEW: Final = 16
_STASHED: Final = 32


@dataclass(frozen=True, slots=True)
class PreparedFunction:
    """A function ready to be checked."""

    target: FunctionTarget
    oracles: tuple[Oracle, ...]
    """Strongest first."""
    key: str
    """Hash of everything its verdict depends on, but interpreter and budget."""
    directives: Mapping[str, str] = field(default_factory=dict[str, str])
    """The directives in comments at the function, see `fuzz.source.directives`."""
    reference_lines: Mapping[OracleKind, str] = field(default_factory=dict[OracleKind, str])
    """The line that holds the name of each oracle's reference: clients count columns in it."""
    depends_on: tuple[str, ...] = ()
    """Files whose change may change the verdict: references, and what the module imports from its project."""
    problem: str | None = None
    """Why there is no oracle, where the user can change that: a reference that cannot be read."""


@dataclass(frozen=True, slots=True)
class PreviousText:
    """A function's definition at HEAD."""

    lines: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class FileText:
    """Source text with the file it belongs to."""

    text: str
    path: str | None
    first_line: int = 0
    """Where the document starts in `text`: cells above a notebook's cell come first."""
