"""Where a test or a script imports the names of a call from: the target's module, or the one that defines a class."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

from lsp_evalplus.fuzz.guest.values.class_lookup import MOST_MODULES
from lsp_evalplus.fuzz.model import FunctionTarget
from lsp_evalplus.fuzz.oracle.siblings import file_of, imported_modules, read_text
from lsp_evalplus.fuzz.source.parsing import parse_text
from lsp_evalplus.fuzz.source.scopes import bound_names, dotted_name


def import_statements(target: FunctionTarget, module: str, names: Iterable[str]) -> list[str]:
    """``from … import …`` for each module that `names` come from; names found in none of them come from `module`, the
    target's own."""
    wanted: dict[str, list[str]] = {module: []}
    for name, origin in elsewhere(target, names).items():
        wanted.setdefault(origin or module, []).append(name)
    return [f"from {origin} import {', '.join(sorted(set(found)))}" for origin, found in wanted.items() if found]


def elsewhere(target: FunctionTarget, names: Iterable[str]) -> dict[str, str | None]:
    """The module that defines a class which the target's own module does not name; None for other names."""
    body = parse_text(target.program.source).tree.body
    own = bound_names(ast.Module([node for node in body if not _is_for_type_checkers(node)], []))
    return {name: None if name in own or own & {"*"} else _origin(target, name) for name in names}


def _is_for_type_checkers(node: ast.stmt) -> bool:
    """Whether it is ``if TYPE_CHECKING:``, whose names a module does not have."""
    return isinstance(node, ast.If) and (dotted_name(node.test) or "").rpartition(".")[2] == "TYPE_CHECKING"


def _origin(target: FunctionTarget, name: str) -> str | None:
    """The nearest module among those that the target's imports lead to which defines the class."""
    program = target.program
    if program.path is None:
        return None
    roots = [Path(root) for root in program.search_path or (str(Path(program.path).parent),)]
    waiting = list(dict.fromkeys(imported_modules(program.source, program.package or "")))
    for module in waiting:
        path = next((path for root in roots if (path := file_of(module, root)) is not None), None)
        if path is None:
            continue
        text = read_text(path)
        if any(isinstance(node, ast.ClassDef) and node.name == name for node in parse_text(text).tree.body):
            return module
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        new = [one for one in imported_modules(text, package) if one not in waiting]
        waiting += list(dict.fromkeys(new))[: MOST_MODULES - len(waiting)] if len(waiting) < MOST_MODULES else []
    return None
