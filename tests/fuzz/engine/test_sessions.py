"""Doctests that are no plain calls, through real guests: what misses is shown as one expression, what only looks as if
it missed is not shown."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Budget, OracleKind, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.source.discover import read_module


def check(judge: Any, docstring: str, body: str, before: str = "", name: str = "f") -> Report:
    text = f'{before}def f(x):\n    """\n{textwrap.indent(textwrap.dedent(docstring), "    ")}    """\n    {body}\n'
    module = read_module(text)
    oracle = next(one for one in oracles_for(module.target(name), module) if one.kind is OracleKind.EXAMPLES)
    report: Report = judge.check(module.target(name), oracle, Budget(10, calls=300))
    return report


MISSED = [
    (">>> f(9)\n[0, 1, ..., 8]\n", "return list(range(x + 1))", "f(9)", "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"),
    (">>> sorted(f('ba'))\n['a', 'b']\n", "return set(x[1:])", "sorted(f('ba'))", "['a']"),
    (">>> round(f(2), 3)\n0.667\n", "return x // 3", "round(f(2), 3)", "0"),
    (
        ">>> a = [2, 1]\n>>> f(a)\n>>> a\n[1, 2]\n",
        "sorted(x)",
        "(a := [2, 1], f(a), a)[-1]",
        "[2, 1]",
    ),
    (
        ">>> a = [2, 1]\n>>> f(a)\n[1, 2]\n>>> a\n[2, 1]\n",
        "x.sort(); return x",
        "(a := [2, 1], f(a), a)[-1]",
        "[1, 2]",
    ),
    (">>> len(f('a'))\n2\n", "return len(x)", "len(f('a'))", "TypeError: *"),
    (">>> import math\n>>> f([math.e, math.pi]) > 3\nTrue\n", "return min(x)", "f([math.e, math.pi]) > 3", "False"),
    (">>> f(1) + f(2)\n4\n", "return x", "f(1) + f(2)", "3"),
    (
        ">>> import math\n>>> math.sqrt(4)\n2.0\n>>> math.sqrt(f(4)) + 1\n3.0\n",
        "return x + 5",
        "math.sqrt(f(4)) + 1",
        "4.0",
    ),
    (">>> f(1) + 0\n2  # twice as much\n", "return 3 * x", "f(1) + 0", "3"),
    (">>> f(1) + 0\n0.66666666667\n", "return 0.6667", "f(1) + 0", "0.6667"),
    (
        ">>> [f(1/3)]\n[Hue(0.1234)]\n",
        "return type('R', (), {'__repr__': lambda r: 'Hue(0.1)'})()",
        "[f(1 / 3)]",
        "[Hue(0.1)]",
    ),
    (">>> f(1) + 0\nValueError: 1\n>>> f(2) + 0\n3\n", "return 1 // (x - 1)", "f(1) + 0", "ZeroDivisionError: *"),
    (">>> f([1])[:1]\nb'\\x02'\n", "return bytes(x)", "f([1])[:1]", "b'\\x01'"),
    (">>> f(1/3)\n0.33\n", "return x + 0.1", "f(1 / 3)", "0.43333333333333335"),
]


@pytest.mark.parametrize(("docstring", "body", "call", "shown"), MISSED)
def test_missed(judge: Any, docstring: str, body: str, call: str, shown: str) -> None:
    report = check(judge, docstring, body)

    found = report.counterexample
    assert found is not None, report
    assert found.call == call
    assert found.candidate.text == shown or (shown.endswith("*") and found.candidate.text.startswith(shown[:-1]))


def test_printed(judge: Any) -> None:
    report = check(judge, ">>> f('Ann')\nHello, Ann!\n", "print('Hello', x)")

    found = report.counterexample
    assert found is not None
    assert (found.candidate.output, found.expected.output) == ("Hello Ann\n", "Hello, Ann!\n")
    assert found.candidate.text == found.expected.text == "None"
    assert report.reason == r"f('Ann') prints 'Hello Ann\n'; expected: 'Hello, Ann!\n'"


def test_methods(judge: Any) -> None:
    before = "class Money:\n    def __init__(self, n): self.n = n\n    def __repr__(self): return f'Money({self.n})'\n"
    method = '    def f(self):\n        """\n        >>> Money(2).f()\n        Money(4)\n        """\n'
    module = read_module(before + method + "        return Money(self.n + 1)\n")
    target = module.target("Money.f")
    report = judge.check(target, oracles_for(target, module)[0], Budget(10, calls=300))

    assert report.counterexample is not None
    assert report.counterexample.call == "Money(2).f()"
    assert report.counterexample.expected.text == "Money(4)"


MET = [
    (">>> f(9)\n[0, 1, ..., 8]\n", "return list(range(x))"),
    (">>> f(3)\n[0,\n  1,  2]\n", "return list(range(x))"),
    (">>> f('ba')\n{'a', 'b'}\n", "return set(x)"),
    (">>> sorted(f('ba'))\n['a', 'b']\n", "return set(x)"),
    (">>> f('a')\na!\n", "return x + '!'"),
    (">>> f(2)\n4\nwhich is twice as much.\n", "return 2 * x"),
    (">>> f(1)\n0.333333\n", "return x / 3"),
    (">>> f(1) + 0\n2  # twice as much\n", "return 2 * x"),
    (">>> f(1) + 0\n3  # may vary\n", "return 2 * x"),
    (">>> from fractions import Fraction\n>>> Fraction(1, 2) + f(1)\n3/2\n", "return x"),
    (">>> print(f(1))\narray([True, 1. ])\n", "return 'array([ True,   1.])'"),
    (">>> f(1)\n0.333333333...\n", "return x / 3"),
    (">>> if f(2):\n...     f(3)\n6\n", "return 2 * x"),
    (">>> f(1)\n<object object at 0x7f0c7524f950>\n", "return object()"),
    (">>> print(f(1))\na\n<BLANKLINE>\nb\n", "return 'a\\n\\nb'"),
    (">>> f(1)  # doctest: +SKIP\n99\n>>> f(2) + 1\n3\n", "return x"),
    (">>> f(-1)\nTraceback (most recent call last):\n    ...\nValueError: another text\n", "raise ValueError(x)"),
    (">>> from collections import OrderedDict\n>>> f('a')\nOrderedDict([('a', 1)])\n", "return OrderedDict(a=1)"),
    (">>> from pprint import pprint\n>>> pprint(f(2))\n{'b': [2],\n 'a': 1}\n", "return {'a': 1, 'b': [x]}"),
    (">>> f('a')\n{'c', 'b', 'a'}\n", "print({'c', 'b', x})"),
    (
        ">>> [f(1)]\n[Hue(0.25, -0.10001426533)]\n",
        "return type('R', (), {'__repr__': lambda r: 'Hue(0.25, -0.100014)'})()",
    ),
    (">>> f(1) + f(0)\nZeroDivisionError: another\ntext\n>>> f(2) + 1\n1.5\n", "return 1 / x"),
    (">>> f('a')\njson.decoder.JSONDecodeError: Expecting value\n", "import json; return json.loads(x)"),
    (">>> f('a')[0]\nValueError\n", "import json; return json.loads(x)"),
    (
        ">>> f(3)\nLetters('abc\n        def')\n",
        "return type('R', (), {'__repr__': lambda r: \"Letters('abcdef')\"})()",
    ),
    (">>> [f(3)]\n['a' +\n 'bc\n  d[e']\n", "return type('R', (), {'__repr__': lambda r: r\"'a' + 'bcd\\[e'\"})()"),
    (">>> [f(1)]\n[Zone(1)]\n", "return type('R', (), {'__repr__': lambda r: 'zones.Zone(1)'})()"),
    # The docstring is not raw, so that it has characters where its author sees escapes.
    (">>> f([1, 244])\nb'\\x01\\xf4'\n", "return bytes(x)"),
    (">>> f(['a', 'b'])\n['a\\\\b', '\\x1b']\n", "return ['\\\\'.join(x), chr(27)]"),
    (">>> f(['a', 'b'])\n'a\\tb'\n", "return chr(9).join(x)"),
    (">>> f(['a', 'b'])[0]\n'a\\u2028a'\n", "return [one + chr(8232) + one for one in x]"),
]


@pytest.mark.parametrize(("docstring", "body"), MET)
def test_met(judge: Any, docstring: str, body: str) -> None:
    report = check(judge, docstring, body, "from collections import OrderedDict\n")

    assert report.verdict is Verdict.AGREES, report
    assert report.inputs >= 1


NOT_JUDGED = [
    (">>> f('Sure?') + 0\n1\n", "ask = input; return len(ask(x))", "it waits for input"),
    (">>> f(1)\nYour name:\n", "import sys as s; return getattr(s, 'stdin').readline()", "it waits for input"),
    (
        ">>> len(f('Sure?'))\n3\n",
        "ask = input\n    try:\n        return ask(x)\n    except EOFError:\n        raise ValueError(x)",
        "it waits for input",
    ),
    (">>> len(f(other))\n2\n", "return x", "NameError"),
    (">>> import no_such_module\n>>> len(f('ab'))\n3\n", "return x", "ModuleNotFoundError"),
    (">>> y = open('/no/such/file')\n>>> len(f('ab'))\n3\n", "return x", "FileNotFoundError"),
    (">>> y = 1 / 0\n>>> len(f('ab'))\n3\n", "return x", "ZeroDivisionError"),
    (">>> from uuid import uuid4\n>>> f(uuid4()) + ''\n'ab'\n", "return str(x)", "they fail for reasons other than"),
    (">>> f(Gone(1))\n2\n", "return x", "'Gone'"),
    (">>> f(1)\nGone(2)\n", "return x", "what they state cannot be made here"),
    (">>> import time\n>>> f(time.perf_counter_ns()) + 0\n1\n", "return x", "not deterministic"),
]


@pytest.mark.parametrize(("docstring", "body", "reason"), NOT_JUDGED)
def test_what_fails_for_other_reasons_says_nothing(judge: Any, docstring: str, body: str, reason: str) -> None:
    report = check(judge, docstring, body)

    assert report.verdict is not Verdict.DIFFERS, report
    assert reason in report.reason or reason == "not deterministic"


def test_names_that_are_customary_are_given(judge: Any) -> None:
    report = check(judge, ">>> f(np.array([1, 2])) + 0\n3\n", "return int(x.sum()) + 1")

    assert report.counterexample is not None, report
    assert report.counterexample.call == "f(np.array([1, 2])) + 0"


@pytest.mark.parametrize("shown", ["Decimal", "decimal.Decimal", "<class 'decimal.Decimal'>"])
def test_a_class_may_be_shown_by_its_name(judge: Any, shown: str) -> None:
    report = check(judge, f">>> f(1)\n{shown}\n", "return decimal.Decimal", "import decimal\n")

    assert report.verdict is Verdict.AGREES


def test_a_class_of_another_name_is_told(judge: Any) -> None:
    report = check(judge, ">>> f(1)\ndecimal.Context\n", "return decimal.Decimal", "import decimal\n")

    assert report.verdict is Verdict.DIFFERS
