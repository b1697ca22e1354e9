"""Examples are read as their author meant them, or not at all."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.model import OracleKind
from lsp_evalplus.fuzz.oracle.examples import examples_oracle, read_examples
from lsp_evalplus.fuzz.source.discover import read_module

Read = list[tuple[str, str | None]]


def read(docstring: str, signature: str = "f(x)", name: str = "f") -> list[tuple[str, str | None, str | None]]:
    text = f"def {signature}:\n    r'''{docstring}\n'''\n    return x\n"
    module = read_module(text)
    return [(e.arguments, e.expected, e.raises) for e in read_examples(module.target(name), module)]


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        (">>> f(3)\n4", [("(3,)", "4")]),
        (">>> f([1, 2])\n[1,\n 2]\n\n>>> f('a')\n'b'", [("([1, 2],)", "[1, 2]"), ("('a',)", "'b'")]),
        (">>> x = [1, 2]\n>>> f(x)\n3", [("([1, 2],)", "3")]),
        (">>> x = [1]\n>>> x.append(2)\n>>> f(3)\n3", [("(3,)", "3")]),
        (">>> x = [1]\n>>> x.append(2)\n>>> f(x)\n3", [("([1],)", None)]),
        (">>> x = Graph()\n>>> fill(x)\n>>> f(x)\n3", [("(Graph(),)", None)]),
        (">>> x = [1]\n>>> f(x)\n3\n>>> x = [2]\n>>> f(x)\n4", [("([1],)", "3"), ("([2],)", "4")]),
        (">>> x = 1\n>>> g(x)\n>>> f(x)\n3", [("(1,)", "3")]),
        (">>> x = load()\n>>> f(x)\n3", [("(load(),)", None)]),
        (">>> x = m.load('a', n=1)\n>>> f([x])\n3", [("([m.load('a', n=1)],)", None)]),
        (">>> f(load(open('x')))\n3", []),
        (">>> f(load(*xs))\n3", []),
        (">>> x, y = 1, 2\n>>> f(x)\n3", []),
        (">>> a = load()\n>>> a.f(1)\n3", []),
        (">>> [1].f(1)\n3", []),
        (">>> f(1)  # doctest: +SKIP\n3", [("(1,)", None)]),
        (">>> f(1)\n'.../x'", [("(1,)", None)]),
        (">>> f(1)\narray([0.33, 0.67])", [("(1,)", None)]),
        (">>> f(3) == 4\nTrue", [("(3,)", "4")]),
        (">>> f(3) == 4", [("(3,)", "4")]),
        (">>> f(3) == 4\nFalse", [("(3,)", None)]),
        (">>> assert f(3) == 4", [("(3,)", "4")]),
        (">>> f(3) is None\nTrue", [("(3,)", "None")]),
        (">>> f(3)", [("(3,)", None)]),
        (">>> sorted(f(3))\n[1]", [("(3,)", None)]),
        (">>> print(f(3))\n4", [("(3,)", None)]),
        (">>> round(f(0.5), 2)\n0.25", [("(0.5,)", None)]),
        (">>> f(3)\n[1, ..., 9]", [("(3,)", None)]),
        (">>> f(3)\n<object at 0x1>", [("(3,)", None)]),
        (">>> f(\n...     3\n... )\n4", [("(3,)", "4")]),
        (">>> f(x=3)\n4", [("(3,)", "4")]),
        (">>> m.f(3)\n4", [("(3,)", "4")]),
        (">>> g(3)\n4", []),
        (">>> f(y)\n4", []),
        (">>> f(3, 4)\n4", []),
        (">>> f()\n4", []),
        (">>> f(open('x'))\n4", []),
        (">>> for i in [1]:\n...     f(i)\n4", []),
        (">>> f(3)\ninf", [("(3,)", "float('inf')")]),
        (">>> f(Point(1, 2))\nPoint(2, 1)", [("(Point(1, 2),)", "Point(2, 1)")]),
        ("f(3) -> 0.33", [("(3,)", None)]),
        ("f(3) -> [1.5, 2.25]", [("(3,)", "[1.5, 2.25]")]),
        ("f(3) -> 0.3333333333333333", [("(3,)", "0.3333333333333333")]),
        ("f(3) == 0.1", [("(3,)", "0.1")]),
        ("f(3) should return 3.14", [("(3,)", None)]),
        ("Input: 3\nOutput: 0.1", [("(3,)", None)]),
        (">>> f(3)\nP(x=1)", [("(3,)", "P(x=1)")]),
        ("f(3) -> 4", [("(3,)", "4")]),
        ("f(3) == 4", [("(3,)", "4")]),
        ("f(3) = 4", [("(3,)", "4")]),
        ("f(3) => 4", [("(3,)", "4")]),
        ("f(3) ==> 4", [("(3,)", "4")]),
        ("f(3) ➞ 4", [("(3,)", "4")]),
        ("f(3) → 4.", [("(3,)", "4")]),
        ("`f(3)` returns `4`", [("(3,)", "4")]),
        ("f(3) returns 4", [("(3,)", "4")]),
        ("f(3) should return 'a'.", [("(3,)", "'a'")]),
        ("f(3) should be [1, 2] because", [("(3,)", "[1, 2]")]),
        ("f(3) is 4, f(5) is 6", [("(3,)", "4"), ("(5,)", "6")]),
        ("f(3)  # 4", [("(3,)", "4")]),
        ("f(3)  # returns 4", [("(3,)", "4")]),
        ("assert f(3) == 4", [("(3,)", "4")]),
        ("f([\n  1,\n  2\n]) == 3", [("([1, 2],)", "3")]),
        ("f([1, 2])\n=> 3", [("([1, 2],)", "3")]),
        ("f('a)') == ')'", [("('a)',)", "')'")]),
        ("f(3) == f(2) + 1", [("(3,)", None), ("(2,)", None)]),
        ("f(3) = 2 * 2 = 4", [("(3,)", None)]),
        ("f(3) is not 4", [("(3,)", None)]),
        ("f(3) -> 1, 2", [("(3,)", None)]),
        ("f(3) -> 1:30", [("(3,)", None)]),
        ("f(3) -> (1, 2) (2, 3), (3, None)", [("(3,)", None)]),
        ("f(3) -> (1, 2), (2, 3) and so on", [("(3,)", None)]),
        ("f(3) -> 1, ('a', 2)", [("(3,)", None)]),
        ("f(3) -> 9 (three, squared)", [("(3,)", "9")]),
        ("f(3) -> 4: the next", [("(3,)", "4")]),
        ("f(3) -> 0 1 2", [("(3,)", None)]),
        ("f(3) -> 'a' 'b'", [("(3,)", None)]),
        ("f(3) returns 1.5 kB", [("(3,)", None)]),
        ("f(3) returns 2 €", [("(3,)", None)]),
        ("`f(3)` returns `2` more than `f(0)`", [("(3,)", None), ("(0,)", None)]),
        ("`f(3) == 4` holds", [("(3,)", "4")]),
        ('"f(3) == 4" holds', [("(3,)", "4")]),
        ("f(3) returns 4 and more", [("(3,)", "4")]),
        ("Input: 3 Output: 4 Explanation: it is the next", [("(3,)", "4")]),
        ("Input: 3\nOutput: 4 apples", [("(3,)", None)]),
        ("Call f(3) often", [("(3,)", None)]),
        ("f(n) = n + 1", []),
        ("def f(3): pass", []),
        ("half(3) == 1", []),
        ("f(3", []),
        ("Input: 3\nOutput: 4", [("(3,)", "4")]),
        ("Input: x = [1]\nOutput: 4 # why", [("([1],)", "4")]),
        ("Input:\n  x : [[0, 1],\n      [1, 0]]\nOutput: 6", [("([[0, 1], [1, 0]],)", "6")]),
        ("Input: 3\nOutput: many", [("(3,)", None)]),
        ("Input: a list\nOutput: a number", []),
        ("Input 1: 3\nOutput 1: 4\nInput 2: 5\nOutput 2: 6", [("(3,)", "4"), ("(5,)", "6")]),
        ('For x = "AB" the output should be 1.', [("('AB',)", "1")]),
        ('For x = 3, the sum will be 1 the output should be "1".', [("(3,)", "'1'")]),
        ("If x = 3 the result is 4", [("(3,)", "4")]),
        ("for x = 3 things happen", [("(3,)", None)]),
        ("", []),
        ("(" * 50 + "f(" * 50, []),
    ],
)
def test_styles(docstring: str, expected: Read) -> None:
    assert [(arguments, value) for arguments, value, _ in read(docstring)] == expected


@pytest.mark.parametrize(
    ("signature", "docstring", "arguments"),
    [
        ("f(a, b)", "f(1, 2) == 3", "(1, 2)"),
        ("f(a, b)", "f(1, b=2) == 3", "(1, 2)"),
        ("f(a, b)", "f(b=2, a=1) == 3", "(1, 2)"),
        ("f(a, b=1)", "f(1) == 3", "(1,)"),
        ("f(a, b=1, c=2)", "f(1, c=3) == 3", "{'args': (1,), 'kwargs': {'c': 3}}"),
        ("f(a, *, key)", "f(1, key='x') == 3", "{'args': (1,), 'kwargs': {'key': 'x'}}"),
        ("f(*a)", "f(1, 2, 3) == 3", "(1, 2, 3)"),
        ("f()", "f() == 3", "()"),
        ("f(a, b)", "Input: a = 1, b = [2, 3]\nOutput: 3", "(1, [2, 3])"),
        ("f(a, b)", "Input: [1], 2\nOutput: 3", "([1], 2)"),
        ("f(a, b)", 'For a = "x", b = "y", the result should be 3', "('x', 'y')"),
    ],
)
def test_arguments_fit_the_signature(signature: str, docstring: str, arguments: str) -> None:
    assert read(docstring, signature) == [(arguments, "3", None)]


def test_a_traceback_names_the_exception() -> None:
    docstring = ">>> f(3)\nTraceback (most recent call last):\n    ...\nmy.ValueError: no"
    assert read(docstring) == [("(3,)", None, "ValueError")]


@pytest.mark.parametrize(
    "text",
    [
        "f(3) raises ValueError",
        "`f(3)` -> raises a `ValueError`.",
        "f(3)  # raises ValueError",
        "f(3) should raise ValueError",
    ],
)
def test_prose_names_an_exception(text: str) -> None:
    assert read(text) == [("(3,)", None, "ValueError")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(x):\n    '''>>> list(f(3))\n    [1, 2]\n    '''\n    yield x\n", "[1, 2]"),
        ("def f(x):\n    '''>>> assert list(f(3)) == [1, 2]\n    '''\n    yield x\n", "[1, 2]"),
        ("def f(x):\n    '''>>> list(f(3))\n    [1, 2]\n    '''\n    return x\n", None),
        ("def f(x):\n    '''>>> tuple(f(3))\n    (1, 2)\n    '''\n    yield x\n", None),
        ("def f(x) -> str:\n    '''>>> print(f(3))\n    a b\n      c\n    '''\n    return x\n", repr("a b\n  c")),
        ("def f(x) -> str:\n    '''>>> print(f(3))\n    a...\n    '''\n    return x\n", None),
        ("def f(x) -> str:\n    '''>>> print(f(3), 4)\n    a\n    '''\n    return x\n", None),
    ],
)
def test_wrapped_calls(text: str, expected: str | None) -> None:
    module = read_module(text)
    assert [(e.arguments, e.expected) for e in read_examples(module.target("f"), module)] == [("(3,)", expected)]


@pytest.mark.parametrize(
    ("line", "call", "arguments"),
    [
        ("import datetime as dt", "f(dt.date(2020, 1, 2))", "(datetime.date(2020, 1, 2),)"),
        ("from datetime import date as d", "f(d(2020, 1, 2))", "(datetime.date(2020, 1, 2),)"),
        ("from decimal import Decimal", "f(Decimal('1'))", "(decimal.Decimal('1'),)"),
        ("from mine import Point, f", "f(Point(1))", "(Point(1),)"),
        ("from fractions import *", "f(Fraction(1))", "(Fraction(1),)"),
    ],
)
def test_imports_in_examples(line: str, call: str, arguments: str) -> None:
    assert read(f">>> {line}\n>>> {call}\n3") == [(arguments, "3", None)]


def test_a_stated_result_replaces_a_bare_call() -> None:
    assert read("f(3) here\nf(3) == 4\n>>> f(3)\n4") == [("(3,)", "4", None)]


def test_results_that_contradict_each_other_cancel() -> None:
    assert read("f(3) == 4\nf(3) == 5") == [("(3,)", None, None)]


def test_odd_escapes_warn_nobody() -> None:
    """Warnings are errors here, so a warning would lose the example."""
    ((arguments, expected, _),) = read(r">>> f('\d')" + "\n3")
    assert (ast.literal_eval(arguments), expected) == (("\\d",), "3")


def test_methods() -> None:
    text = """class Stack:
    def push(self, x):
        '''Push.

        >>> Stack().push(1)
        [1]
        >>> stack.push(2)
        [2]
        '''

    @staticmethod
    def size(x):
        '''Stack.size([1]) == 1'''
