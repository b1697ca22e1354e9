"""Functions that do not end: told at once where that can be proven, and never of one that is merely slow."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job, Run
from lsp_evalplus.fuzz.model import OutcomeKind, Tier, Verdict

PROVEN = "it comes back to an earlier state"
DIGITS = """
def f(n: int) -> int:
    return len(str(abs(n)))
"""
CONTAINS = """
def f(xs: list[int], x: int) -> bool:
    return x in xs
"""
A_NUMBER_STAYS = """
def f(n: int) -> int:
    count = 0
    while n != 0:
        n //= 10
        count += 1
    return max(count, 1)
"""
BOUNDS_STAY = """
def f(xs: list[int], x: int) -> bool:
    xs = sorted(xs)
    low, high = 0, len(xs)
    while low < high:
        middle = (low + high) // 2
        if xs[middle] == x:
            return True
        if xs[middle] < x:
            low = middle
        else:
            high = middle
    return False
"""
AMONG_OTHER_THINGS = """
import os
from dataclasses import dataclass

BASE = 10

@dataclass
class Number:
    value: int

def shorter(n: int) -> int:
    return n // BASE

def f(n: int, place: Number | None = None) -> int:
    count = 1
    while n >= BASE or n < 0:
        n = shorter(n)
        count += 1
    return count
"""
ALWAYS_ANOTHER_STATE = """
def f(n: int) -> int:
    while n < 0:
        n -= 1
    return len(str(n))
