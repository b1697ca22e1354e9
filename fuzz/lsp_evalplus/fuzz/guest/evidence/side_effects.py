"""Compare the state in which two calls of a method leave their instances, as far as a caller can observe it.

The objects of two programs are of different classes, which may represent their state differently: what is private to
both is compared only where their classes are known to mean the same by it.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..comparison.default_items import without_defaults
from ..comparison.equality import (
    BEFORE_AND_AFTER,
    BUT_DEFAULTS,
    DEFAULT_RULES,
    IN_PUBLIC,
    Rules,
    base_of,
    is_library_value,
    same,
    same_content,
    scalar_of,
)
from ..program.classes import changes_itself, is_relied_on
from ..program.source_facts import find_function
from ..static.parameter_members import positional_names
from ..static.walking import walk_statements, walk_tree
from ..values.dynamic import ORDERED, attributes_of, globals_of, has_value_on_class, is_class, is_module, type_of
from ..values.library_objects import content_of
from ..values.metrics import walk
from ..values.program_errors import PROGRAM_ERRORS
from ..values.public_state import is_private, is_special
from ..values.recipes.building import lookup
from ..values.recipes.model import Name, is_plain
from ..values.rendering import value_text

_LONGEST = 200_000
_CACHES = (dict, ORDERED)
_ABSENT = object()


def changes_what_is_shared(row: Any, scopes: Sequence[dict[str, Any]]) -> bool:
    """Whether calls of two programs left functions of theirs in a module or class that both were given, and which
    belongs to neither: each finds there what the other one left, as with mocks.

    Args:
        row: the arguments.
        scopes: the globals of both programs.
    """
    names = {part.name for value in row for part in walk(value) if type_of(part) is Name}
    given = [_named_in(scopes[0], name) for name in names]
    return any([_is_of(value, scopes) for one in given for value in _members_of_other(one, scopes)])


def _named_in(scope: dict[str, Any], name: str) -> Any:
    try:
        return lookup(name, scope)
    except PROGRAM_ERRORS:  # a recipe may name what its maker alone knows.
        return None


def _members_of_other(given: Any, scopes: Sequence[dict[str, Any]]) -> list[Any]:
    """Return what a module or class holds that is neither of the programs' own."""
    if is_module(given):
        held = globals_of(given)
        return [] if any([held is one for one in scopes]) else list(held.values())
    homes = [one.get("__name__") for one in scopes]
    return list(vars(given).values()) if is_class(given) and given.__module__ not in homes else []


def _is_of(value: Any, scopes: Sequence[dict[str, Any]]) -> bool:
    function = value.__func__ if type_of(value) is types.MethodType else value
    return type_of(function) is types.FunctionType and any([function.__globals__ is one for one in scopes])


