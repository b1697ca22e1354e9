"""Which methods of a class may be called to bring an instance into another state."""

# Values under test have no static type: what is read out of them stays unknown.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import inspect
import types
from typing import Any

_WORLDLY_MODULES = frozenset(
    "asyncio ftplib getpass glob http multiprocessing os random requests secrets shutil smtplib socket sqlite3 "
    "subprocess tempfile threading time urllib uuid webbrowser".split()
)
_WORLDLY_NAMES = frozenset(("open", "input", "breakpoint", "exit", "quit"))
_OF_THE_CLOCK = frozenset(("now", "utcnow", "today"))


def keeps_state(instance: Any) -> bool:
    """Whether an instance has attributes, and its class methods that may change them."""
    return bool(getattr(instance, "__dict__", None)) and bool(preparing_methods(type(instance)))


def preparing_methods(owner: type) -> list[str]:
    """The public methods that are plain functions, and that use neither files nor the network nor the clock."""
    found: list[str] = []
    for base in reversed(owner.__mro__):
        for name, raw in vars(base).items():
            if name not in found and isinstance(raw, types.FunctionType) and _prepares(owner, name):
                found.append(name)
    return found


def _prepares(owner: type, name: str) -> bool:
    function = inspect.getattr_static(owner, name)
    if name.startswith("_") or not isinstance(function, types.FunctionType):
        return False
    inner = inspect.unwrap(function)
    if inspect.iscoroutinefunction(inner) or inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        return False
    return not _is_worldly(function, owner)


def _is_worldly(function: Any, owner: type) -> bool:
    """Whether a method, or what it calls, depends on more than its arguments and its instance."""
    waiting: list[Any] = [function]
    met: set[int] = set()
    for one in waiting:
        one = inspect.unwrap(one)
        if id(one) in met:
            continue
        met.add(id(one))
        scope: dict[str, Any] = one.__globals__
        for name in _names_in(one.__code__):
            value = scope.get(name)
            if (name in _WORLDLY_NAMES and value is None) or name in _OF_THE_CLOCK:
                return True
            module = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
            if isinstance(module, str) and module.partition(".")[0] in _WORLDLY_MODULES:
                return True
            waiting += [v for v in (value, inspect.getattr_static(owner, name, None)) if type(v) is types.FunctionType]
    return False


def _names_in(code: types.CodeType) -> list[str]:
    """All names that a function and those inside of it take from elsewhere."""
    found = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found += _names_in(constant)
    return found
