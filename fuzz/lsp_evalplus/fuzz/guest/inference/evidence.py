"""Combines the usage of parameters without annotation in both programs."""

from __future__ import annotations

import builtins
import functools
import types
import typing
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Callable

from ..calling.keywords import with_values
from ..calling.subject import Parameter, Programs, Subject
from ..program.classes import varying_subclasses
from ..static.command_lines import command_lines_for
from ..static.parameter_members import is_plain, marked_parameters, read_members
from ..static.walking import Function
from ..values.dynamic import is_class, is_subclass, type_of
from ..values.makers.sqlite_database import DatabasePath
from ..values.public_state import is_special
from ..values.recipes.model import Name
from ..values.shapes import (
    ANY,
    ANYTHING,
    INSPECTED,
    STR,
    AnyShape,
    ChoiceShape,
    ConstructorShape,
    ListShape,
    Shape,
    TupleShape,
    functions_called_with,
    is_nothing,
    is_unknown,
    union_of,
)
from .annotations import Level, constructor_shape, shape_of_hint, with_numbers
from .asynchronous import asynchronous_hints
from .callees import (
    Expected,
    Receiver,
    asked_of_items_by,
    classes_among,
    hints_asked,
    home_of,
    kinds_among,
    receivers_of,
    refused_values,
    types_named,
    types_tested,
)
from .choices import Where, choices_of, field_choices, named_objects
from .constructors.constructor_usage import converting_by
from .databases.paths import connected_paths
from .files.contents_by_keys import written_as_json
from .files.file_contents import as_path, files_handed_on
from .files.frame_columns import imports_pandas, is_frame, used_as_frames, with_columns
from .files.parsed_parameters import documents_parsed
from .files.stored_files import files_of_instance, with_files
from .functions.called_parameters import (
    asked_callables,
    called_items,
    called_parameters,
    called_within,
    is_function_name,
)
from .functions.function_shapes import called_in_turn, functions_called, recording_functions
from .handed_on import ProjectCallees
from .hints import hints_of
from .library_objects import is_namespace, made_by
from .members import class_named, classes_with_members, has_members, inherited_hint, own_classes, own_classes_having
from .objects.abstract_types import others_asked
from .objects.hosts import classes_made_by
from .objects.instances import instance_shape
from .objects.known_instances import instances_of
from .objects.leaving import is_leaving
from .objects.newer_annotations import with_annotations
from .objects.type_variables import examined_types
from .objects.visitors import visited_objects
from .optional_parameters import (
    compared_constants,
    compared_with_none,
    examined_by,
    fallback_kinds,
    names_as_conditions,
    tested_for_none,
)
from .records.comparisons import lists_of_words
from .records.date_arithmetic import time_arguments
from .records.made_objects import Made, Stated
from .records.match_objects import is_made_by_matching, patterns_in
from .records.path_lookups import keyed_records
from .records.shapes import objects_in, uses_in, with_records
from .records.stated_members import made_in, stated_by
from .records.value_usage import STAND_IN
from .stored_parameters import interfaces_among, methods_stated
from .type_arguments import (
    OF_TYPING,
    TYPES,
    asked_classes,
    asks_for_types,
    class_arguments,
    inspects_functions,
    looks_into_types,
)
from .usage import (
    Evidence,
    compared_words,
    is_kind,
    is_symmetric,
    keys_of_records,
    number_fields,
    told_kinds,
    used_kinds,
)

_FUNCTION = ChoiceShape((Name("lambda *args, **kwargs: (args, kwargs)"),))
_OF_FUNCTIONS = frozenset(("__name__", "__qualname__", "__code__", "__globals__", "__defaults__", "__wrapped__"))
_ANOTHER = "other"
"""Conventional name of a second object of a method's class."""
_MOST_CLASSES = 4
"""Maximum number of classes of a module that are tried where code asks whether a value is a class."""
_LISTS = (ListShape, TupleShape)
_MOST_SUBCLASSES = 4
"""So many subclasses are tried beside a method's own class."""


