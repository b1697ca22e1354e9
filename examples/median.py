"""Prompt: "the median of a list of sensor readings"."""


# lsp-evalplus: reference=references/median.py::median
def median(readings: list[int]) -> float:
    """Return the median of the readings, 0.0 when there are none."""
    if not readings:
        return 0.0
    ordered = sorted(readings)
    return float(ordered[len(ordered) // 2])
