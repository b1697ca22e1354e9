"""Trusted: half of the readings lie below the median; of an even number it is the mean of the middle two."""


def median(readings: list[int]) -> float:
    """Return the median of the readings, 0.0 when there are none.

    >>> median([3, 1, 2])
    2.0
    >>> median([1, 2, 3, 4])
    2.5
    """
    if not readings:
        return 0.0
    ordered = sorted(readings)
    upper = len(ordered) // 2
    if len(ordered) % 2:
        return float(ordered[upper])
    return (ordered[upper - 1] + ordered[upper]) / 2
