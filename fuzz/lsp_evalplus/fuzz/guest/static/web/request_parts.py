"""Parts of a request that functions read of Flask's context objects, which are parameters of theirs but for the name.

Where a syntax tree has such a part, as ``request.args``, a reader finds a parameter instead: how it is used shows what
it holds.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any, Final

from ...values.makers.flask_calls import LIBRARY
from ...values.makers.web_requests import PARAMETERS
from ..walking import string_in, walk_tree

_READ: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{f"request.{name}": name for name in ("args", "form", "json", "headers", "cookies", "method")},
        "request.values": "args",
        "session": "session",
        "current_app.config": "config",
    }
)
_JSON: Final = "request.get_json"
_GET_LIST: Final = "getlist"
_STEPS: Final = 3
"""Functions between one that reads a part and one that uses it."""
_ROUTES: Final = frozenset("route get post put patch delete".split())
_PLACE: Final = re.compile(r"<(?:(\w+)(?:\([^>]*\))?:)?(\w+)>")
"""A variable part of a path: ``<sku>``, ``<int:page>``."""
_CONVERTED: Final[Mapping[str, str]] = MappingProxyType({"int": "int", "float": "float"})
_CONVERTERS: Final = ("", "string", "path", *_CONVERTED)


def names_of_library(tree: ast.AST) -> dict[str, str]:
    """Return what names of a module stand for in Flask: ``request``, and an empty string for the library itself."""
    found: dict[str, str] = {}
    for node in walk_tree(tree):
        if isinstance(node, ast.ImportFrom) and node.module == LIBRARY and not node.level:
            found.update({one.asname or one.name: one.name for one in node.names})
        elif isinstance(node, ast.Import):
            found.update({one.asname or one.name: "" for one in node.names if one.name == LIBRARY})
    return found


def parts_read(function: ast.AST, names: Mapping[str, str]) -> list[str]:
    """Return the parts of a request that a function reads, each once."""
    own = {one.arg for one in walk_tree(function) if isinstance(one, ast.arg)}
    names = {name: full for name, full in names.items() if name not in own}
    found = [_part_of(node, names) for node in walk_tree(function)]
    return list(dict.fromkeys(filter(None, found)))


def parts_by_function(tree: ast.Module, names: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the parts of a request that each function of a module reads, itself or through others that it uses."""
    own = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef)}
    found = {name: parts_read(one, names) for name, one in own.items()}
    for _ in range(_STEPS):
        found = {name: parts_reached(one, names, found) for name, one in own.items()}
    return {name: parts for name, parts in found.items() if parts}


