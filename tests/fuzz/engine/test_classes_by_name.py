"""Objects of classes that the module of a function does not name, or names otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Budget, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

TOKENS = """
from typing import NamedTuple

class Token(NamedTuple):
    kind: str
    start: int
"""
NODES = """
from __future__ import annotations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tokens import Token

class Word:
    def __init__(self, token: Token, text: str) -> None:
        self.token = token
        self.text = text
"""
PATHS = """
class Path:
    def __init__(self, parts: list[str]) -> None:
        self.parts = parts
"""
CODE = """
from __future__ import annotations
from pathlib import Path
from typing import TYPE_CHECKING
from . import paths
from .nodes import Word

if TYPE_CHECKING:
    from .tokens import Token

class Line:
    def __init__(self, token: Token, words: list[Word]) -> None:
        self.token = token
        self.words = words

    def size(self) -> int:
        return sum(len(word.text) for word in self.words)

def last(path: paths.Path, base: Path | None = None) -> str:
    return "/".join(path.parts[-2:])

def starts(word: Word) -> int:
    return word.token.start + len(word.text)
"""


def judged(folder: Path, judge: Any, name: str, older: str, newer: str) -> Report:
    """The report of a function of a module in a package after a change, against the module as it was."""
    assert older in CODE
    (folder / "pkg").mkdir()
    for file, text in {"__init__": "", "tokens": TOKENS, "nodes": NODES, "paths": PATHS}.items():
        (folder / f"pkg/{file}.py").write_text(text)
    path = folder / "pkg/code.py"
    path.write_text(CODE.replace(older, newer))
    module = read_module(path.read_text(), path)
    oracle = oracles_for(module.target(name), module, previous=PreviousVersion(CODE, "HEAD"))[0]
    report: Report = judge.check(module.target(name), oracle, Budget(4.0, 150, 0))
    return report


CHANGES = [
    ("Line.size", "self.words)", "self.words[1:])", "Word(Token("),
    ("last", "path.parts[-2:]", "path.parts[-1:]", "pkg.paths.Path("),
    ("starts", "+ len(word.text)", "+ max(len(word.text), 1)", "Word(Token("),
]


@pytest.mark.parametrize(("name", "older", "newer", "made"), CHANGES, ids=[one[0] for one in CHANGES])
def test_a_class_that_annotations_alone_name_or_that_shares_its_name(
    tmp_path: Path, judge: Any, name: str, older: str, newer: str, made: str
) -> None:
    """Also in a fresh process, in which no annotation was evaluated, and where another class has that name."""
    report = judged(tmp_path, judge, name, older, newer)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert made in report.counterexample.call


@pytest.mark.parametrize(
    ("name", "older", "newer"),
    [
        ("Line.size", "sum(len(word.text) for word in self.words)", "len(''.join([one.text for one in self.words]))"),
        ("last", '"/".join(path.parts[-2:])', 'str.join("/", path.parts[-2:])'),
        ("starts", "word.token.start + len(word.text)", "len(word.text) + word.token[1]"),
    ],
)
def test_the_same_written_otherwise(tmp_path: Path, judge: Any, name: str, older: str, newer: str) -> None:
    report = judged(tmp_path, judge, name, older, newer)
    assert report.verdict is Verdict.AGREES, report.counterexample or report.reason


PAIR = """
class Pair{0}(Node):
    def __init__(self, left: Node, right: Node) -> None:
        self.left = left
        self.right = right

    def parts(self) -> list[Node]:
        return [self.left, self.right]
"""
FAMILY = """
from abc import ABC, abstractmethod

class Node(ABC):
    @abstractmethod
    def parts(self) -> list["Node"]: ...

class Leaf(Node):
    def __init__(self, name: str) -> None:
        self.name = name

    def parts(self) -> list[Node]:
        return []
{}
class Choice(Node):
    def __init__(self, first: Pair0, condition: Node, marks: list[str] | None = None) -> None:
        self.first = first
        self.condition = condition
        self.marks = marks

    def parts(self) -> list[Node]:
        return [self.condition]

def marks_in(node: Node) -> list[str]:
    found = list(node.marks or []) if isinstance(node, Choice) else []
    for part in node.parts():
        found += marks_in(part)
    return found
""".format("".join([PAIR.format(number) for number in range(24)]))


def test_a_family_of_many_classes_that_hold_each_other(judge: Any) -> None:
    added = "    found += marks_in(node.first) if isinstance(node, Choice) else []\n"
    newer = FAMILY.replace("    for part", added + "    for part")
    report = judge(FAMILY, newer, "marks_in", kind="previous", calls=4000)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.slow(calls=200)
def test_a_family_of_many_classes_read_otherwise(judge: Any) -> None:
    newer = FAMILY.replace("found += marks_in(part)", "found = [*found, *marks_in(part)]")
    report = judge(FAMILY, newer, "marks_in", kind="previous", calls=1000)
    assert report.verdict is Verdict.AGREES, report.counterexample or report.reason
