"""Simple arguments for functions that a program returned, to see what they do."""

from __future__ import annotations

import ast
import functools
import inspect
import types
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ..comparison.equality import FUNCTIONS
from ..inference.members import source_of, tree_of
from ..inference.records.shapes import uses_in
from ..program.own_source import source_around
from ..program.source_facts import definition_at
from ..static.parameter_members import is_plain, members_of_instance, positional_names, used_members
from ..static.walking import calls_of, walk_tree
from ..values.dynamic import type_of
from ..values.makers.call_recorder import call_recorder
from ..values.program_errors import PROGRAM_ERRORS

MAXIMUM_CALLS = 40
"""Calls of one returned function."""
MOST_KEYS = 3
"""Scalars of the call that returned the function which are tried as keys of a dictionary."""
CALLS_WITHOUT_ARGUMENTS = 3
"""Several, as the function may keep state."""
MOST_NAMES = 4
"""Keyword arguments that are tried, each alone."""
MOST_NAMED = 3
"""Values of each."""
POSITIONAL_BESIDE = 2
"""Rows of positional arguments that each of them is passed with."""


class ProbeCall(NamedTuple):
    """The arguments of a call of a returned function."""

    positional: tuple[Any, ...] = ()
    named: Mapping[str, Any] = MappingProxyType({})


class NewFunction:
    """What stands for a function that returns its arguments: each call gets another one, as decorators change what
    they are given."""

    __slots__ = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Return the function."""
        return _new_function()


def _new_function() -> Any:
    def function(*args: Any, **kwargs: Any) -> Any:
        return args, kwargs

    function.__annotations__.clear()
    return function


class Entered:
    """What an object has that a function calls or enters: it can be called and entered, and gives itself."""

    __slots__ = ()

    def __call__(self, *_args: Any, **_kwargs: Any) -> Entered:
        """Return itself."""
        return self

    def __enter__(self) -> Entered:
        """Return itself."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Let an exception through."""

    def __repr__(self) -> str:
        """Return what it is."""
        return "<context manager>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Entered:
        """Return itself: it holds nothing."""
        return self


_NEW_FUNCTION = NewFunction()
_CODE = _new_function().__code__


# `int` fails with a ValueError on some strings: what decorators do then is seen by it.
_BY_ANNOTATION: dict[str, tuple[Any, ...]] = {
    "int": (0, 1, -1, 2, 7),
    "float": (0.0, 1.5, -2.0, 7.25),
    "bool": (True, False),
    "str": ("", "a", "ab c", "B", "7"),
    "bytes": (b"", b"a", b"ab c"),
    "list": ([], [1, 2, 3], ["a", "b"]),
    "tuple": ((), (1, 2), ("a", "b", "c")),
    "dict": ({}, {"a": 1}, {1: "a"}),
    "set": (set(), {1, 2}),
}
_BY_ANNOTATION.update(
    {"List": _BY_ANNOTATION["list"], "Dict": _BY_ANNOTATION["dict"], "Tuple": _BY_ANNOTATION["tuple"]}
)
_PLAIN: tuple[Any, ...] = (0, 1, -1, 2, 7, 1.5, "", "a", "ab c", [], [1, 2, 3], (1, 2), {"a": 1}, None)
_SCALARS = (int, float, str, bytes)
_FURTHER = (True, "a", 2)
"""Values of keyword arguments that a function takes without naming them as parameters."""
_BY_NAME = ("getattr", "hasattr", "setattr", "delattr")
"""Functions that look up an attribute by its name."""
_ANY_NAME = "key"
"""A keyword that no function asks for."""


def is_function(value: Any) -> bool:
    """Whether a result is a function, also bound to an instance or to arguments."""
    return type_of(value) in FUNCTIONS


def is_new_function(value: Any) -> bool:
    """Whether a value is a function that a `NewFunction` stood for."""
    return type_of(value) is types.FunctionType and value.__code__ is _CODE


