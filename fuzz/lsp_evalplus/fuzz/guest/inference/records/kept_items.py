"""Where a constructor keeps the items of what it takes: in a copy, a list that it fills, or a dict by their keys.

``self.items = {item.sku: item for item in items}`` and ``self.items[sku].price`` in a method show what an item is.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Iterator, Mapping, Sequence

from ...static.parameter_members import is_name, own_attribute, positional_names
from ...static.walking import Function, name_of, walk_tree

_COPYING = frozenset("list tuple set frozenset dict sorted reversed deque Counter OrderedDict copy deepcopy".split())
"""Functions whose results hold what their first argument holds."""
_FILLING = frozenset("append add appendleft insert".split())
_TAKING_OUT = frozenset("get pop setdefault".split())

_EXTENDING = frozenset(("extend", "update", "extendleft"))


def copied_name(value: ast.expr) -> str:
    """Return the variable that an expression gives a copy of, maybe with some of its items; empty for others."""
    if isinstance(value, ast.Call) and value.args and name_of(value.func) in _COPYING:
        return copied_name(value.args[0])
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "copy":
        return copied_name(value.func.value)
    if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
        return copied_name(value.values[0])
    if isinstance(value, (ast.List, ast.Tuple)) and len(value.elts) == 1 and isinstance(value.elts[0], ast.Starred):
        return copied_name(value.elts[0].value)
    if isinstance(value, ast.Dict) and value.keys == [None]:
        return copied_name(value.values[0])
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
        return copied_name(value.value)
    if isinstance(value, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
        return _gone_through(value.elt, value.generators)
    return value.id if isinstance(value, ast.Name) else ""


def keyed_name(value: ast.expr) -> str:
    """Return the variable whose items are the values of a dict comprehension; empty for others."""
    return _gone_through(value.value, value.generators) if isinstance(value, ast.DictComp) else ""


def _gone_through(item: ast.expr, loops: Sequence[ast.comprehension]) -> str:
    first = loops[0]
    # ``one if isinstance(one, Column) else Column(one)``
    parts = [item.body, item.orelse] if isinstance(item, ast.IfExp) else [item]
    is_item = len(loops) == 1 and any([is_name(part, name_of(first.target)) for part in parts])
    return copied_name(first.iter) if is_item else ""


def filled_in(function: Function, methods: Mapping[str, Function]) -> Iterator[tuple[str, str, bool]]:
    """Yield attributes into which a constructor puts the items of a variable one by one, the variable, and whether the
    attribute has them by keys.

    Args:
        function: the constructor.
        methods: those of the class, by name; one may do it in its place.
    """
    for loop in walk_tree(function):
        if not isinstance(loop, (ast.For, ast.AsyncFor)) or not isinstance(loop.target, ast.Name):
            continue
        name = copied_name(loop.iter)
        for node in walk_tree(loop) if name else ():
            yield from [(attribute, name, is_keyed) for attribute, is_keyed in puts(node, function, loop.target.id)]
            if (
                isinstance(node, ast.Call)
                and own_attribute(node.func, function)
                and len(node.args) == 1
                and not node.keywords
            ):
                method = methods.get(own_attribute(node.func, function))
                parameters = positional_names(method)[1:] if method is not None else []
                if method is not None and parameters and is_name(node.args[0], loop.target.id):
                    inner = [put for part in walk_tree(method) for put in puts(part, method, parameters[0])]
                    yield from [(attribute, name, is_keyed) for attribute, is_keyed in inner]


def puts(node: ast.AST, function: Function, item: str) -> list[tuple[str, bool]]:
    """Return the attribute of the instance into which a statement or a call puts a variable, and whether by a key."""
    if isinstance(node, ast.Assign) and is_name(node.value, item):
        targets = [one.value for one in node.targets if isinstance(one, ast.Subscript)]
        return [(own_attribute(one, function), True) for one in targets if own_attribute(one, function)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLING and node.args:
        attribute = own_attribute(node.func.value, function)
        return [(attribute, False)] if attribute and is_name(node.args[-1], item) else []
    return []


def extended(node: ast.AST, function: Function, items: str) -> str:
    """Return the attribute of the instance to which a statement or a call adds all items of a variable, or nothing."""
    if isinstance(node, ast.AugAssign) and is_name(node.value, items):
        return own_attribute(node.target, function)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _EXTENDING:
        given = node.args[0] if len(node.args) == 1 else None
        return own_attribute(node.func.value, function) if given is not None and is_name(given, items) else ""
    return ""


@functools.lru_cache(maxsize=4096)
def with_items(method: Function, keyed: tuple[tuple[str, str], ...]) -> Function:
    """Return a copy of a method in which what is taken out of attributes that have items by keys is taken out of the
    variables that the items come from, which have names with a dot."""
    return _Items(method, dict(keyed)).visit(copy.deepcopy(method))  # type: ignore[no-any-return]


class _Items(ast.NodeTransformer):
    def __init__(self, method: Function, keyed: Mapping[str, str]) -> None:
        self._method = method
        self._keyed = keyed

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Rewrite ``self.items.values()``, ``.items()`` and ``.get(key)``."""
        if isinstance(node.func, ast.Attribute):
            name, called = self._name_of(node.func.value), node.func.attr
            if name and called in ("values", "items") and not node.args:
                every = ast.Name("." + name, ast.Load())
                pairs = ast.Call(ast.Name("enumerate", ast.Load()), [every], [])
                return ast.copy_location(every if called == "values" else pairs, node)
            if name and called in _TAKING_OUT and node.args:
                return _one_of(name, node)
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Rewrite ``self.items[key]``."""
        name = self._name_of(node.value) if isinstance(node.ctx, ast.Load) else ""
        return _one_of(name, node) if name else self.generic_visit(node)

    def _name_of(self, node: ast.AST) -> str:
        return self._keyed.get(own_attribute(node, self._method), "")


def _one_of(name: str, place: ast.expr) -> ast.expr:
    found = ast.Subscript(ast.Name("." + name, ast.Load()), ast.Constant(0), ast.Load())
    return ast.copy_location(found, place)
