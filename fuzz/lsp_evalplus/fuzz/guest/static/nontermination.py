"""Proves nontermination of some calls, or that they exceed any time limit that a call may have.

A looping program costs its whole time limit. Some loops, the commonest of wrong and of naive programs, show soon
that they will not end: a ``while`` that returns to an earlier state, and a recursion that does the same
work over and over, whose calls can be counted without making all of them. A copy of the program is run on the same
arguments with both watched. That is a proof only if every run of the program is the same; so nothing is proven of a
program whose source does not show it: one that is not pure (`purity`), or that keeps, catches or shares anything.

The comparison of states is Brent's cycle detection (BIT 20, 1980); the counting is memoisation (Michie, Nature 218,
1968) that adds up what it saves.
"""

from __future__ import annotations

import ast
import math
import sys
from typing import Any, Callable

from ..values.plain import type_of
from ..values.source_text import UNNAMED, without_mark
from .purity import defaults_of, is_harmless
from .walking import is_constant_alone, walk_tree

LONGEST = 20_000
"""Maximum length, in characters, of a program that is analysed."""
CALLS_A_SECOND = 100_000_000
"""An upper bound of the calls that CPython makes in a second."""
_MOST_NODES = 300
"""Maximum number of values in a compared state: larger ones take too long."""
_NAME = "__watch_"
"""Prefix of names added to the copy; a pure program has no such name."""


class _ProvenError(BaseException):
    """The call is proven never to end."""


class _UndecidedError(BaseException):
    """Nothing can be proven."""


def ends(source: str, name: str, args: tuple[Any, ...], seconds: float, frames: int) -> bool | None:
    """Return whether a call of a function of a program ends.

    Runs the program until the question is decided; the caller has to interrupt it.

    Args:
        args: plain data, which the copy may change.
        frames: Python frames below the call.

    Returns:
        False: it certainly does not return within `seconds` of processor time; with infinitely many seconds, it
        returns to an earlier state. True: it returns eventually. None: neither is known.
    """
    if len(source) > LONGEST:
        return None
    try:
        tree = ast.parse(without_mark(source))
        if not _is_repeatable(tree):
            return None
        watch = _Watch(seconds, sys.getrecursionlimit() - frames, _frames_of_a_call(tree))
        namespace: dict[str, Any] = {"__name__": UNNAMED, **watch.names}
        exec(compile(_watched(tree), "<copy>", "exec", dont_inherit=True), namespace)  # noqa: S102 - confined, like it
        namespace[name](*args)
    except _ProvenError:
        return False
    except (_UndecidedError, Exception):  # noqa: BLE001 - too deep for the copy, perhaps
        return None
    return True


_ALONE = (ast.FunctionDef, ast.Import, ast.ImportFrom, ast.Pass)
_KEEPING = (ast.Global, ast.Nonlocal, ast.Try, ast.Yield, ast.YieldFrom, ast.Delete)
_CHANGING = frozenset({"datetime", "decimal", "hashlib"})
"""Modules whose functions read the clock or keep state."""
_COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)


def _is_repeatable(tree: ast.Module) -> bool:
    """Return whether calls of the program's functions depend on their arguments alone and change nothing else."""
    if not is_harmless(tree):
        return False
    bound: list[str] = []
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            bound.append(statement.name)
        elif isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            bound += [target.id if isinstance(target, ast.Name) else "" for target in statement.targets]
        elif not isinstance(statement, _ALONE) and not is_constant_alone(statement):
            return False
    if len(bound) != len(set(bound)) or "" in bound:
        return False
    return all(map(_is_repeatable_node, walk_tree(tree)))


def _is_repeatable_node(node: ast.AST) -> bool:
    if isinstance(node, _KEEPING):
        return False
    if isinstance(node, (ast.FunctionDef, ast.Lambda)):
        decorated = isinstance(node, ast.FunctionDef) and bool(node.decorator_list)
        return not decorated and all(map(_is_constant, defaults_of(node.args)))
    if isinstance(node, ast.Import):
        return not any(item.name in _CHANGING for item in node.names)
    if isinstance(node, ast.ImportFrom):
        return node.module not in _CHANGING
    if isinstance(node, ast.Compare) and any(isinstance(kind, (ast.Is, ast.IsNot)) for kind in node.ops):
        # The identity of equal numbers and strings is no part of a state.
        return all(isinstance(side, ast.Constant) and type(side.value) in _SINGLE for side in node.comparators)
    return True


_SINGLE = (bool, type(None))


def _is_constant(value: ast.expr) -> bool:
    """Return whether an expression is a number, perhaps signed, or a string."""
    return isinstance(value.operand if isinstance(value, ast.UnaryOp) else value, ast.Constant)


