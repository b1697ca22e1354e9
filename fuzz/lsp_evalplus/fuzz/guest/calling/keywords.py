"""Shapes of ``**kwargs``: names that the programs look up or that examples show, and values by the annotation."""

from __future__ import annotations

import ast
import itertools
import keyword
import typing
from collections.abc import Container, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ..program.classes import PLAIN_DEFAULTS
from ..static.parameter_members import listed_parameters
from ..static.walking import Function, walk_tree
from ..values.dynamic import type_of
from ..values.recipes.model import RecipeError
from ..values.shapes import (
    ANY,
    ANYTHING,
    BOOL,
    INT,
    STR,
    AnyShape,
    DictShape,
    IntShape,
    KeywordsShape,
    ListShape,
    Shape,
    is_unknown,
    merge,
    shape_of,
    union_of,
)

GENERIC_NAMES = ("a", "b", "a_b")
_LOOK_UPS = ("get", "pop", "setdefault")
_MEMBERSHIP = (ast.In, ast.NotIn)
_COUNTING = frozenset("min max len int round".split())
_COUNT = IntShape(low=1)
_PLAIN = union_of([INT, STR])
"""Shape of a value whose name is all that is known."""


def is_unpacked(hint: Any) -> bool:
    """Return whether the annotation names each keyword: ``**options: Unpack[Options]``."""
    return getattr(typing.get_origin(hint), "__name__", getattr(typing.get_origin(hint), "_name", "")) == "Unpack"


def is_annotated(shape: Shape) -> bool:
    """Return whether ``**kwargs``, or rather each of its values, is annotated."""
    return not isinstance(shape, KeywordsShape) or not is_unknown(shape.others)


def keywords_shape(
    shape: Shape, functions: Iterable[Function | None], passed: Mapping[str, Shape | None] = MappingProxyType({})
) -> Shape:
    """Return the shape of ``**kwargs``, from that of each value, from the names that the functions look up, and from
    those that other functions take to which they are passed."""
    nodes = [function for function in functions if function is not None]
    known: dict[str, Shape | None] = {}
    for name, found in itertools.chain(*map(looked_up, nodes), passed.items()):
        known[name] = known.get(name) or found
    taken = tuple(dict.fromkeys([one.arg for node in nodes for one in listed_parameters(node.args)]))
    is_free, is_any = is_unknown(shape), shape is ANYTHING
    others = _PLAIN if is_free else shape
    names = [name for name in dict.fromkeys([*known, *GENERIC_NAMES]) if is_name(name) and name not in taken]
    parts = [(known.get(name) or others) if is_free or is_any else others for name in names]
    return KeywordsShape(others, tuple(names), tuple(parts), taken)


def unknown_keywords(shape: Shape, names: Iterable[str]) -> list[str]:
    """Return those of the names of ``**kwargs`` of whose values nothing is known."""
    if not isinstance(shape, KeywordsShape) or shape.others not in (_PLAIN, ANYTHING):
        return []
    known = dict(zip(shape.names, shape.shapes))
    return [name for name in names if known.get(name, shape.others) is shape.others]


def with_examples(shape: KeywordsShape, held: list[dict[str, Any]]) -> Shape:
    """Return the shape with the names in examples first; value types from examples count where no others are known."""
    shown = merge([shape_of(value) for one in held for value in one.values()])
    others = shown if shape.others is _PLAIN and not isinstance(shown, AnyShape) else shape.others
    names = tuple(dict.fromkeys([*(name for one in held for name in one), *shape.names]))
    known = dict(zip(shape.names, shape.shapes))
    parts = [known[name] if known.get(name, _PLAIN) is not _PLAIN else others for name in names]
    return KeywordsShape(others, names, tuple(parts), shape.taken)


def with_values(shape: Shape, told: Shape) -> Shape:
    """Return the shape with what a dict of all keywords tells of values of which nothing else is known."""
    if not isinstance(shape, KeywordsShape) or shape.others is not _PLAIN or not isinstance(told, DictShape):
        return shape
    return shape.with_parts(tuple([told.values if part is _PLAIN else part for part in shape.parts]))


def is_name(text: Any) -> bool:
    """Return whether a call can be written with that keyword."""
    return type(text) is str and text.isidentifier() and text.isascii() and not keyword.iskeyword(text)


