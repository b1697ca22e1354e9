"""Parameters that a call of a class takes, those that its constructor hands to that of a base included."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from ...program.classes import BUILTIN_CONTAINERS, PLAIN_DEFAULTS
from ...program.signatures import is_told
from ...static.parameter_members import is_name
from ...static.walking import Function, walk_tree
from ...values.dynamic import is_subclass
from ...values.program_errors import PROGRAM_ERRORS
from ..stored_parameters import constructor_of, first_with_constructor, line_of
from .mapped_fields import mapped_fields


def keeps_default(parameter: inspect.Parameter) -> bool:
    """Whether a parameter without annotation has a default that is a function, a class or another opaque object."""
    default = parameter.default
    is_untold = parameter.annotation is inspect.Parameter.empty and default is not inspect.Parameter.empty
    return is_untold and default is not None and type(default) not in (*PLAIN_DEFAULTS, *BUILTIN_CONTAINERS)


class Taken(NamedTuple):
    """A parameter that a call of a class may give, with the class whose constructor declares it."""

    owner: type
    parameter: inspect.Parameter


def constructor_parameters(kind: type) -> list[Taken] | None:
    """Return the parameters that each call of the constructor gives; None where they cannot be read.

    Those that may be left out are the last by position.
    """
    listed = taken_parameters(kind)
    if listed is None:
        return None
    found: list[Taken] = []
    is_positional = True
    for one in listed:
        parameter = one.parameter
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        if parameter.default is not inspect.Parameter.empty and parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            continue
        if keeps_default(parameter):
            is_positional = False
            continue
        kept = parameter if is_positional else parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        found.append(one._replace(parameter=kept))
    return found


def further_parameters(kind: type) -> list[Taken]:
    """Return the parameters that a call of the constructor may give besides: ``*args`` where all positions before it
    are given, ``**kwargs``, and those with a default that are passed by name alone."""
    listed = taken_parameters(kind) or []
    known = [one.parameter for one in constructor_parameters(kind) or []]
    positions = [one.parameter.name for one in listed if one.parameter.kind in BY_POSITION]
    is_open = positions == [one.name for one in known if one.kind in BY_POSITION]
    found: list[Taken] = []
    for one in listed:
        parameter = one.parameter
        is_option = parameter.kind is inspect.Parameter.KEYWORD_ONLY and not keeps_default(parameter)
        if parameter.kind in BY_NAME and not any([parameter.name == other.name for other in known]):
            is_option |= is_told(parameter.default)
        if (
            (parameter.kind is inspect.Parameter.VAR_POSITIONAL and is_open)
            or parameter.kind is inspect.Parameter.VAR_KEYWORD
            or (is_option and parameter.default is not inspect.Parameter.empty and not parameter.name.startswith("_"))
        ):
            found.append(one)
    return found


BY_NAME = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@functools.lru_cache(maxsize=256)
def taken_parameters(kind: type) -> Sequence[Taken] | None:
    """Return the parameters of a call of a class; None where they cannot be read.

    For ``*args`` and ``**kwargs`` that its constructor hands to that of its base stand the parameters of that one.
    """
    try:
        signature = inspect.signature(kind)
    except PROGRAM_ERRORS:
        return None
    own = [Taken(kind, one) for one in signature.parameters.values()]
    if own and all([_is_open(one.parameter) for one in own]):
        own = [Taken(kind, one) for one in mapped_fields(kind)] or own
    made = constructor_of(kind) if any([_is_open(one.parameter) for one in own]) else None
    if made is None:
        return own
    handed = _handed_on(made.function)
    line = line_of(kind)
    base = first_with_constructor(line[line.index(made.home) + 1 :])
    inner = taken_parameters(base) if handed is not None and base is not None else None
    if handed is None or inner is None:
        return [one for one in own if handed is None or not handed.takes(one.parameter)]
    kept = [one for one in own if not handed.takes(one.parameter)]
    return sorted([*kept, *handed.of_base(inner, {one.parameter.name for one in kept})], key=_place_of)


def _is_open(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _place_of(one: Taken) -> int:
    return one.parameter.kind


class _Handed(NamedTuple):
    """What a constructor hands to that of its base."""

    positions: int
    """How many arguments come by position, before ``*args``."""
    named: Set[str]
    has_rest: bool
    has_options: bool

    def takes(self, parameter: inspect.Parameter) -> bool:
        """Whether the parameter is handed on as a whole."""
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            return self.has_rest
        return parameter.kind is inspect.Parameter.VAR_KEYWORD and self.has_options

    def of_base(self, inner: Sequence[Taken], own: Set[str]) -> Iterator[Taken]:
        """Yield the parameters of the base that a call may give."""
        is_positional = self.has_rest
        by_place = [one for one in inner if one.parameter.kind in BY_POSITION]
        for one in [*by_place[self.positions :], *[one for one in inner if one not in by_place]]:
            parameter = one.parameter
            if parameter.name in self.named or (parameter.name in own and not _is_open(parameter)):
                is_positional = False
            elif parameter.kind in BY_POSITION and not is_positional:
                if self.has_options and parameter.kind is not inspect.Parameter.POSITIONAL_ONLY:
                    yield one._replace(parameter=parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                if is_positional:
                    yield one
            elif parameter.kind in BY_POSITION or self.has_options:
                yield one


def _handed_on(function: Function) -> _Handed | None:
    """Return what a constructor hands to that of its base with its ``*args`` or ``**kwargs``; None if it does not."""
    rest, options = function.args.vararg, function.args.kwarg
    for node in walk_tree(function):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "__init__"):
            continue
        starred = [one for one in node.args if isinstance(one, ast.Starred)]
        has_rest = rest is not None and any([is_name(one.value, rest.arg) for one in starred])
        unpacked = [one.value for one in node.keywords if one.arg is None]
        has_options = options is not None and any([is_name(one, options.arg) for one in unpacked])
        if has_rest or has_options:
            is_super = isinstance(node.func.value, ast.Call)
            count = len(node.args) - len(starred) - (not is_super)
            named = {one.arg for one in node.keywords if one.arg is not None}
            return _Handed(max(0, count), named, has_rest, has_options)
    return None


def takes_items(kind: type) -> bool:
    """Return whether a container takes its items one by one, as ``*args``."""
    kinds = [one.parameter.kind for one in further_parameters(kind)]
    return inspect.Parameter.VAR_POSITIONAL in kinds and not is_subclass(kind, BUILTIN_CONTAINERS)


def required_count(parameters: Sequence[Taken]) -> int | None:
    """Return how many leading arguments suffice for a call; None where all are needed."""
    open_ends = [one.parameter.default is not inspect.Parameter.empty for one in parameters]
    count = open_ends.index(True) if True in open_ends else len(open_ends)
    return count if count < len(open_ends) and all(open_ends[count:]) else None
