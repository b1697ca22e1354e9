"""Splitting of text into top-level statements of a module, also if prose or an invalid tail is between them.

A block is sound when Python parses it, or, for syntax newer than the running Python, when tree-sitter does without an
error. Names are resolved with the compiler's own symbol tables, so a parameter never counts as a use of a global.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import symtable
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.source.parsing import normalise_newlines

_STARTS = re.compile(
    r"(?:async\s+def|def|class|import|from|if|for|while|with|try|match|global|del|type)\b|@|[A-Za-z_][\w.\[\]'\", ]*?"
    r"\s*(?::[^=\n]+)?(?:=|\+=|\|=)[^=]|[A-Za-z_][\w.]*\(|\"\"\"|'''"
)
_CLAUSES = re.compile(r"(?:elif|else|except|finally)\b")
_COMPOUND = re.compile(r"(?:if|for|while|with|try|match|async)\b")
_TOPLEVEL = re.compile(r"(?:async def|def|class|import|from \S+ import|@\w)|if __name__")
_TOKENS = re.compile(
    r"#[^\n]*|\"\"\"|'''|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?|[\[({]|[\])}]|\\\n|\n", re.DOTALL
)
_CUTS = 40
"""Maximal number of cuts of an invalid block at its error."""
_LONGEST_NEWER = 20_000
"""Maximal characters of a definition passed to tree-sitter, whose error recovery is not linear."""
_NEWER_PARSER = ("tree_sitter", "tree_sitter_python")


class BlockKind(StrEnum):
    """The kind of a top-level statement, which determines whether it is kept."""

    IMPORT = "import"
    DEFINITION = "definition"
    STATEMENT = "statement"
    MAIN = "main"
    """``if __name__ == "__main__"``, which never runs on import."""


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level statement with the names it binds and needs."""

    text: str
    kind: BlockKind
    binds: frozenset[str] = frozenset()
    """Module-level names it binds."""
    extends: frozenset[str] = frozenset()
    """Names whose values it changes: ``memo[0] = 1``, ``table.update(...)``, ``f.cache = {}``."""
    uses: frozenset[str] = frozenset()
    """Module-level names it needs when it or what it defines runs."""
    stub: bool = False
    """A definition without a body of its own: a docstring, ``pass`` or ``...``."""
    truncated: bool = False
    """Its end was invalid and cut off."""
    star: bool = False
    """``from m import *``: may bind any name."""
    methods: frozenset[str] = frozenset()
    """Methods of a class."""


def split_blocks(text: str) -> list[Block]:
    """Return the sound top-level statements of `text` in order, without prose and garbage between them.

    Linear in the length of `text`: the whole text is parsed first; only if that fails, it is read line by line, with
    a bound on repeated reading.
    """
    text = normalise_newlines(text)
    tree = parse(text)
    if tree is not None:
        lines = text.split("\n")
        return [_describe(_slice(lines, node), node) for node in tree.body]
    return list(_scan(text))


def parse(text: str) -> ast.Module | None:
    """Return the syntax tree of `text`, or None when Python cannot parse it."""
    return None if isinstance(parsed := _try_parse(text), SyntaxError) else parsed


def _try_parse(text: str) -> ast.Module | SyntaxError:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError) as error:
        return SyntaxError(str(error))


def _slice(lines: list[str], node: ast.stmt) -> str:
    first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
    last = node.end_lineno or node.lineno
    behind = lines[last - 1].encode()[node.end_col_offset or 0 :].strip()
    if node.col_offset == 0 and behind[:1] in (b"", b"#"):
        return "\n".join(lines[first - 1 : last])
    return ast.get_source_segment("\n".join(lines[first - 1 : last]), _shifted(node, first)) or ""


def _shifted(node: ast.stmt, first: int) -> ast.stmt:
    """Renumber the lines of a node from `first`, for several statements on one line."""
    moved = ast.Pass(lineno=node.lineno - first + 1, col_offset=node.col_offset)
    moved.end_lineno, moved.end_col_offset = (node.end_lineno or node.lineno) - first + 1, node.end_col_offset
    return moved


def _scan(text: str) -> Iterator[Block]:
    """Find blocks at lines that look like the start of a statement."""
    lines = text.split("\n")
    spare = 5 * len(text) + 2000
    number = 0
    while number < len(lines):
        if not _STARTS.match(lines[number][:300]):
            number += 1
            continue
        end, cost = _find_end(lines, number, spare)
        spare -= cost
        defines = re.match(r"@|def\b|class\b|async\b", lines[number])
        found = _read_block("\n".join(lines[number:end])) if defines or not cost else []
        yield from found
        number = end if found else number + 1


