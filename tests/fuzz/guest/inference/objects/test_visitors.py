"""Methods that are called by the name of their argument's class get objects of that class."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SHAPES = """
class Text:
    def __init__(self, width):
        self.width = width

class Row:
    def __init__(self, first, second):
        self.first, self.second = first, second

class Box:
    def __init__(self, parts):
        self.parts = parts

class Width:
    def of(self, node):
        return getattr(self, f"of_{type(node).__name__.lower()}")(node)

    def of_text(self, node):
        return node.width

    def of_row(self, node):
        return self.of(node.first) + self.of(node.second)

    def of_box(self, node):
        return 2 + max([self.of(one) for one in node.parts], default=0)
"""
TREES = """
import ast

class Names(ast.NodeVisitor):
    def visit_Call(self, node):
        return [ast.dump(one) for one in node.args] + [one.arg for one in node.keywidth]
"""


@pytest.mark.parametrize(
    ("reference", "name", "old", "new"),
    [
        (SHAPES, "Width.of_row", "self.of(node.first) + ", "self.of(node.first) - "),
        (SHAPES, "Width.of_box", "default=0", "default=1"),
        pytest.param(SHAPES, "Width.of", "2 + max", "1 + max", marks=pytest.mark.slow),
        pytest.param(TREES, "Names.visit_Call", "in node.keywidth", "in node.keywidth[1:]", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_a_mistake_shows_on_objects_that_are_visited(judge: Any, reference: str, name: str, old: str, new: str) -> None:
    changed = reference.replace(old, new)

    assert judge(reference, changed, name=name).verdict is Verdict.DIFFERS
    assert judge(reference, f"{reference}# Changed.\n", name=name).verdict is Verdict.AGREES


SYNTAX = """
import ast

class Runner:
    def on_name(self, node):
        if node.ctx.__class__ is ast.Del:
            return node.id
        return node.id.upper()

    def on_constant(self, node):
        return node.value

    def on_binop(self, node):
        return node.op.__class__.__name__

    def on_tuple(self, node):
        return len(node.elts)

    def on_call(self, node):
        return len(node.args)

    def on_end(self, node):
        return node.args
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("Runner.on_name", "is ast.Del", "is ast.Store"), ("Runner.on_call", "len(node.args)", "len(node.args) or 1")],
)
def test_methods_after_kinds_of_syntax_get_nodes(judge: Any, name: str, old: str, new: str) -> None:
    report = judge(SYNTAX, SYNTAX.replace(old, new), name=name)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "(ast." in report.counterexample.call
