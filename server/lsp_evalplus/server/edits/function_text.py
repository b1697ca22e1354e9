"""A function's source, parsed without the rest of its file, so that a large file costs nothing."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.model import Span


@dataclass(frozen=True, slots=True)
class FunctionText:
    """A definition with its position in the file. Lines in `node` count from `first_line`, see `line_of`."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    lines: tuple[str, ...]
    """The lines of the definition, without their ends."""
    first_line: int
    """Zero-based line of `lines[0]` in the file."""

    def line_of(self, number: int) -> int:
        """The zero-based line in the file of a line number (from 1) of `node`."""
        return self.first_line + number - 2

    def line_text(self, number: int) -> str:
        """The text of the line with a number (from 1) of `node`."""
        return self.lines[number - 2]

    def column_of(self, number: int, byte_column: int) -> int:
        """The column in code points of a column that `ast` counts in bytes."""
        return len(self.line_text(number).encode()[:byte_column].decode(errors="ignore"))

    @property
    def body_indent(self) -> str:
        """Indentation of the statements of the body."""
        first = self.node.body[0]
        text = self.line_text(first.lineno)
        return text[: len(text) - len(text.lstrip())]

    @property
    def docstring(self) -> ast.Constant | None:
        """The docstring's node."""
        match self.node.body[0]:
            case ast.Expr(value=ast.Constant(value=str()) as constant):
                return constant
            case _:
                return None

    @property
    def is_one_line(self) -> bool:
        """Whether the body follows the colon on the same line, where nothing can be inserted before it."""
        header_end = max([self.node.lineno, *(_last_line(part) for part in _header_parts(self.node))])
        return self.node.body[0].lineno == header_end


def _header_parts(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.AST]:
    parts: list[ast.AST] = [*walk_tree(node.args)]
    if node.returns is not None:
        parts.append(node.returns)
    return parts


def _last_line(node: ast.AST) -> int:
    return getattr(node, "end_lineno", None) or 0


def function_text(lines: Sequence[str], span: Span) -> FunctionText | None:
    """The definition at `span` of a file's `lines` (with or without line ends), or None where it does not parse."""
    own = tuple(line.rstrip("\r\n") for line in lines[span.start_line : span.end_line + 1])
    if not own:
        return None
    # Under an `if`, a definition parses with the indentation it has; a line number is then one more than its own.
    head = "if 1:" if own[0][:1].isspace() else "#"
    try:
        tree = ast.parse("\n".join([head, *own]))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in walk_tree(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return FunctionText(node, own, span.start_line)
    return None
