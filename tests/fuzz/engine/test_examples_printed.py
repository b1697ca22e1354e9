"""Examples of functions that print, crash or do not end, and examples in prose, through real guests."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Budget, OracleKind, OutcomeKind, Report, Tier, Verdict
from lsp_evalplus.fuzz.oracle.annotation import annotation_oracle
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.source.discover import read_module


def check(judge: Any, body: str) -> Report:
    return check_stated(judge, ">>> f(1)\n    2", body)


def check_stated(judge: Any, example: str, body: str, before: str = "") -> Report:
    module = read_module(f'{before}def f(x):\n    """\n    {example}\n    """\n    {body}\n')
    target = module.target("f")
    oracle = next(one for one in oracles_for(target, module) if one.kind is OracleKind.EXAMPLES)
    report: Report = judge.check(target, oracle, Budget(10, calls=300))
    return report


@pytest.mark.parametrize("body", ["print(x + 1)", "print('a word'); return x + 1", "return x + 1"])
def test_what_a_terminal_shows_is_what_the_example_says(judge: Any, body: str) -> None:
    assert check(judge, body).verdict is Verdict.AGREES


def test_something_else_that_is_printed_is_told(judge: Any) -> None:
    found = check(judge, "print(x)").counterexample

    assert found is not None
    assert (found.candidate.output, found.expected.output) == ("1\n", "2\n")


@pytest.mark.parametrize("body", ["x + 1", "print()"])
def test_nothing_is_no_result(judge: Any, body: str) -> None:
    assert check(judge, body).verdict is Verdict.DIFFERS


@pytest.mark.parametrize(
    ("example", "body"),
    [
        ("f(5) -> 101", "return f'{x:b}'"),
        ("f(255) returns 0xff", "return hex(x)"),
        ("f(255) returns 0xff", "print(hex(x))"),
        ("f(3) -> 3.00", "return f'{x:.2f}'"),
        ("f(1) -> True", "return str(x == 1)"),
        ("f(3) -> [3,  3]", "return f'[{x}, {x}]'"),
        ("f(2) == 1.414", "return x ** .5"),
        ("f(2) == (1.41, 2)", "return x ** .5, x"),
    ],
)
def test_prose_leaves_quotes_and_digits_away(judge: Any, example: str, body: str) -> None:
    assert check_stated(judge, example, body).verdict is Verdict.AGREES


@pytest.mark.parametrize(
    ("example", "body"),
    [
        ("f(5) -> 101", "return f'{x + 1:b}'"),
        ("f(5) -> 101", "return 100"),
        ("f(255) returns 0xff", "print(hex(x + 1))"),
        ("f(2) == 1.414", "return x ** .4"),
        ("f(2) == 0.1", "return 0"),
        ("f(2) == 2.5", "return 2.45"),
        ("f(2) -> '2'", "return x"),
    ],
)
def test_another_result_than_in_prose_is_told(judge: Any, example: str, body: str) -> None:
    assert check_stated(judge, example, body).verdict is Verdict.DIFFERS


CONTAINER = """from collections.abc import {0}
class Box({0}):
    def __init__(self, items): self.items = items
    def __len__(self): return len(self.items)
    def __iter__(self): return iter(self.items)
    def __contains__(self, one): return one in self.items
    def __getitem__(self, key): return self.items[key]
"""


@pytest.mark.parametrize(
    ("abstract", "example", "body", "verdict"),
    [
        ("Set", "f(2)  # => {1, 2}", "return Box([2, 1])", Verdict.AGREES),
        ("Sequence", "f(2) -> [1, 2]", "return Box([1, 2])", Verdict.AGREES),
        ("Mapping", "f(2) returns {1: 2}", "return Box({1: 2})", Verdict.AGREES),
        ("Set", "f(2)  # => {1, 2}", "return Box([2, 3])", Verdict.DIFFERS),
        ("Sequence", "f(2) -> [1, 2]", "return Box([2, 1])", Verdict.DIFFERS),
        ("Set", ">>> f(2)\n    {1, 2}", "return Box([2, 1])", Verdict.DIFFERS),
    ],
)
def test_prose_shows_containers_as_plain_ones(
    judge: Any, abstract: str, example: str, body: str, verdict: Verdict
) -> None:
    assert check_stated(judge, example, body, CONTAINER.format(abstract)).verdict is verdict


def test_an_example_that_crashes_the_interpreter(judge: Any) -> None:
    report = check(judge, "import ctypes; ctypes.string_at(0)")

    found = report.counterexample
    assert found is not None, report
    assert (found.tier, found.candidate.kind) == (Tier.INSIDE, OutcomeKind.CRASHED)
    assert (found.call, found.expected.text) == ("f(1)", "2")


@pytest.mark.parametrize(
    ("example", "before", "body", "what"),
    [
        (">>> f(1)\n    2", "import ctypes\nplace = ctypes.string_at(0)\n", "return place", "loading it"),
        (">>> f(1) + 1\n    2", "import ctypes\n", "ctypes.string_at(0)", "running its doctests"),
    ],
)
def test_a_crash_is_put_down_to_what_was_under_way(judge: Any, example: str, before: str, body: str, what: str) -> None:
    assert check_stated(judge, example, body, before).reason == f"{what} ended its process (signal 11)"


def test_a_crash_without_anybody_who_knows_better_is_no_finding(judge: Any) -> None:
    module = read_module("import ctypes\ndef f(x: int) -> int:\n    ctypes.string_at(0)\n    return x\n")
    oracle = annotation_oracle(module.target("f"))
    assert oracle is not None

    report = judge.check(module.target("f"), oracle, Budget(10, calls=300))

    assert (report.verdict, report.reason) == (Verdict.NOT_CHECKED, "calling it ended its process (signal 11)")


@pytest.mark.slow
@pytest.mark.parametrize("body", ["while x != 2: pass", "while x != 2: print('x' * 100_000)"])
def test_an_example_that_does_not_end(judge: Any, body: str) -> None:
    report = check(judge, body)

    found = report.counterexample
    assert found is not None, report
    assert (found.tier, found.candidate.kind) == (Tier.HANG, OutcomeKind.TIMED_OUT)
    assert (found.call, found.expected.text) == ("f(1)", "2")


def test_further_keywords_of_an_example_are_passed(judge: Any) -> None:
    source = "def f(name, **marks):\n    '''\n    >>> f('a', b=1)\n    1\n    '''\n    return len(name)\n"
    module = read_module(source.replace("len(name)", "len(name) + marks['b']"))
    target = module.target("f")
    oracle = next(one for one in oracles_for(target, module) if one.kind is OracleKind.EXAMPLES)

    found = judge.check(target, oracle, Budget(10, calls=300)).counterexample

    assert found is not None
    assert found.call == "f('a', b=1)"