def evidence_of(
    programs: Programs, parameters: Sequence[Parameter], records: Mapping[str, Shape], *, is_previous: bool = False
) -> Evidence:
    """Return the usage in both programs; `records` are possible dicts for parameters of otherwise unknown type.

    Args:
        is_previous: whether an older version judges, whose callers rely on whatever it asks for.
    """
    judging, candidate = functions = _functions(programs)
    tested = types_tested(_with_namespaces(programs))
    unknown = {one.name for one in parameters if is_unknown(one.shape)}
    received = _received(subject := programs.judging)
    elsewhere = {name: hints_asked(receivers[1:]) for name, receivers in received.items()}
    for name, hints in elsewhere.items():
        tested.setdefault(name, []).extend(kinds_among(hints))
    visited = visited_objects(subject, unknown)
    shapes = _classes_of(programs, parameters, tested, elsewhere)
    shapes.update({name: [shape] for name, shape in visited.items()})
    objects = _objects_of(programs, unknown - visited.keys())
    beside = _beside(subject, tested, Expected(subject, judging).members) if is_previous else {}
    known = classes_with_members(subject, beside, {}, ())
    stand_ins = _add_objects(shapes, objects, {name for name in beside if not known.get(name)})
    awaited, keyed = asynchronous_hints([judging]), keys_of_records(judging)
    for name, shape in records.items():
        shapes.setdefault(name, []).append(shape)
    named, recorders = _named(subject, received), recording_functions(subject, received, _received(programs.candidate))
    item_choices = _choices(programs.distinct(), of_items=True)
    gone_through = {name: values for name, values in item_choices.items() if name not in records}
    for name, shape in (*named.items(), *recorders.items(), *lists_of_words(gone_through)):
        if name in unknown:
            shapes.setdefault(name, []).append(shape)
    lines = {} if judging is None else command_lines_for(judging, subject.anatomy.tree)
    words = [(name, ListShape(STR)) for name in lines]
    written = _written(judging, parameters)
    stated = [*((name, shape_of_hint(hint)) for name, hint in awaited.items()), *keyed_records(keyed, judging)]
    for name, shape in (*stated, *functions_called(judging, awaited), *words, *written.items()):
        if name in unknown:
            shapes.setdefault(name, []).insert(0, shape)
    _add_marked(shapes, judging, unknown)
    kinds = {name: set(filter(is_kind, named)) for name, named in tested.items()}
    optional = compared_with_none(judging) | {name for name, hints in elsewhere.items() if None in hints}
    both = names_as_conditions(judging) & (names_as_conditions(candidate) | compared_with_none(candidate))
    asked = _kinds_asked(_with_namespaces(programs) if is_previous else _with_namespaces(programs)[:1])
    is_open = is_previous and not is_leaving(subject, parameters)
    asked |= {name: asked.get(name, set()).union(kinds_among(hints)) for name, hints in elsewhere.items()}
    return Evidence(
        _told(functions),
        _without(_stated_methods(programs), used_kinds(functions)),
        kinds,
        shapes,
        compared_words(functions),
        asked=asked,
        optional=optional,
        optional_in_both=both - optional,
        newly_optional=compared_with_none(candidate) - optional,
        tested_for_none=tested_for_none(subject.anatomy.tree),
        constants={} if programs.reference is None else compared_constants(judging),
        choices=_choices(programs.distinct()),
        item_choices=item_choices,
        command_lines=lines,
        keys={key for keys in keyed.values() for key in keys},
        stand_ins=stand_ins,
        examined=examined_by(judging),
        admitted=_admitted(programs, parameters, received, {**recorders, **named, **written}) if is_open else {},
    )


def _kinds_asked(functions: Sequence[tuple[Any, Mapping[str, Any]]]) -> dict[str, set[str]]:
    """Return the builtin types that functions ask for, by parameter: one that a newer version alone asks for is what
    was changed."""
    return {name: set(filter(is_kind, named)) for name, named in types_tested(functions).items()}


