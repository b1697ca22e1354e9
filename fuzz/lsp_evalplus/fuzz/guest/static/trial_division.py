"""Loops that divide by one number after the other, and loops over very many numbers: what they do without doing it all.

Nothing happens in a round of a trial division whose number is no divisor, so that a copy of the program can go on from
divisor to divisor and add up the rounds it has left out. A loop over more numbers than can be counted in the time of a
call, with no way out of it, need not be begun.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable
from typing import Any, Callable, NamedTuple

from ..values.plain import type_of
from .divisors import LARGEST, divisors_of, next_divisor

_FEW = 1_000
"""Rounds that are done rather than left out."""
_DIVISION = 2
"""A round that divides takes at least as long as so many that do nothing."""
_BUILTINS = frozenset({"all", "any", "range"})
_PURE = frozenset({"abs", "ceil", "floor", "int", "isqrt", "len", "round", "sqrt"})


class Search(NamedTuple):
    """A ``while`` loop whose rounds do nothing but count up, as long as `number` is no multiple of `counter`."""

    number: str
    counter: str
    step: int
    goes_on: ast.Lambda | None
    """Whether the loop goes on, by the counter; None if that does not depend on it."""


def may_be_shortened(tree: ast.Module) -> bool:
    """Whether the built-in functions that make a loop known are what they are called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and node.id in _BUILTINS:
            return False
        if isinstance(node, ast.arg) and node.arg in _BUILTINS:
            return False
        if isinstance(node, ast.FunctionDef) and node.name in _BUILTINS:
            return False
        if isinstance(node, ast.alias) and (node.asname or node.name) in _BUILTINS:
            return False
    return True


def find_divided(loop: ast.For) -> str | None:
    """The variable that a ``for`` loop divides by one number after the other, if it does nothing else."""
    if not isinstance(loop.target, ast.Name) or not _is_range(loop.iter) or len(loop.body) != 1:
        return None
    [only] = loop.body
    if not isinstance(only, ast.If) or only.orelse:
        return None
    number = _divided_by(loop.target.id, only.test)
    return None if number is None or _stores(only.body, {number, loop.target.id}) else number


def find_divided_inside(parts: list[ast.comprehension], elements: Iterable[ast.expr]) -> str | None:
    """The same of a comprehension that looks at nothing but divisors: of its condition, or of its only value."""
    if len(parts) != 1 or not isinstance(parts[0].target, ast.Name) or not _is_range(parts[0].iter):
        return None
    conditions = parts[0].ifs or list(elements)
    return _divided_by(parts[0].target.id, conditions[0]) if len(conditions) == 1 else None


def find_divided_by_all(call: ast.Call) -> str | None:
    """The same of ``any(n % i == 0 for i in range(2, n))`` and ``all(n % i for i in range(2, n))``."""
    if not isinstance(call.func, ast.Name) or len(call.args) != 1 or call.keywords:
        return None
    values = call.args[0]
    if not isinstance(values, ast.GeneratorExp) or values.generators[0].ifs:
        return None
    if call.func.id == "any":
        return find_divided_inside(values.generators, [values.elt])
    if call.func.id == "all":
        return find_divided_inside(values.generators, [_opposite(values.elt)])
    return None


def find_search(loop: ast.While) -> Search | None:
    """What a ``while`` loop searches, if it is a trial division."""
    first = loop.body[0]
    if isinstance(first, ast.If) and len(loop.body) == 1 and len(first.orelse) == 1:
        last = first.orelse[0]
    elif isinstance(first, (ast.If, ast.While)) and len(loop.body) == 2 and not first.orelse:
        last = loop.body[1]
    else:
        return None
    counted = _counted_up(last)
    if counted is None:
        return None
    counter, step = counted
    number = _divided_by(counter, first.test)
    if number is None or not _is_monotone(loop.test, counter) or not _is_pure(loop.test):
        return None
    if counter not in _names_in(loop.test):
        return Search(number, counter, step, None)
    parameters = ast.arguments(
        posonlyargs=[], args=[ast.arg(counter)], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]
    )
    return Search(number, counter, step, ast.Lambda(parameters, copy.deepcopy(loop.test)))


def has_no_way_out(loop: ast.For) -> bool:
    """Whether a loop over a range makes all its rounds, unless it raises something."""
    leaving = (ast.Return, ast.Break, ast.Raise, ast.Assert, ast.While)
    return _is_range(loop.iter) and not any(isinstance(node, leaving) for node in ast.walk(loop))


def _is_range(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "range":
        return False
    return not any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node))


