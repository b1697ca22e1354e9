"""Parameters of whose type code asks: of any type, as a type variable states it, or of a class with subclasses."""

from __future__ import annotations

import ast
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Final

from ...program.source_facts import nodes_of
from ...static.walking import Function, name_of
from ...values.dynamic import is_class, is_subclass
from ...values.shapes import INT, STR, DictShape, ListShape, Shape, is_nothing

_SEVERAL: Final[tuple[Shape, ...]] = (STR, ListShape(INT), DictShape(STR, INT))
"""Values beside the numbers that stand for a type variable."""
_EXAMINING: Final = frozenset(("isinstance", "type"))
_MOST_SUBCLASSES: Final = 3


def examined_types(
    function: Function | None, hints: Mapping[str, Any], shape_of: Callable[[Any], Shape]
) -> dict[str, Sequence[Shape]]:
    """Return what is tried besides for the parameters of whose type a function asks: values of several types where it
    may be any, ``isinstance(value, kind)``, and objects of subclasses of the class that is stated, ``type(event)``.

    Args:
        function: the definition.
        hints: its annotations, by parameter.
        shape_of: returns the shape of an annotation.
    """
    found: dict[str, Sequence[Shape]] = {}
    for name in _examined(function) if function is not None else ():
        hint = hints.get(name)
        if isinstance(hint, typing.TypeVar) and hint.__bound__ is None:
            found[name] = () if hint.__constraints__ else _SEVERAL
        kinds = _subclasses(hint.__bound__ if isinstance(hint, typing.TypeVar) else hint)
        made = [shape for shape in map(shape_of, kinds) if not is_nothing(shape)]
        if made:
            found[name] = made
    return found


def _subclasses(hint: Any) -> list[type]:
    """Return the first of the classes that derive from a class of a program; none where it is another type."""
    if not is_class(hint) or hint.__module__ == "builtins":
        return []
    return [one for one in type.__subclasses__(hint) if is_subclass(one, hint)][:_MOST_SUBCLASSES]


def _examined(function: Function) -> dict[str, None]:
    """Return the names of whose type a function asks."""
    nodes = [node for node in nodes_of(function) if isinstance(node, (ast.Call, ast.Attribute))]
    asked = [one.args[0] for one in nodes if isinstance(one, ast.Call) and name_of(one.func) in _EXAMINING and one.args]
    asked += [one.value for one in nodes if isinstance(one, ast.Attribute) and one.attr == "__class__"]
    return {one.id: None for one in asked if isinstance(one, ast.Name)}
