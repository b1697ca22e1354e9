"""Arguments that an example builds: calls of constructors and functions, and instances prepared by calls of methods."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

from lsp_evalplus.fuzz.guest.values.recipes.model import PREPARED
from lsp_evalplus.fuzz.source.scopes import dotted_name

from .values import is_argument, to_value_text

MOST_CALLS = 12
"""Maximum number of calls that prepare an instance."""
_UNSAFE = frozenset("open input eval exec compile print exit quit breakpoint __import__ globals locals vars".split())
"""Builtins whose results are no arguments."""
Receiver: TypeAlias = "tuple[ast.expr, list[ast.expr], list[ast.keyword]]"
"""An instance, and the arguments of a call of its method."""


def is_built(node: ast.AST) -> bool:
    """Whether an expression is an argument, or is made by calls of named functions with such arguments."""
    if is_argument(node) or is_prepared(node):
        return True
    match node:
        case ast.Tuple() | ast.List() | ast.Set():
            return all(map(is_built, node.elts))
        case ast.Dict():
            return all(key is not None and is_built(key) for key in node.keys) and all(map(is_built, node.values))
        case ast.Call():
            return is_building_call(node)
        case _:
            return False


def is_building_call(node: ast.AST) -> bool:
    """Whether it is a call, by its dotted name, of a function or a constructor with arguments that can be built."""
    if not isinstance(node, ast.Call) or dotted_name(node.func) is None:
        return False
    name = dotted_name(node.func) or "?"
    if name in _UNSAFE or not all(part.isidentifier() for part in name.split(".")):
        return False
    return all(map(is_built, node.args)) and all(keyword.arg and is_built(keyword.value) for keyword in node.keywords)


def is_prepared(node: ast.AST) -> bool:
    """Whether it is an instance with calls made on it: ``(it := C(), it.add(1), it)[-1]``."""
    return isinstance(node, ast.Subscript) and _steps(node) is not None


def to_built_text(node: ast.expr) -> str | None:
    """Return an expression that `is_built` as source; None for others."""
    if not is_built(node):
        return None
    return to_value_text(ast.unparse(node)) or ast.unparse(node)


def prepared(instance: ast.expr, call: ast.Call) -> ast.expr | None:
    """Return the instance after one more call of a method, ``x.add(1)``; None if that has no form as an argument."""
    function = call.func
    if not isinstance(function, ast.Attribute):
        return None
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    if not all(map(is_built, arguments)) or any(keyword.arg is None for keyword in call.keywords):
        return None
    steps = _steps(instance) or ([instance] if is_building_call(instance) else [])
    # A prepared instance is not part of the arguments of another one.
    if not steps or len(steps) > MOST_CALLS or any(":=" in ast.unparse(argument) for argument in arguments):
        return None
    own = ast.Name(PREPARED)
    named = ast.NamedExpr(own, steps[0])
    last = ast.Call(ast.Attribute(own, function.attr), call.args, call.keywords)
    found = ast.Subscript(ast.Tuple([named, *steps[1:], last, own]), ast.Constant(-1))
    return ast.parse(ast.unparse(found), mode="eval").body


def _steps(node: ast.AST) -> list[ast.expr] | None:
    """Return the instance and the calls of a prepared instance."""
    match node:
        case ast.Subscript(value=ast.Tuple(elts=[ast.NamedExpr(value=instance), *calls, ast.Name(id=name)])):
            return [instance, *calls] if name == PREPARED else None
        case _:
            return None


def receivers_of(node: ast.AST, method: str) -> Iterator[Receiver]:
    """Yield the instance and arguments with which an expression calls a method, also by syntax: ``x[0]``, ``x + y``,
    ``len(x)``, ``x.name`` of a property; only instances that the expression builds."""
    for instance, args, keywords in _called(node, method):
        if is_building_call(instance) or is_prepared(instance):
            yield instance, args, keywords


def _called(node: ast.AST, method: str) -> Iterator[Receiver]:
    match node:
        case ast.Call(func=ast.Attribute(value=instance, attr=name)) if name == method:
            yield instance, node.args, node.keywords
        case ast.Attribute(value=instance, attr=name) if name == method:
            yield instance, [], []
        case ast.Call(func=ast.Name(id=name), args=[instance], keywords=[]) if _BY_FUNCTION.get(name) == method:
            yield instance, [], []
        case ast.Call(func=instance) if method == "__call__":
            yield instance, node.args, node.keywords
        case ast.Subscript(value=instance, slice=index) if method == "__getitem__" and not isinstance(index, ast.Slice):
            yield instance, [index], []
        case ast.BinOp(left=left, op=operator, right=right):
            yield from _by_operator(method, _BINARY.get(type(operator), ""), left, right)
        case ast.UnaryOp(op=operator, operand=instance) if _UNARY.get(type(operator)) == method:
            yield instance, [], []
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]) if method == "__contains__":
            yield right, [left], []
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            yield from _by_operator(method, _COMPARISONS.get(type(operator), ""), left, right)
        case _:
            pass


def _by_operator(method: str, name: str, left: ast.expr, right: ast.expr) -> Iterator[Receiver]:
    if name and method == f"__{name}__":
        yield left, [right], []
    elif name and method == f"__r{name}__":
        yield right, [left], []


_BY_FUNCTION: Mapping[str, str] = MappingProxyType(
    {
        name: f"__{name}__"
        for name in "abs bool bytes complex float hash int iter len next repr reversed round str".split()
    }
    | {"list": "__iter__", "print": "__str__", "sorted": "__iter__", "tuple": "__iter__"}
)
"""Builtins and the special method that they call."""
_BINARY: Mapping[type, str] = MappingProxyType(
    {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod"}
    | {ast.Pow: "pow", ast.MatMult: "matmul", ast.LShift: "lshift", ast.RShift: "rshift"}
    | {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
)
_UNARY: Mapping[type, str] = MappingProxyType({ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"})
_COMPARISONS: Mapping[type, str] = MappingProxyType(
    {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
)
