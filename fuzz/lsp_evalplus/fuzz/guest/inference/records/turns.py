"""Calls that a loop makes again and again, and that return something else each time: the next page, a new attempt."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from ...static.walking import SCOPES, Function, name_of, walk_tree
from ...values.makers.call_recorder import RETURNING
from ...values.shapes import CallShape, ChoiceShape, FixedDictShape, ListShape, Shape, UnionShape

_FURTHER = (1, 2)
"""How many values functions return in turn before the last one."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class _Place(NamedTuple):
    """A call in a loop."""

    call: ast.Call
    is_alike: bool
    """Whether its arguments name nothing that the loop binds."""
    is_certain: bool
    """Whether no condition stands before it."""


class _Loops(NamedTuple):
    """The loops around some nodes."""

    heads: Set[str]
    """The names that their heads bind."""
    bound: Set[str]
    """All that they bind."""
    is_certain: bool = True
    """Whether the nodes run at each turn."""

    def inside(self, targets: Sequence[ast.AST], body: Sequence[ast.AST]) -> _Loops:
        """Return these loops, and one more."""
        heads = self.heads | _names_in(targets)
        return _Loops(heads, self.bound | heads | _names_in(body, ast.Store))


_OUTSIDE = _Loops(frozenset(), frozenset())


@lru_cache(maxsize=256)
def _places_in(function: Function) -> Sequence[_Place]:
    return tuple(_in_loops(function.body, _OUTSIDE))


@lru_cache(maxsize=256)
def calls_in_turn(function: Function) -> Set[ast.Call]:
    """Return the calls in loops of a function of what was there before, whose arguments name nothing that the head of
    such a loop binds.

    What is asked for each item may depend on that item; what is asked in the same words may have changed.
    """
    return frozenset([one.call for one in _places_in(function)])


def goes_on_in_loop(function: Function | None, name: str, *, is_alike: bool) -> bool:
    """Return whether one place alone of a function calls what has a name, and that at each turn of a loop.

    Args:
        is_alike: whether it has to be called with the same arguments at each turn.
    """
    if function is None:
        return False
    calls = [one for one in walk_tree(function) if isinstance(one, ast.Call) and name_of(one.func) == name]
    places = [one for one in _places_in(function) if one.call in calls]
    return len(calls) == 1 and bool(places) and places[0].is_certain and (places[0].is_alike or not is_alike)


def _in_loops(nodes: Iterable[ast.AST], around: _Loops, *, is_repeated: bool = False) -> Iterator[_Place]:
    """Yield such calls in some nodes."""
    for node in nodes:
        if isinstance(node, SCOPES):
            continue
        if is_repeated and isinstance(node, ast.Call):
            asked = _names_in([*node.args, *node.keywords])
            if not asked & around.heads and not _names_in([node.func]) & around.bound:
                yield _Place(node, not asked & around.bound, around.is_certain)
        before, inside, inner = _split(node, around)
        yield from _in_loops(before, around, is_repeated=is_repeated)
        yield from _in_loops(inside, inner, is_repeated=is_repeated or inner.bound is not around.bound)


def _split(node: ast.AST, around: _Loops) -> tuple[list[ast.AST], list[ast.AST], _Loops]:
    """Return the parts of a node that run with it, and those that it runs again or perhaps, with the loops around."""
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return [node.iter, *node.orelse], [*node.body], around.inside([node.target], node.body)
    if isinstance(node, ast.While):
        body: list[ast.AST] = [node.test, *node.body]
        return [*node.orelse], body, around.inside([], body)
    if isinstance(node, _COMPREHENSIONS):
        first, *others = node.generators
        parts = [part for part in ast.iter_child_nodes(node) if not isinstance(part, ast.comprehension)]
        parts += [part for one in node.generators for part in one.ifs] + [one.iter for one in others]
        return [first.iter], parts, around.inside([one.target for one in node.generators], parts)
    if isinstance(node, (ast.If, ast.IfExp)):
        branches = [part for part in ast.iter_child_nodes(node) if part is not node.test]
        return [node.test], branches, around._replace(is_certain=False)
    return [*ast.iter_child_nodes(node)], [], around


def _names_in(nodes: Iterable[ast.AST], context: type[ast.expr_context] = ast.expr_context) -> Set[str]:
    names = [part for node in nodes for part in walk_tree(node) if isinstance(part, ast.Name)]
    return {part.id for part in names if isinstance(part.ctx, context)}


def returned_in_turn(answers: Shape) -> list[Shape]:
    """Return functions that return some values in turn, the last one being such that loops may end with it."""
    last = _ended(answers)
    return [CallShape(RETURNING, (*(answers,) * count, last)) for count in _FURTHER]


def _ended(shape: Shape) -> Shape:
    """Return the values of a shape that end a loop, as far as there are such: without items, or nothing at all."""
    if isinstance(shape, ListShape):
        return ListShape(shape.element, high=0)
    if isinstance(shape, ChoiceShape):
        return ChoiceShape(tuple([one for one in shape.values if not one]) or shape.values)
    is_whole = not isinstance(shape, (CallShape, FixedDictShape, UnionShape))
    return shape if is_whole else shape.with_parts(tuple(map(_ended, shape.parts)))
