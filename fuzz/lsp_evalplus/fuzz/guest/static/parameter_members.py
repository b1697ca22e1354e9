"""Members of its parameters that a function uses, and the calls to which it hands them on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType

from .walking import Function, attribute_in, has_star, name_of, string_in, walk_tree

_PLAIN = (str, bytes, bytearray, int, float, complex, list, tuple, dict, set, frozenset)
_EXECUTING = frozenset(("execute", "executemany", "executescript"))
_OF_CURSORS = frozenset("fetchone fetchall fetchmany lastrowid rowcount description connection".split())
_CURSOR = "cursor"
_PATHS = frozenset(("Path", "PosixPath", "str", "fspath"))
_OF_CONNECTIONS = frozenset(("commit", "rollback", _CURSOR, "row_factory"))
_SQL = re.compile(r"\s*(?:select|insert|update|delete|create|drop|alter|replace|with|pragma)\b", re.IGNORECASE)
_SEQUENCES = frozenset(("tuple", "list"))
_COUNTS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        **dict.fromkeys("add append extend remove discard join".split(), (1, 1)),
        **dict.fromkeys("clear keys values items reverse lower upper".split(), (0, 0)),
        **dict.fromkeys("index find count startswith endswith".split(), (1, 3)),
        **dict.fromkeys("get setdefault".split(), (1, 2)),
        "insert": (2, 2),
        "pop": (0, 2),
        "replace": (2, 3),
    }
)
"""The fewest and the most arguments that methods of plain types take, none of them by name."""
MOST_PLACES = 6
"""Most items that are read each for itself."""
_COPIES = frozenset(("copy", "deepcopy"))
_RECEIVERS = frozenset(("self", "cls"))


def used_members(function: Function | None) -> dict[str, set[str]]:
    """Return the members of each parameter without annotation that a function reads, where no plain type has them all.

    A parameter that the function assigns is left out: what it becomes may have other members.
    """
    return {name: members for name, members in read_members(function).items() if not is_plain(members)}


def read_members(function: Function | None) -> dict[str, set[str]]:
    """Return the members of each parameter without annotation that a function reads, also by another name of it."""
    if function is None:
        return {}
    names, found = _untold(function), dict[str, set[str]]()
    origins = {**_other_names(function, names), **{name: name for name in names}}
    for node in walk_tree(function):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in origins:
            found.setdefault(origins[node.value.id], set()).add(node.attr)
    return found


def marked_parameters(function: Function | None) -> set[str]:
    """Return the parameters without annotation on which a function sets attributes: ``function.is_hook = True``."""
    return set() if function is None else names_marked(function) & _untold(function)


def names_marked(function: Function) -> set[str]:
    """Return the variables on whose values a function sets attributes."""
    nodes = walk_tree(function)
    targets = [one.value for one in nodes if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)]
    calls = [one for one in nodes if isinstance(one, ast.Call) and is_name(one.func, "setattr") and len(one.args) == 3]
    set_on = [*targets, *[one.args[0] for one in calls]]
    return {one.id for one in set_on if isinstance(one, ast.Name)}


def counted_sequences(function: Function) -> dict[str, int]:
    """Return the expressions that a function tests for being a tuple or a list, and for a number of items, by the text
    that they have there: ``isinstance(pair, tuple) and len(pair) == 2``."""
    asked, counts = set[str](), dict[str, int]()
    for node in walk_tree(function):
        if isinstance(node, ast.Call) and is_name(node.func, "isinstance") and len(node.args) == 2:
            kinds = {one.id for one in walk_tree(node.args[1]) if isinstance(one, ast.Name)}
            asked |= {ast.unparse(node.args[0])} if kinds <= _SEQUENCES else set()
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            for one, other in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
                is_length = isinstance(one, ast.Call) and is_name(one.func, "len") and len(one.args) == 1
                count = other.value if isinstance(other, ast.Constant) and type(other.value) is int else 0
                if is_length and isinstance(one, ast.Call) and 0 < count <= MOST_PLACES:
                    counts[ast.unparse(one.args[0])] = count
    return {text: count for text, count in counts.items() if text in asked}


def keyed_by_names(function: ast.AST) -> Set[tuple[str, str]]:
    """Return the expressions, as text, in which a function looks up the value of a name, each with that name."""
    places = [one for one in walk_tree(function) if isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Name)]
    return {(ast.unparse(one.value), one.slice.id) for one in places if isinstance(one.slice, ast.Name)}


def goes_through_keys(target: ast.AST, whole: ast.expr, keyed: Set[tuple[str, str]]) -> ast.expr | None:
    """Return the mapping whose keys a loop goes through and looks up: of ``for name in jobs: jobs[name]`` it is `jobs`;
    None for any other loop.

    Args:
        target: of the loop.
        whole: what it goes through.
        keyed: the lookups of its function.
    """
    held = whole
    while isinstance(held, ast.Call):
        if isinstance(held.func, ast.Attribute) and held.func.attr == "keys" and not held.args:
            held = held.func.value
        elif isinstance(held.func, ast.Name) and held.func.id in _SAME_KEYS and held.args:
            held = held.args[0]
        else:
            return None
    return held if isinstance(target, ast.Name) and (ast.unparse(held), target.id) in keyed else None


_SAME_KEYS = frozenset(("sorted", "list", "tuple", "reversed", "set", "iter"))


def _other_names(function: Function, names: Set[str]) -> dict[str, str]:
    """Return the parameters by the variables that hold their values: of ``a = x if b else f(x)`` it is ``x``."""
    found: dict[str, set[str]] = {}
    for node in walk_tree(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            value = node.value
            parts = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
            parts = value.values if isinstance(value, ast.BoolOp) else parts
            held = {one.id for one in parts if isinstance(one, ast.Name) and one.id in names}
            found.setdefault(node.targets[0].id, set()).update(held)
    return {name: held.pop() for name, held in found.items() if len(held) == 1}


def calls_with_parameters(function: Function | None) -> Iterator[tuple[str, ast.expr, int | str]]:
    """Yield each parameter without annotation that a function hands to another one: its name, what is called, and the
    position or the name of the argument."""
    return handed_on(function, _untold(function)) if function is not None else iter(())


def handed_on(function: Function, names: Set[str]) -> Iterator[tuple[str, ast.expr, int | str]]:
    """Yield each of some names that a function hands to another one: the name, what is called, and the position or the
    name of the argument."""
    for node in walk_tree(function) if names else ():
        if not isinstance(node, ast.Call):
            continue
        for position, one in enumerate(node.args):
            if isinstance(one, ast.Starred):
                break
            if isinstance(one, ast.Name) and one.id in names:
                yield one.id, node.func, position
        for keyword in node.keywords:
            if isinstance(keyword.value, ast.Name) and keyword.value.id in names and keyword.arg is not None:
                yield keyword.value.id, node.func, keyword.arg


def copied(node: ast.expr) -> ast.Name | None:
    """Return the variable of which an expression makes a copy, ``copy.deepcopy(base)``; None for others."""
    if not (isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.Name)):
        return None
    return node.args[0] if name_of(node.func) in _COPIES else None


def database_connections(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names on which statements of SQL are executed: ``conn.execute("SELECT 1")``."""
    return {
        node.func.value.id
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _EXECUTING
        if isinstance(node.func.value, ast.Name) and node.args and _SQL.match(_start(node.args[0]))
    }