def _read_block(text: str) -> list[Block]:
    parsed = _try_parse(text)
    if isinstance(parsed, ast.Module):
        lines = text.split("\n")
        return [_describe(_slice(lines, node), node) for node in parsed.body if not _is_prose(node)]
    if not re.match(r"@|def\b|class\b|async\b", text):
        return []
    newer = _read_newer(text, parsed)
    return [newer] if newer is not None else _read_truncated(text, parsed)


def _is_prose(node: ast.stmt) -> bool:
    """Whether an expression is probably prose."""
    return isinstance(node, ast.Expr) and not isinstance(node.value, (ast.Call, ast.Constant, ast.Await))


def _find_end(lines: list[str], start: int, spare: int) -> tuple[int, int]:
    """Return the line after the statement that begins at `start`, and the number of characters read in vain.

    The latter is 0 when the statement is complete, and positive when a bracket or quote in it is never closed; the
    search stops at `spare`.
    """
    depth, triple, number, looked = 0, "", start, 0
    clauses = bool(_COMPOUND.match(lines[start]))
    header = lines[start].startswith("@")
    while number < len(lines):
        line = lines[number]
        if number > start and depth == 0 and not triple and line[:1] not in ("", " ", "\t", "#", ")", "]", "}"):
            if not header and not (clauses and _CLAUSES.match(line)):
                return _before_comments(lines, start, number), 0
            header = header and line.startswith("@")
            clauses = clauses or bool(_COMPOUND.match(line))
        if number > start and not triple and depth > 0 and _TOPLEVEL.match(line):
            return number, looked
        looked += len(line) + 1
        if looked > spare:
            return _end_of_indentation(lines, start), looked if spare > 0 else 0
        depth, triple = _lex(line, depth, triple)
        number += 1
    return number, looked if depth > 0 or triple else 0


def _end_of_indentation(lines: list[str], start: int) -> int:
    """Return the line after the indented lines that follow `start`, ignoring brackets and quotes."""
    end = start + 1
    while end < len(lines) and lines[end][:1] in (" ", "\t"):
        end += 1
    return end


def _before_comments(lines: list[str], start: int, end: int) -> int:
    """Assign comments and blank lines before the next statement to that statement."""
    while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return end


def _lex(line: str, depth: int, triple: str) -> tuple[int, str]:
    """Track brackets and triple quotes through one line."""
    position = 0
    while True:
        if triple:
            close = line.find(triple, position)
            if close < 0:
                return depth, triple
            position, triple = close + 3, ""
        token = _TOKENS.search(line, position)
        if token is None:
            return depth, ""
        position, text = token.end(), token[0]
        if text in ('"""', "'''"):
            triple = text
        elif text in "([{":
            depth += 1
        elif text in ")]}":
            depth = max(0, depth - 1)


def _read_truncated(text: str, error: SyntaxError) -> list[Block]:
    """Cut an invalid definition at its first error until the rest is sound."""
    lines = text.rstrip().split("\n")
    for _ in range(_CUTS):
        keep = _sound_lines(lines, error)
        lines = lines[:keep]
        while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
            lines.pop()
        if len(lines) < 2:
            return []
        parsed = _try_parse("\n".join(lines))
        if isinstance(parsed, ast.Module):
            block = _describe("\n".join(lines), parsed.body[0])
            return [replace(block, truncated=True)] if len(parsed.body) == 1 else []
        error = parsed
    return []


def _sound_lines(lines: list[str], error: SyntaxError) -> int:
    """Return the number of lines before the statement of `error`, less than the total number of lines."""
    number = min(error.lineno or len(lines), len(lines))
    header = re.search(r"on line (\d+)$", error.msg or "")
    if header is not None:
        number = min(number, int(header[1]))
    elif "expected 'except' or 'finally'" in (error.msg or ""):
        number = _line_of_try(lines, number)
    return number - 1


def _line_of_try(lines: list[str], number: int) -> int:
    for candidate in range(number, 0, -1):
        if lines[candidate - 1].strip() == "try:":
            return candidate
    return number


def _describe(text: str, node: ast.stmt) -> Block:
    if _is_main(node):
        return Block(text, BlockKind.MAIN)
    binds, uses = _names(text)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return Block(text, BlockKind.IMPORT, binds, star=any(alias.name == "*" for alias in node.names))
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return Block(
            text,
            BlockKind.DEFINITION,
            binds,
            extends=_registered(node),
            uses=uses | _names_in_strings(node, uses),
            stub=_is_stub(node),
            methods=_methods(node),
        )
    star = any(isinstance(part, ast.ImportFrom) and part.names[0].name == "*" for part in walk_tree(node))
    return Block(text, BlockKind.STATEMENT, binds, frozenset(_changed(node)), uses, star=star)


