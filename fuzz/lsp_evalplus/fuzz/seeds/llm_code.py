"""Functions in what a model wrote, and putting one function in the place of another. Text is parsed, never run."""

from __future__ import annotations

import ast
import re
import textwrap

from lsp_evalplus.fuzz.discover import find_target
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import FunctionTarget

MAX_ANSWER = 200_000
"""Characters of an answer that are looked at."""
_FENCED = re.compile(r"```[\w+-]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)


def find_function(answer: str, name: str) -> FunctionTarget | None:
    """Returns the function `name` that an answer defines: the last whole one in a fence, else in the text itself."""
    text = answer[:MAX_ANSWER].rpartition("</think>")[2]
    blocks = [textwrap.dedent(block) for block in _FENCED.findall(text)]
    for source in [*reversed(blocks), *([] if blocks else [text])]:
        try:
            target = find_target(source, name)
        except (UserError, RecursionError, MemoryError):
            continue
        if target.obstacle is None:
            return target
    return None


def function_node(source: str, qualname: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Returns the definition of a function or method in a module, or None."""
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


def function_text(source: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Returns the lines of a definition, decorators included, without their common indentation."""
    first, last = _lines_of(node)
    return textwrap.dedent("\n".join(source.split("\n")[first:last])) + "\n"


def replace_function(source: str, qualname: str, text: str) -> str | None:
    """Returns `source` with the function `qualname` written as `text`, indented as it was; None where it is not."""
    node = function_node(source, qualname)
    if node is None:
        return None
    first, last = _lines_of(node)
    indented = textwrap.indent(textwrap.dedent(text).strip("\n"), " " * node.col_offset)
    lines = source.split("\n")
    return "\n".join([*lines[:first], indented, *lines[last:]])


def stub_of(source: str, qualname: str) -> str | None:
    """Returns signature and docstring of a function without its body, or None when there is no such function."""
    node = function_node(source, qualname)
    if node is None:
        return None
    documented = ast.get_docstring(node, clean=False) is not None
    node.body = [*(node.body[:1] if documented else []), ast.Expr(ast.Constant(...))]
    node.decorator_list = []
    return ast.unparse(ast.fix_missing_locations(node)) + "\n"


def imports_of(source: str) -> str:
    """Returns the module-level imports of a program."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return "".join(ast.unparse(node) + "\n" for node in body if isinstance(node, (ast.Import, ast.ImportFrom)))


def add_asserts(source: str, qualname: str, asserts: list[str]) -> str | None:
    """Returns `source` with `asserts` as the first statements of a function, behind its docstring."""
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


def _lines_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[int, int]:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
    return first, node.end_lineno or node.lineno
