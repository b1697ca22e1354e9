"""Loops with shortcuts give what they give without; only what is known to do nothing is left out, and it is counted."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.static import nontermination, trial_division

NUMBERS = (-12, -1, 0, 1, 2, 7, 12, 25, 49, 97, 221, 360, True, 6.0)

LOOPS_TEXT = """\
# is prime
def f(n):
    if n < 2:
        return False
    for i in range(2, n):
        if n % i == 0:
            return False
    return True
# up to the root
def f(n):
    for i in range(2, int(abs(n) ** 0.5) + 1):
        if not n % i:
            return i
    return n
# what is left of the counter
def f(n):
    i = 0
    for i in range(2, 40):
        if 0 == n % i:
            pass
    return i
# otherwise
def f(n):
    for i in range(2, 9):
        if n % i == 0:
            break
    else:
        return 'none'
    return i
# two at a time
def f(n):
    found = []
    for i in range(3, 80, 2):
        if n % i == 0:
            found.append(i)
    return found
# downwards
def f(n):
    for i in range(60, 0, -1):
        if n % i == 0:
            return i
# from nothing
def f(n):
    for i in range(0, 5):
        if n % i == 0:
            return i
# from below
def f(n):
    return [i for i in range(-9, 9) if i != 0 and n % i == 0]
# another number is divided
def f(n):
    for i in range(2, 90):
        if n % i == 0:
            n = n // i
    return n
# the counter changes
def f(n):
    t = 0
    for i in range(2, 90):
        if n % i == 0:
            i = 1
        t += i
    return t, i
# something else is done
def f(n):
    t = 0
    for i in range(2, 90):
        t += 1
        if n % i == 0:
            return t
    return t
# something otherwise
def f(n):
    t = 0
    for i in range(2, 90):
        if n % i == 0:
            t += 1
        else:
            t -= 1
    return t
# no divisor
def f(n):
    for i in range(2, 90):
        if n % i != 0:
            return i
# a remainder
def f(n):
    for i in range(2, 90):
        if n % i == 1:
            return i
# divided the other way
def f(n):
    for i in range(2, 90):
        if n and i % n == 0:
            return i
# a list
def f(n):
    return [i * 2 for i in range(1, 400) if n % i == 0]
# a sum
def f(n):
    return sum(i for i in range(1, n) if n % i == 0)
# a set
def f(n):
    return len({i % 3 for i in range(1, 400) if n % i == 0})
# two conditions
def f(n):
    return [i for i in range(1, 400) if n % i == 0 if i % 2]
# the number of the loop around
def f(n):
    return [[k for k in range(1, m + 1) if m % k == 0] for m in range(1, 30)]
# any
def f(n):
    return any(n % i == 0 for i in range(2, n))
# not any
def f(n):
    return any(n % i for i in range(2, n))
# any remainder
def f(n):
    return any(n % i != 0 for i in range(2, n))
# all
def f(n):
    return all(n % i for i in range(2, n))
# all are no divisors
def f(n):
    return all(n % i != 0 for i in range(2, n))
# all leave something
def f(n):
    return all(n % i > 0 for i in range(2, n))
# all leave less than nothing
def f(n):
    return all(0 > n % i for i in range(2, n))
# all leave more than one
def f(n):
    return all(n % i > 1 for i in range(2, n))
# all are divisors
def f(n):
    return all(n % i == 0 for i in range(1, n))
# all of a list
def f(n):
    return all([n % i != 0 for i in range(2, n)])
# all of some
def f(n):
    return all(n % i for i in range(2, n) if i % 2)
# its own all
def all(x):
    return len(list(x))
def f(n):
    return all(n % i for i in range(2, n))
# its own range
def range(a, b):
    return [b, a]
def f(n):
    return [i for i in range(2, 5) if n % i == 0]
# factors
def f(n):
    if n < 1:
        return []
    i, found = 2, []
    while n > 1:
        if n % i == 0:
            found.append(i)
            n //= i
        else:
            i += 1
    return found
# factors, inside
def f(n):
    i, found = 2, []
    while i <= n:
        while n % i == 0:
            found.append(i)
            n = n // i
        i += 1
    return found, i
# factors, to the root
def f(n):
    i, found = 2, []
    while i * i <= n:
        if n % i == 0:
            found.append(i)
            n = n // i
        else:
            i = i + 1
    return found, n, i
