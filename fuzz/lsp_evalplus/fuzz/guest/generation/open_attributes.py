"""Finds the public attributes that a class leaves to its users, and the calls that change them.

A constructor sets such an attribute to a constant, or to an empty list, dict or set, and no method assigns or fills it:
if nobody else did, it would never have another value. Methods may take items away, or arrange them. Properties with a
setter are meant to be set.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import itertools
import types
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, Callable, NamedTuple

from ..inference.annotations import shape_of_hint
from ..inference.hints import hints_of
from ..inference.records.combined_uses import ReaderOfResults, are_alike, use_returned
from ..inference.records.value_usage import Use
from ..inference.stored_parameters import assignments, definition_of, line_of, methods_of, with_properties
from ..inference.usage import is_kind, type_tests
from ..program.classes import properties_of
from ..program.source_facts import has_decorator
from ..static.parameter_members import listed_parameters, members_read, own_attribute, positional_names
from ..static.walking import FUNCTIONS, walk_statements, walk_tree
from ..values.dynamic import type_of
from ..values.program_errors import PROGRAM_ERRORS
from ..values.recipes.model import ASSIGNMENT, READING
from ..values.shapes import ANY, BOOL, INT, NUMBER, STR, AnyShape, ChoiceShape, Shape, is_nothing, union_of
from ..values.source_text import SETTER

_EMPTY_CALLS = frozenset(("list", "dict", "set"))
_READING = frozenset(
    "len sorted list tuple set frozenset dict any all min max sum enumerate reversed iter str repr bool zip map filter "
    "get items keys values copy index count isinstance print join format".split()
)
"""Functions and methods that leave a container as it is."""
_TAKING = frozenset("remove pop clear sort reverse discard popitem".split())
"""Methods that take items of a container away, or arrange them."""
_FILLING = frozenset("append add insert extend setdefault update appendleft".split())
_MOST_WORDS = 24
_WITHOUT_ATTRIBUTES = ("builtins", "abc")
"""Modules of bases that set no attributes of their instances: `list`, `dict`, `ABC`."""
_CONSTANTS: dict[type, Shape] = {bool: BOOL, int: INT, float: NUMBER, str: STR}


class Change(NamedTuple):
    """A call that changes an attribute, ``entries.append`` or `ASSIGNMENT`, with the shapes of its arguments."""

    name: str
    arguments: tuple[Shape, ...]


def assignment_of(name: str, values: Shape) -> Change:
    """Return the assignment of an attribute."""
    return Change(ASSIGNMENT, (ChoiceShape((name,)), values))


def assigned_alike(ours: Use, theirs: Use, most: int, hints: Callable[[], Mapping[str, Any]]) -> list[Change]:
    """Return assignments of the attributes that two programs use of an instance, with values by their use and their
    annotations; none where they do not use the same, or more than `most`.

    Args:
        ours: the use by the one.
        theirs: that by the other.
        most: how many attributes are set.
        hints: gives the annotations of attributes.
    """
    found = used_alike(ours, theirs, most)
    stated: Mapping[str, Any] = hints() if found else {}
    return [assignment_of(name, declared_or(used, stated.get(name))) for name, used in found.items()]


def used_alike(ours: Use, theirs: Use, most: int) -> dict[str, Shape]:
    """Return the attributes that two programs use of an instance, each with its values; none where they do not use the
    same, or more than `most`."""
    if not are_alike(ours, theirs) or not 0 < len(ours.attributes) <= most:
        return {}
    made: Any = ours.with_attributes("")
    return dict(zip(made.keywords, made.parts))


@functools.lru_cache(maxsize=64)
def changes_of(owner: type) -> Sequence[Change]:
    """Return the calls that change the attributes which a class leaves to its users."""
    nodes = [definition_of(one) for one in line_of(owner) if one.__module__ not in _WITHOUT_ATTRIBUTES]
    known = [node for node in nodes if node is not None]
    methods = methods_of(known)
    maker = next((one for one in methods if one.name == "__init__"), None)
    if len(known) < len(nodes) or maker is None:
        return []
    found = dict(_set_by(maker))
    constant = {name for name, value in found.items() if isinstance(value, ast.Constant)}
    for method in methods:
        arranged = set[str]() if method is maker else _arranged_by(method)
        for name in _changed_by(method, is_maker=method is maker, arranged=arranged, constant=constant):
            found.pop(name, None)
    hints = hints_in(maker, owner) if found else {}
    uses = _uses_in(owner) if found else {}
    asked = _types_asked(methods) if constant else {}
    changes = [
        _change(name, value, uses.get(name, Use()), hints.get(name), asked.get(name, ()))
        if value != "dict" or uses.get(name, Use()).fields
        else _filled(name, _words_beside(name, methods), uses.get(name, Use()))
        for name, value in found.items()
    ]
    changes += [*map(_set_through, _setters(owner)), *_given_to_body(methods)]
    is_plain = owner.__setattr__ is object.__setattr__
    return [one for one in changes if one is not None and (is_plain or one.name != ASSIGNMENT)]


def _given_to_body(methods: Sequence[Any]) -> Iterator[Change]:
    """Yield the calls that fill the containers which a context manager gives to the body of its ``with`` statement."""
    by_name = {one.name: one for one in methods}
    entering = by_name.get("__enter__")
    if entering is None or "__exit__" not in by_name:
        return
    returned = [node.value for node in walk_tree(entering) if isinstance(node, ast.Return) and node.value is not None]
    for name in dict.fromkeys([_attribute(one, entering) for one in returned]):
        called = {
            node.attr
            for method in methods
            for node in walk_tree(method)
            if isinstance(node, ast.Attribute) and _attribute(node.value, method) == name
        }
        kind = next((one for one, members in _MEMBERS_OF.items() if called & members), "")
        if name and kind:
            given = (union_of([ChoiceShape(("b", "a")), INT]), INT)
            yield Change(f"{name}.{kind}", given if kind == "__setitem__" else given[1:])


_MEMBERS_OF: Mapping[str, Set[str]] = {
    "append": frozenset(("append", "extend", "insert", "sort", "reverse")),
    "add": frozenset(("add", "discard", "union")),
    "__setitem__": frozenset(("update", "items", "keys", "values", "setdefault")),
}
"""What fills a container -> members of such containers alone."""


def _uses_in(owner: type) -> dict[str, Use]:
    """Return how the methods of a class, in the version that it belongs to, use attributes of their instance."""
    own = [one for node in map(definition_of, line_of(owner)) if node is not None for one in node.body]
    return uses_of_instance([one for one in own if isinstance(one, FUNCTIONS) and one.name != "__init__"])


def _setters(owner: type) -> Iterator[tuple[str, Any]]:
    """Yield the public properties of a class that can be set, each with its setter."""
    for name in dir(owner):
        value = inspect.getattr_static(owner, name, None)
        if not name.startswith("_") and type_of(value) is property and type_of(value.fset) is types.FunctionType:
            yield name, value.fset


def _set_through(setter: tuple[str, Any]) -> Change:
    name, function = setter
    _, *given = inspect.signature(function).parameters
    hint = hints_of(function).get(given[0]) if given else None
    return assignment_of(name, ANY if hint is None else shape_of_hint(hint))


def _attribute(node: ast.AST, method: Any) -> str:
    """Return the name of a public attribute of a method's instance; empty for anything else."""
    name = own_attribute(node, method)
    return "" if name.startswith("_") else name


