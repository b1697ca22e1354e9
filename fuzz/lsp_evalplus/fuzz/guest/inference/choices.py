"""Finds the constants that decide what a function does with a parameter or its items: each is a choice of the caller.

They are what the parameter is compared with, the keys of a table that it is looked up in, the values of an enumeration
that it names, and what the functions of the module that it is handed to ask of it.
"""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from ..program.source_facts import nodes_of, read_tree
from ..static.parameter_members import listed_parameters, parameter_names
from ..static.walking import FUNCTIONS, Function, items_in
from ..values.dynamic import is_class, is_module, is_python_function, type_of
from ..values.public_state import is_private
from ..values.recipes.model import NEGATIVE, Name, New
from ..values.shapes import BoolShape, ChoiceShape, Shape, union_of
from .library_calls import words_taken_by
from .records.reader import OF_MAPPINGS
from .stored_parameters import attribute_of, definition_of, line_of, stored_in
from .usage import SAME_ITEMS, patterns_of

_SCOPES = (ast.Module, ast.ClassDef, *FUNCTIONS)
_EQUALITIES = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)
_MEMBERSHIPS = (ast.In, ast.NotIn)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_SCALARS = (int, float, str, bytes, bool, type(None))
_CONTAINERS = (dict, set, frozenset, list, tuple)
_RECIPES = (Name, New)
_SAME_TEXT = frozenset("lower upper strip casefold rstrip lstrip title".split())
_DISPLAYS = (ast.Dict, ast.Set, ast.List, ast.Tuple)
_LOOKUPS = frozenset(("get", "pop", "index", "count", "setdefault"))
_AFFIXES = frozenset(("startswith", "endswith", "removeprefix", "removesuffix"))
_ATTRIBUTES = frozenset(("getattr", "hasattr", "setattr", "delattr"))
_FURTHER = "a"
_KEY = "\0"
"""Between the name of a parameter and a key of it."""
MOST_CHOICES = 24
"""Maximum number of choices of a parameter."""
MOST_MEMBERS = 8
"""Maximum number of members of an enumeration."""
DEPTH = 2
"""Maximum number of calls that are followed to what other functions ask of a parameter."""
_LONGEST = 60


class Where(NamedTuple):
    """What the names in a function mean."""

    tree: ast.AST
    """The module."""
    namespace: Mapping[str, Any]
    owner: type | None
    """The class of a method."""


def choices_of(functions: Iterable[tuple[Function | None, Where]], *, of_items: bool = False) -> dict[str, list[Any]]:
    """Return, by name of a parameter, the constants that some functions compare it with, without duplicates.

    Args:
        of_items: whether what is compared is not the parameter, but its items.
    """
    return _read(functions, _ItemReader if of_items else _Reader)


def field_choices(functions: Iterable[tuple[Function | None, Where]]) -> dict[tuple[str, str], list[Any]]:
    """Return the constants with which the values are compared that records have under a key, by parameter and key; the
    parameter is the record, or holds such records."""
    found: dict[tuple[str, str], list[Any]] = {}
    for name, values in _read(functions, _FieldReader).items():
        parameter, _, key = name.partition(_KEY)
        if key:
            found[parameter, key] = values
    return found


