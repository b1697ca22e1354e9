"""Converts annotations to shapes: live annotations of a loaded function, read with `typing`, never with user code."""

from __future__ import annotations

import collections
import collections.abc
import enum
import inspect
import typing
from collections.abc import Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any, NamedTuple

from ..calling.keywords import GENERIC_NAMES, is_name, is_unpacked
from ..program.classes import (
    holds_contents,
    is_bare_base,
    is_of_library,
    is_template,
    left_to_subclasses,
    stands_for_others,
)
from ..program.signatures import hint_by_default, is_clock, is_pause, is_sentinel
from ..values.dynamic import is_subclass
from ..values.makers.call_recorder import RECORDER
from ..values.makers.sqlite_database import DatabasePath
from ..values.recipes.building import name_of_class
from ..values.recipes.model import Name
from ..values.shapes import (
    ANY,
    ANYTHING,
    BOOL,
    BYTES,
    CLOCKS,
    COMPLEX,
    FLOAT,
    INT,
    MOST_CALLS,
    NAMED,
    NONE,
    NOTHING,
    NUMBER,
    PAUSES,
    STR,
    AnyShape,
    CallShape,
    ChoiceShape,
    ClassShape,
    ConstructorShape,
    Definition,
    DictShape,
    FieldsShape,
    FrozensetShape,
    Further,
    IntShape,
    IteratorShape,
    KeywordsShape,
    ListShape,
    OfClass,
    RecordShape,
    SetShape,
    Shape,
    StrShape,
    TupleShape,
    TypedDictShape,
    UnionShape,
    flags_shape,
    is_nothing,
    is_recursive,
    is_unknown,
    members_shape,
    shape_of,
    union_of,
)
from .asynchronous import ABSTRACT, asynchronous_functions, asynchronous_shape
from .callees import hints_asked
from .choices import with_choices, with_first_choices
from .constructors.checked_parameters import within_checks
from .constructors.constructor_usage import (
    converting,
    further_use,
    untold_hint,
    widened_hint,
)
from .constructors.stored_items import with_used_items
from .constructors.taken_parameters import (
    Taken,
    constructor_parameters,
    further_parameters,
    required_count,
    takes_items,
)
from .databases.paths import paths_of_class
from .databases.sessions import session_shape
from .files.stored_contents import with_contents
from .functions.function_shapes import function_shape
from .hints import bounded_by, expanded, hints_of, is_alias, is_union, required_keys
from .library_objects import (
    BYTE_STREAM,
    LIBRARY,
    derived_objects,
    made_by,
    makes_library_value,
    own_exceptions,
)
from .members import class_named
from .records.value_usage import STAND_IN
from .stored_parameters import as_records, interface_in
from .type_arguments import TYPES, types_within

_SIMPLE: dict[Any, Shape] = {
    int: INT,
    float: FLOAT,
    bool: BOOL,
    str: STR,
    bytes: BYTES,
    complex: COMPLEX,
    type(None): NONE,
    None: NONE,
    list: ListShape(ANY),
    tuple: TupleShape(ANY),
    set: SetShape(ANY),
    frozenset: FrozensetShape(ANY),
    dict: DictShape(ANY, ANY),
    object: ANYTHING,
    Any: ANYTHING,
    type: TYPES,
}
_SEQUENCES = (
    collections.abc.Sequence,
    collections.abc.MutableSequence,
    collections.abc.Iterable,
    collections.abc.Collection,
)
_VIEWS = (
    collections.abc.Container,
    collections.abc.KeysView,
    collections.abc.Reversible,
    collections.abc.Sized,
    collections.abc.ValuesView,
)
"""What a list is too, wherever no more than the abstract type is promised."""
_CALLABLE: Any = typing.get_origin(typing.Callable[..., Any])
"""``collections.abc.Callable``."""
_GENERIC = (
    *_SEQUENCES,
    _CALLABLE,
    collections.abc.Iterator,
    collections.abc.Generator,
    *ABSTRACT,
    collections.abc.Mapping,
    collections.abc.MutableMapping,
    collections.abc.Set,
    collections.abc.MutableSet,
    *_VIEWS,
)
"""Abstract types for which missing parameters mean the same as unknown ones."""
_MAPPINGS = (collections.abc.Mapping, collections.abc.MutableMapping)
_DICTS = (collections.Counter, collections.defaultdict, collections.OrderedDict)
_MOST_OPTIONS = 12
"""Maximum number of optional arguments of a constructor that are passed by name."""
_MOST_HEIRS = 8
"""Maximum number of subclasses of a library's class whose objects stand for its own."""
_OPTION = union_of([INT, STR, BOOL])
"""Shape of an optional argument of which only the name is known."""
DEEPEST, _ALIAS_LEVELS = 20, 3
"""Maximum nesting of annotations, where recursive classes do not count, and of an alias in what it stands for."""
MOST_CLASSES, SHALLOW = 60, 2
"""Maximum number of classes to which an annotation leads, and the nesting up to which more are read: reading all that a
large library has takes longer than a search."""