def _set_by(maker: Any) -> Iterator[tuple[str, Any]]:
    """Yield the attributes that a constructor sets, each with its constant or the kind of its empty container."""
    for target, value in itertools.chain.from_iterable(map(assignments, maker.body)):
        name, initial = _attribute(target, maker), _initial(value)
        if name and initial is not None:
            yield name, initial


def _initial(node: ast.AST) -> Any:
    """Return a constant, or the name of the class of an empty container; None for anything else."""
    if isinstance(node, ast.Constant) and type(node.value) in _CONSTANTS:
        return node
    if isinstance(node, (ast.List, ast.Dict)) and not getattr(node, "elts", None) and not getattr(node, "keys", None):
        return "list" if isinstance(node, ast.List) else "dict"
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not (node.args or node.keywords)
    return node.func.id if is_call and node.func.id in _EMPTY_CALLS else None  # type: ignore[union-attr]


def _changed_by(method: Any, *, is_maker: bool, arranged: Set[str], constant: Set[str]) -> Iterator[str]:
    """Yield the attributes that a method may change: assigned, filled, or handed on to what may do so; without those
    that it only makes of what they were. What holds a constant is changed by an assignment alone."""
    for node in walk_tree(method):
        for child in ast.iter_child_nodes(node):
            name = _attribute(child, method)
            if not name:
                continue
            is_stored = not isinstance(child.ctx, ast.Load)  # type: ignore[attr-defined]
            if is_stored and isinstance(node, ast.Assign) and name in arranged:
                continue
            is_set = is_stored and not (is_maker and node in method.body)
            if is_set or (name not in constant and _may_change(node, child)):
                yield name