def _add_objects(shapes: dict[str, list[Shape]], objects: Mapping[str, Shape], others: Set[str]) -> dict[str, Shape]:
    """Add objects with the attributes that are used to the shapes of parameters without a class, and of those where
    others are meant beside a class; return those of parameters with classes."""
    stand_ins: dict[str, Shape] = {}
    for name, shape in objects.items():
        if shapes.get(name):
            stand_ins[name] = shape
            shapes[name] += [shape] if name in others else []
        elif name in shapes:
            shapes[name] = [shape]
    return stand_ins


def _add_marked(shapes: dict[str, list[Shape]], judging: Function | None, names: Set[str]) -> None:
    """Add the shapes of those parameters on which the judging program sets attributes: a function that takes any, which
    no builtin does, or an object without attributes of its own where nothing else is known; those that are named as
    classes are such, and those are times that arithmetic tells to be some."""
    asked, read = asked_callables(judging), read_members(judging)
    called = called_within(judging)
    for name in sorted(marked_parameters(judging) & names):
        is_function = is_function_name(name) or name in asked or name in called
        if is_function or read.get(name, set()) & _OF_FUNCTIONS:
            shapes.setdefault(name, []).insert(0, _FUNCTION)
        elif not shapes.get(name):
            shapes.setdefault(name, []).insert(0, made_by(STAND_IN))
    for name, shape in time_arguments(judging).items():
        if name in names:
            shapes.setdefault(name, []).insert(0, shape)
    shapes.update({name: [shape] for name, shape in class_arguments(judging).items() if name in names})


def _named(subject: Subject, received: Mapping[str, Sequence[Receiver]]) -> dict[str, Shape]:
    """Return the objects of the module with which parameters are compared; all kinds of types for those looked into."""
    found: dict[str, Shape] = {
        name: ChoiceShape(tuple(values)) for name, values in named_objects(_choices([subject])).items()
    }
    found.update(asked_classes(subject.anatomy.function))
    for name, receivers in received.items():
        tried = _classes_beside(subject) if asks_for_types(receivers) else ()
        tried += OF_TYPING.values if looks_into_types(receivers) else ()
        if tried:
            found[name] = ChoiceShape(tried)
    return found


def _classes_beside(subject: Subject) -> tuple[Any, ...]:
    """Return builtin types, and classes that the module of a program defines."""
    own = [one for one in own_classes(subject.namespace) if subject.namespace.get(one.__name__) is one]
    return (*[Name(one.__name__) for one in own[:_MOST_CLASSES]], *TYPES.values)


def _choices(subjects: Iterable[Subject], *, of_items: bool = False) -> dict[str, list[Any]]:
    return choices_of(_places(subjects), of_items=of_items)


def _places(subjects: Iterable[Subject]) -> list[tuple[Any, Where]]:
    return [(one.anatomy.function, Where(one.anatomy.tree, one.namespace, one.loaded.owner)) for one in subjects]


def _received(subject: Subject) -> Mapping[str, Sequence[Receiver]]:
    """Return where the values of parameters are known as what; those of a dataclass's constructor to its method that
    converts them."""
    owner = subject.loaded.owner
    if owner is not None and subject.loaded.is_constructor and subject.qualname.endswith(".__post_init__"):
        return converting_by(owner, subject.anatomy.function, subject.anatomy.tree)
    return receivers_of(subject.anatomy.function, home_of(subject))


def _level(subject: Subject) -> Level:
    return Level(0, {}, {}, *instances_of(subject), namespace=subject.namespace)


def _settled(subject: Subject) -> Level:
    """Return the level at which only those objects are known that have to be made in one way."""
    return Level(0, {}, {}, stated=instances_of(subject)[1], namespace=subject.namespace)