def cursors_and_connections(nodes: Sequence[ast.AST]) -> tuple[set[str], set[str]]:
    """Return the names of cursors, whose results are fetched from themselves, and those of connections to databases."""
    members: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            members.setdefault(node.value.id, set()).add(node.attr)
    executed = database_connections(nodes)
    cursors = {one for one in executed if members[one] & _OF_CURSORS and not members[one] & _OF_CONNECTIONS}
    return cursors, (executed - cursors) | {one for one, used in members.items() if _CURSOR in used}


def _start(node: ast.expr) -> str:
    """Return the constant with which a string begins."""
    if isinstance(node, ast.JoinedStr) and node.values:
        node = node.values[0]
    while isinstance(node, ast.BinOp):
        node = node.left
    return string_in(node)


def _untold(function: Function) -> set[str]:
    """Return the parameters that have no annotation, and that the function does not assign but to convert them."""
    converted = {id(target) for node in walk_tree(function) for target in _converted(node)}
    bound = {
        one.id
        for one in walk_tree(function)
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load) and id(one) not in converted
    }
    return {one.arg for one in listed_parameters(function.args) if one.annotation is None} - bound - _RECEIVERS


def _converted(node: ast.AST) -> Iterator[ast.Name]:
    """Yield the variables that a statement assigns to make of some values what others are: in a branch for those of a
    type, or for None, and by ``x = x or ...``."""
    if isinstance(node, ast.If):
        tested = {one.id for one in walk_tree(node.test) if isinstance(one, ast.Name)}
        if not _asks_for_kind(node.test):
            return
        for part in node.body:
            yield from [one for one in _targets(part) if one.id in tested]
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.BoolOp):
        first = node.value.values[0]
        yield from [one for one in _targets(node) if isinstance(first, ast.Name) and first.id == one.id]


