"""Finds the types that code asks for, also in the functions of the project to which it hands on what it is given.

What is asked adds to the types that annotations, examples and usage show, and takes none away.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from ..calling.subject import Subject
from ..program.source_facts import find_function, nodes_of
from ..static.parameter_members import (
    calls_with_parameters,
    handed_on,
    parameter_names,
    read_members,
)
from ..static.walking import Function, walk_tree
from ..values.dynamic import has_on_class, is_class, is_instance, is_module, is_subclass, type_of
from .called_functions import Called, called_function
from .hints import alternatives, hints_of
from .members import MOST_HOPS, parameter_at, tree_of
from .optional_parameters import compared_with_none, first_binding
from .usage import TELLING, asked_types, is_kind, loops_over, used_kinds

_PAIRS: Any = list[tuple[str, str]]
"""What a list is that is made a dict."""
_SEQUENCES = (list, tuple)
_OTHERS = (3, "ab", [1])
"""Values of which one is of none of the types that are asked for."""


class Receiver(NamedTuple):
    """A name for what is given, in the function that has it or in one to which it is handed on."""

    function: Function
    name: str
    scope: Mapping[str, Any]
    """The globals of that function."""


class Home(NamedTuple):
    """Where a function stands."""

    scope: Mapping[str, Any]
    """Its globals."""
    owner: type | None
    """The class of a method."""
    tree: ast.AST | None = None
    """Its module, where that may be another version than the one on disk."""


def home_of(subject: Subject) -> Home:
    """Return where the function of a program stands."""
    return Home(subject.namespace, subject.loaded.owner, subject.anatomy.tree)


def definition_at(called: Called, home: Home) -> tuple[Function | None, Home]:
    """Return the definition of a function that is called where another one stands, None where its source is not known,
    and where it stands itself."""
    function = called.function
    tree = home.tree if function.__globals__ is home.scope else None
    definition = find_function(tree, function.__qualname__) if tree is not None else tree_of(function)
    return definition, Home(function.__globals__, called.owner, tree)


def receivers_of(function: Function | None, home: Home, names: Set[str] | None = None) -> dict[str, list[Receiver]]:
    """Return, by parameter of a function, or by others of its names, where its value is known as what; as what the
    function itself knows it is first."""
    found: dict[str, list[Receiver]] = {}
    if function is not None:
        known = names if names is not None else parameter_names(function)
        _follow(function, home, {name: name for name in known}, found, 0)
    return found


def _follow(
    function: Function, home: Home, origins: Mapping[str, str], found: dict[str, list[Receiver]], depth: int
) -> None:
    """Note the receivers in a function; `origins` are the first function's names, by those of this one."""
    for name, origin in origins.items():
        found.setdefault(origin, []).append(Receiver(function, name, home.scope))
    inner: dict[Called, dict[str, str]] = {}
    for name, callee, place in handed_on(function, set(origins)) if depth < MOST_HOPS else ():
        called = called_function(callee, home.scope, home.owner)
        parameter = parameter_at(called.function, place, is_bound=called.is_bound) if called is not None else None
        if called is not None and parameter is not None and callee.lineno <= first_binding(function, name):
            inner.setdefault(called, {})[parameter] = origins[name]
    for called, names in inner.items():
        definition, there = definition_at(called, home)
        if definition is not None:
            _follow(definition, there, names, found, depth + 1)


class Expected:
    """What is expected of the parameters without annotation of a program's function, also by those that it calls.

    Args:
        subject: the program.
        function: its function's tree; None where its source is not known.
    """

    def __init__(self, subject: Subject, function: Function | None) -> None:
        self.members: dict[str, set[str]] = {}
        """Members that are read of a parameter."""
        self.hints: dict[str, list[Any]] = {}
        """Annotations of the parameters of other functions that it is handed to."""
        self._read(function, Home(subject.namespace, subject.loaded.owner), {}, 0)

    def _read(self, function: Function | None, home: Home, origins: Mapping[str, str], depth: int) -> None:
        """Read a function; `origins` are the first function's parameters, by what this one calls them."""
        for name, members in read_members(function).items():
            if not depth or name in origins:
                self.members.setdefault(origins.get(name, name), set()).update(members)
        for name, callee, place in calls_with_parameters(function) if depth < MOST_HOPS else ():
            if depth and name not in origins:
                continue
            called = called_function(callee, home.scope, home.owner)
            inner = parameter_at(called.function, place, is_bound=called.is_bound) if called is not None else None
            if called is None or inner is None:
                continue
            origin, hints = origins.get(name, name), hints_of(called.function)
            if inner in hints:
                self.hints.setdefault(origin, []).append(hints[inner])
            else:
                there = Home(called.function.__globals__, called.owner)
                self._read(tree_of(called.function), there, {inner: origin}, depth + 1)


