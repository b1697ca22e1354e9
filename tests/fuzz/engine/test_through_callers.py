"""Functions of which no input can be made are compared with their previous version through those that call them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.engine.check import SAME_CODE_CALLS
from lsp_evalplus.fuzz.engine.through_callers import check_through, is_unreached
from lsp_evalplus.fuzz.model import Budget, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import callers_for, oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.callers import callers_of
from lsp_evalplus.fuzz.source.discover import Module, read_module
from lsp_evalplus.server.edits import doctest_case, pytest_case, script

SOURCE = '''
_OPENED = object()

class _Cursor:
    """Is made by `opened` alone."""
    __slots__ = ("_key", "text", "at")

def opened(text: str):
    cursor = _Cursor()
    cursor._key, cursor.text, cursor.at = _OPENED, text, 0
    return cursor

def _checked(cursor):
    if getattr(cursor, "_key", None) is not _OPENED:
        raise TypeError("not a cursor")
    return cursor

def _take_digit(cursor):
    _checked(cursor)
    found = cursor.text[cursor.at : cursor.at + 1]
    cursor.at += 1
    return int(found) if found in "0123456789" and found else 0

def _never_called(cursor):
    return _checked(cursor).at + 1

def digit_sum(text: str) -> int:
    cursor = opened(text)
    return sum(_take_digit(cursor) for _ in text)

def even_later(text: str) -> bool:
    return digit_sum(text) % 2 == 0

def unrelated(text: str) -> str:
    return text.upper()

class Reader:
    def __init__(self, text: str):
        self.cursor = opened(text)

    def _first(self, cursor):
        return _take_digit(cursor) + 1

    def first(self) -> int:
        return self._first(self.cursor)

class Loud(Reader):
    pass

def shout(text: str) -> int:
    return Loud(text).first()

def _by_two(cursor):
    return _take_digit(cursor) * 2

_RULES = {"two": _by_two}

def applied(name: str, text: str):
    return _RULES[name](opened(text))

def outer(text: str):
    def inner():
        return text * 2
    return inner()
'''
HARMLESS = "    _harmless = None\n"


def check(judge: Any, name: str, old: str, new: str, *, budget: Budget = Budget(seconds=60.0, calls=300)) -> Report:  # noqa: B008
    """Check a function of the module against the module before a change."""
    assert old in SOURCE
    path = Path("/nowhere/digits.py")
    module = read_module(SOURCE.replace(old, new), path)
    return through(judge, module, name, PreviousVersion(SOURCE, "git HEAD"), budget)


def through(
    judge: Any, module: Module, name: str, previous: PreviousVersion, budget: Budget, others: str = ""
) -> Report:
    """Check a function, and if need be its callers, or those of another function."""
    target = module.target(name)
    (oracle, *_) = oracles_for(target, module, previous=previous)
    report: Report = judge.check(target, oracle, budget)
    callers = callers_for(module.target(others or name), module, previous, Settings())
    return judge.run(check_through(report, target, callers, budget, judge.pool)) if is_unreached(report) else report


@pytest.mark.parametrize(
    ("name", "callers"),
    [
        ("_take_digit", ["digit_sum", "even_later", "Reader.first", "shout", "applied"]),
        ("_by_two", ["applied"]),
        ("Reader._first", ["shout", "Reader.first"]),
        ("outer.<locals>.inner", ["outer"]),
        ("unrelated", []),
        ("_never_called", []),
    ],
)
def test_callers(name: str, callers: list[str]) -> None:
    """Those without an underscore, and those that need no object of the same class, come first."""
    found = callers_of(read_module(SOURCE), name)
    assert [one for one in found if one in callers] == [one for one in found if not re.search(r"\b_", one)]
    assert set(callers) <= set(found)
    assert not callers or found[0] in callers


STEPS = """
class Parser:
    kinds = ()

    def __init__(self, strict=False):
        self.strict = strict

    @property
    def current(self):
        return self.words[self.at]

    def parse_name(self):
        self.at += 1
        return self.current.strip("-") if self.strict else self.current

    def parse_pair(self):
        self.count = 2
        return self.parse_name(), self.parse_name()

    def parse_pairs(self):
        return [self.parse_pair() for _ in self.words[::2]]

    def parse(self, text: str):
        self.words, self.at = [*text.split(), ""], -1
        return self.parse_pairs()

