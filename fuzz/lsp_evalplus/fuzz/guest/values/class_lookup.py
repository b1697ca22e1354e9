"""Finds classes that a program uses without naming them, through the modules that it imports.

The class of a parameter may need values of classes that only its own module names. Each program's are looked for in the
modules that this program got, which may be copies of its own; see `module_overlay`.
"""

from __future__ import annotations

import functools
import importlib.machinery
import os
import sys
import time
import types
from collections.abc import Iterator, Mapping
from typing import Any

from .dynamic import attribute_of, globals_of, is_class, is_module, type_of

SIBLINGS = "_lsp_siblings_"
"""Name in a program's namespace of the modules that only it has, by module name."""
_FOUND = "_lsp_elsewhere_"
"""Name there of the cache of earlier lookups."""
TYPE_CHECKING_NAMES = "_lsp_annotations_"
"""Name there of what annotations alone name, by name; see `inference.hints`."""
_STRUCTURES: dict[str, Any] = {
    "os.stat_result": os.stat_result,
    "os.terminal_size": os.terminal_size,
    "time.struct_time": time.struct_time,
}
"""What recipes name of modules that reach out of the process."""
MOST_MODULES = 500
"""Maximum number of modules that are searched."""


def find_class(name: str, namespace: dict[str, Any]) -> type | None:
    """Return the class of that name in the nearest module reachable by the program's imports, None if there is none."""
    found = namespace.setdefault(_FOUND, {})
    if name not in found:
        found[name] = _find(name, namespace)
    return found[name]  # type: ignore[no-any-return]


def find_in_modules(dotted: str, namespace: dict[str, Any]) -> Any:
    """Return what a full dotted name stands for in the modules that a program has loaded; None if nothing, also of the
    standard library but for some structures.

    Of a package that the program has copies of, only those count.
    """
    if dotted in _STRUCTURES:
        return _STRUCTURES[dotted]
    parts = dotted.split(".")
    siblings: dict[str, types.ModuleType] = namespace.get(SIBLINGS) or {}
    modules = siblings if parts[0] in siblings else sys.modules
    if not namespace or parts[0] not in modules or is_standard(parts[0]):
        return None
    found: Any = modules[parts[0]]
    for count, part in enumerate(parts[1:], start=2):
        inner = modules.get(".".join(parts[:count])) if is_module(found) else None
        found = inner if inner is not None else attribute_of(found, part, None)
        if found is None:
            return None
    return found


def bind_for_annotations(name: str, value: Any, namespace: dict[str, Any]) -> None:
    """Let recipes of a program use a name that the program itself does not have."""
    namespace.setdefault(TYPE_CHECKING_NAMES, {})[name] = value
    namespace.get(_FOUND, {}).pop(name, None)


def _find(name: str, namespace: dict[str, Any]) -> type | None:
    siblings: dict[str, types.ModuleType] = namespace.get(SIBLINGS) or {}
    waiting = [namespace]
    met = {id(namespace)}
    for scope in waiting:
        value = scope.get(name)
        if is_class(value) and scope is not namespace:
            return value
        hidden = scope.get(TYPE_CHECKING_NAMES)
        if hidden:
            waiting.append(hidden)
        for module in _modules_of(scope, siblings):
            if id(module) not in met and len(met) < MOST_MODULES:
                met.add(id(module))
                waiting.append(module)
    return _of_package(name, namespace)


def modules_of_package(namespace: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the loaded modules of the package that a program is part of, by their names, each with its contents."""
    root = str(namespace.get("__package__") or "").partition(".")[0]
    modules: dict[str, Any] = {**sys.modules, **(namespace.get(SIBLINGS) or {})} if root else {}
    for path in sorted([one for one in modules if one.partition(".")[0] == root]):
        # Anything may stand in `sys.modules`, None among it.
        yield path, globals_of(modules[path])


def _of_package(name: str, namespace: dict[str, Any]) -> type | None:
    """The only class of that name that a loaded module of the program's own package defines, None if there is none.

    No import may lead to it: what annotations alone need is imported for one of the programs only.
    """
    found: list[type] = []
    for path, scope in modules_of_package(namespace):
        value: Any = scope.get(name)
        if is_class(value) and type.__getattribute__(value, "__module__") == path:
            found.append(value)
    return found[0] if len(found) == 1 else None


def _modules_of(scope: dict[str, Any], siblings: dict[str, types.ModuleType]) -> Iterator[dict[str, Any]]:
    """The contents of the modules that the values of a module come from, in their order."""
    for value in list(scope.values()):
        kind = type_of(value)
        is_whole = issubclass(kind, types.ModuleType)
        if not is_whole and not issubclass(kind, (type, types.FunctionType)):
            continue
        name: Any = globals_of(value).get("__name__") if is_whole else getattr(value, "__module__", None)
        if type(name) is not str or is_standard(name.partition(".")[0]):
            continue
        module: Any = value if is_whole else siblings.get(name) or sys.modules.get(name)
        if is_module(module):
            yield globals_of(module)


def package_of(namespace: Mapping[str, Any]) -> str:
    """Return the name of the outermost package of the module that has a namespace; its own where it is in none."""
    return str(namespace.get("__name__", "")).partition(".")[0]


@functools.lru_cache(maxsize=1024)
def is_standard(name: str) -> bool:
    """Return whether the standard library has a module of that name."""
    names = getattr(sys, "stdlib_module_names", None)
    if names is not None:
        return name in names
    folder = os.path.dirname(os.__file__)
    return name in sys.builtin_module_names or importlib.machinery.PathFinder.find_spec(name, [folder]) is not None