class Level(NamedTuple):
    """Context of a nested annotation."""

    depth: int
    classes: dict[type, OfClass]
    """Enclosing and earlier classes: another mention of one has the shape that was found first."""
    variables: dict[Any, Shape]
    """Bindings of the enclosing class's type variables."""
    instances: Mapping[type, Shape] = MappingProxyType({})
    """Objects that the project's code shows how to make, by class."""
    stated: Mapping[type, Shape] = MappingProxyType({})
    """Objects that the project's settings state, by class; there are no others of these classes."""
    namespace: dict[str, Any] | None = None
    """The names of the program that makes the objects."""

    def name_of(self, kind: type) -> str:
        """Return what recipes call a class."""
        return kind.__qualname__ if self.namespace is None else name_of_class(kind, self.namespace)

    def deeper(self) -> Level:
        """Return the next level of the same annotation."""
        return self._replace(depth=self.depth + 1)

    def known(self, kind: type) -> Shape | None:
        """Return the shape of a class that was met before; one that is still being read is recursive."""
        shape = self.classes.get(kind)
        if shape is not None and shape.definition.is_open:
            shape.definition.holds_itself = True
        return shape


def shape_of_hint(hint: Any, level: Level | None = None) -> Shape:
    """Return the shape of values that an annotation allows; ``any`` when it is not understood."""
    level = level or Level(0, {}, {})
    try:
        if hint in _SIMPLE:
            return _SIMPLE[hint]
    except TypeError:
        pass
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if is_union(origin):
        return _union_shape([shape_of_hint(one, level) for one in arguments])
    if level.depth > DEEPEST:
        return NOTHING
    if is_alias(origin or hint):
        return _alias_shape(hint, origin or hint, level.deeper())
    if origin is not None:
        return _generic_shape(origin, arguments, level.deeper())
    if hint in _GENERIC:
        return _generic_shape(hint, (), level.deeper())
    if isinstance(hint, typing.TypeVar):
        return _variable_shape(hint, level.deeper())
    supertype = getattr(hint, "__supertype__", None)
    if supertype is not None:
        return shape_of_hint(supertype, level.deeper())
    if isinstance(hint, type):
        return ANY if stands_for_others(hint) else _class_shape(hint, level.deeper())
    return _class_around(hint, level) if isinstance(hint, (str, typing.ForwardRef)) else ANY


def _union_shape(shapes: Sequence[Shape]) -> Shape:
    """Return the shape of values of several types. Beside one that is not understood, as a protocol, None alone says
    nothing: how such a value is used does."""
    unknown = next(filter(is_unknown, shapes), None)
    is_told = any([not (is_unknown(one) or one is NONE) for one in shapes])
    return union_of(shapes) if is_told or unknown is None else unknown


def _alias_shape(hint: Any, alias: Any, level: Level) -> Shape:
    """Return the shape of what an alias stands for; one that mentions itself has values of a few levels."""
    if alias in level.variables:
        return level.variables[alias]
    shape, value = NOTHING, expanded(hint)
    for _ in range(_ALIAS_LEVELS):
        shape = shape_of_hint(value, level._replace(variables={**level.variables, alias: shape}))
    return shape


def _class_around(hint: Any, level: Level) -> Shape:
    """Return the shape of an enclosing class for a name that could not be evaluated, if it names one."""
    name = hint if isinstance(hint, str) else hint.__forward_arg__
    return next((level.known(kind) or ANY for kind in level.classes if kind.__name__ == name), ANY)


