"""Find what a newer version of a function takes care of and an older one does not: conditions, handlers and defaults.

A *guard* is such a piece of code. It can be taken away, as if the newer version did not have it: what then happens on
an input shows what it is good for.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .walking import Function, has_star, name_of, walk_tree

CONDITION, TYPE_CONDITION, HANDLER, DEFAULT, CONVERSION = "condition", "type", "handler", "default", "conversion"
LENIENT = "lenient"
"""An expression that accepts what the one in its place in the older version refuses: ``discard`` for ``remove``."""
_ASKING_TYPES = frozenset("isinstance issubclass hasattr callable".split())
_CONVERSIONS = frozenset("str int float list tuple dict set bytes".split())
_IDENTITY = (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)
_STRICT_METHODS = {"discard": "remove", "find": "index", "rfind": "rindex"}
_LAST_ARGUMENTS = {("split", 2), ("rsplit", 2), ("decode", 2), ("encode", 2)}
"""Methods, with a number of arguments of which the last one lets them accept more."""
_LENIENT_KEYWORDS = frozenset("default errors exist_ok ignore_errors maxsplit missing_ok".split())
_SPLIT_BY = {"partition": "split", "rpartition": "rsplit"}
_COUNTING = frozenset(("Counter", "defaultdict"))
"""Dicts that have a value for each key."""
_ENDS = {"startswith": 0, "endswith": -1}
_ASKED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.NotEq: ast.Eq,
    ast.IsNot: ast.Is,
    ast.NotIn: ast.In,
    ast.Gt: ast.Lt,
    ast.GtE: ast.Lt,
    ast.LtE: ast.Lt,
}
"""An operator -> the one that asks the same, for the other answer or with the operands the other way round."""
_CHOICES = (ast.If, ast.While, ast.IfExp)


class Guard(NamedTuple):
    """A guard of a newer version, and one way to take it away."""

    place: int
    """Among the places of guards in its function, which are counted the same way in each copy of it."""
    way: int
    """Conditions are taken for true, or for false; a lenient expression for one of those that refuse more."""
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
    is_lenient = any([one.kind == LENIENT for one in ours])
    strict = frozenset([ast.dump(node) for node in walk_tree(older)] if is_lenient else [])
    for number, place in enumerate(ours):
        known = (place.kind, place.key)
        if now[known] <= before[known] or (place.kind == CONDITION and _is_reworded(place, ours, theirs)):
            continue
        ways = [0, 1] if place.kind in (CONDITION, TYPE_CONDITION) else [0]
        if place.kind == LENIENT:
            ways = [way for way, one in enumerate(_strict(place.node)) if _refusing(one) in strict]
        found += [Guard(number, way, place.kind, _refuses(place.choice)) for way in ways]
    return found


def without(function: Function, guard: Guard) -> None:
    """Take a guard away from a copy of its function."""
    place = _places_in(function)[guard.place]
    node = place.node
    if place.kind in (CONDITION, TYPE_CONDITION):
        place.put(ast.copy_location(ast.Constant(bool(guard.way)), node))
    elif place.kind == HANDLER and isinstance(node, ast.Call):
        place.put(ast.copy_location(ast.Call(node.func, [], []), node))
    elif place.kind == HANDLER:
        node.body.insert(0, ast.copy_location(ast.Raise(), node.body[0]))
    elif place.kind == CONVERSION:
        place.put(node.args[0])
    elif isinstance(node, ast.BoolOp):
        place.put(node.values[0])
    elif place.kind == LENIENT:
        place.put(ast.copy_location(_strict(node)[guard.way], node))
    else:
        place.put(ast.copy_location(_without_default(node), node))


def _without_default(call: Any) -> ast.AST:
    """Return ``d[k]`` for ``d.get(k)`` and ``getattr(x, n)`` for ``getattr(x, n, None)``."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "get":
        return ast.Subscript(call.func.value, call.args[0], ast.Load())
    return ast.Call(call.func, call.args[:-1], [])


def _strict(node: Any) -> list[ast.AST]:
    """Return what refuses more than a lenient expression or assignment does and is the same otherwise."""
    if isinstance(node, ast.Subscript):
        place = _only_place(node.slice)
        return [] if place is None else [_item(node.value, place)]
    if isinstance(node, ast.Assign):
        return _split(node.targets, node.value)
    if not isinstance(node, ast.Call) or not _is_plain(node):
        return []
    kept = [one for one in node.keywords if one.arg not in _LENIENT_KEYWORDS]
    if len(kept) < len(node.keywords):
        return [ast.Call(node.func, node.args, kept)]
    if name_of(node.func) in _COUNTING and not node.keywords:
        return [ast.Dict([], [])]
    return _strict_method(node.func, node.args) if isinstance(node.func, ast.Attribute) and not node.keywords else []


