"""Imports the package of a program; of one whose import fails, what it had defined by then remains."""

from __future__ import annotations

import importlib
import os
import sys
import types
from typing import Any

from ..surroundings.placeholders import USES
from ..values.program_errors import traces_of
from ..values.rendering import error_text


class PartialPackage(types.ModuleType):
    """A package whose import failed: it has what it defined before, and its modules can be imported."""

    def __init__(self, name: str, failure: Exception) -> None:
        super().__init__(name)
        self.__dict__["__failure__"] = failure


def import_package(package: str, folder: str) -> str:
    """Import a package, or let a partial one take its place; return why neither is possible, empty otherwise.

    Once libraries that are not installed have placeholders, a package whose import failed before is imported again.
    """
    for name in _partial_in(package) if USES.libraries else ():
        del sys.modules[name]
    try:
        importlib.import_module(package)
    except BaseException as error:  # noqa: BLE001 - it is user code
        is_there = os.path.isdir(folder) and os.path.basename(folder) == package.rpartition(".")[2]
        if not isinstance(error, Exception) or not is_there:
            return f"its package {package!r} raises {error_text(error)}"
        _stand_in(package, folder, error)
    return ""


def failure_of(package: str) -> BaseException | None:
    """Return the exception that ended the import of a package, or of one around it; None where there is none."""
    failures = [sys.modules[name].__dict__["__failure__"] for name in _partial_in(package)]
    return failures[0] if failures else None


def _partial_in(package: str) -> list[str]:
    parts = package.split(".")
    names = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
    return [name for name in names if isinstance(sys.modules.get(name), PartialPackage)]


def _stand_in(package: str, folder: str, failure: Exception) -> None:
    parent, _, name = package.rpartition(".")
    if parent and parent not in sys.modules:
        _stand_in(parent, os.path.dirname(folder), failure)
    module = PartialPackage(package, failure)
    module.__dict__.update(_defined_until(failure).get(package, {}))
    module.__path__ = [folder]
    module.__package__ = package
    sys.modules[package] = module
    if parent:
        setattr(sys.modules[parent], name, module)


def _defined_until(error: BaseException) -> dict[str, dict[str, Any]]:
    """Return what modules that were being imported when an exception was raised had defined by then, by their names."""
    found: dict[str, dict[str, Any]] = {}
    for trace in traces_of(error):
        namespace = trace.tb_frame.f_globals
        if trace.tb_frame.f_code.co_name == "<module>":
            found[str(namespace.get("__name__"))] = {
                name: value for name, value in namespace.items() if not (name[:2] == "__" == name[-2:])
            }
    return found
