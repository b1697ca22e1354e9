"""Names that docstrings use without importing them: the program's own package, and conventional ones such as ``np``."""

from __future__ import annotations

import builtins
import importlib
import os
import sys
import types
from collections.abc import Iterable, Mapping
from typing import Any

from ..values.program_errors import PROGRAM_ERRORS
from ..values.source_text import dotted_name

CUSTOMARY = types.MappingProxyType(
    {"np": "numpy", "pd": "pandas", "plt": "matplotlib.pyplot", "nx": "networkx", "sp": "scipy"}
)
"""Names by convention of the packages themselves."""


def names_in(sources: Iterable[str]) -> set[str]:
    """Return the names that some lines of code use."""
    found: set[str] = set()
    for source in sources:
        try:
            found.update(compile(source, "<example>", "exec", dont_inherit=True).co_names)
        except (SyntaxError, ValueError):
            continue
    return found


def customary_modules(names: set[str], root: str) -> dict[str, Any]:
    """Return modules for the undefined `names`: the package `root`, and conventional ones."""
    found: dict[str, Any] = {}
    for name in names - set(dir(builtins)):
        full = root if name == root else CUSTOMARY.get(name)
        if full is not None:
            try:
                found[name] = importlib.import_module(full)
            except PROGRAM_ERRORS:
                continue
    return found


def names_given(sources: Iterable[str], program: Mapping[str, Any], namespace: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the lines of a docstring of a program use, and neither the program nor Python defines."""
    stem = os.path.splitext(os.path.basename(str(program.get("path") or "")))[0]
    dotted = dotted_name(stem, program.get("package") or "")
    root = dotted.partition(".")[0]
    found = customary_modules(names_in(sources) - set(namespace), root)
    if root in found:
        found[root] = with_program(found[root], dotted, namespace)
    return found


def with_program(package: types.ModuleType, dotted: str, namespace: Mapping[str, Any]) -> types.ModuleType:
    """Return the package as it is where its module `dotted` is the program with that namespace, not the file on disk.

    What the package takes from the module by name is the program's; other modules keep what they have.
    """
    if dotted == package.__name__:
        return _view(package, namespace)
    on_disk = sys.modules.get(dotted)
    theirs = {} if on_disk is None else vars(on_disk)
    taken = {
        name: namespace[name]
        for name, value in vars(package).items()
        if name in namespace and not name.startswith("__") and theirs.get(name) is value
    }
    if on_disk is not None:
        taken.update({name: _view(on_disk, namespace) for name, value in vars(package).items() if value is on_disk})
    inner = dotted[len(package.__name__) + 1 :].partition(".")[0]
    below = sys.modules.get(f"{package.__name__}.{inner}", types.ModuleType(f"{package.__name__}.{inner}"))
    return _view(package, {**taken, inner: with_program(below, dotted, namespace)} if inner else taken)


def _view(module: types.ModuleType, others: Mapping[str, Any]) -> types.ModuleType:
    view = types.ModuleType(module.__name__, module.__doc__)
    view.__dict__.update({**vars(module), **others})
    return view
