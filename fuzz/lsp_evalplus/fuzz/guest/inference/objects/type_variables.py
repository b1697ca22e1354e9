"""Parameters of any type, as a type variable states it, of whose type code asks."""

from __future__ import annotations

import ast
import typing
from collections.abc import Mapping
from typing import Any, Final

from ...program.source_facts import nodes_of
from ...static.walking import Function, name_of
from ...values.shapes import INT, STR, DictShape, ListShape, Shape

SEVERAL: Final[tuple[Shape, ...]] = (STR, ListShape(INT), DictShape(STR, INT))
"""Values beside the numbers that stand for a type variable."""
_EXAMINING: Final = frozenset(("isinstance", "type"))


def examined_variables(function: Function | None, hints: Mapping[str, Any]) -> set[str]:
    """Return the parameters that may be of any type, and of whose type a function asks: ``isinstance(value, kind)``.

    Args:
        function: the definition.
        hints: its annotations, by parameter.
    """
    names = {name for name, hint in hints.items() if isinstance(hint, typing.TypeVar) and _is_free(hint)}
    found: set[str] = set()
    for node in nodes_of(function) if function is not None and names else ():
        if isinstance(node, ast.Call) and name_of(node.func) in _EXAMINING and node.args:
            found.update({name_of(node.args[0])} & names if isinstance(node.args[0], ast.Name) else ())
    return found


def _is_free(variable: typing.TypeVar) -> bool:
    return variable.__bound__ is None and not variable.__constraints__
