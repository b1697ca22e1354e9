"""Where a class keeps what its constructor takes: attributes, and parameters of methods that get it; and which keys it
looks up in that.
"""

from __future__ import annotations

import ast
import collections
import copy
import functools
import inspect
import typing
from collections import deque
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    MutableSequence,
    Sequence,
    Set,
)
from types import MappingProxyType
from typing import Any, NamedTuple

from ..program.own_source import tree_around
from ..program.source_facts import has_decorator
from ..static.parameter_members import (
    is_name,
    members_of_instance,
    own_attribute,
    positional_names,
    positional_parameters,
)
from ..static.walking import FUNCTIONS, Function, has_star, name_of, string_in, walk_tree
from ..values.dynamic import is_class, is_python_function, type_of, unwrapped
from ..values.shapes import Shape
from .hints import alternatives, hints_of, is_union
from .records.kept_items import copied_name, filled_in, keyed_name, with_items
from .records.reader import Reader
from .records.shapes import with_records
from .records.value_usage import Use

_MAPPINGS: tuple[Any, ...] = (dict, Mapping, MutableMapping)
_SEQUENCES: tuple[Any, ...] = (list, tuple, set, frozenset, Sequence, MutableSequence, Iterable, Collection, Set, deque)
_NAMESPACES = frozenset(("argparse.Namespace", "optparse.Values", "types.SimpleNamespace"))
"""Classes whose objects have whatever attributes they are given."""
_OF_TYPES = frozenset(("typing", "typing_extensions", "collections.abc", "abc", "contextlib", "numbers", "io", "_io"))
"""Where abstract classes of the language stand."""


def stored_in(function: Function, names: set[str]) -> dict[str, str]:
    """Return the attributes in which the constructor stores parameters: as they are, a copy, a constant for a false
    one, or a partial function of one."""
    found: dict[str, str] = {}
    for node in walk_tree(function):
        for target, value in assignments(node):
            if isinstance(value, ast.Call) and is_name(value.func, "partial") and value.args:
                value = value.args[0]  # A call of it is one of the function.
            if attribute_of(target, function) and copied_name(value) in names:
                found.setdefault(target.attr, copied_name(value))  # type: ignore[attr-defined]
    return found


def methods_of(owners: Iterable[ast.ClassDef]) -> list[Function]:
    """Return the methods that some classes define."""
    return [one for owner in owners for one in owner.body if isinstance(one, FUNCTIONS)]


def kept_by_key(function: Function, names: set[str], filled: Iterable[tuple[str, str, bool]]) -> dict[str, str]:
    """Return the attributes in which the constructor keeps the items of parameters by their keys.

    Args:
        filled: what it fills one by one.
    """
    pairs = [pair for node in walk_tree(function) for pair in assignments(node)]
    found = {
        one.attr: keyed_name(value)
        for one, value in pairs
        if isinstance(one, ast.Attribute) and attribute_of(one, function)
    }
    found.update({attribute: name for attribute, name, is_keyed in filled if is_keyed})
    return {attribute: name for attribute, name in found.items() if name in names}


def passed_to_methods(
    function: Function, names: set[str], owners: Sequence[ast.ClassDef]
) -> Mapping[str, Mapping[str, str]]:
    """Return the methods to which the constructor passes parameters, with their own names for these."""
    methods = {one.name: one for one in methods_of(owners)}
    found: dict[str, dict[str, str]] = {}
    for call in walk_tree(function):
        if not isinstance(call, ast.Call) or not attribute_of(call.func, function):
            continue
        method = methods.get(call.func.attr)  # type: ignore[attr-defined]
        if method is None or method.name == function.name or has_star(call.args):
            continue
        given = [*zip(positional_names(method)[1:], call.args), *[(one.arg, one.value) for one in call.keywords]]
        own_names = {own: one.id for own, one in given if own and isinstance(one, ast.Name) and one.id in names}
        found.setdefault(method.name, {}).update(own_names)
    return found


def stored_by(passed: Mapping[str, Mapping[str, str]], owners: Sequence[ast.ClassDef]) -> Iterator[tuple[str, str]]:
    """Yield the attributes in which methods store what the constructor passes to them."""
    for owner in owners:
        for one in owner.body:
            if isinstance(one, FUNCTIONS) and one.name in passed:
                for attribute, own in stored_in(one, set(passed[one.name])).items():
                    yield attribute, passed[one.name][own]


