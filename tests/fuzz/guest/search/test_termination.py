"""Proofs that a call never ends: only by a state that comes again, never by the clock or a count."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.calling.call_clock import CallClock
from lsp_evalplus.fuzz.guest.calling.rows import Layout
from lsp_evalplus.fuzz.guest.calling.subject import Subject, parameters_of
from lsp_evalplus.fuzz.guest.inference.annotations import shape_of_hint
from lsp_evalplus.fuzz.guest.inference.hints import hints_of
from lsp_evalplus.fuzz.guest.search import termination
from lsp_evalplus.fuzz.guest.search.termination import NonTermination

STANDSTILL = "def f(n):\n    while n != 1:\n        n = n // 2\n    return n\n"
CASES = [
    ("a state comes again", STANDSTILL, "f", (0,), True),
    ("the same loop ends", STANDSTILL, "f", (9,), False),
    ("two states in turn", "def f(n):\n    while n:\n        n = 3 - n\n    return n\n", "f", (1,), True),
    ("always another state", "def f(n):\n    while n:\n        n += 1\n    return n\n", "f", (1,), False),
    ("merely slow", "def f(n):\n    while n:\n        n -= 1\n    return n\n", "f", (10**9,), False),
    ("a method", "class C:\n    def f(self):\n        while self:\n            pass\n", "C.f", (1,), False),
]


@pytest.mark.parametrize(("name", "source", "qualname", "row", "is_proven"), CASES, ids=[case[0] for case in CASES])
def test_proofs(
    name: str,
    source: str,
    qualname: str,
    row: Any,
    is_proven: bool,
    clock: CallClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if is_proven:
        monkeypatch.setattr(termination, "PROOF_SECONDS", 60.0)
    subject = Subject({"source": source, "qualname": qualname})
    parameters = parameters_of(subject, hints_of(subject.loaded.function), shape_of_hint)

    prover = NonTermination(subject, Layout(parameters, subject.loaded, qualname), clock)

    assert prover.is_proven(row) is is_proven, name