"""
FIBONACCI = """
def f(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
"""
NAIVE = """
def f(n: int) -> int:
    return n if n in (0, 1) else 0 if n < 0 else f(n - 1) + f(n - 2)
"""


LARGER_AND_LARGER = """
def f():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
"""
SLOWER_AND_SLOWER = """
def f():
    found = []
    n = 2
    while True:
        if all(n % p for p in found):
            found.append(n)
            yield n
        n += 1
"""


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        (DIGITS, A_NUMBER_STAYS),
        (CONTAINS, BOUNDS_STAY),
        pytest.param(DIGITS, AMONG_OTHER_THINGS, marks=pytest.mark.slow),
    ],
    ids=["a number stays", "bounds stay", "among other things"],
)
def test_a_loop_that_comes_back_is_told_at_once(judge: Any, reference: str, candidate: str) -> None:
    report = judge(reference, candidate)

    found = report.counterexample
    assert found is not None, report
    assert (found.tier, found.candidate.kind, found.candidate.text) == (Tier.HANG, OutcomeKind.TIMED_OUT, PROVEN)


@pytest.mark.slow
def test_a_loop_that_goes_on_and_on_is_waited_for(judge: Any) -> None:
    found = judge(DIGITS, ALWAYS_ANOTHER_STATE).counterexample

    assert found is not None
    assert (found.tier, found.candidate.text) == (Tier.HANG, "it was ended after 1.5 seconds")


@pytest.mark.slow
def test_what_is_merely_slow_is_no_endless_loop(judge: Any) -> None:
    """Its calls on larger numbers are more than any time is enough for; only the limit of the stack is a difference."""
    found = judge(FIBONACCI, NAIVE).counterexample

    assert found is None or found.candidate.text.startswith("RecursionError"), found


@pytest.mark.slow
def test_generators_that_yield_larger_and_larger_ones_are_compared(judge: Any) -> None:
    report = judge(LARGER_AND_LARGER, LARGER_AND_LARGER, calls=None, seconds=1.0)

    assert report.verdict is Verdict.AGREES, report


@pytest.mark.slow
def test_what_does_not_end_in_time_is_not_told_to_refuse_its_inputs(judge: Any) -> None:
    assert judge(SLOWER_AND_SLOWER, SLOWER_AND_SLOWER).reason == "the reference does not end in time"


@pytest.mark.slow
def test_a_pattern_that_is_tried_in_too_many_ways(judge: Any) -> None:
    reference = "import re\ndef f(path: str) -> bool:\n    return bool(re.fullmatch('[a-z]+(?:-[a-z]+)*', path))"
    report = judge(reference, reference.replace("[a-z]+(?:-[a-z]+)*", "(?:[a-z]+-?)*[a-z]+"), calls=None, seconds=0.2)

    found = report.counterexample
    assert found is not None, report
    assert (found.tier, found.candidate.kind) == (Tier.HANG, OutcomeKind.TIMED_OUT)
    assert found.call == f"f({'a' * 29 + '!'!r})"


def test_a_pattern_that_is_written_otherwise(judge: Any) -> None:
    reference = "import re\ndef f(path: str) -> bool:\n    return bool(re.fullmatch('[a-z]+(?:-[a-z]+)*', path))"
    report = judge(reference, reference.replace("[a-z]+(?:-[a-z]+)*", "(?:[a-z]+-)*[a-z]+"))

    assert report.verdict is Verdict.AGREES, report


@pytest.mark.slow
def test_a_text_that_a_pattern_backtracks_on_is_found_again(judge: Any) -> None:
    reference = 'import re\ndef f(text: str) -> bool:\n    return bool(re.match(r"^\\w+(,\\w+)*$", text))\n'
    candidate = 'import re\ndef f(text: str) -> bool:\n    return bool(re.match(r"^(\\w+,?)*\\w$", text))\n'

    report = judge(reference, candidate, "f", calls=None, seconds=1.0, seeds=["('" + "a" * 29 + "!',)"])

    assert report.counterexample is not None, report
    assert report.counterexample.tier is Tier.HANG


ENDLESS_IN_C = """\
import itertools
def f(n: int) -> int:
    if n == 7:
        return sum(itertools.repeat(1))
    return n * 2
"""
"""No tick is heard there: only the end of the process ends it."""


@pytest.mark.slow
def test_c_code_that_does_not_end(judge: Any) -> None:
    report = judge("def f(n: int) -> int:\n    return n * 2\n", ENDLESS_IN_C)

    found = report.counterexample
    assert found is not None, report
    assert (found.call, found.tier) == ("f(7)", Tier.HANG)
    assert found.candidate.text == "it was ended after 1.5 seconds"


@pytest.mark.slow
def test_c_code_of_an_example_that_does_not_end(judge: Any) -> None:
    """How long it may take is not known, so that is no finding."""
    program = ENDLESS_IN_C.replace("int:\n", 'int:\n    """\n    >>> f(7)\n    14\n    """\n', 1)

    report = judge(program, program, kind="examples")

    assert report.verdict is Verdict.NOT_CHECKED
    assert report.reason.endswith(" takes too long")


@pytest.mark.slow
def test_a_search_goes_on_after_c_code_took_long(judge: Any) -> None:
    reference = "def f(n: int) -> int:\n    return sum(range(n + 1))\n"

    assert judge(reference, "def f(n: int) -> int:\n    return max(n, 0) * (n + 1) // 2\n").verdict is Verdict.AGREES
    report = judge(reference, "def f(n: int) -> int:\n    return max(n, 0) * (n + 1) // 2 + (n == 1000)\n")
    assert report.counterexample is not None, report
    assert report.counterexample.call == "f(1000)"


@pytest.mark.slow
def test_what_takes_too_much_is_named(judge: Any) -> None:
    program = """
import threading

def f(n: int) -> int:
    done = threading.Event()
    for _ in range(200):
        threading.Thread(target=done.wait, daemon=True).start()
    done.wait()
    return n
"""

    report = judge(program, program.replace("return n", "return n + 0"))

    assert (report.verdict, report.reason) == (Verdict.NOT_CHECKED, "it takes more than 128 threads")


@pytest.mark.slow
def test_a_module_that_takes_too_long(judge: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is loaded once: another attempt would take as long."""
    started: list[str] = []
    start = GuestPool.start

    def noted(pool: GuestPool, job: Job) -> Run:
        started.append(job.kind)
        return start(pool, job)

    monkeypatch.setattr(GuestPool, "start", noted)
    monkeypatch.setattr("lsp_evalplus.fuzz.engine.check.IMPORT_SECONDS", 1.0)
    program = "NUMBERS = sum(0 for _ in iter(int, 1))\n\ndef f(n: int) -> int:\n    return NUMBERS\n"

    report = judge(program, program.replace("return NUMBERS", "return NUMBERS + 0"), seconds=1.0)

    assert (report.verdict, report.reason) == (Verdict.NOT_CHECKED, "loading it takes too long")
    assert started == ["explore"]
