"""Instruments source code: counts the branches taken and records compared operands.

The result is source code again, so that it is loaded like any program. Each block gets a counter that saturates at
three (not reached, once, twice, more), each comparison with one operator passes its operands through a recorder, and
each lookup in a dict passes the key and the dict.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from ..static.parameter_members import is_name
from ..static.walking import has_star, is_constant_alone, walk_tree

COUNTERS = "_lsp_counters_"
ONCE, TWICE, MORE = 1, 2, 3
"""What a counter has, at zero where its block was not reached."""
NEXT = "_lsp_next_"
SEEN = "_lsp_seen_"
_COMPARE = "_lsp_compare_%s_"
_LOOK_UP = "_lsp_look_up_"
_GET = "_lsp_get_"
_OPERATORS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("eq", "=="),
    ast.NotEq: ("ne", "!="),
    ast.Lt: ("lt", "<"),
    ast.LtE: ("le", "<="),
    ast.Gt: ("gt", ">"),
    ast.GtE: ("ge", ">="),
    ast.In: ("in", "in"),
    ast.NotIn: ("ni", "not in"),
}


_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_BODIES = ("body", "handlers", "orelse", "finalbody", "cases")


class _Instrumenter(ast.NodeTransformer):
    def __init__(self) -> None:
        self.blocks = 0
        self.sites = 0
        self._is_inside = False
        """Whether a function is visited: in the bodies of modules and classes, brackets often hold types."""

    def _counter(self) -> ast.stmt:
        number = self.blocks
        self.blocks += 1
        counter = ast.Subscript(ast.Name(COUNTERS, ast.Load()), ast.Constant(number), ast.Load())
        # Built rather than parsed, which is slow for thousands of them.
        target = ast.Subscript(counter.value, counter.slice, ast.Store())
        return ast.Assign([target], ast.Subscript(ast.Name(NEXT, ast.Load()), counter, ast.Load()))

    def visit_function_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        was_inside, self._is_inside = self._is_inside, True
        counted = self.visit_body(body)
        self._is_inside = was_inside
        return counted

    def visit_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        counted: list[ast.stmt] = [self.visit(s) for s in body]
        at = 1 if counted and is_constant_alone(counted[0]) else 0
        return counted[:at] + [self._counter()] + counted[at:]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.body = self.visit_function_body(node.body)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        node.body = self.visit_function_body(node.body)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        was_inside, self._is_inside = self._is_inside, False
        node.body = [self.visit(s) for s in node.body]
        self._is_inside = was_inside
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def _visit_branch(self, node: Any) -> Any:
        for name in ("test", "iter"):
            if hasattr(node, name):
                setattr(node, name, self.visit(getattr(node, name)))
        node.body = self.visit_body(node.body)
        if node.orelse:
            chained = isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
            node.orelse = [self.visit(s) for s in node.orelse] if chained else self.visit_body(node.orelse)
        elif isinstance(node, ast.If):
            node.orelse = [self._counter()]
        return node

    visit_If = _visit_branch  # noqa: N815 - the name is the standard library's.
    visit_For = _visit_branch  # noqa: N815 - the name is the standard library's.
    visit_While = _visit_branch  # noqa: N815 - the name is the standard library's.
    visit_AsyncFor = _visit_branch  # noqa: N815 - the name is the standard library's.

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        node.body = self.visit_body(node.body)
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        known = _OPERATORS.get(type(node.ops[0])) if len(node.ops) == 1 else None
        if known is None:
            return node
        return self._recorded(_COMPARE % known[0], node.left, node.comparators[0])

    def _recorded(self, name: str, *operands: ast.expr) -> ast.expr:
        site = self.sites
        self.sites += 1
        return ast.Call(ast.Name(name, ast.Load()), [ast.Constant(site), *operands], [])

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        self.generic_visit(node)
        is_lookup = self._is_inside and isinstance(node.ctx, ast.Load)
        if not is_lookup or isinstance(node.slice, (ast.Slice, ast.Tuple, ast.Constant)):
            return node
        return self._recorded(_LOOK_UP, node.value, node.slice)

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        is_lookup = self._is_inside and isinstance(node.func, ast.Attribute) and node.func.attr == "get"
        is_known = not node.args or isinstance(node.args[0], ast.Constant)
        if not is_lookup or is_known or node.keywords or has_star(node.args):
            return node
        return self._recorded(_GET, node.func.value, *node.args)  # type: ignore[attr-defined]

    def visit_Assert(self, node: ast.Assert) -> Any:
        return self.generic_visit(node)


def instrument(source: str) -> str | None:
    """Return the instrumented source code, or None when it cannot be made; the program's behaviour is unchanged."""
    try:
        tree = ast.parse(source)
        worker = _Instrumenter()
        tree.body = [worker.visit(s) for s in tree.body]
        return with_prologue(tree, _prologue(worker.blocks))
    except (SyntaxError, ValueError, RecursionError, AttributeError):
        return None


