"""Arguments parts of which a function hands to itself: lists and dicts that hold others of their kind."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.static.recursive_calls import nested_parameters
from lsp_evalplus.fuzz.model import Verdict

TEXT = """
def strip(old, new, mode="merge"):
    for key in list(new.keys()):
        if isinstance(new.get(key), dict):
            is_merged = new[key].pop("is_merged", None)
            if is_merged and mode == "merge":
                new[key] = {**old.get(key, {}), **new[key]}
            elif key not in old:
                strip({}, new[key], mode)
            else:
                inner = old.get(key)
                strip(inner if isinstance(inner, dict) else {}, new[key], mode)

class Tree:
    def __init__(self, separator="."):
        self.separator = separator

    def paths(self, node, prefix=""):
        found = []
        for key, child in node.items():
            path = prefix + self.separator + key if prefix else key
            children = child.get("children", {})
            found += self.paths(children, path) if children and child.get("open") != "no" else [path]
        return found
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("strip", "strip(inner if isinstance(inner, dict) else {}, new[key], mode)", "pass"),
        ("strip", "strip({}, new[key], mode)", "pass"),
        ("Tree.paths", "prefix + self.separator + key", "prefix + key"),
    ],
)
def test_a_function_gets_what_it_hands_to_itself(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(TEXT, name, old, new, calls=3000)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(tree, limit): return f(tree[0], limit) + f(tree[1], limit)", {"tree"}),
        ("def f(tree, *, limit=0): return [f(limit=limit - 1, tree=one) for one in tree]", {"tree", "limit"}),
        ("def f(self, tree): return self.f(tree.left)", {"tree"}),
        ("def f(self, tree): return tree.f(tree.left) + f(1, tree)", {"self"}),
        ("def f(tree): return g(tree[0])", set()),
        ("def f(tree): return f(tree)", set()),
    ],
)
def test_parameters_of_which_a_function_hands_parts_to_itself(text: str, expected: set[str]) -> None:
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert nested_parameters(function) == expected
