"""Which parameters matter where two versions of a function differ."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Union

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]


def changed_parameters(older: Function, newer: Function) -> set[str]:
    """Return the parameters that lines use which only one of two versions has, directly or by other variables."""
    parts = [list(_parts(older)), list(_parts(newer))]
    counts = [Counter(map(ast.dump, part)) for part in parts]
    used: set[str] = set()
    for own, other, part in ((counts[0], counts[1], parts[0]), (counts[1], counts[0], parts[1])):
        for node in part:
            if own[ast.dump(node)] > other[ast.dump(node)]:
                used |= _names(node)
    sources = list(_sources(parts[0] + parts[1]))
    size = -1
    while size != len(used):
        size = len(used)
        used |= {name for target, names in sources if target in used for name in names}
    return used & {one.arg for function in (older, newer) for one in _arguments(function)}


def _arguments(function: Function) -> list[ast.arg]:
    form = function.args
    further = [one for one in (form.vararg, form.kwarg) if one is not None]
    return [*form.posonlyargs, *form.args, *form.kwonlyargs, *further]


def _parts(function: Function) -> Iterator[ast.AST]:
    """Yield the statements without others inside of them, and the heads of those with some."""
    for statement in ast.walk(ast.Module(function.body, [])):
        if isinstance(statement, ast.stmt):
            children = list(ast.iter_child_nodes(statement))
            if not any([isinstance(one, ast.stmt) for one in children]):
                yield statement
            else:
                yield from (one for one in children if isinstance(one, ast.expr))


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _sources(parts: list[ast.AST]) -> Iterator[tuple[str, set[str]]]:
    """Yield the variables that are assigned to, with the names of what they are assigned."""
    for part in parts:
        if isinstance(part, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and part.value is not None:
            names = _names(part.value)
            for target in part.targets if isinstance(part, ast.Assign) else [part.target]:
                for one in _names(target):
                    yield one, names
