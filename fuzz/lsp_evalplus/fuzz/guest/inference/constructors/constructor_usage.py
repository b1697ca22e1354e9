"""Infers the types of a constructor's parameters without annotation from how its class uses what it stores of them.

``self.items = items`` in ``__init__`` and ``for one in self.items`` in a method show that `items` is iterated.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import sys
import types
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Callable, NamedTuple, Union

from ...calling.keywords import looked_up
from ...program.classes import BUILTIN_CONTAINERS, is_of_library
from ...program.source_facts import nodes_of_all
from ...static.parameter_members import database_connections, is_plain, method_called
from ...static.streams import handed_to_streams
from ...static.walking import Function, has_star, walk_tree
from ...values.dynamic import globals_of, is_class, is_python_function, type_of
from ...values.shapes import (
    ANYTHING,
    NONE,
    PASSED_ANYTHING,
    Shape,
    failing_functions,
    shape_of,
    union_of,
)
from ..asynchronous import asynchronous_hints
from ..callees import Home, Receiver, receivers_of, types_tested
from ..functions.called_parameters import calls_in, given_to_call
from ..hints import hints_of
from ..members import MOST, has_members, library_class, library_classes, own_classes, own_classes_having, takes_calls
from ..optional_parameters import fallback_kinds, holds_none
from ..records.made_objects import NOTHING_MADE, Made
from ..records.reader import Reader
from ..records.stated_members import made_in, stated_by
from ..records.value_usage import Use
from ..stored_parameters import (
    Renaming,
    as_names,
    as_stored,
    assignments,
    attribute_of,
    class_node,
    constructor_of,
    first_with_constructor,
    interfaces_among,
    is_interface,
    line_of,
    maker_in,
    method_of,
    methods_with_fields,
    stored_in,
)
from ..type_arguments import OF_TYPING, asked_classes, looks_into_types
from ..usage import is_text_name, told_kinds, used_kinds
from .passed_arguments import passed_on_arguments
from .stored_uses import objects_by_use, plain_parts, used_elsewhere, with_own_items

_BUILTINS = {one.__name__: one for one in (int, float, bool, str, bytes, complex, list, tuple, set, frozenset, dict)}
_ITERATING = frozenset(
    "len sorted sum list tuple set frozenset enumerate iter reversed min max any all zip map".split()
)
_PLAIN = (bool, int, str, list)
"""What a parameter may be beside the classes that are asked for."""
_LOOSE = (list, dict)
"""Types that methods such as ``get`` show, which objects of other classes may have."""
_DEEPEST = 4
_MOST_READ = 3
"""Maximum depth of classes whose constructors take objects of others."""
_being_read: list[type] = []
"""The classes whose constructors are being read, each because of the one before."""


@functools.lru_cache(maxsize=256)
def constructor_usage(kind: type) -> Mapping[str, Any]:
    """Return a type hint for each parameter of a class's constructor whose usage shows what it takes."""
    return _usage(kind, 0)


@functools.lru_cache(maxsize=256)
def converting(kind: type) -> Mapping[str, Sequence[Receiver]]:
    """Return where ``__post_init__`` of a dataclass and what it calls know the values of the fields that it assigns
    again: these may be of other types than the annotations say."""
    maker: Any = vars(kind).get("__post_init__")
    return converting_by(kind, method_of(class_node(kind, maker), "__post_init__"), None)


def converting_by(kind: type, function: Function | None, tree: ast.AST | None) -> Mapping[str, Sequence[Receiver]]:
    """Return `converting`, where the tree of ``__post_init__`` is known, and that of its module."""
    maker: Any = vars(kind).get("__post_init__")
    if function is None or not hasattr(maker, "__globals__"):
        return {}
    targets = [target for node in walk_tree(function) for target, _ in assignments(node)]
    fields: dict[str, str] = {}
    for one in targets:
        if isinstance(one, ast.Attribute) and attribute_of(one, function):
            fields[one.attr] = one.attr
    renamed = Renaming(function, fields).visit(copy.deepcopy(function))
    received = receivers_of(renamed, Home(maker.__globals__, kind, tree), {"." + name for name in fields})
    return {name[1:]: receivers for name, receivers in received.items()}


