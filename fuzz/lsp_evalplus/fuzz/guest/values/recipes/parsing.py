"""Parses recipes from Python source; nothing in it is executed."""

from __future__ import annotations

import ast
from typing import Any

from ..carved import CARVED
from .model import (
    ALWAYS,
    ASSIGNMENT,
    CALLABLES,
    ITEM,
    NEGATIVE,
    READING,
    RETURNED,
    Name,
    New,
    Prepared,
    RecipeError,
    has_operator,
)

_NOT_IN_LAMBDAS = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
_AS_METHODS = {"setattr": (ASSIGNMENT, 3), "getattr": (READING, 2)}
"""Methods of an instance that are written as calls of functions, with the number of arguments of these."""
_FILLING = ("append", "add", "__setitem__")


def from_text(text: str) -> Any:
    """Parse a recipe. Nothing is executed: only known syntax nodes are accepted.

    Raises `RecipeError` when it is not an expression of literals, constructor calls and dotted names.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise RecipeError(f"not an expression: {error}") from None
    try:
        return from_node(tree.body)
    except (RecursionError, TypeError, OverflowError) as error:
        raise RecipeError(f"not a value: {error}") from None


def from_node(node: ast.AST) -> Any:
    """The recipe of one expression node; see `from_text`."""
    if isinstance(node, ast.Constant):
        if node.value is Ellipsis:
            raise RecipeError("an ellipsis is no value")
        return node.value
    if isinstance(node, ast.Tuple):
        return tuple([from_node(e) for e in node.elts])
    if isinstance(node, ast.List):
        return [from_node(e) for e in node.elts]
    if isinstance(node, ast.Set):
        return {from_node(e) for e in node.elts}
    if isinstance(node, ast.Dict):
        return _dict_recipe(node)
    if isinstance(node, ast.UnaryOp):
        return _signed(node)
    if isinstance(node, ast.BinOp):
        return _binary(node)
    if isinstance(node, ast.Call):
        return _call_recipe(node)
    if isinstance(node, ast.Subscript):
        return _prepared_recipe(node) if isinstance(node.value, ast.Tuple) else _item_recipe(node)
    if isinstance(node, ast.Lambda):
        return _lambda_recipe(node)
    return Name(dotted_name(node))


def _lambda_recipe(node: ast.Lambda) -> Any:
    text = ast.unparse(node)
    used = {part.id for part in ast.walk(node.body) if isinstance(part, ast.Name)}
    if text.startswith(ALWAYS) and not used & {"args", "kwargs"}:
        return New(ALWAYS, (from_node(node.body),))
    if not is_self_contained(node):
        raise RecipeError("a function that uses what is outside of it is no value")
    return Name(text)


def is_self_contained(function: ast.Lambda) -> bool:
    """Whether a lambda uses nothing but its parameters and harmless builtins, so that it means the same everywhere."""
    parts = list(ast.walk(function))
    own = {part.arg for part in parts if isinstance(part, ast.arg)}
    used = {part.id for part in parts if isinstance(part, ast.Name)}
    return used <= own | CALLABLES and not any([isinstance(part, _NOT_IN_LAMBDAS) for part in parts])


def _dict_recipe(node: ast.Dict) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values):
        if key is None:
            raise RecipeError("a dict display with ** is no literal")
        found[from_node(key)] = from_node(value)
    return found


def _signed(node: ast.UnaryOp) -> Any:
    value = from_node(node.operand)
    if isinstance(node.op, ast.USub) and type(value) is Name:
        return New(NEGATIVE, (value,))
    if type(value) not in (int, float, complex, bool):
        raise RecipeError("a sign needs a number")
    if isinstance(node.op, ast.USub):
        return -value
    if isinstance(node.op, ast.UAdd):
        return +value
    raise RecipeError("only signs may stand before a number")


def _binary(node: ast.BinOp) -> Any:
    """Constant arithmetic of small cost: ``2**63``, ``10**9 + 7``, ``1 + 2j``, ``'a' * 100``, ``[0] * 3``."""
    left, right = from_node(node.left), from_node(node.right)
    numbers = (int, float, complex)
    if (
        isinstance(node.op, ast.Mult)
        and type(left) in (str, bytes, list, tuple)
        and type(right) is int
        and 0 <= right <= 100000
    ):
        return left * right
    if type(left) not in numbers or type(right) not in numbers:
        raise RecipeError("only constants of numbers can be folded")
    if isinstance(node.op, ast.Add):
        return left + right
    if isinstance(node.op, ast.Sub):
        return left - right
    if isinstance(node.op, ast.Mult):
        return left * right
    if isinstance(node.op, ast.Pow) and type(right) is int and 0 <= right <= 1024 and abs(left) <= 1 << 64:
        return left**right
    raise RecipeError("only constants of numbers can be folded")


def _call_recipe(node: ast.Call) -> Any:
    name = dotted_name(node.func)
    if name == CARVED:
        return Name(ast.unparse(node))
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        raise RecipeError("a call with * or ** is no literal")
    args = tuple([from_node(a) for a in node.args])
    kwargs = {str(k.arg): from_node(k.value) for k in node.keywords}
    if name == "float" and len(args) == 1 and type(args[0]) in (str, int, float):
        try:
            return float(args[0])
        except ValueError:
            raise RecipeError(f"float() of {args[0]!r}") from None
    if name in ("set", "frozenset", "tuple", "list") and len(args) <= 1 and not kwargs:
        empty: list[Any] = []
        inner = args[0] if args else empty
        if type(inner) in (list, tuple, set, str):
            return {"set": set, "frozenset": frozenset, "tuple": tuple, "list": list}[name](inner)
    return New(name, args, kwargs)


def _item_recipe(node: ast.Subscript) -> New:
    """The recipe of a type with parameters, ``dict[str, int]``; no other items are values."""
    found = New(ITEM, (from_node(node.value), from_node(node.slice)))
    if not has_operator(found):
        raise RecipeError("an item of a value is no value")
    return found


def _prepared_recipe(node: ast.Subscript) -> Prepared:
    """The recipe of ``(it := C(2), it.put(1, 1), it)[-1]``."""
    steps = node.value.elts if isinstance(node.value, ast.Tuple) else []
    if len(steps) < 3 or not isinstance(steps[0], ast.NamedExpr) or ast.unparse(node.slice) != "-1":
        raise RecipeError("an item of a value is no value")
    name = steps[0].target.id
    instance, calls = from_node(steps[0].value), [_step(step) for step in steps[1:-1]]
    if dotted_name(steps[-1]) != name or not all([type(one) is New for one in (instance, *calls)]):
        raise RecipeError("only an instance can be prepared, by calls")
    calls = [_as_assignment(call, name) for call in calls]
    methods = [call.name.partition(".") for call in calls]
    if not all([owner == name and _prepares(method) for owner, _, method in methods]):
        raise RecipeError("only calls of its own methods prepare an instance")
    return Prepared(instance, tuple([New(m[2], call.args, call.kwargs) for m, call in zip(methods, calls)]))


def _step(node: ast.expr) -> Any:
    """The recipe of a call that prepares an instance, also of a function that a method returns."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Call):
        return from_node(node)
    made = from_node(node.func)
    if type(made) is not New or len(node.args) != 1 or node.keywords:
        raise RecipeError("only calls of its own methods prepare an instance")
    return New(made.name + RETURNED, (*made.args, from_node(node.args[0])), made.kwargs)


def _as_assignment(call: New, name: str) -> New:
    """The call ``setattr(it, 'a', 1)`` or ``getattr(it, 'a')`` as one of a method of the instance."""
    method, count = _AS_METHODS.get(call.name, ("", 0))
    is_one = bool(method) and len(call.args) == count and repr(call.args[0]) == name
    return New(f"{name}.{method}", call.args[1:]) if is_one else call


def _prepares(method: str) -> bool:
    """Whether a name is that of a method, or of one that fills an attribute."""
    attribute, dot, filling = (method[: -len(RETURNED)] if method.endswith(RETURNED) else method).partition(".")
    return attribute.isidentifier() and (filling in _FILLING if dot else True)


def dotted_name(node: ast.AST) -> str:
    """``a.b.c`` of a name or attribute node. Raises `RecipeError` for any other node."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return dotted_name(node.value) + "." + node.attr
    raise RecipeError("only literals, constructor calls and dotted names are values")