def hints_asked(receivers: Iterable[Receiver], stated: Any = None) -> list[Any]:
    """Return the types that are asked for by type tests, by methods that only one type has, and by a comparison with
    None; without duplicates.

    Args:
        receivers: the functions that ask.
        stated: the annotation: methods that its classes have, too, tell nothing.
    """
    owners = [one for one in (typing.get_origin(part) or part for part in alternatives(stated)) if _has_methods(one)]
    found: list[Any] = []
    for function, name, scope in receivers:
        tested = _tested(function, name, scope)
        is_made_dict = any([_is_dict_of(node, name) for node in nodes_of(function)])
        found += [_PAIRS if is_made_dict and kind in _SEQUENCES else kind for kind in tested]
        found += [base for kind in tested for base in _own_bases(kind)]
        kinds = [] if tested else [getattr(builtins, one) for one in sorted(used_kinds([function]).get(name, ()))]
        is_served = any([_serves(one, function, name) for one in owners])
        found += [one for one in kinds if not is_served or one in owners]
        found += [None] if name in compared_with_none(function) else []
    return [one for index, one in enumerate(found) if one not in found[:index]]


def _has_methods(kind: Any) -> bool:
    # A dict may be what a protocol describes.
    return is_class(kind) and kind is not object and not inspect.getattr_static(kind, "_is_protocol", None)


def _serves(owner: type, function: Function, name: str) -> bool:
    """Whether a class has those methods by which a function would tell a builtin type."""
    parts = [node for node in nodes_of(function) if isinstance(node, (ast.Attribute, ast.Subscript))]
    of_name = [one for one in parts if isinstance(one.value, ast.Name) and one.value.id == name]
    telling = TELLING & {one.attr if isinstance(one, ast.Attribute) else "__getitem__" for one in of_name}
    return bool(telling) and all([has_on_class(owner, one) for one in telling])


def asked_of_items(function: Function | None, home: Home, parameters: Iterable[str]) -> dict[str, list[Any]]:
    """Return, by parameter, the types that are asked of its items.

    Args:
        function: the definition.
        home: where it stands.
        parameters: names of those that may be containers.
    """
    if function is None:
        return {}
    names = set(parameters)
    loops = [(item, name) for name, item in loops_over(function) if name in names]
    receivers = receivers_of(function, home, {item for item, _ in loops}) if loops else {}
    found: dict[str, list[Any]] = {}
    for item, name in dict.fromkeys(loops):
        listed = found.setdefault(name, [])
        listed += [hint for hint in hints_asked(receivers.get(item, ())) if hint not in listed]
    return found


def asked_of_items_by(judging: Subject, newer: Subject, parameters: Iterable[str]) -> dict[str, list[Any]]:
    """Return these types of the judging program, with those classes of a newer one that both have; builtin types
    are no news, as a string is gone through like a list of strings."""
    names = list(parameters)
    found = asked_of_items(judging.anatomy.function, home_of(judging), names)
    for name, hints in asked_of_items(newer.anatomy.function, home_of(newer), names).items():
        own = [judging.find(one.__qualname__) for one in classes_among(hints)]
        listed = found.setdefault(name, [])
        listed += [one for one in own if is_class(one) and one not in listed]
    return found


def types_tested(functions: Sequence[tuple[Function | None, Mapping[str, Any]]]) -> dict[str, list[str]]:
    """Return, by name, the types that it is tested for as they are written, and the builtin types with a shape that
    other names stand for, each by itself: those of ``string_types = (str, bytes)``.

    Args:
        functions: each with the names of its module.
    """
    found = asked_types([function for function, _ in functions])
    for listed in found.values():
        kinds = [one for text in listed for _, scope in functions for one in types_named(text, scope)]
        listed += [name for name in dict.fromkeys(kinds_among(kinds)) if name not in listed]
    return found


def kinds_among(hints: Iterable[Any]) -> list[str]:
    """Return the names of the builtin types that have a shape, also of one with contents."""
    names = [getattr(typing.get_origin(one) or one, "__name__", "") for one in hints]
    return [name for name in names if is_kind(name)]


