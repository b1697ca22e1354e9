"""Objects of a module that code compares a parameter with are inputs: sentinels, infinities of its own, members."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.model import Budget, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

COMPARING = '''
import enum
import math


class Infinity:
    def __init__(self, sign):
        self._sign = sign

    def __neg__(self):
        return Infinity(-self._sign)

    def __eq__(self, other):
        return isinstance(other, Infinity) and self._sign == other._sign

    def __hash__(self):
        return self._sign


class Side(enum.Enum):
    LEFT = object()
    RIGHT = object()


class Kept:
    EMPTY = Infinity(0)

    def told(self, value):
        return "empty" if value is self.EMPTY else repr(value)


inf = Infinity(1)
MISSING = object()


def first(items: list[int], default=MISSING):
    """The first of some items."""
    if not items and default is MISSING:
        raise LookupError("there is none")
    return items[0] if items else default


def shifted(bound, by: int):
    if bound in [inf, -inf]:
        return "none"
    return bound + by


def opposite(side):
    if side == Side.LEFT:
        return "right"
    return "left" if isinstance(side, Side) else None


def place(key: str) -> str:
    """Where a key is.

    >>> place("ab")
    'ab'
    """
    return "nowhere" if key is MISSING else key


def capped(limit):
    return 0 if limit == -math.inf else limit
'''


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("shifted", 'return "none"', "return bound"),
        ("opposite", 'return "left" if isinstance(side, Side) else None', "return side and None"),
        ("place", '"nowhere" if', "None if"),
        ("capped", "0 if", "1 if"),
        ("Kept.told", '"empty" if', '"nothing" if'),
    ],
)
def test_objects_that_are_compared_with(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(COMPARING, name, old, new)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_the_negative_of_an_object(judge: Any) -> None:
    report = judge(COMPARING, COMPARING.replace("[inf, -inf]", "[inf]"), "shifted", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert "-inf" in report.counterexample.call


def compared(folder: Path, judge: Any, old: str, new: str) -> Report:
    package = folder / "bounds"
    package.mkdir()
    (folder / "pyproject.toml").touch()
    (package / "__init__.py").touch()
    (package / "marks.py").write_text("class Mark:\n    pass\n\n\nDEFAULT = Mark()\n")
    source = (
        "from bounds import marks\n\n\ndef read(text, size):\n"
        "    return len(text) if size is marks.DEFAULT else text[:size]\n"
    )
    path, changed = package / "reading.py", source.replace(old, new)
    path.write_text(changed)
    module = read_module(changed, path)
    settings, previous = Settings(oracles=("previous",)), PreviousVersion(source, "git HEAD")
    oracle = oracles_for(module.target("read"), module, settings=settings, previous=previous)[0]
    report: Report = judge.check(module.target("read"), oracle, Budget(seconds=20.0, calls=1500))
    return report


def test_objects_of_other_modules(tmp_path: Path, judge: Any) -> None:
    report = compared(tmp_path, judge, "len(text) if", "len(text) + 1 if")
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_objects_that_mean_the_same(tmp_path: Path, judge: Any) -> None:
    report = compared(tmp_path, judge, "size is marks.DEFAULT", "marks.DEFAULT is size")
    assert report.verdict is Verdict.AGREES, report.reason


LOOKED_UP = """
_MISSING = object()

def _fallback(key: str, default):
    if default is _MISSING:
        raise KeyError(key)
    return default

def setting(data: dict[str, int], key: str, default=None):
    if key in data:
        return data[key]
    return _fallback(key, default)
"""


def test_a_private_mark_of_a_called_function_is_not_passed(judge: Any) -> None:
    newer = LOOKED_UP.replace(
        "    return _fallback(key, default)", "    return _fallback(key, None) if default is None else default"
    )
    report = judge(LOOKED_UP, newer, "setting", kind="previous", calls=600)
    assert report.verdict is Verdict.AGREES, report
