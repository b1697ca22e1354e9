"""Builds the values of recipes in a program: calls its constructors, and looks up the names."""

from __future__ import annotations

import builtins
import functools
import types
from typing import Any

from ..carved import CARVED, is_carved, read_carved
from ..class_lookup import find_class, find_in_modules
from ..dynamic import attribute_of, is_class, is_module, type_of
from ..makers.adaptable_objects import ADAPTABLE_OBJECTS
from ..makers.archives import ARCHIVE, archive_with
from ..makers.asynchronous import ASYNCHRONOUS, awaited_inside, awaited_step
from ..makers.call_recorder import (
    RECORDER,
    RETURNING,
    call_recorder,
    returning,
    returning_made,
)
from ..makers.clocks import CLOCKS
from ..makers.database_session import MAKERS_OF_DATABASES
from ..makers.input_files import FILE, FOLDER, file_with, folder_with
from ..makers.sqlite_database import MAKERS_OF_SQLITE
from .checkers_names import class_for_checkers
from .model import ALWAYS, CALLABLES, IMMUTABLE, RETURNED, Name, New, Prepared, RecipeError, is_in_test

_OF_DATABASES = {**MAKERS_OF_DATABASES, **MAKERS_OF_SQLITE}
OF_FILES = {FILE: file_with, FOLDER: folder_with, ARCHIVE: archive_with}
"""What makes files, folders and archives."""
_OF_OBJECTS = {**ADAPTABLE_OBJECTS, RECORDER: call_recorder, RETURNING: returning}
MAKERS = {**ASYNCHRONOUS, **CLOCKS, **_OF_DATABASES, **OF_FILES, **_OF_OBJECTS}
"""What makes arguments that neither a literal nor the standard library does, by the names that recipes have for it."""
_MISSING = object()
_LAMBDA = "lambda"
_EXCEPTIONS = frozenset([n for n, v in vars(builtins).items() if isinstance(v, type) and issubclass(v, BaseException)])
_ELLIPSIS = "Ellipsis"
"""By this name, ``...`` is an argument of a type: ``tuple[int, Ellipsis]``."""
LIBRARY_MODULES = tuple(
    "argparse ast asyncio collections configparser contextlib datetime decimal email enum fractions inspect io "
    "ipaddress json logging math numpy pandas pathlib queue random re sqlite3 threading types urllib uuid xml "
    "zoneinfo".split()
)
_TYPE_MODULES = ("typing", "dataclasses", "operator")
"""Modules of what makes and names types."""


def build(value: Any, namespace: dict[str, Any]) -> Any:
    """Build a fresh value of the recipe; immutable parts are shared.

    Raises whatever the program's own constructors raise, and `RecipeError` for an unknown name.
    """
    kind = type_of(value)
    if kind in IMMUTABLE:
        return value
    if kind is list:
        return [v if type(v) in IMMUTABLE else build(v, namespace) for v in value]
    if kind is tuple:
        return tuple([v if type(v) in IMMUTABLE else build(v, namespace) for v in value])
    if kind is dict:
        return {build(k, namespace): build(v, namespace) for k, v in value.items()}
    if kind is set:
        return {build(v, namespace) for v in value}
    if kind is frozenset:
        return frozenset([build(v, namespace) for v in value])
    if kind is New and value.name == ALWAYS:
        return returning_made(functools.partial(build, value.args[0], namespace))
    if kind is New:
        function = lookup(value.name, namespace)
        made = function(*build(value.args, namespace), **build(value.kwargs, namespace))
        return made if value.name in MAKERS else awaited_inside(made)
    if kind is Name:
        return lookup(value.name, namespace)
    return prepare(value, namespace)[0] if kind is Prepared else value


def prepare(value: Prepared, namespace: dict[str, Any]) -> tuple[Any, list[Any]]:
    """The instance, and what each of the calls on it returned."""
    instance = build(value.instance, namespace)
    returned = [
        awaited_step(_method(instance, call.name)(*build(call.args, namespace), **build(call.kwargs, namespace)))
        for call in value.calls
    ]
    return instance, returned


def _method(instance: Any, name: str) -> Any:
    """A method of an instance, or of one of its attributes."""
    if name.endswith(RETURNED):
        return functools.partial(_call_returned, getattr(instance, name[: -len(RETURNED)]))
    attribute, dot, rest = name.partition(".")
    return getattr(getattr(instance, attribute), rest) if dot else getattr(instance, name)


