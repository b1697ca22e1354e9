"""Infers the classes of parameters without annotation from their members that a function uses.

Of ``def pause(length): return length.days * 24 + length.seconds // 3600`` only a `timedelta` is meant: it has both.
"""

from __future__ import annotations
import __future__

import ast
import functools
import importlib
import inspect
import sys
import textwrap
import tokenize
import types
from collections.abc import Iterable, Mapping, Set
from typing import Any, Optional

from ..calling.subject import Subject
from ..program.bytecode import operations_in
from ..static.parameter_members import is_plain
from ..static.walking import Function
from ..values.class_lookup import package_of
from ..values.dynamic import codes_within, globals_of, is_class, is_python_function, is_subclass, type_of
from ..values.makers.web_requests import SHOWN_PARTS

_LIBRARY = (
    "datetime.timedelta",
    "datetime.datetime",
    "datetime.date",
    "datetime.time",
    "decimal.Decimal",
    "fractions.Fraction",
    "pathlib.PurePosixPath",
    "re.Pattern",
    "io.StringIO",
    "io.BytesIO",
    "collections.deque",
    "uuid.UUID",
    "ipaddress.IPv4Address",
    "ipaddress.IPv4Network",
)
"""Classes of the standard library whose objects are often parameters; imported only where one is looked for."""
MOST = 4
"""Maximum number of classes of a parameter."""
MOST_HOPS = 2
"""Maximum number of calls through which a parameter is followed."""


def parameter_at(function: Any, place: int | str, *, is_bound: bool) -> str | None:
    """Return the name of a function's parameter by its position or name in a call; None where it has none there.

    Of a request each function may have a part (`static.web.request_parts`).
    """
    if function is None:
        return None
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if isinstance(place, str):
        return place if place in names or place in SHOWN_PARTS else None
    place += is_bound
    return names[place] if place < code.co_argcount else None


