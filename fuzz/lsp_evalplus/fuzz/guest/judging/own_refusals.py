"""Exceptions of a method under test by which a constructor that calls it fails, as validators of a model do."""

from __future__ import annotations

import sys
import types
from typing import Any, Final

from ..calling.call_clock import CallClock
from ..calling.invocation import RAISED, CallResult, Side
from ..values.program_errors import PROGRAM_ERRORS
from ..values.recipes.model import New, RecipeError

_MOST_ASKED: Final = 24
"""Constructors that fail without a call of the method, before it is given up."""


class OwnRefusals:
    """Tells which failures of a constructor are due to the method under test.

    Args:
        method: its bare name.
        clock: which limits what is made again.
    """

    def __init__(self, method: str, clock: CallClock) -> None:
        self._method = method
        self._clock = clock
        self._left = _MOST_ASKED

    def told(self, side: Side, row: Any, result: CallResult) -> CallResult:
        """Return the result of a call whose instance could not be made: with the exception of the method where it was
        that, else as it is."""
        if result.kind != RAISED or not isinstance(result.error, RecipeError) or result.error.__cause__ is None:
            return result
        if self._left <= 0 or type(row[0]) is not New:
            return result
        error = self._raised_in_making(side, (row[0],))
        return result if error is None else CallResult(RAISED, error=error)

    def _raised_in_making(self, side: Side, row: Any) -> Any:
        """Return the exception by which the method ended in the last of its calls; None where it did not fail."""
        held: dict[types.FrameType, Any] = {}
        ended: list[Any] = []

        def inside(frame: types.FrameType, event: str, value: Any) -> Any:
            if event == "exception":
                held[frame] = value[1]
            elif event == "return":
                ended.append(held.pop(frame, None))
            else:
                held.pop(frame, None)
            return inside

        def entered(frame: types.FrameType, event: str, value: Any) -> Any:
            is_own = frame.f_code.co_name == self._method and frame.f_globals is side.namespace
            return inside if is_own else None

        before = sys.gettrace()
        side.begin()
        sys.settrace(entered)
        try:
            is_made = side.made_again(row, self._clock) is not None
        finally:
            sys.settrace(before)
        if is_made:
            return None
        self._left -= not ended
        return ended[-1] if ended and isinstance(ended[-1], PROGRAM_ERRORS) else None
