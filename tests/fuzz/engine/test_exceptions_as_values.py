"""Beside an older version, exceptions are arguments, and results with what they were made with."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

CALLS = 300
ASKED = """
def described(error: Exception) -> str:
    if isinstance(error, KeyError):
        return "missing " + str(error.args[0])
    return type(error).__name__ + ": " + str(error)

def code(error: OSError) -> str:
    if error.errno == 2:
        return "no file " + (error.filename or "")
    return error.strerror or "?"

def reason(error):
    if isinstance(error, UnicodeDecodeError):
        return error.reason
    return error.__class__.__name__

def chain(error: BaseException, depth: int = 2) -> list[str]:
    found = []
    while error is not None and depth:
        found.append(str(error))
        error = error.__cause__ or error.__context__
        depth -= 1
    return found

def wanted(error: ValueError | None = None) -> str:
    if error is None:
        return "none"
    return str(error.args[0]) if error.args else "nothing"
"""
OWN = """
class Trouble(Exception):
    pass

class Denied(Trouble):
    pass

class Late(Exception):
    def __init__(self, minutes: int):
        self.minutes = minutes

def level(error: Exception, tries: int) -> str:
    if isinstance(error, Denied) or tries > 3:
        return "fatal"
    return "error"

def waits(error: Exception) -> int:
    if isinstance(error, Late):
        return error.minutes * 60
    return 1

def shown(error: Trouble) -> str:
    return "denied" if isinstance(error, Denied) else "trouble"
"""
MADE = """
class Bad(ValueError):
    pass

class Worse(Bad):
    def __init__(self, text, hint=None):
        super().__init__(text)
        self.hint = hint

def one(n: int):
    return Bad("no %d" % n)

def two(n: int):
    return Worse("n", hint=n) if n else None

def several(names: list[str]) -> list[Exception]:
    errors = []
    for name in names:
        if not name:
            errors.append(Bad("empty"))
    return errors

def raised(n: int):
    try:
        return [n, 10 // n]
    except ZeroDivisionError as error:
        return error
"""


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("described", '"missing "', '"missed "'),
        ("code", '"no file " + (error.filename or "")', '"no file "'),
        ("code", "error.strerror", "error.filename"),
        ("reason", "error.reason", "error.encoding"),
        ("chain", "error.__cause__ or error.__context__", "None"),
        ("wanted", '"nothing"', '"nothin"'),
    ],
)
def test_they_are_arguments(judge: Any, name: str, right: str, wrong: str) -> None:
    assert ASKED.count(right) == 1
    report = judge(ASKED, ASKED.replace(right, wrong), name, kind=OracleKind.PREVIOUS, calls=CALLS)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "Error(" in report.counterexample.call


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("level", "isinstance(error, Denied) or ", ""),
        ("level", "isinstance(error, Denied) or", "isinstance(error, Trouble) or"),
        ("waits", "error.minutes * 60", "error.minutes * 6"),
        ("shown", '"denied"', '"refused"'),
    ],
)
def test_those_of_the_program_are_arguments(judge: Any, name: str, right: str, wrong: str) -> None:
    report = judge(OWN, OWN.replace(right, wrong), name, kind=OracleKind.PREVIOUS, calls=CALLS)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "right", "other"),
    [
        ("level", "isinstance(error, Denied) or tries > 3", "tries >= 4 or isinstance(error, (Denied,))"),
        ("waits", "error.minutes * 60", "60 * error.minutes"),
    ],
)
def test_the_same_questions_to_them_agree(judge: Any, name: str, right: str, other: str) -> None:
    assert OWN.count(right) == 1
    report = judge(OWN, OWN.replace(right, other), name, kind=OracleKind.PREVIOUS, calls=CALLS)
    assert report.verdict is Verdict.AGREES, report.reason


@pytest.mark.parametrize(
    ("name", "right", "wrong", "told"),
    [
        ("one", "no %d", "no%d", "returns Bad('no0'); expected: Bad('no 0')"),
        ("two", "hint=n", "hint=1", "returns Worse('n') with hint = 1; expected: Worse('n') with hint = 2"),
        ("several", '"empty"', '"emty"', "returns [Bad('emty')]; expected: [Bad('empty')]"),
    ],
)
def test_results_count_by_what_they_were_made_with(judge: Any, name: str, right: str, wrong: str, told: str) -> None:
    report = judge(MADE, MADE.replace(right, wrong), name, kind=OracleKind.PREVIOUS, calls=CALLS)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.reason.endswith(told)


@pytest.mark.parametrize(
    ("name", "right", "other"),
    [
        ("one", 'Bad("no %d" % n)', 'Bad(f"no {n}")'),
        ("two", '"n", hint=n', 'hint=n, text="n"'),
        # The words of Python are nobody's intention.
        ("raised", "10 // n", "divmod(10, n)[0]"),
    ],
)
def test_the_same_in_other_words_agrees(judge: Any, name: str, right: str, other: str) -> None:
    report = judge(MADE, MADE.replace(right, other), name, kind=OracleKind.PREVIOUS, calls=CALLS)
    assert report.verdict is Verdict.AGREES, report.reason
    # Another program does not have to use the same words.
    report = judge(MADE, MADE.replace("no %d", "not %d"), "one", calls=CALLS)
    assert report.verdict is Verdict.AGREES, report.reason


LEFT = """
class Span:
    def __init__(self, name: str):
        self.name = name
        self.tags = {}

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        if exc_type is not None:
            self.tags["message"] = str(exc_value)
        return False

class Suppress:
    def __enter__(self):
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        return kind is not None and issubclass(kind, (KeyError, IndexError))

class Depth:
    def __init__(self):
        self.count = 2

    async def __aenter__(self):
        return self

    async def __aexit__(self, *args):
        self.count -= 1
        if args[0] is not None:
            self.count = 0
"""


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("Span.__exit__", "str(exc_value)", "exc_value"),
        ("Suppress.__exit__", "IndexError", "ValueError"),
        ("Depth.__aexit__", "self.count = 0", "self.count = 1"),
    ],
)
def test_a_with_statement_is_left_by_exceptions(judge: Any, name: str, right: str, wrong: str) -> None:
    report = judge(LEFT, LEFT.replace(right, wrong), name, kind=OracleKind.PREVIOUS, calls=CALLS)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "Error('" in report.counterexample.call


@pytest.mark.parametrize(
    ("name", "right", "other"),
    [
        ("Span.__exit__", "exc_type is not None", "exc_value"),
        ("Suppress.__exit__", "kind is not None and issubclass(kind,", "error is not None and isinstance(error,"),
        ("Depth.__aexit__", "args[0] is not None", "args[1]"),
    ],
)
def test_class_and_exception_belong_together(judge: Any, name: str, right: str, other: str) -> None:
    assert LEFT.count(right) == 1
    report = judge(LEFT, LEFT.replace(right, other), name, kind=OracleKind.PREVIOUS, calls=CALLS)
    assert report.verdict is Verdict.AGREES, report.reason
