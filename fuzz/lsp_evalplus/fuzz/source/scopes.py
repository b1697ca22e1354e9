"""Free and bound names of a syntax node, determined statically."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from lsp_evalplus.fuzz.guest.static.walking import walk_tree

from .parsing import parse_expression

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_Scope: TypeAlias = FunctionNode | ast.Lambda
_Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def used_names(node: ast.AST) -> frozenset[str]:
    """Return the names that running `node` may look up outside of it, including those in string annotations."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return _names_around(node) | free_names(node)
        case ast.Lambda():
            return _union(map(used_names, _defaults(node.args))) | free_names(node)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            targets = _union(bound_names(generator.target) for generator in node.generators)
            return _union(map(used_names, ast.iter_child_nodes(node))) - targets
        case ast.Name():
            return frozenset({node.id})
        case ast.AnnAssign():
            parts = [node.target, *([node.value] if node.value else [])]
            return _union(map(used_names, parts)) | annotation_names(node.annotation)
        case ast.Global() | ast.Nonlocal():
            return frozenset(node.names)
        case _:
            return _union(map(used_names, ast.iter_child_nodes(node)))


def free_names(scope: _Scope) -> frozenset[str]:
    """Return the free names in the body of a function or lambda."""
    body = scope.body if isinstance(scope.body, list) else [scope.body]
    outer = _declared(body)
    local = (_parameter_names(scope.args) | _union(map(bound_names, body))) - outer
    return (_union(map(used_names, body)) - local) | outer


def bound_names(node: ast.AST) -> frozenset[str]:
    """Return the names that running `node` binds in its enclosing scope."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return frozenset({node.name})
        case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return frozenset(
                part.target.id
                for part in walk_tree(node)
                if isinstance(part, ast.NamedExpr) and not isinstance(node, ast.Lambda)
            )
        case ast.Name():
            return frozenset() if isinstance(node.ctx, ast.Load) else frozenset({node.id})
        case ast.Import() | ast.ImportFrom():
            return frozenset((alias.asname or alias.name.partition(".")[0]) for alias in node.names)
        case ast.ExceptHandler():
            named = frozenset({node.name}) if node.name else frozenset[str]()
            return named | _union(map(bound_names, ast.iter_child_nodes(node)))
        case ast.MatchAs() | ast.MatchStar():
            named = frozenset({node.name}) if node.name else frozenset[str]()
            return named | _union(map(bound_names, ast.iter_child_nodes(node)))
        case ast.MatchMapping():
            named = frozenset({node.rest}) if node.rest else frozenset[str]()
            return named | _union(map(bound_names, ast.iter_child_nodes(node)))
        case _:
            return _union(map(bound_names, ast.iter_child_nodes(node)))


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


def _changed(node: ast.stmt) -> Iterator[str]:
    for part in walk_tree(node):
        target: ast.expr | None = None
        if isinstance(part, (ast.Attribute, ast.Subscript)) and not isinstance(part.ctx, ast.Load):
            target = part
        elif isinstance(part, ast.AugAssign):
            target = part.target
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _MUTATORS:
            target = part.func.value
        name = root_name(target) if target is not None else None
        if name is not None:
            yield name


_MUTATORS = frozenset(
    "append extend insert add update setdefault sort reverse remove discard pop popitem clear appendleft".split()
)


def _names_around(node: FunctionNode) -> frozenset[str]:
    """Return the names that the ``def`` statement itself evaluates: decorators, defaults, annotations."""
    annotations = [parameter.annotation for parameter in parameter_nodes(node.args)] + [node.returns]
    evaluated = [*node.decorator_list, *_defaults(node.args)]
    return _union(map(used_names, evaluated)) | _union(map(annotation_names, annotations))


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [default for default in (*arguments.defaults, *arguments.kw_defaults) if default is not None]


def _parameter_names(arguments: ast.arguments) -> frozenset[str]:
    return frozenset(parameter.arg for parameter in parameter_nodes(arguments))


def _declared(body: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names declared ``global`` or ``nonlocal`` in a scope's own body."""
    names = set[str]()
    pending = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            names.update(node.names)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            pending.extend(ast.iter_child_nodes(node))
    return frozenset(names)


def _names_in_text(text: str) -> frozenset[str]:
    node = parse_expression(text)
    return frozenset(part.id for part in walk_tree(node) if isinstance(part, ast.Name)) if node else frozenset()


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*sets)


def identifiers_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names and attributes in code."""
    return frozenset(
        part.id if isinstance(part, ast.Name) else part.attr
        for node in nodes
        for part in walk_tree(node)
        if isinstance(part, (ast.Name, ast.Attribute))
    )
