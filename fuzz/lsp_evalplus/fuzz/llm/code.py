"""Extract functions from a model's answer and replace functions in source. Answers are never executed."""

from __future__ import annotations

import ast
import re
import textwrap

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import FunctionTarget
from lsp_evalplus.fuzz.source.discover import find_target
from lsp_evalplus.fuzz.source.scopes import FunctionNode

MAX_ANSWER = 40_000
"""Maximum number of characters of an answer to parse: a multiple of the expected length, yet fast."""
_FENCED = re.compile(r"```[\w+-]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)


def find_function(answer: str, name: str) -> FunctionTarget | None:
    """Return the function `name` an answer defines: the last complete one in a fence, else outside."""
    text = answer[:MAX_ANSWER].rpartition("</think>")[2]
    blocks = [textwrap.dedent(block) for block in _FENCED.findall(text)]
    for source in [*reversed(blocks), *([] if blocks else [text])]:
        try:
            target = find_target(source, name)
        except (UserError, RecursionError, MemoryError):
            continue
        if target.lack is None:
            return target
    return None


def function_node(source: str, qualname: str) -> FunctionNode | None:
    """Return the definition of a function or method in a module, or None."""
    try:
        body: list[ast.stmt] = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    *owners, name = qualname.split(".")
    for owner in owners:
        found = next((node for node in body if isinstance(node, ast.ClassDef) and node.name == owner), None)
        if found is None:
            return None
        body = found.body
    functions = (node for node in body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return next((node for node in reversed([*functions]) if node.name == name), None)


def function_text(source: str, node: FunctionNode) -> str:
    """Return the dedented lines of a definition, decorators included."""
    first, last = _lines_of(node)
    return textwrap.dedent("\n".join(source.split("\n")[first:last])) + "\n"


def replace_function(source: str, qualname: str, text: str) -> str | None:
    """Replace the function `qualname` in `source` by `text`, with its indentation; None if it does not exist."""
    node = function_node(source, qualname)
    if node is None:
        return None
    first, last = _lines_of(node)
    lines = source.split("\n")
    return "\n".join([*lines[:first], indent_function(text, _indent(lines[first])), *lines[last:]])


def indent_function(text: str, indent: str) -> str:
    """Indent a function's source, without a trailing line end."""
    return textwrap.indent(textwrap.dedent(text).strip("\n"), indent)


def with_body_of(source: str, node: FunctionNode, other: str, other_node: FunctionNode) -> str | None:
    """Return a function of `source` with the body of a function of `other`, dedented.

    Keeps decorators, signature, comments in the header and docstring. None if the other body is only a docstring.
    """
    body = _body_lines(other, other_node)
    if not "".join(body).strip():
        return None
    first, _ = _lines_of(node)
    lines = source.split("\n")
    end, column = _end_of_header(lines, node)
    header = [*lines[first:end], lines[end].encode()[:column].decode().rstrip()]
    indent = _body_indent(lines, node, _indent(lines[first]))
    indented = textwrap.indent(textwrap.dedent("\n".join(body)).strip("\n"), indent)
    return textwrap.dedent("\n".join([*header, indented])) + "\n"


def stub_of(source: str, qualname: str) -> str | None:
    """Return signature and docstring of a function without its body, or None if there is no such function."""
    node = function_node(source, qualname)
    if node is None:
        return None
    documented = ast.get_docstring(node, clean=False) is not None
    node.body = [*(node.body[:1] if documented else []), ast.Expr(ast.Constant(...))]
    node.decorator_list = []
    return ast.unparse(ast.fix_missing_locations(node)) + "\n"


def imports_of(source: str) -> str:
    """Return the module-level imports of a program."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return "".join(ast.unparse(node) + "\n" for node in body if isinstance(node, (ast.Import, ast.ImportFrom)))


def add_asserts(source: str, qualname: str, asserts: list[str]) -> str | None:
    """Insert `asserts` as the first statements of a function, after its docstring."""
    node = function_node(source, qualname)
    if node is None or not asserts:
        return source if node is not None else None
    place = node.body[1:2] if ast.get_docstring(node, clean=False) is not None else node.body[:1]
    if not place or place[0].lineno == node.lineno:
        return source
    line = min([place[0].lineno, *(item.lineno for item in getattr(place[0], "decorator_list", []))]) - 1
    lines = source.split("\n")
    indented = [" " * place[0].col_offset + f'{text}, "outside of the contract"' for text in asserts]
    return "\n".join([*lines[:line], *indented, *lines[line:]])


def _statements(node: FunctionNode) -> list[ast.stmt]:
    """Return the body without its docstring."""
    return node.body[ast.get_docstring(node, clean=False) is not None :]


def _body_lines(source: str, node: FunctionNode) -> list[str]:
    """Return the lines of the body after the docstring, with preceding comments."""
    lines = source.split("\n")
    statements = _statements(node)
    if not statements:
        return []
    end, column = _end_of_header(lines, node)
    if statements[0].lineno - 1 == end:
        return [lines[end].encode()[column:].decode().strip(), *lines[end + 1 : node.end_lineno]]
    return lines[end + 1 : node.end_lineno]


def _end_of_header(lines: list[str], node: FunctionNode) -> tuple[int, int]:
    """Return zero-based line and byte column where the header with its docstring ends."""
    statements = _statements(node)
    if not statements:
        return (node.end_lineno or node.lineno) - 1, node.end_col_offset or 0
    first = statements[0]
    line = min([first.lineno, *(item.lineno for item in getattr(first, "decorator_list", []))]) - 1
    if lines[line].encode()[: first.col_offset].strip():
        return line, first.col_offset
    line -= 1
    while not lines[line].strip() or lines[line].lstrip().startswith("#"):
        line -= 1
    return line, len(lines[line].encode())


def _body_indent(lines: list[str], node: FunctionNode, own: str) -> str:
    """Return the indentation of the statements; the default one for a one-line function."""
    first = node.body[0]
    before = lines[first.lineno - 1].encode()[: first.col_offset].decode()
    return own + "    " if before.strip() else before


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _lines_of(node: FunctionNode) -> tuple[int, int]:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
    return first, node.end_lineno or node.lineno