def classes_among(hints: Iterable[Any]) -> list[type]:
    """Return the other types."""
    return [one for one in hints if is_class(one) and not is_kind(one.__name__)]


def refused_values(receivers: Iterable[Receiver], *, is_told: bool) -> list[Any]:
    """Return a value of another type for each test for types whose failure raises an exception on purpose.

    Args:
        receivers: the functions that test, the one whose parameter it is first.
        is_told: whether anything else tells the type; if nothing does, a test of the first that returns counts, too.
    """
    found: list[Any] = []
    for place, (function, name, scope) in enumerate(receivers):
        leaving = ast.Raise if is_told or place else (ast.Raise, ast.Return)
        guards = [node for node in nodes_of(function) if _is_guard(node, name, leaving)]
        if guards or _refuses_others(function, name):
            kinds = tuple(_tested(function, name, scope))
            others = [value for value in _OTHERS if kinds and not any([_is_of(value, kind) for kind in kinds])]
            found += [value for value in others[:1] if value not in found]
    return found


def _is_of(value: Any, kind: Any) -> bool:
    # What an abstract class says of its instances is its own code, which is not run, but where the library made it.
    is_plain = type(kind) is type or kind.__module__ in ("collections.abc", "typing", "numbers")
    return not is_plain or is_instance(value, kind)


def _is_guard(node: ast.AST, name: str, leaving: Any) -> bool:
    """Whether a node leaves the function, by a kind of statement, where a name is not of some type."""
    if not isinstance(node, ast.If) or not any([isinstance(one, leaving) for one in node.body]):
        return False
    tests = [
        part.operand for part in walk_tree(node.test) if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not)
    ]
    return any([_is_type_test(one, name) for one in tests])


def _refuses_others(function: Function, name: str) -> bool:
    """Whether what is of none of the types that a function tests for is refused, by the last ``else`` of the tests or
    by the statement that follows them."""
    blocks = [held for node in nodes_of(function) for held in _blocks_of(node)]
    for first, following in [pair for block in blocks for pair in zip(block, [*block[1:], None])]:
        if isinstance(first, ast.If) and _tests_type(first.test, name):
            last = _last_branch(first)
            others = last or ([following] if following is not None else [])
            if others and _refuses(others[0]):
                return True
    return False


def _blocks_of(node: ast.AST) -> Iterator[list[Any]]:
    for field in ("body", "orelse"):
        held: Any = getattr(node, field, None)
        if isinstance(held, list):
            yield held


def _last_branch(node: ast.If) -> list[ast.stmt]:
    """Return what is done where no test of a chain holds."""
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
    return node.orelse


def _refuses(node: ast.stmt) -> bool:
    """Whether a statement raises an exception, or declines an operand."""
    declines = isinstance(node, ast.Return) and isinstance(node.value, ast.Name) and node.value.id == "NotImplemented"
    return declines or isinstance(node, ast.Raise)


def _tests_type(test: ast.expr, name: str) -> bool:
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    return any([_is_type_test(one, name) for one in parts])


def _is_type_test(node: ast.expr, name: str) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "isinstance"
        and isinstance(node.args[0], ast.Name)
        and node.args[0].id == name
    )


def _is_dict_of(node: ast.AST, name: str) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 1:
        return False
    return node.func.id == "dict" and isinstance(node.args[0], ast.Name) and node.args[0].id == name


def _tested(function: Function, name: str, scope: Mapping[str, Any]) -> list[Any]:
    return [one for text in asked_types([function]).get(name, ()) for one in types_named(text, scope)]


def _own_bases(kind: Any) -> list[type]:
    """Return the program's classes that a class of exceptions derives from: what is asked tells it from these."""
    is_exception = is_class(kind) and is_subclass(kind, BaseException)
    return [one for one in kind.__mro__[1:] if one.__module__ != "builtins"] if is_exception else []


def types_named(path: str, scope: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the classes that a dotted name stands for: one, or those of a tuple."""
    first, *rest = path.split(".")
    found: Any = scope.get(first, getattr(builtins, first, None))
    for name in rest:
        found = vars(found).get(name) if is_module(found) else inspect.getattr_static(found, name, None)
    for one in found if type_of(found) is tuple else (found,):
        if is_instance(one, type) or typing.get_origin(one) is not None:
            yield one