def tree_of(function: Any) -> Function | None:
    """Return the definition of a live function; None where its source is not known."""
    tree = source_of(function)
    first = tree.body[0] if tree is not None and tree.body else None
    return first if isinstance(first, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def source_of(function: Any) -> ast.Module | None:
    """Return the statements with which a live function begins, parsed; None where they are not known."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, ValueError, tokenize.TokenError):
        return None
    code = function if isinstance(function, types.CodeType) else getattr(function, "__code__", None)
    return tree if not isinstance(code, types.CodeType) or _may_be_of(tree, code) else None


def _may_be_of(tree: ast.Module, code: types.CodeType) -> bool:
    """Return whether statements use the names of a function: an older version's lines are others than those of the
    file."""
    flags = code.co_flags & __future__.annotations.compiler_flag
    try:
        whole = compile(tree, code.co_filename, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError):
        return True  # Alone it has no variables of the function around it, which `nonlocal` needs.
    own = [one for one in whole.co_consts if isinstance(one, types.CodeType) and one.co_name == code.co_name]
    return _names_in(code) == _names_in(own[0]) if own else _names_in(code) <= _names_in(whole)


def _names_in(code: types.CodeType) -> set[str]:
    """Return the names that a function and those inside of it use, without private ones of classes, which depend on
    the class."""
    found = set[str]()
    for one in codes_within([code]):
        found.update(one.co_names, one.co_varnames, one.co_freevars, one.co_cellvars)
    return {name for name in found if "__" not in name}


def classes_with_members(
    subject: Subject, judging: Mapping[str, Set[str]], candidate: Mapping[str, Set[str]], made: Iterable[type]
) -> Mapping[str, list[type]]:
    """Return the classes that have the members used of each parameter: the project's, and the standard library's.

    Args:
        subject: the judging program.
        judging: the members that it uses.
        candidate: those that the candidate uses. A class with the members that both use is taken first.
        made: classes whose objects the project's code shows how to make.
    """
    telling = {name: members for name, members in judging.items() if not is_plain(members)}
    if not telling:
        return {}
    own: list[type] = [one for one in own_classes(subject.namespace) if not issubclass(one, BaseException)]
    candidates = list(dict.fromkeys([*made, *own, *library_classes()]))
    found: dict[str, list[type]] = {}
    for name, members in telling.items():
        both = [one for one in candidates if has_members(one, members | candidate.get(name, set()))]
        fitting = both or [one for one in candidates if has_members(one, members)]
        found[name] = fitting[:MOST]
    return found


def has_members(kind: type, members: Set[str]) -> bool:
    """Return whether objects of a class have all members: as attributes of the class, or stored by its constructor or
    another method."""
    missing = {one for one in members if not _is_static(kind, one)}
    if not missing:
        return True
    for base in kind.__mro__:
        stated: Any = vars(base).get("__annotations__")
        # Of `type` itself, the base of metaclasses, it is a descriptor.
        missing -= set(stated if hasattr(stated, "keys") else ())
    return not missing or missing <= _stored_by_methods(kind)


def takes_calls(kind: type, calls: Iterable[tuple[str, int]]) -> bool:
    """Return whether methods of a class that are written in Python take as many arguments as they are called with."""
    for name, count in calls:
        method = inspect.getattr_static(kind, name, None)
        if is_python_function(method):
            code = method.__code__
            most = float("inf") if code.co_flags & inspect.CO_VARARGS else code.co_argcount - 1
            if not code.co_argcount - 1 - len(method.__defaults__ or ()) <= count <= most:
                return False
    return True


@functools.lru_cache(maxsize=512)
def _stored_by_methods(kind: type) -> Set[str]:
    """Return the attributes that the methods of a class written in Python assign."""
    methods = [one for base in kind.__mro__ for one in list(vars(base).values()) if is_python_function(one)]
    operations = [one for method in methods for one in operations_in(method.__code__)]
    return frozenset([name for operation, name in operations if operation == "STORE_ATTR"])


def library_classes() -> list[type]:
    """Return classes of the standard library whose objects are often parameters."""
    return [library_class(name) for name in _LIBRARY]


def own_classes(scope: Mapping[str, Any]) -> list[type]:
    """Return the classes among a module's globals that are the project's."""
    return [one for one in scope.values() if is_class(one) and is_own(one, scope)]


def own_classes_having(scope: Mapping[str, Any], members: Iterable[str]) -> list[type]:
    """Return the first of these classes whose objects have all of some members, without exceptions; none where every
    plain type has these, too."""
    wanted = set(members)
    kinds = [] if is_plain(wanted) else own_classes(scope)
    return [one for one in kinds if not is_subclass(one, BaseException) and has_members(one, wanted)][:MOST]


def class_named(parameter: str, scope: Mapping[str, Any]) -> type | None:
    """Return the class of the project that a parameter is named after, ``http_request`` after ``HTTPRequest``.

    None where there is none, or where several have such a name.
    """
    root = package_of(scope)
    return _classes_by_name(root, len(sys.modules)).get(parameter.replace("_", "").lower()) if root else None


@functools.lru_cache(maxsize=8)
def _classes_by_name(root: str, _loaded: int) -> Mapping[str, type | None]:
    """Return the classes that the loaded modules of a package define, by their names in lower case."""
    found: dict[str, type | None] = {}
    for name, module in sorted(sys.modules.items()):
        for kind in list(globals_of(module).values()) if name.partition(".")[0] == root else ():
            if issubclass(type_of(kind), type) and type.__getattribute__(kind, "__module__") == name:
                key = str(type.__getattribute__(kind, "__name__")).replace("_", "").lower()
                found[key] = None if key in found and found[key] is not kind else kind
    return found


def inherited_hint(owner: type | None, parameter: str) -> Any:
    """Return the type of a parameter of that name by the class of the standard library that a method's class derives
    from, which calls its methods; None where that tells nothing."""
    for base in owner.__mro__ if owner is not None else ():
        found = _INHERITED.get(f"{base.__module__}.{base.__qualname__}", {}).get(parameter)
        if found is not None:
            return library_class(found) if isinstance(found, str) else found
    return None


_OF_RECORDS = {"record": "logging.LogRecord"}
_INHERITED: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("logging.Filterer", "logging.Filter", "logging.Formatter"), _OF_RECORDS),
    "argparse.Action": {"namespace": "argparse.Namespace", "parser": "argparse.ArgumentParser", "option_string": str},
    "html.parser.HTMLParser": {"tag": str, "attrs": list[tuple[str, Optional[str]]], "data": str},
    "cmd.Cmd": {"line": str, "arg": str},
    "asyncio.protocols.BaseProtocol": {"data": bytes},
}


def library_class(name: str) -> type:
    """Return a class of the standard library by its full name; its module is imported."""
    module, _, attribute = name.partition(".")
    found: type = getattr(importlib.import_module(module), attribute)
    return found


def _is_static(kind: type, name: str) -> bool:
    try:
        inspect.getattr_static(kind, name)
    except AttributeError:
        return False
    return True


def is_own(kind: Any, scope: Mapping[str, Any]) -> bool:
    """Return whether a class or function is the project's: of the module with these globals, or of one beside it."""
    return str(getattr(kind, "__module__", "")).partition(".")[0] == package_of(scope)
