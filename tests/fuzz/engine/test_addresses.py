"""What depends on where objects lie in memory, as the order of a set of them, is no difference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.model import Budget, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module

LISTS = """
class Listing:
    def __init__(self, values):
        self.names = [getattr(one, "name", one) for one in values]

def listed(values):
    return Listing(values).names
"""
NODES = """
import weakref
import lists

class Node:
    # Stands for the addresses of objects, that are others where many are alive.
    alive = weakref.WeakSet()

    def __init__(self, name: str):
        self.name = name
        Node.alive.add(self)

    @property
    def order(self):
        return len(Node.alive) > 6

class Graph:
    def __init__(self, size: int):
        self.size = size

    def listing(self):
        node = Node("a")
        return lists.listed([self.size, node][:: -1 if node.order else 1]), node

def names(count: int):
    nodes = [Node("b")]
    return lists.listed([count, *nodes][:: -1 if nodes[0].order else 1]), nodes

def first(count: int):
    nodes = [Node("b")]
    return lists.listed([count % 5, *nodes])

class Sealed:
    def __init__(self, node):
        self.node = node
        self.is_late = node.order

def sealed(count: int):
    node = Node(str(count))
    return Sealed(node)
"""


def checked(folder: Path, judge: Any, name: str, change: tuple[str, str]) -> Report:
    (folder / "pyproject.toml").touch()
    (folder / "lists.py").write_text(LISTS)
    path = folder / "nodes.py"
    source = NODES.replace(*change)
    assert source != NODES
    path.write_text(source)
    module = read_module(source, path)
    target = module.target(name)
    previous = PreviousVersion(NODES, "git HEAD")
    oracle = oracles_for(target, module, settings=Settings(oracles=("previous",)), previous=previous)[0]
    report: Report = judge.check(target, oracle, Budget(seconds=20.0, calls=300))
    return report


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Graph.listing", 'node = Node("a")', 'others = [Node("x") for _ in range(6)]\n        node = Node("a")'),
        ("names", 'nodes = [Node("b")]', 'nodes = [Node("b")]\n    others = [Node("x") for _ in range(6)]'),
        ("sealed", "node = Node(str(count))", 'others = [Node("x") for _ in range(6)]\n    node = Node(str(count))'),
    ],
)
def test_what_lies_elsewhere_in_memory_is_no_difference(
    tmp_path: Path, judge: Any, name: str, old: str, new: str
) -> None:
    report = checked(tmp_path, judge, name, (old, new))
    assert report.verdict is not Verdict.DIFFERS, report.reason


def test_other_items_are_a_difference(tmp_path: Path, judge: Any) -> None:
    report = checked(tmp_path, judge, "first", ("count % 5", "count % 4"))
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_an_object_of_another_class_is_a_difference(tmp_path: Path, judge: Any) -> None:
    """Wherever objects lie, they are of the class that the older version makes."""
    report = checked(tmp_path, judge, "sealed", ("return Sealed(node)", "return node"))
    assert report.verdict is Verdict.DIFFERS, report.reason


SHOWN = """
class Node:
    def __init__(self, name: str = "", size: int = 0):
        self.name = name
        self.size = size

    def __repr__(self):
        return f"<Node({self.name}:{self.size} {hex(id(self))})>"

    def label(self):
        return "%s-%d" % (self.name, id(self))

    def code(self):
        return f"{self.size * 0x7654321001:#x}"
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "verdict"),
    [
        ("Node.__repr__", "{hex(id(self))}", "{id(self):#x}", Verdict.AGREES),
        ("Node.__repr__", "{self.name}:{self.size}", "{self.size}:{self.name}", Verdict.DIFFERS),
        ("Node.label", '"%s-%d" % (self.name, id(self))', 'self.name + "-" + str(id(self))', Verdict.AGREES),
        ("Node.label", "%s-%d", "%s--%d", Verdict.DIFFERS),
        ("Node.code", "0x7654321001", "0x7654321002", Verdict.DIFFERS),
    ],
)
def test_numbers_that_are_addresses_are_no_difference(
    judge: Any, name: str, old: str, new: str, verdict: Verdict
) -> None:
    """Other long numbers are."""
    report = judge.edit(SHOWN, name, old, new, calls=600, seconds=30)
    assert report.verdict is verdict, report.reason


WRITTEN = """
class Mark:
    def __init__(self, name: str):
        self.name = name
        self.owner = None

    def __repr__(self):
        return "<Mark(%r, %r)@%s>" % (self.name, self.owner, id(self))

def hand_over(marks: list[Mark], owner: str):
    for mark in marks:
        mark.owner = owner
"""


@pytest.mark.parametrize(
    ("new", "verdict"), [("mark.owner = mark.name", Verdict.DIFFERS), ("setattr(mark, 'owner', owner)", Verdict.AGREES)]
)
def test_objects_that_write_their_addresses_are_told_again(judge: Any, new: str, verdict: Verdict) -> None:
    """What a call left of them is the same text each time."""
    text = WRITTEN.replace("mark.owner = owner", new)
    report = judge(WRITTEN, text, "hand_over", kind="previous", calls=300)
    assert report.verdict is verdict, report.reason