def _strict_method(function: ast.Attribute, given: list[ast.expr]) -> list[ast.AST]:
    """Return what refuses more than a call of a lenient method does."""
    owner, name = function.value, function.attr
    if name in _STRICT_METHODS:
        return [_call(owner, _STRICT_METHODS[name], given)]
    if name == "setdefault" and len(given) == 2:
        return [ast.Subscript(owner, given[0], ast.Load())]
    if name in _ENDS and len(given) == 1:
        return [ast.Compare(_item(owner, _ENDS[name]), [ast.Eq()], [given[0]])]
    return [_call(owner, name, given[:-1])] if (name, len(given)) in _LAST_ARGUMENTS else []


def _split(targets: list[ast.expr], value: ast.expr) -> list[ast.AST]:
    """Return ``key, value = line.split("=")`` for ``key, _, value = line.partition("=")``."""
    target = targets[0]
    if not (isinstance(target, ast.Tuple) and len(targets) == 1 and len(target.elts) == 3):
        return []
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and len(value.args) == 1):
        return []
    ends = ast.Tuple([target.elts[0], target.elts[2]], ast.Store())
    if value.func.attr not in _SPLIT_BY:
        return []
    method = _SPLIT_BY[value.func.attr]
    ways = [_call(value.func.value, method, [value.args[0], *more]) for more in ([], [ast.Constant(1)])]
    return [ast.Assign([ends], one) for one in ways]


def _call(owner: ast.expr, method: str, given: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Attribute(owner, method, ast.Load()), given, [])


def _only_place(part: ast.AST) -> int | None:
    """Return the place of the one item that a slice takes from either end: 0 for ``[:1]``, -1 for ``[-1:]``."""
    if not isinstance(part, ast.Slice) or part.step is not None:
        return None
    bounds = [None if one is None else ast.unparse(one) for one in (part.lower, part.upper)]
    if bounds in ([None, "1"], ["0", "1"]):
        return 0
    return -1 if bounds == ["-1", None] else None


def _item(owner: ast.expr, place: int) -> ast.Subscript:
    index: ast.expr = ast.Constant(abs(place))
    return ast.Subscript(owner, ast.UnaryOp(ast.USub(), index) if place < 0 else index, ast.Load())


def _refusing(strict: Any) -> str:
    """Return the text of the tree of what refuses something in a strict expression or assignment."""
    if isinstance(strict, ast.Compare):
        return ast.dump(strict.left)
    return ast.dump(strict.value if isinstance(strict, ast.Assign) else strict)


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
        yield _Place(kind, _question(node), owner, field, index, choice)


def _question(node: ast.AST) -> str:
    """Return what a condition asks: the same string for ``a in b`` and ``a not in b``, for ``a > b`` and ``a <= b``."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return ast.dump(node)
    operator, left, right = type(node.ops[0]), ast.dump(node.left), ast.dump(node.comparators[0])
    if operator in (ast.Gt, ast.LtE):
        left, right = right, left
    elif operator in (ast.Eq, ast.NotEq):
        left, right = sorted((left, right))
    return f"{_ASKED.get(operator, operator).__name__}({left}, {right})"


def _others(node: ast.AST, inside: dict[int, bool]) -> Iterator[_Place]:
    """Return the handlers, defaults and conversions that a node holds."""
    fields: list[tuple[str, Any]] = list(ast.iter_fields(node))
    for field, held in fields:
        children: list[Any] = [*held] if isinstance(held, list) else [held]
        for number, child in enumerate(children):
            index = number if isinstance(held, list) else -1
            kind = _kind_of(child, is_condition=id(child) in inside)
            if kind:
                caught = child.type if isinstance(child, ast.ExceptHandler) else child
                yield _Place(kind, "" if caught is None else ast.dump(caught), node, field, index)


def _kind_of(node: Any, *, is_condition: bool) -> str:
    """Return what kind of guard a node is; an empty string where it is none."""
    if isinstance(node, ast.BoolOp):
        return DEFAULT if isinstance(node.op, ast.Or) and not is_condition else ""
    is_call = isinstance(node, ast.Call)
    if isinstance(node, ast.ExceptHandler) or (is_call and node.args and name_of(node.func) == "suppress"):
        return HANDLER
    is_simple = is_call and not node.keywords and _is_plain(node)
    if is_simple and _has_default(node):
        return DEFAULT
    if is_simple and isinstance(node.func, ast.Name) and node.func.id in _CONVERSIONS and len(node.args) == 1:
        return CONVERSION
    return LENIENT if _strict(node) else ""


def _is_plain(call: ast.Call) -> bool:
    return not has_star(call.args)


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
