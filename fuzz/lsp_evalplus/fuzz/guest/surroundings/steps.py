"""Counts the lines that a call runs: unlike its time, their number is the same on each machine, busy or not.

Counting takes several times as long as the call, so only calls are counted that took some time: so much that no
machine runs too many lines in less. So the number alone decides.
"""

from __future__ import annotations

import sys
from typing import Any, Callable

SECONDS_A_STEP = 4e-9
"""Time in which no machine runs a line of Python: a line of an empty loop was seen to take 7e-9."""
TRACED_FACTOR = 20.0
"""How many times as long a call may take while its lines are counted."""


class _TooManyError(BaseException):
    """The call ran too many lines. Not an `Exception`, so that ``except Exception`` in code under test misses it."""


def is_quick(seconds: float, most: int) -> bool:
    """Return whether a call took so little time that it cannot have run more than `most` lines."""
    return seconds <= SECONDS_A_STEP * most


def exceeds(call: Callable[[], Any], most: int) -> bool:
    """Make a call, and return whether it runs more than so many lines; it is not run any further then."""
    left = most

    def count(_frame: Any, event: str, _argument: Any) -> Any:
        nonlocal left
        if event == "line":
            left -= 1
            if left < 0:
                raise _TooManyError
        return count

    sys.settrace(count)
    try:
        call()
    except _TooManyError:
        pass
    finally:
        sys.settrace(None)
    return left < 0