def _usage(kind: type, depth: int) -> dict[str, Any]:
    found = constructor_of(kind)
    if found is None or depth > _DEEPEST:
        return {}
    home, function, scope, names, _, _, users = found
    return {
        **_with_members(users, names, scope, home),
        **_of_base(home, function, names, depth),
        **_shown(users, names, scope),
    }


@functools.lru_cache(maxsize=256)
def objects_used(kind: type, of_hint: Callable[[Any], Shape]) -> Mapping[str, Shape]:
    """Return objects for the parameters of a class's constructor whose type nothing tells, or is an interface: they
    have the attributes that the class uses of them.

    Args:
        of_hint: returns the shape of an annotation.
    """
    found, interfaces = constructor_of(kind), _interfaces_of(kind)
    stated = {name: functools.partial(stated_by, one, shape_of=of_hint) for name, one in interfaces.items()}
    if found is None or is_of_library(kind):
        users = [None, *methods_with_fields(kind, interfaces.keys())]
        return objects_by_use(users, interfaces.keys(), stated, Home(scope_of(kind), kind)) if interfaces else {}
    known = constructor_usage(kind)
    names = {name for name in found.untold if known.get(name, list) in _LOOSE}
    mappings = {name for name in names if known.get(name) is dict}
    every = names | interfaces.keys()
    users = [*found.users, *used_elsewhere(found.home, found.scope, stored_in(found.function, every))]

    def read(made: Made) -> dict[str, Shape]:
        return objects_by_use(users, every, stated, Home(found.scope, kind), mappings, made)

    return read_with_others(kind, found.scope, of_hint, read)


def read_with_others(
    kind: type,
    scope: Mapping[str, Any],
    of_hint: Callable[[Any], Shape],
    read: Callable[[Made], dict[str, Shape]],
) -> dict[str, Shape]:
    """Return what is read of the constructor of a class, with what is known of how objects of other classes are made.

    Classes whose parts are objects of one another have no end.
    """

    def others(members: Iterable[str]) -> list[type]:
        return [one for one in own_classes_having(scope, members) if one not in _being_read]

    made = made_in(scope, others, of_hint) if len(_being_read) < _MOST_READ else NOTHING_MADE
    _being_read.append(kind)
    try:
        return read(made)
    finally:
        _being_read.pop()


def scope_of(kind: type) -> Mapping[str, Any]:
    """Return the globals of the methods of a class whose constructor is made of its fields, or of its module."""
    scopes = [one.__globals__ for one in vars(kind).values() if is_python_function(one)]
    found = next((one for one in scopes if one.get("__name__") == kind.__module__ and "__file__" in one), None)
    return globals_of(sys.modules.get(kind.__module__)) if found is None else found


def _interfaces_of(kind: type) -> Mapping[str, type]:
    """Return the interfaces that a class's constructor takes objects of, by parameter."""
    found = constructor_of(kind)
    return interfaces_among(hints_of(kind)) if found is None else found.interfaces


@functools.lru_cache(maxsize=256)
def stand_ins(kind: type) -> Mapping[str, Shape]:
    """Return the same for all such parameters that are used as objects, also where classes are known that have the
    attributes."""
    found = constructor_of(kind)
    return {} if found is None else objects_by_use(found.users, found.untold, {}, Home(found.scope, kind))


