"""Arguments that the older version does not use, and that nobody describes.

Any value will do for it: ``def total(rows, source): return sum(rows)``. Where the candidate comes to use the argument,
``log(source.name)``, it fails on such a value as on an unsupported type. That says nothing, unless its results show
another difference on an object that takes whatever is done with it.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from typing import Any, Callable

from ..calling.invocation import RAISED, RETURNED
from ..calling.keywords import unknown_keywords
from ..generation.domain import Domain
from ..judging.judge import AGREE, Judge, Judgement
from ..values.dynamic import is_instance, type_of
from ..values.makers.adaptable_objects import ADAPTABLE, UNUSABLE
from ..values.recipes.model import IMMUTABLE, New
from .untold_types import untold_arguments, with_argument

_OF_WRONG_TYPES = (TypeError, AttributeError, LookupError)
_PLAIN = (*IMMUTABLE, list, tuple, dict, set, frozenset)
_MOST_MISSES = 10
"""At most this many values of one argument are examined that explain nothing."""


class UnusedObjects:
    """Decides whether a candidate fails only because it uses an argument that nobody describes."""

    def __init__(self, judge: Judge, domain: Domain) -> None:
        self._judge = judge
        self._domain = domain
        self._misses = Counter[Any]()

    def explain(self, row: Any, judgement: Judgement) -> bool:
        """Whether the candidate alone fails, and not on an object that takes all that it does with it."""
        expected, actual = judgement.expected, judgement.actual
        if not self._judge.has_reference or expected is None or actual is None or judgement.difference == "parameters":
            return False
        if (expected.kind, actual.kind) != (RETURNED, RAISED) or not is_instance(actual.error, _OF_WRONG_TYPES):
            return False
        for key, with_object in self._places(row):
            if self._misses[key] < _MOST_MISSES:
                if self._is_unused(with_object):
                    return True
                self._misses[key] += 1
        return False

    def _is_unused(self, with_object: Callable[[New], Any]) -> bool:
        """Whether the reference runs without using an argument, and the candidate agrees where it may use it."""
        if self._judge.probe(with_object(New(UNUSABLE))).kind != RETURNED:
            return False
        found = self._judge.run(with_object(New(ADAPTABLE)))
        return found.code == AGREE and found.expected is not None and found.expected.kind == RETURNED

    def _places(self, row: Any) -> Iterator[tuple[tuple[int, Any], Callable[[New], Any]]]:
        """Yield the places of arguments of which nothing is known, each with what puts an object there."""
        for place, parameter in enumerate(self._domain.parameters):
            value = row[place]
            if parameter.kind in ("positional", "keyword") and type_of(value) in _PLAIN:
                is_told = self._domain.known[place] or parameter.name in self._domain.evidence.examined
                if not (parameter.has_default or is_told):
                    yield (place, ""), functools.partial(_with, row, place)
                if not self._domain.known[place] and _holds_objects(value):
                    yield (place, "items"), functools.partial(_with_items, row, place)
            elif parameter.kind == "keywords":
                for name in unknown_keywords(parameter.shape, value):
                    yield (place, name), functools.partial(_with_keyword, row, place, name)
        for place, index in untold_arguments(row, self._domain):
            yield (place, index), functools.partial(with_argument, row, place, index)


def _with(row: Any, place: int, value: Any) -> Any:
    return (*row[:place], value, *row[place + 1 :])


def _holds_objects(value: Any) -> bool:
    return type_of(value) in (list, tuple) and any([type_of(one) is New for one in value])


def _with_items(row: Any, place: int, item: Any) -> Any:
    """A row with another object in the place of each object in a list."""
    items = [item if type_of(one) is New else one for one in row[place]]
    return _with(row, place, type_of(row[place])(items))


def _with_keyword(row: Any, place: int, name: str, value: Any) -> Any:
    return _with(row, place, {**row[place], name: value})
