"""Arguments that the older version does not use, and that nobody describes.

Any value will do for it: ``def total(rows, source): return sum(rows)``. Where the candidate comes to use the argument,
``log(source.name)``, it fails on such a value as on an unsupported type. That says nothing, unless its results show
another difference on an object that takes whatever is done with it.

So it is with one that the older version only keeps or passes on, ``self.rows = rows``, and the candidate copies,
``self.rows = list(rows)``: whoever makes the object hands it a list, or what can stand for one.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Callable

from ..calling.invocation import RAISED, RETURNED
from ..calling.keywords import unknown_keywords
from ..comparison.equality import same
from ..generation.domain import Domain
from ..judging.judge import AGREE, Judge, Judgement
from ..values.dynamic import is_instance, type_of
from ..values.makers.adaptable_objects import ADAPTABLE, UNUSABLE
from ..values.recipes.model import IMMUTABLE, New
from .untold_types import argument_of, kind_of, untold_arguments, with_argument

_OF_WRONG_TYPES = (TypeError, AttributeError, LookupError)
_PLAIN = (*IMMUTABLE, list, tuple, dict, set, frozenset)
_ITERABLE = (str, bytes, tuple, dict, set, frozenset)
_OTHERS: Mapping[type, Sequence[Any]] = {
    list: ([], [1], [1, 2]),
    str: ("", "a", "ab"),
    dict: ({}, {"a": 1}, {"b": 2}),
    float: (1, 0, 1.5),
}
"""Values of other types. Both versions have to agree on each of one type, so that they do the same with all of it."""
_MOST_MISSES = 10
"""At most this many values of one argument are examined that explain nothing."""


Uses = Callable[[], Mapping[str, AbstractSet[str]]]


class UnusedObjects:
    """Decides whether a candidate fails only because it uses an argument that nobody describes.

    Args:
        judge: of the search.
        domain: what rows may look like.
        uses: what an older version's module reads of the parameters, and of what they are kept as; None for another
            reference.
    """

    def __init__(self, judge: Judge, domain: Domain, uses: Uses | None = None) -> None:
        self._judge = judge
        self._domain = domain
        self._uses = uses
        self._misses = Counter[Any]()

    def explain(self, row: Any, judgement: Judgement) -> bool:
        """Whether the candidate alone fails, and not on an object that takes all that it does with it, or on values of
        another type; or whether it does what the reference does where a list has the same items."""
        expected, actual = judgement.expected, judgement.actual
        if not self._judge.has_reference or expected is None or actual is None or judgement.difference == "parameters":
            return False
        if expected.kind != RETURNED or actual.kind not in (RETURNED, RAISED):
            return False
        if actual.kind == RAISED and not is_instance(actual.error, _OF_WRONG_TYPES):
            return False
        for key, value, with_object in self._places(row):
            if self._misses[key] < _MOST_MISSES:
                if self._is_unused(key, value, with_object, actual):
                    return True
                self._misses[key] += 1
        return False

    def _is_unused(self, key: tuple[int, Any], value: Any, with_object: Callable[[Any], Any], actual: Any) -> bool:
        """Whether the reference runs without using an argument, and the candidate agrees where it may use it."""
        if actual.kind == RETURNED and not self._may_be_list(key, value):
            return False
        if self._judge.probe(with_object(New(UNUSABLE))).kind != RETURNED:
            return False
        if actual.kind == RETURNED:
            return self._is_copied(with_object(list(value)), actual)
        if self._agrees_on(with_object(New(ADAPTABLE))):
            return True
        return self._uses is not None and self._has_another_type(value, with_object)

    def _may_be_list(self, key: tuple[int, Any], value: Any) -> bool:
        """Whether an argument stands for a list: its type has methods that lists lack, and the module uses none."""
        if self._uses is None:
            return False
        place, part = key
        kind = type_of(value)
        uses = self._uses().get(part or self._domain.parameters[place].name, ())
        if kind not in _ITERABLE or not uses:
            return False
        return not any([one == "[]" or (hasattr(kind, one) and not hasattr(list, one)) for one in uses])

    def _is_copied(self, settled: Any, actual: Any) -> bool:
        """Whether the candidate does with an iterable what both do with a list of its items."""
        found = self._judge.run(settled)
        if found.code != AGREE or found.expected is None or found.expected.kind != RETURNED:
            return False
        return same(found.expected.value, actual.value)

    def _has_another_type(self, value: Any, with_object: Callable[[Any], Any]) -> bool:
        """Whether both agree on all values of another type that the argument may have."""
        for kind, others in _OTHERS.items():
            rows = [with_object(one) for one in others]
            if kind is not kind_of(value) and self._domain.is_typical(rows[0]) and all(map(self._agrees_on, rows)):
                return True
        return False

    def _agrees_on(self, row: Any) -> bool:
        return self._judge.run(row).agrees_on_value

    def _places(self, row: Any) -> Iterator[tuple[tuple[int, Any], Any, Callable[[Any], Any]]]:
        """Yield the places of arguments of which nothing is known, with the value and what puts another one there."""
        for place, parameter in enumerate(self._domain.parameters):
            value = row[place]
            if parameter.kind in ("positional", "keyword") and type_of(value) in _PLAIN:
                is_told = self._domain.known[place] or parameter.name in self._domain.evidence.examined
                if not (parameter.has_default or is_told):
                    yield (place, ""), value, functools.partial(_with, row, place)
                if not self._domain.known[place] and _holds_objects(value):
                    yield (place, "items"), None, functools.partial(_with_items, row, place)
            elif parameter.kind == "keywords":
                for name in unknown_keywords(parameter.shape, value):
                    yield (place, name), value[name], functools.partial(_with_keyword, row, place, name)
        for place, index in untold_arguments(row, self._domain):
            value = argument_of(row, place, index)
            yield (place, index), value, functools.partial(with_argument, row, place, index)


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
