"""What JSON that a function reads is like, by an abstract interpretation of what it does with it.

Names, subscripts, `get`, loops, comprehensions and calls of the module's functions are followed, without branches: what
any of them looks up is a part.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise

from lsp_evalplus.fuzz.guest.static.parameter_members import goes_through_keys, keyed_by_names
from lsp_evalplus.fuzz.guest.static.walking import items_in, name_of, walk_tree
from lsp_evalplus.fuzz.model import Plain
from lsp_evalplus.fuzz.source.scopes import FunctionNode

from .functions import passed_parameters

READING = frozenset(("json", "loads", "load", "safe_load"))
"""Methods and functions whose results are JSON, or YAML, which JSON is a part of."""
LEAVES: tuple[object, ...] = ("a", 1, "", [1, 2], ["a"], {}, None)
"""Values for `Content.sample`."""
_LOOK_UPS = frozenset(("get", "pop", "setdefault"))
_SAME = frozenset("sorted list tuple reversed iter set dict next copy deepcopy".split())
_ROUNDS = 3
"""Names may be used above the place where they are assigned, as in loops."""
_DEEPEST = 6


@dataclass(slots=True)
class Content:
    """One value of JSON, by what is looked up in it."""

    keys: dict[str, Content] = field(default_factory=dict["str", "Content"])
    item: Content | None = None
    """The items of a list, or the values of an object whose keys are not known."""
    is_object: bool = False
    """Whether it is an object with any keys, whose values are like `item`."""
    values: dict[str | int | float, None] = field(default_factory=dict["str | int | float", None])
    """Constants that it is compared with."""

    @property
    def is_used(self) -> bool:
        """Whether anything is known of it."""
        return bool(self.keys or self.item is not None or self.values)

    def key(self, name: str) -> Content:
        """Return the value of a key."""
        return self.keys.setdefault(name, Content())

    def any_item(self) -> Content:
        """Return an item."""
        if self.item is None:
            self.item = Content()
        return self.item

    def sample(self, leaf: object, count: int = 1, depth: int = 0) -> object:
        """Return a value with all keys.

        Args:
            leaf: what stands where nothing is known, and no constant is compared.
            count: of items.
            depth: how far from the whole it is.
        """
        if self.keys and depth < _DEEPEST:
            return {name: one.sample(leaf, count, depth + 1) for name, one in self.keys.items()}
        if self.item is not None and depth < _DEEPEST:
            one = self.item.sample(leaf, count, depth + 1)
            return dict.fromkeys("abc"[:count], one) if self.is_object else [one] * count
        return next(iter(self.values), leaf)

    def to_plain(self, depth: int = 0) -> Plain:
        """Return it as plain data: ``keys``, ``item``, ``is_object`` and ``values``."""
        is_deep = depth >= _DEEPEST
        return {
            "keys": {} if is_deep else {name: one.to_plain(depth + 1) for name, one in self.keys.items()},
            "item": None if is_deep or self.item is None else self.item.to_plain(depth + 1),
            "is_object": self.is_object,
            "values": list(self.values),
        }


def json_read(functions: Sequence[FunctionNode], reading: Set[str] = READING) -> Content:
    """Return what functions of a module make of all the JSON that they read.

    Args:
        functions: one, and those that it calls.
        reading: names of the methods and functions that return JSON.
    """
    root = Content()
    readers = {one.name: _Interpreter(one, root, reading) for one in functions}
    for _ in range(_ROUNDS):
        for reader in readers.values():
            reader.run(readers)
    return root


def distinct(contents: Sequence[Content]) -> tuple[Content, ...]:
    """Return contents without those that are the same."""
    return tuple(one for place, one in enumerate(contents) if one not in contents[:place])


class _Interpreter:
    """What the names of one function stand for."""

    def __init__(self, function: FunctionNode, root: Content, reading: Set[str]) -> None:
        self._function = function
        self._reading = reading
        self._keyed = keyed_by_names(function)
        self._root = root
        self._names = dict[str, Content]()
        self._results = list[Content]()
        self._others: Mapping[str, _Interpreter] = {}

    def run(self, others: Mapping[str, _Interpreter]) -> None:
        """Follow all statements once."""
        self._others = others
        for node in walk_tree(self._function):
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._bind(target, self._value(value))
                case (
                    ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value)
                ):
                    self._bind(target, self._value(value))
                case ast.For(target=target, iter=iterable) | ast.comprehension(target=target, iter=iterable):
                    self._loop(target, iterable)
                case ast.Return(value=ast.expr() as value):
                    found = self._value(value)
                    self._results = [found] if found is not None else self._results
                case ast.Compare():
                    self._compare(node)
                case ast.Subscript() | ast.Call():
                    self._value(node)
                case _:
                    pass

    @property
    def result(self) -> Content | None:
        """What the function returns of what it read."""
        return self._results[0] if self._results else None

    def give(self, arguments: Sequence[Content | None]) -> None:
        """Bind parameters to what a call passes."""
        for parameter, content in zip(passed_parameters(self._function), arguments, strict=False):
            if content is not None:
                self._names.setdefault(parameter.arg, content)

    def _bind(self, target: ast.expr, content: Content | None) -> None:
        if content is None:
            return
        if isinstance(target, ast.Name):
            self._names.setdefault(target.id, content)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self._bind(one, content.any_item())

    def _loop(self, target: ast.expr, iterable: ast.expr) -> None:
        called = name_of(iterable.func) if isinstance(iterable, ast.Call) else ""
        if isinstance(iterable, ast.Call) and called == "enumerate" and iterable.args:
            content = self._value(iterable.args[0])
            if content is not None and isinstance(target, ast.Tuple):
                self._bind(target.elts[-1], content.any_item())
            return
        method = iterable.func if isinstance(iterable, ast.Call) else None
        if isinstance(method, ast.Attribute) and called in ("items", "values"):
            content = self._value(method.value)
            if content is not None:
                content.is_object = True
                value = target.elts[-1] if isinstance(target, ast.Tuple) and called == "items" else target
                self._bind(value, content.any_item())
            return
        mapping = goes_through_keys(target, iterable, self._keyed)
        content = self._value(iterable if mapping is None else mapping)
        if content is not None and mapping is not None:
            content.is_object = True
            content.any_item()
        elif content is not None:
            self._bind(target, content.any_item())

    def _value(self, node: ast.expr) -> Content | None:
        """Return what an expression is of the JSON that is read; None where it is something else."""
        match node:
            case ast.Name(id=name):
                return self._names.get(name)
            case ast.Subscript(value=value, slice=place):
                return self._part(self._value(value), place)
            case ast.NamedExpr(value=value) | ast.Await(value=value) | ast.Starred(value=value):
                return self._value(value)
            case ast.BoolOp(values=values):
                return next((one for one in map(self._value, values) if one is not None), None)
            case ast.IfExp(body=body, orelse=orelse):
                return self._value(body) or self._value(orelse)
            case ast.Call():
                return self._called(node)
            case _:
                return None

    def _part(self, content: Content | None, place: ast.expr) -> Content | None:
        if content is None:
            return None
        if isinstance(place, ast.Slice):
            content.any_item()
            return content
        if isinstance(place, ast.Constant) and isinstance(place.value, str):
            return content.key(place.value)
        return content.any_item()

    def _called(self, node: ast.Call) -> Content | None:
        name = name_of(node.func)
        if name in self._reading:
            return self._root
        if isinstance(node.func, ast.Attribute) and name in _LOOK_UPS:
            content = self._value(node.func.value)
            return None if content is None or not node.args else self._part(content, node.args[0])
        if name in _SAME and node.args:
            content = self._value(node.args[0])
            for option in node.keywords:
                if content is not None and isinstance(option.value, ast.Lambda):
                    self._key_function(option.value, content.any_item())
            return content.any_item() if content is not None and name == "next" else content
        other = self._others.get(name)
        if other is None or other is self:
            return None
        other.give([self._value(one) for one in node.args])
        return other.result

    def _key_function(self, function: ast.Lambda, item: Content) -> None:
        for one in function.args.args[:1]:
            self._names.setdefault(one.arg, item)

    def _compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        for one, other in pairwise(sides):
            for value, constant in ((one, other), (other, one)):
                content = self._value(value)
                if content is not None:
                    content.values.update(dict.fromkeys(_constants(constant)))
        if isinstance(node.ops[0], (ast.In, ast.NotIn)) and isinstance(node.left, ast.Constant):
            content = self._value(node.comparators[0])
            if content is not None and isinstance(node.left.value, str):
                content.key(node.left.value)


def _constants(node: ast.expr) -> Iterable[str | int | float]:
    for one in items_in(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, (str, int, float)):
            yield one.value
