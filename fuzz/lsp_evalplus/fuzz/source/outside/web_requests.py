"""What functions read of the request that Flask calls them in: two versions that are compared get the same parts."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from lsp_evalplus.fuzz.guest.static.walking import name_of, walk_tree
from lsp_evalplus.fuzz.guest.static.web.request_parts import (
    is_in_context,
    names_of_library,
    parts_by_function,
    parts_reached,
    paths_of,
    types_in,
)
from lsp_evalplus.fuzz.guest.values.makers.flask_calls import LIBRARY
from lsp_evalplus.fuzz.model import Plain, Program

from .functions import locate

_VIEWS = frozenset("get post put patch delete".split())
"""Methods of classes of views, by the methods of requests."""


def find_request(programs: Sequence[Program]) -> Plain | None:
    """Return the field ``web_request`` of a function's versions; None where they are called outside of a request.

    Args:
        programs: the versions.
    """
    if not all(LIBRARY in program.source for program in programs):
        return None
    parts, types, is_view = dict[str, None](), dict[str, str](), True
    for program in programs:
        found = _request_of(program)
        if found is None:
            return None
        parts.update(dict.fromkeys(found["parts"]))
        types.update(found["types"])
        is_view = is_view and found["is_view"]
    return {"parts": list(parts), "types": types, "is_view": is_view}


def _request_of(program: Program) -> Plain | None:
    located = locate(program)
    if located is None or isinstance(located.node, ast.AsyncFunctionDef):
        return None
    tree, function = located.tree, located.node
    names = names_of_library(tree)
    paths = paths_of(function)
    is_view = paths is not None or (program.qualname.rpartition(".")[2] in _VIEWS and "." in program.qualname)
    is_called_in = is_view or any(is_in_context(one, names) for one in located.reached())
    if not names or not is_called_in or any(isinstance(one, ast.Yield | ast.YieldFrom) for one in walk_tree(function)):
        return None
    parts = parts_reached(function, names, parts_by_function(tree, names))
    if any(_makes_application(one) for one in tree.body):
        parts = [one for one in parts if one != "config"]
    return {"parts": parts, "types": types_in(paths or []), "is_view": is_view}


def _makes_application(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    return isinstance(value, ast.Call) and name_of(value.func) == "Flask"
