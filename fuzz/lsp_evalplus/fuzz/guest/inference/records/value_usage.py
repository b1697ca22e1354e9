"""How a function uses one value, its parts and its attributes, and the shape of the values that are used so."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set
from re import Pattern
from typing import Any, Callable

from ...static.parameter_members import is_plain
from ...static.walking import string_in
from ...values.makers.asynchronous import async_function
from ...values.makers.call_recorder import RECORDER
from ...values.recipes.model import ALWAYS, Name, New
from ...values.shapes import (
    INT,
    NONE,
    NUMBER,
    STR,
    CallShape,
    ChoiceShape,
    DictShape,
    FixedDictShape,
    ListShape,
    RecordShape,
    Shape,
    failing_calls,
    functions_called_with,
    leaves,
    union_of,
)
from .likely_values import ANSWERS, CONSTANTS, KINDS, SCALAR, UNPACKED, WITH_NAMES
from .made_objects import Made, Stated, is_vague
from .match_objects import Group, is_match, matches
from .turns import returned_in_turn

STAND_IN = "types.SimpleNamespace"
_ENTERED = "contextlib.nullcontext"
"""What a ``with`` statement enters and leaves, and gives a value to its body."""
_LOGGING = frozenset("debug info warning warn error exception critical log".split())
"""Methods whose calls are no part of what a function does for its caller."""
_OF_CONTAINERS = frozenset("pop popitem setdefault copy values items keys".split())
"""Methods of containers that return what these hold, or containers."""
_NOTHING = ChoiceShape((Name(f"{ALWAYS} None"),))
_DEEPEST = 3
"""Maximum nesting of a record in itself."""
_MOST_ATTRIBUTES = 24
"""An object of which more is used is no simple one."""
_OTHER = "other"
"""A key that is not looked up."""
_NAMES = frozenset(("__name__", "__qualname__"))
_ALL_GROUPS = frozenset(("groupdict", "groups"))
"""Methods of a match that return several of its groups."""
MOST_BUILTINS = 3


class Use:
    """Usage of one value."""

    looks_up = False
    """Whether any value is looked up in it, rather than a string sought by ``in`` alone."""
    element: Use | None = None
    is_open = False
    """Whether it is also used as a mapping with arbitrary keys."""
    is_indexed = is_gone_through = False
    """How its items are accessed: by iteration, or by an index, which may be a key."""
    is_subscripted = False
    """Whether it is accessed by an index, or a key, between brackets."""
    is_searched = False
    """Whether it is used in a membership test."""
    methods: Set[str] = frozenset()
    """Those that the interface which annotates it states: not what a mapping or a string has by these names."""
    is_mapping = False
    """Whether its values are gone through as those of a mapping."""
    is_keyed = False
    """Whether they are looked up by each of its keys in turn."""
    is_kept = False
    """Whether it is passed on as a whole, with whatever else it holds."""
    parsed: Shape | None = None
    """The strings that are parsed without an error."""
    is_key = False
    """Whether it is looked up in a table, with these keys."""
    arguments: int | None = None
    """With how many arguments it is called; None where it is not."""
    result: Use | None = None
    """How what it returns is used."""
    is_in_turn = False
    """Whether a loop calls it again and again."""
    content: Use | None = None
    """How what is decoded from it is used, where it is JSON."""
    is_awaited = False
    """Whether what it returns is awaited."""
    entered: Use | None = None
    """How that is used which it gives to the body of a ``with`` statement."""
    is_ordered = False
    """Whether it is called for its effect alone."""
    is_text = False
    """Whether a method of strings is called on it."""
    is_either = False
    """Whether nothing but a sum says what it is: numbers, or texts."""
    stated: Shape | None = None
    """What an annotation says of it, where that is more than a scalar."""
    has_default = False
    """Whether a constant takes its place where it is nothing: ``one.name or ""``."""
    is_left_out = False
    """Whether it is compared with None."""
    is_asked = False
    """Whether its truth is tested, or whether it is None."""
    instances: Shape | None = None
    """What is known of how objects of the classes are made that it is asked for."""
    is_instance = False
    """Whether two versions use different attributes of it, so that only such objects are known to have them."""

    def __init__(self) -> None:
        self.fields: dict[str, Use] = {}
        self.required: set[str] = set()
        self.optional: set[str] = set()
        self.places: list[Use] = []
        """Usage of its items by position, where it is unpacked in a loop or by a pattern."""
        self.lengths: dict[int, bool] = {}
        """The numbers of items to which it is unpacked."""
        self.kinds: list[str] = []
        """The names of the classes that it is asked for."""
        self.asked: list[str] = []
        """These classes, as code writes them."""
        self.shapes: list[Shape] = []
        self.words: list[str] = []
        """Strings that it is compared with."""
        self.numbers: list[float] = []
        """Numbers that it is compared with."""
        self.names: list[str] = []
        """Constants and members of classes that it is compared with, or that are sought in it."""
        self.attributes: dict[str, Use] = {}
        self.calls: list[ast.Call] = []
        """The calls of it, and those that it is passed to."""
        self.groups: list[Group] = []
        """Those that are asked for, where it is a match of a regular expression."""

        self.caught: tuple[str, ...] = ()
        """The exceptions that are caught where a call of it is all that is tried, as they are written."""
        self.raised: Shape | None = None
        """These exceptions."""

    def field(self, name: str) -> Use:
        """Return the usage of the value under a key."""
        self.looks_up = True
        return self.fields.setdefault(name, Use())

    def seek(self, key: str) -> None:
        """Note a string that may be in it, as a key or otherwise."""
        self.optional.add(key)
        self.fields.setdefault(key, Use())

    def forget_parts_of_texts(self) -> None:
        """Forget the strings that are sought in it where it is no mapping: it or its items are strings, or these
        are punctuation."""
        items_are_texts = self.element is not None and self.element.is_text
        has_words = any([letter.isalnum() for key in self.fields for letter in key])
        if not (self.looks_up or self.is_open or self.is_mapping) and (
            self.is_text or items_are_texts or not has_words
        ):
            self.fields.clear()
        elif self.fields and self.is_gone_through:
            self.is_open = True

    def item(self) -> Use:
        """Return the usage of each of its items."""
        if self.element is None:
            self.element = Use()
        return self.element

    def values(self, *, with_keys: bool) -> Use:
        """Return the usage of its values as a mapping, or of pairs of keys and values."""
        self.is_mapping = True
        found = Use()
        if not with_keys:
            found.element = self.item()
        else:
            found.item().unpacked(2)
            found.item().places[1] = self.item()
        return found

    def unpacked(self, count: int) -> list[Use]:
        """Return the usage of each of a number of items to which it is unpacked."""
        self.lengths[count] = True
        self.places += [Use() for _ in range(count - len(self.places))]
        return self.places[:count]

    def attribute(self, name: str) -> Use:
        """Return the usage of an attribute."""
        return self.attributes.setdefault(name, Use())

    def returned(self) -> Use:
        """Return the usage of what a call of it returns."""
        if self.result is None:
            self.result = Use()
        return self.result

    def decoded(self) -> Use:
        """Return the usage of what is decoded from it, where it is JSON."""
        if self.content is None:
            self.content = Use()
        return self.content

    def body(self) -> Use:
        """Return the usage of what it gives to the body of a ``with`` statement."""
        if self.entered is None:
            self.entered = Use()
        return self.entered

    def note_words(self, key: str, words: Iterable[str]) -> None:
        """Note strings that decide what is done with the value under a key, its own or that of its items."""
        holder = self if key in self.fields or self.element is None else self.element
        if key in holder.fields:
            field = holder.fields[key]
            field.is_key = not field.words
            field.words += words

    def is_object(self, around: tuple[Use, ...] = ()) -> bool:
        """Return whether attributes are used of it that no plain type has; `around` are those that it is a part of."""
        names = self.attributes.keys()
        if not 0 < len(names) <= _MOST_ATTRIBUTES or self.fields or any([name.startswith("__") for name in names]):
            return False
        return not self._is_plain() or self._gives_objects((*around, self))

    def is_asked_for_objects(self) -> bool:
        """Return whether its methods return objects, and nothing else is done with it that is done with a mapping."""
        is_container = self.is_mapping or self.is_subscripted or self.is_searched or self.is_gone_through
        return self.is_object() and not is_container

    def _is_plain(self) -> bool:
        """Return whether a plain type has all the attributes that are used of it, and no interface states others."""
        if self.methods & self.attributes.keys() or any([use.is_container() for use in self.attributes.values()]):
            return False
        return is_plain(set(self.attributes))

    def is_container(self) -> bool:
        """Return whether its items are used, and it is not called: no method of a plain type is used so."""
        return self.arguments is None and (self.is_gone_through or self.element is not None or bool(self.fields))

    def is_match(self) -> bool:
        """Return whether it is a match of a regular expression."""
        return is_match(self.attributes.keys())

    def matches(self, patterns: Iterable[Pattern[str]] = ()) -> Shape:
        """Return the shape of matches that are used so, of regular expressions of the program besides others."""
        results = [use.result for use in self.attributes.values() if use.result is not None]
        words = [word for one in (*results, *self.fields.values()) for word in one.words]
        made = matches([*self.groups, *self.fields, *self._groups_of_results()], words, patterns)
        return union_of([made, NONE]) if self.is_asked else made

    def _groups_of_results(self) -> list[Group]:
        """Return the groups of a match that are looked up in what its methods return, or unpacked from it."""
        found: list[Group] = []
        for name in sorted(_ALL_GROUPS & self.attributes.keys()):
            result = self.attributes[name].result
            if result is not None:
                found += [*result.fields, *result.lengths]
        return found

    def only_logs(self) -> bool:
        """Return whether nothing but methods of loggers are used of it, and not their results."""
        used = self.attributes.items()
        return bool(used) and all([name in _LOGGING and use.is_ordered for name, use in used])

    def _gives_objects(self, around: tuple[Use, ...]) -> bool:
        """Return whether a method returns objects that no method of that name of a plain type does."""
        results = [(name, use.result) for name, use in self.attributes.items() if name not in _OF_CONTAINERS]
        # A mapping has None for what it does not hold.
        found = [use for name, use in results if use is not None and not (name == "get" and use.is_asked)]
        return any([use.entered is not None or (use not in around and use.is_object(around)) for use in found])

    def holds_records(self) -> bool:
        """Return whether it is a record, a list of records or of functions, or lists of such."""
        parts = self.levels()
        if any([one.arguments is not None for one in parts[1:]]):
            return True
        is_named = any([not _NAMES.isdisjoint(one.attributes) for one in parts])
        return is_named or any([bool(one.fields or one.places) or one.is_mapping_of_known() for one in parts])

    def is_mapping_of_known(self) -> bool:
        """Return whether it is a mapping of which something is known of the values."""
        if self.element is None:
            return False
        is_of_containers = self.is_open and self.is_indexed and not self.fields and self.element.is_container()
        return is_of_containers or (self.is_mapping and (self.is_keyed or self.element.tells()))

    def levels(self) -> list[Use]:
        """Return the usage itself, of its items, of theirs and so on."""
        found: list[Use] = [self]
        while (inner := found[-1].element) is not None and inner not in found:
            found.append(inner)
        return found

    def holds_objects(self) -> bool:
        """Return whether it is an object with attributes, a list of such, or lists of lists."""
        return any([one.is_object() for one in self.levels()])

    def gives_objects(self) -> bool:
        """Return whether it is a function that returns objects or records, or lists of such."""
        return self.arguments is not None and self.result is not None and self.result.is_made()

    def find_instances(self, made: Made, around: tuple[Use, ...] = ()) -> None:
        """Note how objects are made of the classes for which its parts are asked, or that have what is used of them."""
        parts = [*self.attributes.values(), *self.fields.values(), *self.places]
        for part in [*parts, *[one for one in (self.element, self.result, self.entered) if one is not None]]:
            if part.instances is None:
                part.instances = made.of_classes(part.asked) if part.asked else None
            if part.instances is None and part.is_object():
                part.instances = made.having(part.attributes)
            part.raised = part.raised or (made.raised(part.caught) if part.caught else None)
            if part not in around and len(around) <= _DEEPEST:
                part.find_instances(made, (*around, self))

    def inner(self) -> list[tuple[str, Use]]:
        """Return what is used of it, by name; methods of strings, lists and the like are none of the object's own."""
        own = () if self._is_plain() else self.attributes.items()
        return [*own, *_named("[]", self.element), *_named("()", self.result), *_named("with", self.entered)]

    def has_effect_alone(self) -> bool:
        """Return whether it is called for its effect, and nothing is done with what it returns."""
        return self.is_ordered and (self.result is None or not self.result.tells())

    def shape(self, around: tuple[Use, ...] = ()) -> Shape:
        """Return the shape of such values."""
        made = self._shape_by_use(around)
        if self.instances is not None:
            made = union_of([self.instances, SCALAR if self.is_instance else made])
        return union_of([made, NONE]) if self.has_default or self.is_left_out else made

    def note_none(self, other: ast.AST) -> None:
        """Note that it is compared with something, if that is None."""
        if isinstance(other, ast.Constant) and other.value is None:
            self.is_asked = self.is_left_out = True

    def _shape_by_use(self, around: tuple[Use, ...]) -> Shape:
        if self.is_match():
            return self.matches()
        if self.content is not None and self.content.tells():
            made = self._encoded(self.content, around)
            return union_of([made, NONE]) if self.is_asked else made
        if self.fields:
            is_sought_in = around and not (self.looks_up or self.is_open or self.is_mapping or self.is_indexed)
            words = [STR, ChoiceShape(tuple(self.fields))] if is_sought_in else []
            return union_of([*words, *([] if words and self.is_text else [self._record(around)])])
        if not _NAMES.isdisjoint(self.attributes):
            lists = [] if self.element is None else [ListShape(self.element.shape((*around, self)))]
            return union_of([WITH_NAMES, *lists])
        if self.places:
            parts = [use.shape((*around, self)) if use.tells() else UNPACKED for use in self.places]
            return union_of([RecordShape(tuple(parts[:count])) for count in self.lengths])
        if self.is_object():
            made = NONE if around.count(self) >= _DEEPEST else self._object(around)
            return union_of([made, NONE]) if self.is_asked else made
        if self.entered is not None:
            inner = self.entered
            return CallShape(_ENTERED, (inner.shape((*around, self)),) if inner.tells() else ())
        if self.arguments is not None:
            made = self._function(self.arguments, around)
            return CallShape(async_function.__name__, (made,)) if self.is_awaited else made
        return self._scalar() if self.element is None else self._container(self.element, around)

    def _encoded(self, content: Use, around: tuple[Use, ...]) -> Shape:
        """Return JSON of a content, as bytes where these are decoded first."""
        made = CallShape("json.dumps", (content.shape((*around, self)),))
        return CallShape("str.encode", (made,)) if "decode" in self.attributes else made

    def _container(self, items: Use, around: tuple[Use, ...]) -> Shape:
        if around.count(items) >= _DEEPEST:
            return ListShape(STR, high=0)
        element = items.shape((*around, self))
        if self.kinds and (items is self or items in around):
            # What is tested for being a list or a dict ends in what is none.
            element = union_of([SCALAR, element])
        by_key = DictShape(STR, element)
        if self.is_mapping:
            return by_key
        if not self.is_indexed or self.is_gone_through:
            return ListShape(element)
        return by_key if self.is_open or self.is_searched else union_of([ListShape(element), by_key])

    def _scalar(self) -> Shape:
        if self.kinds:
            asked = [KINDS[one] for one in dict.fromkeys(self.kinds) if one in KINDS]
            return union_of([*asked, *self.shapes, SCALAR])
        strings = self.parsed or STR
        lists = [one for one in self.shapes if isinstance(one, ListShape)] if self.is_searched else []
        shapes = lists or self.shapes or [STR]
        if INT in shapes:
            shapes = [one for one in shapes if one is not NUMBER]
        found = [strings] if self.is_text else [strings if one is STR else one for one in shapes]
        if self.names:
            named = self._named()
            found[:0] = [named, ListShape(named)] if self.is_searched else [named]
        elif self._may_be_list():
            found.append(ListShape(STR))
        if self.words:
            # What is none of the keys of a table is rarely accepted.
            found.insert(0 if self.is_key else len(found), ChoiceShape(tuple(dict.fromkeys(self.words))))
        if self.numbers:
            found.append(ChoiceShape(tuple(dict.fromkeys([one + more for one in self.numbers for more in (0, -1, 1)]))))
        return union_of(found)

    def _may_be_list(self) -> bool:
        """Return whether something is sought in it that may be an item, or a part of a string."""
        return self.is_searched and not (self.is_text or self.shapes or self.parsed)

    def _named(self) -> Shape:
        return ChoiceShape(tuple([Name(one) for one in dict.fromkeys(self.names)]))

    def _function(self, arguments: int, around: tuple[Use, ...]) -> Shape:
        """Return functions whose results are used so: they return the same always, or others in turn."""
        always = self._constant_function(arguments, around)
        is_inside = any([one.is_in_turn for one in around])
        answers = self._answers(around) if self.is_in_turn and not (is_inside or self.has_effect_alone()) else None
        if answers is None:
            return always
        return union_of([always, *returned_in_turn(answers)])

    def _answers(self, around: tuple[Use, ...]) -> Shape | None:
        """Return what it may return, one value at a time; None where nothing tells that."""
        result = self.result
        if result is None or around.count(self) >= _DEEPEST:
            return None
        if result.stated is not None and not (result.fields or result.content):
            return result.stated
        if result.is_made() or result.names:
            return result.shape((*around, self))
        constants = result.constants()
        return ChoiceShape(constants) if constants else None

    def _constant_function(self, arguments: int, around: tuple[Use, ...]) -> Shape:
        """Return functions whose results are used so: they return the same always."""
        result = self.result
        if result is not None and result.arguments is not None and around.count(self) < _DEEPEST:
            is_effect = result.has_effect_alone()
            return CallShape(ALWAYS, (CallShape(RECORDER, ()) if is_effect else result.shape((*around, self)),))
        if result is not None and result.stated is not None and not (result.fields or result.content):
            return CallShape(ALWAYS, (result.stated,))
        constants = result.constants() if result is not None and result.content is None else ()
        if constants:
            return ChoiceShape(tuple([New(ALWAYS, (one,)) for one in constants]))
        if result is not None and around.count(self) < _DEEPEST and result.is_made():
            return CallShape(ALWAYS, (result.shape((*around, self)),))
        if result is not None and result.names:
            return CallShape(ALWAYS, (result.shape(),))
        # Functions of several parameters are for some types only, which nothing tells.
        return ChoiceShape(
            (*ANSWERS, *functions_called_with(arguments).values[: MOST_BUILTINS if arguments < 2 else 0])
        )

    def is_made(self) -> bool:
        """Return whether it is an object or a record, a list of such or of lists, or for a ``with`` statement."""
        if self.entered is not None or self.content is not None or self.holds_records() or self.holds_objects():
            return True
        return self.element is not None and self.element.element is not None

    def tells(self) -> bool:
        """Return whether it says anything of the type."""
        parts = (
            self.fields,
            self.places,
            self.attributes,
            self.shapes,
            self.words,
            self.names,
            self.kinds,
            self.element,
            self.content,
        )
        return any(map(bool, parts)) or self.arguments is not None or self.entered is not None

    def state(self, stated: Stated) -> None:
        """Note what the class of an annotation says."""
        shapes, results = stated
        for name, use in self.attributes.items():
            if name in shapes and shapes[name].kind in CONSTANTS:
                use.shapes, use.is_either = [shapes[name]], False
            elif name in results and results[name].kind in CONSTANTS:
                use.returned().shapes = [results[name]]
            elif name in results and not is_vague(results[name]):
                use.returned().stated = results[name]

    def constants(self) -> tuple[Any, ...]:
        """Return values that are used so, as far as a condition, a comparison or a loop tells them.

        Any object may have a method that returns one of them always, whatever its methods have to do with each other.
        """
        if self.attributes and not self._is_plain():
            return ()
        if self.element is not None:
            is_nested = self.element.attributes or self.element.element is not None or self.element.fields
            return () if is_nested else ((), (1, 2), ("a", "b"))
        if self.words:
            return (*dict.fromkeys(self.words), "a")
        for shape in reversed(self.shapes):
            if shape.kind in CONSTANTS:
                found = CONSTANTS[shape.kind]
                return (*found, None) if self.is_asked and shape.kind is STR.kind else found
        return ()

    def with_attributes(self, name: str) -> Shape:
        """Return calls of a class that gives its objects the attributes that it is passed by name."""
        return self._object((), name)

    def _object(self, around: tuple[Use, ...], name: str = STAND_IN) -> Shape:
        names = tuple(self.attributes)
        uses = [self.attributes[name] for name in names]
        # A sum of numbers has no order; that of texts is nothing to blame anybody for where numbers are as likely.
        parts = [
            NUMBER if use.is_either and not (use.words or use.is_text) else use.shape((*around, self)) for use in uses
        ]
        for place, use in enumerate(uses):
            if use.has_effect_alone():
                made = _NOTHING if names[place] in _LOGGING else CallShape(RECORDER, ())
                parts[place] = CallShape(async_function.__name__, (made,)) if use.is_awaited else made
            if use.raised is not None:
                parts[place] = union_of([parts[place], *use._failing(use.raised, (*around, self))])
        return CallShape(name, tuple(parts), names)

    def _failing(self, raised: Shape, around: tuple[Use, ...]) -> list[Shape]:
        """Return functions that raise an exception which the function under test catches."""
        made = failing_calls(raised, None if self.has_effect_alone() else self._answers(around))
        return [CallShape(async_function.__name__, (one,)) for one in made] if self.is_awaited else made

    def record_of(self, values: Shape) -> Shape:
        """Return the shape of its records, where an annotation states the type of their values."""
        record = self._record(())
        parts = [self.fields[name].within(values) if name in self.fields else values for name in record.names]
        return record.with_parts(tuple(parts))

    def within(self, stated: Shape) -> Shape:
        """Return the shape of such values that are of a stated type."""
        kinds = leaves(stated)
        found = [self.parsed] if self.parsed is not None and STR.kind in kinds else []
        for one in self.shape().alternatives:
            if isinstance(one, ChoiceShape):
                found += [one] if all(map(stated.accepts, one.values)) else []
            elif one.kind in kinds and not (found and one.kind is STR.kind):
                found.append(one)
        return union_of(found) if found else stated

    def _record(self, around: tuple[Use, ...]) -> FixedDictShape:
        required = [name for name in self.fields if name in self.required - self.optional]
        names = [*required, *[name for name in self.fields if name not in required]]
        parts = [self.fields[name].shape((*around, self)) for name in names]
        if self.is_kept and _OTHER not in names:
            names, parts = [*names, _OTHER], [*parts, INT]
        return FixedDictShape(tuple(names), tuple(parts), tuple(required))


def _named(name: str, use: Use | None) -> list[tuple[str, Use]]:
    return [] if use is None else [(name, use)]


_OTHER_KEY = "a"
"""A key beside those that a function names, where it looks up others."""


def share(use: Use | None, others: Iterable[ast.expr], use_of: Callable[[ast.AST], Use | None]) -> Use | None:
    """Return a usage, which the attributes and values under keys share that may stand in the place of its value:
    ``rates.get(code, rates["default"])``."""
    for one in others if use is not None else ():
        whole = use_of(one.value) if isinstance(one, (ast.Attribute, ast.Subscript)) else None
        if whole is not None and use is not None and isinstance(one, ast.Attribute):
            whole.attributes[one.attr] = use
        elif whole is not None and use is not None and isinstance(one, ast.Subscript) and string_in(one.slice):
            whole.looks_up = True
            whole.fields[string_in(one.slice)] = use
            if use is whole.element:
                whole.seek(_OTHER_KEY)
                whole.fields[_OTHER_KEY] = use
    return use
