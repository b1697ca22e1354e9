"""Proofs that a call takes too long: never of one that ends, and of the commonest loops."""

from __future__ import annotations

import gc
import random
import signal
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.program.environment import FRAMES
from lsp_evalplus.fuzz.guest.static.nontermination import ends

SECONDS = 1.0


@pytest.fixture(autouse=True)
def _usual_recursion_limit() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(limit)


class TooLongError(BaseException):
    """The proof was interrupted."""


def seen(source: str, *args: Any, name: str = "f", patience: float = 0.1) -> bool | None:
    """What `ends` says within some processor time; None where it was interrupted."""
    is_running = True

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if is_running:
            raise TooLongError

    signal.signal(signal.SIGVTALRM, interrupt)
    gc.disable()  # An exception in what is called at a collection would be lost.
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, patience)
        said = ends(source, name, args, SECONDS, FRAMES)
        is_running = False
    except TooLongError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        gc.enable()
    return said


ENDLESS = {
    "nobody counts": ("def f(n):\n    i = 0\n    while i < n:\n        if i > n: i += 1\n    return i", (3,)),
    "on one line": ("def f(n):\n    while n: pass", (1,)),
    "stays at -1": ("def f(n):\n    while n != 0:\n        n //= 2\n    return n", (-5,)),
    "a list that turns": (
        "def f(xs):\n    while xs[0] > 0:\n        xs = xs[1:] + xs[:1]\n    return xs",
        ([1, 2, 3],),
    ),
    "a list that turns in place": ("def f(xs):\n    while True:\n        xs.append(xs.pop(0))", ([1, 2, 3],)),
    "fills a list": (
        "def f(n):\n    d = []\n    while n != 0:\n        d.append(n % 10)\n        n //= 10\n    return d",
        (-7,),
    ),
    "counts only": ("def f(s):\n    c = 0\n    while '  ' in s:\n        c += 1\n    return c", ("a  b",)),
    "inside of a for": (
        "def f(xs):\n    for x in xs:\n        while x > 2:\n            y = x + 1\n    return xs",
        ([1, 2, 3],),
    ),
    "two whiles": ("def f(n):\n    while n:\n        m = 3\n        while m:\n            m -= 1\n    return n", (1,)),
    "in a helper": ("def g(n):\n    while n: n = -n\n    return n\ndef f(n):\n    return g(n + 1)", (1,)),
    "continue": ("def f(n):\n    while n < 9:\n        if n == 5: continue\n        n += 1", (1,)),
    "a float that is stuck": ("def f(x):\n    while x > 0.5:\n        x = (x + 1.0) / 2", (2.0,)),
    "a dictionary": ("def f(d):\n    while d:\n        d['a'] = d.get('a', 0) % 2 + 1", ({"a": 1},)),
    "a long period": ("def f(n):\n    x = 1\n    while x:\n        x = x * 3 % 257", (1,)),
    "fibonacci": ("def f(n):\n    if n < 2: return n\n    return f(n - 1) + f(n - 2)", (63,)),
    "by way of another": ("def g(n): return f(n)\ndef f(n):\n    return n if n < 2 else g(n - 1) + g(n - 2)", (70,)),
    "a sum of calls": ("def f(n):\n    return 1 if n < 1 else sum([f(k) for k in range(n)])", (60,)),
    "calls in a loop": ("def f(n):\n    t = 1\n    for k in range(n):\n        t += f(k)\n    return t", (64,)),
}

FINITE = {
    "counts": ("def f(n):\n    while n > 0: n -= 1\n    return n", (50,)),
    "a period, then out": (
        "def f(n):\n    k = 0\n    x = 0\n    while k < 50:\n        x = 1 - x\n        k += 1\n    return x",
        (1,),
    ),
    "what it fills ends it": ("def f(n):\n    d = []\n    while len(d) < 50:\n        d.append(n)\n    return d", (1,)),
    "what it counts ends it": (
        "def f(n):\n    c = 0\n    while True:\n        c += 1\n        if c == 50: return c",
        (1,),
    ),
    "the list by another name": (
        "def f(n):\n    d = []\n    e = d\n    while len(e) < 50:\n        d.append(1)\n    return d",
        (1,),
    ),
    "the list inside of another": (
        "def f(n):\n    d = []\n    e = [d]\n    while len(e[0]) < 50:\n        d.append(1)\n    return d",
        (1,),
    ),
    "an iterator": (
        "def f(xs):\n    it = iter(xs)\n    x = 0\n    while x < 3:\n        x = next(it)\n    return x",
        ([0] * 40 + [5],),
    ),
    "an iterator in a list": (
        "def f(xs):\n    its = [iter(xs)]\n    x = 0\n    while x < 3:\n        x = next(its[0])\n    return x",
        ([0] * 40 + [5],),
    ),
    "the for around it": (
        "def f(xs):\n    t = 0\n    for x in xs:\n        a = 1\n        while a: a = 0\n    return t",
        ([7] * 60,),
    ),
    "a while in a recursion": (
        "def f(n):\n    a = 3\n    while a > 0: a -= 1\n    return 0 if n == 0 else f(n - 1)",
        (20,),
    ),
    "the same helper again and again": (
        "def g(n):\n    while n > 0: n -= 1\n    return n\ndef f(n):\n    return sum([g(3) for _ in range(n)])",
        (50,),
    ),
    "zero and minus zero": (
        "def f(n):\n    x = -0.0\n    k = 0\n    while str(x) != '0.0':\n        x += 0.0 * k\n        k = 1",
        (1,),
    ),
    "one and True": (
        "def f(n):\n    x = 1\n    while str(x) != 'True':\n        x = x == 1\n    return x",
        (1,),
    ),
    "a set that loses": ("def f(xs):\n    s = set(xs)\n    while s: s.pop()", ([1, 2, 3],)),
    "few calls": ("def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)", (15,)),
    "many calls, but not too many": ("def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)", (30,)),
}

