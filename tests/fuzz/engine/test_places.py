"""Where a counterexample's result comes from: the line that gave it, and the first that ran otherwise."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from lsp_evalplus.fuzz.engine.check import check
from lsp_evalplus.fuzz.engine.places import find_places
from lsp_evalplus.fuzz.engine.requests import program_request
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import Budget, Outcome, OutcomeKind, Places, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.source.discover import read_module


@pytest_asyncio.fixture
async def pool() -> AsyncIterator[GuestPool]:
    interpreter = find_interpreter(sys.executable, Path.cwd())
    async with GuestPool(interpreter, Confinement(), size=3) as made:
        yield made


OLD = """\
import functools

def f(n):
    '''Some words.'''
    total = 0
    for item in range(n):
        if item % 2:
            total += item
    if total > 3:
        return total
    return -1
"""


@pytest.mark.parametrize(
    ("old", "new", "arguments", "kind", "result", "parted"),
    [
        # The changed line, where it is first run; the value comes from a line that is the same in both.
        ("total += item", "total += 2 * item", "(3,)", OutcomeKind.RETURNED, 8, 5),
        ("total = 0", "total = 4", "(0,)", OutcomeKind.RETURNED, 7, 2),
        ("return -1", "return (\n        -2\n    )", "(0,)", OutcomeKind.RETURNED, 8, 9),
        ("total += item", "total += item[0]", "(2,)", OutcomeKind.RAISED, 5, 5),
        (
            "return -1",
            "try:\n        return 1 // n\n    finally:\n        total = 9",
            "(1,)",
            OutcomeKind.RETURNED,
            9,
            8,
        ),
    ],
)
async def test_places_of_a_changed_function(pool, old, new, arguments, kind, result, parted) -> None:
    program, reference = OLD.replace(old, new), OLD

    places = await find_places(to_request(program), to_request(reference), arguments, None, pool)

    assert places == Places(result, parted)
    lines = program.split("\n")[2:]
    if kind is OutcomeKind.RETURNED:
        assert lines[places.result].strip().startswith("return")


def to_request(source: str, name: str = "f") -> dict:
    return program_request(read_module(source).target(name).program)


@pytest.mark.parametrize(
    ("candidate", "name", "arguments", "result"),
    [
        ("@staticmethod\ndef g(x):\n    return x\n\ndef f(n):\n    return g(n)\n", "f", "(1,)", 1),
        ("class C:\n    def f(self, n):\n        if n:\n            return 1\n        return 2\n", "C.f", "(0,)", 3),
        ("async def f(n):\n    x = n\n    return x\n", "f", "(0,)", 2),
        ("def f(n):\n    yield 1\n    yield n\n", "f", "(0,)", 2),
        ("def f(n):\n    if n:\n        return f(n - 1)\n    return 0\n", "f", "(2,)", 2),
        ("def f(n):\n    for i in range(20000):\n        n += i\n    return n\n", "f", "(2,)", 3),
    ],
)
async def test_the_line_of_the_result_of_any_kind_of_function(pool, candidate, name, arguments, result) -> None:
    places = await find_places(to_request(candidate, name), None, arguments, None, pool)

    assert places == Places(result, None)


async def test_texts_that_have_little_in_common_do_not_part_at_a_line(pool) -> None:
    other = "def f(n):\n    odd = [i for i in range(n) if i % 2]\n    return sum(odd) if sum(odd) > 3 else -2\n"

    places = await find_places(to_request(other), to_request(OLD), "(0,)", None, pool)

    assert places == Places(2, None)


async def test_a_check_finds_places_only_where_it_is_asked_to(pool) -> None:
    text = OLD.replace("total += item", "total += 2 * item")
    module = read_module(text)
    (oracle,) = oracles_for(module.target("f"), module, previous=PreviousVersion(OLD, "before"))

    for asked in (True, False):
        report = await check(module.target("f"), oracle, Budget(10, calls=300), pool, finds_places=asked)

        assert report.verdict is Verdict.DIFFERS
        assert report.counterexample is not None
        # With 3 the sum is still small; with 4 the value comes from the other return.
        assert report.counterexample.places in ([Places(8, 5), Places(7, 5)] if asked else [None])


async def test_a_call_that_does_not_end_is_given_up(pool: GuestPool) -> None:
    """It is interrupted, and the line where that happened is no place of a result."""
    text = "def f(n):\n    while n:\n        pass\n    return n\n"

    report = await find_places(to_request(text), None, "(1,)", Outcome(OutcomeKind.RETURNED, "1"), pool)

    assert report is None