def _variable_shape(variable: Any, level: Level) -> Shape:
    if variable in level.variables:
        return level.variables[variable]
    if variable.__constraints__:
        return union_of([shape_of_hint(c, level) for c in variable.__constraints__])
    return shape_of_hint(variable.__bound__, level) if variable.__bound__ is not None else INT


def _generic_shape(origin: Any, arguments: tuple[Any, ...], level: Level) -> Shape:
    if origin is getattr(typing, "Literal", None):
        return ChoiceShape(tuple([_literal(a) for a in arguments]))
    if arguments and origin is getattr(typing, "Annotated", None):
        beside = [one for one in arguments[1:] if isinstance(one, Shape)]
        return bounded_by(union_of([shape_of_hint(arguments[0], level), *beside]), arguments[1:])
    if origin is type:
        return types_within(arguments)
    if origin is tuple:
        return _tuple_shape(arguments, level)
    if origin in (collections.abc.Iterator, collections.abc.Generator):
        return IteratorShape(_first(arguments, level))
    if origin in ABSTRACT:
        return asynchronous_shape(origin, arguments, lambda one: shape_of_hint(one, level))
    if origin is _CALLABLE:
        return asynchronous_functions(arguments) or function_shape(arguments, lambda one: shape_of_hint(one, level))
    if isinstance(origin, type):
        return _container_shape(origin, arguments, level)
    return shape_of_hint(arguments[0], level) if arguments else ANY


def _container_shape(origin: type, arguments: tuple[Any, ...], level: Level) -> Shape:
    if origin in _DICTS:
        return _dict_shape(origin, arguments, level)
    if origin in _MAPPINGS or origin is dict:
        return _contents(arguments, level)
    if origin in (collections.abc.Set, collections.abc.MutableSet) or origin is set:
        return SetShape(_first(arguments, level))
    if origin is frozenset:
        return FrozensetShape(_first(arguments, level))
    if origin in _SEQUENCES or origin in _VIEWS or origin is list:
        return ListShape(_first(arguments, level))
    if origin is collections.deque:
        return made_by("collections.deque", ListShape(_first(arguments, level)))
    if origin is typing.IO and arguments == (bytes,):
        return BYTE_STREAM
    return _class_shape(origin, _of_parameters(origin, arguments, level))


def _of_parameters(kind: Any, arguments: tuple[Any, ...], level: Level) -> Level:
    """Return the level for the annotations of a generic class; its own type variables stay bound inside it."""
    variables = getattr(kind, "__parameters__", ())
    if len(variables) != len(arguments) or all([isinstance(one, typing.TypeVar) for one in arguments]):
        return level
    stands_for = {name: shape_of_hint(one, level) for name, one in zip(variables, arguments)}
    if all([level.variables.get(name) is shape for name, shape in stands_for.items()]):
        return level  # Within a class of objects that hold others with the same parameters, they are of that class.
    others = {one: shape for one, shape in level.classes.items() if one is not kind}
    return level._replace(classes=others, variables={**level.variables, **stands_for})


def _contents(arguments: tuple[Any, ...], level: Level) -> DictShape:
    key, value = arguments if len(arguments) == 2 else (str, arguments[0] if arguments else Any)
    return DictShape(shape_of_hint(key, level), shape_of_hint(value, level))


def _dict_shape(kind: type, arguments: tuple[Any, ...], level: Level) -> Shape:
    """Return the shape of a standard library dict type: the function may use all that the type offers."""
    name = f"collections.{kind.__name__}"
    if kind is collections.Counter:
        key = shape_of_hint(arguments[0] if arguments else str, level)
        counts, items = DictShape(key, IntShape(low=1)), ListShape(key)
        # A string is counted letter by letter.
        return made_by(name, UnionShape((counts, items, key) if isinstance(key, StrShape) else (counts, items)))
    contents = _contents(arguments or (str, int), level)
    if kind is collections.defaultdict:
        factories = ChoiceShape(_factories(contents.values))
        return NOTHING if is_nothing(factories) else made_by(name, factories, contents)
    return made_by(name, contents)


