"""What is read out of the answers of models, good and bad."""

from __future__ import annotations

import pytest

from lsp_evalplus.fuzz.llm.answers import read_inputs
from lsp_evalplus.fuzz.seeds.calls import CallReader, reader_for
from lsp_evalplus.fuzz.source.discover import find_target


def reader(signature: str) -> CallReader:
    return reader_for(find_target(f"def f({signature}):\n    return 1\n", "f"))


TWO = reader("xs, k")
ONE = reader("xs")
NAMED = reader("x, *, key=None")

CASES = [
    ("calls in a fence", TWO, "Sure:\n```python\nf([1, 2], 3)\nf([], 0)\n```", ["([1, 2], 3)", "([], 0)"]),
    ("calls without a fence", TWO, "f([1], 2)\nf([3], 4)", ["([1], 2)", "([3], 4)"]),
    ("calls in a numbered list", TWO, "1. `f([1], 2)`\n2. `f([3], 4)` - large\n", ["([1], 2)", "([3], 4)"]),
    ("calls with results", TWO, "f([1], 2) # 3\nf([3], 4) -> 5\nf([3], 5) == 5", ["([1], 2)", "([3], 4)", "([3], 5)"]),
    ("asserts and prints", TWO, "```\nassert f([1], 2) == 3\nprint(f([2], 2))\n```", ["([1], 2)", "([2], 2)"]),
    ("console session", TWO, ">>> f([1], 2)\n3\n>>> f([2], 2)\n", ["([1], 2)", "([2], 2)"]),
    ("keywords", TWO, "f(xs=[1], k=2)", ["([1], 2)"]),
    ("keyword only", NAMED, "f(1, key='a')", ["{'args': (1,), 'kwargs': {'key': 'a'}}"]),
    ("tuples", TWO, "([1], 2)\n([3], 4)\n", ["([1], 2)", "([3], 4)"]),
    ("bare tuples", TWO, "[1], 2\n[3], 4\n", ["([1], 2)", "([3], 4)"]),
    ("assignments", TWO, "```python\ninput1 = ([1], 2)\ninput2 = ([3], 4)\n```", ["([1], 2)", "([3], 4)"]),
    ("list of tuples", TWO, "```python\ninputs = [\n  ([1], 2),\n  ([3], 4),\n]\n```", ["([1], 2)", "([3], 4)"]),
    ("list of lists", TWO, "[[[1], 2], [[3], 4]]", ["([1], 2)", "([3], 4)"]),
    ("one parameter, list", ONE, "[1, 2]\n[]\n", ["([1, 2],)", "([],)"]),
    ("one parameter, string", reader("text"), "'abc'\n\"it's\"\n", ["('abc',)", '("it\'s",)']),
    ("structured", TWO, '{"inputs": ["f([1], 2)", "([3], 4)"]}', ["([1], 2)", "([3], 4)"]),
    ("structured in a fence", TWO, '```json\n{"inputs": ["f([1], 2)"]}\n```', ["([1], 2)"]),
    ("structured by name", TWO, '{"inputs": [{"xs": [1], "k": 2}]}', ["([1], 2)"]),
    ("structured by name alone", TWO, '{"xs": [1], "k": 2}', ["([1], 2)"]),
    ("structured arguments", TWO, '{"tests": [{"args": [[1], 2]}]}', ["([1], 2)"]),
    ("structured, values", TWO, "[[[1], 2], [[3], true]]", ["([1], 2)", "([3], True)"]),
    ("structured, truncated", TWO, '{"inputs": ["f([1], 2)", "f([3], 4)", "f([5', ["([1], 2)", "([3], 4)"]),
    ("truncated fence", TWO, "```python\nf([1], 2)\nf([3], 4)\nf([5,", ["([1], 2)", "([3], 4)"]),
    ("two fences", TWO, "```\nf([1], 2)\n```\nand\n```py\nf([3], 4)\n```", ["([1], 2)", "([3], 4)"]),
    ("reasoning", TWO, "<think>f([9], 9)</think>\nf([1], 2)", ["([1], 2)"]),
    ("reasoning that never ends", TWO, "<think>f([9], 9)", []),
    ("repetition", TWO, "f([1], 2)\nf([1], 2)\nf( [1],2 )", ["([1], 2)"]),
    ("special values", ONE, "f(float('inf'))\nf(-0.0)\nf({1, 2})\nf(None)\nf(b'a')", 5),
    ("large but small in text", ONE, "f(10**9)\nf('a' * 5)", ["(1000000000,)", "('aaaaa',)"]),
    ("wrong number of arguments", TWO, "f([1])\nf([1], 2, 3)\n(1,)", []),
    ("names that are no values", TWO, "f(x, y)\nf(os.environ, 1)\nf([i for i in range(3)], 1)", []),
    ("code that must not run", ONE, "f(__import__('os').system('id'))\nf(open('x').read())\nf(eval('1'))", []),
    ("a bomb", ONE, "f(9**9**9)\nf('a' * 10**9)\nf([0] * 10**10)", []),
    ("deep nesting", ONE, "f(" + "[" * 5000 + "]" * 5000 + ")", []),
    ("far too long", ONE, "f('" + "a" * 10_000 + "')", []),
    ("prose", TWO, "I cannot help with that.", []),
    ("nothing", TWO, "", []),
    ("surrogates and NUL", TWO, "f('\ud800', 1)\n\0\nf([1], 2)", 1),
]


@pytest.mark.parametrize(("name", "calls", "answer", "expected"), CASES, ids=[case[0] for case in CASES])
def test_inputs_are_read(name: str, calls: CallReader, answer: str, expected: list[str] | int) -> None:
    found = read_inputs(answer, calls)

    if isinstance(expected, int):
        assert len(found) >= expected
    else:
        assert found == expected


def test_a_list_may_be_one_input_or_many() -> None:
    assert read_inputs("[[1, 2], [3, 4]]", ONE) == ["([1, 2],)", "([3, 4],)", "([[1, 2], [3, 4]],)"]
    assert read_inputs("[[[1]], [[2]]]", ONE) == ["([1],)", "([2],)", "([[[1]], [[2]]],)"]
