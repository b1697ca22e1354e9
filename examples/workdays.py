"""Prompt: "how many working days lie between two dates"."""

from datetime import date


# lsp-evalplus: reference=references/workdays.py::workdays
def workdays(first: date, last: date) -> int:
    """Count the days from Monday to Friday in the range, both ends included."""
    days = (last - first).days
    weeks, rest = divmod(days, 7)
    count = weeks * 5
    for offset in range(rest):
        if (first.weekday() + offset) % 7 < 5:
            count += 1
    return count
