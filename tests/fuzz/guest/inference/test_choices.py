"""Constants that decide what a function does with a parameter, by kind of test."""

from __future__ import annotations

import ast
import sys
import textwrap
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.inference.choices import MOST_CHOICES, Where, choices_of, field_choices
from lsp_evalplus.fuzz.guest.program.source_facts import find_function
from lsp_evalplus.fuzz.guest.values.recipes.model import Name

HEAD = """
import enum
class Mode(enum.Enum):
    FAST = "f"
    SLOW = "s"
TABLE = {"a": 1, "b": 2}
PAIRS = {("new", "start"): 1, ("open", "close"): 2}
ALLOWED = ("x", "y")
LIMIT = 7
def helper(kind, other=None):
    if kind == "deep":
        return other == 5
    return inner(kind)
def inner(what):
    return what in ("deeper", "deepest") or innermost(what)
def all_known(names):
    return all(name == "known" for name in names)
def innermost(what):
    return what == "too deep"
class Box:
    SIZES = {3: "s", 5: "m"}
    UNIT = "cm"
    def __init__(self):
        self.width = 1
    def helper(self, name):
        return name == "inside"
"""
HANDLERS = ["strict", "ignore", "replace", "backslashreplace"]
CASES: list[tuple[str, list[Any]]] = [
    ("p == 'one' or 'two' != p", ["one", "two"]),
    ("p is None", [None]),
    ("p in ('a', 'b') and p not in [3]", ["a", "b", 3]),
    ("p.lower() == 'word'", ["word", "WORD"]),
    ("p.strip().upper() in ('A', 'B')", ["A", "B", " a ", " b "]),
    ("p.rstrip() == 'a'", ["a", "a "]),
    ("(q, p) in PAIRS", ["start", "close"]),
    ("{('x', 1): 2, ('y', 3): 4}[p, q]", ["x", "y"]),
    ("p == -2", [-2]),
    ("0 < p <= LIMIT", [0, -1, 1, 7, 6, 8]),
    ("{3: 1, 4: 2}[p]", [3, 4]),
    ("{'k': 1}.get(p)", ["k"]),
    ("TABLE[p]", ["a", "b"]),
    ("TABLE.get(p.strip())", ["a", "b", " a ", " b "]),
    ("p in ALLOWED", ["x", "y"]),
    ("p == LIMIT", [7]),
    ("Mode(p)", ["f", "s"]),
    ("Mode[p]", ["FAST", "SLOW"]),
    ("p == Mode.FAST.value or p == Mode.SLOW", ["s", Name("Mode.FAST"), Name("Mode.SLOW")]),
    ("self.SIZES[p]", [3, 5]),
    ("p == self.UNIT", ["cm"]),
    ("p.startswith('ab')", ["ab", "aba", "aab"]),
    ("p.endswith(('!', '?'))", ["!", "!a", "a!", "?", "?a", "a?"]),
    ("p[0] == '#'", ["#", "#a"]),
    ("p[-1] == '/'", ["/", "a/"]),
    ("getattr(self, p)", ["width", "SIZES", "UNIT", "helper", "f"]),
    ("hasattr(Mode, p)", ["FAST", "SLOW"]),
    ("self.__dict__.get(p)", ["width", "SIZES", "UNIT", "helper", "f"]),
    ("p in vars(self)", ["width", "SIZES", "UNIT", "helper", "f"]),
    ("getattr(p, 'x')", []),
    ("helper(p)", ["deep", "deeper", "deepest"]),
    ("helper('x', other=p)", [5]),
    ("self.helper(p)", ["inside"]),
    ("b''.decode(p) or codecs.lookup(p)", ["utf-8", "ascii", "latin-1", "utf-16"]),
    ("''.encode('ascii', p) or open('a', encoding='ascii', errors=p)", HANDLERS),
    ("str(b'', errors=p)", HANDLERS),
    ("q.encode() or str(p) or notify(q, errors=p) or q.lookup(p)", []),
    ("q == 3 and p", []),
    ("len(p) == 3", []),
    ("unknown(p)", []),
    (f"p in {list(range(100))}", list(range(MOST_CHOICES))),
    ("p == 1 or p == True or p == 1.0", [1, True, 1.0]),
]


