"""The classes of parameters without annotation follow from the members that a function, or one that it calls, uses."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import linecache
import pathlib
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.inference.annotations import constructor_shape
from lsp_evalplus.fuzz.guest.inference.members import class_named, has_members, source_of
from lsp_evalplus.fuzz.guest.values.shapes import AnyShape
from lsp_evalplus.fuzz.model import Verdict


class Meta(type):
    pass


class Stored:
    kept: int

    def __init__(self, size: int) -> None:
        self.size = size


class Reset:
    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.marks: list[str] = []


class Parsed(Stored):
    def feed(self, text: str) -> None:
        self.words, self.tail = text.split(), text[-1:]

    def show(self) -> object:
        return getattr(self, "unknown", self.words)


@pytest.mark.parametrize(
    ("kind", "members", "expected"),
    [
        (dt.timedelta, {"days", "seconds"}, True),
        (dt.date, {"year", "hour"}, False),
        (dt.datetime, {"year", "hour"}, True),
        (decimal.Decimal, {"as_tuple"}, True),
        (io.StringIO, {"readline", "seek"}, True),
        (pathlib.PurePosixPath, {"stem", "parts"}, True),
        (Stored, {"size", "kept"}, True),
        (Stored, {"size", "length"}, False),
        (Reset, {"marks"}, True),
        (Parsed, {"size", "words", "tail"}, True),
        (Parsed, {"unknown"}, False),
        (Parsed, {"split"}, False),
        (Meta, {"__name__"}, True),
        (Meta, {"size"}, False),
    ],
)
def test_a_class_has_its_attributes_and_what_its_constructor_stores(
    kind: type, members: set[str], expected: bool
) -> None:
    assert has_members(kind, members) is expected


class HTTPRequest:
    def __init__(self, url: str) -> None:
        self.url = url


class Answer:
    def __init__(self, http_request: Any, stored: Any, note: Any = None) -> None:
        self.parts = http_request, stored, note


@pytest.mark.parametrize(
    ("name", "expected"),
    [("http_request", HTTPRequest), ("stored", Stored), ("HTTP", None), ("request", None), ("", None)],
)
def test_a_parameter_may_be_named_after_a_class(name: str, expected: type | None) -> None:
    assert class_named(name, globals()) is expected


def test_what_a_constructor_parameter_is_named_after_is_passed_to_it() -> None:
    parts = constructor_shape(Answer).parts

    assert [part.key() for part in parts[:2]] == [constructor_shape(one).key() for one in (HTTPRequest, Stored)]
    assert isinstance(parts[2], AnyShape)


OWN = """
class Size:
    def __init__(self, wide: int, high: int) -> None:
        self.wide, self.high = wide, high
"""
AREA = f"{OWN}\ndef area(size: Size) -> int:\n    return size.wide * size.high\n"
METHODS = """
class A:
    def _of(self, span):
        return hours(span)

    def f(self, s):
        return self._of(s) + 1
"""
SPAN = "\ndef hours(span):\n    return span.days * 24 + span.seconds // 3600\n"


@pytest.mark.parametrize(
    ("reference", "old", "new"),
    [
        ("def f(length):\n    return length.days * 24 + length.seconds // 3600\n", "3600", "360"),
        ("def f(file):\n    return [line.rstrip() for line in file.readlines() if line]\n", "rstrip", "lstrip"),
        ("def f(price):\n    return price.as_tuple().exponent\n", "exponent", "sign"),
        (f"{OWN}\ndef f(size):\n    return size.wide - size.high\n", "size.high\n", "size.wide\n"),
        (f"{SPAN}\ndef f(length):\n    return hours(length) + 1\n", "+ 1", "+ 2"),
        pytest.param(f"{AREA}\ndef f(s):\n    return area(s) + 1\n", "+ 1", "+ 2", marks=pytest.mark.slow),
        pytest.param(f"{SPAN}{METHODS}", "+ 1", "+ 2", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_a_mistake_shows_on_objects_of_that_class(judge: Any, reference: str, old: str, new: str) -> None:
    name = "A.f" if METHODS in reference else "f"

    assert judge(reference, reference.replace(old, new), name=name).verdict is Verdict.DIFFERS
    assert judge(reference, f"{reference}# Changed.\n", name=name).verdict is Verdict.AGREES


HANDED_ON = {
    "a class method of another class": """
