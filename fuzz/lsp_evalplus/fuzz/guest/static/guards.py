"""Find what a newer version of a function takes care of and an older one does not: conditions, handlers and defaults.

A *guard* is such a piece of code. It can be taken away, as if the newer version did not have it: what then happens on
an input shows what it is good for.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple, Union

from .walking import walk_tree

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]
CONDITION, TYPE_CONDITION, HANDLER, DEFAULT, CONVERSION = "condition", "type", "handler", "default", "conversion"
_ASKING_TYPES = frozenset("isinstance issubclass hasattr callable".split())
_CONVERSIONS = frozenset("str int float list tuple dict set bytes".split())
_IDENTITY = (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)
_CHOICES = (ast.If, ast.While, ast.IfExp)


class Guard(NamedTuple):
    """A guard of a newer version, and one way to take it away."""

    place: int
    """Among the places of guards in its function, which are counted the same way in each copy of it."""
    way: int
    """Conditions are taken for true, or for false."""
    kind: str
    refuses: bool = False
    """Whether it decides that an exception is raised."""


class _Place(NamedTuple):
    """Where a guard may be."""

    kind: str
    key: str
    """The text of its tree: the older version has no guard with the same one."""
    owner: ast.AST
    field: str
    number: int
    """In the list that the field holds; -1 where it holds one node."""
    choice: ast.AST | None = None
    """The statement or expression whose condition it is a part of."""

    @property
    def node(self) -> Any:
        """What stands there."""
        held = getattr(self.owner, self.field)
        return held if self.number < 0 else held[self.number]

    def put(self, node: Any) -> None:
        """Put something else there."""
        if self.number < 0:
            setattr(self.owner, self.field, node)
        else:
            getattr(self.owner, self.field)[self.number] = node


def new_guards(newer: Function | None, older: Function | None) -> list[Guard]:
    """Return the guards of a newer version that the older one does not have, each with the ways to take it away."""
    if newer is None or older is None:
        return []
    ours, theirs = _places_in(newer), _places_in(older)
    before = Counter([(place.kind, place.key) for place in theirs])
    now = Counter([(place.kind, place.key) for place in ours])
    found: list[Guard] = []
    for number, place in enumerate(ours):
        known = (place.kind, place.key)
        if now[known] <= before[known] or (place.kind == CONDITION and _is_reworded(place, ours, theirs)):
            continue
        is_condition = place.kind in (CONDITION, TYPE_CONDITION)
        ways = (0, 1) if is_condition else (0,)
        found += [Guard(number, way, place.kind, _refuses(place.choice)) for way in ways]
    return found


def without(function: Function, guard: Guard) -> None:
    """Take a guard away from a copy of its function."""
    place = _places_in(function)[guard.place]
    node = place.node
    if place.kind in (CONDITION, TYPE_CONDITION):
        place.put(ast.copy_location(ast.Constant(bool(guard.way)), node))
    elif place.kind == HANDLER:
        node.body.insert(0, ast.copy_location(ast.Raise(), node.body[0]))
    elif place.kind == CONVERSION:
        place.put(node.args[0])
    elif isinstance(node, ast.BoolOp):
        place.put(node.values[0])
    else:
        place.put(ast.copy_location(_without_default(node), node))


def _without_default(call: Any) -> ast.AST:
    """Return ``d[k]`` for ``d.get(k)`` and ``getattr(x, n)`` for ``getattr(x, n, None)``."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "get":
        return ast.Subscript(call.func.value, call.args[0], ast.Load())
    return ast.Call(call.func, call.args[:-1], [])


def _places_in(function: Function) -> list[_Place]:
    """Return all places of guards, in the order of a walk."""
    found: list[_Place] = []
    inside: dict[int, bool] = {}
    for node in walk_tree(function):
        if isinstance(node, _CHOICES):
            found += _parts(node, "test", -1, inside, node)
        elif isinstance(node, ast.comprehension):
            for index in range(len(node.ifs)):
                found += _parts(node, "ifs", index, inside, node)
        elif isinstance(node, ast.BoolOp) and id(node) not in inside:
            for index in range(len(node.values) - 1):
                found += _parts(node, "values", index, inside, node)
        found += _others(node, inside)
    return found


