"""Generates arguments that other methods of the class, or other functions of the module, return.

What `sign` returns is what `unsign` accepts, and what `dumps` returns `loads`. Such values are tried where no others
are accepted, and where all others have one result (feedback-directed generation, as in Randoop: Pacheco et al., ICSE
2007). Arguments of the same name are the same in both calls: ``verify(key, text, sign(key, text))``.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from typing import Any, Callable, NamedTuple

from ..calling.subject import Parameter
from ..program.classes import ends_at_once, preparing_methods
from ..values.recipe import New, is_plain
from ..values.shapes import ANY, Shape, is_unknown
from .boundary_values import diagonal, interesting
from .call_sequences import Argument, arguments_of
from .constants import Pool
from .domain import Domain

MOST_INSTANCES = 4
MOST_SIBLINGS = 24
ROWS_OF_A_SIBLING = 12
"""Maximum number of instances, of other functions, and of calls of one of them on one instance."""
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
    """

    owner: Any
    namespace: dict[str, Any]
    name: str

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
    known = {p.name: shape for p, shape in zip(domain.parameters, domain.typical) if not is_unknown(shape)}
    functions = [
        (_of_instance(one) if has_instance else one, _required(arguments_of(one, known), len(heads[0])))
        for one in siblings.functions()
    ]
    for head in heads:
        for function, arguments in functions:
            columns = [_values_of(argument.shape, pool) for argument in arguments]
            for given in diagonal(columns, ROWS_OF_A_SIBLING):
                result = call(function, (*head, *given))
                if result is not None and is_plain(result):
                    same = {argument.name: value for argument, value in zip(arguments, given)}
                    yield from _rows_of(result, head, same, domain, pool)


def _of_instance(function: Any) -> Any:
    """Return a function that calls the method as the class of the instance has it."""

    def call(instance: Any, *arguments: Any) -> Any:
        return getattr(instance, function.__name__)(*arguments)

    return call


def _required(arguments: Sequence[Argument], first: int) -> list[Argument]:
    return [one for one in arguments[first:] if not one.is_optional]


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