class Table:
    def __init__(self):
        self.rows = []

    def width(self):
        return max(map(len, self.rows), default=0)

    def line(self):
        self.last = "-" * self.width()
        return self.last

    def draw(self):
        return [self.line(), *self.rows, self.line()]
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Parser.parse_name", ["Parser.parse", "Parser.parse_pair", "Parser.parse_pairs"]),
        ("Parser.parse_pair", ["Parser.parse", "Parser.parse_pairs"]),
        ("Table.width", ["Table.line", "Table.draw"]),
    ],
)
def test_callers_that_set_what_a_new_object_lacks_come_first(name: str, expected: list[str]) -> None:
    assert callers_of(read_module(STEPS), name) == expected


def test_slip_behind_a_caller_that_sets_attributes(judge: Any) -> None:
    module = read_module(STEPS.replace("self.at += 1", "self.at += 2"), Path("/nowhere/steps.py"))
    budget = Budget(seconds=60.0, calls=300)
    report = through(judge, module, "Parser.parse_name", PreviousVersion(STEPS, "git HEAD"), budget)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert ".parse(" in report.counterexample.call


def test_harmless_change(judge: Any) -> None:
    """What is compared, and through whom, is said."""
    report = check(judge, "_take_digit", "    cursor.at += 1\n", f"{HARMLESS}    cursor.at += 1\n")
    assert report.verdict is Verdict.AGREES, report.reason
    assert report.caller == "digit_sum"
    assert report.reason.endswith("of digit_sum(), which calls it")
    assert report.inputs == SAME_CODE_CALLS


def test_slip(judge: Any) -> None:
    """A difference is shown as a call of the caller, of which a test and a script can be written."""
    report = check(judge, "_take_digit", "cursor.at += 1", "cursor.at += 2")
    found, target = report.counterexample, read_module(SOURCE, Path("/nowhere/digits.py")).target("_take_digit")
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert found is not None
    assert found.call.startswith("digit_sum(")
    assert found.remark == "digit_sum() calls it"
    assert found.caller is not None
    test = pytest_case.test_case(target, found)
    assert test is not None
    assert any("digit_sum" in line for line in test.body)
    assert "_take_digit" not in script.failing_input(target, found, report.oracle, "def _take_digit(): ...")
    assert doctest_case.add_example(target, found, SOURCE.split("\n")) is None


def test_table(judge: Any) -> None:
    """A function that is called by way of a table."""
    report = check(judge, "_by_two", "* 2\n\n_RULES", "* 3\n\n_RULES")
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert report.counterexample.call.startswith("applied('two'")


def test_not_reached(judge: Any) -> None:
    """Without a caller it stays what it is; agreement of callers that do not reach it is none."""
    report = check(judge, "_never_called", ".at + 1", ".at + 2")
    assert report.verdict is Verdict.NOT_CHECKED
    assert report.reason.startswith("the reference returned nothing")
    module = read_module(SOURCE.replace(".at + 1", ".at + 2"), Path("/nowhere/digits.py"))
    older = PreviousVersion(SOURCE.replace('"_key", "text"', '"text", "_key"'), "git HEAD")
    budget = Budget(seconds=60.0, calls=200)
    assert list(callers_for(module.target("_take_digit"), module, older, Settings()))
    report = through(judge, module, "_never_called", older, budget, others="_take_digit")
    assert report.verdict is Verdict.NOT_CHECKED


CHANGED_BESIDE = SOURCE.replace(
    "return sum(_take_digit(cursor) for _ in text)", "return 1 + sum(_take_digit(cursor) for _ in text)"
)


def test_what_else_was_changed_is_not_blamed_on_the_function(judge: Any) -> None:
    """A caller that was changed itself shows nothing of a function that does as before; the next caller speaks."""
    changed = CHANGED_BESIDE.replace("    cursor.at += 1\n", f"{HARMLESS}    cursor.at += 1\n")
    module = read_module(changed, Path("/nowhere/digits.py"))
    report = through(judge, module, "_take_digit", PreviousVersion(SOURCE, "git HEAD"), Budget(seconds=60.0, calls=300))
    assert report.verdict is not Verdict.DIFFERS
    assert report.caller not in ("digit_sum", "even_later")


def test_a_slip_beside_another_change_is_shown(judge: Any) -> None:
    """Where a caller that was not changed shows the difference, it is told."""
    module = read_module(CHANGED_BESIDE.replace("cursor.at += 1", "cursor.at += 2"), Path("/nowhere/digits.py"))
    report = through(
        judge, module, "Reader._first", PreviousVersion(SOURCE, "git HEAD"), Budget(seconds=60.0, calls=300)
    )
    assert report.verdict is not Verdict.DIFFERS, "what it calls was changed, not the method"
    slipped = read_module(
        CHANGED_BESIDE.replace("_take_digit(cursor) + 1", "_take_digit(cursor) + 2"), Path("/nowhere/digits.py")
    )
    report = through(
        judge, slipped, "Reader._first", PreviousVersion(SOURCE, "git HEAD"), Budget(seconds=60.0, calls=300)
    )
    assert report.verdict is Verdict.DIFFERS, report.reason