def _shown(functions: Sequence[Function | None], names: set[str], scope: Mapping[str, Any]) -> dict[str, Any]:
    """Return a type hint for each name that the functions, the constructor first, use as only some types can be."""
    known: list[Function | None] = list(functions)
    calls = dict(_calls(known))
    awaited, passed_on = asynchronous_hints(known), passed_on_arguments(known)
    asked = types_tested([(function, scope) for function in known])
    certain = [asked, used_kinds(known), _converted(known[:1])]
    likely, iterated = [told_kinds(known), fallback_kinds(known), _reckoned(known)], _iterated(known)
    found: dict[str, Any] = {}
    for name in sorted(names):
        both = (name, "." + name)
        called = [calls[one] for one in both if one in calls]
        # Items of strings are asked for as those of lists are.
        is_text = is_text_name(name)
        kinds = _kinds(certain, both) or _kinds(likely if is_text else [*likely, iterated], both)
        kinds = kinds or ([str] if is_text else [])
        own = _own_kinds([text for one in both for text in asked.get(one, ())], scope)
        # Where only classes are asked for, others mean something too.
        kinds = [*own, *(kinds or _PLAIN)] if own else kinds
        waited = [awaited[one] for one in both if one in awaited]
        if waited:
            found[name] = waited[0]
        elif called:
            found[name] = Callable[..., Any] if called[0] is None else Callable[[Any] * called[0], Any]  # type: ignore[misc]
        elif name in passed_on:
            found[name] = passed_on[name]
        elif kinds:
            found[name] = Union[tuple(kinds)]
    return found


def _with_members(
    functions: Sequence[Function | None], names: set[str], scope: Mapping[str, Any], home: type
) -> dict[str, Any]:
    """Return the classes with the members that are read of what is stored, where no builtin has them.

    Args:
        functions: the constructor, and the methods with names for the attributes.
        names: the parameters.
        scope: the globals of the constructor.
        home: the class that has the constructor.
    """
    read: dict[str, set[str]] = {}
    calls: dict[str, list[tuple[str, int]]] = {}
    connections = {one.lstrip(".") for one in database_connections(nodes_of_all(functions))} & names
    found: dict[str, Any] = {name: library_class("sqlite3.Connection") for name in sorted(connections)}
    for name, use in handed_to_streams(nodes_of_all(functions)):
        if name.lstrip(".") in names:
            found[name.lstrip(".")] = library_class("io.BytesIO" if "b" in use else "io.StringIO")
    for node in nodes_of_all(functions):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            read.setdefault(node.value.id.lstrip("."), set()).add(node.attr)
        called = method_called(node)
        if called is not None:
            calls.setdefault(called[0].lstrip("."), []).append(called[1:])
    open_names = names - found.keys()
    telling = {name: members for name, members in read.items() if name in open_names and not is_plain(members)}
    # The library's modules are imported only where a class is looked for.
    own = [one for one in dict.fromkeys(own_classes(scope)) if not is_interface(one)] if telling else []
    candidates = [*own, *library_classes()] if telling else []
    needed = _needed(maker_in(home))
    for name, members in telling.items():
        fitting = [one for one in candidates if has_members(one, members) and takes_calls(one, calls.get(name, ()))]
        # An object that needs another one of its class cannot be the first.
        fitting = [one for one in fitting if name not in needed or first_with_constructor(line_of(one)) is not home]
        fitting = fitting[:MOST]
        if fitting:
            found[name] = Union[tuple(fitting)]
    return found


def _needed(maker: types.FunctionType) -> Set[str]:
    """Return the parameters of a constructor that have no default."""
    code, optional = maker.__code__, maker.__kwdefaults__ or ()
    needed = code.co_varnames[: code.co_argcount - len(maker.__defaults__ or ())]
    by_name = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    return {*needed, *[one for one in by_name if one not in optional]}


