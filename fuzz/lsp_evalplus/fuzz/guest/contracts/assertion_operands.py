"""Operand values of a failed ``assert``, read from the frame in which it failed.

Nothing of the program is run: only names, constants, items, arithmetic and a few built-in functions are evaluated, and
only where all values are plain builtins of a moderate size. Other parts of the condition are left out.
"""

from __future__ import annotations

import ast
import builtins
import linecache
import operator
from collections.abc import Iterator
from functools import lru_cache
from types import FrameType, TracebackType
from typing import Any, Callable

from ..values.program_errors import PROGRAM_ERRORS, innermost
from ..values.recipes.model import is_plain
from ..values.rendering import value_text

_MAXIMUM_SIZE = 1000
"""Larger values are not inspected."""
_MAXIMUM_BITS = 4000
_MAXIMUM_TEXT = 60
_MAXIMUM_PARTS = 4
_NUMBERS = (int, float, bool)
_CONTAINERS = (str, bytes, list, tuple, dict, set, frozenset)
_FUNCTIONS = frozenset({"abs", "frozenset", "len", "list", "max", "min", "round", "set", "sorted", "sum", "tuple"})
_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: operator.mod,
}


class _UnknownError(Exception):
    """The value of an expression cannot be determined without running the program."""


def describe_assert(error: BaseException) -> tuple[str, str] | None:
    """Return the condition of the ``assert`` that raised an exception, and its operands: ``len(r)=3, n=2``.

    None where another statement raised it, or the source code is not known.
    """
    trace = innermost(error)
    node = _failed_assert(trace) if trace is not None else None
    if trace is None or node is None:
        return None
    shown = dict[str, str]()
    for part in _parts(node.test):
        text = _shown(part, trace.tb_frame)
        if text is not None and len(shown) < _MAXIMUM_PARTS:
            shown.setdefault(ast.unparse(part), text)
    return f"assert {ast.unparse(node.test)}", ", ".join(f"{name}={text}" for name, text in shown.items())


def _failed_assert(trace: TracebackType) -> ast.Assert | None:
    source = "".join(linecache.getlines(trace.tb_frame.f_code.co_filename))
    found = [node for node in _asserts(source) if node.lineno <= trace.tb_lineno <= (node.end_lineno or node.lineno)]
    return found[0] if len(found) == 1 else None


@lru_cache(8)
def _asserts(source: str) -> tuple[ast.Assert, ...]:
    """Return every ``assert`` statement of a source code."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.Assert))


def _parts(test: ast.expr) -> Iterator[ast.expr]:
    """Yield the operands of a condition worth reporting: no constants; those inside of ``not`` and ``and``."""
    if isinstance(test, ast.Compare):
        yield from (part for part in (test.left, *test.comparators) if not isinstance(part, ast.Constant))
    elif isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _parts(value)
    elif isinstance(test, ast.UnaryOp):
        yield from _parts(test.operand)
    elif isinstance(test, ast.Call):
        yield from (argument for argument in test.args if isinstance(argument, ast.Name))
    elif not isinstance(test, ast.Constant):
        yield test


def _shown(part: ast.expr, frame: FrameType) -> str | None:
    try:
        value = _value(part, frame)
        return value_text(value, _MAXIMUM_TEXT) if _is_known(value) else None
    except PROGRAM_ERRORS:  # what fails now is not shown
        return None


def _value(node: ast.expr, frame: FrameType) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return _named(node.id, frame)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = _value(node.left, frame), _value(node.right, frame)
        if not (_is_number(left) and _is_number(right)):
            raise _UnknownError
        return _OPERATORS[type(node.op)](left, right)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        operand = _value(node.operand, frame)
        if not _is_number(operand):
            raise _UnknownError
        return -operand
    if isinstance(node, ast.Call):
        return _called(node, frame)
    if isinstance(node, ast.Subscript):
        value, index = _value(node.value, frame), _index(node.slice, frame)
        if not _is_known(value):
            raise _UnknownError
        return value[index]
    raise _UnknownError


def _index(node: ast.expr, frame: FrameType) -> Any:
    if isinstance(node, ast.Slice):
        return slice(*[None if one is None else _value(one, frame) for one in (node.lower, node.upper, node.step)])
    index = _value(node, frame)
    if not _is_known(index):
        raise _UnknownError
    return index


def _called(node: ast.Call, frame: FrameType) -> Any:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name not in _FUNCTIONS or node.keywords or _named(name, frame) is not getattr(builtins, name):
        raise _UnknownError
    arguments = [_value(argument, frame) for argument in node.args]
    is_size = name == "len" and [type(argument) in _CONTAINERS for argument in arguments] == [True]
    if not is_size and not all(_is_known(argument) for argument in arguments):
        raise _UnknownError
    return getattr(builtins, name)(*arguments)


def _named(name: str, frame: FrameType) -> Any:
    for scope in (frame.f_locals, frame.f_globals, vars(builtins)):
        if name in scope:
            return scope[name]
    raise _UnknownError


def _is_number(value: Any) -> bool:
    return type(value) in _NUMBERS and (type(value) is float or value.bit_length() <= _MAXIMUM_BITS)


def _is_known(value: Any) -> bool:
    """Return whether a value is a plain builtin that can be inspected quickly and without running code."""
    if type(value) in _CONTAINERS and len(value) > _MAXIMUM_SIZE:
        return False
    return value is None or _is_number(value) or (type(value) in _CONTAINERS and is_plain(value))
