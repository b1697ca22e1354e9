"""Error-tolerant parsing: parts that do not parse are blanked and reported.

Blanking keeps every line break, so that positions in the remaining source are positions in the file.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from lsp_evalplus.fuzz.model import Span

_MAXIMUM_JOINED = 20
"""How many neighbouring chunks are joined at most, for strings and brackets with lines at column zero."""

_COMPILED_CHARACTERS = 200_000
"""Source up to this size is also compiled, for errors beyond the grammar (``return`` outside a function)."""

_OPEN_SIGNS = ("never closed", "unterminated triple-quoted", "unexpected EOF")
"""Parts of the interpreter's error messages which mean that a statement may continue in the next chunk."""


@dataclass(frozen=True, slots=True)
class ParsedText:
    """Source that compiles, its syntax tree, and the parts cut out of it."""

    text: str
    lines: tuple[str, ...]
    tree: ast.Module
    cut: tuple[Span, ...]
    """Ranges of whole lines that do not parse."""
    problem: str | None
    """The first syntax error as ``line 3: invalid syntax``, or None."""


def parse_text(text: str) -> ParsedText:
    """Parse `text` as a whole or, if it has syntax errors, the largest set of statements that parse."""
    text = normalise_newlines(text)
    tree, problem = try_parse(text)
    if tree is not None:
        return ParsedText(text, tuple(text.split("\n")), tree, (), None)
    mended, cut = _cut_broken(text)
    tree, _ = try_parse(mended)
    if tree is None:
        # Statements that are valid one by one can conflict together (a late `from __future__`, `return` at top level).
        mended, tree = "\n" * text.count("\n"), ast.Module([], [])
        cut = [(0, text.count("\n"))]
    lines = tuple(text.split("\n"))
    spans = tuple(Span(first, 0, last, len(lines[last])) for first, last in cut)
    return ParsedText(mended, tuple(mended.split("\n")), tree, spans, problem)


