"""Code that reads the clock, draws random numbers or sleeps is compared with both held still."""

from __future__ import annotations

import re
from typing import Any

import pytest

from lsp_evalplus.fuzz.model import HELD_NOTE, Verdict
from lsp_evalplus.fuzz.source.discover import read_module
from lsp_evalplus.server.edits import doctest_case, pytest_case

CHANCE = """
import datetime
import os
import random
import secrets
import time
import uuid
from datetime import date
from random import Random
from time import monotonic


def draw(n: int):
    return random.randint(0, 9) + n


def name(n: int):
    return uuid.uuid4().hex + str(n)


def token(n: int):
    return secrets.token_hex(n % 5) + os.urandom(2).hex()


def later(n: int):
    return time.time() + n


def stamped(n: int):
    return "at %d" % (time.time_ns() - n)


def moment(n: int):
    return datetime.datetime.now() + datetime.timedelta(seconds=n)


def until(when: datetime.datetime):
    return when.replace(tzinfo=None) - datetime.datetime.utcnow()


def age(born: date):
    return (date.today() - born).days


def waited(n: int):
    began = monotonic()
    time.sleep(n % 4)
    return monotonic() - began


def spun(n: int):
    end = time.perf_counter() + 0.25
    while time.perf_counter() < end:
        n += 0
    return n + random.random()


def chosen(items: list[int]):
    return random.choice(items) if items else None


class Cache:
    def __init__(self, life: int, timer=time.monotonic):
        self.life = life
        self.timer = timer
        self.items: dict[str, tuple[float, int]] = {}

    def put(self, key: str, value: int) -> None:
        self.items[key] = (self.timer() + self.life, value)

    def get(self, key: str):
        until, value = self.items.get(key, (0, None))
        return (value, self.timer()) if until >= self.timer() else None
"""
NAMES = ["draw", "name", "moment", "waited", "spun", "chosen", "Cache.get"]
ALIKE = ["token", "later", "stamped", "until", "age"]


@pytest.mark.parametrize("name", [*NAMES, *[pytest.param(name, marks=pytest.mark.slow) for name in ALIKE]])
def test_a_harmless_change_beside_chance(judge: Any, name: str) -> None:
    changed = re.sub(r"^( +)return ", r"\1unused = 0\n\1return ", CHANCE, flags=re.MULTILINE)
    report = judge(CHANCE, changed, name, kind="previous", calls=100)
    assert report.verdict is Verdict.AGREES, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("draw", "+ n", "- n"),
        pytest.param("name", "uuid4().hex", "uuid4().hex[1:]", marks=pytest.mark.slow),
        pytest.param("token", ".hex()", ".hex().upper()", marks=pytest.mark.slow),
        pytest.param("later", "+ n", "- n", marks=pytest.mark.slow),
        ("moment", "seconds=n", "minutes=n"),
        pytest.param("until", "utcnow()", "now().replace(year=2000)", marks=pytest.mark.slow),
        pytest.param("age", "born).days", "born).days + 1", marks=pytest.mark.slow),
        ("waited", "n % 4", "n % 3"),
        ("chosen", "else None", "else 0"),
        ("Cache.get", ">=", "<"),
        ("Cache.put", "+ self.life", "- self.life"),
    ],
)
def test_a_mistake_beside_chance(judge: Any, name: str, old: str, new: str) -> None:
    report = judge(CHANCE, CHANCE.replace(old, new), name, kind="previous", calls=100)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("draw", "random.randint(0, 9)", "int(random.random() * 10)"),
        pytest.param(
            "chosen", "random.choice(items)", "sorted(items, key=lambda _: random.random())[0]", marks=pytest.mark.slow
        ),
    ],
)
def test_other_random_numbers_are_nobodys_mistake(judge: Any, name: str, old: str, new: str) -> None:
    """Two programs that draw in other ways give other results, both of which may be right."""
    report = judge.edit(CHANCE, name, old, new, calls=100)
    assert report.verdict is not Verdict.DIFFERS, report.reason


