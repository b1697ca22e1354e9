"""What a module states of making objects: calls by full names, factories, fixtures, doctests."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.index.facts import from_plain, read_facts, to_plain

IMPORTS = "import os\nimport pkg.shapes as s\nfrom .shapes import Box, DEFAULT\n"
CALLS = {
    "a call with literals": ("Box(1, [2.5], {'a': -1}, unit='cm')", ["pkg.shapes.Box(1, [2.5], {'a': -1}, unit='cm')"]),
    "of a module that has another name": ("s.Box('x')", ["pkg.shapes.Box('x')"]),
    "with a constant of a module": (
        "Box(DEFAULT, s.Color.RED)",
        ["pkg.shapes.Box(pkg.shapes.DEFAULT, pkg.shapes.Color.RED)"],
    ),
    "in a function, through a name": (
        "def test():\n    side = 3\n    Box(side)",
        ["pkg.shapes.Box(3)"],
    ),
    "of a method": ("Box(1).grown(by=2)", ["pkg.shapes.Box(1).grown(by=2)", "pkg.shapes.Box(1)"]),
    "of a method, through a name": (
        "box = Box(1)\nprint(box.grown(2))",
        ["pkg.shapes.Box(1)", "pkg.shapes.Box(1).grown(2)"],
    ),
    "with arguments that are not known": ("def f(x):\n    return Box(x, 2)", ["pkg.shapes.Box(_hole_, 2)"]),
    "with nothing but such": ("def f(x):\n    return Box(x)", []),
    "through a parameter of the same name": ("def f(Box):\n    return Box(1)", []),
    "through a name that is bound to something else": ("for a in []:\n    Box(a, 1)", ["pkg.shapes.Box(_hole_, 1)"]),
    "through a name that a branch binds anew": (
        "side = 3\nif os:\n    side = input()\nBox(side, 1)",
        ["pkg.shapes.Box(_hole_, 1)"],
    ),
    "under a condition": (
        "try:\n    from .trees import Tree\nexcept ImportError:\n    pass\nwith Tree(1) as tree:\n    Box(tree, 2)",
        ["pkg.trees.Tree(1)", "pkg.shapes.Box(_hole_, 2)"],
    ),
    "of what nothing binds": ("Tree(1)", []),
    "with stars": ("Box(*[1, 2])", []),
    "in a docstring": (
        'def f():\n    """Do.\n\n    >>> from pkg.trees import Tree\n    >>> Tree("a").walk(1)\n    2\n    """',
        ["pkg.trees.Tree('a').walk(1)", "pkg.trees.Tree('a')"],
    ),
    "of a fixture's value": (
        "import pytest\n@pytest.fixture\ndef box():\n    return Box(4)\n\ndef test(box):\n    assert box.grown(1)",
        ["pkg.shapes.Box(4)", "pkg.shapes.Box(4).grown(1)"],
    ),
}


@pytest.mark.parametrize(("code", "expected"), CALLS.values(), ids=CALLS)
def test_calls(code: str, expected: list[str]) -> None:
    facts = read_facts(IMPORTS + code, "pkg.uses")

    found = [call.text for call in facts.calls if "pytest" not in call.text and "print" not in call.text]
    assert sorted(found) == sorted(expected)
    assert all(call.is_whole is ("_hole_" not in call.text) for call in facts.calls)


FACTORIES = {
    "annotated": ("def make(side: int) -> Box: ...", [("pkg.uses.make", "pkg.shapes.Box", False)]),
    "annotated, and called with nothing": (
        "def make(side=1) -> 'Box': ...",
        [("pkg.uses.make", "pkg.shapes.Box", True)],
    ),
    "by its only return": ("def make(side):\n    return Box(side)", [("pkg.uses.make", "pkg.shapes.Box", False)]),
    "of several returns": ("def make(side):\n    if side:\n        return None\n    return Box(side)", []),
    "a class method": (
        "class C:\n    @classmethod\n    def parse(cls, text):\n        return cls(text)",
        [("pkg.uses.C.parse", "pkg.uses.C", False)],
    ),
    "a method": ("class C:\n    def other(self) -> C: ...", []),
}


@pytest.mark.parametrize(("code", "expected"), FACTORIES.values(), ids=FACTORIES)
def test_factories(code: str, expected: list[tuple[str, str, bool]]) -> None:
    facts = read_facts(IMPORTS + code, "pkg.uses")

    assert [(one.name, one.makes, one.is_free) for one in facts.factories] == expected


def test_facts_are_the_same_after_they_were_stored() -> None:
    code = IMPORTS + "class C(Box):\n    def __init__(self, box: 'Box'): ...\ndef f() -> Box:\n    return Box(f(), 1)\n"
    facts = read_facts(code, "pkg.uses")

    assert facts.calls
    assert facts.classes[0].needs == ("pkg.shapes.Box",)
    assert from_plain(to_plain(facts)) == facts


@pytest.mark.parametrize(
    ("code", "module"),
    [("def f(:\n", "pkg.uses"), ("class C: ...\nC(1)", "2to3"), ("from ... import C\nC(1)", "uses")],
    ids=["no Python", "a file that cannot be imported", "an import beyond the project"],
)
def test_what_has_no_name_states_nothing(code: str, module: str) -> None:
    facts = read_facts(code, module)

    assert not facts.names
    assert not facts.calls
