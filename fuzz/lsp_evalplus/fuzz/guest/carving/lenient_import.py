"""Imports a file of tests without the statements that fail: what its environment lacks is left out, the rest is there.

A test that uses what is left out fails, and tells nothing. A module of the project is never imported so.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
import types
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from typing import Any, cast

from ..values.program_errors import CallTimeoutError, lines_in

LEFT_OUT = "__left_out__"
"""The name by which a module keeps the first exception for which a statement was left out, or a module is missing."""
MOST_FAILURES = 40
"""Maximum number of members of a class that may fail before it is left out as a whole."""


def import_leniently(name: str) -> types.ModuleType:
    """Import a module by its name, without what of it fails.

    Raises:
        ImportError: there is no source to read.
    """
    spec = importlib.util.find_spec(name)
    if spec is None:
        raise ImportError(f"no module named {name!r}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    run_leniently(spec, module)
    return module


def run_leniently(spec: ModuleSpec, module: types.ModuleType) -> None:
    """Run a module's statements one by one, and go on after one that fails. Raises `ImportError` without a source."""
    path, loader = spec.origin or "", cast("Any", spec.loader)
    try:
        source: str | None = loader.get_source(module.__name__)
        tree = ast.parse(source or "", path)
    except (AttributeError, SyntaxError, ValueError) as error:
        raise ImportError(str(error)) from None
    if source is None:
        raise ImportError(f"{path} has no source")
    flags = [one for one in tree.body if isinstance(one, ast.ImportFrom) and one.module == "__future__"]
    for statement in tree.body:
        if statement not in flags:
            _run(statement, flags, path, vars(module))


def _run(statement: ast.stmt, flags: list[ast.ImportFrom], path: str, namespace: dict[str, Any]) -> None:
    for _ in range(MOST_FAILURES):
        try:
            code = compile(ast.Module([*flags, statement], []), path, "exec")
            exec(code, namespace)  # noqa: S102 - this is the confined guest
            return
        except CallTimeoutError:
            raise
        except BaseException as error:  # noqa: BLE001 - a program raises anything
            namespace.setdefault(LEFT_OUT, error)
            failed = next(_members_at(statement, error, path), None)
            if failed is None:
                return
            statement.body.remove(failed)  # type: ignore[attr-defined]
            statement.body = statement.body or [ast.Pass(lineno=statement.lineno, col_offset=0)]  # type: ignore[attr-defined]


def _members_at(statement: ast.stmt, error: BaseException, path: str) -> Iterator[ast.stmt]:
    """Yield the member of a class that was running when an exception was raised."""
    lines = lines_in(error, path)
    for member in statement.body if isinstance(statement, ast.ClassDef) else ():
        first = min([member.lineno, *[one.lineno for one in getattr(member, "decorator_list", ())]])
        if any([first <= line <= (member.end_lineno or first) for line in lines]):
            yield member