def probes_for(function: Any, row: Any, other: Any = None) -> list[ProbeCall]:
    """Return arguments to call a returned function with.

    Args:
        function: the function, of the reference.
        row: the arguments of the call that returned it: their scalars are among the values tried.
        other: the function that it is compared with. Where both use the same attributes of a parameter that no plain
            type has, objects with these are tried for it.
    """
    try:
        parameters = _parameters_of(function)
    except PROGRAM_ERRORS:  # builtins have none, and annotations may name what does not exist.
        rows = [*_combined([_any()]), *_combined([_any(), _any()])][:MAXIMUM_CALLS]
        return [ProbeCall(one) for one in rows]
    empty = inspect.Parameter.empty
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    required = [one for one in positional if one.default is empty]
    objects = {**_objects(function, other, row), **_records(function, other, row)}
    values = [objects.get(one.name) or _values_for(one.annotation, row) for one in positional]
    rows = _combined(values[: len(required)])
    if len(positional) > len(required):
        rows += _combined(values[: len(required) + 1])
    if any([one.kind is one.VAR_POSITIONAL for one in parameters]):
        rows += [(*one, 1) for one in rows[:POSITIONAL_BESIDE] if one]
        rows += [*[one[:1] for one in _combined([_any()])], (1, 2), ("a", [1])]
    by_name = {
        one.name: (one.default is empty, _values_for(one.annotation, row))
        for one in parameters
        if one.kind is one.KEYWORD_ONLY
    }
    needed = {name: values[0] for name, (is_needed, values) in by_name.items() if is_needed}
    named = _named({name: values for name, (_, values) in by_name.items()}, function)
    calls = [ProbeCall(one, needed) for one in rows[: MAXIMUM_CALLS - POSITIONAL_BESIDE * len(named)]]
    return [*calls, *[ProbeCall(one, {**needed, **further}) for further in named for one in rows[:POSITIONAL_BESIDE]]]


def _parameters_of(function: Any) -> list[inspect.Parameter]:
    """Return the parameters of a function; of one that stands for another, as decorators return it, those of that one,
    unless it needs parameters of its own, as methods do: ``def wrapper(self, *args)``."""
    own = list(inspect.signature(function, follow_wrapped=False).parameters.values())
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if any([one.kind in kinds and one.default is one.empty for one in own]):
        return own
    return list(inspect.signature(function).parameters.values())


def _named(known: dict[str, tuple[Any, ...]], function: Any) -> list[dict[str, Any]]:
    """Return keyword arguments of a function, each alone: its keyword-only parameters, and where it takes others those
    that its code names."""
    code = getattr(function, "__code__", None)
    if isinstance(code, types.CodeType) and code.co_flags & inspect.CO_VARKEYWORDS:
        asked = [one for one in code.co_consts[1:] if type(one) is str and one.isidentifier()]
        known = {**known, **dict.fromkeys([*asked[:MOST_NAMES], _ANY_NAME], _FURTHER)}
    names = list(known)[:MOST_NAMES]
    return [{name: value} for name in names for value in known[name][:MOST_NAMED]]


class Namespace(types.SimpleNamespace):
    """An object with attributes that may be an item of a set, as most objects may."""

    def __hash__(self) -> int:  # type: ignore[override]
        """Return that of its identity."""
        return id(self)


def _objects(function: Any, other: Any, row: Any) -> dict[str, tuple[Any, ...]]:
    """Return objects with the attributes that both functions use of a parameter, by its name."""
    ours = _members_of(function)
    theirs = _members_of(other) if ours else {}
    scalars = _scalars_of(row)
    values = [Entered(), *dict.fromkeys([*scalars, "a", 1, True, None]), [1, 2]]
    mixed = [True, set(scalars[:MOST_KEYS]), False, "a", [*dict.fromkeys(scalars[:MOST_KEYS]), 1], {*scalars[-1:]}]
    code = _code_of(function)
    searched = _searched_in(code, source_around(function, code.co_filename) if code is not None else None)
    return {
        name: (
            _NEW_FUNCTION,
            *[_with_containers(one, searched) for one in _with_members(sorted(members), values, mixed)],
        )
        for name, members in ours.items()
        if members == theirs.get(name)
    }