def _asks_for_kind(test: ast.expr) -> bool:
    is_call = isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "isinstance"
    return is_call or (isinstance(test, ast.Compare) and ast.unparse(test.comparators[0]) == "None")


def _targets(node: ast.stmt) -> list[ast.Name]:
    return [one for one in node.targets if isinstance(one, ast.Name)] if isinstance(node, ast.Assign) else []


def fallbacks(function: Function) -> dict[ast.AST, bool]:
    """Return the assignments of a constant or an empty container to a name that has no value yet: ``if options is None:
    options = {}``, and in a handler the same for what its ``try`` assigns."""
    found: dict[ast.AST, bool] = {}
    for node in walk_tree(function):
        named: list[ast.Name] = []
        blocks: list[list[ast.stmt]] = []
        if isinstance(node, ast.If):
            named = [one for one in walk_tree(node.test) if isinstance(one, ast.Name)]
            blocks = [node.body]
        elif isinstance(node, ast.Try):
            named = [one for statement in node.body for one in _targets(statement)]
            blocks = [one.body for one in node.handlers]
        for statement in [one for block in blocks for one in block] if named else ():
            is_known = not {one.id for one in _targets(statement)}.isdisjoint([one.id for one in named])
            if is_known and isinstance(statement, ast.Assign) and _is_fallback(statement.value):
                found[statement] = True
    return found


