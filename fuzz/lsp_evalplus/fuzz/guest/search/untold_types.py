"""Arguments of constructors of whose types nothing is known: a window of ``''`` seconds.

They are guessed. An older version may not come to use one, ``[t for t in self.times if t > now - self.window]``, while
the candidate does, and fails as on an unsupported type. Where an argument of another type makes no difference, the
guess was wrong. So it was where the older version fails in the same way on all values of a type but the empty one,
``if not message: return``.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from ..calling.invocation import RAISED, RETURNED
from ..generation.domain import Domain
from ..inference.constructors.taken_parameters import constructor_parameters
from ..judging.judge import Judge, Judgement
from ..values.dynamic import is_instance, type_of
from ..values.parts import with_part
from ..values.recipes.model import New, Prepared
from ..values.rendering import message_of
from ..values.shapes import ClassShape, Shape
from ..values.shapes.holding import may_be_anything

_OTHERS = (1, 1.5, "a", [1], {"a": 1})
_FULL: Mapping[type, Any] = {dict: {"a": 1}, list: [1], tuple: (1,), str: "a", bytes: b"a", set: {1}}
_NUMBERS = (int, float, bool)
_MOST_ASKED = 4
"""At most this many arguments of one type are examined."""


class UntoldTypes:
    """Decides whether a candidate fails only because an argument of a constructor has a type that nobody told."""

    def __init__(self, judge: Judge, domain: Domain) -> None:
        self._judge = judge
        self._domain = domain
        self._asked: Counter[tuple[int, int, type]] = Counter()
        """Types of arguments: places of the object and of its argument, and the type."""
        self._wrong: set[tuple[int, int, type]] = set()
        """Those that are not meant."""

    def explain(self, row: Any, judgement: Judgement) -> bool:
        """Whether the candidate fails as on an unsupported type, and not with an argument of another one."""
        if not self._judge.has_reference or judgement.difference == "parameters" or not _fails(judgement):
            return False
        places = list(untold_arguments(row, self._domain))
        return any([self._is_unsupported(row, places, *one) for one in places]) or self._is_used_empty(row, judgement)

    def _is_used_empty(self, row: Any, judgement: Judgement) -> bool:
        """Whether the reference fails as the candidate does where an empty argument has something in it."""
        assert judgement.actual is not None
        return any([self._fails_alike(one, judgement.actual.error) for one in _filled(row)])

    def _fails_alike(self, row: Any, error: Any) -> bool:
        expected = self._judge.run(row).expected
        if expected is None or expected.kind != RAISED or type_of(expected.error) is not type_of(error):
            return False
        return message_of(expected.error) == message_of(error)

    def _is_unsupported(self, row: Any, places: list[tuple[int, int]], place: int, index: int) -> bool:
        """Whether both programs agree where an argument of a constructor has another type; of each type one value is
        enough. The other arguments may be of wrong types too."""
        value = argument_of(row, place, index)
        key = (place, index, kind_of(value))
        if key in self._wrong or self._asked[key] >= _MOST_ASKED:
            return key in self._wrong
        self._asked[key] += 1
        others = [one for one in _OTHERS if kind_of(one) is not key[2]]
        for given in (None, *_OTHERS[:3]):
            beside = row
            for one in places if given is not None else ():
                beside = with_argument(beside, *one, given)
            kept = with_argument(beside, place, index, value)
            if (given is None or _fails(self._judge.run(kept))) and any(
                [self._agrees_on(with_argument(beside, place, index, one)) for one in others]
            ):
                self._wrong.add(key)
                return True
        return False

    def _agrees_on(self, row: Any) -> bool:
        return self._judge.run(row).agrees_on_value


def untold_arguments(row: Any, domain: Domain) -> Iterator[tuple[int, int]]:
    """Yield the places of objects in a row, each with that of an argument of whose type nothing is known."""
    optional = {name.lstrip("_") for name in domain.evidence.tested_for_none}
    for place, (value, shape) in enumerate(zip(row, domain.typical)):
        made = _made_in(value)
        if type(made) is New:
            yield from [(place, index) for index in _untold(made, shape.alternatives, optional)]


def _fails(judgement: Judgement) -> bool:
    """Whether the candidate alone fails, as on an unsupported type."""
    expected, actual = judgement.expected, judgement.actual
    if expected is None or actual is None or (expected.kind, actual.kind) != (RETURNED, RAISED):
        return False
    return is_instance(actual.error, (TypeError, AttributeError))


def _made_in(value: Any) -> Any:
    """The call of a constructor that makes an object, without the calls that prepare it."""
    return value.instance if type(value) is Prepared else value


def _filled(row: Any) -> Iterator[Any]:
    """Yield the row with one of its empty arguments, also of a constructor, that has something in it instead."""
    for place, value in enumerate(row):
        if type(value) in _FULL and not value:
            yield (*row[:place], _FULL[type(value)], *row[place + 1 :])
        made = _made_in(value)
        for index, argument in enumerate(made.args if type(made) is New else ()):
            if type(argument) in _FULL and not argument:
                yield with_argument(row, place, index, _FULL[type(argument)])


def argument_of(row: Any, place: int, index: int) -> Any:
    """Return an argument of the constructor of an object in a row."""
    return _made_in(row[place]).args[index]


def with_argument(row: Any, place: int, index: int, value: Any) -> Any:
    """Return the row with another argument of the constructor of an object in it."""
    given = row[place]
    made = _made_in(given)
    again: Any = with_part(made, index, value)
    return (*row[:place], Prepared(again, given.calls) if type(given) is Prepared else again, *row[place + 1 :])


def _untold(made: New, shapes: Sequence[Shape], optional: Set[str]) -> list[int]:
    """The places of the arguments of whose types nothing is known, not even that they may be anything, or None."""
    for shape in shapes:
        if isinstance(shape, ClassShape) and shape.name == made.name:
            taken = [one.parameter for one in constructor_parameters(shape.definition.owner) or []]
            triples = enumerate(zip(made.args, shape.parts, taken))
            return [
                index
                for index, (value, part, parameter) in triples
                if may_be_anything(part)
                and parameter.annotation is inspect.Parameter.empty
                and (value is not None or not (_has_default(parameter) or parameter.name in optional))
            ]
    return []


def _has_default(parameter: inspect.Parameter) -> bool:
    return parameter.default is not inspect.Parameter.empty


def kind_of(value: Any) -> type:
    """Return the type of a value, one for all numbers."""
    return float if is_instance(value, _NUMBERS) else type_of(value)