# the smallest divisor
def f(n):
    i = 2
    while i ** 2 <= n:
        if n % i == 0:
            return i
        i += 1
    return n, i
# below the root
def f(n):
    i = 3
    while i < int(abs(n) ** 0.5) + 7:
        if n % i == 0:
            return i
        i += 2
    return i
# from the other side
def f(n):
    i = 2
    while n > i and n >= i:
        if n % i == 0:
            return i
        i += 3
    return i
# floats
def f(n):
    i, found = 2, []
    while n > 1:
        if n % i == 0:
            found.append(n)
            n /= i
        else:
            i += 1
    return found
# goes on after a divisor
def f(n):
    i, t = 1, 0
    while i < 60:
        if n % i == 0:
            t += i
            if t > 20:
                break
        i += 1
    return t, i
# a condition that comes back
def f(n):
    i = 1
    while i % 7 != 5 and i < 60:
        if n % i == 0:
            i += 1
        else:
            i += 1
    return i
# either
def f(n):
    i = 2
    while i < 5 or n > 60 and i < 30:
        if n % i == 0:
            return i
        i += 1
    return i
# a condition that does something
def f(n):
    xs, i = [9, 8, 7, 6, 5, 4, 3], 1
    while i < xs.pop():
        if n % i == 0:
            n += 1
        i += 1
    return i, xs
# from zero
def f(n):
    i = 0
    while i < 9:
        if i and n % i == 0:
            return i
        i += 1
# from below zero
def f(n):
    i = -5
    while i < 0:
        if n % i == 0:
            return i
        i += 1
# counted otherwise
def f(n):
    i = 2
    while i < 60:
        if n % i == 0:
            return i
        i += i
    return i
# a loop that makes all its rounds
def f(n):
    t = 0
    for i in range(1, 50):
        t += i
    return t
"""
LOOPS = {part.partition("\n")[0]: part.partition("\n")[2] for part in LOOPS_TEXT.removeprefix("# ").split("\n# ")}


def copied(source: str, add_rounds: Callable[[int], None], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The function of the copy that is made of a program, with every shortcut taken."""
    monkeypatch.setattr(trial_division, "_FEW", 0)
    taken = trial_division.Shortcuts(add_rounds)
    namespace: dict[str, Any] = {
        "__watch_calls": lambda function: function,
        "__watch_loop": nontermination._Loop,  # pyright: ignore[reportPrivateUsage]
        "__watch_locals": locals,
        "__watch_range": taken.of_range,
        "__watch_search": taken.of_search,
        "__watch_all": taken.of_all,
    }
    tree = nontermination._watched(ast.parse(source))  # pyright: ignore[reportPrivateUsage]
    exec(compile(tree, "<copy>", "exec"), namespace)
    return namespace["f"]


def told(function: Any, number: Any) -> Any:
    try:
        return function(number)
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("name", LOOPS)
def test_the_copy_gives_the_same(name: str, monkeypatch: pytest.MonkeyPatch):
    source = LOOPS[name]
    plain: dict[str, Any] = {}
    exec(source, plain)
    copy = copied(source, lambda rounds: None, monkeypatch)

    for number in NUMBERS:
        expected = told(plain["f"], number)
        assert told(copy, number) == expected, number


COUNTED = {
    "is prime": 2 * 95,
    "up to the root": 2 * 7,
    "two at a time": 2 * 38,
    "any": 2 * 94,
    "all": 2 * 94,
    "factors": 2 * 95,
    "factors, to the root": 2 * 7,
    "a loop that makes all its rounds": 48,
    "something else is done": 0,
    "no divisor": 0,
    "a condition that comes back": 0,
    "counted otherwise": 0,
    "its own all": 0,
}


@pytest.mark.parametrize("name", COUNTED)
def test_rounds_that_are_left_out_are_counted(name: str, monkeypatch: pytest.MonkeyPatch):
    """With the prime 97; a round that divides counts twice, and one that is made anyway may count too."""
    rounds: list[int] = []
    copied(LOOPS[name], rounds.append, monkeypatch)(97)

    assert abs(sum(rounds) - COUNTED[name]) <= 2
    assert COUNTED[name] == 0 or sum(rounds) <= COUNTED[name]