def _written(function: Function | None, parameters: Sequence[Parameter]) -> dict[str, Shape]:
    """Return what JSON has for the parameters of any type that a function writes as JSON."""
    untyped = {one.name for one in parameters if isinstance(one.shape, AnyShape)}
    return {name: shape for name, shape in written_as_json(function) if name in untyped}


def _admitted(
    programs: Programs,
    parameters: Sequence[Parameter],
    received: Mapping[str, Sequence[Receiver]],
    named: Mapping[str, Shape],
) -> dict[str, list[Shape]]:
    """Return what the judging program asks of parameters beside what is stated of them: types, None, objects of the
    module with which it compares them, and a value of a type that it refuses on purpose."""
    found: dict[str, list[Shape]] = {}
    level = _level(subject := programs.judging)
    callables, called = asked_callables(subject.anatomy.function), called_parameters(subject.anatomy.function)
    newer, stated = _received(programs.candidate), hints_of(subject.loaded.function)
    examined = examined_types(
        subject.anatomy.function, stated, lambda hint: shape_of_hint(hint, level._replace(classes={}))
    )
    of_items = _lists_admitted(programs, parameters, level._replace(classes={}))
    for parameter in parameters:
        if parameter.kind not in ("positional", "keyword"):
            found[parameter.name] = of_items.get(parameter.name, [])
            continue
        receivers = received.get(parameter.name, ())
        hints = hints_asked(receivers, stated.get(parameter.name))
        shapes = [shape_of_hint(hint, level._replace(classes={})) for hint in hints]
        shapes += others_asked(hints, hints_asked(newer.get(parameter.name, ())))
        shapes += examined.get(parameter.name, ())
        refused = refused_values(receivers, is_told=not isinstance(parameter.shape, AnyShape))
        shapes += [ChoiceShape(tuple(refused))] if refused else []
        asked = named.get(parameter.name)
        shapes += [asked] if asked is not None else []
        if inspects_functions(receivers):
            shapes.append(INSPECTED)
        elif parameter.name in callables:
            shapes.append(functions_called_with(callables[parameter.name]))
        elif parameter.name in called and shapes:
            # What is no object of the classes that it asks for is called.
            shapes.append(functions_called_with(called[parameter.name]))
        held = {_kind_of(one) for one in parameter.shape.alternatives}
        new = [one for one in shapes if not isinstance(one, AnyShape) and not is_nothing(one)]
        kept = [one for one in new if one is asked or _kind_of(one) not in held or isinstance(one, ChoiceShape)]
        found[parameter.name] = kept + of_items.get(parameter.name, [])
    return {name: shapes for name, shapes in found.items() if shapes}


def _kind_of(shape: Shape) -> Any:
    """Return what tells values of a shape from others: of objects, their class."""
    return shape.name if isinstance(shape, ConstructorShape) else shape.kind


def _lists_admitted(programs: Programs, parameters: Sequence[Parameter], level: Level) -> dict[str, list[Shape]]:
    """Return lists of what the programs ask of the items of parameters, tuples of it for ``*args``."""
    known = {one.name: one for one in parameters if one.kind in ("positional", "keyword", "spread")}
    found: dict[str, list[Shape]] = {}
    subject = programs.judging
    for name, hints in asked_of_items_by(subject, programs.candidate, known).items():
        held = {part.kind for one in known[name].shape.alternatives for part in one.parts}
        shapes = [shape_of_hint(hint, level) for hint in hints]
        new = [one for one in shapes if not isinstance(one, AnyShape) and not is_nothing(one) and one.kind not in held]
        make = TupleShape if known[name].kind == "spread" else ListShape
        found[name] = [make(one) for one in new]
    for name, count in called_items(subject.anatomy.function).items():
        if name in known and known[name].kind == "spread":
            found.setdefault(name, []).append(TupleShape(called_in_turn(count)))
    for name, hint in asynchronous_hints([subject.anatomy.function]).items():
        if name in known and known[name].kind == "spread" and type_of(hint) is types.GenericAlias:
            found.setdefault(name, []).append(TupleShape(shape_of_hint(hint.__args__[0])))
    return found


