"""Mutants of references: where there are no samples, the mistakes that a suite must notice are made by mutation.

The operators are those that DeMillo, Lipton and Sayward (1978) and their successors use: relations, arithmetic,
connectives, constants, conditions, jumps. Mutants say little about the mistakes of models, most of which the base tests
kill too: samples are better wherever there are some.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from lsp_evalplus.bench.problem import Problem

MOST_MUTANTS = 24
"""Mutants of one reference; more are thinned out evenly over its text."""
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


def mutants_of(problem: Problem) -> list[str]:
    """Programs that differ from the reference of a task in one place of its function; none if it does not parse."""
    try:
        tree = ast.parse(problem.reference)
    except (SyntaxError, ValueError, RecursionError):
        return []
    places = [place for place, node in enumerate(ast.walk(tree)) if not isinstance(node, ast.expr_context)]
    found = dict.fromkeys(text for place in places for text in _mutants_at(tree, place))
    found.pop(ast.unparse(tree), None)
    texts = list(found)
    step = max(1.0, len(texts) / MOST_MUTANTS)
    return [texts[int(number * step)] for number in range(min(MOST_MUTANTS, len(texts)))]


def _mutants_at(tree: ast.Module, place: int) -> Iterator[str]:
    """The mutants at one node, counted as `ast.walk` finds them."""
    count = sum(1 for _ in _changes(_node_at(tree, place)))
    for number in range(count):
        changed = copy.deepcopy(tree)
        list(_changes(_node_at(changed, place), apply=number))
        yield ast.unparse(ast.fix_missing_locations(changed))


def _node_at(tree: ast.Module, place: int) -> ast.AST:
    return next(node for number, node in enumerate(ast.walk(tree)) if number == place)


def _changes(node: ast.AST, apply: int | None = None) -> Iterator[None]:
    """One item for each change that can be made to a node; the one numbered `apply` is made."""
    for number, (name, value) in enumerate(_replacements(node)):
        if number == apply:
            setattr(node, name, value)
        yield


def _replacements(node: ast.AST) -> list[tuple[str, object]]:
    """What a field of a node may be replaced by: names of fields and their new values."""
    if isinstance(node, ast.Compare):
        first, *rest = node.ops
        return [("ops", [other(), *rest]) for other in _OTHER_COMPARISONS[type(first)]]
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        other = _OTHER_OPERATORS.get(type(node.op))
        return [] if other is None else [("op", other())]
    if isinstance(node, ast.BoolOp):
        return [("op", ast.Or() if isinstance(node.op, ast.And) else ast.And())]
    if isinstance(node, ast.Constant):
        return [("value", value) for value in _other_constants(node.value)]
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        return [("test", ast.UnaryOp(ast.Not(), node.test))]
    if isinstance(node, ast.Return) and node.value is not None:
        return [("value", ast.Constant(None))]
    return []


def _other_constants(value: object) -> tuple[object, ...]:
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, (int, float)):
        return (value + 1, value - 1)
    return (value + "x",) if isinstance(value, str) and len(value) < _LONGEST_TEXT else ()


_LONGEST_TEXT = 40
"""Longer texts are mostly docstrings."""
