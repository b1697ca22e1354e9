"""Functions of other modules of a project that a function calls: those that parse a command line for it.

The main function of a program often stands in one module, and its parser in another one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from lsp_evalplus.fuzz.files import read_ordinary
from lsp_evalplus.fuzz.guest.static.walking import walk_statements, walk_tree
from lsp_evalplus.fuzz.model import Program
from lsp_evalplus.fuzz.source.parsing import parse_module
from lsp_evalplus.fuzz.source.scopes import FunctionNode

from .functions import LocatedFunction

MOST_HOPS: Final = 3
"""Maximum number of imports through which a function is followed."""
MOST_FOUND: Final = 12
_INIT: Final = "__init__.py"


class _Where(NamedTuple):
    """A name of a module; the module itself where it is empty."""

    module: str
    name: str


def imported_functions(program: Program, located: LocatedFunction) -> list[LocatedFunction]:
    """Return the functions of other modules of a program's project that a function of it may call, also those which
    these call."""
    finder = _Finder(program.search_path)
    module = program.package or ""
    pending = [(located, module, 0)]
    found = list[LocatedFunction]()
    while pending and len(found) < MOST_FOUND:
        one, package, hops = pending.pop(0)
        names = _imported(one.tree, package)
        for where in dict.fromkeys(_called(one.reached(), names)) if hops < MOST_HOPS else ():
            for callee, its_package in finder.find(where, MOST_HOPS - hops):
                if all(callee.node is not known.node for known in found):
                    found.append(callee)
                    pending.append((callee, its_package, hops + 1))
    return found


class _Finder:
    """Finds functions of modules below the import roots of a project."""

    def __init__(self, roots: Iterable[str]) -> None:
        self._roots = [Path(root) for root in roots]

    def find(self, where: _Where, hops: int) -> Iterator[tuple[LocatedFunction, str]]:
        """Yield the functions of a name, each with its package; a module may have them from another one."""
        path = self._file_of(where.module)
        tree = _tree_of(path) if path is not None else None
        if tree is None or path is None:
            return
        own = [one for one in walk_statements(tree) if isinstance(one, FunctionNode) and one.name == where.name]
        package = where.module if path.name == _INIT else where.module.rpartition(".")[0]
        yield from ((LocatedFunction(tree, "", one), package) for one in own[-1:])
        again = _imported(tree, package).get(where.name) if not own and hops else None
        if again is not None and again != where:
            yield from self.find(again, hops - 1)

    def _file_of(self, module: str) -> Path | None:
        parts = module.split(".") if module else []
        for root in self._roots if parts else ():
            for path in (root.joinpath(*parts).with_suffix(".py"), root.joinpath(*parts, _INIT)):
                if path.is_file():
                    return path
        return None


def _tree_of(path: Path) -> ast.Module | None:
    try:
        return parse_module(read_ordinary(path).decode("utf-8", "replace").removeprefix("\ufeff"))
    except OSError:
        return None


def _imported(tree: ast.Module, package: str) -> dict[str, _Where]:
    """Return what the imports of a module name, by their names in it."""
    found = dict[str, _Where]()
    for node in walk_statements(tree):
        if isinstance(node, ast.Import):
            found.update({one.asname: _Where(one.name, "") for one in node.names if one.asname})
            found.update({one.name: _Where(one.name, "") for one in node.names if not one.asname})
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            found.update({one.asname or one.name: _Where(module, one.name) for one in node.names})
    return found


def _called(functions: Iterable[FunctionNode], names: dict[str, _Where]) -> Iterator[_Where]:
    """Yield what functions call under the names of imports: functions, and those of modules."""
    for node in [part for function in functions for part in walk_tree(function)]:
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Name) and called.id in names:
            yield names[called.id]
        elif isinstance(called, ast.Attribute) and (where := names.get(ast.unparse(called.value))) is not None:
            yield _Where(f"{where.module}.{where.name}" if where.name else where.module, called.attr)
