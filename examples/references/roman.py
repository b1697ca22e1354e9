"""Trusted: each decimal digit is written on its own, from a table of its place."""

_PLACES = ("IVX", "XLC", "CDM", "M")
_SHAPES = ("", "a", "aa", "aaa", "ab", "b", "ba", "baa", "baaa", "ac")


def roman(number: int) -> str:
    """Return a number from 1 to 3999 as a Roman numeral."""
    assert 1 <= number <= 3999, "Roman numerals write 1 to 3999"
    digits = [int(digit) for digit in str(number)]
    parts: list[str] = []
    for place, digit in zip(reversed(range(len(digits))), digits):
        letters = dict(zip("abc", _PLACES[place]))
        parts.append("".join(letters[shape] for shape in _SHAPES[digit]))
    return "".join(parts)