class Effect:
    """A value before and after a call."""

    __slots__ = ("_parts", "after", "before")

    def __init__(self, before: Any, after: Any) -> None:
        self.before = before
        self.after = after
        self._parts: tuple[dict[str, Any], dict[str, Any]] | None = None

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The attributes that it stores, before and after the call; read once."""
        if self._parts is None:
            self._parts = attributes_of(self.before) or {}, attributes_of(self.after) or {}
        return self._parts

    def first(self) -> Effect:
        """The effect on the first of several arguments."""
        return Effect(self.before[0], self.after[0])

    def rest(self) -> Effect:
        """The effect on the other arguments."""
        return Effect(self.before[1:], self.after[1:])


class Sight(NamedTuple):
    """What is looked at where two objects are compared."""

    keeps_alike: bool
    """Both classes keep their parts alike, so that those that are no plain data are compared too."""
    includes_private: bool
    """They keep what is private alike, too."""
    believes_texts: bool = True
    """Objects that write the same of themselves are alike."""
    ignores_defaults: bool = True
    """What private mappings make where it is looked up is no difference."""
    stored: frozenset[str] = frozenset()
    """Attributes that differ by nothing but the two calls, or calls of the same method while the objects were made."""

    @property
    def rules(self) -> Rules:
        """How strictly parts are compared."""
        return BUT_DEFAULTS if self.ignores_defaults else DEFAULT_RULES


def differ(one: Effect, two: Effect, sight: Sight) -> bool:
    """Whether two programs' calls left an object of each in states that a caller can distinguish.

    Attributes are compared where both objects have them and had the same values before the call, or had others by
    earlier calls of the same method.
    """
    keeps_alike, includes_private = sight.keeps_alike, sight.includes_private
    if _lacks_attributes(one, two, includes_private=includes_private) and (keeps_alike or not _makes_attributes(two)):
        return True
    one, two = _exposed(one), _exposed(two)
    if same(one.after, two.after):
        return False
    if content_of(one.after) is not None and content_of(two.after) is not None:
        return same(one.before, two.before)
    if not _have_parts(one.after, two.after):
        is_summary = not sight.believes_texts and _have_other_lengths(one, two)
        return is_summary or not look_alike(one.after, two.after)
    describe_themselves = _describes_itself(one.after) and _describes_itself(two.after)
    if sight.believes_texts and describe_themselves and look_alike(one.after, two.after):
        return False
    shared = [name for name in _shared(one, two) if includes_private or not is_private(name)]
    if same(one.before, one.after):
        stored = [name for name in shared if name in sight.stored]
        return _is_spoilt(one, two, sight) or any([_part_differs(name, one, two, sight) for name in stored])
    return any([_part_differs(name, one, two, sight) for name in shared])


def _exposed(effect: Effect) -> Effect:
    """The effect on what an exception holds, which equality does not look at; any other effect as it is."""
    held = exposed(effect.before), exposed(effect.after)
    if held[0] is effect.before and held[1] is effect.after:
        return effect
    if held[1] is not effect.after:
        for one in held:
            one.cause = getattr(one, "cause", None)
    return Effect(*held)


def exposed(value: Any) -> Any:
    """What an exception holds: its arguments, its attributes and its cause; any other value as it is."""
    if not issubclass(type_of(value), BaseException):
        return value
    cause: Any = BaseException.__dict__["__cause__"].__get__(value)
    held = {} if cause is None else {"cause": cause}
    return types.SimpleNamespace(**{**held, **(attributes_of(value) or {}), "args": value.args})


def _is_spoilt(one: Effect, two: Effect, sight: Sight) -> bool:
    """Whether a call changed the second object, in a part that the first has too; the first is unchanged."""
    return any([_is_changed(name, two, sight) for name in _shared(one, two)])


def _is_changed(name: str, effect: Effect, sight: Sight) -> bool:
    before, after = [_seen_part(parts, name, sight) for parts in effect.parts()]
    if before is _ABSENT or same(before, after, BEFORE_AND_AFTER):
        return False
    return not (is_private(name) and (before is None or _has_only_grown(before, after)))


def _has_only_grown(before: Any, after: Any) -> bool:
    """Whether a mapping still has its former items: a private one caches results."""
    if type_of(before) not in _CACHES or type_of(after) not in _CACHES:
        return False
    return all([key in after and same(value, after[key]) for key, value in before.items()])


def _part_differs(name: str, one: Effect, two: Effect, sight: Sight) -> bool:
    left, right = [scalar_of(_left_in(effect, name, sight)) for effect in (one, two)]
    if is_private(name) and (left is None or right is None):
        return False
    are_plain = is_plain(left) and is_plain(right)
    if not (sight.keeps_alike or are_plain or all([is_plain(one) or is_library_value(one) for one in (left, right)])):
        return False
    if not (are_plain and name in sight.stored) and not _were_alike(name, one, two, sight):
        return False
    if same(left, right, sight.rules) or look_alike(left, right):
        return False
    return sight.includes_private or are_plain or not (same(left, right, IN_PUBLIC) or same(right, left, IN_PUBLIC))


def _were_alike(name: str, one: Effect, two: Effect, sight: Sight) -> bool:
    """Whether two objects had the same in an attribute before the calls, or neither had it."""
    first, second = [_seen_part(effect.parts()[0], name, sight) for effect in (one, two)]
    return (first is _ABSENT) == (second is _ABSENT) and (first is second or same(first, second, sight.rules))


def _lacks_attributes(one: Effect, two: Effect, *, includes_private: bool) -> bool:
    """Whether a constructor leaves out an attribute that the other one stores and that its class does not have either.

    Further attributes of the second object are no difference; neither is a private one without content, which may be
    made when it is needed, unless methods of the class rely on it. A special one, as ``__wrapped__``, is not private.
    """
    (before, stored), (other, known) = one.parts(), two.parts()
    if before or other:
        return False
    kind = type_of(two.after)
    missing = [name for name in stored if name not in known and not has_value_on_class(kind, name)]
    if any([not is_private(name) or is_special(name) for name in missing]):
        return True
    return includes_private and any([bool(stored[name]) or is_relied_on(kind, name) for name in missing])


def lacks_marks(one: Effect, two: Effect) -> bool:
    """Whether the first call gave its object a plain public attribute, as a record of a log or a request gets them,
    and the second did not."""
    before, stored = one.parts()
    known = {*before, *two.parts()[1]}
    kind = type_of(two.after)
    new = [name for name in stored if name not in known and not is_private(name) and not has_value_on_class(kind, name)]
    return not _makes_attributes(two) and any([is_plain(scalar_of(stored[name])) for name in new])


def _makes_attributes(effect: Effect) -> bool:
    """Whether the class of an object makes attributes that it does not store, when they are asked for."""
    return has_value_on_class(type_of(effect.after), "__getattr__")


def _shared(one: Effect, two: Effect) -> list[str]:
    """The attributes that two objects have after the calls: those that both store, and public ones that one of them
    stores and the other one has by a constant of its class."""
    stored, known = one.parts()[1], two.parts()[1]
    return [
        name
        for name in {**stored, **known}
        if (name in stored or _constant_of(one.after, name) is not None)
        and (name in known or _constant_of(two.after, name) is not None)
    ]


def _constant_of(value: Any, name: str) -> Any:
    """The plain value that the class of an object has under a public name; None where it has none."""
    bases: tuple[type, ...] = type.__getattribute__(type_of(value), "__mro__")
    found = [] if is_private(name) else [base.__dict__[name] for base in bases if name in base.__dict__]
    return found[0] if found and is_plain(found[0]) else None


def _seen_part(parts: dict[str, Any], name: str, sight: Sight) -> Any:
    part = parts.get(name, _ABSENT)
    return without_defaults(part) if sight.ignores_defaults and is_private(name) else part


def _left_in(effect: Effect, name: str, sight: Sight) -> Any:
    part = _seen_part(effect.parts()[1], name, sight)
    return _constant_of(effect.after, name) if part is _ABSENT else part


def _have_parts(one: Any, two: Any) -> bool:
    """Whether the attributes of two objects tell them apart: they have no other content, or the same."""
    if attributes_of(one) is None or attributes_of(two) is None:
        return False
    return all([base_of(type_of(value)) is None for value in (one, two)]) or same_content(one, two)


def _have_other_lengths(one: Effect, two: Effect) -> bool:
    """Whether ``len`` tells two containers from each other after the calls, but not before: whatever they write of
    themselves."""
    lengths = [length_of(value) for value in (one.before, two.before, one.after, two.after)]
    return None not in lengths and lengths[0] == lengths[1] and lengths[2] != lengths[3]


def length_of(value: Any) -> int | None:
    """The length of a builtin container, also where a subclass writes it otherwise; None where that counts itself."""
    base = base_of(type_of(value))
    bases: tuple[Any, ...] = type.__getattribute__(type_of(value), "__mro__") if base in _MUTABLE else ()
    counting: Any = next((kind for kind in bases if "__len__" in kind.__dict__), None)
    return counting.__len__(value) if counting is not None and counting is base else None


def _describes_itself(value: Any) -> bool:
    base: Any = base_of(type_of(value)) or object
    return type(value).__repr__ is not base.__repr__


def look_alike(one: Any, two: Any) -> bool:
    """Whether both are objects that say the same of themselves: what they keep inside is no difference to show."""
    if is_plain(one) or is_plain(two):
        return False
    text = value_text(one, _LONGEST)
    return len(text) < _LONGEST and text == value_text(two, _LONGEST)


_MUTABLE = (list, dict, set, bytearray)


class Sharing(NamedTuple):
    """A container that a caller gets, and that something else holds too: changes of one change the other."""

    place: str
    """The attribute of the instance that holds it; empty for the result."""
    owner: str
    """Who else holds it."""
    attribute: str
    """Where that is an attribute of the instance, its name; else empty."""
    value: Any


INSTANCE = "the instance"
_COPYING = frozenset(("copy", "__copy__", "deepcopy", "__deepcopy__", "clone", "duplicate"))


def shared_by(value: Any, arguments: Any, namespace: dict[str, Any], method: str, *, is_bound: bool) -> list[Sharing]:
    """Return the containers among a result and the attributes of the instance that are not a caller's own; the instance
    itself where a method returns it that is called after copying, and others change it.

    Args:
        value: what a call returned.
        arguments: of the call, after it; the instance is the first one where the function is a method.
        namespace: of the program.
        method: the name of the function.
        is_bound: whether it is a method.
    """
    given = list(arguments or ())
    if method in _COPYING and is_bound and given and value is given[0] and changes_itself(type_of(value)):
        return [Sharing("", INSTANCE, "", value)]
    attributes = (attributes_of(given[0]) or {}) if is_bound and given else {}
    places = {"": value, **attributes}
    found: list[Sharing] = []
    for place, part in places.items():
        if type_of(part) not in _MUTABLE:
            continue
        names = [name for name, one in attributes.items() if one is part] if not place else []
        owner = f"the attribute {names[0]}" if names else _owner_of(part, given, namespace, is_bound=is_bound)
        if owner:
            found.append(Sharing(place, owner, names[0] if names else "", part))
    return found


def _owner_of(part: Any, given: list[Any], namespace: dict[str, Any], *, is_bound: bool) -> str:
    """Name who else holds a container: an argument, the instance's class, or the module; empty where none does."""
    if any([part is one for one in given[int(is_bound) :]]):
        return "an argument"
    bases = type.__getattribute__(type_of(given[0]), "__mro__") if is_bound and given else ()
    names = [name for base in bases for name, one in base.__dict__.items() if one is part]
    if names:
        return f"the attribute {names[0]} of its class"
    variables = [name for name, one in list(namespace.items()) if one is part and name[:2] != "__"]
    return f"the variable {variables[0]} of its module" if variables else ""


