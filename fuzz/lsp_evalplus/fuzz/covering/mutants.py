"""Mutants: programs that differ from a given one in one place, as a test suite must notice.

The operators are those that DeMillo, Lipton and Sayward (1978) and their successors use: relations, arithmetic,
connectives, constants, conditions, results. A mutant keeps every line where it was, but those below a changed
expression of several lines.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from lsp_evalplus.fuzz.guest.static.walking import is_constant_alone, walk_tree

_OTHER_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_OTHER_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
}
_LONGEST_STRING = 40
"""Longer strings are mostly messages and docstrings."""


Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program with one place changed."""

    line: int
    """Of the place, from 1."""
    before: str
    """The source of the place."""
    after: str
    source: str
    """The whole program."""


def find_mutants(source: str, qualname: str | None = None, *, is_thorough: bool = False) -> list[Mutant]:
    """The mutants of a program, or of one function or class of it, in the order of the text; each program once.

    Args:
        source: a module; one that does not parse has no mutants.
        qualname: ``f`` or ``Class.method``. Annotations, decorators, defaults, docstrings and what is raised are left
            as they are: calls that pass all arguments, and are compared by results, cannot tell.
        is_thorough: also leave statements out, and take one variable of the function for another.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    root: ast.AST | None = tree if qualname is None else find_definition(tree, qualname)
    if root is None:
        return []
    text = _Text(source)
    found: dict[str, Mutant] = {}
    names = _local_names(root) if is_thorough else []
    for node in _changeable(root):
        for place, new in (*_changes(node), *(_slips(node, names) if is_thorough else ())):
            mutant = text.replaced(place, new)
            if mutant is not None and mutant.source != source:
                found.setdefault(mutant.source, mutant)
    return sorted(found.values(), key=lambda mutant: mutant.line)


def thinned(mutants: list[Mutant], most: int) -> list[Mutant]:
    """At most so many of them, spread evenly."""
    step = max(1.0, len(mutants) / most)
    return [mutants[int(number * step)] for number in range(min(most, len(mutants)))]


class _Text:
    """A program's text, with places as `ast` gives them: lines from 1 and columns in bytes."""

    def __init__(self, source: str) -> None:
        self._content = source.encode("utf-8", "surrogatepass")
        self._starts = [0]
        for line in self._content.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def replaced(self, place: ast.expr | ast.stmt, new: str) -> Mutant | None:
        """The program with `new` at the place of a node; None where its place is not known."""
        if place.end_lineno is None or place.end_col_offset is None:
            return None
        start = self._starts[place.lineno - 1] + place.col_offset
        end = self._starts[place.end_lineno - 1] + place.end_col_offset
        before = self._content[start:end].decode("utf-8", "surrogatepass")
        content = self._content[:start] + new.encode("utf-8", "surrogatepass") + self._content[end:]
        try:
            changed = content.decode("utf-8", "surrogatepass")
            ast.parse(changed)
        except (SyntaxError, ValueError):  # Inside of an f-string, places are those of another text.
            return None
        return Mutant(place.lineno, before, new, changed)


def find_definition(tree: ast.Module, qualname: str) -> Definition | None:
    """The definition that a qualified name means: the last one of that name in its scope; None if there is none."""
    node: Definition | None = None
    scope: ast.AST = tree
    for name in qualname.split("."):
        if name == "<locals>":
            continue
        node = next((one for one in reversed(list(_definitions_in(scope))) if one.name == name), None)
        if node is None:
            return None
        scope = node
    return node


def _definitions_in(scope: ast.AST) -> Iterator[Definition]:
    """The functions and classes of a scope, also those under conditions, in the order of the text."""
    for child in ast.iter_child_nodes(scope):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield child
        elif isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield from _definitions_in(child)


def _changeable(root: ast.AST) -> Iterator[ast.AST]:
    """The nodes below `root` whose change may change what the program computes."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Raise):
            continue
        yield node
        left_out: set[int] = set()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            left_out = {id(one) for one in (*node.decorator_list, node.args, node.returns)}
        elif isinstance(node, ast.AnnAssign):
            left_out = {id(node.annotation)}
        elif isinstance(node, ast.JoinedStr) or is_constant_alone(node):
            continue
        waiting += [child for child in ast.iter_child_nodes(node) if id(child) not in left_out]


def _changes(node: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """What may stand in the place of a node: the node that is replaced, and its new source."""
    if isinstance(node, ast.Compare):
        first, *rest = node.ops
        for other in _OTHER_COMPARISONS[type(first)]:
            yield node, f"({ast.unparse(ast.Compare(node.left, [other(), *rest], node.comparators))})"
    elif isinstance(node, ast.BinOp) and type(node.op) in _OTHER_OPERATORS:
        yield node, f"({ast.unparse(ast.BinOp(node.left, _OTHER_OPERATORS[type(node.op)](), node.right))})"
    elif isinstance(node, ast.AugAssign) and type(node.op) in _OTHER_OPERATORS:
        yield node, ast.unparse(ast.AugAssign(node.target, _OTHER_OPERATORS[type(node.op)](), node.value))
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield node, f"({ast.unparse(ast.BoolOp(other, node.values))})"
    elif isinstance(node, ast.Constant):
        for value in _other_constants(node.value):
            yield node, ast.unparse(ast.Constant(value))
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
        yield node.test, f"not ({ast.unparse(node.test)})"
    elif isinstance(node, ast.Return) and node.value is not None:
        yield node.value, "None"


def _local_names(root: ast.AST) -> list[str]:
    """The parameters and variables of a function, in the order of the text."""
    nodes = sorted(
        (node for node in walk_tree(root) if isinstance(node, (ast.arg, ast.Name))),
        key=lambda node: (node.lineno, node.col_offset),
    )
    stored = [node.arg if isinstance(node, ast.arg) else node.id for node in nodes if _is_binding(node)]
    return [name for name in dict.fromkeys(stored) if name not in ("self", "cls", "_")]


def _is_binding(node: ast.arg | ast.Name) -> bool:
    return isinstance(node, ast.arg) or isinstance(node.ctx, ast.Store)


def _slips(node: ast.AST, names: list[str]) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """A statement that is forgotten; a variable taken for the one that stands next to it in the function."""
    if isinstance(node, ast.AugAssign) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield node, "pass"
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names and len(names) > 1:
        yield node, names[names.index(node.id) - 1]


def _other_constants(value: object) -> tuple[bool | int | float | complex | str, ...]:
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, (int, float)):
        return (value + 1, value - 1)
    return (value + "x",) if isinstance(value, str) and len(value) < _LONGEST_STRING else ()