def _read(functions: Iterable[tuple[Function | None, Where]], reader: type[_Reader]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for function, where in functions:
        if function is None:
            continue
        for name, value in reader(where).read(function, DEPTH):
            listed = found.setdefault(name, [])
            is_short = type_of(value) in _RECIPES or (type_of(value) in _SCALARS and len(str(value)) <= _LONGEST)
            if is_short and len(listed) < MOST_CHOICES and not any([_is_one(value, one) for one in listed]):
                listed.append(value)
    return {name: values for name, values in found.items() if values}


def named_objects(choices: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Return those of some choices that have no literal, by name of a parameter: objects with a name in the module, and
    infinities."""
    found = {name: [one for one in values if not _has_literal(one)] for name, values in choices.items()}
    return {name: values for name, values in found.items() if values}


def _has_literal(value: Any) -> bool:
    return type_of(value) not in _RECIPES and not (type_of(value) is float and math.isinf(value))


def _is_one(one: Any, two: Any) -> bool:
    if type_of(one) in _RECIPES:
        return repr(one) == repr(two)
    return type_of(one) is type_of(two) and (one == two or (one != one and two != two))


class _Reader:
    def __init__(self, where: Where) -> None:
        self._where = where
        self._read: set[Function] = set()
        self._tables: dict[str, ast.expr] = {}
        """Tables of the function that is read, by its names for them."""
        self._looked_up_before: dict[str, ast.expr] = {}
        """What it looks up in other tables, by its names for that."""

    def read(self, function: Function, depth: int) -> Iterator[tuple[str, Any]]:
        """Yield names of parameters with their choices."""
        self._read.add(function)
        self._enter(function)
        names = parameter_names(function)
        for node in nodes_of(function):
            yield from ((name, value) for name, value in self._asked(node) if name.partition(_KEY)[0] in names)
        for node in nodes_of(function):
            if depth and isinstance(node, ast.Call):
                yield from self._handed(node, names, depth)

    def _enter(self, function: Function) -> None:
        """Called before the nodes of a function are read."""
        assigned = list(_assigned_in(function))
        self._tables = {name: value for name, value in assigned if isinstance(value, _DISPLAYS)}
        self._looked_up_before = {name: value for name, value in assigned if _table_of(value) is not None}

    def _name(self, node: ast.AST) -> str:
        """Return the name of the parameter whose value an expression has."""
        return _name_in(node)

    def _asked(self, node: ast.AST) -> Iterator[tuple[str, Any]]:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for one, operator, two in zip(sides, node.ops, sides[1:]):
                yield from self._compared(one, operator, two)
        elif isinstance(node, ast.Subscript):
            yield from self._looked_up(node.slice, node.value)
        elif isinstance(node, ast.Call):
            yield from self._called(node)
        elif hasattr(ast, "Match") and isinstance(node, ast.Match):
            for part in patterns_of(node):
                if isinstance(part, (ast.MatchValue, ast.MatchSingleton)):
                    yield from self._named(node.subject, self._constants(part.value))

    def _compared(self, one: ast.expr, operator: ast.cmpop, two: ast.expr) -> Iterator[tuple[str, Any]]:
        if isinstance(operator, _MEMBERSHIPS):
            yield from self._looked_up(one, two)
        elif isinstance(operator, _EQUALITIES):
            for side, other in ((one, two), (two, one)):
                values = self._constants(other)
                yield from self._named(side, values)
                yield from self._of_parts(side, values)
        elif isinstance(operator, _ORDERS):
            for side, other in ((one, two), (two, one)):
                for value in self._constants(other):
                    if type_of(value) in (int, float):
                        yield from self._named(side, (value, value - 1, value + 1))

    def _looked_up(self, key: ast.AST, table: ast.expr) -> Iterator[tuple[str, Any]]:
        name = self._name(key)
        if name:
            yield from ((name, value) for value in _with_otherwise_written(key, self._entries(table)))
        for place, part in enumerate(key.elts if isinstance(key, ast.Tuple) else ()):
            part_name = self._name(part)
            for row in self._rows(table) if part_name else ():
                if place < len(row):
                    yield part_name, row[place]

    def _called(self, node: ast.Call) -> Iterator[tuple[str, Any]]:
        kind = self._value(node.func)
        if _is_enum(kind) and len(node.args) == 1:
            yield from self._named(node.args[0], [one.value for one in kind])
        for part, words in words_taken_by(node):
            yield from self._named(part, words)
        if isinstance(node.func, ast.Name) and node.func.id in _ATTRIBUTES and len(node.args) > 1:
            yield from self._named(node.args[1], self._attributes(node.args[0]))
        if not isinstance(node.func, ast.Attribute) or not node.args:
            return
        if node.func.attr in _LOOKUPS:
            yield from self._looked_up(node.args[0], node.func.value)
        elif node.func.attr in _AFFIXES:
            for text in self._constants(*items_in(node.args[0])):
                if type_of(text) is str:
                    yield from self._named(node.func.value, (text, text + _FURTHER, _FURTHER + text))

    def _handed(self, node: ast.Call, names: set[str], depth: int) -> Iterator[tuple[str, Any]]:
        """Yield what a function of the module that is called asks of what it is given."""
        is_method = isinstance(node.func, ast.Attribute) and _name_in(node.func.value) in ("self", "cls")
        called = node.func.attr if isinstance(node.func, ast.Attribute) and is_method else _name_in(node.func)
        given = [one for one in (*node.args, *(word.value for word in node.keywords)) if _name_in(one) in names]
        function = _functions_in(self._where.tree).get((called, is_method)) if called and given else None
        if function is None or function in self._read:
            return
        places = [one.arg for one in listed_parameters(function.args)][is_method:]
        passed = {place: _name_in(one) for place, one in zip(places, node.args)}
        passed.update({word.arg: _name_in(word.value) for word in node.keywords if word.arg})
        for name, value in list(self.read(function, depth - 1)):
            place, mark, key = name.partition(_KEY)
            if passed.get(place) in names and not _has_private_name(value):
                yield passed[place] + mark + key, value

    def _named(self, side: ast.AST, values: Iterable[Any]) -> Iterator[tuple[str, Any]]:
        name = self._name(side)
        return ((name, value) for value in _with_otherwise_written(side, values)) if name else iter(())

    def _of_parts(self, side: ast.AST, values: Iterable[Any]) -> Iterator[tuple[str, Any]]:
        """Yield texts whose first or last characters are compared with a constant."""
        if not isinstance(side, ast.Subscript) or not isinstance(side.value, ast.Name):
            return
        index = literal_of(side.slice)
        is_rest = isinstance(side.slice, ast.Slice) and side.slice.lower is not None
        is_last = is_rest or (type_of(index) is int and index < 0)
        for value in values:
            if type_of(value) is str and value:
                yield side.value.id, value
                yield side.value.id, _FURTHER + value if is_last else value + _FURTHER

    def _constants(self, *nodes: Any) -> list[Any]:
        """Return the values of constant expressions, and of names that stand for such."""
        found: list[Any] = []
        for node in nodes:
            if not isinstance(node, ast.AST):
                found.append(node)
                continue
            value = literal_of(node)
            found += [value] if value is not UNKNOWN else self._named_values(node)
        return found

    def _named_values(self, node: ast.AST) -> list[Any]:
        """Return what a name stands for: a constant, an object of the module, the members of its enumeration; also what
        is the negative of one."""
        is_negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
        expression = node.operand if isinstance(node, ast.UnaryOp) and is_negative else node
        value, name = self._value(expression), self._path(expression)
        if value is None or not name:
            return []
        if type_of(value) in _SCALARS:
            return [value] if not is_negative else [-value] if type_of(value) in (int, float) else []
        if is_negative:
            return [New(NEGATIVE, (Name(name),))] if hasattr(type_of(value), "__neg__") else []
        if isinstance(value, enum.Enum):
            kind = type_of(value)
            members = [Name(f"{name.rpartition('.')[0]}.{one}") for one in kind.__members__] if "." in name else []
            return [*self._constants(value.value), *members[:MOST_MEMBERS]]
        return [Name(name)] if _is_opaque(value) else []

    def _path(self, node: ast.AST) -> str:
        """Return the dotted name of what an expression names; that of the class for an attribute of its method."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            is_own = node.value.id in ("self", "cls") and self._where.owner is not None
            holder = self._where.owner.__qualname__ if is_own and self._where.owner is not None else node.value.id
            return f"{holder}.{node.attr}"
        return node.id if isinstance(node, ast.Name) else ""

    def _entries(self, table: ast.expr) -> list[Any]:
        """Return the keys of a table, the items of a collection; for a short list also its indices."""
        if isinstance(table, ast.Name):
            table = self._tables.get(table.id, table)
        if isinstance(table, ast.Dict):
            return self._constants(*[key for key in table.keys if key is not None])
        if isinstance(table, (ast.Tuple, ast.List, ast.Set)):
            return self._constants(*table.elts)
        whole = _whole_of(table)
        if whole is not None:
            return self._attributes(whole)
        value = self._value(table)
        if _is_enum(value):
            return list(value.__members__)
        return _scalars_in(value) or self._inner_entries(table)

    def _inner_entries(self, table: ast.expr) -> list[Any]:
        """Return the keys or items of the tables that another one holds, if a table is looked up there: those of
        ``MOVES[state]``, or of ``MOVES.get(state, {})``."""
        if isinstance(table, ast.Name):
            table = self._looked_up_before.get(table.id, table)
        outer = _table_of(table)
        held: Any = self._value(outer) if outer is not None else None
        inner = list(held.values()) if type_of(held) is dict else []
        return [entry for one in inner[:MOST_CHOICES] for entry in _scalars_in(one)]

    def _rows(self, table: ast.expr) -> list[tuple[Any, ...]]:
        """Return the keys or items of a table that are tuples."""
        if isinstance(table, ast.Name):
            table = self._tables.get(table.id, table)
        keys = table.keys if isinstance(table, ast.Dict) else getattr(table, "elts", None)
        if keys is not None:
            shown = [one for one in keys if isinstance(one, ast.Tuple)]
            return [tuple([_first(self._constants(part)) for part in one.elts]) for one in shown]
        value = self._value(table)
        listed: list[Any] = list(value)[: 2 * MOST_CHOICES] if type_of(value) in _CONTAINERS else []
        return [one for one in listed if type_of(one) is tuple]

    def _attributes(self, node: ast.AST) -> list[str]:
        """Return the names of the attributes of an instance, a class or a module: those first that methods assign."""
        name = _name_in(node)
        is_own = name in ("self", "cls")
        holder = self._where.owner if is_own else self._value(node)
        if _is_enum(holder):
            members: Any = getattr(holder, "__members__", ())
            return list(members)
        if not (is_class(holder) or is_module(holder)):
            return []
        kinds = [one for one in holder.__mro__ if one is not object] if is_class(holder) else [holder]
        known = [one for kind in kinds for one in vars(kind) if not one.startswith("_")]
        return list(dict.fromkeys([*(self._assigned({one.__name__ for one in kinds}) if is_own else ()), *known]))

    def _assigned(self, names: set[str]) -> list[str]:
        """Return the attributes that methods of the module's classes of these names assign to their instances."""
        return [
            node.attr
            for kind in nodes_of(self._where.tree)
            if isinstance(kind, ast.ClassDef) and kind.name in names
            for node in nodes_of(kind)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _name_in(node.value) == "self"
        ]

    def _value(self, node: ast.AST) -> Any:
        """Return what a name of the module, or an attribute of the method's class, stands for; None for others."""
        if isinstance(node, ast.Name):
            return self._where.namespace.get(node.id, self._where.owner if node.id == "cls" else None)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            holder = self._where.owner if node.value.id in ("self", "cls") else self._where.namespace.get(node.value.id)
            members: Any = getattr(holder, "__members__", None) if _is_enum(holder) else None
            if members is not None:
                return members.get(node.attr)
            if is_class(holder):
                return inspect.getattr_static(holder, node.attr, None)
            if is_module(holder):
                return vars(holder).get(node.attr)
        return None


@functools.lru_cache(maxsize=64)
def _functions_in(tree: ast.AST) -> Mapping[tuple[str, bool], Function]:
    """Return the functions of a module by name, and whether they are methods."""
    found: dict[tuple[str, bool], Function] = {}
    for holder in nodes_of(tree):
        for node in getattr(holder, "body", ()) if isinstance(holder, _SCOPES) else ():
            if isinstance(node, FUNCTIONS):
                found[node.name, isinstance(holder, ast.ClassDef)] = node
    return found


def _scalars_in(table: Any) -> list[Any]:
    """Return the plain keys of a table, or items of a collection."""
    if type_of(table) not in _CONTAINERS:
        return []
    return [one for one in list(table)[: 2 * MOST_CHOICES] if type_of(one) in _SCALARS]


def _table_of(node: ast.expr) -> ast.expr | None:
    """Return the table that an expression looks a value up in."""
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        return node.value
    called = node.func if isinstance(node, ast.Call) else None
    return called.value if isinstance(called, ast.Attribute) and called.attr == "get" else None


def _first(values: list[Any]) -> Any:
    return values[0] if values else None


def _whole_of(table: ast.expr) -> ast.expr | None:
    """Return the object whose attributes a table holds: ``x`` of ``x.__dict__`` and ``vars(x)``."""
    if isinstance(table, ast.Attribute) and table.attr == "__dict__":
        return table.value
    is_vars = isinstance(table, ast.Call) and isinstance(table.func, ast.Name) and table.func.id == "vars"
    return table.args[0] if is_vars and isinstance(table, ast.Call) and len(table.args) == 1 else None


class _ItemReader(_Reader):
    """Reads what is asked of the items of parameters: variables of loops over them, and subscripts."""

    def __init__(self, where: Where) -> None:
        super().__init__(where)
        self._holders: dict[str, str] = {}

    def _enter(self, function: Function) -> None:
        super()._enter(function)
        self._holders = {}
        for node in nodes_of(function):
            if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
                self._holders.update(_iterated(node.target, node.iter))

    def _name(self, node: ast.AST) -> str:
        expression, _ = _before_uniform(node)
        if isinstance(expression, ast.Subscript) and not isinstance(expression.slice, ast.Slice):
            return _name_in(expression.value)
        return self._holders.get(expression.id, "") if isinstance(expression, ast.Name) else ""

    def _of_parts(self, side: ast.AST, values: Iterable[Any]) -> Iterator[tuple[str, Any]]:
        return iter(())


class _FieldReader(_ItemReader):
    """Reads what is asked of the values under the keys of parameters and of their items."""

    def _enter(self, function: Function) -> None:
        super()._enter(function)
        self._fields = {name: self._field(value) for name, value in _assigned_in(function)}

    def _name(self, node: ast.AST) -> str:
        expression, _ = _before_uniform(node)
        return self._fields.get(expression.id, "") if isinstance(expression, ast.Name) else self._field(expression)

    def _field(self, node: ast.AST) -> str:
        """Return the name of the parameter and the key of the value that an expression looks up."""
        holder: ast.AST | None = None
        key: ast.AST | None = None
        if isinstance(node, ast.Subscript):
            holder, key = node.value, node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            holder, key = (node.func.value, node.args[0]) if node.func.attr in OF_MAPPINGS else (None, None)
        if not isinstance(holder, ast.Name) or not isinstance(key, ast.Constant) or type(key.value) is not str:
            return ""
        return self._holders.get(holder.id, holder.id) + _KEY + key.value


def _assigned_in(function: Function) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names of a function that are assigned once, with what is assigned."""
    assignments = [node for node in nodes_of(function) if isinstance(node, ast.Assign) and len(node.targets) == 1]
    named = [(_name_in(node.targets[0]), node.value) for node in assignments]
    counts = Counter([name for name, _ in named])
    return ((name, value) for name, value in named if name and counts[name] == 1)


def _iterated(target: ast.expr, iterable: ast.expr) -> Iterator[tuple[str, str]]:
    """Yield the variables that a loop binds to items of something that has a name, with that name."""
    if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) and iterable.args:
        parts = target.elts if isinstance(target, ast.Tuple) else []
        if iterable.func.id == "enumerate" and len(parts) > 1:
            yield from _iterated(parts[1], iterable.args[0])
        elif iterable.func.id == "zip":
            for part, argument in zip(parts, iterable.args):
                yield from _iterated(part, argument)
        elif iterable.func.id in SAME_ITEMS:
            yield from _iterated(target, iterable.args[0])
    elif isinstance(target, ast.Name) and isinstance(iterable, ast.Name):
        yield target.id, iterable.id


def _is_opaque(value: Any) -> bool:
    """Whether a value is an object that only its name stands for."""
    is_bound = hasattr(type_of(value), "__get__") or type_of(value) in _CONTAINERS
    return not is_bound and not (is_class(value) or is_module(value)) and not inspect.isroutine(value)


def _is_enum(value: Any) -> bool:
    return is_class(value) and issubclass(value, enum.Enum)


UNKNOWN = object()
"""What `literal_of` returns for what is no constant."""


def literal_of(node: ast.AST) -> Any:
    """Return the constant that an expression is, also as a negative number; `UNKNOWN` for others."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value: Any = node.operand.value
        return -value if type_of(value) in (int, float) else UNKNOWN
    return UNKNOWN


def _name_in(node: ast.AST) -> str:
    """Return the name of an expression that is one, or one with its letters or its blanks made uniform."""
    expression, _ = _before_uniform(node)
    return expression.id if isinstance(expression, ast.Name) else ""


def _before_uniform(node: ast.AST) -> tuple[ast.AST, Set[str]]:
    """Return the expression whose letters or blanks another one makes uniform, and the methods by which it does."""
    methods = set[str]()
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SAME_TEXT:
        methods.add(node.func.attr)
        node = node.func.value
    return node, methods


def _with_otherwise_written(side: ast.AST, values: Iterable[Any]) -> Iterator[Any]:
    """Yield what an expression is compared with, and the first words as they are before it makes them uniform: in the
    other case, between blanks."""
    known = list(values)
    yield from known
    _, methods = _before_uniform(side)
    for word in [one for one in known if type_of(one) is str and one][:_MOST_REWRITTEN] if methods else ():
        written = word.upper() if methods & _LOWERING else word.lower() if methods & _RAISING else word
        before, after = " " * bool(methods & {"strip", "lstrip"}), " " * bool(methods & {"strip", "rstrip"})
        yield f"{before}{written}{after}"


_LOWERING, _RAISING = frozenset(("lower", "casefold")), frozenset(("upper", "title"))
_MOST_REWRITTEN = 3
_MAKERS = ("__init__", "__new__")
_MOST_OF_CONSTRUCTOR = 8
"""Constants of a parameter of a constructor."""


def with_choices(kind: type, names: Iterable[str], shapes: Sequence[Shape]) -> tuple[Shape, ...]:
    """Return the shapes of a constructor's parameters, with the constants first that it compares them with."""
    known = _of_constructor(kind)
    return tuple([with_values(shape, known.get(name, ())) for name, shape in zip(names, shapes)])


def with_choices_of_method(owner: type, method: str, name: str, shape: Shape) -> Shape:
    """Return the shape of a method's parameter, with the constants first that the method compares it with."""
    return with_values(shape, _of_method(owner, method).get(name, ()))


@functools.lru_cache(maxsize=1024)
def _of_method(owner: type, method: str) -> Mapping[str, Sequence[Any]]:
    for base in line_of(owner):
        raw: Any = vars(base).get(method)
        places = _places(base, {method: inspect.unwrap(raw) if is_python_function(raw) else None}, owner)
        if places:
            return choices_of(places[:1])
    return {}


def _places(base: type, functions: Mapping[str, Any], owner: type) -> list[tuple[Function, Where]]:
    """Return the definitions of some functions of a class, each with the module and the class that it belongs to."""
    node = definition_of(base) if any(map(is_python_function, functions.values())) else None
    found: list[tuple[Function, Where]] = []
    for one in node.body if node is not None else ():
        function: Any = functions.get(one.name) if isinstance(one, FUNCTIONS) else None
        tree = read_tree(function.__code__.co_filename) if is_python_function(function) else None
        if tree is not None and isinstance(one, FUNCTIONS):
            found.append((one, Where(tree, function.__globals__, owner)))
    return found


def with_first_choices(kind: type, shape: Shape) -> Shape:
    """Return the shape of what a kind of number or string is made of, with the constants first that its constructor
    compares it with."""
    known = _of_constructor(kind)
    return with_values(shape, next(iter(known.values()))) if len(known) == 1 else shape


def with_values(shape: Shape, values: Sequence[Any]) -> Shape:
    """Return a shape, with some constants first that it accepts."""
    fitting = [one for one in values if one is not None and not _has_private_name(one) and shape.accepts(one)]
    fitting = fitting[:_MOST_OF_CONSTRUCTOR]
    if not fitting or isinstance(shape, (BoolShape, ChoiceShape)):
        return shape
    return union_of([ChoiceShape(tuple(fitting)), shape])


def _has_private_name(value: Any) -> bool:
    """Whether a value has a name that only its module uses: a key, say, without which nobody makes an object."""
    return type_of(value) is Name and is_private(value.name.rpartition(".")[2])


@functools.lru_cache(maxsize=256)
def _of_constructor(kind: type) -> Mapping[str, Sequence[Any]]:
    for base in line_of(kind):
        makers: list[tuple[str, Any]] = [(name, vars(base).get(name)) for name in _MAKERS]
        live = {name: one.__func__ if type_of(one) is staticmethod else one for name, one in makers}
        places = _places(base, live, base)
        if places:
            return {**_named_by_methods(places[-1][0], definition_of(base)), **choices_of(places)}
    return {}


def _named_by_methods(maker: Function, owner: ast.ClassDef | None) -> dict[str, list[Any]]:
    """Return what the library takes in the place of parameters that a constructor stores and methods hand to it."""
    stored = stored_in(maker, parameter_names(maker))
    found: dict[str, list[Any]] = {}
    methods = [one for one in owner.body if isinstance(one, FUNCTIONS)] if owner is not None and stored else []
    for method in methods:
        calls = [one for one in nodes_of(method) if isinstance(one, ast.Call)]
        for part, words in [pair for call in calls for pair in words_taken_by(call)]:
            if isinstance(part, ast.Attribute) and part.attr in stored and attribute_of(part, method):
                found.setdefault(stored[part.attr], list(words))
    return found
