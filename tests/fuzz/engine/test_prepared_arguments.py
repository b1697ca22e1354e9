"""Objects that are passed, in states that their own methods bring about or their users set."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
class Account:
    def __init__(self, owner: str):
        self.owner = owner
        self._entries = []
        self._closed = False

    def deposit(self, amount: int):
        self._entries.append(amount)

    def close(self):
        self._closed = True

    def balance(self):
        return sum(self._entries)

    def is_closed(self):
        return self._closed


class Options:
    def __init__(self):
        self.width = 80
        self.has_markup = False


def summary(account: Account) -> str:
    if account.is_closed():
        return account.owner + " closed"
    return f"{account.owner} {account.balance()}"


class Printer:
    def __init__(self, lines: list[str]):
        self.lines = lines

    def write(self, options: Options) -> str:
        if options.has_markup:
            return "<b>" + " ".join(self.lines) + "</b>"
        return " ".join(self.lines)


def longest(accounts: int, account: Account, options: Options) -> int:
    return max(account.balance(), options.width, accounts)
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "shown"),
    [
        ("summary", '" closed"', '" (closed)"', "it.close()"),
        ("summary", "{account.balance()}", "{max(account.balance(), 0)}", "it.deposit(-1)"),
        ("Printer.write", '+ "</b>"', '+ "</i>"', "setattr(it, 'has_markup', True)"),
    ],
)
def test_a_state_of_an_argument(judge: Any, name: str, old: str, new: str, shown: str) -> None:
    report = judge.edit(SOURCE, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert shown in report.counterexample.call


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("summary", "if account.is_closed():", "if not not account.is_closed():"),
        ("Printer.write", "if options.has_markup:", "if options.has_markup is True:"),
        (
            "longest",
            "max(account.balance(), options.width, accounts)",
            "max(options.width, account.balance(), accounts)",
        ),
    ],
)
def test_states_of_arguments_that_make_no_difference(judge: Any, name: str, old: str, new: str) -> None:
    assert old in SOURCE
    report = judge.edit(SOURCE, name, old, new)
    assert report.verdict is Verdict.AGREES, report.reason


def test_what_changed_in_the_class_of_an_argument_is_not_told_of_its_users(judge: Any) -> None:
    changed = SOURCE.replace("self._entries.append(amount)", "self._entries.append(abs(amount))")
    report = judge(SOURCE, changed, "summary", kind="previous")
    assert report.verdict is Verdict.AGREES, report.reason