def _factories(shape: Shape) -> tuple[Any, ...]:
    """Return the factories of a first value of the shape, none where no builtin is one; `int` where it is unknown."""
    if isinstance(shape, AnyShape):
        return (Name("int"),)
    return tuple([Name(name) for part in shape.alternatives for name, kind in NAMED.items() if part.kind is kind][:1])


def _first(arguments: tuple[Any, ...], level: Level) -> Shape:
    return shape_of_hint(arguments[0], level) if arguments else ANY


def _tuple_shape(arguments: tuple[Any, ...], level: Level) -> Shape:
    if not arguments or arguments == ((),):
        return RecordShape(())
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return TupleShape(shape_of_hint(arguments[0], level))
    return RecordShape(tuple([shape_of_hint(a, level) for a in arguments]))


def _literal(value: Any) -> Any:
    return Name(f"{type(value).__name__}.{value.name}") if isinstance(value, enum.Enum) else value


def _class_shape(kind: type[Any], level: Level) -> Shape:
    package = kind.__module__.partition(".")[0]
    home = package if package in ("pandas", "pathlib") else kind.__module__
    if kind in level.stated:
        return level.stated[kind]
    known = LIBRARY.get(f"{home}.{kind.__qualname__}")
    if known is not None:
        return known
    derived = derived_objects(kind) or session_shape(kind, lambda mapped: constructor_shape(mapped, level))
    if derived is not None:
        return derived
    if kind in _DICTS:
        return _dict_shape(kind, (), level)
    if is_subclass(kind, enum.Enum):
        return flags_shape(kind) if is_subclass(kind, enum.Flag) else members_shape(kind)
    met = level.known(kind)
    if met is not None:
        return met
    if getattr(kind, "__total__", None) is not None and is_subclass(kind, dict):
        return _fields_shape(kind, level)
    for base in (bool, int, str, float, bytes):
        if kind is not base and is_subclass(kind, base):
            return made_by(kind.__qualname__, with_first_choices(kind, _SIMPLE[base]))
    return with_instances(kind, constructor_shape(kind, level), level.instances)


def with_instances(kind: type, shape: Shape, instances: Mapping[type, Shape]) -> Shape:
    """Return the shape of a class with the objects of it and its subclasses that the project shows how to make."""
    # The shapes are read when they are asked for.
    made = [instances[one] for one in instances if is_subclass(one, kind)]
    known = [one for one in made if not is_nothing(one)]
    return union_of([*known, shape]) if known else shape


def _fields_shape(kind: type, level: Level) -> Shape:
    fields = hints_of(kind)
    required = required_keys(kind, fields)
    names = sorted(fields, key=lambda name: name not in required)
    given = tuple([name for name in names if name in required])
    shape = level.classes[kind] = TypedDictShape(tuple(names), given, Definition(kind, level.classes))
    shape.definition.settle(tuple([shape_of_hint(fields[name], level) for name in names]))
    return shape


def constructor_shape(kind: type[Any], level: Level | None = None) -> Shape:
    """Return the shape of a constructor call with annotated parameters; of a subclass where the class is abstract.

    ``any`` when its parameters are unknown, and no values at all when only values of the class will do. Of a class that
    stores nothing, what its subclasses add is what is meant.
    """
    level = level or Level(0, {}, {})
    met = level.known(kind)
    if met is not None:
        return met
    if level.depth > DEEPEST:
        met_within = _subclasses_met(kind, level)
        return _plain_constructor_shape(kind, level) if met_within is None else met_within
    if inspect.isabstract(kind) or is_template(kind):
        return union_of([constructor_shape(one, level.deeper()) for one in _heirs(kind)] or [ANY])
    if left_to_subclasses(kind) or is_bare_base(kind):
        inner = level.deeper()
        made = [constructor_shape(one, inner) for one in _heirs(kind)]
        # Another mention of it means the same, and not its own objects alone.
        return union_of([*made, _plain_constructor_shape(kind, inner._replace(classes={**level.classes}))])
    return _plain_constructor_shape(kind, level)


def _heirs(kind: type) -> Sequence[type]:
    """Return the subclasses of a base class whose objects are meant; a library may have hundreds of them."""
    found = type.__subclasses__(kind)
    return found[:_MOST_HEIRS] if is_of_library(kind) else found