def _parts(owner: ast.AST, field: str, index: int, inside: dict[int, bool], choice: ast.AST) -> Iterator[_Place]:
    """Return the parts of a condition that ``and``, ``or`` and ``not`` join."""
    place = _Place("", "", owner, field, index)
    node = place.node
    if isinstance(node, ast.BoolOp):
        inside[id(node)] = True
        for number in range(len(node.values)):
            yield from _parts(node, "values", number, inside, choice)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _parts(node, "operand", -1, inside, choice)
    elif not any([isinstance(part, ast.NamedExpr) for part in walk_tree(node)]):
        kind = TYPE_CONDITION if _asks_for_type(node) else CONDITION
        yield _Place(kind, ast.dump(node), owner, field, index, choice)


def _others(node: ast.AST, inside: dict[int, bool]) -> Iterator[_Place]:
    """Return the handlers, defaults and conversions that a node holds."""
    fields: list[tuple[str, Any]] = list(ast.iter_fields(node))
    for field, held in fields:
        children: list[Any] = [*held] if isinstance(held, list) else [held]
        for number, child in enumerate(children):
            index = number if isinstance(held, list) else -1
            if isinstance(child, ast.ExceptHandler):
                caught = "" if child.type is None else ast.dump(child.type)
                yield _Place(HANDLER, caught, node, field, index)
            elif isinstance(child, ast.BoolOp) and isinstance(child.op, ast.Or) and id(child) not in inside:
                yield _Place(DEFAULT, ast.dump(child), node, field, index)
            elif isinstance(child, ast.Call) and not child.keywords and _is_plain(child):
                if _has_default(child):
                    yield _Place(DEFAULT, ast.dump(child), node, field, index)
                elif isinstance(child.func, ast.Name) and child.func.id in _CONVERSIONS and len(child.args) == 1:
                    yield _Place(CONVERSION, ast.dump(child), node, field, index)


def _is_plain(call: ast.Call) -> bool:
    return not any([isinstance(one, ast.Starred) for one in call.args])


def _has_default(call: ast.Call) -> bool:
    """Whether a call looks something up and has an answer where there is nothing."""
    if isinstance(call.func, ast.Name):
        return (call.func.id, len(call.args)) in (("getattr", 3), ("next", 2))
    if not isinstance(call.func, ast.Attribute):
        return False
    return (call.func.attr == "get" and 1 <= len(call.args) <= 2) or (call.func.attr == "pop" and len(call.args) == 2)


def _asks_for_type(node: ast.AST) -> bool:
    """Whether a condition asks what kind of value something is, or whether it is there at all."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _ASKING_TYPES
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    if isinstance(node.ops[0], _IDENTITY) and any([isinstance(s, ast.Constant) and s.value is None for s in sides]):
        return True
    return any([isinstance(s, ast.Call) and isinstance(s.func, ast.Name) and s.func.id == "type" for s in sides])


def _is_reworded(place: _Place, ours: list[_Place], theirs: list[_Place]) -> bool:
    """Whether the older version asks something else for the same purpose: ``len(x) == 0`` for ``not x``."""
    choice = place.choice
    purpose = _purpose(choice)
    if choice is None or not purpose:
        return False
    now = {one.key for one in ours if one.choice is choice}
    counterparts: dict[int, list[str]] = {}
    for one in theirs:
        if one.choice is not None and _purpose(one.choice) == purpose:
            counterparts.setdefault(id(one.choice), []).append(one.key)
    return bool(counterparts) and not any([set(keys) <= now for keys in counterparts.values()])


def _refuses(choice: ast.AST | None) -> bool:
    """Return whether a statement raises an exception where its condition holds, or where it does not."""
    return isinstance(choice, ast.If) and any([isinstance(one, ast.Raise) for one in (*choice.body, *choice.orelse)])


def _purpose(choice: ast.AST | None) -> str:
    """Return what depends on a condition."""
    if isinstance(choice, ast.IfExp):
        return ast.dump(choice.body) + ast.dump(choice.orelse)
    if isinstance(choice, (ast.If, ast.While)):
        return "".join(map(ast.dump, choice.body))
    return ""
