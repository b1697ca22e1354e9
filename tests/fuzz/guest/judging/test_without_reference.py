"""Candidates judged alone: by their annotations, by their contracts, and by exceptions that nobody expects."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.calling.call_clock import CallClock
from lsp_evalplus.fuzz.guest.calling.invocation import CallForm
from lsp_evalplus.fuzz.guest.calling.subject import Programs, Subject
from lsp_evalplus.fuzz.guest.judging.factory import Bench, Brief, demands_of, make_judge
from lsp_evalplus.fuzz.guest.judging.judge import CODES

POSITIVE = {"styles": ["pep316"], "preconditions": ["x > 0"], "postconditions": ["__return__ >= x"]}
DOCUMENTED = {"raises": ["ZeroDivisionError"]}
CASES: list[tuple[str, dict[str, Any], str, Any, str, str]] = [
    ("annotation", {}, "def f(x) -> int: return x", 1, "agree", ""),
    ("annotation", {}, "def f(x) -> int: return x", "a", "differ", "annotation"),
    ("annotation", {}, "def f(x) -> list[int]: return [x]", "a", "differ", "annotation"),
    ("annotation", {}, "def f(x): return x", "a", "agree", ""),
    ("annotation", {}, "def f(x) -> int: return 1 // x", 0, "rejected", ""),
    ("annotation", {}, "def f(x) -> int: raise MemoryError", 0, "undecided", ""),
    ("contract", POSITIVE, "def f(x): return x", 1, "agree", ""),
    ("contract", POSITIVE, "def f(x): return x - 1", 1, "differ", "contract"),
    ("contract", POSITIVE, "def f(x): return x - 1", 0, "rejected", ""),
    ("contract", POSITIVE, "def f(x) -> str: return x", 1, "differ", "annotation"),
    ("robustness", {}, "def f(x): return 1 // x", 1, "agree", ""),
    ("robustness", {}, "def f(x): return 1 // x", 0, "differ", "raised ZeroDivisionError"),
    ("robustness", {}, "def f(x): return {}[x]", 0, "differ", "raised KeyError"),
    ("robustness", {}, "def f(x):\n    raise KeyError(x)", 0, "rejected", ""),
    ("robustness", {}, "def f(x): return int('x')", 0, "rejected", ""),
    ("robustness", DOCUMENTED, "def f(x): return 1 // x", 0, "rejected", ""),
    ("robustness", {}, "def f(x) -> str: return x", 0, "agree", ""),
    ("robustness", {}, "def f(x):\n    while True: pass", 0, "slow", ""),
]


@pytest.mark.parametrize(("kind", "contract", "source", "value", "code", "difference"), CASES)
def test_judgements(
    kind: str, contract: dict[str, Any], source: str, value: Any, code: str, difference: str, clock: CallClock
) -> None:
    brief = Brief(kind, contract, is_previous=False)
    programs = Programs(Subject({"source": source, "qualname": "f"}), None)

    judge = make_judge(brief, programs, Bench(CallForm(), clock, None), demands_of(brief, programs))
    found = judge.run((value,))

    assert (CODES[found.code], found.difference) == (code, difference)
    assert (found.expected is not None) is (code == "differ"), "a sentence says what is broken"
    assert not judge.has_reference
