"""Functions that a program makes and hands to what it was given, ``app.route("/")(show)``, or stores where callers see
them, are compared by what they do."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

DECORATED = """
def init_app(app):
    @app.errorhandler(404)
    def not_found(error):
        return "not found", 404

    @app.command(name="repeat")
    def repeat(text: str, count: int = 2):
        return text * count
"""
PLAIN = """
def connect(bus, step):
    bus.subscribe("start", lambda value: value + step)
"""
TWO_PARTS = """
def register(registry, prefix):
    def handler(payload):
        return prefix + payload["name"]

    registry.add("handler", handler)
"""
SCHEDULED = """
def schedule(jobs, name, delay):
    jobs.insert(name, delay, "daily")
    jobs.remove(name=name, force=delay > 3)
    return name
"""
FORMATTER = """
def formatter(prefix: str):
    def shown(record):
        return prefix + record["level"] + ": " + record.get("message", "none")

    return shown
"""
SHORTENED = """
def getter(width: int):
    return lambda row: row["name"][:width]
"""
RULE = """
class Rule:
    def __init__(self, name, is_off):
        self.name = name
        self.is_off = is_off


def named(context, name):
    return isinstance(context, dict) and name not in context


def rule(name: str):
    return Rule(name, lambda context: named(context, name))
"""
STEPS = """
class Steps:
    def __init__(self, step: int):
        self.step = step
        self.table = {"up": lambda x: x + step}
        self._inner = lambda x: x - step

    def size(self):
        return self.step
"""
CASES = {
    "decorated": (DECORATED, "text * count", "text + text * count", "init_app"),
    "passed": (PLAIN, "value + step", "value - step", "connect"),
    "a method of a plain type with more arguments": (TWO_PARTS, "prefix +", "prefix.lower() +", "register"),
    "by name": (SCHEDULED, "delay > 3", "delay >= 3", "schedule"),
    "keys": (FORMATTER, '"none"', '""', "formatter"),
    "stored in a result": (RULE, "named(context, name))", "named(context, name[:1]))", "rule"),
    "stored in a result, and fails on whatever it gets": (RULE, "named(context, name))", "named(context))", "rule"),
    "stored by a constructor": (STEPS, "x + step", "x + 2 * step", "Steps.__init__"),
    "keys of a lambda": (SHORTENED, ":width]", ":width + 1]", "getter"),
}
ALIKE = {
    "decorated": (DECORATED, "text * count", "count * text", "init_app"),
    "passed": (PLAIN, "lambda value: value + step", "lambda number: number + step", "connect"),
    "stored": (RULE, "lambda context: named(context, name)", "lambda given: named(given, name=name)", "rule"),
    "stored in private": (STEPS, "x - step", "x - 2 * step", "Steps.__init__"),
    "another function": (PLAIN, "lambda value: value + step", "step.__add__", "connect"),
    "keys": (FORMATTER, 'record.get("message", "none")', '("none" if "message" not in record else record["message"])'),
}


def checked(judge: Any, text: str, old: str, new: str, name: str = "formatter") -> Any:
    assert text.count(old) == 1
    return judge.edit(text, name, old, new, calls=400, seconds=30)


@pytest.mark.parametrize("name", CASES)
def test_what_a_function_does_that_is_handed_on_is_compared(judge: Any, name: str) -> None:
    report = checked(judge, *CASES[name])

    assert report.verdict is Verdict.DIFFERS


@pytest.mark.parametrize("name", ALIKE)
def test_functions_that_do_the_same_are_no_finding(judge: Any, name: str) -> None:
    report = checked(judge, *ALIKE[name])

    assert report.verdict is Verdict.AGREES
    assert report.inputs > 0


def test_a_finding_shows_which_function_got_it_and_what_it_does(judge: Any) -> None:
    report = checked(judge, *CASES["passed"])

    assert "after calling bus.subscribe with a function that returns" in report.counterexample.expected.text