def _may_change(node: ast.AST, attribute: ast.AST) -> bool:
    """Whether the node around an attribute may change what the attribute holds, or give it another name."""
    if isinstance(node, ast.Attribute):
        return node.attr not in _READING and node.attr not in _TAKING
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Store)
    if isinstance(node, ast.Call):
        return node.func is attribute or getattr(node.func, "id", getattr(node.func, "attr", "")) not in _READING
    if isinstance(node, ast.keyword):
        return node.arg is not None  # What is unpacked by stars is copied.
    return isinstance(node, (ast.AugAssign, ast.Yield)) or (
        isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and node.value is attribute
    )


def _arranged_by(method: Any) -> set[str]:
    """Return the attributes that a method may only arrange: those that it reads, if it puts in nothing that it gets."""
    return set() if _hands_in(method) else members_read(method)


def _hands_in(method: Any) -> bool:
    """Whether a method puts one of its parameters into a container, or stores it."""
    given = {one.arg for one in listed_parameters(method.args)[1:]}
    given |= {one.arg for one in (method.args.vararg, method.args.kwarg) if one is not None}
    for node in walk_tree(method):
        held: list[Any] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLING:
            held = [*node.args, *[one.value for one in node.keywords]]
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            held = [*node.elts]
        elif isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.BinOp, ast.Dict)):
            values = node.values if isinstance(node, ast.Dict) else [getattr(node, "value", None)]
            held = [node.left, node.right] if isinstance(node, ast.BinOp) else values
        if any([isinstance(part, ast.Name) and part.id in given for one in held if one for part in walk_tree(one)]):
            return True
    return False


def hints_in(maker: Any, owner: type) -> dict[str, Any]:
    """Return the annotations of attributes, where a constructor assigns them, or in the body of the class."""
    found = hints_of(owner)
    scope = getattr(vars(owner).get("__init__"), "__globals__", {})
    for node in maker.body:
        name = _attribute(node.target, maker) if isinstance(node, ast.AnnAssign) else ""
        if name:
            try:
                hint = eval(ast.unparse(node.annotation), scope)  # noqa: S307 - the user's own, in the guest.
                found[name] = eval(hint, scope) if isinstance(hint, str) else hint  # noqa: S307 - as above.
            except PROGRAM_ERRORS:  # evaluating a user's annotation may raise anything.
                continue
    return found


def declared_or(used: Shape, hint: Any) -> Shape:
    """Return values by their use, and by an annotation."""
    declared = used if hint is None else shape_of_hint(hint)
    return used if isinstance(declared, AnyShape) or is_nothing(declared) else union_of([declared, used])


def uses_of_instance(methods: Sequence[Any]) -> dict[str, Use]:
    """Return how methods use the attributes of their instances."""
    instance = Use()
    returned: list[tuple[Any, Sequence[Use]]] = []
    for method in with_properties(methods):
        for name in positional_names(method)[:1]:
            returned.append((method, ReaderOfResults(method, {name: instance}).returned))
    for method, parts in returned:
        use_returned(method, parts, instance)
    return instance.attributes


