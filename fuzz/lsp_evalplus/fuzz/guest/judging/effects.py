"""Compare the candidate's side effects on its arguments with the reference's.

The reference's effect is required where it has none, or where it is intended. What a method does to its own instance
is always intended. The programs' own classes may represent their state differently, so each side is compared with its
own state before, and by its public behaviour.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import Any, Callable

from ..calling.call_clock import CallClock
from ..calling.invocation import RETURNED, CallResult, Side
from ..comparison.equality import BEFORE_AND_AFTER, same
from ..evidence.side_effects import Effect, Sight, differ, lacks_marks, look_alike
from ..program.classes import properties_of
from ..values.dynamic import attributes_of, type_of
from ..values.recipes.model import New, Prepared, is_plain

MOST_UNSEEN = 50
"""After this many rows on which no observer distinguishes two instances, their private differences are ignored."""
MOST_PREPARED = 150
"""The same of rows whose instance was prepared by calls, which is where most of what is kept in private shows."""
MOST_ASKED = 4
"""Values of a row that an observer with parameters is called with."""
MOST_QUESTIONS = 8
"""Calls of observers after one row."""
_SCALARS = (int, float, str, bytes, bool)


Observer = tuple[str, int]
"""A method that may reveal the private state of an instance, and how many arguments it needs."""


class Receiver:
    """Facts about the instances on which both programs' method is called.

    Args:
        keeps_inside: whether both programs' classes represent private state alike.
        observers: finds the methods that may reveal private state.
        stored: finds the attributes that differ by nothing but the method.
    """

    def __init__(
        self,
        observers: Callable[[], list[Observer]],
        stored: Callable[[], frozenset[str]] = frozenset,
        *,
        keeps_inside: bool,
    ) -> None:
        self.keeps_inside = keeps_inside
        self._observers = observers
        self._stored = stored

    @cached_property
    def observers(self) -> list[Observer]:
        """The methods that may reveal the private state of an instance, those with the fewest parameters first."""
        return self._observers() if self.keeps_inside else []

    @cached_property
    def stored(self) -> frozenset[str]:
        """The attributes that differ by nothing but the method, also where a constructor calls it."""
        return self._stored() if self.keeps_inside else frozenset()


class Effects:
    """Compares the side effects of two calls.

    Args:
        receiver: where the first argument is the instance of a method, facts about it.
        is_previous: whether callers rely on whatever the reference does.
    """

    def __init__(
        self, candidate: Side, reference: Side, clock: CallClock, receiver: Receiver | None, *, is_previous: bool
    ) -> None:
        self._candidate = candidate
        self._reference = reference
        self._clock = clock
        self._receiver = receiver
        self._is_previous = is_previous
        self._unseen = {False: 0, True: 0}
        """How often no observer distinguished two instances, by whether calls had prepared them."""
        self._is_seen = False
        """Whether one did: the same is asked again before it is told."""

    def differ(self, row: Any, expected: CallResult, actual: CallResult, *, are_equal: bool) -> bool:
        """Whether the reference's effect on its arguments is required, and the candidate's differs.

        A reference that returns a value and consumes its arguments does not require the same of others, unless
        callers rely on it. Instances that are equal as the calls leave them may still lack what other methods need.
        """
        if are_equal and not self._lacks_parts(expected, actual):
            return False
        ours, theirs = [side.made_again(row, self._clock) for side in (self._reference, self._candidate)]
        if ours is None or theirs is None:
            return False
        one, two = Effect(ours, expected.arguments), Effect(theirs, actual.arguments)
        if self._receiver is not None:
            if are_equal:
                return self._shows_later(row, one.first(), two.first(), self._receiver)
            if self._differ_in_receiver(row, (one.first(), two.first()), expected, self._receiver):
                return True
            one, two = one.rest(), two.rest()
            if same(one.after, two.after):
                return False
        if same(one.before, one.after):
            return not same(two.before, two.after, BEFORE_AND_AFTER)
        is_meant = self._is_previous or expected.value is None
        if not is_meant:
            return False
        if look_alike(one.after, two.after):
            return self._is_previous and _differ_in_public(one, two)
        # Arguments that tests make may differ already before the call, as what makes them has changed too.
        return same(one.before, two.before) or look_alike(one.before, two.before)

    def _lacks_parts(self, expected: CallResult, actual: CallResult) -> bool:
        """Whether the candidate's instance lacks an attribute, or still keeps what a property gave, although both
        classes keep the same."""
        if self._receiver is None or not self._receiver.keeps_inside:
            return False
        one, two = expected.arguments[0], actual.arguments[0]
        return _lacks_attributes(one, two) or _keeps_values(one, two)

    def _differ_in_receiver(
        self, row: Any, effects: tuple[Effect, Effect], expected: CallResult, receiver: Receiver
    ) -> bool:
        """Whether a caller can observe that the instance's state differs from the one that the reference leaves.

        What a method that returns a value does in private may be mere caching.
        """
        one, two = effects
        keeps_inside = receiver.keeps_inside
        includes_private = keeps_inside and expected.value is None
        believes_texts = not (keeps_inside and self._is_previous)
        sight = Sight(keeps_inside, includes_private, believes_texts=believes_texts, stored=receiver.stored)
        if not differ(one, two, sight):
            return keeps_inside and self._shows_later(row, one, two, receiver)
        again = self._reference.run(row, self._clock, self._clock.allowance)
        if again.kind != RETURNED:
            return False
        repeated = Effect(one.before, again.arguments[0])
        return not differ(one, repeated, sight)

    def _shows_later(self, row: Any, one: Effect, two: Effect, receiver: Receiver) -> bool:
        """Whether the instances differ in private, and another method reveals the difference.

        They may have done so before the call, where the method under test has a part in making them.
        """
        believes_texts = not self._is_previous
        sight = Sight(keeps_alike=True, includes_private=True, believes_texts=believes_texts, ignores_defaults=False)
        is_prepared = type(next(iter(row), None)) is Prepared
        most = MOST_PREPARED if is_prepared else MOST_UNSEEN
        is_given_up = self._unseen[is_prepared] >= most and not self._is_seen
        may_differ = differ(one, two, sight) or _lacks_attributes(one.before, two.before)
        if is_given_up or not (may_differ or _keeps_values(one.after, two.after)):
            return False
        for name, arguments in _questions(receiver.observers, row):
            told = self._told_later(self._reference, row, name, arguments)
            if not told or not is_plain(told):
                continue
            other = self._told_later(self._candidate, row, name, arguments)
            if other is not None and is_plain(other) and not same(told, other):
                self._is_seen = True
                return True
        self._unseen[is_prepared] += 1
        return False

    def _told_later(self, side: Side, row: Any, name: str, arguments: Sequence[Any]) -> Any:
        """The result of an instance's method after the call, in a list that is empty where it raises an exception;
        None where it reveals nothing."""
        result = side.run(row, self._clock, self._clock.allowance)
        self._clock.start(self._clock.allowance)
        try:
            if result.kind != RETURNED:
                return None
            found = getattr(instance := result.arguments[0], name)
            return [found if name in properties_of(type_of(instance)) else found(*arguments)]
        except Exception:  # noqa: BLE001 - whatever it raises, a caller of the other program does not see it.
            return []
        except BaseException:  # noqa: BLE001 - what ends a call from outside reveals nothing.
            return None
        finally:
            self._clock.stop()


def _questions(observers: Sequence[Observer], row: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the calls of observers: with the scalars of the row, as what was stored is asked for by the same key."""
    known = _scalars_of(row)
    asked = 0
    for name, count in observers:
        for arguments in product(known, repeat=count):
            if asked >= MOST_QUESTIONS:
                return
            asked += 1
            yield name, arguments


