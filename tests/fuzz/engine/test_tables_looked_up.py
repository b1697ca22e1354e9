"""Words of the tables that code looks values up in, also of tables in tables, and containers that take their items one
by one."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

STATES = """
class Door:
    moves = {"shut": {"unbar": "free", "bolt": "fast"}, "free": {"push": "open"}, "open": {"pull": "shut"}}

    def __init__(self) -> None:
        self.state = "shut"

    def fire(self, event: str) -> str:
        known = self.moves.get(self.state, {})
        if event not in known:
            raise LookupError(event)
        self.state = known[event]
        return self.state
"""
ITEMS = """
class Coin:
    def __init__(self, kind: str, worth: int = 1):
        self.kind = kind
        self.worth = worth

class Purse:
    def __init__(self, *coins: Coin) -> None:
        self.coins = {coin.kind: coin for coin in coins}

    def __iter__(self):
        return iter(self.coins.values())

    def worth(self) -> int:
        return sum([coin.worth for coin in self])
"""
DIGITS = """
WORDS = ["zero", "one", "two", "three"]
VALUES = {"zero": 0, "one": 1, "two": 2, "three": 3}

def fraction(words):
    digits = []
    for word in words:
        if word not in WORDS:
            return 0
        digits.append(VALUES[word])
    return float("0." + "".join(map(str, digits)))
"""
CASES = [
    (DIGITS, "VALUES[word]", "VALUES[word] + 1", "fraction"),
    (STATES, "return self.state\n", 'return self.state if self.state != "open" else "shut"\n', "Door.fire"),
    (ITEMS, "coin.worth for", "abs(coin.worth) for", "Purse.worth"),
]


@pytest.mark.parametrize(("text", "old", "new", "name"), CASES)
def test_words_and_items_that_are_needed_are_found(judge: Any, text: str, old: str, new: str, name: str) -> None:
    assert text.count(old) == 1

    report = judge.edit(text, name, old, new, calls=3000, seconds=30)

    assert report.verdict is Verdict.DIFFERS, report


def test_items_that_are_compared_with_single_characters_make_no_lists(judge: Any) -> None:
    older = "def vowels(text):\n    return [one for one in text if one in ('a', 'e')]\n"
    newer = "def vowels(text):\n    return [one for one in text if one in 'ae' and one.isalpha()]\n"

    report = judge(older, newer, "vowels", kind=OracleKind.PREVIOUS, calls=3000, seconds=30)

    assert report.verdict is Verdict.AGREES, report


def test_items_are_passed_one_by_one_as_they_are_annotated(judge: Any) -> None:
    text = ITEMS.replace("coin.worth for", "coin.worth + 1 for")

    report = judge(ITEMS, text, "Purse.worth", kind=OracleKind.PREVIOUS, calls=3000, seconds=30)

    assert report.counterexample.call == "Purse(Coin('')).worth()"