def _call_returned(method: Any, *args: Any, **kwargs: Any) -> Any:
    """Call what a method returns with the last argument."""
    return method(*args[:-1], **kwargs)(args[-1])


def lookup(dotted: str, namespace: dict[str, Any]) -> Any:
    """The object a dotted name stands for: in the program, in builtins, in an importable library module, or, for a
    class, in a module that the program's imports lead to.

    After ``from datetime import datetime`` the name ``datetime.datetime`` means the library's all the same.
    """
    if dotted in MAKERS:
        return MAKERS[dotted]
    if is_carved(dotted):
        return _carve(dotted, namespace)
    if dotted.startswith(_LAMBDA):
        return eval(_compiled(dotted), {})  # noqa: S307 - this is the confined guest
    first, _, rest = dotted.partition(".")
    found: Any = namespace.get(first, _MISSING)
    if found is not _MISSING and rest and first in LIBRARY_MODULES and not is_module(found):
        meant = _follow(_import_library(first), rest)
        if is_class(meant):
            return meant
    if found is _MISSING and (first in CALLABLES or first in _EXCEPTIONS or first == _ELLIPSIS):
        found = getattr(builtins, first)
    if found is _MISSING:
        found = _import_library(first)
        if found is None:
            found = find_class(first, namespace)
        if found is None:
            found = class_for_checkers(first, namespace)
    if found is None and rest:
        found = find_in_modules(dotted, namespace)
        if found is not None:
            return found
        # ``nx.Graph``, where the program is part of the package that its users call ``nx``.
        inner, _, rest = rest.partition(".")
        found = namespace.get(inner)
        found = find_class(inner, namespace) if found is None else found
    if found is None:
        raise RecipeError(f"the program defines no name {first!r}")
    found = _follow(found, rest)
    if found is _MISSING:
        raise RecipeError(f"the program defines no name {dotted!r}")
    return found


def name_of_class(kind: type, namespace: dict[str, Any]) -> str:
    """Return what recipes of a program call a class: its own name where that means this class in the program, and
    otherwise the name with its module where that does."""
    name = kind.__qualname__
    full = f"{kind.__module__}.{name}"
    try:
        meant = lookup(name, namespace)
    except RecipeError:
        meant = None
    is_same = is_class(meant) and f"{meant.__module__}.{meant.__qualname__}" == full
    return name if is_same or find_in_modules(full, namespace) is not kind else full


def has_names(value: Any, namespace: dict[str, Any]) -> bool:
    """Whether all names in a recipe stand for something in a program; nothing is called."""
    kind = type_of(value)
    if kind in IMMUTABLE:
        return True
    if kind is dict:
        return all([has_names(part, namespace) for pair in value.items() for part in pair])
    if kind is Prepared:
        # The calls name methods of the instance.
        arguments = [part for call in value.calls for part in (*call.args, *call.kwargs.values())]
        return all([has_names(part, namespace) for part in (value.instance, *arguments)])
    if is_in_test(value):
        return CARVED in namespace
    if kind is New and value.name == ALWAYS:
        return has_names(value.args[0], namespace)
    if kind is New or kind is Name:
        try:
            lookup(value.name, namespace)
        except RecipeError:
            return False
        return kind is Name or all([has_names(part, namespace) for part in (*value.args, *value.kwargs.values())])
    return kind not in (list, tuple, set, frozenset) or all([has_names(part, namespace) for part in value])


def _follow(value: Any, dotted: str) -> Any:
    """The attribute of an attribute, `_MISSING` where there is none."""
    for part in dotted.split(".") if dotted else ():
        value = attribute_of(value, part, _MISSING)
    return value


def _carve(text: str, namespace: dict[str, Any]) -> Any:
    carver = namespace.get(CARVED)
    if carver is None:
        raise RecipeError("the tests of the project are not run here")
    return carver(*read_carved(text))


@functools.lru_cache(maxsize=256)
def _compiled(text: str) -> types.CodeType:
    """Lambdas are built anew for each call; compiling them each time would take most of the search."""
    try:
        return compile(text, "<argument>", "eval", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RecipeError(f"not a function: {error}") from None


def _import_library(name: str) -> Any:
    name = {"np": "numpy", "pd": "pandas"}.get(name, name)
    try:
        return __import__(name) if name in (*LIBRARY_MODULES, *_TYPE_MODULES) else None
    except ImportError:
        return None