PRICED = """
def _priced(amount: int, rate: int) -> int:
    return amount * rate

def total(amounts: list[int]) -> int:
    return sum(_priced(amount, 2) for amount in amounts)
"""


@pytest.mark.parametrize(
    ("call", "verdict"),
    [
        ("_priced(amount, 2, 1)", Verdict.AGREES),
        ("_priced(amount, 2, 2)", Verdict.DIFFERS),
    ],
)
def test_private_functions_whose_parameters_change_with_their_callers(judge: Any, call: str, verdict: Verdict) -> None:
    """Nobody but its own module has to know: its callers are compared."""
    newer = PRICED.replace("rate: int)", "rate: int, count: int)").replace("_priced(amount, 2)", call)
    newer = newer.replace("amount * rate", "amount * rate * count")
    module, budget = read_module(newer, Path("/nowhere/prices.py")), Budget(seconds=60.0, calls=300)
    report = through(judge, module, "_priced", PreviousVersion(PRICED, "git HEAD"), budget)
    assert report.verdict is verdict, report.reason
    assert report.caller == "total"


REFUSING = """
class UnknownRateError(Exception):
    pass

def _priced(amount: int, rate: int, base: int = 0, step: int = 1) -> int:
    if rate < 0 or rate > 100:
        raise UnknownRateError(rate)
    return (amount * rate + base) * step

def total(amounts: list[int], rate: int) -> int:
    return sum(_priced(amount, rate, 1) for amount in amounts)
"""


@pytest.mark.parametrize(
    ("parameters", "call", "changed", "verdict"),
    [
        ("(amount: int, unit: str, rate: int, base", "(amount, 'g', rate, 1)", "* step", Verdict.AGREES),
        ("(amount: int, unit: str, rate: int, base", "(amount, 'g', rate, 1)", "* -step", Verdict.DIFFERS),
        ("(amount: int, rate: int, unit: str, base", "(amount, rate, 'g', 1)", "* step", Verdict.AGREES),
        ("(rate: int, amount: int, base", "(rate, amount, 1)", "* step", Verdict.AGREES),
    ],
)
def test_private_functions_whose_parameters_move(
    judge: Any, parameters: str, call: str, changed: str, verdict: Verdict
) -> None:
    """Their older calls fail on purpose, fail for the number of arguments, or mix arguments up."""
    newer = REFUSING.replace("(amount: int, rate: int, base", parameters).replace("(amount, rate, 1)", call)
    newer = newer.replace("* step", changed)
    module, budget = read_module(newer, Path("/nowhere/prices.py")), Budget(seconds=60.0, calls=300)
    report = through(judge, module, "_priced", PreviousVersion(REFUSING, "git HEAD"), budget)
    assert report.verdict is verdict, report.reason
    assert report.caller == "total"


def test_public_functions_take_the_parameters_that_they_took(judge: Any) -> None:
    older, newer = PRICED.replace("_priced", "priced"), PRICED.replace("_priced", "priced").replace("rate:", "rate, n:")
    module, budget = read_module(newer, Path("/nowhere/prices.py")), Budget(seconds=60.0, calls=300)
    report = through(judge, module, "priced", PreviousVersion(older, "git HEAD"), budget)
    assert report.verdict is Verdict.DIFFERS, report.reason


HANDLERS = """
class Machine:
    def __init__(self, lines: list[str]):
        self.lines = lines
        self.table = {"begin": self.on_begin}

    def run(self):
        for line in self.lines:
            getattr(self, f"take_{line[:1]}")(line)

    def step(self, state):
        self.table[state]()

    def take_a(self, line):
        self.last = line

    def on_begin(self):
        self.last = None

    def reset(self):
        self.lines = []
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Machine.take_a", ["Machine.run"]),
        ("Machine.on_begin", ["Machine.__init__", "Machine.run", "Machine.step", "Machine.take_a", "Machine.reset"]),
        ("Machine.reset", []),
    ],
)
def test_methods_are_called_by_composed_names_and_out_of_tables(name: str, expected: list[str]) -> None:
    assert callers_of(read_module(HANDLERS), name) == expected
