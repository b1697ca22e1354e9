"""Functions that an object of a library keeps, which stands for them: commands, tasks and flows.

A call of such an object does what the library does with a command line or a queue. The function is what was written.
"""

from __future__ import annotations

import types
from typing import Any, NamedTuple

from ..values.class_lookup import package_of
from ..values.dynamic import attributes_of, is_class, is_python_function, type_of

_MOST_LEVELS = 4
_OF_PYTHON = ("builtins", "functools")


class Kept(NamedTuple):
    """A function that an object keeps."""

    function: Any
    path: str
    """The attributes that lead from the object to the function."""


def kept_function(value: Any, name: str, module: types.ModuleType) -> Kept | None:
    """Return the function of a name that an object keeps which stands for it in a module; None where the object is of
    the module's own package, or a function itself."""
    kind = type_of(value)
    home = str(getattr(kind, "__module__", "")).partition(".")[0]
    if is_class(value) or is_python_function(value) or home in (*_OF_PYTHON, package_of(vars(module))):
        return None
    for attribute, one in (attributes_of(value) or {}).items():
        found, path = one, attribute
        for _ in range(_MOST_LEVELS):
            if not is_python_function(found):
                break
            code = found.__code__
            if code.co_name == name and code.co_filename == module.__file__:
                return Kept(found, path)
            found, path = found.__dict__.get("__wrapped__"), f"{path}.__wrapped__"
    return None