def blocks_in(instrumented: ast.AST | None) -> frozenset[int]:
    """Return the numbers of the blocks in a part of the syntax tree of an instrumented program."""
    found: list[int] = []
    for node in walk_tree(instrumented) if instrumented is not None else ():
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Subscript) and is_name(target.value, COUNTERS):
            number = getattr(target.slice, "value", None)
            found += [number] if type(number) is int else []
    return frozenset(found)


def blocks_with(parts: Iterable[ast.AST], function: ast.AST, instrumented: ast.AST) -> frozenset[int]:
    """Return the numbers of the blocks in which statements of a function stand that are, or directly hold, some parts
    of its syntax tree; it has the same statements where it is instrumented."""
    wanted = set(map(id, parts))
    pairs = zip(_statements(function), _statements(instrumented))
    return frozenset(
        [
            block
            for (statement, _), (_, block) in pairs
            if block is not None and not wanted.isdisjoint(map(id, _own_parts(statement)))
        ]
    )


def _own_parts(statement: ast.AST) -> list[ast.AST]:
    """Return a statement and its parts, without the statements inside of it."""
    children = ast.iter_child_nodes(statement)
    return [statement, *[one for one in children if not isinstance(one, ast.stmt)]]


def _statements(node: ast.AST, block: int | None = None) -> Iterator[tuple[ast.AST, int | None]]:
    """Yield the statements inside of a node, each with the number of its block, if it is instrumented."""
    for name in _BODIES:
        inside, held = block, getattr(node, name, None)
        children: list[ast.AST] = [*held] if isinstance(held, list) else []  # of a lambda, the body is no list
        for child in children:
            counted = _counted(child)
            if counted is not None:
                inside = counted
                continue
            if isinstance(child, ast.stmt):
                yield child, inside
            yield from _statements(child, inside)
            if isinstance(child, ast.If) and isinstance(child.body[-1], _LEAVING) and len(child.orelse) == 1:
                # What follows is run where the condition does not hold.
                passed = _counted(child.orelse[0])
                inside = inside if passed is None else passed


def _counted(node: ast.AST) -> int | None:
    """Return the number of the block that a statement counts; None for others."""
    return next(iter(blocks_in(node)), None) if isinstance(node, ast.Assign) else None


def with_prologue(tree: ast.Module, prologue: str) -> str:
    """Return the source code of a rewritten module, with statements inserted before the first that allows it."""
    at = 0
    while at < len(tree.body) and _stays_first(tree.body[at]):
        at += 1
    tree.body[at:at] = ast.parse(prologue).body
    return ast.unparse(ast.fix_missing_locations(tree))


def _stays_first(statement: ast.stmt) -> bool:
    """Return whether nothing may precede a statement: the docstring, and imports from ``__future__``."""
    if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
        return True
    return is_constant_alone(statement)


def _prologue(blocks: int) -> str:
    lines = [
        f"{COUNTERS} = bytearray({max(1, blocks)})",
        f"{NEXT} = bytes(({ONCE}, {TWICE}, {MORE}, {MORE}))",
        f"{SEEN} = {{}}",
    ]
    for name, sign in _OPERATORS.values():
        lines.append(f"def {_COMPARE % name}(site, a, b):\n    {SEEN}[site] = (a, b)\n    return a {sign} b")
    for name, result in ((f"{_LOOK_UP}(site, a, b)", "a[b]"), (f"{_GET}(site, a, b, *rest)", "a.get(b, *rest)")):
        lines.append(f"def {name}:\n    if type(a) is dict:\n        {SEEN}[site] = (b, a)\n    return {result}")
    return "\n".join(lines)