def _searched_in(code: types.CodeType | None, source: str | None) -> set[str]:
    """Return the attributes in which a function looks for something that is no constant: they are containers, and no
    strings, of which any part is in them."""
    definition = _definition_in(code, source) if code is not None else None
    return {
        right.attr
        for node in (walk_tree(definition) if definition is not None else ())
        if isinstance(node, ast.Compare) and not isinstance(node.left, ast.Constant)
        for operator, right in zip(node.ops, node.comparators)
        if isinstance(operator, (ast.In, ast.NotIn)) and isinstance(right, ast.Attribute)
    }


def _with_containers(one: Namespace, names: set[str]) -> Namespace:
    """Return an object with lists in the place of some strings."""
    held: dict[str, Any] = vars(one)
    held.update({name: [held[name]] for name in names & held.keys() if type(held[name]) is str})
    return one


def _with_members(members: list[str], values: list[Any], mixed: list[Any]) -> list[Namespace]:
    """Return objects whose members all have the same value, and such with another value for each."""
    return [*[Namespace(**dict.fromkeys(members, value)) for value in values], *_mixed_members(members, mixed)]


def _mixed_members(members: list[str], values: list[Any]) -> list[Namespace]:
    turned = [values[turn:] + values[:turn] for turn in range(len(values))]
    return [Namespace(**dict(zip(members, one * len(members)))) for one in turned]


def _records(function: Any, other: Any, row: Any) -> dict[str, tuple[Any, ...]]:
    """Return dicts with the keys that the functions look up in a parameter, by its name; each key has another value."""
    ours = _keys_of(function)
    theirs = _keys_of(other) if ours else {}
    values = list(dict.fromkeys([*_scalars_of(row), "a", 1, 2, "ab c"]))
    found: dict[str, tuple[Any, ...]] = {}
    for name, keys in ours.items():
        every = list({**keys, **theirs.get(name, {})})
        needed = [key for key, is_needed in keys.items() if is_needed]
        rotated = [values[turn:] + values[:turn] for turn in range(len(values))]
        made: list[dict[str, Any]] = [dict(zip(every, one * len(every))) for one in rotated]
        made += [dict.fromkeys(needed, one) for one in ("a", 1)]
        found[name] = (*made, *[dict.fromkeys(every, one) for one in (1, "ab c", None, [1, 2])], {})
    return found


def _keys_of(function: Any) -> dict[str, dict[str, bool]]:
    """Return the keys that a function looks up in its parameters, by name, each with whether it fails without it; none
    where its source is not known."""
    code = _code_of(function)
    return _keys_in(code, source_around(function, code.co_filename)) if code is not None else {}


@functools.lru_cache(maxsize=64)
def _keys_in(code: types.CodeType, source: str | None) -> dict[str, dict[str, bool]]:
    definition = _definition_in(code, source)
    if isinstance(definition, ast.Lambda):
        definition = ast.FunctionDef("", definition.args, [ast.Return(definition.body)], [])
    uses = uses_in(definition, None) if isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef)) else {}
    return {
        name: {key: key in use.required - use.optional for key in use.fields}
        for name, use in uses.items()
        if use.fields and use.looks_up
    }


def _members_of(function: Any) -> dict[str, set[str]]:
    """Return the members that a function uses of its parameters, by name; none where its source is not known."""
    code = _code_of(function)
    if code is None:
        return {}
    source = source_around(function, code.co_filename)
    found = _members_in(code, source)
    kept = _captured_by(function)
    for name, variables in _asked_by_variables(code, source).items():
        members = {kept[one] for one in variables if one in kept}
        found = {**found, name: found.get(name, set()) | members} if members else found
    return found


def _captured_by(function: Any) -> dict[str, str]:
    """Return the identifiers that a function captured when it was made, by the names of its variables."""
    code = getattr(function, "__code__", None)
    names = getattr(code, "co_freevars", ())
    cells = getattr(function, "__closure__", None) or ()
    held = {name: content_of(cell) for name, cell in zip(names, cells)}
    return {name: value for name, value in held.items() if type(value) is str and value.isidentifier()}


