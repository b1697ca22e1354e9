"""Is the candidate's effect on its arguments the one that the reference has?

The reference's effect is one to keep to where it is none, or where it is meant. What a method does to its own instance
is always meant. Objects of the programs' own classes may keep their parts in another way on each side, so each side is
held against its own, and by what it says of itself.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Callable

from ..program.call_clock import CallClock
from ..program.invocation import RETURNED, CallResult, Side
from ..values.equality import BEFORE_AND_AFTER, same
from ..values.recipe import is_plain
from .side_effects import Effect, differ, look_alike

MOST_UNSEEN = 50
"""So many times instances that differ in private are shown to other methods, and what they keep is their own affair."""


class Receiver:
    """What is known of the instances on which both programs' method is called.

    Args:
        keeps_inside: whether both programs' classes mean the same by what they keep in private.
        observers: names methods, the same in both programs, that can be called without arguments.
    """

    def __init__(self, observers: Callable[[], list[str]], *, keeps_inside: bool) -> None:
        self.keeps_inside = keeps_inside
        self._observers = observers

    @cached_property
    def observers(self) -> list[str]:
        """Methods, the same in both programs, that tell what an instance keeps in private."""
        return self._observers() if self.keeps_inside else []


class Effects:
    """Compares what two calls left behind.

    Args:
        receiver: where the first argument is the instance of a method, what is known of it.
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
        self._unseen = 0
        """How often no observer told two instances apart."""

    def differ(self, row: Any, expected: CallResult, actual: CallResult) -> bool:
        """Whether the reference's effect on its arguments is one to keep to, and the candidate has another.

        A reference that returns a value and uses its arguments up on the way does not ask the same of others, unless
        callers rely on it.
        """
        one = Effect(self._reference.fresh(row), expected.arguments)
        two = Effect(self._candidate.fresh(row), actual.arguments)
        if self._receiver is not None:
            if self._differ_in_receiver(row, (one.first(), two.first()), expected, self._receiver):
                return True
            one, two = one.rest(), two.rest()
            if same(one.after, two.after):
                return False
        if same(one.before, one.after):
            return not same(two.before, two.after, BEFORE_AND_AFTER)
        is_meant = self._is_previous or expected.value is None
        return is_meant and not look_alike(one.after, two.after)

    def _differ_in_receiver(
        self, row: Any, effects: tuple[Effect, Effect], expected: CallResult, receiver: Receiver
    ) -> bool:
        """Whether a caller can see that the instance is left in another state than the reference leaves it in.

        What a method that returns a value does in private may be no more than remembering it.
        """
        one, two = effects
        keeps_inside = receiver.keeps_inside
        includes_private = keeps_inside and expected.value is None
        if not differ(one, two, keeps_alike=keeps_inside, includes_private=includes_private):
            return keeps_inside and not includes_private and self._shows_later(row, one, two, receiver)
        again = self._reference.run(row, self._clock, self._clock.allowance)
        if again.kind != RETURNED:
            return False
        repeated = Effect(one.before, again.arguments[0])
        return not differ(one, repeated, keeps_alike=keeps_inside, includes_private=includes_private)

    def _shows_later(self, row: Any, one: Effect, two: Effect, receiver: Receiver) -> bool:
        """Whether the instances differ in private, and another method then tells them apart."""
        if self._unseen >= MOST_UNSEEN or not differ(one, two, keeps_alike=True, includes_private=True):
            return False
        for name in receiver.observers:
            told = [self._told_later(side, row, name) for side in (self._reference, self._candidate)]
            if is_plain(told) and None not in told and not same(*told):
                return True
        self._unseen += 1
        return False

    def _told_later(self, side: Side, row: Any, name: str) -> Any:
        """What a method of the instance returns after the call, in a list; None where it does not."""
        result = side.run(row, self._clock, self._clock.allowance)
        self._clock.start(self._clock.allowance)
        try:
            return [getattr(result.arguments[0], name)()] if result.kind == RETURNED else None
        except BaseException:  # noqa: BLE001 - whatever it raises, it tells nothing.
            return None
        finally:
            self._clock.stop()