def _subclasses_met(kind: type, level: Level) -> Shape | None:
    """Return the shape of those subclasses of a base class that were met before, where one of them has been read: in a
    family of many classes whose objects hold each other, each mention of the base leads deeper. None for other classes,
    of which objects of their own are meant."""
    met = [one for one in type.__subclasses__(kind) if one in level.classes]
    if all([level.classes[one].definition.is_open for one in met]):
        return None
    is_base = inspect.isabstract(kind) or is_template(kind) or left_to_subclasses(kind) or is_bare_base(kind)
    return union_of([shape for one in met if (shape := level.known(one)) is not None]) if is_base else None


def _plain_constructor_shape(kind: type[Any], level: Level) -> Shape:
    """Return the shape of a call of the constructor of this very class."""
    # A metaclass may answer for any name, and fail.
    if kind in (object, type) or inspect.getattr_static(kind, "_is_protocol", None):
        return BYTES if "__buffer__" in vars(kind) else ANY
    fields = inspect.getattr_static(kind, "_fields", None)
    if is_subclass(kind, tuple) and fields is not None:
        hints = hints_of(kind)
        return _call_shape(kind, {field: hints.get(field, Any) for field in fields}, level)
    parameters = constructor_parameters(kind)
    if not parameters and holds_contents(kind) and not takes_items(kind):
        return made_by(level.name_of(kind), contents_shape(kind))
    if parameters is None:
        return own_exceptions(kind) or NOTHING
    keywords = [one.name for _, one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY]
    hints = _hints_of_makers(parameters)
    found = {
        one.name: _named_after(owner, one, _parameter_hint(owner, one, hints[owner]), level)
        for owner, one in parameters
    }
    return _call_shape(kind, found, level, keywords, required_count(parameters))


def _hints_of_makers(parameters: Sequence[Taken]) -> dict[type, dict[str, Any]]:
    """Return the annotations of the constructors that declare some parameters; evaluating them takes a while.

    Where one takes anything and its class has a signature of its own, as models of fields have, they are of that.
    """
    found = {owner: hints_of(owner.__init__) for owner in dict.fromkeys([one.owner for one in parameters])}
    for owner, parameter in parameters:
        stated = parameter.annotation
        if stated is not inspect.Parameter.empty and not isinstance(stated, str):
            found[owner].setdefault(parameter.name, expanded(stated))
    return found


def further_arguments(kind: type, level: Level) -> Further:
    """Return the shapes of what a constructor takes beside the arguments that it needs."""
    rest: Shape | None = None
    options: dict[str, Shape] = {}
    parameters = further_parameters(kind)
    hints = _hints_of_makers(parameters)
    for owner, parameter in parameters:
        hint = hints[owner].get(parameter.name)
        told = ANY if hint is None else shape_of_hint(hint, level)
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            items = told if hint is not None else further_use(owner).items or ANY
            rest = None if is_nothing(items) else ListShape(items)
        elif isinstance(told, FieldsShape) and is_unpacked(hint):
            options.update(zip(told.names, told.parts))
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            use = further_use(owner)
            names = dict.fromkeys(GENERIC_NAMES) if use.is_free else use.options
            options.update({name: (told if hint is not None else use.options.get(name)) or _OPTION for name in names})
        else:
            shape = optional_shape(parameter, parameter.annotation if hint is None else hint, level)
            shape = CLOCKS if is_clock(parameter.default) else PAUSES if is_pause(parameter.default) else shape
            if hint is None and is_sentinel(parameter.default):
                shown = untold_hint(owner, parameter.replace(default=None), shape_of_hint)
                shape = optional_shape(parameter, shown, level) or _OPTION
            if shape is not None:
                options.update(within_checks(kind, {parameter.name: shape}))
    # What is handed on to a base may be looked into before.
    for name, found in further_use(kind).options.items():
        options.setdefault(name, found or _OPTION)
    known = {name: shape for name, shape in list(options.items())[:_MOST_OPTIONS] if is_name(name)}
    return Further(rest, KeywordsShape(_OPTION, tuple(known), tuple(known.values())) if known else None)


