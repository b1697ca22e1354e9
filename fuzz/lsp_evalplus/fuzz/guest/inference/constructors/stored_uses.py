"""How functions use what a constructor stores: those of its class, and others of its module by the names of attributes.

A class of plain records tells nothing of its own parts: ``seats >= booking.guests`` elsewhere does.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Iterator, Mapping, Set

from ...program.own_source import tree_around
from ...static.parameter_members import is_name
from ...static.walking import FUNCTIONS, Function, walk_tree
from ...values.dynamic import is_module
from ...values.shapes import BOOL, ScalarShape, Shape
from ..callees import Home
from ..handed_on import ProjectCallees
from ..members import own_classes_having
from ..records.reader import Reader
from ..records.value_usage import Use
from ..stored_parameters import LOCAL, Constructor, attribute_of, constructor_of, maker_in, stored_in

_MOST_FUNCTIONS = 12
"""Other functions of the module that are read."""
_PLAIN = (str, bytes, int, float, complex, list, dict, set, range)


@functools.lru_cache(maxsize=256)
def with_own_items(kind: type) -> Set[str]:
    """Return the parameters without annotation whose items have, as far as methods use them, what the class has."""
    found = constructor_of(kind)
    if found is None:
        return frozenset()
    uses = _uses_in_methods(found, kind)
    items = {name: use.element for name, use in uses.items() if use.element is not None and use.element.is_object()}
    return {name for name, item in items.items() if kind in own_classes_having(found.scope, item.attributes)}


@functools.lru_cache(maxsize=256)
def plain_parts(kind: type) -> Mapping[str, Shape]:
    """Return numbers and strings for the parameters without annotation that are used as such alone."""
    found = constructor_of(kind)
    if found is None:
        return {}
    uses = _uses_in_methods(found, kind)
    maker = next((one for one in found.users if one is not None), None)
    if maker is not None:
        Reader(maker, {**uses, **{LOCAL + name: use for name, use in uses.items()}}, demands=True)
    for function in _elsewhere(found):
        Reader(function, {"." + name: use for name, use in uses.items()}, demands=True)
    shapes = {name: use.shape() for name, use in uses.items() if use.shapes and _is_plain(use)}
    return {name: one for name, one in shapes.items() if all([isinstance(p, ScalarShape) for p in one.alternatives])}


def _is_plain(use: Use) -> bool:
    """Whether nothing is done with it that is not done with numbers and strings: what is only asked for its truth, and
    passed on, may be anything."""
    if all([one is BOOL for one in use.shapes]) and (use.calls or use.is_kept):
        return False
    others = (use.fields, use.places, use.kinds, use.names, use.element, use.content, use.entered)
    return not (any(map(bool, others)) or use.is_object() or use.is_searched or use.arguments is not None)


def _uses_in_methods(found: Constructor, kind: type) -> dict[str, Use]:
    uses = {name: Use() for name in sorted(found.untold)}
    for method in found.users[1:]:
        if method is not None:
            named = {"." + name: use for name, use in uses.items()}
            Reader(method, named, demands=True, callees=ProjectCallees(Home(found.scope, kind)))
    return uses


def _elsewhere(found: Constructor) -> Iterator[Function]:
    """Yield copies of other functions of the module in which attributes that only this class has there are named after
    the parameters."""
    maker = maker_in(found.home)
    path = getattr(getattr(maker, "__code__", None), "co_filename", None)
    tree = tree_around(maker, path) if isinstance(path, str) else None
    stored = stored_in(found.function, found.untold)
    classes = [one for one in (tree.body if tree is not None else ()) if isinstance(one, ast.ClassDef)]
    others = {name for one in classes if one.name != found.home.__name__ for name in _attributes_of(one)}
    own = {name: parameter for name, parameter in stored.items() if name not in others and not _is_of_plain(name)}
    functions = [one for part in (tree.body if own and tree is not None else ()) for one in _functions_in(part)]
    functions = [one for one in functions if one is not found.function and not own.keys().isdisjoint(_read_in(one))]
    for function in functions[:_MOST_FUNCTIONS]:
        yield _Naming(found, own).visit(copy.deepcopy(function))


def _functions_in(part: ast.stmt) -> list[Function]:
    body = part.body if isinstance(part, ast.ClassDef) else [part]
    return [one for one in body if isinstance(one, FUNCTIONS)]


@functools.lru_cache(maxsize=4096)
def _attributes_of(owner: ast.ClassDef) -> Set[str]:
    """Return the names that a class defines, and those of attributes that its methods set."""
    defined = {getattr(one, "name", "") for one in owner.body}
    fields = {
        one.target.id for one in owner.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
    }
    methods = [one for one in owner.body if isinstance(one, FUNCTIONS)]
    nodes = [(node, one) for one in methods for node in walk_tree(one) if isinstance(node, ast.Attribute)]
    return defined | fields | {one.attr for one, method in nodes if attribute_of(one, method)}


def _is_of_plain(name: str) -> bool:
    return any([hasattr(kind, name) for kind in _PLAIN])


@functools.lru_cache(maxsize=4096)
def _read_in(function: Function) -> Set[str]:
    return {one.attr for one in walk_tree(function) if isinstance(one, ast.Attribute)}


class _Naming(ast.NodeTransformer):
    """Names ``x.a`` as ``.p`` where objects of the class store the parameter `p` in `a`."""

    def __init__(self, found: Constructor, stored: Mapping[str, str]) -> None:
        self._found = found
        self._stored = stored

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Rename an attribute, unless it is one of a module."""
        is_of_module = isinstance(node.value, ast.Name) and is_module(self._found.scope.get(node.value.id))
        if node.attr not in self._stored or is_of_module or is_name(node.value, "self"):
            return self.generic_visit(node)
        return ast.copy_location(ast.Name("." + self._stored[node.attr], node.ctx), node)