def _types_asked(methods: Sequence[Any]) -> dict[str, list[Shape]]:
    """Return the builtin types for which methods test attributes of their instances."""
    found: dict[str, list[Shape]] = {}
    for method in methods:
        for subject, tested in (one for node in walk_tree(method) for one in type_tests(node)):
            named = [one.id for one in walk_tree(tested) if isinstance(one, ast.Name) and is_kind(one.id)]
            if name := _attribute(subject, method):
                found.setdefault(name, []).extend(shape_of_hint(getattr(builtins, one)) for one in named)
    return found


def _change(name: str, value: Any, use: Use, hint: Any, asked: Sequence[Shape]) -> Change | None:
    if isinstance(value, ast.Constant):
        shape = _CONSTANTS[type(value.value)]
        if use.words and shape is STR:
            shape = union_of([ChoiceShape(tuple(dict.fromkeys(use.words))), STR])
        return assignment_of(name, union_of([shape, *asked]))
    element = use.element
    item = element.shape() if element is not None and element.tells() else ANY
    stated = shape_of_hint(hint).parts if hint is not None and value == "list" else ()
    item = stated[0] if stated and not isinstance(stated[0], AnyShape) else item
    if value != "dict":
        return Change(f"{name}.{'append' if value == 'list' else 'add'}", (item,))
    shapes = [one.shape() for one in use.fields.values()]
    return Change(f"{name}.__setitem__", (ChoiceShape(tuple(use.fields)), union_of(shapes)))


def _filled(name: str, words: Sequence[str], use: Use) -> Change:
    """Return the call that fills a dict whose keys code names in lists, if it does."""
    item = use.element.shape() if use.element is not None and use.element.tells() else ANY
    return Change(f"{name}.__setitem__", (union_of([ChoiceShape(tuple(words)), STR]) if words else STR, item))


def _words_beside(name: str, methods: Sequence[Any]) -> list[str]:
    """Return the words in lists of methods that read an attribute: of a dict, these are likely keys."""
    nodes = [node for method in methods if name in members_read(method) for node in walk_tree(method)]
    listed = [node.elts for node in nodes if isinstance(node, (ast.List, ast.Tuple, ast.Set)) and len(node.elts) > 1]
    found = [one.value for items in listed for one in items if isinstance(one, ast.Constant)]
    return list(dict.fromkeys(one for one in found if type(one) is str))[:_MOST_WORDS]


def changes_for(reference: Any, candidate: Any) -> Sequence[Change]:
    """Return the calls that change attributes which the classes of two programs leave to their users."""
    owners = [one.loaded.owner for one in (reference, candidate)]
    if None in owners or reference.loaded.binding != "method":
        return []
    ours, theirs = ([*changes_of(one), *_readings(one)] for one in owners)
    names = [_named_by(one) for one in theirs]
    kept = [one for one in ours if _named_by(one) in names]
    if not any(map(_assigned_by, kept)):
        return kept
    # A setter that changed answers for itself, as other methods do.
    older, newer = (_setters_in(subject.anatomy.tree) for subject in (reference, candidate))
    own = candidate.qualname.rpartition(".")[2]
    named = [(one, _assigned_by(one)) for one in kept]
    return [one for one, name in named if name + SETTER == own or older.get(name) == newer.get(name)]


def _readings(owner: type) -> list[Change]:
    """Return the calls that read properties which keep something: what was read before a change may be stale."""
    names = [name for name, stores in properties_of(owner).items() if stores]
    return [Change(READING, (ChoiceShape((name,)),)) for name in names]


def _named_by(change: Change) -> tuple[str, Any]:
    return change.name, change.arguments[0].key() if change.name in (ASSIGNMENT, READING) else None


def changed_attribute(change: Change) -> str:
    """Return the name of the attribute that a change assigns or fills."""
    return _assigned_by(change) or change.name.partition(".")[0]


def _assigned_by(change: Change) -> str:
    """Return the name of the attribute that a change assigns; empty for one that fills it."""
    name = change.arguments[0]
    return name.values[0] if change.name == ASSIGNMENT and isinstance(name, ChoiceShape) else ""


def _setters_in(tree: ast.AST) -> dict[str, list[str]]:
    """Return the setters of properties in a module, by name."""
    found: dict[str, list[str]] = {}
    for node in walk_statements(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and has_decorator(node, ("setter",)):
            found.setdefault(node.name, []).append(ast.dump(node))
    return found
