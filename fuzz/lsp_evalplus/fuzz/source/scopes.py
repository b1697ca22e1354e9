"""Free and bound names of a syntax node, determined statically."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from lsp_evalplus.fuzz.guest.static.walking import SCOPES, add_parts, own_nodes, walk_tree

from .parsing import parse_expression

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_Scope: TypeAlias = FunctionNode | ast.Lambda
_Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def used_names(*nodes: ast.AST) -> frozenset[str]:
    """Return the names that running nodes may look up outside of them, including those in string annotations."""
    names = set[str]()
    pending = list(nodes)
    for node in pending:
        read = _USES.get(node.__class__)
        if read is not None:
            names.update(read(node))
        else:
            add_parts(node, pending)
    return frozenset(names)


def _used_by_function(node: FunctionNode) -> frozenset[str]:
    """Return what the ``def`` statement itself evaluates (decorators, defaults, annotations), and its free names."""
    annotations = [parameter.annotation for parameter in parameter_nodes(node.args)] + [node.returns]
    evaluated = used_names(*node.decorator_list, *_defaults(node.args))
    return evaluated.union(free_names(node), *map(annotation_names, annotations))


def _used_by_lambda(node: ast.Lambda) -> frozenset[str]:
    return used_names(*_defaults(node.args)) | free_names(node)


def _used_by_comprehension(node: _Comprehension) -> frozenset[str]:
    parts = list[ast.AST]()
    add_parts(node, parts)
    return used_names(*parts) - bound_names(*[generator.target for generator in node.generators])


def _used_by_annotation(node: ast.AnnAssign) -> frozenset[str]:
    return used_names(node.target, *([node.value] if node.value else [])) | annotation_names(node.annotation)


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_USES: dict[type, Callable[[Any], Iterable[str]]] = {
    ast.Name: lambda node: (node.id,),
    ast.FunctionDef: _used_by_function,
    ast.AsyncFunctionDef: _used_by_function,
    ast.Lambda: _used_by_lambda,
    **dict.fromkeys(_COMPREHENSIONS, _used_by_comprehension),
    ast.AnnAssign: _used_by_annotation,
    ast.Global: lambda node: node.names,
    ast.Nonlocal: lambda node: node.names,
}
"""What nodes use whose parts do not tell it alone."""


def free_names(scope: _Scope) -> frozenset[str]:
    """Return the free names in the body of a function or lambda."""
    body = scope.body if isinstance(scope.body, list) else [scope.body]
    outer = _declared(body)
    local = (_parameter_names(scope.args) | bound_names(*body)) - outer
    return (used_names(*body) - local) | outer


def bound_names(*nodes: ast.AST) -> frozenset[str]:
    """Return the names that running nodes binds in their enclosing scope."""
    names = set[str]()
    pending = list(nodes)
    for node in pending:
        kind = node.__class__
        if kind not in _CLOSED:
            add_parts(node, pending)
        read = _BINDS.get(kind)
        if read is not None:
            names.update(read(node))
    names.discard("")
    return frozenset(names)


def _bound_by_comprehension(node: _Comprehension) -> list[str]:
    return [one.target.id for one in walk_tree(node) if isinstance(one, ast.NamedExpr)]


_CLOSED = frozenset((*SCOPES, *_COMPREHENSIONS, ast.Name))
"""Nodes whose parts bind nothing outside of them."""
_BINDS: dict[type, Callable[[Any], Iterable[str]]] = {
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), lambda node: (node.name,)),
    **dict.fromkeys(_COMPREHENSIONS, _bound_by_comprehension),
    ast.Name: lambda node: () if node.ctx.__class__ is ast.Load else (node.id,),
    **dict.fromkeys(
        (ast.Import, ast.ImportFrom),
        lambda node: [one.asname or one.name.partition(".")[0] for one in node.names],
    ),
    **dict.fromkeys((ast.ExceptHandler, ast.MatchAs, ast.MatchStar), lambda node: (node.name or "",)),
    ast.MatchMapping: lambda node: (node.rest or "",),
}
"""Names that nodes of a class bind themselves."""


def changed_names(node: ast.stmt) -> frozenset[str]:
    """Return the root names of in-place mutations: ``X[0] = 1``, ``X.size = 1``, ``X += [1]``, ``X.append(1)``."""
    return frozenset(_changed(node))


def annotation_names(annotation: ast.expr | None) -> frozenset[str]:
    """Return the names in an annotation, including those in string annotations."""
    if annotation is None:
        return frozenset()
    names = set[str]()
    for part in walk_tree(annotation):
        if isinstance(part, ast.Name):
            names.add(part.id)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            names |= _names_in_text(part.value)
    return frozenset(names)


def root_name(node: ast.expr) -> str | None:
    """Return ``x`` for ``x.y[0].z``; None if the expression does not start with a name."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def dotted_name(node: ast.expr) -> str | None:
    """Return ``a.b.c`` as a string, or None if `node` is not a plain dotted name."""
    parts = list[str]()
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def parameter_nodes(arguments: ast.arguments) -> Iterator[ast.arg]:
    """Yield every parameter, in signature order."""
    yield from arguments.posonlyargs
    yield from arguments.args
    if arguments.vararg:
        yield arguments.vararg
    yield from arguments.kwonlyargs
    if arguments.kwarg:
        yield arguments.kwarg


def mutated_part(node: ast.AST) -> ast.expr | None:
    """Return what a node changes in place, itself or a part of it; None for one that changes nothing so."""
    if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
        return node
    if isinstance(node, ast.AugAssign):
        return node.target
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS:
        return node.func.value
    return None


def _changed(node: ast.stmt) -> Iterator[str]:
    for part in walk_tree(node):
        target = mutated_part(part)
        name = root_name(target) if target is not None else None
        if name is not None:
            yield name


_MUTATORS = frozenset(
    "append extend insert add update setdefault sort reverse remove discard pop popitem clear appendleft".split()
)


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [default for default in (*arguments.defaults, *arguments.kw_defaults) if default is not None]


def _parameter_names(arguments: ast.arguments) -> frozenset[str]:
    return frozenset(parameter.arg for parameter in parameter_nodes(arguments))


def _declared(body: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names declared ``global`` or ``nonlocal`` in a scope's own body."""
    declarations = [node for node in own_nodes(body) if isinstance(node, (ast.Global, ast.Nonlocal))]
    return frozenset(name for node in declarations for name in node.names)


def _names_in_text(text: str) -> frozenset[str]:
    node = parse_expression(text)
    return frozenset(part.id for part in walk_tree(node) if isinstance(part, ast.Name)) if node else frozenset()


def identifiers_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names and attributes in code."""
    return frozenset(
        part.id if isinstance(part, ast.Name) else part.attr
        for node in nodes
        for part in walk_tree(node)
        if isinstance(part, (ast.Name, ast.Attribute))
    )


_TRANSPARENT = frozenset(("staticmethod", "classmethod", "property"))
"""Decorators of functions of which a call reads all before it returns."""


def is_plain(function: FunctionNode, *, may_be_decorated: bool = False) -> bool:
    """Whether all that a call reads is read before it returns, and nothing stands between the call and the function.

    Args:
        function: a function.
        may_be_decorated: whether decorators may stand there.
    """
    decorators = {getattr(one, "id", "") for one in function.decorator_list}
    is_special = function.name.startswith("__") and function.name not in ("__init__", "__call__")
    if isinstance(function, ast.AsyncFunctionDef) or is_special or (decorators - _TRANSPARENT and not may_be_decorated):
        return False
    return not any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in walk_tree(function))