def _divided_by(counter: str, test: ast.expr) -> str | None:
    """The variable of which a condition says that it is a multiple of `counter`: ``n % i == 0``, ``not n % i``."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        rest = test.operand
    elif isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
        sides = [test.left, test.comparators[0]]
        zeros = [isinstance(side, ast.Constant) and type(side.value) is int and side.value == 0 for side in sides]
        if zeros.count(True) != 1:
            return None
        rest = sides[zeros.index(False)]
    else:
        return None
    if not isinstance(rest, ast.BinOp) or not isinstance(rest.op, ast.Mod):
        return None
    number, divisor = rest.left, rest.right
    if not isinstance(number, ast.Name) or not isinstance(divisor, ast.Name):
        return None
    return number.id if divisor.id == counter and number.id != counter else None


def _opposite(test: ast.expr) -> ast.expr:
    """A condition that is met where this one is not, if it is ``n % i``, ``n % i != 0`` or ``n % i > 0``."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        is_above = isinstance(test.ops[0], ast.Gt) and isinstance(test.comparators[0], ast.Constant)
        if is_above or isinstance(test.ops[0], ast.NotEq):
            return ast.Compare(test.left, [ast.Eq()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


def _counted_up(statement: ast.stmt) -> tuple[str, int] | None:
    """The variable to which a statement adds a positive number, and the number."""
    if isinstance(statement, ast.AugAssign):
        target, kind, added = statement.target, statement.op, statement.value
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.value, ast.BinOp):
        target, kind, added = statement.targets[0], statement.value.op, statement.value.right
        left = statement.value.left
        if not isinstance(left, ast.Name) or not isinstance(target, ast.Name) or left.id != target.id:
            return None
    else:
        return None
    if not isinstance(target, ast.Name) or not isinstance(kind, ast.Add) or not isinstance(added, ast.Constant):
        return None
    step = added.value
    return (target.id, step) if type(step) is int and step > 0 else None


def _is_monotone(test: ast.expr, counter: str) -> bool:
    """Whether a condition that is not met any more is not met again while nothing but the counter grows."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return all(_is_monotone(part, counter) for part in test.values)
    if counter not in _names_in(test):
        return True
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    [kind], low, high = test.ops, test.left, test.comparators[0]
    if isinstance(kind, (ast.Gt, ast.GtE)):
        low, high = high, low
    elif not isinstance(kind, (ast.Lt, ast.LtE)):
        return False
    return counter not in _names_in(high) and _grows_with(low, counter)


def _is_pure(test: ast.expr) -> bool:
    """Whether a condition only looks at its variables, so that it makes no difference how often it is asked."""
    for node in ast.walk(test):
        if isinstance(node, ast.NamedExpr):
            return False
        if isinstance(node, ast.Call):
            function = node.func
            name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
            if name not in _PURE:
                return False
    return True


def _grows_with(value: ast.expr, counter: str) -> bool:
    """Whether it is the counter or its square."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Pow):
        square = isinstance(value.right, ast.Constant) and type(value.right.value) is int and value.right.value == 2
        return square and _is_named(value.left, counter)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        return _is_named(value.left, counter) and _is_named(value.right, counter)
    return _is_named(value, counter)


def _is_named(value: ast.expr, name: str) -> bool:
    return isinstance(value, ast.Name) and value.id == name


def _names_in(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _stores(statements: list[ast.stmt], names: set[str]) -> bool:
    """Whether any of the names gets another value, or may get one."""
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and node.id in names:
                return True
            if isinstance(node, (ast.FunctionDef, ast.Lambda)):
                return True
    return False


class Shortcuts:
    """What the copy calls in place of its loops.

    Args:
        add_rounds: is told how many rounds that do nothing take the time of what was left out.
    """

    def __init__(self, add_rounds: Callable[[int], None]) -> None:
        self._add_rounds = add_rounds
        self._known: dict[int, list[int]] = {}

    def of_range(self, number: Any, span: Any) -> Any:
        """Of the numbers that a loop divides by, those in whose rounds something may happen, and the last one."""
        if type_of(span) is not range or len(span) < _FEW or span.step < 1 or span.start < 1 or not _is_known(number):
            return span
        return self._leap(self._divisors(number), span)

    def _leap(self, divisors: list[int], span: range) -> Any:
        done = 0
        for divisor in divisors:
            if divisor in span:
                place = span.index(divisor)
                self._add_rounds((place - done) * _DIVISION)
                done = place + 1
                yield divisor
        if done < len(span):
            self._add_rounds((len(span) - 1 - done) * _DIVISION)
            yield span[-1]

    def of_search(self, number: Any, counter: Any, step: int, goes_on: Callable[[int], bool] | None) -> Any:
        """The counter of the next round of a search in which something happens, or of its last one."""
        if type_of(counter) is not int or counter < 1 or not _is_known(number):
            return counter
        divisor = next_divisor(self._divisors(number), counter, step)
        rounds = None if divisor is None else (divisor - counter) // step
        if goes_on is not None:
            rounds = _last_round(lambda count: goes_on(counter + count * step), rounds)
        if rounds is None:
            # It counts up, and comes to no divisor and to no end.
            self._add_rounds(1 << 80)
            return counter
        self._add_rounds(rounds * _DIVISION)
        return counter + rounds * step

    def of_all(self, span: Any) -> Any:
        """What a loop that makes all its rounds goes through: too many rounds need not be begun."""
        if type_of(span) is range and span and span[-1] - span[0] > _FEW * _FEW:
            self._add_rounds((span[-1] - span[0]) // span.step)
        return span

    def _divisors(self, number: int) -> list[int]:
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = divisors_of(abs(number))
        return known


def _is_known(number: Any) -> bool:
    return type_of(number) is int and 0 < abs(number) <= LARGEST


def _last_round(goes_on: Callable[[int], bool], most: int | None) -> int:
    """The last of the rounds, at most so many from now, at whose beginning the loop went on; it does in this one."""
    if most is not None and goes_on(most):
        return most
    last, over = 0, 1
    while over != most and goes_on(over):
        last, over = over, 2 * over if most is None else min(2 * over, most)
    while over - last > 1:
        middle = (last + over) // 2
        if goes_on(middle):
            last = middle
        else:
            over = middle
    return last
