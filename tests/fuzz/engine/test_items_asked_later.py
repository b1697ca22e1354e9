"""Lists of what the newer version alone asks of the items of a parameter."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

TREE = """
import logging

class Word:
    def __init__(self, text: str, marks: list[str]):
        self.text = text
        self.marks = marks

class Key(Word):
    pass

class Block:
    def __init__(self, parts, meta=None):
        *self.labels, self.body = [one for one in parts if one is not None]
        self.meta = meta

class Tree:
    def block(self, meta, args) -> Block:
        return Block(args, meta)

    def count(self, *args) -> int:
        return len(args)
"""
CHANGES = {
    "comprehension": (
        "return Block(args, meta)",
        "return Block([Word(one.text, one.marks) if isinstance(one, Key) else one for one in args], meta)",
    ),
    "loop": (
        "return Block(args, meta)",
        """found = []
        for one in args:
            if isinstance(one, Key):
                one = Word(one.text, one.marks)
            found.append(one)
        return Block(found, meta)""",
    ),
}
SAME = {
    # An object without marks is none that callers pass.
    "logged": (
        "return Block(args, meta)",
        """for one in args:
            if isinstance(one, Key):
                logging.debug("key %s", one.marks[0])
        return Block(args, meta)""",
    ),
    "copy": ("return Block(args, meta)", "return Block([one for one in args if one is not None], meta)"),
    "sorted out": (
        "return Block(args, meta)",
        """keys = [one for one in args if isinstance(one, Key)]
        return Block(args, meta) if keys else Block(parts=args, meta=meta)""",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_class_that_the_newer_version_asks_of_items(judge: Any, name: str) -> None:
    report = judge(TREE, TREE.replace(*CHANGES[name]), "Tree.block", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert "Key(" in report.counterexample.call


def test_a_class_that_the_newer_version_asks_of_further_arguments(judge: Any) -> None:
    newer = TREE.replace("return len(args)", "return sum(not isinstance(one, Key) for one in args)")
    report = judge(TREE, newer, "Tree.count", kind="previous")
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize("name", SAME)
def test_a_class_that_the_newer_version_asks_of_items_in_vain(judge: Any, name: str) -> None:
    report = judge(TREE, TREE.replace(*SAME[name]), "Tree.block", kind="previous", calls=2000)
    assert report.verdict is Verdict.AGREES, report.counterexample or report.reason
