"""Examples in doctest syntax, read by the standard library's own parser; nothing is run."""

from __future__ import annotations

import ast
import doctest

from lsp_evalplus.fuzz.model import Example

from .calls import CallReader
from .values import to_value_text


def read_doctests(docstring: str, reader: CallReader, first_line: int) -> list[Example]:
    """Examples for one function out of the ``>>>`` lines of a docstring; `first_line` is its zero-based line."""
    try:
        parsed = doctest.DocTestParser().get_examples(docstring)
    except ValueError:
        # Inconsistent indentation: prose is then read line by line by others.
        return []
    found = list[Example]()
    variables = dict[str, ast.expr]()
    for entry in parsed:
        try:
            statements = ast.parse(entry.source).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for statement in statements:
            _note_variable(statement, variables)
        if statements:
            last = _Substitute(variables).visit(statements[-1])
            found += _read_statement(last, entry, reader, first_line + entry.lineno)
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


def _note_variable(statement: ast.stmt, variables: dict[str, ast.expr]) -> None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            value = _Substitute(variables).visit(value)
            text = to_value_text(ast.unparse(value))
            variables.pop(name, None)
            if text is not None:
                variables[name] = ast.parse(text, mode="eval").body
        case ast.Expr() | ast.Import() | ast.ImportFrom():
            pass
        case _:
            # Anything else may change a variable behind our back.
            variables.clear()


class _Substitute(ast.NodeTransformer):
    """Puts the values of earlier ``>>> name = value`` lines in place of the names."""

    def __init__(self, variables: dict[str, ast.expr]) -> None:
        self._variables = variables

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._variables.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


def _read_statement(statement: ast.stmt, entry: doctest.Example, reader: CallReader, line: int) -> list[Example]:
    match statement:
        case ast.Expr(value=ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right])) if reader.reads(
            left
        ):
            if entry.want.strip() in {"", "True"}:
                return reader.examples(left, to_value_text(ast.unparse(right)), line)
            return reader.examples(left, None, line)
        case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right])) if reader.reads(
            left
        ):
            return reader.examples(left, to_value_text(ast.unparse(right)), line)
        case ast.Expr(value=call) if reader.reads(call):
            raises = _exception_name(entry.exc_msg) if entry.exc_msg else None
            return reader.examples(call, None if raises else _wanted(entry.want), line, raises=raises)
        case _:
            calls = [part for part in ast.walk(statement) if isinstance(part, ast.Call) and reader.reads(part)]
            return [example for call in calls for example in reader.examples(call, None, line)]


def _wanted(want: str) -> str | None:
    return to_value_text(want) if want.strip() else None


def _exception_name(message: str) -> str | None:
    name = message.partition(":")[0].strip().rpartition(".")[2]
    return name if name.isidentifier() else None