def _objects_of(programs: Programs, names: Set[str]) -> dict[str, Shape]:
    """Return the objects of which both programs use the same attributes, by the parameter that holds them."""
    if programs.reference is None:
        return {}
    hints = hints_of(programs.reference.loaded.function)
    stating = {name: _stating(hints.get(name)) for name in names}
    classes = {name: kind for name, kind in stating.items() if kind is not None}

    def stated(parameter: str, members: Iterable[str]) -> Stated:
        return stated_by(classes[parameter], members, shape_of_hint) if parameter in classes else Stated({}, {})

    judging, candidate = _functions(programs)
    return objects_in(judging, candidate, stated, _callees(programs), _stated_methods(programs), _made_in(programs))


def _made_in(programs: Programs) -> Made:
    scope = programs.judging.namespace
    return made_in(scope, functools.partial(own_classes_having, scope), shape_of_hint)


def _stating(hint: Any) -> type | None:
    """Return the class that an annotation names, or that of the items of a sequence; None for others."""
    arguments = [one for one in typing.get_args(hint) if one is not Ellipsis]
    named = arguments[0] if len(arguments) == 1 else hint
    return named if is_class(named) else None


def _told(functions: list[Function | None]) -> dict[str, set[str]]:
    """Return the types that comparisons, arithmetic and what stands for a missing value tell, by parameter."""
    told, instead = told_kinds(functions), fallback_kinds(functions)
    return {name: {*told.get(name, ()), *instead.get(name, ())} for name in {**told, **instead}}