"""
    module = read_module(text)
    assert [e.arguments for e in read_examples(module.target("Stack.push"), module)] == ["(1,)"]
    assert [e.arguments for e in read_examples(module.target("Stack.size"), module)] == ["([1],)"]


def test_docstrings_around_and_comments_above_count() -> None:
    text = '''"""A module.

assert f(1) == 2
"""


# f(2) -> 3
def f(x):
    """f(3) == 4"""
    return x + 1
'''
    module = read_module(text)
    found = read_examples(module.target("f"), module)
    assert [(e.arguments, e.line) for e in found] == [("(3,)", 8), ("(2,)", 6), ("(1,)", 2)]


def test_lines_point_at_the_example() -> None:
    text = 'def f(x):\n    """Doc.\n\n    >>> f(1)\n    2\n    >>> f(2)\n    3\n    """\n    return x\n'
    module = read_module(text)
    assert [e.line for e in read_examples(module.target("f"), module)] == [3, 5]


def test_an_oracle_needs_a_stated_result() -> None:
    stated, bare = read_module("def f(x):\n    'f(1) == 2'\n"), read_module("def f(x):\n    '>>> f(1)'\n")
    target = stated.target("f")
    oracle = examples_oracle(target, read_examples(target, stated))
    assert oracle is not None
    assert oracle.kind is OracleKind.EXAMPLES
    target = bare.target("f")
    assert examples_oracle(target, read_examples(target, bare)) is None