def _frames_of_a_call(tree: ast.Module) -> int | None:
    """Return the maximum number of frames that a call of a function adds to those of its caller.

    None where functions are called that are not counted, or counted ones by others: their depth is not known.
    """
    names = {statement.name for statement in tree.body if isinstance(statement, ast.FunctionDef)}
    nodes = walk_tree(tree)
    called = [node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    named = [node.id for node in nodes if isinstance(node, ast.Name)]
    functions = sum(isinstance(node, (ast.FunctionDef, ast.Lambda)) for node in nodes)
    if functions > len(names) or any(named.count(name) != called.count(name) for name in names):
        return None
    # One for a comprehension, one for the built-in function that iterates it.
    return 1 + 2 * sum(isinstance(node, _COMPREHENSIONS) for node in nodes)


def _watched(tree: ast.Module) -> ast.Module:
    """Return the program with its functions counted and its loops watched."""
    changed: ast.Module = _Watcher().visit(tree)
    for statement in changed.body:
        if isinstance(statement, ast.FunctionDef):
            statement.decorator_list = [ast.Name(_NAME + "calls", ast.Load())]
    return ast.fix_missing_locations(changed)


class _Watcher(ast.NodeTransformer):
    """Gives each execution of a loop an object that sees the state at the start of each iteration."""

    def __init__(self) -> None:
        self._loops = 0

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        self.generic_visit(node)
        self._loops += 1
        name = f"{_NAME}{self._loops}"
        begin, look = ast.parse(f"{name} = {_NAME}loop({_unread_in(node)})\n{name}.look({_NAME}locals())").body
        node.body.insert(0, look)
        return [begin, node]


def _unread_in(loop: ast.While) -> list[str]:
    """Return variables that a loop only adds to, counters and lists that it fills: its end does not depend on them."""
    added: dict[str, int] = {}
    for node in walk_tree(loop):
        target = _added_to(node)
        if isinstance(target, ast.Name):
            added[target.id] = added.get(target.id, 0) + 1
    named = [node.id for node in walk_tree(loop) if isinstance(node, ast.Name)]
    return [name for name, count in added.items() if named.count(name) == count]


def _added_to(node: ast.AST) -> ast.expr | None:
    """Return the target that a statement adds to, if it does nothing else."""
    if isinstance(node, ast.AugAssign):
        return node.target if isinstance(node.op, (ast.Add, ast.Sub)) else None
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        function = node.value.func
        return function.value if isinstance(function, ast.Attribute) and function.attr == "append" else None
    return None


class _Watch:
    """Run-time hooks of the copy, during one call of it.

    Args:
        frames: that may be added before Python raises `RecursionError`.
        frames_of_a_call: how many one call adds; None: nothing is counted.
    """

    def __init__(self, seconds: float, frames: int, frames_of_a_call: int | None) -> None:
        self.names = {
            _NAME + "calls": self._counted,
            _NAME + "loop": _Loop,
            _NAME + "locals": locals,
        }
        self._most_calls = seconds * CALLS_A_SECOND
        self._calls = 0
        self._depth = 0
        self._height = 0
        """Maximum nesting of the calls made so far in the call under way."""
        self._deepest = None if frames_of_a_call is None else frames // frames_of_a_call - 10

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the function: it runs once only for the same arguments where none of them can be changed."""
        deepest = self._deepest
        if deepest is None:
            return function
        known: dict[Any, tuple[Any, int, int]] = {}

        def call(*args: Any, **kwargs: Any) -> Any:
            kinds = tuple(map(type_of, args))
            key = None if kwargs or not _KEYS.issuperset(kinds) else (args, kinds)
            found = known.get(key) if key is not None else None
            if found is not None:
                value, calls, height = found
                self._count(calls, height, deepest)
                return value
            before, outer = self._calls, self._height
            self._count(1, 1, deepest)
            self._height = 0
            self._depth += 1
            value = function(*args, **kwargs)
            self._depth -= 1
            height = self._height + 1
            self._height = max(outer, height)
            if key is not None and type_of(value) in _RESULTS:
                known[key] = (value, self._calls - before, height)
            return value

        return call

    def _count(self, calls: int, height: int, deepest: int) -> None:
        """Count calls that are made, or would be made, and the depth that they reach.

        The recursion that is counted but not made must not be one that Python would have refused.
        """
        self._calls += calls
        self._height = max(self._height, height)
        if self._depth + height > deepest:
            raise _UndecidedError
        if self._calls > self._most_calls:
            raise _ProvenError


_KEYS = frozenset((int, bool, str, bytes, type(None)))
_RESULTS = _KEYS | {float}


class _Loop:
    """Watches one execution of a loop, and remembers one of its states.

    Args:
        unread: variables that it adds to and does not read.
    """

    def __init__(self, unread: list[str]) -> None:
        self._unread = unread
        self._remembered: Any = None
        self._rounds = 0
        self._next = 1
        self._is_blind = False

    def look(self, variables: dict[str, Any]) -> None:
        """Record an iteration that starts with these local variables, on whose contents alone the rest depends."""
        if self._is_blind:
            return
        unread = [variables.pop(name) for name in self._unread if name in variables]
        picture = _State()
        try:
            state = picture.take([(name, value) for name, value in variables.items() if not name.startswith(_NAME)])
            picture.leave_out(unread)
        except _UndecidedError:
            self._is_blind = True
            return
        if state == self._remembered:
            raise _ProvenError
        self._rounds += 1
        if self._rounds == self._next:
            self._remembered = state
            self._next *= 2


class _State:
    """A snapshot of plain values, equal to another one only if nothing can distinguish their originals."""

    def __init__(self) -> None:
        self._left = _MOST_NODES
        self._seen: dict[int, int] = {}

    def take(self, value: Any) -> Any:
        """Return the snapshot: types, values, and object identity of containers. Raises `_UndecidedError`."""
        self._left -= 1
        kind = type_of(value)
        if self._left < 0:
            raise _UndecidedError
        if kind in _KEYS:
            return kind, value
        if kind is float and not math.isnan(value):
            return kind, value.hex()
        if kind is tuple:
            return kind, [self.take(item) for item in value]
        if kind is not list and kind is not dict:
            raise _UndecidedError  # Iterators, functions; and sets, whose order has a history.
        number = self._seen.get(id(value))
        if number is not None:
            return "again", number
        self._seen[id(value)] = len(self._seen)
        return kind, [self.take(item) for item in (value if kind is list else value.items())]

    def leave_out(self, values: list[Any]) -> None:
        """These need not be in the picture: numbers, and lists that nothing in it holds. Else `_UndecidedError`."""
        for value in values:
            kind = type_of(value)
            if kind is not int and kind is not float and (kind is not list or id(value) in self._seen):
                raise _UndecidedError
