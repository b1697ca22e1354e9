"""Trusted: goes through the calendar day by day."""

from datetime import date, timedelta


def workdays(first: date, last: date) -> int:
    """Count the days from Monday to Friday in the range, both ends included.

    >>> workdays(date(2024, 5, 6), date(2024, 5, 10))
    5
    """
    assert first <= last, "a range runs forward"
    assert (last - first).days <= 3660, "at most ten years"
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    return sum(day.weekday() < 5 for day in days)
