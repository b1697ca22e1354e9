"""Options of a command line that an object of a library has for a function: the types of its parameters.

Commands of click, and of libraries that are built on it, list their parameters as objects with a name, a type and a
number of values.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from ...values.dynamic import is_class, type_of
from ...values.program_errors import PROGRAM_ERRORS
from ..hints import Bounds

_TYPES: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "text": str,
        "integer": int,
        "integer range": int,
        "float": float,
        "float range": float,
        "boolean": bool,
    }
)
"""Types of values by the names that the library gives them."""
_SEVERAL: Final = -1
"""Number of values of a parameter that takes any number of them."""
_OFTEN: Final = 3
"""How often an option that is counted is given, at most."""


def option_hints(command: Any) -> dict[str, Any]:
    """Return annotations of the parameters of a command, by name; none where it is no command, and none for parameters
    whose values a function of the program makes."""
    try:
        listed = list(command.params)
        found = {one.name: _hint_of(one) for one in listed if one.callback is None}
    except PROGRAM_ERRORS:
        return {}
    return {name: hint for name, hint in found.items() if type(name) is str and hint is not None}


def _hint_of(option: Any) -> Any:
    """Return the annotation of one option; None where its type is not known."""
    if getattr(option, "count", False):
        return typing.Annotated[int, Bounds(0, _OFTEN)]
    hint = _hint_of_type(option.type)
    if hint is None:
        return None
    if option.nargs == _SEVERAL or getattr(option, "multiple", False):
        return tuple[hint, ...]
    if option.nargs > 1 and not getattr(option.type, "types", None):
        return tuple[(hint,) * option.nargs]
    is_missing = not option.required and type_of(option.default).__name__ in ("NoneType", "Sentinel")
    return typing.Optional[hint] if is_missing and not getattr(option, "is_flag", False) else hint


def _hint_of_type(kind: Any) -> Any:
    parts = [_hint_of_type(one) for one in getattr(kind, "types", None) or ()]
    if parts:
        return None if None in parts else tuple[tuple(parts)]
    choices = getattr(kind, "choices", None)
    if choices:
        values = tuple(choices)
        return typing.Literal[values] if all([type(one) is str for one in values]) else None
    known = _TYPES.get(getattr(kind, "name", ""))
    bounds = [getattr(kind, name, None) for name in ("min", "max")]
    if known in (int, float) and any([one is not None for one in bounds]):
        return typing.Annotated[known, Bounds(*bounds)]
    if getattr(kind, "name", "") == "filename" and is_class(type_of(kind)) and hasattr(kind, "mode"):
        return typing.BinaryIO if "b" in kind.mode else typing.TextIO
    return known