def normalise_newlines(text: str) -> str:
    """Convert line ends to ``\\n`` and drop a byte order mark, like Python's tokenizer."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def try_parse(text: str) -> tuple[ast.Module | None, str | None]:
    """Parse and compile `text`; return the tree, which nobody may change, or a short description of the first error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = _TREES.of(text)
            if len(text) < _COMPILED_CHARACTERS:
                compile(tree, "<text>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return None, f"line {error.lineno or 1}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return None, f"line 1: {error or type(error).__name__}"
    return tree, None


def parse_module(text: str) -> ast.Module | None:
    """Parse `text` for a reader, who may not change the tree; return None where the grammar does not accept it.

    Half as expensive as `try_parse`, which also refuses what only the compiler does.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _TREES.of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Trees:
    """Syntax trees of the texts that were parsed last: the readers of one function's surroundings ask for the same."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept = dict[str, ast.Module]()

    def of(self, text: str) -> ast.Module:
        """Return the syntax tree of source code.

        Raises:
            SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse`.
        """
        tree = self._kept.pop(text, None) or ast.parse(text)
        self._kept[text] = tree
        while sum(map(len, self._kept)) > self._most:
            del self._kept[next(iter(self._kept))]
        return tree


_TREES = _Trees(most=400_000)
"""Up to this number of characters: a tree takes about a hundred times the memory of its text."""


def parse_expression(text: str) -> ast.expr | None:
    """Parse one expression of untrusted source, or return None; suppresses warnings."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parse_anew(text: str) -> ast.Module | None:
    """Parse `text` for a reader who changes the tree; return None where the grammar does not accept it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parse_statements(text: str) -> list[ast.stmt]:
    """Parse statements of untrusted source; empty if it does not parse; suppresses warnings."""
    tree = parse_anew(text)
    return [] if tree is None else tree.body


def node_span(lines: tuple[str, ...], node: ast.stmt | ast.expr) -> Span:
    """Return the span of a syntax node, in code points."""
    start_line, end_line = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    return Span(
        start_line,
        code_point_column(lines[start_line], node.col_offset),
        end_line,
        code_point_column(lines[end_line], node.end_col_offset or node.col_offset),
    )


def code_point_column(line: str, byte_column: int) -> int:
    """Convert a column in UTF-8 bytes, as in the syntax tree, to code points."""
    if line.isascii():
        return byte_column
    return len(line.encode("utf-8", "surrogatepass")[:byte_column].decode("utf-8", "replace"))


def _cut_broken(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Blank all lines outside of statements that parse; return the source and the ranges of blanked lines."""
    lines = text.split("\n")
    kept = list(_parsable(lines, 0, len(lines), 0))
    mended, cut, last = [""] * len(lines), list[tuple[int, int]](), 0
    for first, end in kept:
        mended[first:end] = lines[first:end]
        _note_cut(lines, last, first, cut)
        last = end
    _note_cut(lines, last, len(lines), cut)
    return "\n".join(mended), cut


def _note_cut(lines: list[str], first: int, end: int, cut: list[tuple[int, int]]) -> None:
    if any(_is_code(line) for line in lines[first:end]):
        cut.append((first, end - 1))


def _is_code(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith("#")


def _parsable(lines: list[str], first: int, end: int, indent: int) -> Iterator[tuple[int, int]]:
    """Yield the line ranges that parse, in order; of a broken class its header and the members that parse."""
    starts = _chunk_starts(lines, first, end, indent)
    index = 0
    while index < len(starts) - 1:
        joined = _count_joined(lines, starts[index : index + _MAXIMUM_JOINED], indent)
        if joined:
            yield starts[index], starts[index + joined]
        else:
            yield from _members(lines, starts[index], starts[index + 1], indent)
        index += joined or 1


def _count_joined(lines: list[str], starts: list[int], indent: int) -> int:
    """Return how many chunks, from the first on, parse when joined; 0 if none do."""
    for count, stop in enumerate(starts[1:], start=1):
        problem = _chunk_problem(lines, starts[0], stop, indent)
        if problem is None:
            return count
        if not any(sign in problem for sign in _OPEN_SIGNS):
            return 0
    return 0


def _members(lines: list[str], start: int, stop: int, indent: int) -> Iterator[tuple[int, int]]:
    header = next((i for i in range(start, stop) if lines[i].lstrip().startswith("class ")), None)
    if header is None or not lines[header].rstrip().endswith(":"):
        return
    inner = next((_indent(lines[i]) for i in range(header + 1, stop) if _is_code(lines[i])), 0)
    members = list(_parsable(lines, header + 1, stop, inner)) if inner > indent else []
    if members:
        yield start, header + 1
        yield from members


def _chunk_starts(lines: list[str], first: int, end: int, indent: int) -> list[int]:
    starts = [first]
    for number in range(first, end):
        line = lines[number]
        if _is_code(line) and _indent(line) <= indent and number > first and not _continues(lines, number, first):
            starts.append(_with_comments(lines, number, starts[-1]))
    return [*starts, end]


def _with_comments(lines: list[str], number: int, first: int) -> int:
    """Return the first line of the comments right above a statement, which belong to it."""
    while number - 1 > first and lines[number - 1].lstrip().startswith("#"):
        number -= 1
    return number


def _continues(lines: list[str], number: int, first: int) -> bool:
    """Whether the line's first word continues the statement above, or the line above is a decorator."""
    word = lines[number].lstrip()
    if word[0] in ")]}" or word.startswith(("else:", "elif ", "except", "finally:")):
        return True
    above = number - 1
    while above > first and not _is_code(lines[above]):
        above -= 1
    return lines[above].lstrip().startswith("@")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _chunk_problem(lines: list[str], start: int, stop: int, indent: int) -> str | None:
    chunk = lines[start:stop]
    if not any(map(_is_code, chunk)):
        return None
    return try_parse("\n".join(["class _:", *chunk] if indent else chunk))[1]


def copied(node: Any) -> Any:
    """Return a copy of a syntax tree, several times as fast as `copy.deepcopy`."""
    if isinstance(node, list):
        return [copied(item) for item in cast("list[Any]", node)]
    if not isinstance(node, ast.AST):
        return node
    made = type(node)(**{name: copied(value) for name, value in ast.iter_fields(node)})
    return ast.copy_location(made, node)