def assignments(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield targets with their values, those of ``a, b = c, d`` one by one, and what a call sets, as in constructors of
    instances that refuse assignments: ``object.__setattr__(self, "a", b)``."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield target, node.value
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                yield from zip(target.elts, node.value.elts)
    elif isinstance(node, ast.Call) and name_of(node.func) in _SETTERS and len(node.args) in (2, 3):
        *instance, name, value = node.args
        if string_in(name):
            yield ast.Attribute(instance[0] if instance else ast.Name("self"), string_in(name), ast.Store()), value


_SETTERS = frozenset(("__setattr__", "setattr"))


def attribute_of(node: ast.AST, function: Function) -> bool:
    """Whether a node is an attribute of a method's instance."""
    return own_attribute(node, function) != ""


def as_names(
    owners: Sequence[ast.ClassDef],
    maker: Function,
    stored: Mapping[str, str],
    passed: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    keyed: Mapping[str, str] = MappingProxyType({}),
) -> list[Function | None]:
    """Return the constructor and copies of the methods in which the stored attributes have names of their own.

    Args:
        owners: the classes.
        maker: the constructor.
        stored: the attributes, by the parameters that they hold.
        passed: the methods to which the constructor passes parameters, with their own names for these.
        keyed: the attributes that hold items of parameters by keys.
    """
    written = methods_of(owners if stored or passed or keyed else ())
    methods = [
        with_items(one, tuple(keyed.items())) if keyed else one
        for one in with_properties(written, own_first=[*owners[1:], *owners[:1]])
        if one.name in passed or not {**stored, **keyed}.keys().isdisjoint(_attributes_in(one))
    ]
    kept = tuple(stored.items())
    return [maker, *[_renamed(one, kept, tuple(passed.get(one.name, {}).items())) for one in methods]]


def with_properties(methods: Sequence[Function], own_first: Sequence[ast.ClassDef] = ()) -> list[Function]:
    """Return methods in which the properties of their class that only return parts of it are what they return:
    ``self.name`` is ``self._name``.

    Args:
        methods: of a class and its bases, those that count first.
        own_first: the classes, where the methods are in another order.
    """
    ordered = methods_of(own_first) or methods
    first = {one.name: one for one in reversed(ordered) if not has_decorator(one, ("setter", "deleter"))}
    found = [(one.name, value) for one in first.values() for value in [_part_returned(one)] if value is not None]
    return [_inlined(one, tuple(found)) for one in methods] if found else list(methods)


def _part_returned(method: Function) -> ast.expr | None:
    """Return what a property returns where that is all it does, and is made of its instance alone; else None."""
    kinds = [name_of(one) for one in method.decorator_list]
    *others, last = method.body
    is_all = len(others) == (ast.get_docstring(method, clean=False) is not None)
    value = last.value if is_all and isinstance(last, ast.Return) else None
    if value is None or kinds not in (["property"], ["cached_property"]) or isinstance(value, ast.Constant):
        return None
    names = {one.id for one in walk_tree(value) if isinstance(one, ast.Name)}
    return value if names == set(positional_names(method)) else None


@functools.lru_cache(maxsize=4096)
def _inlined(method: Function, properties: tuple[tuple[str, ast.expr], ...]) -> Function:
    known = {name: value for name, value in properties if name != method.name}
    if known.keys().isdisjoint(_attributes_in(method)):
        return method
    instance = next(iter(positional_names(method)))
    return _Inlining(instance, known).visit(copy.deepcopy(method))  # type: ignore[no-any-return]


class _Inlining(ast.NodeTransformer):
    """Puts what properties return in their places."""

    def __init__(self, instance: str, values: Mapping[str, ast.expr]) -> None:
        self._instance = instance
        self._values = values

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Return what a property returns, in which others are put in their places."""
        is_read = is_name(node.value, self._instance) and isinstance(node.ctx, ast.Load)
        if not is_read or node.attr not in self._values:
            return self.generic_visit(node)
        value = copy.deepcopy(self._values[node.attr])
        for part in ast.walk(value):
            if isinstance(part, ast.Name):
                part.id = self._instance
        others = {name: one for name, one in self._values.items() if name != node.attr}
        return _Inlining(self._instance, others).visit(value)  # type: ignore[no-any-return]


@functools.lru_cache(maxsize=4096)
def _renamed(method: Function, stored: tuple[tuple[str, str], ...], passed: tuple[tuple[str, str], ...]) -> Function:
    """Return a copy of a method with names for what is stored; the same for all subclasses of its class."""
    return Renaming(method, dict(stored), dict(passed)).visit(copy.deepcopy(method))  # type: ignore[no-any-return]


_attributes_in = functools.lru_cache(maxsize=4096)(members_of_instance)


LOCAL = "local "
"""Stands before the names of local variables that are called as a parameter of the constructor; there, they are the
parameters."""


def as_given(uses: Mapping[str, Use]) -> dict[str, Use]:
    """Return the uses of parameters by the names that these have in the constructor, or in a copy of it."""
    return {**uses, **{LOCAL + name: use for name, use in uses.items()}}


def as_stored(uses: Mapping[str, Use]) -> dict[str, Use]:
    """Return the uses of parameters by the names that the attributes which hold them have in copies of methods."""
    return {"." + name: use for name, use in uses.items()}


class Renaming(ast.NodeTransformer):
    """Names ``self.x`` as ``.p`` where it holds the parameter `p`, and local variables of that name otherwise.

    A local variable that is only assigned once, as in ``x = self.x``, is named like the attribute. So is a parameter
    to which the constructor passes `p`.
    """

    def __init__(
        self, function: Function, stored: Mapping[str, str], passed: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._function = function
        self._stored = stored
        self._passed = passed
        pairs = [pair for node in walk_tree(function) for pair in assignments(node)]
        names = [one for one in walk_tree(function) if isinstance(one, ast.Name)]
        bound = collections.Counter([one.id for one in names if isinstance(one.ctx, ast.Store)])
        self._aliases = {
            target.id: value.attr
            for target, value in pairs
            if isinstance(target, ast.Name) and isinstance(value, ast.Attribute) and bound[target.id] == 1
            if attribute_of(value, function) and value.attr in stored
        }

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Rename an attribute that holds a parameter."""
        if attribute_of(node, self._function) and node.attr in self._stored:
            return ast.copy_location(ast.Name("." + self._stored[node.attr], node.ctx), node)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Rename a local variable."""
        if node.id in self._aliases and isinstance(node.ctx, ast.Load):
            return ast.copy_location(ast.Name("." + self._stored[self._aliases[node.id]], node.ctx), node)
        if node.id in self._passed and isinstance(node.ctx, ast.Load):
            return ast.copy_location(ast.Name("." + self._passed[node.id], node.ctx), node)
        is_another = node.id in self._stored.values()
        return ast.copy_location(ast.Name(LOCAL + node.id, node.ctx), node) if is_another else node


class Constructor(NamedTuple):
    """How a class makes its objects, and what its methods do with what is stored."""

    home: type
    """The class that has the constructor."""
    function: Function
    scope: Mapping[str, Any]
    """The globals of the constructor."""
    untold: set[str]
    """The parameters whose annotation says nothing, or names an interface."""
    interfaces: Mapping[str, type]
    """The latter."""
    containers: set[str]
    """Those that are annotated as dicts, or as lists of anything."""
    users: Sequence[Function | None]
    """The constructor, and the methods with names for the attributes."""


@functools.lru_cache(maxsize=256)
def constructor_of(kind: type) -> Constructor | None:
    """Return how a class makes its objects; None where the source of its constructor is not known."""
    line = line_of(kind)
    home = _home_of(line)
    maker: Any = None if home is None else maker_in(home)
    owner = None if home is None else class_node(home, maker)
    function = method_of(owner, "__init__") or as_initialiser(method_of(owner, "__new__"))
    if home is None or owner is None or function is None:
        return None
    hints = hints_of(maker)
    interfaces = interfaces_among(hints)
    untold, containers = untold_parameters(function) | interfaces.keys(), containers_among(hints)
    names = untold | containers
    heirs = line[: line.index(home)]  # Their methods use what it stores.
    nodes = list(map(definition_of, heirs))
    owners = [owner, *[node for node in nodes if node is not None]]
    passed = passed_to_methods(function, names, owners)
    filled = list(filled_in(function, {one.name: one for one in methods_of(owners)}))
    stored = {**dict(stored_by(passed, owners)), **stored_in(function, names)}
    stored.update({attribute: name for attribute, name, is_keyed in filled if not is_keyed and name in names})
    users = as_names(owners, function, stored, passed, kept_by_key(function, names, filled))
    return Constructor(home, function, maker.__globals__, untold, interfaces, containers, users)


def _home_of(line: Sequence[type]) -> type | None:
    """Return the first of some classes that has a constructor: one that makes objects by `__new__` where none of them
    initialises objects, as in classes that derive from a string or a number."""
    return first_with_constructor(line) or next((one for one in line if maker_in(one) is not None), None)


def maker_in(kind: type) -> Any:
    """Return the constructor that a class defines, `__new__` where it has no other; None where it defines none."""
    members = vars(kind)
    if "__init__" in members:
        return members["__init__"]
    maker = getattr(members.get("__new__"), "__func__", None)
    return maker if is_python_function(maker) else None


def as_initialiser(maker: Function | None) -> Function | None:
    """Return a copy of a `__new__` in which the object that it makes has the name of its first parameter, so that what
    it stores in that is read as what `__init__` stores in its instance."""
    if maker is None:
        return None
    made = {
        target.id
        for node in walk_tree(maker)
        for target, value in assignments(node)
        if isinstance(target, ast.Name) and isinstance(value, ast.Call) and name_of(value.func) == "__new__"
    }
    copied, instance = copy.deepcopy(maker), next(iter(positional_names(maker)), "cls")
    for node in ast.walk(copied):
        if isinstance(node, ast.Name) and node.id in made:
            node.id = instance
    return copied


def is_interface(hint: Any) -> bool:
    """Return whether an annotation is a protocol of the project, or an abstract class that nothing implements: only
    what is used of its objects tells how to make one."""
    if not is_class(hint) or hint.__module__ in _OF_TYPES:
        return False
    if inspect.getattr_static(hint, "_is_protocol", None) is True:
        return True
    return inspect.isabstract(hint) and not type.__subclasses__(hint)


def interface_in(hint: Any) -> type | None:
    """Return the interface that an annotation names, also where None is allowed beside it, or the class whose objects
    have whatever attributes they are given, as `argparse.Namespace`; None for others."""
    if is_union(typing.get_origin(hint)):
        others = [one for one in typing.get_args(hint) if one is not type(None)]
        hint = others[0] if len(others) == 1 else None
    return hint if is_interface(hint) or _name_of(hint) in _NAMESPACES else None


def _name_of(hint: Any) -> str:
    return f"{hint.__module__}.{hint.__name__}" if is_class(hint) else ""


def interfaces_among(hints: Mapping[str, Any]) -> dict[str, type]:
    """Return the interfaces that annotations name, by parameter."""
    found = {name: interface_in(hint) for name, hint in hints.items()}
    return {name: kind for name, kind in found.items() if kind is not None}


def methods_stated(kind: type) -> Set[str]:
    """Return the methods that an interface states; none for one of mappings."""
    stated = [vars(one) for one in line_of(kind) if one.__module__ not in _OF_TYPES]
    names = {name for members in stated for name in members if is_python_function(members[name])}
    return frozenset() if "__getitem__" in names else names


def line_of(kind: type) -> Sequence[type]:
    """Return a class and its bases in the order of inheritance, without ``object`` and those of `typing`, of which some
    have no source: ``Generic`` since Python 3.12."""
    line: Sequence[type] = type.__getattribute__(kind, "__mro__")[:-1]
    return [one for one in line if type.__getattribute__(one, "__module__") not in ("typing", "typing_extensions")]


def first_with_constructor(line: Sequence[type]) -> type | None:
    """Return the first of some classes that has a constructor of its own."""
    return next((one for one in line if "__init__" in vars(one)), None)


def definition_of(kind: type) -> ast.ClassDef | None:
    """Return the definition of a class; None where none of its methods and properties tells its file."""
    behind = [one for one in map(_function_behind, list(vars(kind).values())) if is_python_function(one)]
    functions = [one for one in behind if "__wrapped__" not in vars(one)]
    home = type.__getattribute__(kind, "__module__")
    own = [one for one in functions if one.__module__ == home]
    return class_node(kind, next(iter(own or functions), None))


def _function_behind(member: Any) -> Any:
    """Return the function that a method, a property or a function with decorators was made of; others as they are."""
    kind = type_of(member)
    if kind in (staticmethod, classmethod):
        member = member.__func__
    elif kind is property:
        member = member.fget
    elif kind in (functools.cached_property, functools.singledispatchmethod):
        member = member.func
    return unwrapped(member) if is_python_function(member) else member


def class_node(kind: type, maker: Any) -> ast.ClassDef | None:
    """Return the definition of a class in the file of one of its methods, in the version that it belongs to: two of a
    file may be loaded."""
    path: Any = getattr(getattr(maker, "__code__", None), "co_filename", None)
    node: Any = tree_around(maker, path) if isinstance(path, str) and "<locals>" not in kind.__qualname__ else None
    for name in kind.__qualname__.split("."):
        body = getattr(node, "body", ())
        node = next((one for one in body if isinstance(one, ast.ClassDef) and one.name == name), None)
    return node


def method_of(owner: ast.ClassDef | None, name: str) -> Function | None:
    """Return the definition of a method."""
    body = owner.body if owner is not None else ()
    return next((one for one in body if isinstance(one, FUNCTIONS) and one.name == name), None)


def untold_parameters(function: Function) -> set[str]:
    """Return the parameters whose annotation says nothing, but the instance."""
    arguments = function.args
    every = positional_parameters(arguments)[1:] + arguments.kwonlyargs
    return {one.arg for one in every if one.annotation is None or name_of(one.annotation) == "Any"}


def containers_among(hints: Mapping[str, Any]) -> set[str]:
    """Return the names that are annotated as mappings, or as sequences or sets of anything, also beside something else;
    and those that may be anything."""
    return {name for name, hint in hints.items() if any(map(_is_container, alternatives(hint)))}


def is_mapping(hint: Any) -> bool:
    """Return whether an annotation names a mapping."""
    return hint in _MAPPINGS or typing.get_origin(hint) in _MAPPINGS


def _is_container(hint: Any) -> bool:
    kind = typing.get_origin(hint) or hint
    items = [one for one in typing.get_args(hint) if one is not Ellipsis]
    return is_mapping(hint) or hint in (Any, object) or (kind in _SEQUENCES and all(map(_is_loose, items)))


def _is_loose(hint: Any) -> bool:
    """Whether an annotation says little of an item: only what is done with it tells its parts."""
    return isinstance(hint, typing.TypeVar) or hint is Callable or _is_container(hint)


@functools.lru_cache(maxsize=256)
def records_used(kind: type) -> Mapping[str, Use]:
    """Return the usage of the parameters of a class's constructor that are records: what keys the class looks up in
    them, in its constructor and where its methods use what that stores."""
    found = constructor_of(kind)
    names = containers_among(hints_of(kind)) if found is None else found.untold | found.containers
    maker, *methods = [None, *methods_with_fields(kind, names)] if found is None else found.users
    uses = {name: Use() for name in sorted(names)}
    stored = as_stored(uses)
    for function, known in [(maker, {**uses, **stored}), *[(one, stored) for one in methods]]:
        if function is not None and (function is maker or function.name != "__init__"):
            Reader(function, known, demands=True)
    return {name.lstrip("_") if found is None else name: use for name, use in uses.items() if use.fields}


def as_records(kind: type, parts: Mapping[str, Shape]) -> tuple[Shape, ...]:
    """Return the shapes of the parameters of a class's constructor, as records where it uses them so."""
    uses = records_used(kind)
    return tuple([with_records(part, uses.get(name)) for name, part in parts.items()])


def methods_with_fields(kind: type, names: Set[str]) -> Sequence[Function]:
    """Return copies of the methods of a class whose constructor is made of its fields, in which these have names of
    their own."""
    owners = [one for one in map(definition_of, line_of(kind)) if one is not None] if names else []
    return [Renaming(one, {name: name for name in names}).visit(copy.deepcopy(one)) for one in methods_of(owners)]
