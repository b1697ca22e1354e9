"""Library functions that never return, such as ``flask.abort``: what calls them raises on purpose what they raise.

Their annotation says so: ``NoReturn``, or ``Never`` (PEP 484).
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

from ..values.class_lookup import package_of
from ..values.dynamic import is_python_function, type_of

_NAMES = ("NoReturn", "Never")


def is_raised_for(packages: AbstractSet[str], error: Any) -> bool:
    """Whether a function raised an exception that never returns, and that code of some packages has called.

    Args:
        packages: top-level names of modules.
        error: the exception.
    """
    trace, called = error.__traceback__, None
    while trace is not None:
        is_own = package_of(trace.tb_frame.f_globals) in packages
        trace = trace.tb_next
        called = trace if is_own else called
    return called is not None and _never_returns(called.tb_frame)


def _never_returns(frame: Any) -> bool:
    stated = getattr(_function_of(frame), "__annotations__", {}).get("return")
    return str(stated).rpartition(".")[2] in _NAMES


def _function_of(frame: Any) -> Any:
    """Return the function that a frame executes, of a module or of an object's class; None for any other."""
    code = frame.f_code
    instance = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
    held = [frame.f_globals, *[vars(base) for base in type_of(instance).__mro__]]
    named = [one.get(code.co_name) for one in held]
    return next((one for one in named if is_python_function(one) and one.__code__ is code), None)
