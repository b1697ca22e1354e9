"""Words of tables that one of two versions alone has or looks into: they are tried first."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

TONES = """
TONES = {}
for number, letter in enumerate("aeiou"):
    TONES[letter + "\\u0301\\u0323"] = letter + str(number)

def plain(word):
    word = word.replace("q", "k")
    return word
"""
UNITS = """
WORDS = "mile yard foot inch link rood acre pint peck".split()
UNITS = frozenset(one + chr(ord("a") + place) * 3 for place, one in enumerate(WORDS))

class Measure:
    known = frozenset(one.upper() for one in UNITS)

    def is_unit(self, text):
        return text in UNITS
"""
CASES = [
    (
        TONES,
        "    return word\n",
        "    for mark, digit in TONES.items():\n        word = word.replace(mark, digit)\n    return word\n",
        "plain",
    ),
    (UNITS, "return text in UNITS", "return text in UNITS or text in self.known", "Measure.is_unit"),
]


@pytest.mark.parametrize(("text", "old", "new", "name"), CASES)
def test_words_of_a_table_that_one_version_looks_into_are_found(
    judge: Any, text: str, old: str, new: str, name: str
) -> None:
    assert text.count(old) == 1

    report = judge.edit(text, name, old, new, calls=1500, seconds=30)

    assert report.verdict is Verdict.DIFFERS, report


def test_words_that_a_table_has_in_one_version_are_found(judge: Any) -> None:
    newer = UNITS.replace("pint peck", "pint peck ells")

    report = judge(UNITS, newer, "Measure.is_unit", kind=OracleKind.PREVIOUS, calls=1500, seconds=30)

    assert report.verdict is Verdict.DIFFERS, report


def test_tables_with_the_same_words_in_another_form_are_no_difference(judge: Any) -> None:
    newer = UNITS.replace("UNITS = frozenset(", "UNITS = tuple(")

    report = judge(UNITS, newer, "Measure.is_unit", kind=OracleKind.PREVIOUS, calls=1500, seconds=30)

    assert report.verdict is Verdict.AGREES, report
