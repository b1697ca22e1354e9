"""Parameters that are called for the effect, or around whose calls exceptions are caught, get functions that record
their calls or fail."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict


def checked(judge: Any, text: str, old: str, new: str, name: str, calls: int = 1500) -> Any:
    assert text.count(old) == 1
    return judge(text, text.replace(old, new), name, kind=OracleKind.PREVIOUS, calls=calls, seconds=30)


EFFECT = """
def answer(environ, respond):
    if environ["method"] != "GET":
        respond("405", [("Allow", "GET")])
        return b""
    respond("404", [])
    return b"none"
"""
CAUGHT = """
def attempt(work, times=3):
    for number in range(times):
        try:
            return work()
        except ConnectionError:
            if number == times - 1:
                raise
"""
AWAITED = """
async def attempt(work, times=3):
    for number in range(times):
        try:
            return await work()
        except ConnectionError:
            if number + 1 >= times:
                raise
"""
IN_TURN = """
def compose(*functions):
    def run(value):
        for function in reversed(functions):
            value = function(value)
        return value

    return run
"""
DOTTED = """
import socket

def attempt(work, times=3):
    for number in range(times):
        try:
            return work()
        except socket.herror:
            if number == times - 1:
                raise
"""
CONVERTED = """
def scaled(function):
    def wrapper(value):
        return function(float(value))

    return wrapper
"""
DECORATED = """
import functools

def retry(times=3):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args):
            for number in range(times):
                try:
                    return function(*args)
                except ValueError:
                    if number + 1 == times:
                        raise

        return wrapper

    return decorate
"""
ONCE = """
def once(function):
    done = []

    def wrapper(*args, **kwargs):
        if not done:
            done.append(function(*args, **kwargs))
        return done[0]

    return wrapper
"""
STORED = """
class Cell:
    def __init__(self):
        self._value = None
        self._listeners = []

    def subscribe(self, listener):
        self._listeners.append(listener)

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        old, self._value = self._value, new
        if old != new:
            for listener in self._listeners:
                listener(old, new)
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "name", "shown"),
    [
        pytest.param(EFFECT, 'respond("404", [])', 'respond("400", [])', "answer", "call_recorder()", id="effect"),
        pytest.param(CAUGHT, "times - 1", "times - 2", "attempt", "call_recorder(raises=ConnectionError", id="caught"),
        pytest.param(DOTTED, "times - 1", "times - 2", "attempt", "call_recorder(raises=socket.herror", id="dotted"),
        pytest.param(
            AWAITED,
            "number + 1",
            "number + 2",
            "attempt",
            "async_function(call_recorder(raises=ConnectionError",
            id="awaited",
        ),
        pytest.param(IN_TURN, "reversed(functions)", "functions", "compose", "lambda x: (x, 1)", id="in turn"),
        pytest.param(
            DECORATED, "number + 1 == times", "number == times", "retry", "retry(", id="factory of decorators"
        ),
        pytest.param(ONCE, "if not done", "if True", "once", "once(call_recorder())", id="once"),
        pytest.param(STORED, "if old != new", "if True", "Cell.value=", "it.subscribe(", id="stored"),
    ],
)
def test_what_a_program_does_with_a_function_is_seen(
    judge: Any, text: str, old: str, new: str, name: str, shown: str
) -> None:
    report = checked(judge, text, old, new, name)
    assert report.verdict is Verdict.DIFFERS, report
    assert shown in report.counterexample.call


@pytest.mark.parametrize(
    ("text", "old", "new", "name"),
    [
        pytest.param(EFFECT, 'return b"none"', 'found = b"none"\n    return found', "answer", id="effect"),
        pytest.param(CAUGHT, "number == times - 1", "not number + 1 < times", "attempt", id="caught"),
        pytest.param(IN_TURN, "reversed(functions)", "functions[::-1]", "compose", id="in turn"),
        pytest.param(ONCE, "if not done", "if len(done) == 0", "once", id="once"),
        pytest.param(DECORATED, "number + 1 == times", "not number < times - 1", "retry", id="factory of decorators"),
    ],
)
def test_another_way_to_do_the_same_is_none(judge: Any, text: str, old: str, new: str, name: str) -> None:
    report = checked(judge, text, old, new, name, calls=200)
    assert report.verdict is Verdict.AGREES, report


def test_what_a_factory_of_decorators_does_with_a_failing_function(judge: Any) -> None:
    report = checked(judge, DECORATED, "number + 1 == times", "number == times", "retry")
    told = report.counterexample.expected.text
    assert "call_recorder(raises=ValueError)" in told
    assert "raises ValueError" in told


def test_an_exception_of_a_decorator_itself_is_none_of_its_function(judge: Any) -> None:
    """What ``float`` refuses is no argument that anybody meant."""
    newer = "float(value) if value != 'ab c' else 0.0"
    report = checked(judge, CONVERTED, "float(value)", newer, "scaled", calls=600)
    assert report.verdict is Verdict.AGREES, report


NAMED_BY_DEFAULT = """
def persist(work, times=3, errors=(OSError, TimeoutError)):
    for number in range(times):
        try:
            return work()
        except errors:
            if number == times - 1:
                raise

async def waited(work, error=LookupError):
    try:
        return await work()
    except error:
        return "nothing"
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "shown"),
    [
        ("persist", "number == times - 1", "number == times", "raises=OSError"),
        ("waited", '"nothing"', '"none"', "raises=LookupError"),
    ],
)
def test_a_default_says_what_is_caught(judge: Any, name: str, old: str, new: str, shown: str) -> None:
    report = checked(judge, NAMED_BY_DEFAULT, old, new, name)
    assert report.verdict is Verdict.DIFFERS, report
    assert shown in report.counterexample.call