def _scalars_of(row: Any) -> list[Any]:
    """The first few scalars of a row: the arguments of the call under test, then those of the latest calls that
    prepared its instance."""
    prepared = next(iter(row), None)
    calls = prepared.calls[::-1] if type(prepared) is Prepared else ()
    held = [*row, *[value for call in calls for value in (*call.args, *call.kwargs.values())]]
    held += [*prepared.args, *prepared.kwargs.values()] if type(prepared) is New else []
    found: list[Any] = []
    for value in held:
        if type(value) in _SCALARS and not any([type(one) is type(value) and one == value for one in found]):
            found.append(value)
    return found[:MOST_ASKED]


def _lacks_attributes(one: Any, two: Any) -> bool:
    """Whether the second of two objects has no attribute of a name that the first one has."""
    held, known = attributes_of(one), attributes_of(two)
    return held is not None and known is not None and any([name not in known for name in held])


def _keeps_values(one: Any, two: Any) -> bool:
    """Whether the second of two objects keeps what one of its properties gave, and the first one does not."""
    held, known = attributes_of(one), attributes_of(two)
    if held is None or known is None:
        return False
    return any([name not in held for name in known]) and not properties_of(type_of(two)).keys().isdisjoint(
        known.keys() - held.keys()
    )


def _differ_in_public(one: Effect, two: Effect) -> bool:
    """Whether arguments that write the same of themselves have other public attributes, or lack those of the call."""
    sides = [(Effect(*parts[:2]), Effect(*parts[2:])) for parts in zip(one.before, one.after, two.before, two.after)]
    return any([differ(*parts, _PUBLIC) or lacks_marks(*parts) for parts in sides])


_PUBLIC = Sight(keeps_alike=False, includes_private=False, believes_texts=False)