class Frame:
    def __init__(self, kind, size):
        self.kind, self.size = kind, size

    @classmethod
    def parse(cls, data: bytes):
        return cls(data[0], len(data) - int.from_bytes(data[1:], "big"))

class A:
    def f(self, raw):
        return Frame.parse(raw).size + 1
""",
    "a static method of the instance": """
class A:
    @staticmethod
    def _hours(span):
        return span.days * 24 + span.seconds // 3600

    def f(self, s):
        return self._hours(s) + 1
""",
    "a method of what the instance holds": """
class Clock:
    def hours(self, span):
        return span.days * 24 + span.seconds // 3600

class A:
    def __init__(self, clock: Clock):
        self.clock = clock

    def f(self, s):
        return self.clock.hours(s) + 1
""",
    "a method of what the constructor makes": """
class Clock:
    def __init__(self, start):
        self.start = start

    def hours(self, span):
        return self.start + span.days * 24 + span.seconds // 3600

class A:
    def __init__(self):
        self._clock = Clock(1)

    def f(self, s):
        return self._clock.hours(s) + 1
""",
    "a method of the base": """
class B:
    def f(self, span):
        return span.days * 24 + span.seconds // 3600

class A(B):
    def f(self, s):
        return super().f(s) + 1
""",
    "a constructor": """
class Pause:
    def __init__(self, span):
        self.hours = span.days * 24 + span.seconds // 3600

class A:
    def f(self, s):
        return Pause(s).hours + 1
""",
    "a decorated function": """
import functools

def traced(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper

@traced
def hours(span):
    return span.days * 24 + span.seconds // 3600

class A:
    def f(self, s):
        return hours(s) + 1
""",
}


@pytest.mark.parametrize("name", HANDED_ON)
def test_what_an_argument_is_shows_in_the_method_of_another_class_that_gets_it(judge: Any, name: str) -> None:
    program = HANDED_ON[name]

    assert judge(program, program.replace("+ 1\n", "+ 2\n"), name="A.f").verdict is Verdict.DIFFERS


@pytest.mark.parametrize("text", ["\n\n  '''", "\n\n    (", "", "\n\n  def"])
def test_a_function_whose_file_has_changed_has_no_source(tmp_path: pathlib.Path, text: str) -> None:
    """An older version is loaded beside the newer file, whose lines are others."""
    file, namespace = tmp_path / "changed.py", dict[str, Any]()
    exec(compile("\n\ndef halved(x):\n    return x / 2\n", file, "exec"), namespace)
    file.write_text(text, encoding="utf-8")

    assert source_of(namespace["halved"]) is None


_NESTED = """
def described(text):
    seen = 0
    def mark(func):
        nonlocal seen
        seen += 1
        func.doc = text
        note: ast.Name = seen
        return [len(one.name) for one in func.parts]
    return mark
"""
_MANGLED = """
class A:
    def first(self, x: "int | None" = None):
        super().first(self.__kept, x)
        return self.__kept.strip
"""
_LAMBDA = """
shown = [lambda value: value.real]
"""


@pytest.mark.parametrize(
    ("text", "read", "right", "wrong"),
    [
        (_NESTED, "described", "one.name", "one.text"),
        (_NESTED, "described", "func.doc", "func.title"),
        (_MANGLED, "A.first", ".strip", ".lower"),
        (_LAMBDA, "shown[0]", ".real", ".imag"),
    ],
)
def test_source_with_other_names_is_not_that_of_a_function(
    tmp_path: pathlib.Path, text: str, read: str, right: str, wrong: str
) -> None:
    file, namespace = tmp_path / "changed.py", dict[str, Any]()
    exec(compile(text, file, "exec"), namespace)
    file.write_text(text, encoding="utf-8")
    assert source_of(eval(read, namespace)) is not None

    linecache.clearcache()
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    assert source_of(eval(read, namespace)) is None
