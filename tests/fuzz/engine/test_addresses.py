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
import lists

class Node:
    def __init__(self, name: str):
        self.name = name

class Graph:
    def __init__(self, size: int):
        self.nodes = {0, 1, 2, Node("a"), Node("b"), size % 8}

    def listing(self):
        return lists.Listing(self.nodes)

def names(count: int):
    nodes = [Node(str(number)) for number in range(count % 9)]
    return lists.listed(set(nodes)), len(nodes)

def places(count: int):
    return [id(Node("")) // 16 % 64 for _ in range(count % 9)], count % 9
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
        (
            "Graph.listing",
            "return lists.Listing(self.nodes)",
            "found = lists.Listing(self.nodes)\n        return found",
        ),
        ("names", "[Node(str(number)) for number in range(count % 9)]", "list(map(Node, map(str, range(count % 9))))"),
        ("places", "return [id", "_unused = [Node('x')]\n    return [id"),
    ],
)
def test_the_order_of_addresses_is_no_difference(tmp_path: Path, judge: Any, name: str, old: str, new: str) -> None:
    report = checked(tmp_path, judge, name, (old, new))
    assert report.verdict is not Verdict.DIFFERS, report.reason


def test_other_items_are_a_difference(tmp_path: Path, judge: Any) -> None:
    report = checked(tmp_path, judge, "names", ("range(count % 9)", "range(count % 8)"))
    assert report.verdict is Verdict.DIFFERS, report.reason
