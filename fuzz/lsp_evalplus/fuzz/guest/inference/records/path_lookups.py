"""Records whose keys are other parameters, or parts of one: ``for part in path.split("."): data = data[part]``.

The parts of a path are the keys of the records, one level after the other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from ...program.source_facts import nodes_of
from ...static.parameter_members import parameter_names
from ...static.walking import Function, name_of, string_in
from ...values.shapes import INT, NONE, STR, ChoiceShape, FixedDictShape, ListShape, Shape, union_of
from ..usage import loops_over

_SPLITTING: Final = frozenset(("split", "rsplit", "partition", "rpartition"))
_SAME_PARTS: Final = frozenset(("reversed", "list", "tuple", "iter", "enumerate"))
_LOOKUPS: Final = frozenset(("get", "setdefault", "pop"))
_ROUNDS: Final = 3
_KEYS: Final = ("a", "b")
_PATHS: Final = (("a",), ("a", "b"), ("b", "a"), ("c",), ("a", "c"), ("a", "b", "a"), ("b",))
_FURTHER: Final = "other"
"""A key that is not looked up."""
_USUAL: Final = union_of([INT, STR])
_VALUE: Final = union_of([INT, STR, NONE])
_RECORD: Final = FixedDictShape(_KEYS, (_VALUE, _VALUE), ())
_HELD: Final = union_of([_RECORD, _VALUE])
_NESTED: Final = FixedDictShape(_KEYS, (_HELD, _HELD), ())


def keyed_records(keyed: Mapping[str, Mapping[str, bool]], function: Function | None) -> Iterator[tuple[str, Shape]]:
    """Yield lists of records with the keys that other parameters are, and these parameters: each may be one of the
    keys, which are named after them. So are the records that a function looks into along paths, and these paths."""
    for holder, keys in keyed.items():
        names = (*keys, _FURTHER)
        needed = tuple([key for key, is_needed in keys.items() if is_needed])
        yield holder, ListShape(FixedDictShape(names, (_USUAL,) * len(names), needed))
        for key in keys:
            yield key, ChoiceShape((key, *[one for one in keys if one != key]))
    yield from records_along_paths(function)


class _Path(NamedTuple):
    parameter: str
    separator: str | None
    """What splits it; None where it is a list of its parts."""


class _Holder(NamedTuple):
    parameter: str
    is_item: bool
    """Whether the records are the items of the parameter."""


def records_along_paths(function: Function | None) -> Iterator[tuple[str, Shape]]:
    """Yield the parameters that hold such records, or lists of them, and those that are paths, with their shapes."""
    parameters = parameter_names(function) if function is not None else set[str]()
    if function is None or len(parameters) < 2:
        return
    reader = _Reader(function, parameters)
    for holder, path in dict.fromkeys(reader.lookups()):
        yield holder.parameter, ListShape(_NESTED) if holder.is_item else _NESTED
        words: list[object] = [path.separator.join(one) if path.separator else list(one) for one in _PATHS]
        yield path.parameter, ChoiceShape(tuple(words))


class _Reader:
    """Follows the paths and the records of one function through its variables.

    Args:
        function: the definition.
        parameters: the names of its parameters.
    """

    def __init__(self, function: Function, parameters: set[str]) -> None:
        self._parameters = parameters
        self._nodes = nodes_of(function)
        self._lists = {name: _Path(name, None) for name in parameters}
        self._parts: dict[str, _Path] = {}
        self._holders = {name: _Holder(name, is_item=False) for name in parameters}
        self._descended: set[_Holder] = set()
        for name, item in loops_over(function):
            if name in parameters and item not in parameters:
                self._holders.setdefault(item, _Holder(name, is_item=True))
        for _ in range(_ROUNDS):
            for node in self._nodes:
                self._note(node)

    def lookups(self) -> Iterator[tuple[_Holder, _Path]]:
        """Yield the records that are looked into by a part of a path; by one of a list, if they go a level deeper."""
        for node in self._nodes:
            for held, key in _looked_up(node):
                holder, path = self._holders.get(_name(held)), self._part(key)
                if holder is None or path is None or holder.parameter == path.parameter:
                    continue
                if path.separator is not None or holder in self._descended:
                    yield holder, path

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, (ast.For, ast.comprehension)):
            path = self._list(node.iter)
            target = node.target.elts[-1] if isinstance(node.target, ast.Tuple) else node.target
            if path is not None and isinstance(target, ast.Name):
                self._parts.setdefault(target.id, path)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            self._assign(node.targets[0], node.value)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        path = self._list(value)
        if isinstance(target, ast.Tuple) and path is not None and path.separator is not None:
            for one in target.elts:
                known = self._lists if isinstance(one, ast.Starred) else self._parts
                name = _name(one.value if isinstance(one, ast.Starred) else one)
                if name not in self._parameters:
                    known.setdefault(name, path)
        if not isinstance(target, ast.Name):
            return
        if path is not None:
            self._lists.setdefault(target.id, path)
        looked = next(((held, key) for held, key in _looked_up(value) if self._part(key) is not None), None)
        holder = self._holders.get(_name(looked[0] if looked is not None else value))
        if holder is not None and (looked is not None or isinstance(value, ast.Name)):
            self._holders.setdefault(target.id, holder)
            self._descended.update({holder} if looked is not None else ())

    def _list(self, node: ast.expr) -> _Path | None:
        """Return the path of whose parts an expression is a list; None where it is none."""
        if isinstance(node, ast.Name):
            return self._lists.get(node.id)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return self._list(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SPLITTING:
            name = _name(node.func.value)
            separator = string_in(node.args[0]) if node.args else " "
            return _Path(name, separator) if name in self._parameters and separator else None
        if isinstance(node, ast.Call) and name_of(node.func) in _SAME_PARTS and node.args:
            return self._list(node.args[0])
        return None

    def _part(self, node: ast.expr) -> _Path | None:
        if isinstance(node, ast.Name):
            return self._parts.get(node.id)
        is_one = isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice)
        return self._list(node.value) if is_one and isinstance(node, ast.Subscript) else None


def _looked_up(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what a node looks into, and by which key."""
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        yield node.value, node.slice
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _LOOKUPS:
        yield from [(node.func.value, one) for one in node.args[:1]]
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        yield node.comparators[0], node.left


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
