"""Static facts of a function's source: contract, documented exceptions, output; nothing is run."""

from __future__ import annotations

import ast
import functools
import linecache
import types
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..static.endings import is_procedure, never_returns
from ..static.walking import Function, is_constant_alone, walk_statements, walk_tree
from ..static.web.request_parts import with_parts
from ..values.makers.flask_calls import LIBRARY
from ..values.source_text import is_setter, name_in_code
from .log_calls import keeps_logs

_HARMLESS_PREFIX = (
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.FunctionDef,
    ast.Pass,
    ast.Expr,
)


class Anatomy:
    """Facts of one function's syntax tree; line numbers are one-based, as in tracebacks."""

    def __init__(self, source: str, qualname: str) -> None:
        self.tree = tree_of(source)
        self.function = find_function(self.tree, qualname)
        self.docstring = (ast.get_docstring(self.function) if self.function is not None else None) or ""
        self.contract_start, self.contract_end = contract_lines(self.function)
        self.contract_names = contract_names(self.function, self.contract_end)
        self.never_returns = self.function is not None and never_returns(self.function)
        self.is_procedure = self.function is not None and is_procedure(self.function)
        self.prints = "print(" in source or "stdout" in source
        names_stream = "stderr" in source or "err=True" in source
        may_log = any([word in source for word in ("traceback", "logging")])
        self.reports_errors = names_stream and not (may_log and keeps_logs(self.tree, self.function))

    @functools.cached_property
    def raise_lines(self) -> frozenset[int]:
        """The lines of ``raise`` statements that name what they raise, and of calls of ``sys.exit``: the author's own
        exceptions."""
        lines: list[int] = []
        for node in nodes_of(self.tree):
            if (isinstance(node, ast.Raise) and node.exc is not None) or _is_exit(node):
                lines.extend(range(node.lineno, (node.end_lineno or node.lineno) + 1))  # type: ignore[attr-defined]
        return frozenset(lines)

    @functools.cached_property
    def imports(self) -> frozenset[str]:
        """The modules that are imported anywhere, also in functions; relative imports are left out."""
        names: list[str] = []
        for node in nodes_of(self.tree):
            if isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.append(node.module)
        return frozenset(names)

    @functools.cached_property
    def imported_names(self) -> frozenset[str]:
        """The names that imports bind anywhere; ``*`` where one binds all of a module."""
        imports = [node for node in nodes_of(self.tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
        return frozenset([(one.asname or one.name).partition(".")[0] for node in imports for one in node.names])


def _is_exit(node: ast.AST) -> bool:
    """Whether a node is a call that ends the program: ``sys.exit(1)``."""
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr == "exit" and isinstance(function.value, ast.Name) and function.value.id == "sys"
    return isinstance(function, ast.Name) and function.id in ("exit", "quit")


@functools.lru_cache(maxsize=64)
def read_tree(path: str) -> ast.Module | None:
    """Return the syntax tree of a file as it is on disk; None where it cannot be read or parsed."""
    try:
        return _parsed("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@functools.lru_cache(maxsize=8)
def tree_of(source: str) -> ast.Module:
    """Return the syntax tree of a source text, for readers: nothing of it may be changed.

    Raises:
        SyntaxError, ValueError, RecursionError: it cannot be parsed.
    """
    return _parsed(source)


def _parsed(source: str) -> ast.Module:
    """Return the syntax tree of a source text without casts: ``cast("str", x)`` is ``x`` whatever is done with it.

    What functions read of a request is a parameter in it.
    """
    tree = ast.parse(source)
    tree = with_parts(tree) if LIBRARY in source else tree
    return _WithoutCasts().visit(tree) if "cast" in source else tree


class _WithoutCasts(ast.NodeTransformer):
    """Replaces calls of `typing.cast` by what they return, as far as the imports before them name it."""

    def __init__(self) -> None:
        self._names: dict[str, bool] = {}
        """Names of `typing.cast`, dotted ones among them."""

    def visit_Import(self, node: ast.Import) -> ast.Import:
        """Note the name of the module."""
        self._names.update((f"{one.asname or one.name}.cast", True) for one in node.names if one.name in _TYPING)
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        """Note the name of the function."""
        if node.module in _TYPING and not node.level:
            self._names.update((one.asname or one.name, True) for one in node.names if one.name == "cast")
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Take what is cast."""
        self.generic_visit(node)
        is_cast = len(node.args) == 2 and not node.keywords and ast.unparse(node.func) in self._names
        return node.args[1] if is_cast else node


_TYPING = frozenset(("typing", "typing_extensions"))


@functools.lru_cache(maxsize=4096)
def nodes_of(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Return all nodes of a tree that is not changed: many questions are asked of each function."""
    return tuple(walk_tree(tree))


def nodes_of_all(functions: Iterable[Function | None]) -> Iterator[ast.AST]:
    """Yield all nodes of those functions whose source is known."""
    for function in functions:
        if function is not None:
            yield from nodes_of(function)


def definition_at(code: types.CodeType, source: str) -> Function | None:
    """Return the definition in a source text that some code was compiled from; None where it is not there.

    Raises:
        SyntaxError, ValueError, RecursionError: the text cannot be parsed.
    """
    for node in walk_statements(tree_of(source)) if code.co_name != "<lambda>" else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            first = min([node.lineno, *[one.lineno for one in node.decorator_list]])
            if first == code.co_firstlineno:
                return node
    return None


def find_function(tree: ast.AST, qualname: str) -> Function | None:
    """Return the last definition of the dotted name: later definitions win, as when the module is run."""
    node: Any = tree
    for name in [part for part in qualname.split(".") if part != "<locals>"]:
        found = _definition(ast.iter_child_nodes(node), name) or _definition(walk_statements(node), name)
        if found is None:
            return None
        node = found
    return node if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def _definition(nodes: Iterable[ast.AST], name: str) -> Any:
    found = None
    plain = name_in_code(name)
    for node in nodes:
        if not (isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == plain):
            continue
        if is_setter(name):
            found = node if has_decorator(node, ("setter",)) else found
        else:
            found = node if found is None or not has_decorator(node, ("setter", "deleter")) else found
    return found


def has_decorator(node: Any, names: Sequence[str]) -> bool:
    """Return whether a node is decorated with one of some attributes: the setter or deleter of a property, whose getter
    has the same name."""
    attributes = [part for part in node.decorator_list if isinstance(part, ast.Attribute)]
    return any(part.attr in names for part in attributes)


def contract_lines(function: Function | None) -> Any:
    """Return the first and last line of the leading contract, ``(0, 0)`` when there is none.

    The contract follows EvalPlus' convention for the head of a reference: asserts, with the helpers, loops and ``try``
    blocks that serve them. It ends with the last statement that asserts something; the function's work starts there.
    """
    if function is None:
        return (0, 0)
    helpers: dict[str, bool] = {}
    first = last = 0
    for statement in _without_docstring(function.body):
        if isinstance(statement, ast.FunctionDef):
            helpers[statement.name] = _asserts(statement)
            continue
        if _is_check(statement, helpers) or (first and _guards(statement)):
            first = first or statement.lineno
            last = statement.end_lineno or statement.lineno
        elif not isinstance(statement, _HARMLESS_PREFIX):
            break
    return (first, last)


def contract_names(function: Function | None, end: int) -> frozenset[str]:
    """Return the names that the contract mentions, types among them."""
    if function is None or not end:
        return frozenset()
    names = [n.id for s in function.body if s.lineno <= end for n in walk_tree(s) if isinstance(n, ast.Name)]
    texts = [n.value for s in function.body if s.lineno <= end for n in walk_tree(s) if isinstance(n, ast.Constant)]
    return frozenset(names + [t for t in texts if isinstance(t, str)])


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    return body[1:] if body and is_constant_alone(body[0]) else body


def _is_check(statement: ast.stmt, helpers: dict[str, bool]) -> bool:
    if isinstance(statement, ast.Assert):
        return True
    if isinstance(statement, (ast.For, ast.If, ast.Try, ast.With)):
        return _asserts(statement) and not any(isinstance(n, (ast.Return, ast.Yield)) for n in walk_tree(statement))
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = statement.value.func
        return isinstance(called, ast.Name) and helpers.get(called.id, False)
    return False


def _guards(statement: ast.stmt) -> bool:
    """Return whether it is a ``try`` that turns a failed conversion into a refusal; a contract only after an assert."""
    if not isinstance(statement, ast.Try):
        return False
    handled = [n for handler in statement.handlers for n in walk_tree(handler)]
    return any(isinstance(n, ast.Raise) for n in handled)


def _asserts(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Assert) for n in walk_tree(node))
