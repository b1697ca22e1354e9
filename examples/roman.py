"""Prompt: "format a chapter number as a Roman numeral"."""

_NUMERALS = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
]


# lsp-evalplus: reference=references/roman.py::roman
def roman(number: int) -> str:
    """Return a number from 1 to 3999 as a Roman numeral."""
    parts: list[str] = []
    for value, numeral in _NUMERALS:
        count, number = divmod(number, value)
        parts.append(numeral * count)
    return "".join(parts)
