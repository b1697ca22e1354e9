"""The parameters of methods that prepare an instance, with the shapes of what they take."""

from __future__ import annotations

import ast
import enum
import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...docstrings.types import documented_types
from ...static.walking import walk_tree
from ...values.dynamic import is_class, is_python_function
from ...values.makers.call_recorder import RECORDER
from ...values.recipes.model import Name
from ...values.shapes import ANY, CallShape, ChoiceShape, Shape, StrShape, shape_of, union_of
from ..annotations import shape_of_hint
from ..called_functions import Called
from ..callees import Home, definition_at
from ..choices import with_choices_of_method, with_values
from ..functions.called_parameters import is_function_name
from ..hints import hints_of
from ..members import class_named
from ..passed_keywords import passed_keywords
from ..records.shapes import uses_in, with_records
from ..records.value_usage import Use
from ..stored_parameters import definition_of, line_of, method_of, methods_with_fields
from ..usage import compared_words
from .put_items import put_object

_CALLED = union_of([CallShape(RECORDER, ()), ChoiceShape((Name("bool"), Name("str")))])
"""Functions that are stored for later calls: one of any parameters that records its calls, and some of a single one."""


class Argument(NamedTuple):
    """One parameter of a method that prepares an instance."""

    name: str
    shape: Shape
    is_optional: bool
    is_keyword: bool
    is_spread: bool


def arguments_of_method(owner: type, method: str, known: dict[str, Shape], words: Sequence[str]) -> list[Argument]:
    """Return the parameters of a method, without its instance, with their shapes.

    Args:
        owner: the class.
        method: its name.
        known: shapes by the names of parameters.
        words: strings in the tables of the class, for parameters that are strings.
    """
    is_mapping = inspect.getattr_static(owner, "__getitem__", None) is not None
    taken = arguments_of(getattr(owner, method), known, is_mapping=is_mapping)[1:]
    taken += _keywords_passed_on(owner, method)
    taken = [one._replace(shape=_with_words(owner, method, one, words)) for one in taken]
    return [one._replace(shape=_by_usage(owner, method, one)) if one.shape is ANY else one for one in taken]


def _keywords_passed_on(owner: type, method: str) -> list[Argument]:
    """Return the keywords that a method takes by ``**`` because functions have them to which it passes these."""
    function = inspect.unwrap(getattr(owner, method))
    home = Home(getattr(function, "__globals__", {}), owner)
    found = passed_keywords(_definition_of(owner, method), home)
    return [
        Argument(name, shape, is_optional=True, is_keyword=True, is_spread=False)
        for name, shape in found.items()
        if shape is not None
    ]


def _definition_of(owner: type, method: str) -> Any:
    """Return the definition of a method in the first class that has one of its own, None where there is none."""
    home = next((one for one in line_of(owner) if method in vars(one)), None)
    return None if home is None else method_of(definition_of(home), method)


def _by_usage(owner: type, method: str, argument: Argument) -> Shape:
    """Return the records, lists, tables or objects that a method's parameter is used as, or anything."""
    shape = with_records(argument.shape, _use_of(argument, _uses_in(owner, method)))
    if shape is ANY:
        return put_object(owner, method, argument.name) or ANY
    return _with_words_within(shape, _words_of_attributes(owner))


def _with_words_within(shape: Shape, words: Sequence[str]) -> Shape:
    """Return a shape with words among the strings that it holds."""
    if isinstance(shape, StrShape):
        return with_values(shape, words)
    return shape.with_parts(tuple([_with_words_within(one, words) for one in shape.parts]))


@functools.lru_cache(maxsize=64)
def _words_of_attributes(owner: type) -> Sequence[str]:
    """Return the words with which methods of a class compare attributes of their instance."""
    nodes = [part for one in line_of(owner) for part in walk_tree(definition_of(one) or ast.Pass())]
    names = {one.attr for one in nodes if isinstance(one, ast.Attribute)}
    found = compared_words([*methods_with_fields(owner, names)])
    return [word for name, words in found.items() if name.startswith(".") for word in words]