def parts_reached(function: ast.AST, names: Mapping[str, str], read: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the parts that a function reads, itself or through functions of which it is known."""
    used = [node.id for node in walk_tree(function) if isinstance(node, ast.Name)]
    further = [part for name in used for part in read.get(name, ())]
    return list(dict.fromkeys([*parts_read(function, names), *further]))


def is_in_context(function: ast.AST, names: Mapping[str, str]) -> bool:
    """Whether a function mentions anything of Flask: most of it works in a context alone."""
    return any([isinstance(node, ast.Name) and node.id in names for node in walk_tree(function)])


def paths_of(function: ast.AST) -> list[str] | None:
    """Return the paths that decorators register a function for; None where it is no view."""
    calls = [one for one in getattr(function, "decorator_list", ()) if isinstance(one, ast.Call)]
    routes = [one for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr in _ROUTES and one.args]
    paths: list[Any] = [getattr(one.args[0], "value", None) for one in routes]
    return [one for one in paths if type(one) is str] if routes else None


def types_in(paths: Iterable[str]) -> dict[str, str]:
    """Return the types of the variable parts of paths, by name."""
    found = [one for path in paths for one in _PLACE.findall(path)]
    return {name: _CONVERTED.get(converter, "str") for converter, name in found if converter in _CONVERTERS}


def with_parts(tree: ast.Module) -> ast.Module:
    """Return a syntax tree that has parameters for what its functions read of a request; it is changed in place."""
    names = names_of_library(tree)
    return _WithParts(tree, names).visit(tree) if names else tree


def _configured(tree: ast.Module) -> dict[str, ast.Constant]:
    """Return the settings of an application that statements of its module give constants."""
    found: dict[str, ast.expr] = {}
    for one in tree.body:
        target = one.targets[0] if isinstance(one, ast.Assign) else None
        call = one.value if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) else None
        if isinstance(one, ast.Assign) and isinstance(target, ast.Subscript) and _is_config(target.value):
            found[string_in(target.slice)] = one.value
        elif call is not None and isinstance(call.func, ast.Attribute) and _is_config(call.func.value):
            found.update({word.arg: word.value for word in call.keywords if word.arg})
    return {name: value for name, value in found.items() if isinstance(value, ast.Constant)}


def _is_config(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "config"


def _setting(node: ast.AST) -> str:
    """Return the name of a setting that an expression looks up; empty for anything else."""
    if isinstance(node, ast.Subscript):
        return string_in(node.slice) if _is_config(node.value) else ""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return ""
    return string_in(node.args[0]) if node.func.attr == "get" and _is_config(node.func.value) else ""


class _WithParts(ast.NodeTransformer):
    """Puts parameters into the places of parts of a request, and hands them on to functions of the module."""

    def __init__(self, tree: ast.Module, names: Mapping[str, str]) -> None:
        self._names = names
        self._configured = _configured(tree)
        self._read = parts_by_function(tree, names)
        self._returned = _returned_by_function(tree, names)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Give a function its further parameters; what is inside of it reads those."""
        parts = parts_reached(node, self._names, self._read)
        if parts or self._configured:
            own = {one.arg for one in walk_tree(node) if isinstance(one, ast.arg)}
            names = {name: full for name, full in self._names.items() if name not in own}
            aliases = _aliases_in(node, names, own, self._returned)
            read = {name: several for name, several in self._read.items() if name not in own}
            replaced = _Replaced(names, aliases, self._configured, read)
            node.body = [replaced.visit(one) for one in [*_wrappers_called(node), *node.body]]
            for part in parts:
                added = ast.copy_location(ast.arg(arg=PARAMETERS[part]), node.body[0])
                node.args.kwonlyargs.append(added)
                node.args.kw_defaults.append(ast.copy_location(ast.Constant(None), node.body[0]))
        return node


def _wrappers_called(function: ast.FunctionDef) -> list[ast.stmt]:
    """Return calls of a function's decorators, for which the library makes one of their own in each request."""
    named = [one.func if isinstance(one, ast.Call) else one for one in function.decorator_list]
    calls = [ast.Expr(ast.Call(one, [], [])) for one in named if isinstance(one, ast.Name)]
    return [ast.fix_missing_locations(ast.copy_location(one, function.body[0])) for one in calls]


def _aliases_in(
    function: ast.FunctionDef, names: Mapping[str, str], own: Set[str], returned: Mapping[str, str]
) -> dict[str, str]:
    """Return the parts that a function gives another name, also where another value is taken for want of one.

    Args:
        function: the function.
        names: what names stand for in Flask.
        own: the function's parameters.
        returned: the parts that functions of the module return.
    """
    assigned = [node for node in walk_tree(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    counts = Counter([one.id for one in assigned])
    found: dict[str, str] = {}
    for node in walk_tree(function):
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if isinstance(node, ast.Assign) and isinstance(target, ast.Name):
            value = _first_choice(node.value)
            maker = getattr(value.func, "id", "") if isinstance(value, ast.Call) else ""
            part = _part_of(value, names) or returned.get(maker, "")
            if part and counts[target.id] == 1 and target.id not in own:
                found[target.id] = part
    return found


def _returned_by_function(tree: ast.Module, names: Mapping[str, str]) -> dict[str, str]:
    """Return the part of a request that each function of a module returns, if it is one."""
    found: dict[str, str] = {}
    for one in tree.body:
        if isinstance(one, ast.FunctionDef):
            aliases = _aliases_in(one, names, set(), {})
            values = [
                _first_choice(node.value) for node in walk_tree(one) if isinstance(node, ast.Return) and node.value
            ]
            parts = {_part_of(value, names) or aliases.get(getattr(value, "id", ""), "") for value in values} - {""}
            found.update({one.name: parts.pop()} if len(parts) == 1 else {})
    return found


def _first_choice(value: ast.expr) -> ast.expr:
    return value.values[0] if isinstance(value, ast.BoolOp) else value


class _Replaced(ast.NodeTransformer):
    def __init__(
        self,
        names: Mapping[str, str],
        aliases: Mapping[str, str],
        configured: Mapping[str, ast.Constant],
        read: Mapping[str, Sequence[str]],
    ) -> None:
        self._names = names
        self._aliases = aliases
        self._configured = configured
        self._read = read

    def visit(self, node: ast.AST) -> Any:
        """Return the parameter for a part, the conversion that a look-up states around it, or the node."""
        constant = self._configured.get(_setting(node))
        if constant is not None:
            return ast.copy_location(ast.Constant(constant.value), node)
        part = _part_of(node, self._names)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            part = part or self._aliases.get(node.id, "")
        if part:
            return ast.copy_location(ast.Name(PARAMETERS[part], ast.Load()), node)
        self.generic_visit(node)
        if not isinstance(node, ast.Call):
            return node
        for part in self._read.get(getattr(node.func, "id", ""), ()):
            name = PARAMETERS[part]
            node.keywords.append(ast.keyword(name, ast.copy_location(ast.Name(name, ast.Load()), node)))
        return _converted(node)


def _converted(call: ast.Call) -> ast.Call:
    """Return ``int(args.get("p", 1))`` for ``args.get("p", default=1, type=int)``, and so ``list`` for `getlist`."""
    function, kinds = call.func, [one for one in call.keywords if one.arg == "type"]
    value = function.value if isinstance(function, ast.Attribute) else None
    if not isinstance(function, ast.Attribute) or getattr(value, "id", "") not in PARAMETERS.values():
        return call
    call.args += [one.value for one in call.keywords if one.arg == "default"]
    call.keywords = [one for one in call.keywords if one.arg != "default"]
    if kinds and function.attr == "get":
        call.keywords = [one for one in call.keywords if one.arg != "type"]
        return ast.copy_location(ast.Call(kinds[0].value, [call], []), call)
    if function.attr == _GET_LIST and call.args:
        empty = ast.copy_location(ast.List([], ast.Load()), call)
        looked_up = ast.Call(ast.copy_location(ast.Attribute(function.value, "get", ast.Load()), call), [], [])
        looked_up.args = [call.args[0], empty]
        return ast.copy_location(
            ast.Call(ast.copy_location(ast.Name("list", ast.Load()), call), [ast.copy_location(looked_up, call)], []),
            call,
        )
    return call


def _part_of(node: ast.AST, names: Mapping[str, str]) -> str:
    """Return the part of a request that an expression is; empty for anything else."""
    if isinstance(node, ast.Call):
        return "json" if _full(node.func, names) == _JSON else ""
    return _READ.get(_full(node, names), "") if isinstance(node, (ast.Name, ast.Attribute)) else ""


def _full(node: ast.AST, names: Mapping[str, str]) -> str:
    """Return what an expression is called in Flask; empty where it is nothing of it."""
    if isinstance(node, ast.Name):
        return names.get(node.id, "")
    if not isinstance(node, ast.Attribute):
        return ""
    inner = _full(node.value, names)
    is_library = isinstance(node.value, ast.Name) and names.get(node.value.id) == ""
    return node.attr if is_library else f"{inner}.{node.attr}" if inner else ""