def keep_alike(one: str, two: str, qualname: str) -> bool:
    """Whether a method's class is the same in two programs but for that method, as are the classes that it names: then
    their objects keep their parts alike."""
    return _classes(one, qualname) == _classes(two, qualname)


def _classes(source: str, qualname: str) -> list[str]:
    """The method's class without the method, and the classes that it names, as normalised text."""
    owner, _, method = qualname.rpartition(".")
    classes = [node for node in walk_statements(ast.parse(source.lstrip("\ufeff"))) if isinstance(node, ast.ClassDef)]
    own = [node for node in classes if node.name == owner.rpartition(".")[2]]
    named = {part.id for node in own for part in walk_tree(node) if isinstance(part, ast.Name)}
    for node in own:
        node.body = [part for part in node.body if getattr(part, "name", "") != method]
    return [ast.dump(node) for node in classes if node in own or node.name in named]


def stored_alone(one: str, two: str, qualname: str) -> frozenset[str]:
    """The attributes that a method of two programs stores in its instance, where nothing else of the programs differs:
    so a constructor that calls the method leaves other values in them by nothing but that method."""
    trees = [ast.parse(source.lstrip("\ufeff")) for source in (one, two)]
    methods = [find_function(tree, qualname) for tree in trees]
    kept = [_stored_in(method) for method in methods if method is not None]
    for method in methods:
        if method is not None:
            method.body = []
    is_alone = len(kept) == len(trees) and ast.dump(trees[0]) == ast.dump(trees[1])
    return kept[0] & kept[1] if is_alone else frozenset()


def _stored_in(method: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The attributes that a method assigns to its first parameter."""
    stored = [part for part in walk_tree(method) if isinstance(part, ast.Attribute) and type(part.ctx) is ast.Store]
    first = positional_names(method)[:1]
    return frozenset([one.attr for one in stored if isinstance(one.value, ast.Name) and one.value.id in first])