def _named_after(kind: type, parameter: inspect.Parameter, hint: Any, level: Level) -> Any:
    """Return the hint of a constructor's parameter; where there is none, the objects of the class that it is named
    after."""
    if hint is not Any or parameter.default not in (inspect.Parameter.empty, None) or level.depth > DEEPEST:
        return hint
    named = class_named(parameter.name, getattr(kind.__init__, "__globals__", {}))
    if named is None or is_subclass(kind, named) or is_subclass(named, kind):
        return widened_hint(kind, parameter, shape_of_hint)
    shape = constructor_shape(named, level.deeper())
    if isinstance(shape, AnyShape) or is_nothing(shape):
        return widened_hint(kind, parameter, shape_of_hint)
    return shape if parameter.default is not None else union_of([shape, NONE])


def with_numbers(shape: Shape, fields: Set[str]) -> Shape:
    """Return the constructor's shape with numbers for the parameters of these names that have unknown types."""
    if not isinstance(shape, ClassShape):
        return shape
    parameters = constructor_parameters(shape.definition.owner) or []
    if len(parameters) == len(shape.parts):
        untold = {one.name for _, one in parameters if one.annotation is inspect.Parameter.empty} & fields
        pairs = zip(parameters, shape.parts)
        shape.definition.settle(
            tuple([NUMBER if one.name in untold and isinstance(part, AnyShape) else part for (_, one), part in pairs]),
            shape.further,
        )
    return shape


def _call_shape(
    kind: type, hints: dict[str, Any], level: Level, keywords: Sequence[str] = (), required: int | None = None
) -> Shape:
    """Return the constructor's shape, registered before its parameters are read: they may be of the same class."""
    if len(level.classes) >= MOST_CLASSES and level.depth > SHALLOW:
        return NOTHING
    shape = ClassShape(level.name_of(kind), tuple(keywords), Definition(kind, level.classes), required)
    level.classes[kind] = shape
    parts = {name: hint if isinstance(hint, Shape) else shape_of_hint(hint, level) for name, hint in hints.items()}
    parts = within_checks(kind, with_used_items(kind, parts, shape_of_hint))
    records = as_records(kind, with_contents(kind, parts))
    shape.definition.settle(with_choices(kind, hints, records), further_arguments(kind, level))
    return shape if not is_recursive(shape) or shape.ends_within(MOST_CALLS) else NOTHING


def _is_class(hint: Any) -> bool:
    return isinstance(hint, typing.ForwardRef) or (isinstance(hint, type) and hint not in _SIMPLE)


def _parameter_hint(kind: type, parameter: inspect.Parameter, hints: dict[str, Any]) -> Any:
    """Return the type of a constructor's parameter: by its annotation, or by what the code shows of it."""
    hint = DatabasePath if parameter.name in paths_of_class(kind) else hints.get(parameter.name)
    if hint is None or interface_in(hint) is not None:
        return untold_hint(kind, parameter, shape_of_hint) if hint is None else Any
    others = tuple(hints_asked(converting(kind).get(parameter.name, ()), hint))
    hint = typing.Union[(hint, *others)] if others else hint
    return typing.Optional[hint] if parameter.default is None and _is_class(hint) else hint


def optional_shape(parameter: inspect.Parameter, hint: Any, level: Level | None = None) -> Shape | None:
    """Return the shape of an optional parameter's values; None where it keeps its default."""
    if isinstance(hint, Shape):
        shape = hint
    elif hint is inspect.Parameter.empty:
        stated = hint_by_default(parameter.default)
        shape = shape_of(parameter.default) if stated is None else shape_of_hint(stated, level)
    else:
        shape = shape_of_hint(hint, level)
    return None if any([_is_vague(part) for part in shape.alternatives]) else shape


def _is_vague(shape: Shape) -> bool:
    """Return whether a shape stands for anything, or for objects that have to be made; not for functions, stand-ins and
    values of the standard library."""
    is_simple = isinstance(shape, CallShape) and (shape.name in (RECORDER, STAND_IN) or makes_library_value(shape.name))
    return isinstance(shape, (AnyShape, ConstructorShape)) and not is_simple


def contents_shape(kind: type[Any]) -> Shape:
    """Return the shape of the contents of a container with unknown parameters: key-value pairs, or items."""
    if is_subclass(kind, dict) or inspect.getattr_static(kind, "keys", None) is not None:
        return DictShape(ChoiceShape(("a", "b", 1)), NUMBER)
    return ListShape(union_of([INT, ChoiceShape(("a", "b"))]))