@functools.lru_cache(maxsize=256)
def _uses_in(owner: type, method: str) -> Mapping[str, Use]:
    """Return how the parameters of a method are used in it."""
    definition = _definition_of(owner, method)
    return {} if definition is None else uses_in(definition, None)


def _with_words(owner: type, method: str, argument: Argument, words: Sequence[str]) -> Shape:
    """Return the shape of a parameter with the constants that its method compares it with; of another string, with
    words of the class's tables."""
    shape = with_choices_of_method(owner, method, argument.name, argument.shape)
    is_other = shape is argument.shape and isinstance(shape, StrShape)
    return with_values(shape, words) if is_other else shape


def arguments_of(function: Any, known: dict[str, Shape], *, is_mapping: bool = False) -> list[Argument]:
    """Return the parameters of a function with their shapes: by annotation, docstring, name or default."""
    hints = {**documented_types(getattr(function, "__doc__", None) or ""), **hints_of(function)}
    found: list[Argument] = []
    for parameter in inspect.signature(function).parameters.values():
        kind, name = parameter.kind, parameter.name
        if kind is inspect.Parameter.VAR_KEYWORD:
            continue
        is_spread = kind is inspect.Parameter.VAR_POSITIONAL
        has_default = parameter.default is not inspect.Parameter.empty
        if has_default and name.startswith("_"):
            continue
        shape = _told(hints[name]) if name in hints else _untold(parameter, known, is_mapping=is_mapping)
        if shape is ANY and not has_default:
            shape = _named_after(name, function)
        is_keyword = kind is inspect.Parameter.KEYWORD_ONLY
        found.append(Argument(name, shape, has_default or is_spread, is_keyword, is_spread))
    return found


@functools.lru_cache(maxsize=256)
def _shape_of_hint(hint: Any) -> Shape:
    """Return the shape of an annotation: methods share them, and reading one that leads to many classes takes long."""
    return shape_of_hint(hint)


def _told(hint: Any) -> Shape:
    """Return the shape of an annotation; functions also record their calls, which methods may make later."""
    try:
        shape = _shape_of_hint(hint)
    except TypeError:  # It has no hash.
        shape = shape_of_hint(hint)
    takes_functions = any([one.describe() == "Callable" for one in shape.alternatives])
    return union_of([CallShape(RECORDER, ()), shape]) if takes_functions else shape


def _untold(parameter: inspect.Parameter, known: dict[str, Shape], *, is_mapping: bool) -> Shape:
    """Return the shape of a parameter without annotation; the ``key`` of a mapping's method is no function."""
    if parameter.name in known:
        return known[parameter.name]
    if type(parameter.default) in (int, float, str, bool):
        return shape_of(parameter.default)
    return _CALLED if is_function_name(parameter.name) and not is_mapping else ANY


def _named_after(name: str, function: Any) -> Shape:
    """Return the members of the enumeration that a parameter is named after, in the plural for flags."""
    scope: dict[str, Any] = getattr(inspect.unwrap(function), "__globals__", {})
    kind = class_named(name, scope) or class_named(name.rstrip("s"), scope)
    return shape_of_hint(kind) if is_class(kind) and issubclass(kind, enum.Enum) else ANY


def arguments_by_usage(function: Any, known: dict[str, Shape]) -> list[Argument]:
    """Return `arguments_of`; of a parameter of which nothing else is known, the records or lists that it is used as."""
    found, inner = arguments_of(function, known), inspect.unwrap(function)
    if not is_python_function(inner) or all([one.shape is not ANY for one in found]):
        return found
    definition, _ = definition_at(Called(inner), Home(inner.__globals__, None))
    uses = {} if definition is None else uses_in(definition, None)
    return [one._replace(shape=with_records(ANY, _use_of(one, uses))) if one.shape is ANY else one for one in found]


def _use_of(argument: Argument, uses: Mapping[str, Use]) -> Use | None:
    """Return how an argument is used: of ``*items``, how each of them is."""
    use = uses.get(argument.name)
    return use.element if use is not None and argument.is_spread else use
