"""Examples in doctest syntax, parsed by the standard library's doctest parser; runs no code."""

from __future__ import annotations

import ast
import copy
import doctest
import re
from collections.abc import Sequence

from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.guest.values.recipes.building import LIBRARY_MODULES
from lsp_evalplus.fuzz.model import Example
from lsp_evalplus.fuzz.source.parsing import parse_statements
from lsp_evalplus.fuzz.source.scopes import bound_names
from lsp_evalplus.fuzz.source.slicing import imported_names

from .calls import CallReader
from .instances import prepared, to_built_text
from .values import to_argument_text, to_result_text


def read_doctests(docstring: str, reader: CallReader, first_line: int) -> list[Example]:
    """Read examples of one function from the ``>>>`` lines of a docstring; `first_line` is its zero-based line."""
    try:
        parsed = parse_examples(dedented(docstring))
    except ValueError:
        # Inconsistent indentation: the prose reader still reads it line by line.
        return []
    found = list[Example]()
    names = KnownNames()
    for entry in parsed:
        statements = parse_statements(entry.source)
        for statement in statements[:-1]:
            names.note(statement)
        if statements:
            found += _read_entry(statements[-1], entry, reader, names, first_line + entry.lineno)
            names.note(statements[-1])
    return found


def parse_examples(docstring: str) -> list[doctest.Example]:
    """Parse the ``>>>`` lines of a dedented docstring. A comment below a line is no result, but may state one.

    Raises:
        ValueError: their indentation is inconsistent.
    """
    parsed = doctest.DocTestParser().get_examples(docstring)
    lines = docstring.split("\n")
    for entry in parsed:
        entry.want = _without_comment(_with_tabs(entry, lines))
    return parsed


def _with_tabs(entry: doctest.Example, lines: Sequence[str]) -> str:
    """Return a result with the tabs inside of its lines, which the parser replaces by spaces."""
    first = entry.lineno + entry.source.count("\n")
    written = lines[first : first + entry.want.count("\n")]
    is_found = [line.expandtabs().strip() for line in written] == [line.strip() for line in entry.want.split("\n")[:-1]]
    has_tabs = any("\t" in line.strip() for line in written)
    return "".join(f"{line.strip()}\n" for line in written) if is_found and has_tabs else entry.want


def _without_comment(want: str) -> str:
    """Return a result of which all lines may be comments: what a single one states, such as ``# Output: True``."""
    lines = want.strip().split("\n")
    if not all(line.startswith("#") for line in lines):
        return want
    stated = _STATED.fullmatch(lines[0]) if len(lines) == 1 else None
    return f"{stated[1]}\n" if stated is not None else ""


_STATED = re.compile(r"#\s*(?:(?:output|result|returns?|out)\s*:|=>|->|→)\s*(\S.*)", re.IGNORECASE)


def uses_any(names: frozenset[str], docstring: str, line: int) -> bool:
    """Return whether the ``>>>`` lines of a dedented docstring use any of some names, up to its zero-based `line`."""
    if not names:
        return False
    try:
        parsed = doctest.DocTestParser().get_examples(docstring)
    except ValueError:
        return False
    statements = [one for entry in parsed if entry.lineno <= line for one in parse_statements(entry.source)]
    used = (node.id for statement in statements for node in walk_tree(statement) if isinstance(node, ast.Name))
    return not names.isdisjoint(used)


def blank_doctests(docstring: str) -> str:
    """Blank the ``>>>`` lines and their results in a docstring, keeping line numbers, for the prose reader."""
    lines = docstring.split("\n")
    inside = False
    for index, line in enumerate(lines):
        stripped = line.strip()
        inside = stripped.startswith(">>>") or (inside and bool(stripped))
        if inside:
            lines[index] = ""
    return "\n".join(lines)


def dedented(docstring: str) -> str:
    """Remove the common indentation of all lines but the first; keeps every line."""
    first, *rest = docstring.split("\n")
    margins = [len(line) - len(line.lstrip()) for line in rest if line.strip()]
    margin = min(margins, default=0)
    return "\n".join([first.lstrip(), *(line[margin:] for line in rest)])


