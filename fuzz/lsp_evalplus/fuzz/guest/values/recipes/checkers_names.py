"""Names that a module imports for type checkers alone.

What stands under ``if TYPE_CHECKING:`` is not executed. It is imported here where an annotation, or an input that was
made after one, needs it, and kept apart from the program's names: code that uses such a name raises a `NameError`, as
it does elsewhere.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import linecache
import sys
from collections.abc import Iterator
from typing import Any, Optional

from ..class_lookup import SIBLINGS, TYPE_CHECKING_NAMES, bind_for_annotations, modules_of_package
from ..dynamic import is_class, type_of
from ..program_errors import CallTimeoutError

_Origin = tuple[str, Optional[str]]
"""A module, with dots before it where it is relative, and a name in it; None for the module, "" for its package."""

_FOR_CHECKERS: dict[str, Any] = {
    **dict.fromkeys(("StrPath", "StrOrBytesPath", "FileDescriptorOrPath", "GenericPath"), str),
    **dict.fromkeys(("Buffer", "ReadableBuffer", "ReadOnlyBuffer", "BytesPath"), bytes),
    "WriteableBuffer": bytearray,
}
"""Names of typeshed, which type checkers alone can import, and of newer versions of Python, with the types that they
admit."""
_MARK = "TYPE_CHECKING"
_ASKED = "_lsp_for_checkers_"
"""Name in a program's namespace of the cache of earlier lookups."""


def class_for_checkers(name: str, namespace: dict[str, Any]) -> type | None:
    """Return the class of that name that a program's module, or else a loaded module of its package, imports for type
    checkers alone; None if there is none, or several. Loads the module that has it.

    A fresh process evaluates no annotations, so nothing has imported there what they name.
    """
    asked: dict[str, type | None] = namespace.setdefault(_ASKED, {})
    if name not in asked:
        asked[name] = None
        own = _named(name, namespace)
        found = [own] if own is not None else [one for one in _of_package(name, namespace) if one is not None]
        if found and all([one is found[0] for one in found]):
            asked[name] = found[0]
    return asked[name]


def _of_package(name: str, namespace: dict[str, Any]) -> Iterator[type | None]:
    for _, scope in modules_of_package(namespace):
        if scope is not namespace and type_of(scope) is dict:
            yield _named(name, scope)


def _named(name: str, scope: dict[str, Any]) -> type | None:
    try:
        found = TypeCheckingNames(scope)[name]
    except KeyError:
        return None
    return found if is_class(found) else None


class TypeCheckingNames:
    """A mapping of these names in one module, for `eval`; each is imported on first use.

    Args:
        scope: the global names of the module.
    """

    def __init__(self, scope: dict[str, Any]) -> None:
        self._scope = scope
        self._origins: dict[str, _Origin] | None = None

    def __getitem__(self, name: str) -> Any:
        """Return what the name stands for; raises `KeyError` where it is no such name, or cannot be imported."""
        if name in self._scope:
            raise KeyError(name)
        known: dict[str, Any] = self._scope.get(TYPE_CHECKING_NAMES) or {}
        if name in known:
            return known[name]
        if self._origins is None:
            path = self._scope.get("__file__")
            self._origins = _origins(path) if isinstance(path, str) else {}
        found = self._imported(*self._origins[name])
        bind_for_annotations(name, found, self._scope)
        return found

    def _imported(self, module: str, name: str | None) -> Any:
        package: str = self._scope.get("__package__") or ""
        siblings: dict[str, Any] = self._scope.get(SIBLINGS) or {}
        try:
            full = importlib.util.resolve_name(module, package)
            found = siblings[full] if full.partition(".")[0] in siblings else importlib.import_module(full)
            if name == "":
                return sys.modules[full.partition(".")[0]]
            return found if name is None else getattr(found, name)
        except CallTimeoutError:
            raise
        except BaseException:  # noqa: BLE001 - a program raises anything
            if name in _FOR_CHECKERS:
                return _FOR_CHECKERS[name]
            raise KeyError(name or module) from None


@functools.lru_cache(maxsize=512)
def _origins(path: str) -> dict[str, _Origin]:
    """Return where the names come from that a file imports under ``if TYPE_CHECKING:``."""
    text = "".join(linecache.getlines(path))
    found: dict[str, _Origin] = {}
    try:
        tree = ast.parse(text if _MARK in text else "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    for node in tree.body:
        if isinstance(node, ast.If) and _is_for_type_checkers(node.test):
            for part in node.body:
                found.update(_bound(part))
    return found


def _is_for_type_checkers(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", None)
    return name == _MARK


def _bound(node: ast.stmt) -> Iterator[tuple[str, _Origin]]:
    """Yield the names that an import binds, and where they come from."""
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            yield alias.asname or alias.name, (module, alias.name)
    elif isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0], (alias.name, None if alias.asname else "")
