"""How functions use what a constructor stores: those of its class, and others of its module by the names of attributes.

A class of plain records tells nothing of its own parts: ``seats >= booking.guests`` elsewhere does.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Callable

from ...program.own_source import tree_of_module
from ...static.parameter_members import is_name
from ...static.walking import FUNCTIONS, Function, walk_tree
from ...values.dynamic import is_module
from ...values.shapes import BOOL, STR, DictShape, ScalarShape, Shape
from ..callees import Home
from ..handed_on import ProjectCallees
from ..members import own_classes_having
from ..records.made_objects import NOTHING_MADE, Made, Stated
from ..records.reader import Reader
from ..records.value_usage import STAND_IN, Use
from ..stored_parameters import (
    Constructor,
    as_given,
    as_stored,
    attribute_of,
    constructor_of,
    stored_in,
)

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
        Reader(maker, as_given(uses), demands=True)
    for function in _elsewhere(found):
        Reader(function, as_stored(uses), demands=True)
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
    _read_methods([one for one in found.users[1:] if one is not None], uses, Home(found.scope, kind))
    return uses


def _read_methods(methods: Iterable[Function], uses: Mapping[str, Use], home: Home) -> None:
    """Note in the uses of a constructor's parameters what methods do with the attributes that hold these."""
    for method in methods:
        Reader(method, as_stored(uses), demands=True, callees=ProjectCallees(home))


def objects_by_use(
    functions: Sequence[Function | None],
    names: Set[str],
    interfaces: Mapping[str, Callable[[Iterable[str]], Stated]],
    home: Home,
    mappings: Set[str] = frozenset(),
    made: Made = NOTHING_MADE,
) -> dict[str, Shape]:
    """Return objects with the attributes that are used of what is stored, where no class is known that has them.

    Args:
        functions: the constructor, and the methods with names for the attributes.
        names: the parameters.
        interfaces: what is stated of members of those that are objects whatever is used of them.
        home: where the functions stand.
        mappings: those of which a method is called that dicts have, too.
        made: what is known of how objects of the project are made.
    """
    maker, *methods = functions
    users = [one for one in methods if one is not None and one.name != "__init__"]
    # Its copy knows what it has stored by the name of the attribute, too.
    maker = next((one for one in methods if one is not None and one.name == "__init__"), maker)
    stored, passed, both = [{name: Use() for name in sorted(names)} for _ in range(3)]
    for uses in (passed, both):
        if maker is not None:
            Reader(maker, as_given(uses), demands=True, callees=ProjectCallees(home))
    for uses in (stored, both):
        _read_methods(users, uses, home)
    for name, stated in interfaces.items():
        for uses in (stored, passed, both):
            uses[name].state(stated(uses[name].attributes))
    found: dict[str, Shape] = {}
    for name in sorted(names):
        telling = [use for use in (stored[name], passed[name]) if _is_used(use)]
        if name in mappings and not both[name].is_asked_for_objects():
            items = both[name].element
            if items is not None and items.tells() and not both[name].fields:
                found[name] = DictShape(STR, items.shape())
            continue
        every = (*telling, both[name])
        is_one = len(telling) == 2 and (all([use.is_object() for use in every]) or all(map(_holds_objects, every)))
        for use in every:
            use.find_instances(made)
        if name in interfaces and both[name].attributes and not both[name].is_object():
            found[name] = both[name].with_attributes(STAND_IN)
        elif telling:
            found[name] = (both[name] if is_one else telling[-1]).shape()
    return found


def _is_used(use: Use) -> bool:
    """Whether it is used as an object or a list of such."""
    return use.is_object() or use.entered is not None or _has_parts(use.element)


def _holds_objects(use: Use) -> bool:
    return use.element is not None and use.element.is_object()


def _has_parts(use: Use | None) -> bool:
    """Whether it is used as an object, a record, a list or a function."""
    if use is None:
        return False
    return use.is_object() or bool(use.fields or use.places) or use.element is not None or _is_called(use)


def _is_called(use: Use) -> bool:
    return use.arguments is not None


def _elsewhere(found: Constructor) -> Iterator[Function]:
    stored = stored_in(found.function, found.untold)
    return (one for one in used_elsewhere(found.home, found.scope, stored) if one.name != found.function.name)


def used_elsewhere(home: type, scope: Mapping[str, Any], stored: Mapping[str, str]) -> Iterator[Function]:
    """Yield copies of functions of a class's module in which attributes that only this class has there are named after
    the parameters of its constructor.

    Args:
        home: the class.
        scope: the globals of its module.
        stored: the attributes, with the parameters that they hold.
    """
    tree = tree_of_module(scope)
    classes = [one for one in (tree.body if tree is not None else ()) if isinstance(one, ast.ClassDef)]
    others = {name for one in classes if one.name != home.__name__ for name in _attributes_of(one)}
    own = {name: parameter for name, parameter in stored.items() if name not in others and not _is_of_plain(name)}
    functions = [one for part in (tree.body if own and tree is not None else ()) for one in _functions_in(part)]
    functions = [one for one in functions if not own.keys().isdisjoint(_read_in(one))]
    for function in functions[:_MOST_FUNCTIONS]:
        yield _Naming(scope, own).visit(copy.deepcopy(function))


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

    def __init__(self, scope: Mapping[str, Any], stored: Mapping[str, str]) -> None:
        self._scope = scope
        self._stored = stored

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Rename an attribute, unless it is one of a module."""
        is_of_module = isinstance(node.value, ast.Name) and is_module(self._scope.get(node.value.id))
        if node.attr not in self._stored or is_of_module or is_name(node.value, "self"):
            return self.generic_visit(node)
        return ast.copy_location(ast.Name("." + self._stored[node.attr], node.ctx), node)