def content_of(cell: Any) -> Any:
    """Return what a variable that a function captured holds; None where it is empty yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


@functools.lru_cache(maxsize=64)
def _asked_by_variables(code: types.CodeType, source: str | None) -> dict[str, list[str]]:
    """Return the variables that name attributes of a parameter, as in ``getattr(self, name)``, by its name."""
    definition = _definition_in(code, source)
    found: dict[str, list[str]] = {}
    for _, call in calls_of(walk_tree(definition) if definition is not None else (), _BY_NAME):
        names = [one.id for one in call.args[:2] if isinstance(one, ast.Name)]
        if len(names) == 2:
            found.setdefault(names[0], []).append(names[1])
    return found


def _code_of(function: Any) -> types.CodeType | None:
    try:
        code = getattr(function, "__code__", None) or getattr(inspect.unwrap(function), "__code__", None)
    except ValueError:  # It wraps itself.
        return None
    return code if isinstance(code, types.CodeType) else None


def _definition_in(code: types.CodeType, source: str | None) -> Any:
    return definition_at(code, source or "") or _definition_of(code)


@functools.lru_cache(maxsize=64)
def _members_in(code: types.CodeType, source: str | None) -> dict[str, set[str]]:
    # One code makes the functions of all calls; its source is read once.
    definition = _definition_in(code, source)
    found = used_members(definition)
    if isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef)) and positional_names(definition):
        # What a decorator of methods returns has the instance as an argument like others.
        used = members_of_instance(definition)
        first = {} if is_plain(used) else {positional_names(definition)[0]: used}
        found = {**first, **found}
    return found


def _definition_of(code: types.CodeType) -> Any:
    """Return the tree of a function, or of a lambda that is the only one in its statement; None for others."""
    if code.co_name != "<lambda>":
        return tree_of(code)
    tree = source_of(code)
    found = [node for node in walk_tree(tree) if isinstance(node, ast.Lambda)] if tree is not None else []
    return found[0] if len(found) == 1 else None


@functools.cache
def _recorders() -> tuple[Any, ...]:
    """Functions that show what a decorator does with its function, and what it does where that one fails; made when
    they are needed, as arguments are looked through once there are any."""
    return (call_recorder(), call_recorder(raises=ValueError), call_recorder(raises=ValueError, times=1))


def _any() -> tuple[Any, ...]:
    return (*_PLAIN, _NEW_FUNCTION, int, b"ab", *_recorders())


def _values_for(annotation: Any, row: Any) -> tuple[Any, ...]:
    """Return values for a parameter: of its annotation where that is a known one, else of many types."""
    text = annotation if type_of(annotation) is str else getattr(annotation, "__name__", str(annotation))
    name = text.partition("[")[0].rpartition(".")[2]
    if name == "Callable":
        return (_NEW_FUNCTION, int, *_recorders())
    kept = _BY_ANNOTATION.get(name)
    scalars = _scalars_of(row)
    if kept is None:
        keyed: list[Any] = [{scalar: value} for scalar in scalars[:MOST_KEYS] for value in (2, "b")]
        return (*_any(), *scalars, *keyed)
    return (*kept, *[value for value in scalars if type_of(value).__name__ == name])


def _scalars_of(row: Any) -> list[Any]:
    """Return the scalars among arguments, and among the items of those that are sequences."""
    whole = [one for value in row for one in (value if type_of(value) in (tuple, list) else [value])]
    return [one for one in whole if type_of(one) in _SCALARS]


def _combined(values: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return rows of arguments in which each value occurs beside its neighbour, and beside its like."""
    if not values:
        return [()] * CALLS_WITHOUT_ARGUMENTS
    longest = max([len(one) for one in values])
    shifted = [tuple([one[(i + j) % len(one)] for j, one in enumerate(values)]) for i in range(longest)]
    if len(values) == 1:
        return shifted
    return [*shifted, *[tuple([one[i % len(one)] for one in values]) for i in range(longest)]]
