"""Equally correct variants of the reference: arithmetic with other roundings, sets in another order."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Callable, Optional

from ..calling.call_clock import CallClock
from ..calling.invocation import RAISED, RETURNED, CallResult, Side
from ..comparison.equality import same, same_family
from ..evidence.rounding_noise import Noise, rounding_source
from ..evidence.rounding_noise import explains as rounding_explains
from ..evidence.set_order import Order, reordering_source
from ..evidence.set_order import explains as order_explains
from ..values.rendering import message_of
from .judge import Judgement
from .outcomes import MESSAGE, OTHER_CLASS, SHARED, WARNINGS, rules_for

Rewrite = Callable[[str], Optional[str]]
Copy = Callable[[Rewrite, Callable[["dict[str, Any]"], None]], Optional[Side]]
"""Loads the reference again from rewritten source, with further names; None where that fails."""

ALIKE = (OTHER_CLASS, SHARED, WARNINGS)
"""Differences of equal results."""
_NOT_OF_NUMBERS = ("arguments", "awaited", "iterator", "parameters", "type", "hang", *ALIKE)
"""Differences that rounding cannot cause."""
_NOT_OF_ORDER = ("iterator", "parameters", "type", "hang", *ALIKE)
"""Differences that set order cannot cause."""


class Variants:
    """Decides whether a variant of the reference agrees with the candidate; variants are built on first use."""

    def __init__(self, copy: Copy, clock: CallClock) -> None:
        self._copy = copy
        self._clock = clock

    @cached_property
    def _rounding(self) -> tuple[Side, Noise] | None:
        noise = Noise()
        side = self._copy(rounding_source, noise.put_into)
        return None if side is None else (side, noise)

    @cached_property
    def _reordering(self) -> tuple[Side, Order] | None:
        order = Order()
        side = self._copy(reordering_source, order.put_into)
        return None if side is None else (side, order)

    def explain(self, row: Any, judgement: Judgement) -> bool:
        """Whether one of them may return the candidate's result."""
        expected, actual = judgement.expected, judgement.actual
        if expected is None or actual is None:
            return False
        return self._rounds(row, judgement, expected, actual) or self._reorders(row, judgement, expected, actual)

    def _rounds(self, row: Any, judgement: Judgement, expected: CallResult, actual: CallResult) -> bool:
        if judgement.difference in _NOT_OF_NUMBERS or self._rounding is None:
            return False
        side, noise = self._rounding
        rules = rules_for(row)

        def agrees(one: CallResult, two: CallResult) -> bool:
            if one.kind != two.kind or one.output != two.output:
                return False
            if one.kind == RAISED:
                tells_same = judgement.difference != MESSAGE or message_of(one.error) == message_of(two.error)
                return same_family(one.error, two.error) and tells_same
            return one.kind == RETURNED and same(one.value, two.value, rules)

        return rounding_explains(lambda: self._run(side, row), noise, expected, actual, agrees)

    def _reorders(self, row: Any, judgement: Judgement, expected: CallResult, actual: CallResult) -> bool:
        if judgement.difference in _NOT_OF_ORDER or self._reordering is None:
            return False
        side, order = self._reordering
        has_effects = judgement.difference == "arguments"

        def content(result: CallResult) -> list[Any] | None:
            if result.kind != RETURNED:
                return None
            return [result.value, result.output.splitlines(), list(result.arguments) if has_effects else None]

        return order_explains(lambda: self._run(side, row), order, expected, actual, content, rules_for(row))

    def _run(self, side: Side, row: Any) -> CallResult:
        return side.run(row, self._clock, self._clock.allowance)