def _without(interfaces: Mapping[str, Set[str]], kinds: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the builtin types that uses of parameters show, but for those whose interfaces state methods by name."""
    named = {name for name, methods in interfaces.items() if not all([is_special(one) for one in methods])}
    return {name: found for name, found in kinds.items() if name not in named}


def _stated_methods(programs: Programs) -> dict[str, Set[str]]:
    """Return the methods of the interfaces that annotate parameters."""
    found = interfaces_among(hints_of(programs.judging.loaded.function))
    return {name: methods_stated(kind) for name, kind in found.items()}


def _functions(programs: Programs) -> list[Any]:
    """Return the definitions of the judging function and of the candidate's."""
    return [programs.judging.anatomy.function, programs.candidate.anatomy.function]


def _callees(programs: Programs) -> tuple[ProjectCallees, ProjectCallees]:
    """Return what finds the functions that the judging function calls, and that the candidate's does."""
    return ProjectCallees(home_of(programs.judging)), ProjectCallees(home_of(programs.candidate))


def read_records(programs: Programs, parameters: Sequence[Parameter]) -> dict[str, Shape]:
    """Add looked-up keys to the dicts of parameters, in place; return the dicts of parameters of unknown type."""
    found: dict[str, Shape] = {}
    _with_objects(programs, parameters)
    judging, candidate = _functions(programs)
    uses = uses_in(judging, candidate, _callees(programs), _stated_methods(programs), _made_in(programs))
    has_any = any(use.holds_records() for use in uses.values())
    for (name, key), words in _field_words(programs).items() if has_any else ():
        if name in uses:
            uses[name].note_words(key, words)
    files = files_handed_on(judging, home_of(programs.judging))
    shapes = {one.name: one.shape for one in parameters}
    documents = documents_parsed(judging, shapes, _callees(programs)[0])
    settled = {**documents, **_frames(programs, parameters), **_databases(programs.judging)}
    for parameter in parameters:
        if parameter.name in documents and is_unknown(parameter.shape):
            found[parameter.name] = documents[parameter.name]
        elif parameter.name in settled:
            parameter.shape = settled[parameter.name]
        elif parameter.name in files:
            parameter.shape = as_path(parameter.shape, files[parameter.name])
        elif parameter.kind == "keywords":
            parameter.shape = with_values(parameter.shape, with_records(ANY, uses.get(parameter.name)))
        elif parameter.kind != "instance" and parameter.name in uses:
            if is_namespace(parameter.shape) and uses[parameter.name].attributes:
                parameter.shape = uses[parameter.name].with_attributes(parameter.shape.describe())
            shape = with_records(parameter.shape, uses[parameter.name])
            if uses[parameter.name].is_match() and (is_unknown(shape) or is_made_by_matching(shape)):
                shape = uses[parameter.name].matches(patterns_in(programs.judging.namespace))
            if shape is not parameter.shape and is_unknown(parameter.shape):
                found[parameter.name] = shape
            else:
                parameter.shape = shape
    return found


def _with_objects(programs: Programs, parameters: Sequence[Parameter]) -> None:
    """Add the objects whose attributes both programs use to parameters of unknown type, or to what these hold."""
    own = _of_own_class(programs)
    declared = {one.name: one for one in parameters if one.shape is ANYTHING and not own(one.name)}
    lists = {
        one.name: one for one in parameters if isinstance(one.shape, _LISTS) and isinstance(one.shape.element, AnyShape)
    }
    keywords = {one.name: one for one in parameters if one.kind == "keywords"}
    names = {*declared, *lists, *keywords}
    for name, shape in (_objects_of(programs, names) if names else {}).items():
        if name in declared:
            declared[name].shape = union_of([shape, ANYTHING])
        elif name in lists and isinstance(shape, ListShape):
            lists[name].shape = lists[name].shape.with_parts((shape.element,))
        elif name in keywords:
            keywords[name].shape = with_values(keywords[name].shape, shape)


def _databases(subject: Subject) -> dict[str, Shape]:
    """Return the shapes of the parameters that are paths of databases."""
    names = connected_paths(subject.anatomy.function, subject.namespace)
    shape = shape_of_hint(DatabasePath, _settled(subject))
    return dict.fromkeys(names, shape)


def _frames(programs: Programs, parameters: Sequence[Parameter]) -> dict[str, Shape]:
    """Return the shapes of parameters that are data frames, where the columns are known that functions use."""
    shapes = {one.name: one.shape for one in parameters if is_frame(one.shape)}
    functions = _functions(programs)
    if imports_pandas(programs.judging.loaded.filename):
        untold = [one.name for one in parameters if is_unknown(one.shape)]
        shapes.update(dict.fromkeys(used_as_frames(functions[0], untold), ANYTHING))
    return with_columns(shapes, functions)


def _of_own_class(programs: Programs) -> Callable[[str], bool]:
    """Return what tells whether the objects of a parameter are instances of the project's classes: an operator takes
    those of its own class, and a function those for which it tests."""
    subject, tested = programs.judging, types_tested(_with_namespaces(programs))

    def tells(parameter: str) -> bool:
        return _is_of_owner(programs, parameter) or bool(_classes_tested(subject, tested.get(parameter, ())))

    return tells


def _is_of_owner(programs: Programs, parameter: str) -> bool:
    """Whether a parameter of a method usually gets another object of its class."""
    method = programs.candidate.qualname.rpartition(".")[2]
    return programs.judging.loaded.owner is not None and (is_symmetric(method) or parameter == _ANOTHER)


def _field_words(programs: Programs) -> dict[tuple[str, str], list[str]]:
    """Return the strings that decide what the programs do with a value of a record, by parameter and key."""
    found = field_choices(_places(programs.distinct()))
    return {place: [one for one in values if type(one) is str] for place, values in found.items()}


def _classes_of(
    programs: Programs,
    parameters: Sequence[Parameter],
    tested: Mapping[str, Sequence[str]],
    elsewhere: Mapping[str, Sequence[Any]],
) -> dict[str, list[Shape]]:
    """Return the classes of which parameters without annotation may be instances: those of `isinstance` tests, the
    class of an operator, and those that have the members that are used."""
    found: dict[str, list[Shape]] = {}
    unknown = [one for one in parameters if one.kind == "positional" and isinstance(one.shape, AnyShape)]
    if not unknown:
        return found
    subject = programs.judging
    level = _level(subject)
    made = level.instances
    judging, candidate = [Expected(one, one.anatomy.function) for one in (subject, programs.candidate)]
    fitting = classes_with_members(subject, judging.members, candidate.members, made)
    beside = classes_with_members(subject, _beside(subject, tested, judging.members), {}, made)
    fitting = {name: [*fitting.get(name, ()), *beside.get(name, ())] for name in {**fitting, **beside}}
    owner = subject.loaded.owner
    for parameter in unknown:
        kinds = _classes_tested(subject, tested.get(parameter.name, ()))
        kinds += [one for one in classes_among(elsewhere.get(parameter.name, ())) if one not in kinds]
        if owner is not None and _is_of_owner(programs, parameter.name) and owner not in kinds:
            kinds.insert(0, owner)
        kinds += [one for one in fitting.get(parameter.name, ()) if one not in kinds]
        after = class_named(parameter.name, subject.namespace)
        kinds += [after] if after is not None and after not in kinds else []
        shapes = [shape_of_own(one, subject) if one is owner else shape_of_hint(one, level) for one in kinds]
        handed = inherited_hint(owner, parameter.name)
        hints = [*judging.hints.get(parameter.name, ()), *([handed] if handed is not None else [])]
        shapes += [shape_of_hint(one, level) for one in hints]
        found[parameter.name] = [one for one in shapes if not isinstance(one, AnyShape) and not is_nothing(one)]
    return found


def _with_namespaces(programs: Programs) -> list[tuple[Any, Mapping[str, Any]]]:
    """Return the definitions, each with the names of its module."""
    return [(one.anatomy.function, one.namespace) for one in (programs.judging, programs.candidate)]


def _classes_tested(subject: Subject, names: Iterable[str]) -> list[type]:
    """Return the classes that the names in tests for types stand for in a module, those of tuples among them; builtin
    types are left out."""
    named = [one for one in names if not is_kind(one)]
    kinds = [one for text in named for one in types_named(text, subject.namespace) if is_class(one)]
    return [one for one in dict.fromkeys(kinds) if one.__module__ != "builtins"]


def _beside(
    subject: Subject, tested: Mapping[str, Sequence[str]], members: Mapping[str, Set[str]]
) -> dict[str, Set[str]]:
    """Return the members that are used of parameters, and that no object has of the classes for which a program tests
    them: it means other objects by those that fail the test."""
    found: dict[str, Set[str]] = {}
    for name, used in members.items():
        kinds = [getattr(builtins, text) if is_kind(text) else subject.find(text) for text in tested.get(name, ())]
        rest = {one for one in used if not any([has_members(kind, {one}) for kind in kinds if is_class(kind)])}
        if kinds and rest and not is_plain(rest):
            found[name] = rest
    return found


def shape_of_own(owner: type, subject: Subject, newer: type | None = None) -> Shape:
    """Return the shape of instances of the class that a method belongs to, and of its subclasses that show more.

    Args:
        owner: the class.
        subject: the judging program.
        newer: the class in the candidate, which may annotate what the judging program leaves open.
    """
    if is_subclass(owner, type):
        return classes_made_by(owner, subject.namespace)
    others = varying_subclasses(owner, subject.loaded.function)[:_MOST_SUBCLASSES]
    if subject.loaded.is_made_alone:
        own = instance_shape(owner, shape_of_hint(DatabasePath, _settled(subject)), files_of_instance(owner, subject))
    else:
        own = with_annotations(constructor_shape(owner, _settled(subject)), newer)
        own = with_numbers(own, number_fields(subject.anatomy.tree, owner.__name__))
        own = with_files(own, files_of_instance(owner, subject))
    made = [constructor_shape(one, _settled(subject)) for one in others]
    return union_of([own, *[one for one in made if not isinstance(one, AnyShape) and not is_nothing(one)]])