def _kinds(sources: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[type]:
    told = {kind for source in sources for name in names for kind in source.get(name, ())}
    return [_BUILTINS[kind] for kind in sorted(told) if kind in _BUILTINS]


@functools.lru_cache(maxsize=256)
def _failing(kind: type) -> Mapping[str, Shape]:
    """Return functions for the parameters that are called where what they raise is caught: those that raise go first
    after one that returns what it gets."""
    found = constructor_of(kind)
    if found is None:
        return {}
    caught: dict[str, list[str]] = {}
    for method in found.users:
        for call, _, _, around in calls_in(method) if method is not None else ():
            if around and isinstance(call.func, ast.Name) and call.func.id.lstrip(".") in found.untold:
                caught.setdefault(call.func.id.lstrip("."), []).extend(around)
    return {
        name: union_of([PASSED_ANYTHING, *failing_functions(names, found.scope, {})]) for name, names in caught.items()
    }


@functools.lru_cache(maxsize=256)
def _looked_into(kind: type) -> Set[str]:
    """Return the parameters whose values the class asks for what only types have, as `typing.get_origin` does."""
    found = constructor_of(kind)
    if found is None:
        return frozenset()
    users = [one for one in found.users if one is not None]
    known = {
        name: [Receiver(user, one, found.scope) for user in users for one in (name, "." + name)]
        for name in found.untold
    }
    return frozenset([name for name, receivers in known.items() if looks_into_types(receivers)])


@functools.lru_cache(maxsize=256)
def asked_by(kind: type) -> Mapping[str, Shape]:
    """Return classes for the parameters by whose values the class asks, as in ``isinstance(value, self.kind)``."""
    found = constructor_of(kind)
    return {} if found is None else _by_parameter(found.users, found.untold)


def _by_parameter(users: Sequence[Function | None], names: Iterable[str]) -> dict[str, Shape]:
    asked: dict[str, Shape] = {}
    for user in users:
        asked = {**asked_classes(user), **asked}
    return {name: asked.get(name) or asked["." + name] for name in names if {name, "." + name} & asked.keys()}


def _own_kinds(names: Sequence[str], scope: Mapping[str, Any]) -> list[type]:
    """Return the classes that names of tests stand for, without the builtin ones."""
    found = [scope.get(one) for one in dict.fromkeys(names) if one not in _BUILTINS]
    return [one for one in found if is_class(one) and one.__module__ != "builtins"][:MOST]


def _converted(functions: Sequence[Function | None]) -> dict[str, set[str]]:
    """Return the names that are assigned again, or stored, as strings of what they were: no use of these tells of what
    else that may have been."""
    found: dict[str, set[str]] = {}
    for node in nodes_of_all(functions):
        value = node.value if isinstance(node, ast.Assign) else None
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "str":
            given = value.args[0] if len(value.args) == 1 else None
            if isinstance(given, ast.Name):
                found.setdefault(given.id, set()).add("str")
    return found


def _calls(functions: Sequence[Function | None]) -> Iterator[tuple[str, int | None]]:
    """Yield the names that are called, with the number of arguments; None where these are what a caller gave."""
    for node in nodes_of_all(functions):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            is_open = has_star(node.args)
            is_open = is_open or any([one.arg is None for one in node.keywords])
            yield node.func.id, None if is_open else len(node.args)
        if isinstance(node, ast.Call):
            given = given_to_call(node)
            if given is not None and isinstance(given[0], ast.Name):
                yield given[0].id, given[1]


def _reckoned(functions: Sequence[Function | None]) -> dict[str, set[str]]:
    """Return the names that stand beside a whole number in arithmetic or in a product of quotients or differences, are
    limits of a length or a difference, or give the length of a range."""
    found: dict[str, set[str]] = {}
    for node in nodes_of_all(functions):
        sides: list[ast.expr] = []
        for one in factors_in(node):
            if isinstance(one, ast.Name):
                found.setdefault(one.id, set()).update(("float", "int"))
        if isinstance(node, ast.BinOp) and not isinstance(node.op, (ast.Mod, ast.Mult)):
            pairs = ((node.left, node.right), (node.right, node.left))
            sides = [one for one, two in pairs if isinstance(two, ast.Constant) and type(two.value) is int]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
            sides = node.args
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
            both = (node.left, node.comparators[0])
            sides = [one for one, two in zip(both, reversed(both)) if _is_number(two) or _is_length(two)]
        for one in sides:
            if isinstance(one, ast.Name):
                found.setdefault(one.id, set()).add("int")
    return found


def _iterated(functions: Sequence[Function | None]) -> dict[str, set[str]]:
    """Return the names that are iterated, or given to a function that iterates."""
    found: dict[str, set[str]] = {}
    for node in nodes_of_all(functions):
        sides: list[ast.expr] = []
        if isinstance(node, ast.For) or (isinstance(node, ast.comprehension) and not node.is_async):
            sides = [node.iter]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ITERATING:
            # The larger of two values is no item of either.
            sides = node.args if node.func.id not in ("min", "max") or len(node.args) == 1 else []
        for one in sides:
            if isinstance(one, ast.Name):
                found.setdefault(one.id, set()).add("list")
    return found


def _of_base(kind: type, function: Function, names: set[str], depth: int) -> dict[str, Any]:
    """Return what the constructor of the next class shows of the parameters that are handed to it."""
    base = first_with_constructor(line_of(kind)[1:])
    maker: Any = None if base is None else vars(base)["__init__"]
    code = getattr(maker, "__code__", None)
    if base is None or code is None:
        return {}
    taken = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    told = {**_usage(base, depth + 1), **{name: hint for name, hint in hints_of(maker).items() if name in taken}}
    found: dict[str, Any] = {}
    for node in walk_tree(function):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "__init__":
            continue
        is_super = isinstance(node.func.value, ast.Call)
        given = [
            *zip(taken, node.args if is_super else node.args[1:]),
            *((one.arg, one.value) for one in node.keywords),
        ]
        for place, value in given:
            if isinstance(value, ast.Name) and value.id in names and place in told:
                found[value.id] = told[place]
    return {name: hint for name, hint in found.items() if not isinstance(hint, typing.TypeVar)}


_LINKS = frozenset("next prev previous left right parent child".split())
_LINKED = frozenset(("children", "neighbors", "neighbours"))
"""Parameters that hold an object of the same class, or a list of such, if they have no annotation and allow None."""


def untold_hint(kind: type, parameter: inspect.Parameter, of_hint: Callable[[Any], Shape]) -> Any:
    """Return the type of a constructor's parameter without annotation: by its default, its name, or its usage."""
    default = parameter.default
    if default is None and parameter.name in _LINKS:
        return typing.Optional[kind]
    if default is None and parameter.name in _LINKED:
        return typing.Optional[list[kind]]
    if type(default) in (int, float, str, bool):
        return shape_of(default)
    if parameter.name in _looked_into(kind):
        return OF_TYPING
    if parameter.name in asked_by(kind):
        return asked_by(kind)[parameter.name]
    shown = constructor_usage(kind).get(parameter.name)
    failing = _failing(kind).get(parameter.name)
    if failing is not None and default is not None:
        return failing
    if shown is list and parameter.name in with_own_items(kind):
        if default is None:
            return typing.Optional[list[kind]]
        # What needs others of its class ends in something else, as a fallback of several stores does.
        ends = stand_ins(kind).get(parameter.name) if default is inspect.Parameter.empty else None
        return list[kind] if ends is None else typing.Annotated[list[kind], ends]
    made = objects_used(kind, of_hint).get(parameter.name) if shown in _LOOSE else None
    if made is not None:
        made = made if shown is list else union_of([made, of_hint(shown)])
        return union_of([made, NONE]) if default is None else made
    if shown is not None:
        return typing.Optional[shown] if default is None or parameter.name in _compared_with_none(kind) else shown
    is_open = default is None or default is inspect.Parameter.empty
    plain = plain_parts(kind).get(parameter.name) if is_open else None
    if plain is not None:
        return union_of([plain, NONE]) if default is None else plain
    return _type_of_container(default)


@functools.lru_cache(maxsize=256)
def _compared_with_none(kind: type) -> Set[str]:
    """Return the parameters of a class's constructor that it, or a method that uses what it stores, compares with None:
    ``self.limit is not None``."""
    found = constructor_of(kind)
    nodes = [] if found is None else [node for one in found.users if one is not None for node in walk_tree(one)]
    tests = [one for one in nodes if isinstance(one, ast.Compare) and isinstance(one.ops[0], (ast.Is, ast.IsNot))]
    sides = [(one.left, one.comparators[0]) for one in tests]
    return {left.id.lstrip(".") for left, right in sides if isinstance(left, ast.Name) and holds_none(right)}


def factors_in(node: ast.AST) -> list[ast.expr]:
    """Return the operands of a product or quotient that can be numbers only: one side is a difference or a quotient,
    or the quotient is that of a product. What is no number may be repeated, or joined by a slash."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Mult, ast.Div)):
        return []
    sides = [node.left, node.right]
    if isinstance(node.op, ast.Mult):
        return [one for one, other in zip(sides, reversed(sides)) if _is_number(other)]
    is_computed = isinstance(node.left, ast.BinOp) and not isinstance(node.left.op, ast.Div)  # Paths are divided, too.
    return [*_product(node.left), node.right] if is_computed else []


def _product(node: ast.expr) -> list[ast.expr]:
    """Return the factors of a product."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _product(node.left) + _product(node.right)
    return [node]


def _is_length(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"


def _is_number(node: ast.expr) -> bool:
    """Whether an expression is a difference, or a quotient of something that is computed."""
    if not isinstance(node, ast.BinOp):
        return False
    return isinstance(node.op, ast.Sub) or (isinstance(node.op, ast.Div) and isinstance(node.left, ast.BinOp))


def widened_hint(kind: type, parameter: inspect.Parameter, of_hint: Callable[[Any], Shape]) -> Any:
    """Return the type of a constructor's parameter that may be anything: also what its usage shows. For an object of an
    interface it is that alone, or None where the object may be left out."""
    made = objects_used(kind, of_hint).get(parameter.name)
    if made is not None and parameter.name not in _interfaces_of(kind):
        return union_of([made, ANYTHING])
    if made is not None:
        return union_of([made, NONE]) if parameter.default is None else made
    if parameter.name in _looked_into(kind):
        return union_of([OF_TYPING, ANYTHING])
    shown = constructor_usage(kind).get(parameter.name)
    return Any if shown is None else Union[shown, Any]


def _type_of_container(value: Any) -> Any:
    kind: Any = type_of(value)
    return kind if kind in BUILTIN_CONTAINERS else Any


class FurtherUse(NamedTuple):
    """How a class uses what its constructor takes beside its named parameters."""

    items: Shape | None
    """What the items of ``*args`` are; None where nothing tells."""
    options: Mapping[str, Shape | None]
    """The names that are looked up in ``**kwargs``, with the shapes of their values where these are told."""
    is_free: bool
    """Whether any name will do."""


def further_use(kind: type) -> FurtherUse:
    """Return how a class uses the ``*args`` and ``**kwargs`` of its constructor."""
    found = constructor_of(kind)
    function = None if found is None else found.function
    if found is None or function is None or (function.args.vararg is None and function.args.kwarg is None):
        return FurtherUse(None, {}, is_free=False)
    return _use_in(found.home, function)


@functools.lru_cache(maxsize=256)
def _use_in(home: type, function: Function) -> FurtherUse:
    """Return `further_use` of the class that has the constructor, and of all that inherit it."""
    named = {one.arg: Use() for one in (function.args.vararg, function.args.kwarg) if one is not None}
    owner = class_node(home, maker_in(home))
    users = as_names([owner] if owner is not None else [], function, stored_in(function, set(named)))
    for one in users:
        if one is not None:
            Reader(one, {**named, **as_stored(named)}, demands=True)
    rest = named[function.args.vararg.arg].element if function.args.vararg is not None else None
    classes = _by_parameter(users, [function.args.vararg.arg] if function.args.vararg is not None else [])
    options = dict(looked_up(function))
    if function.args.kwarg is not None:
        fields = named[function.args.kwarg.arg].fields
        options.update({name: use.shape() if use.tells() else options.get(name) for name, use in fields.items()})
    return FurtherUse(
        next(iter(classes.values()), rest.shape() if rest is not None and rest.tells() else None),
        options,
        is_free=function.args.kwarg is not None and not options,
    )