def checked(value: Any, taken: Iterable[str]) -> dict[str, Any]:
    """Return the value of a row for ``**kwargs``. Raises `RecipeError` when a call cannot pass it so."""
    if type_of(value) is not dict or not all([is_name(name) and name not in taken for name in value]):
        raise RecipeError("the values of **kwargs are a dict of names that no other parameter has")
    return value


def copies_of(function: Function) -> set[str]:
    """Return the names of a function's ``**kwargs`` and of its copies; none where it has no such parameter."""
    found = {function.args.kwarg.arg} if function.args.kwarg is not None else set[str]()
    for node in walk_tree(function) if found else ():
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and gives_copy(node.value, found):
            found.add(node.targets[0].id)
        elif isinstance(node, ast.Call) and any([_is(one, found) for one in (*node.args, *_unpacked(node))]):
            called = node.func
            if isinstance(called, ast.Attribute) and called.attr == "update" and isinstance(called.value, ast.Name):
                found.add(called.value.id)
    return found


def _unpacked(node: ast.Call) -> Iterator[ast.expr]:
    return (one.value for one in node.keywords if one.arg is None)


def gives_copy(node: ast.expr, names: Container[str]) -> bool:
    """Return whether an expression is a copy of what has one of some names."""
    if isinstance(node, ast.Dict):
        return any([key is None and _is(value, names) for key, value in zip(node.keys, node.values)])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr == "copy" and _is(node.func.value, names)
    return isinstance(node, ast.Call) and _is(node.func, ("dict",)) and any([_is(one, names) for one in node.args])


def looked_up(function: Function) -> Iterator[tuple[str, Shape | None]]:
    """Yield the names that are looked up in ``**kwargs``, each with the shape of its default, if that shows one."""
    names = copies_of(function)
    for node in walk_tree(function) if names else ():
        for key, defaults in _keys(node, names):
            yield from _constant(key, defaults)
            if isinstance(key, ast.Name):
                for one in _items_of_loops(function, key.id):
                    yield from _constant(one, defaults)


def _keys(node: ast.AST, names: Container[str]) -> Iterator[tuple[ast.expr, Iterable[ast.expr]]]:
    """Yield what is looked up in what has one of some names, with what stands for it where it is missing."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Load, ast.Del)) and _is(node.value, names):
        yield node.slice, ()
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is(node.func.value, names):
        if node.func.attr in _LOOK_UPS and node.args:
            yield node.args[0], node.args[1:]
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], _MEMBERSHIP) and _is(node.comparators[0], names):
        yield node.left, ()


def _items_of_loops(function: Function, variable: str) -> Iterator[ast.expr]:
    """Yield the items of lists, tuples and sets, also such as have a name, that loops give to a variable in turn."""
    loops = [one for one in walk_tree(function) if isinstance(one, (ast.For, ast.comprehension))]
    sources = [one.iter for one in loops if _is(one.target, (variable,))]
    named = [one.id for one in sources if isinstance(one, ast.Name)]
    for node in walk_tree(function) if named else ():
        if isinstance(node, ast.Assign) and any([_is(target, named) for target in node.targets]):
            sources.append(node.value)
    for one in sources:
        yield from one.elts if isinstance(one, (ast.List, ast.Tuple, ast.Set)) else ()


def _is(node: ast.AST, names: Container[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _constant(node: Any, defaults: Iterable[ast.expr] = ()) -> Iterator[tuple[str, Shape | None]]:
    if not (isinstance(node, ast.Constant) and type(node.value) is str):
        return
    known = [shape for one in defaults for shape in [_shape_of_default(one)] if shape is not None]
    yield node.value, known[0] if known else None


def _shape_of_default(node: ast.expr) -> Shape | None:
    """Return the shape of a default that is a constant, a dict or a list, or computed by what gives numbers or
    strings."""
    if isinstance(node, ast.Constant):
        return shape_of(node.value) if type(node.value) in PLAIN_DEFAULTS else None
    if isinstance(node, (ast.Dict, ast.List)):
        return DictShape(STR, ANY) if isinstance(node, ast.Dict) else ListShape(ANY)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _COUNT if node.func.id in _COUNTING else None
    if isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
        return BOOL
    return STR if isinstance(node, ast.JoinedStr) else None
