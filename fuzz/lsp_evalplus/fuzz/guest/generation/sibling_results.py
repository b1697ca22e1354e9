"""Generates arguments that other methods of the class, or other functions of the module, return.

What `sign` returns is what `unsign` accepts, and what `dumps` returns `loads`. Such values are tried where no others
are accepted, and where all others have one result (feedback-directed generation, as in Randoop: Pacheco et al., ICSE
2007). Arguments of the same name are the same in both calls: ``verify(key, text, sign(key, text))``. A method is also
called on the instance that returned the value: ``queue.cancel(queue.add(x))``. What is called on none gets what objects
of the class, or of the module, write of themselves: ``Frame.decode(Frame(1).encode())``.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator, Sequence
from typing import Any, Callable, NamedTuple

from ..calling.subject import Parameter
from ..inference.annotations import constructor_shape
from ..inference.members import own_classes
from ..inference.objects.method_arguments import Argument, arguments_by_usage, arguments_of
from ..program.classes import ends_at_once, preparing_methods
from ..values.recipes.model import New, Prepared, is_plain
from ..values.shapes import ANY, Shape, is_unknown
from .boundary_values import diagonal, interesting
from .constants import Pool
from .domain import Domain

MOST_INSTANCES = 4
MOST_SIBLINGS = 24
ROWS_OF_A_SIBLING = 12
"""Maximum number of instances, of other functions, and of calls of one of them on one instance."""
MOST_CLASSES = 6
OBJECTS_OF_A_CLASS = 16
METHODS_OF_A_CLASS = 8
"""Maximum number of classes whose objects are asked, of these objects, and of their methods."""
MOST_OPTIONS = 3
ROWS_WITH_OPTION = 4
"""Maximum number of arguments that may be left out and are given once, and of calls with one of them."""
_VALUES = ("a", b"a", 1, [1], {"a": 1}, "a b", b"")
"""Values of parameters of which nothing is known."""

Call = Callable[[Any, Any], Any]
"""Calls a function with a row of arguments; returns its result, None where it fails."""


class Siblings(NamedTuple):
    """The functions beside the one under test.

    Args:
        owner: its class, None where it is not called on an instance.
        namespace: its module.
        name: its own name.
        maker: the class of a class method or a static method.
    """

    owner: Any
    namespace: dict[str, Any]
    name: str
    maker: Any = None

    def classes(self) -> list[type]:
        """Return the classes whose objects may tell what a function takes that is called on no instance: that of a
        class method, or those of the module."""
        if self.maker is not None:
            return [self.maker]
        return [] if self.owner is not None else own_classes(self.namespace)[:MOST_CLASSES]

    def functions(self) -> list[Any]:
        """Return the public functions beside it that end at once."""
        if self.owner is not None:
            names = [name for name in preparing_methods(self.owner) if name != self.name]
            return [getattr(self.owner, name) for name in names if not name.startswith("_")][:MOST_SIBLINGS]
        own = self.namespace.get("__name__")
        found = [
            one
            for name, one in self.namespace.items()
            if type(one) is types.FunctionType and one.__module__ == own and not name.startswith("_")
        ]
        return [one for one in found if one.__name__ != self.name and ends_at_once(one)][:MOST_SIBLINGS]


def rows_with_results(siblings: Siblings, domain: Domain, pool: Pool, call: Call) -> Iterator[Any]:
    """Yield rows in which one argument is what a sibling returned for the same instance."""
    has_instance = bool(domain.parameters) and domain.parameters[0].kind == "instance"
    instances: list[Any] = interesting(domain.typical[0], pool, 2 * MOST_INSTANCES) if has_instance else []
    heads = [(one,) for one in instances if type(one) is New][:MOST_INSTANCES] if has_instance else [()]
    if not heads:
        return
    yield from _rows_with_written(siblings, domain, pool, call)
    known = {p.name: shape for p, shape in zip(domain.parameters, domain.typical) if not is_unknown(shape)}
    functions = [(one, arguments_by_usage(one, known)[len(heads[0]) :]) for one in siblings.functions()]
    for head in heads:
        for function, arguments in functions:
            needed = [one for one in arguments if not one.is_optional]
            columns = [_values_of(argument.shape, pool) for argument in needed]
            for options in _options_of(arguments, pool):
                called = functools.partial(_of_instance(function) if has_instance else function, **options)
                for given in _arguments_in(columns, ROWS_OF_A_SIBLING if not options else ROWS_WITH_OPTION):
                    result = call(called, (*head, *given))
                    if result is None or not is_plain(result):
                        continue
                    same = {**{argument.name: value for argument, value in zip(needed, given)}, **options}
                    yield from _rows_of(result, head, same, domain, pool)
                    # What the call left behind may be what its result stands for, as the number of an entry.
                    for instance in head:
                        prepared = Prepared(instance, (New(function.__name__, given, options),))
                        yield from _rows_of(result, (prepared,), same, domain, pool)


def _rows_with_written(siblings: Siblings, domain: Domain, pool: Pool, call: Call) -> Iterator[Any]:
    """Yield rows in which one argument is what an object writes of itself: ``Frame.decode(Frame(1).encode())``."""
    for kind in siblings.classes():
        names = [name for name in preparing_methods(kind) if not name.startswith("_")][:METHODS_OF_A_CLASS]
        methods = [one for one in (getattr(kind, name) for name in names) if _needs_nothing(one)]
        if not methods:
            continue
        objects = [one for one in interesting(constructor_shape(kind), pool, OBJECTS_OF_A_CLASS) if type(one) is New]
        for made in objects:
            for method in methods:
                result = call(_of_instance(method), (made,))
                if result is not None and is_plain(result):
                    yield from _rows_of(result, (), {}, domain, pool)


def _needs_nothing(method: Any) -> bool:
    """Return whether a method needs no arguments but its instance."""
    return all([one.is_optional for one in arguments_of(method, {})[1:]])


def _arguments_in(columns: list[list[Any]], most: int) -> Iterator[tuple[Any, ...]]:
    """Yield arguments from columns of values: half of them with the values in the same place, which are of one type
    where nothing is known of any."""
    alike = list(zip(*columns))[: most // 2] if len(columns) > 1 else []
    yield from alike
    yield from (one for one in diagonal(columns, most) if one not in alike)


def _options_of(arguments: Sequence[Argument], pool: Pool) -> Iterator[dict[str, Any]]:
    """Yield the arguments by name beside those that are needed: none, and then one at a time."""
    yield {}
    options = [one for one in arguments if one.is_optional and not one.is_spread and one.shape is not ANY]
    for one in options[:MOST_OPTIONS]:
        for value in interesting(one.shape, pool, 2):
            yield {one.name: value}


def _of_instance(function: Any) -> Any:
    """Return a function that calls the method as the class of the instance has it."""

    def call(instance: Any, *arguments: Any, **options: Any) -> Any:
        return getattr(instance, function.__name__)(*arguments, **options)

    return call


def _values_of(shape: Shape, pool: Pool) -> list[Any]:
    return list(_VALUES) if shape is ANY else interesting(shape, pool, len(_VALUES))


def _rows_of(result: Any, head: tuple[Any, ...], same: dict[str, Any], domain: Domain, pool: Pool) -> Iterator[Any]:
    """Yield rows with the result in each place that may take it; `same` are the arguments that led to it, by name."""
    parameters, shapes = domain.parameters[len(head) :], domain.typical[len(head) :]
    others = [_other(p, shape, same, pool) for p, shape in zip(parameters, shapes)]
    for index, (parameter, shape) in enumerate(zip(parameters, shapes)):
        is_place = parameter.kind in ("positional", "keyword") and not parameter.has_default
        if is_place and (is_unknown(shape) or shape.accepts(result)):
            yield (*head, *others[:index], result, *others[index + 1 :])


def _other(parameter: Parameter, shape: Shape, same: dict[str, Any], pool: Pool) -> Any:
    """Return an argument beside the result."""
    if parameter.kind == "spread":
        return ()
    if parameter.kind == "keywords":
        return {}
    if parameter.name in same:
        return same[parameter.name]
    return parameter.default if parameter.has_default else _values_of(shape, pool)[0]
