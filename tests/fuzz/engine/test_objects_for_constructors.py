"""Constructors get objects with the attributes that their class uses, where no class is known that has these."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

BINDING = """
class Binding:
    def __init__(self, name, source):
        self.name = name
        self.source = source

    def shown(self) -> str:
        return f"{self.name} in line {self.source.lineno}"

    def where(self) -> str:
        return f"{self.source.lineno}:{self.source.column}"
"""
INHERITED = """
class View:
    def __init__(self, held):
        self._held = held

class Wide(View):
    def shown(self, mark: str) -> str:
        return f"{mark} {self._held.title_of_row}"
"""
MADE_OF_MEMBERS = """
from enum import Enum
from typing import Optional

class Operator(Enum):
    pass

class Sign(Operator):
    plus = "+"
    minus = "-"

class Term:
    def __init__(self, operator: Operator, level: int) -> None:
        self.operator = operator
        self.level = level

    def shown(self) -> str:
        return f"{self.operator.value} {self.level + 1}"
"""
DECLARED = """
from typing import Any

def area(box: Any, times: int) -> float:
    return box.width * box.height * times
"""
ADDRESS = """
class Place:
    def __init__(self, line: int) -> None:
        self.line = line

def shown(line: int) -> str:
    return f"{Place(line)!r} is in line {line + 1}"
"""


@pytest.mark.parametrize(
    ("text", "name", "right", "new", "verdict"),
    [
        (BINDING, "Binding.shown", "in line", "on line", Verdict.DIFFERS),
        (BINDING, "Binding.shown", "{self.name} in", "{self.name!s} in", Verdict.AGREES),
        # Nobody knows whether the objects meant have that attribute.
        (BINDING, "Binding.shown", 'self.source.lineno}"\n', 'self.source.end}"\n', Verdict.NOT_CHECKED),
        (INHERITED, "Wide.shown", "{mark} ", "{mark}: ", Verdict.DIFFERS),
        (MADE_OF_MEMBERS, "Term.shown", "self.level + 1", "self.level - 1", Verdict.DIFFERS),
        (DECLARED, "area", "* times", "* 2", Verdict.DIFFERS),
        (ADDRESS, "shown", "line + 1", "1 + line", Verdict.AGREES),
        (ADDRESS, "shown", "line + 1", "line + 2", Verdict.DIFFERS),
    ],
)
def test_a_method_is_compared(judge: Any, text: str, name: str, right: str, new: str, verdict: Verdict) -> None:
    assert text.count(right) == 1
    report = judge(text, text.replace(right, new), name, kind=OracleKind.PREVIOUS, calls=300)
    assert report.verdict is verdict, report
