"""Dates and times of day, as calls of their constructors."""

from __future__ import annotations

from .base import ChoiceShape, UnionShape
from .classes import CallShape
from .scalars import IntShape

_YEAR = UnionShape((IntShape(1990, 2030), ChoiceShape((2000, 1900, 2100)), IntShape(1900, 2100)))
"""Current years, ends of centuries, and years in the programs."""
DAY = (_YEAR, IntShape(1, 12), IntShape(1, 31))
"""Year, month and day."""
CLOCK = (IntShape(0, 23), IntShape(0, 59), IntShape(0, 59))
"""Hour, minute and second."""
MICROSECOND = IntShape(0, 999999)
_OFFSET = CallShape("datetime.timedelta", (ChoiceShape((0,)), ChoiceShape((0, 7200, -18000))))
ZONE = CallShape("datetime.timezone", (_OFFSET,))
DATE = CallShape("datetime.date", DAY)
DATETIME = UnionShape(
    (
        CallShape("datetime.datetime", (*DAY, *CLOCK, MICROSECOND)),
        CallShape("datetime.datetime", (*DAY, *CLOCK, ZONE), ("tzinfo",)),
    )
)
