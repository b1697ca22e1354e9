"""Calls in doctests are inputs for every oracle: of methods, operators and properties, on the objects they build."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Budget, FunctionTarget, Oracle, OracleKind, Verdict
from lsp_evalplus.fuzz.oracle.reference import oracle_of
from lsp_evalplus.fuzz.source.discover import read_module

LEDGER = '''
def open_ledger(code):
    """Open the ledger of a code.

    >>> open_ledger("GB-77-Q").total("eur")
    0
    >>> open_ledger("GB-77-Q").code
    'GB-77-Q'
    """
    return Ledger(code, ())


class Ledger:
    """Amounts by currency.

    >>> ledger = Ledger("GB-77-Q", [("eur", 4), ("usd", 5)])
    >>> ledger.book("eur", 6)
    >>> "usd" in ledger
    True
    >>> ledger["eur"]
    10
    >>> ledger + Ledger("GB-77-Q", [("eur", 1)])
    Ledger('GB-77-Q', [('eur', 4), ('usd', 5), ('eur', 6), ('eur', 1)])
    """

    def __init__(self, code, entries):
        country, number, check = code.split("-")
        if len(country) != 2 or int(number) % 7 or check not in "QZ":
            raise ValueError(code)
        self.code, self.entries = code, list(entries)

    def book(self, currency, amount):
        self.entries.append((currency, amount))

    def total(self, currency):
        """The sum of one currency.

        >>> ledger = Ledger("GB-77-Q", [("eur", 4), ("usd", 5)])
        >>> ledger.book("eur", 6)
        >>> ledger.total("eur")
        10
        """
        return sum(amount for name, amount in self.entries if name == currency)

    @property
    def currencies(self):
        """The currencies in use.

        >>> Ledger("GB-77-Q", [("eur", 4), ("usd", 5)]).currencies
        ['eur', 'usd']
        """
        return sorted({name for name, _ in self.entries})

    def __contains__(self, currency):
        return any(name == currency for name, _ in self.entries)

    def __getitem__(self, currency):
        return self.total(currency)

    def __add__(self, other):
        return Ledger(self.code, [*self.entries, *other.entries])

    def __repr__(self):
        return f"Ledger({self.code!r}, {self.entries!r})"


def is_settled(ledger):
    """Whether all amounts are zero.

    >>> is_settled(open_ledger("GB-77-Q"))
    True
    >>> is_settled(Ledger("GB-77-Q", [("eur", 4)]))
    False
    """
    return all(amount == 0 for _, amount in ledger.entries)
'''
MISTAKES = {
    "Ledger.total": ("if name == currency)", "if name != currency)"),
    "Ledger.currencies": ("return sorted({name", "return list({name for name, _ in self.entries[1:]}) or sorted({name"),
    "Ledger.__contains__": ("any(name == currency", "any(name > currency"),
    "Ledger.__getitem__": ("return self.total(currency)", "return self.total(currency) + 1"),
    "Ledger.__add__": ("[*self.entries, *other.entries]", "[*other.entries, *self.entries]"),
    "is_settled": ("amount == 0 for", "amount >= 0 for"),
}


@pytest.mark.parametrize("name", MISTAKES)
@pytest.mark.parametrize("kind", [pytest.param(OracleKind.REFERENCE, marks=pytest.mark.slow), OracleKind.PREVIOUS])
def test_mistakes_that_only_built_objects_show(judge: Any, name: str, kind: OracleKind) -> None:
    right, wrong = MISTAKES[name]
    assert LEDGER.count(right) == 1
    report = judge.check(*_pair(name, LEDGER, LEDGER.replace(right, wrong), kind))
    assert report.verdict is Verdict.DIFFERS, report


@pytest.mark.slow
@pytest.mark.parametrize("name", MISTAKES)
def test_the_same_in_other_words(judge: Any, name: str) -> None:
    report = judge.check(*_pair(name, LEDGER, LEDGER.replace("entries", "booked"), OracleKind.PREVIOUS))
    assert report.verdict is Verdict.AGREES, report
    assert report.inputs > 1


def test_names_of_the_document_show_no_shape(judge: Any) -> None:
    """An example made of names that the program lacks must not narrow what is tried."""
    text = 'def f(x):\n    """\n    >>> f(load("a.csv"))\n    3\n    """\n    return len(x) and x[0] == 3\n'
    report = judge.check(*_pair("f", text, text.replace("== 3", "== 4"), OracleKind.REFERENCE))
    assert report.verdict is Verdict.DIFFERS, report


def _pair(name: str, older: str, newer: str, kind: OracleKind) -> tuple[FunctionTarget, Oracle, Budget]:
    module = read_module(older)
    return read_module(newer).target(name), oracle_of(module, module.target(name), kind, "older"), Budget(4.0, 2000)
