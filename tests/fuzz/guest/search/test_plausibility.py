"""Which inputs are fair, and which differences on them."""

from __future__ import annotations

import math
from typing import Any, cast

import pytest

from lsp_evalplus.fuzz.guest.calling.call_clock import CallClock
from lsp_evalplus.fuzz.guest.calling.invocation import RAISED, RETURNED, CallResult
from lsp_evalplus.fuzz.guest.judging.judge import DIFFER, Judgement
from lsp_evalplus.fuzz.guest.protocol.channel import Channel
from lsp_evalplus.fuzz.guest.search.plausibility import INSIDE, NOT_REPORTABLE, WIDENED, Fairness
from lsp_evalplus.fuzz.guest.search.setup import plan_search, read_setting
from lsp_evalplus.fuzz.guest.search.unused_arguments import UnusedArguments


class Silent:
    """A channel without a host."""

    def heartbeat(self) -> None:
        pass

    def tell_loading(self, seconds: float) -> None:
        pass


def fairness_of(source: str, examples: list[str]) -> Fairness:
    program = {"source": source, "qualname": "f"}
    request = {
        "candidate": program,
        "reference": program,
        "examples": [{"arguments": f"({text},)"} for text in examples],
        "budget": {"seconds": 1.0, "seed": 0},
    }
    plan = plan_search(read_setting(request, cast("Channel", Silent()), CallClock()))
    return Fairness(plan.domain, plan.judge, UnusedArguments(plan.judge, plan.domain, plan.pool, []))


INTS = "def f(n: int):\n    return n\n"
POSITIVE = 'def f(n: int):\n    """Return n.\n\n    Args:\n        n: a positive integer\n    """\n    return n\n'
LISTS = "def f(xs: list[int]):\n    return xs\n"
FLOATS = "def f(x: float):\n    return x\n"
CHECKED = 'def f(x):\n    assert isinstance(x, (int, str)), "number or string"\n    return x\n'
INPUTS: list[tuple[str, str, list[str], tuple[Any, ...], int]] = [
    ("as annotated", INTS, [], (3,), INSIDE),
    ("another type", INTS, [], ("a",), NOT_REPORTABLE),
    ("shown by an example", "def f(x):\n    return x\n", ["3", "4"], (5,), INSIDE),
    ("not shown", "def f(x):\n    return x\n", ["3", "4"], ("a",), NOT_REPORTABLE),
    ("asserted to be fine, not shown", CHECKED, ["3", "4"], ("a",), WIDENED),
    ("beyond what a person writes", INTS, [], (10**12,), WIDENED),
    ("no example is negative", INTS, ["1", "2"], (-1,), WIDENED),
    ("one example shows too little", INTS, ["1"], (-1,), INSIDE),
    ("no example is empty", LISTS, ["[1]", "[2]"], ([],), WIDENED),
    ("some example is empty", LISTS, ["[1]", "[]"], ([],), INSIDE),
    ("ruled out by the docstring", POSITIVE, [], (0,), NOT_REPORTABLE),
    ("admitted by the docstring", POSITIVE, [], (1,), INSIDE),
    ("swallowed by tolerances", FLOATS, [], (1e-9,), NOT_REPORTABLE),
    ("as small as an example", FLOATS, ["1e-9"], (1e-8,), WIDENED),
]


@pytest.mark.parametrize(("name", "source", "examples", "row", "tier"), INPUTS, ids=[one[0] for one in INPUTS])
def test_inputs(name: str, source: str, examples: list[str], row: tuple[Any, ...], tier: int) -> None:
    found = fairness_of(source, examples).of_input(row)

    assert found.tier == tier, found
    assert bool(found.reason) is (tier != INSIDE), name


ONE, INFINITE = CallResult(RETURNED, 1), CallResult(RETURNED, math.inf)
OVERFLOWN = CallResult(RETURNED, [1e200, math.inf])
OUT_OF_RANGE = CallResult(RAISED, error=OverflowError("math range error"))
DIFFERENCES = [
    ("plain numbers", (3,), ONE, CallResult(RETURNED, 2), INSIDE),
    ("an infinity beside huge numbers", (3,), OVERFLOWN, ONE, NOT_REPORTABLE),
    ("an infinity of a small number", (3,), ONE, INFINITE, INSIDE),
    ("one that a large number causes", (500,), ONE, INFINITE, WIDENED),
    ("out of the range of floats", (3,), ONE, OUT_OF_RANGE, WIDENED),
    ("another type", ("a",), ONE, INFINITE, NOT_REPORTABLE),
]


@pytest.mark.parametrize(
    ("name", "row", "expected", "actual", "tier"), DIFFERENCES, ids=[one[0] for one in DIFFERENCES]
)
def test_differences(name: str, row: Any, expected: CallResult, actual: CallResult, tier: int) -> None:
    found = fairness_of(INTS, []).of_difference(row, Judgement(DIFFER, expected, actual, "value"))

    assert found.tier == tier, (name, found)