UNDECIDED = {
    "counts for ever": ("def f(n):\n    while n: n += 1", (1,)),
    "a list that grows": ("def f(xs):\n    while xs: xs = xs + [1]", ([1],)),
    "a for that feeds itself": ("def f(xs):\n    for x in xs: xs.append(x)", ([1],)),
    "random numbers": ("import random\ndef f(n):\n    while random.random() < 0.9: pass", (1,)),
    "the time": ("from datetime import datetime\ndef f(n):\n    while datetime.now().second != 77: pass", (1,)),
    "a global": ("c = 0\ndef f(n):\n    global c\n    while True:\n        c += 1\n        if c > 9: return c", (1,)),
    "a list of the module": ("c = []\ndef f(n):\n    while len(c) < 9:\n        c.append(1)", (1,)),
    "a default that is changed": (
        "def g(c=[]):\n    c.append(1)\n    return c\ndef f(n):\n    while len(g()) < 9: pass",
        (1,),
    ),
    "a closure": (
        "def f(n):\n    c = 0\n    def g():\n        nonlocal c; c += 1\n        return c\n    while g() < 9: 1",
        (1,),
    ),
    "a generator": ("def g():\n    while True: yield 1\ndef f(n):\n    return sum([next(x) for x in [g()]])", (1,)),
    "a set": ("def f(xs):\n    s = set(xs)\n    while s:\n        s = s | {1}", ([1],)),
    "what is caught": (
        "def f(n):\n    while True:\n        try: return 1 // 0\n        except ZeroDivisionError: pass",
        (1,),
    ),
    "a cache": (
        "from functools import lru_cache\n@lru_cache(None)\ndef f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)",
        (90,),
    ),
    "memory by hand": (
        "memo = {}\ndef f(n):\n    if n not in memo: memo[n] = n if n < 2 else f(n - 1) + f(n - 2)\n    return memo[n]",
        (90,),
    ),
    "identity": ("def f(n):\n    x = 1000\n    while x is not n + 0: x = n + 0", (1000,)),
    "identity with a number": ("def f(n):\n    x = 1\n    while x is 1: x = n", (1,)),
    "a default that is computed": (
        (
            "from collections import Counter\ndef g(c=-Counter()):\n    c.update('a')\n    return len(str(c))\n"
            "def f(n):\n    while g() < 99: pass"
        ),
        (1,),
    ),
    "not a number": ("def f(x):\n    y = x\n    while y != y: y = y + 1.0", (float("nan"),)),
    "deeper than Python goes": ("def f(n):\n    return 0 if n == 0 else f(n - 1) + f(n - 1)", (5000,)),
    "deep the second time": (
        (
            "def g(n):\n    return 0 if n == 0 else g(n - 1) + g(n - 1)\n"
            "def h(n):\n    return g(600) if n == 0 else h(n - 1)\ndef f(n):\n    return h(600)"
        ),
        (1,),
    ),
    "a lambda that calls itself": (
        "def f(n):\n    g = lambda k: 0 if k == 0 else g(k - 1) + g(k - 1)\n    return g(n)",
        (40,),
    ),
    "no such function": ("def g(n):\n    while True: pass", (1,)),
    "no program": ("def f(n:\n", (1,)),
    "harmful": ("import os\ndef f(n):\n    while True: pass", (1,)),
    "a class": ("class C:\n    n = 0\ndef f(n):\n    while True: pass", (1,)),
    "a name bound twice": ("def f(n):\n    while n: pass\ndef f(n):\n    while n: pass", (1,)),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_loops_are_proven(name: str) -> None:
    source, args = ENDLESS[name]

    # On a busy machine the timer may go off before the call is deep in its work.
    assert False in (seen(source, *args, patience=patience) for patience in (0.1, 1.0))


@pytest.mark.parametrize("name", FINITE)
def test_a_call_that_ends_is_never_called_endless(name: str) -> None:
    source, args = FINITE[name]

    namespace: dict[str, Any] = {}
    exec(source, namespace)
    namespace["f"](*args)

    assert seen(source, *args, patience=0.5) is not False


@pytest.mark.parametrize("name", UNDECIDED)
def test_what_may_depend_on_something_else_is_left_open(name: str) -> None:
    source, args = UNDECIDED[name]

    assert seen(source, *args, patience=0.02) is None


def test_that_a_call_ends_is_known_where_it_does() -> None:
    source = "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)"

    assert seen(source, 32) is True


def test_a_limit_of_twice_the_time_needs_twice_the_calls() -> None:
    source = "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)"

    assert ends(source, "f", (39,), 1.0, FRAMES) is False
    assert ends(source, "f", (39,), 10.0, FRAMES) is True


NAMES = ("a", "b", "c", "xs")


def _expression(rng: random.Random, depth: int = 0) -> str:
    kinds = ["name", "number"] + ["sum", "rest", "length", "item"] * (depth < 2)
    kind = rng.choice(kinds)
    if kind == "name":
        return rng.choice(NAMES[:3])
    if kind == "number":
        return str(rng.randint(-2, 4))
    if kind == "length":
        return "len(xs)"
    if kind == "item":
        return f"(xs[{_expression(rng, depth + 1)} % len(xs)] if xs else 0)"
    left, right = (_expression(rng, depth + 1) for _ in range(2))
    return f"({left} {rng.choice('+-*')} {right})" if kind == "sum" else f"({left} % {rng.randint(2, 7)})"


def _statement(rng: random.Random, indent: str, depth: int) -> str:
    kinds = ["set", "set", "add", "push", "pop", "turn", "divide", "divide", "if", "while"]
    kind = rng.choice(kinds[: 10 if depth < 3 else 6])
    if kind == "set":
        return f"{indent}{rng.choice(NAMES[:3])} = {_expression(rng)} % 50\n"
    if kind == "add":
        return f"{indent}{rng.choice(NAMES[:3])} {rng.choice(['+', '-'])}= {_expression(rng, 1)}\n"
    if kind == "push":
        return f"{indent}xs.append({_expression(rng)} % 9)\n"
    if kind == "pop":
        return f"{indent}if len(xs) > {rng.randint(0, 3)}: xs.pop()\n"
    if kind == "turn":
        return f"{indent}xs = xs[1:] + xs[:1]\n"
    if kind == "divide":
        return _division(rng, indent)
    head = f"{indent}{kind} {_expression(rng)} {rng.choice(['<', '!=', '>'])} {_expression(rng)}:\n"
    body = "".join(_statement(rng, indent + "    ", depth + 1) for _ in range(rng.randint(1, 3)))
    return head + body


def _division(rng: random.Random, indent: str) -> str:
    """A loop that divides by one number after the other, or nearly so."""
    number, counter = rng.sample(NAMES[:3], 2)
    then = rng.choice([f"{number} //= {counter}", "xs.append(1)", f"{counter} += 2", "break", f"return {counter}"])
    test = rng.choice([f"{number} % {counter} == 0", f"not {number} % {counter}"])
    if rng.random() < 0.4:
        numbers = f"range({rng.choice(['1', '2', number])}, {_expression(rng)} * 9)"
        return f"{indent}for {counter} in {numbers}:\n{indent}    if {test}:\n{indent}        {then}\n"
    limit = rng.choice([f"{number} > 1", f"{counter} < {number}", f"{counter} * {counter} <= {number}", "a + b < 90"])
    step = f"{counter} += {rng.choice('112')}"
    head = f"{indent}if {counter} < 1: {counter} = 2\n{indent}while {limit}:\n{indent}    if {test}:\n"
    if rng.random() < 0.5:
        return f"{head}{indent}        {then}\n{indent}    {step}\n"
    return f"{head}{indent}        {then}\n{indent}    else:\n{indent}        {step}\n"


def _program(seed: int) -> str:
    rng = random.Random(seed)
    body = "".join(_statement(rng, "    ", 0) for _ in range(4))
    return f"def f(a, xs):\n    b = c = 1\n{body}    return a\n"


def _ends_within(source: str, steps: int) -> bool:
    """Whether a program ends when its loops may go around so often in all."""

    class StopError(Exception):
        pass

    left = steps

    def step() -> bool:
        nonlocal left
        left -= 1
        if left < 0:
            raise StopError
        return True

    lines: list[str] = []
    for line in source.splitlines():
        lines.append(line)
        if line.lstrip().startswith(("while ", "for ")):
            indent = " " * (len(line) - len(line.lstrip()) + 4)
            lines.append(f"{indent}step()")
    namespace: dict[str, Any] = {"step": step}
    exec("\n".join(lines), namespace)
    try:
        namespace["f"](3, [1, 2])
    except StopError:
        return False
    except (OverflowError, ValueError):
        return True
    return True


@pytest.mark.slow
def test_programs_by_chance_that_are_called_endless_are() -> None:
    proven = 0
    for seed in range(1500):
        source = _program(seed)
        if "while" in source and seen(source, 3, [1, 2], patience=0.02) is False:
            proven += 1
            assert not _ends_within(source, 3000), source

    assert proven > 50, proven