class KnownNames(ast.NodeTransformer):
    """Known values of names bound by earlier lines of a docstring or a test."""

    def __init__(self) -> None:
        self._values = dict[str, ast.expr]()
        self._touched = set[str]()

    def note(self, statement: ast.stmt) -> None:
        """Record a line's effect on names."""
        is_plain = isinstance(statement, ast.Assign) and all(isinstance(name, ast.Name) for name in statement.targets)
        value = statement.value if isinstance(statement, ast.Assign) and is_plain else None
        text = self._text_of(self.visit(copy.deepcopy(value))) if value is not None else None
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            self._note_import(statement)
            return
        self._note_call(statement)
        # Any function called with a list may mutate it.
        self._touched |= {part.id for part in walk_tree(statement) if isinstance(part, ast.Name)} & set(self._values)
        for name in bound_names(statement):
            self._values[name] = ast.parse(text, mode="eval").body if text is not None else ast.Name(_UNKNOWN)
            self._touched.discard(name)

    @staticmethod
    def _text_of(value: ast.expr) -> str | None:
        return to_argument_text(ast.unparse(value)) or to_built_text(value)

    def _note_call(self, statement: ast.stmt) -> None:
        """Add a call of a method, ``x.add(1)``, to the instance that a name is bound to."""
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name))) as call) if name in self._values:
                found = prepared(self._values[name], self.visit(copy.deepcopy(call)))
                self._values[name] = found or self._values[name]
            case _:
                pass

    def _note_import(self, statement: ast.Import | ast.ImportFrom) -> None:
        """Map names imported from the standard library to their full names; the function's own module needs none."""
        for name, full in imported_names(ast.Module([statement], [])).items():
            if name == "*":
                continue
            self._values.pop(name, None)
            if full.partition(".")[0] in LIBRARY_MODULES and full != name:
                self._values[name] = ast.parse(full, mode="eval").body

    def are_certain(self, node: ast.AST) -> bool:
        """Whether every name in `node` still has its bound value, as it is immutable or has not been mutated."""
        used = {part.id for part in walk_tree(node) if isinstance(part, ast.Name)}
        return all(name not in self._touched or isinstance(self._values.get(name), ast.Constant) for name in used)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Substitute the value for the name."""
        return self._values.get(node.id, node) if isinstance(node.ctx, ast.Load) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Keep an f-string as it is: before Python 3.12 not every value can be written in one."""
        return node


_UNKNOWN = "?"
"""Placeholder for a variable of unknown value; not a valid name, hence neither a module nor a class."""


def _read_entry(
    statement: ast.stmt, entry: doctest.Example, reader: CallReader, names: KnownNames, line: int
) -> list[Example]:
    found = _read_statement(names.visit(copy.deepcopy(statement)), entry, reader, line)
    if names.are_certain(statement) and not entry.options.get(doctest.SKIP):
        return found
    return [Example(example.arguments, None, None, example.line) for example in found]


def _read_statement(statement: ast.stmt, entry: doctest.Example, reader: CallReader, line: int) -> list[Example]:
    match statement:
        case ast.Expr(value=ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right])):
            is_claimed = entry.want.strip() in {"", "True"}
            expected = to_result_text(ast.unparse(right)) if is_claimed else None
            return _read_call(left, reader, expected, line)
        case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right])):
            return _read_call(left, reader, to_result_text(ast.unparse(right)), line)
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[call], keywords=[])) if reader.returns_text:
            return _read_call(call, reader, _printed(entry.want), line)
        case ast.Expr(value=call):
            raises = exception_name(entry.exc_msg) if entry.exc_msg else None
            return _read_call(call, reader, None if raises else _wanted(entry.want), line, raises=raises)
        case _:
            return read_calls_inside(statement, reader, line)


def _read_call(
    node: ast.expr, reader: CallReader, expected: str | None, line: int, *, raises: str | None = None
) -> list[Example]:
    """Read the example of a call, or of ``list(call)`` for a generator; nested calls have no stated result."""
    match node:
        case ast.Call(func=ast.Name(id="list"), args=[ast.Call() as inner], keywords=[]) if reader.yields:
            node = inner
        case _:
            pass
    if reader.reads(node):
        return reader.examples(node, expected, line, raises=raises)
    return read_calls_inside(node, reader, line)


def read_calls_inside(node: ast.AST, reader: CallReader, line: int | None) -> list[Example]:
    """Read the calls of the function anywhere in a node, as examples without result."""
    found = list[Example]()
    for part in walk_tree(node):
        if isinstance(part, ast.Call) and reader.reads(part):
            found += reader.examples(part, None, line)
        elif isinstance(part, ast.expr):
            found += reader.inputs(part, line)
    return found


def _wanted(want: str) -> str | None:
    is_exact = want.strip() and "..." not in want and not _OTHER_ESCAPE.fullmatch(want)
    return to_result_text(want) if is_exact else None


_OTHER_ESCAPE = re.compile(r"(?:[^\\]|\\[\\'\"nrtxuU])*\\[^\\'\"nrtxuU].*", re.DOTALL)
"""A result with an escape that no representation has: the docstring is not raw, and a session knows what was meant."""


def _printed(want: str) -> str | None:
    """Return the printed output as a string value."""
    is_exact = want.endswith("\n") and "..." not in want and "<BLANKLINE>" not in want
    return repr(want[:-1]) if is_exact else None


def exception_name(message: str) -> str | None:
    """Return the unqualified name of the exception in the last line of a traceback."""
    name = message.partition(":")[0].strip().rpartition(".")[2]
    return name if name.isidentifier() else None