def test_a_finding_says_what_was_held(judge: Any) -> None:
    source = "import random\ndef draw(n: int):\n    return random.randint(0, 9) + n\n"
    report = judge(source, source.replace("+ n", "- n"), "draw", kind="previous", calls=100)
    assert report.counterexample is not None
    assert report.counterexample.note == HELD_NOTE


def test_no_test_is_written_that_a_plain_call_fails(judge: Any) -> None:
    source = "import random\ndef draw(n: int):\n    return random.randint(0, 9) + n\n"
    changed = source.replace("+ n", "- n")
    report = judge(source, changed, "draw", kind="previous")
    target = read_module(changed).target("draw")
    assert report.counterexample is not None
    assert pytest_case.test_case(target, report.counterexample) is None
    assert doctest_case.example_lines(target, report.counterexample) is None


def test_what_cannot_be_held(judge: Any) -> None:
    """The standard library's own modules read the real clock."""
    source = "import uuid\ndef made(n: int):\n    return uuid.uuid1().hex, n\n"
    report = judge(source, source.replace(", n\n", ", n + 0\n"), "made", kind="previous", calls=100)
    assert report.verdict is Verdict.NOT_CHECKED
    assert report.reason.startswith("not deterministic")


def test_a_variant_that_draws_other_numbers_explains_nothing(judge: Any) -> None:
    """This generator begins with six equal numbers, so that the first calls look like those of a function."""
    source = "import random\nDRAWN = random.Random(3082)\ndef draw(n: int):\n    return DRAWN.randint(0, 9) + n\n"
    report = judge(source, source.replace("+ n", "- n"), "draw", kind="previous", calls=100)
    assert report.verdict is Verdict.NOT_CHECKED
    assert report.reason.startswith("not deterministic: ")


SALTED = """
from hashlib import md5
from os import urandom

SALT = urandom(16)


class Writer:
    def __init__(self, parts):
        self.parts = set(parts)
        self.notes = None

    def setup(self):
        if "notes" in self.parts:
            self.notes = {}
            self.marker = md5(SALT + b"note").hexdigest()
"""


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("self.notes = {}", "self.notes = dict()", Verdict.AGREES),
        ("self.notes = {}", "self.notes = {'a': 1}", Verdict.DIFFERS),
    ],
)
def test_random_numbers_of_a_module_that_an_instance_keeps(judge: Any, old: str, new: str, verdict: Verdict) -> None:
    report = judge.edit(SALTED, "Writer.setup", old, new, calls=600, seconds=30)
    assert report.verdict is verdict, report.reason


def test_an_object_that_writes_its_address_is_to_blame_and_not_the_function(judge: Any) -> None:
    source = """
import re
from typing import Union

class Word:
    pass

def digits(value: Union[int, str, Word], separator: str = "-") -> str:
    text = str(value)
    return separator.join(re.findall("[0-9]", text))
"""
    report = judge(source, source.replace("text", "written"), "digits", kind="previous", calls=300)
    assert report.verdict is Verdict.AGREES, report.reason
    report = judge(source, source.replace("[0-9]", "[1-9]"), "digits", kind="previous", calls=300)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize("annotation", ["Union[int, Word]", "Word"])
def test_no_object_is_to_blame_for_random_numbers(judge: Any, annotation: str) -> None:
    source = f"""
import random
from typing import Union

DRAWN = random.Random(3082)

class Word:
    pass

def draw(value: {annotation}):
    return DRAWN.randint(0, 9) + (value if isinstance(value, int) else 1)
"""
    report = judge(source, source.replace(") + (", ") - ("), "draw", kind="previous", calls=100)
    assert report.verdict is Verdict.NOT_CHECKED, report.reason
    assert report.reason.startswith("not deterministic: ")
