"""Reads ``@overload`` declarations: the combinations of parameter types that a function accepts."""

from __future__ import annotations

import ast
import typing
from typing import Any

from ..calling.subject import Parameter, Subject
from ..static.parameter_members import listed_parameters
from ..static.walking import Function, walk_statements
from ..values.dynamic import is_instance
from ..values.program_errors import PROGRAM_ERRORS
from ..values.shapes import ANY, AnyShape, ChoiceShape, Shape, union_of
from .annotations import shape_of_hint
from .objects.hosts import give_hosts
from .objects.leaving import rows_of_leaving


def overload_rows(subject: Subject, parameters: list[Parameter], newer: Subject) -> list[list[Shape]]:
    """Return the shapes of all parameters for each overload of the function, empty where it has none.

    A parameter that an overload leaves out keeps its default there. ``__exit__`` has one for each way it is called.
    """
    function = subject.anatomy.function
    if function is None:
        return []
    give_hosts(subject, parameters)
    leaving = rows_of_leaving(subject, parameters, newer)
    if leaving:
        return leaving
    scope = {**vars(typing), **subject.namespace}
    return [_row(node, parameters, scope) for node in _overloads(subject.anatomy.tree, function)]


def fill_in(parameters: list[Parameter], rows: list[list[Shape]]) -> None:
    """Give parameters without an annotation of their own the union of all overloads."""
    for index, parameter in enumerate(parameters):
        if rows and isinstance(parameter.shape, AnyShape):
            parameter.shape = union_of([row[index] for row in rows])


def _overloads(tree: ast.AST, function: Function) -> list[Function]:
    """Return the definitions of that name beside the function that are marked as overloads."""
    for node in walk_statements(tree):
        body: Any = getattr(node, "body", None)
        if is_instance(body, list) and function in body:
            same = [one for one in body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
            return [one for one in same if one is not function and one.name == function.name and _is_overload(one)]
    return []


def _is_overload(node: Function) -> bool:
    names = [getattr(one, "attr", getattr(one, "id", "")) for one in node.decorator_list]
    return "overload" in names


def _row(node: Function, parameters: list[Parameter], scope: dict[str, Any]) -> list[Shape]:
    listed = listed_parameters(node.args)
    hints = {one.arg: _shape(one.annotation, scope) for one in listed}
    return [hints.get(one.name) or _absent(one) for one in parameters]


def _absent(parameter: Parameter) -> Shape:
    if parameter.is_default_written:
        return ChoiceShape((parameter.default,))
    return ANY


def _shape(annotation: ast.expr | None, scope: dict[str, Any]) -> Shape:
    if annotation is None:
        return ANY
    try:
        hint = eval(ast.unparse(annotation), scope)  # noqa: S307 - the user's own annotation, inside the confined guest.
        hint = eval(hint, scope) if isinstance(hint, str) else hint  # noqa: S307 - as above.
    except PROGRAM_ERRORS:  # evaluating a user's annotation may raise anything.
        return ANY
    return shape_of_hint(hint)