def _is_fallback(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return name_of(value.func) in ("dict", "list", "set") and not (value.args or value.keywords)
    return isinstance(value, ast.Constant) or not any(getattr(value, "elts", getattr(value, "keys", [True])))


def listed_parameters(arguments: ast.arguments) -> list[ast.arg]:
    """Return the parameters that have names of their own, without ``*args`` and ``**kwargs``."""
    return [*positional_parameters(arguments), *arguments.kwonlyargs]


def parameter_names(function: Function) -> set[str]:
    """Return the names of the parameters, without those of ``*args`` and ``**kwargs``."""
    return {one.arg for one in listed_parameters(function.args)}


def positional_parameters(arguments: ast.arguments) -> list[ast.arg]:
    """Return the parameters that take positional arguments, without ``*args``."""
    return [*arguments.posonlyargs, *arguments.args]


def positional_names(function: Function) -> list[str]:
    """Return the names of the parameters that take positional arguments, without ``*args``."""
    return [one.arg for one in positional_parameters(function.args)]


def have_moved(newer: Function | None, older: Function | None) -> bool:
    """Return whether a parameter that two versions of a function have stands in another place in the newer one."""
    if newer is None or older is None:
        return False
    places = {name: place for place, name in enumerate(positional_names(newer))}
    return any([places.get(name, place) != place for place, name in enumerate(positional_names(older))])


def own_attribute(node: ast.AST, method: Function) -> str:
    """Return the name of an attribute of a method's instance, the first parameter; empty for others."""
    is_own = isinstance(node, ast.Attribute) and any([is_name(node.value, one) for one in positional_names(method)[:1]])
    return attribute_in(node) if is_own else ""


def members_of_instance(method: Function) -> set[str]:
    """Return the members of its instance that a method names."""
    return {own_attribute(one, method) for one in walk_tree(method)} - {""}


def members_read(method: Function) -> set[str]:
    """Return those that it reads."""
    read = [one for one in walk_tree(method) if isinstance(getattr(one, "ctx", None), ast.Load)]
    return {own_attribute(one, method) for one in read} - {""}


def methods_reached(method: Function, methods: Mapping[str, Function]) -> list[Function]:
    """Return a method, and those of its class that it uses, directly or not."""
    reached, met = [method], {method.name}
    for one in reached:
        names = sorted(members_of_instance(one) - met)
        met.update(names)
        reached += [methods[name] for name in names if name in methods]
    return reached


def method_called(node: ast.AST) -> tuple[str, str, int] | None:
    """Return the variable, the method and the number of arguments of a call, ``pool.release(worker)``; None for others,
    and where keywords or stars leave open what is passed."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords):
        return None
    owner, is_open = node.func.value, has_star(node.args)
    return (owner.id, node.func.attr, len(node.args)) if isinstance(owner, ast.Name) and not is_open else None


def is_name(node: ast.AST | None, name: str) -> bool:
    """Return whether a node is a variable of a name."""
    return isinstance(node, ast.Name) and node.id == name


def variable_of_class(kind: ast.AST | None) -> str:
    """Return the variable whose class an expression is, ``type(x)`` or ``x.__class__``; empty for others."""
    held = None
    if isinstance(kind, ast.Call) and is_name(kind.func, "type") and len(kind.args) == 1:
        held = kind.args[0]
    elif isinstance(kind, ast.Attribute) and kind.attr == "__class__":
        held = kind.value
    return held.id if isinstance(held, ast.Name) else ""


def is_plain(members: Set[str]) -> bool:
    """Return whether one of the plain types has all of the members."""
    return any([all([hasattr(kind, one) for one in members]) for kind in _PLAIN])


def unconverted_path(node: ast.AST) -> ast.AST:
    """Return the expression that others make a path or a string of: ``path`` in ``Path(path)`` and ``str(path)``."""
    while isinstance(node, ast.Call) and len(node.args) == 1 and name_of(node.func) in _PATHS:
        node = node.args[0]
    return node


def is_call_of_plain(node: ast.Call) -> bool:
    """Return whether a method of a plain type may be called so: one of its name takes as many arguments, none of them
    by name, ``seen.add(item)`` but not ``registry.add("name", item)``."""
    bounds = _COUNTS.get(node.func.attr) if isinstance(node.func, ast.Attribute) else None
    if bounds is None or has_star(node.args):
        return True
    return not node.keywords and bounds[0] <= len(node.args) <= bounds[1]


def names_constant(node: ast.expr) -> bool:
    """Return whether an expression names a constant or a member of a class: ``Color.RED``, ``socket.AF_INET``."""
    if isinstance(node, ast.Name):
        return node.id.isupper() and len(node.id) > 1
    if not isinstance(node, ast.Attribute):
        return False
    home: ast.expr = node.value
    while isinstance(home, ast.Attribute):
        home = home.value
    if not isinstance(home, ast.Name) or home.id in ("self", "cls"):
        return False
    return node.attr.isupper() or home.id[:1].isupper()


def zipped(whole: ast.expr, target: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """Return the targets of a loop, each with the sequence that it goes through: ``for a, b in zip(names, rows)``."""
    if not (isinstance(whole, ast.Call) and name_of(whole.func) == "zip" and isinstance(target, ast.Tuple)):
        return []
    is_open = has_star((*whole.args, *target.elts))
    return [] if is_open or len(whole.args) != len(target.elts) else list(zip(target.elts, whole.args))