def _names(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the module-level names that `text` binds and needs."""
    try:
        table = symtable.symtable(text, "<text>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        words = frozenset(re.findall(r"[^\W\d]\w*", text))
        return frozenset(re.findall(r"^(?:async\s+)?(?:def|class)\s+(\w+)", text, re.MULTILINE)), words
    symbols = table.get_symbols()
    binds = {name.get_name() for name in symbols if name.is_assigned() or name.is_imported() or name.is_namespace()}
    uses = {name.get_name() for name in symbols if name.is_referenced()}
    pending = list(table.get_children())
    while pending:
        scope = pending.pop()
        pending.extend(scope.get_children())
        for name in scope.get_symbols():
            if name.is_global() or (scope.get_type() == "class" and name.is_referenced()):
                uses.add(name.get_name())
    return frozenset(binds), frozenset(uses)


def _names_in_strings(node: ast.AST, uses: frozenset[str]) -> frozenset[str]:
    """The words in strings of code that looks up names by string."""
    if not uses & {"eval", "exec", "globals", "getattr", "vars", "locals"}:
        return frozenset()
    texts = (part.value for part in walk_tree(node) if isinstance(part, ast.Constant) and isinstance(part.value, str))
    return frozenset(word for text in texts for word in re.findall(r"[^\W\d]\w*", text))


def _registered(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> frozenset[str]:
    """The names changed by decorators: ``@f.register(int)`` changes ``f``."""
    roots: set[str] = set()
    for decorator in node.decorator_list:
        call = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(call, ast.Attribute) and call.attr == "register" and (root := _root(call)) is not None:
            roots.add(root)
    return frozenset(roots)


def _changed(node: ast.stmt) -> Iterator[str]:
    """Roots of attribute and item assignments, and of methods called for their effect."""
    for part in walk_tree(node):
        match part:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                root = _root(part)
            case ast.Expr(value=ast.Call(func=ast.Attribute() as method)):
                root = _root(method)
            case _:
                root = None
        if root is not None:
            yield root


def _root(node: ast.expr) -> str | None:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and any(
        isinstance(part, ast.Name) and part.id == "__name__" for part in walk_tree(node.test)
    )


def _is_stub(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    nothing = _says_nothing if isinstance(node, ast.ClassDef) else _does_nothing
    return all(nothing(statement) for statement in node.body)


def _does_nothing(statement: ast.stmt) -> bool:
    """Whether a statement of a function body has no effect; imports and definitions alone have none either."""
    idle = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return isinstance(statement, idle) or _says_nothing(statement)


def _says_nothing(statement: ast.stmt) -> bool:
    match statement:
        case (
            ast.Pass() | ast.Expr(value=ast.Constant() | ast.Name() | ast.Dict() | ast.List() | ast.Tuple() | ast.Set())
        ):
            return True
        case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
        case _:
            return False


def _methods(node: ast.stmt) -> frozenset[str]:
    if not isinstance(node, ast.ClassDef):
        return frozenset()
    return frozenset(part.name for part in node.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)))


def can_read_newer() -> bool:
    """Whether the parser for syntax newer than the running Python is installed."""
    return all(importlib.util.find_spec(name) is not None for name in _NEWER_PARSER)


def _read_newer(text: str, error: SyntaxError) -> Block | None:
    """Parse a definition in syntax newer than the running Python, if the optional parser is installed."""
    if isinstance(error, IndentationError) or "never closed" in str(error.msg) or len(text) > _LONGEST_NEWER:
        return None
    if re.search(r"^\s*(?:print|exec)\s+[^(=\s]", text, re.MULTILINE):
        return None
    if not can_read_newer():
        return None
    # Compiled code without wheels for every interpreter: an optional extra, imported where it is used.
    import tree_sitter
    import tree_sitter_python

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_python.language()))
    root = parser.parse(text.encode(errors="replace")).root_node
    if root.has_error or not root.named_children:
        return None
    node = root.named_children[-1]
    definition = node.child_by_field_name("definition") or node
    name, body = definition.child_by_field_name("name"), definition.child_by_field_name("body")
    if definition.type not in ("function_definition", "class_definition") or name is None or name.text is None:
        return None
    words = frozenset(re.findall(r"[^\W\d]\w*", text))
    stub = body is None or all(child.type in ("pass_statement", "comment") for child in body.named_children)
    return Block(text, BlockKind.DEFINITION, frozenset({name.text.decode()}), uses=words, stub=stub)
