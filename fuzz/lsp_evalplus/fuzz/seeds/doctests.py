"""Examples in doctest syntax, read by the standard library's own parser; nothing is run."""

from __future__ import annotations

import ast
import copy
import doctest

from lsp_evalplus.fuzz.model import Example
from lsp_evalplus.fuzz.scopes import bound_names

from .calls import CallReader
from .values import to_result_text, to_value_text


def read_doctests(docstring: str, reader: CallReader, first_line: int) -> list[Example]:
    """Examples for one function out of the ``>>>`` lines of a docstring; `first_line` is its zero-based line."""
    try:
        parsed = doctest.DocTestParser().get_examples(docstring)
    except ValueError:
        # Inconsistent indentation: prose is then read line by line by others.
        return []
    found = list[Example]()
    names = _Names()
    for entry in parsed:
        try:
            statements = ast.parse(entry.source).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for statement in statements[:-1]:
            names.note(statement)
        if statements:
            found += _read_entry(statements[-1], entry, reader, names, first_line + entry.lineno)
            names.note(statements[-1])
    return found


def blank_doctests(docstring: str) -> str:
    """The docstring with its ``>>>`` lines and their results blanked, line for line, for the readers of prose."""
    lines = docstring.split("\n")
    inside = False
    for index, line in enumerate(lines):
        stripped = line.strip()
        inside = stripped.startswith(">>>") or (inside and bool(stripped))
        if inside:
            lines[index] = ""
    return "\n".join(lines)


class _Names(ast.NodeTransformer):
    """What is known of the names that earlier lines of a docstring bound."""

    def __init__(self) -> None:
        self._values = dict[str, ast.expr]()
        self._touched = set[str]()

    def note(self, statement: ast.stmt) -> None:
        """Take in what a line does to names."""
        is_plain = isinstance(statement, ast.Assign) and all(isinstance(name, ast.Name) for name in statement.targets)
        value = statement.value if isinstance(statement, ast.Assign) and is_plain else None
        text = to_value_text(ast.unparse(self.visit(copy.deepcopy(value)))) if value is not None else None
        # Whatever is called with a list may change the list.
        self._touched |= {part.id for part in ast.walk(statement) if isinstance(part, ast.Name)} & set(self._values)
        for name in bound_names(statement) if not isinstance(statement, (ast.Import, ast.ImportFrom)) else ():
            self._values[name] = ast.parse(text, mode="eval").body if text is not None else ast.Name(_UNKNOWN)
            self._touched.discard(name)

    def are_certain(self, node: ast.AST) -> bool:
        """Whether every name in `node` has the value it was given: it cannot change, or nothing has touched it."""
        used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        return all(name not in self._touched or isinstance(self._values[name], ast.Constant) for name in used)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Put the value in place of the name."""
        return self._values.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


_UNKNOWN = "?"
"""Stands for a variable whose value is not known; as a name it can be no module and no class."""


def _read_entry(
    statement: ast.stmt, entry: doctest.Example, reader: CallReader, names: _Names, line: int
) -> list[Example]:
    found = _read_statement(names.visit(copy.deepcopy(statement)), entry, reader, line)
    if names.are_certain(statement) and not entry.options.get(doctest.SKIP):
        return found
    return [Example(example.arguments, None, None, example.line) for example in found]


def _read_statement(statement: ast.stmt, entry: doctest.Example, reader: CallReader, line: int) -> list[Example]:
    match statement:
        case ast.Expr(value=ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right])) if reader.reads(
            left
        ):
            if entry.want.strip() in {"", "True"}:
                return reader.examples(left, to_result_text(ast.unparse(right)), line)
            return reader.examples(left, None, line)
        case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right])) if reader.reads(
            left
        ):
            return reader.examples(left, to_result_text(ast.unparse(right)), line)
        case ast.Expr(value=call) if reader.reads(call):
            raises = _exception_name(entry.exc_msg) if entry.exc_msg else None
            return reader.examples(call, None if raises else _wanted(entry.want), line, raises=raises)
        case _:
            calls = [part for part in ast.walk(statement) if isinstance(part, ast.Call) and reader.reads(part)]
            return [example for call in calls for example in reader.examples(call, None, line)]


def _wanted(want: str) -> str | None:
    return to_result_text(want) if want.strip() and "..." not in want else None


def _exception_name(message: str) -> str | None:
    name = message.partition(":")[0].strip().rpartition(".")[2]
    return name if name.isidentifier() else None