OF_FIELDS: list[tuple[str, dict[str, list[Any]]]] = [
    ("return p['sort'] == 'a' or p.get('unit') in ALLOWED", {"sort": ["a"], "unit": ["x", "y"]}),
    ("sort = p['sort']\nreturn TABLE[sort]", {"sort": ["a", "b"]}),
    ("table = {'c': 1, 'd': 2}\nreturn table[p['sort']]", {"sort": ["c", "d"]}),
    ("return b''.decode('ascii', p['errors'])", {"errors": HANDLERS}),
    ("for one in p:\n    if one['sort'] == 'e':\n        return one", {"sort": ["e"]}),
    ("return sort_of(p)", {"sort": ["deep"]}),
    ("table = {}\ntable = {'c': 1}\nreturn table[p['sort']], p[q] == 'x', p[0] == 'y'", {}),
]


@pytest.mark.parametrize(("body", "expected"), OF_FIELDS)
def test_choices_of_the_values_of_records(body: str, expected: dict[str, list[Any]]) -> None:
    helper = "def sort_of(one):\n    return one['sort'] == 'deep'\n"
    source = f"{HEAD}{helper}def f(p, q=0):\n{textwrap.indent(body, '    ')}\n"
    tree = ast.parse(source)
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    found = field_choices([(find_function(tree, "f"), Where(tree, namespace, None))])
    assert found == {("p", key): values for key, values in expected.items()}


OF_ITEMS: list[tuple[str, list[Any]]] = [
    ("return all(x in ('+', '-') for x in p)", ["+", "-"]),
    ("return [x for x in sorted(p) if x.lower() == 'a']", ["a", "A"]),
    ("for i, x in enumerate(p):\n    if i == 1 and x == 2:\n        return 3", [2]),
    ("return [x == 'left' or y for x, y in zip(p, q)]", ["left"]),
    ("return p[0] == 'first' or p[q] is None", ["first", None]),
    ("return TABLE[p[0]]", ["a", "b"]),
    ("for x in q:\n    if x == 1:\n        return p", []),
    ("return p == 1 or p[1:] == [2]", []),
    ("return all_known(p)", ["known"]),
]


def choices(body: str, *, of_items: bool = False) -> list[Any]:
    source = HEAD + textwrap.indent(f"def f(self, p):\n    q = 0\n{textwrap.indent(body, '    ')}\n", "    ")
    namespace: dict[str, Any] = {"__name__": "choices_case"}
    tree = ast.parse(source)
    exec(compile(tree, "case.py", "exec"), namespace)
    where = Where(tree, namespace, namespace["Box"])
    return choices_of([(find_function(tree, "Box.f"), where)], of_items=of_items).get("p", [])


@pytest.mark.parametrize(("expression", "expected"), CASES, ids=[case[0][:40] for case in CASES])
def test_choices(expression: str, expected: list[Any]) -> None:
    found = choices(f"return {expression}")
    assert list(map(repr, found)) == list(map(repr, expected))


@pytest.mark.parametrize(("body", "expected"), OF_ITEMS, ids=[case[0][:40] for case in OF_ITEMS])
def test_choices_of_items(body: str, expected: list[Any]) -> None:
    assert choices(body, of_items=True) == expected


@pytest.mark.skipif(sys.version_info < (3, 10), reason="there are no match statements")
def test_of_a_match_statement() -> None:
    assert choices("match p:\n    case 'a' | None:\n        return 1\n    case 3:\n        return 2") == ["a", None, 3]


def test_there_are_none_without_a_source() -> None:
    assert choices_of([(None, Where(ast.parse(""), {}, None))]) == {}
