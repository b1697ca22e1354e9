"""Programs that are judged in one process get the verdicts that each of them gets alone."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from lsp_evalplus.bench.judging.expected import ExpectedPart, PartOutputs
from lsp_evalplus.bench.judging.part_judge import Ended, PartJudge
from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.problem import Part, Problem
from lsp_evalplus.bench.running.batch import FIRST_INPUTS, LONGEST_MEMBER, Member, judge_batch
from lsp_evalplus.bench.running.evaluate import EvaluationResult
from lsp_evalplus.bench.running.guest_client import BatchReply, Guests, Place, ProgramReply, RunLimits, RunSettings
from lsp_evalplus.bench.running.statefulness import may_remember

LIMITS = RunLimits(1.0, 60.0, 1.0)
BASE, PLUS = 3, 30
TIMED_OUT = {"kind": "timed_out", "text": ""}
RAISED = {"kind": "raised", "text": "ValueError: no"}
DIGEST = {"digest": "0" * 64}


@dataclass
class Life:
    """What a program does: an outcome where it is not the right one, whether it can be loaded, where it dies."""

    wrong: dict[Place, Any] = field(default_factory=dict[Place, Any])
    load_error: Ended | None = None
    dies_at: Place | None = None
    is_refused: bool = False


class Script:
    """Guests in which programs live as it is written, by their text; `rounds` are the programs and places of each."""

    def __init__(self, lives: dict[str, Life]) -> None:
        self._lives = lives
        self.rounds: list[tuple[list[str], int]] = []

    def start_batch(
        self,
        problem: Problem,
        sources: Sequence[str],
        limits: RunLimits,
        places: Sequence[Place],
        stop_from: int | None,
        *,
        is_surveyed: bool,
    ) -> Script:
        self.rounds.append((list(sources), len(places)))
        self._settings = RunSettings(problem, sources, limits, places, stop_from)
        return self

    async def reports(self) -> AsyncGenerator[BatchReply]:
        for of, source in enumerate(self._settings.sources):
            for report in self._live(of, self._lives[source]):
                yield report

    def _live(self, of: int, life: Life) -> Iterator[BatchReply]:
        if life.is_refused:
            return
        if life.load_error is not None:
            yield BatchReply(of, None, life.load_error, is_done=False)
        first = 0
        for outcomes in () if life.load_error else self._batches(life):
            if outcomes is None:
                return
            yield BatchReply(of, ProgramReply(self._settings, first, outcomes, {}), None, is_done=False)
            first += len(outcomes)
        yield BatchReply(of, None, None, is_done=True)

    def _batches(self, life: Life) -> Iterator[list[Any] | None]:
        """Outcomes, a few at a time; None at its death."""
        outcomes: list[Any] = []
        for number, place in enumerate(self._settings.places):
            if place == life.dies_at:
                yield None
            outcome = life.wrong.get(place, str(place[1]))
            outcomes.append(outcome)
            kind = "" if isinstance(outcome, str) else outcome.get("kind")
            stop_from = self._settings.stop_from
            if kind == "timed_out" or (kind and stop_from is not None and number >= stop_from):
                break
            if number % 5 == 4:
                yield outcomes
                outcomes = []
        yield outcomes


def at(part: Part, index: int) -> Place:
    return part, index


REFUSED = Ended("refused", "no", None, "no")
REFUSED_LATE = Ended("refused", "no", None, "no", is_timeout=True)
LIVES = {
    "right": Life(),
    "wrong at once": Life({at(Part.BASE, 0): "7", at(Part.PLUS, 0): "7"}),
    "wrong in base alone": Life({at(Part.BASE, 1): "7"}),
    "raises in base alone": Life({at(Part.BASE, 1): RAISED}),
    "raises late": Life({at(Part.PLUS, 20): RAISED}),
    "raises everywhere": Life({at(part, n): RAISED for part in Part for n in range(PLUS)}),
    "right after the first round, then wrong": Life({at(Part.PLUS, FIRST_INPUTS): "7"}),
    "time-out in base": Life({at(Part.BASE, 1): TIMED_OUT}),
    "time-out in plus": Life({at(Part.PLUS, 2): TIMED_OUT}),
    "time-out in base after a failure": Life({at(Part.BASE, 0): "7", at(Part.BASE, 1): TIMED_OUT}),
    "time-out in plus after a failure in base": Life({at(Part.BASE, 0): "7", at(Part.PLUS, 2): TIMED_OUT}),
    "time-out late": Life({at(Part.PLUS, 29): TIMED_OUT}),
    "large values": Life({at(Part.PLUS, 1): DIGEST}),
    "large values after a failure": Life({at(Part.BASE, 0): "7", at(Part.PLUS, 0): "7", at(Part.PLUS, 1): DIGEST}),
    "cannot be loaded": Life(load_error=REFUSED),
    "cannot be loaded in time": Life(load_error=REFUSED_LATE),
    "dies at once": Life(dies_at=(Part.BASE, 0)),
    "dies late": Life(dies_at=(Part.PLUS, 25)),
    "dies after it failed": Life({at(Part.BASE, 0): "7", at(Part.PLUS, 0): "7"}, dies_at=(Part.PLUS, 7)),
    "is not let in": Life(is_refused=True),
    "x" * (LONGEST_MEMBER + 1): Life(),
}
ALONE = {
    "time-out in base after a failure", "large values", "dies at once", "dies late", "is not let in",
    "dies after it failed", "x" * (LONGEST_MEMBER + 1),
}  # fmt: skip


def judge(
    problem: Problem, names: Sequence[str], parts: Sequence[Part] = tuple(Part), *, details: bool = False
) -> tuple[dict[str, Member], Script]:
    script = Script(LIVES)
    outputs = {part: PartOutputs([str(n) for n in range(len(problem.inputs(part)))]) for part in parts}
    members = {
        name: Member(name, [PartJudge(ExpectedPart(problem, part, outputs[part]), details=details) for part in parts])
        for name in names
    }
    asyncio.run(judge_batch(cast("Guests", script), problem, list(members.values()), LIMITS))
    return members, script


def found(member: Member) -> str:
    """What is known of each part: ``p`` passed, ``f`` failed, ``t`` the time of a call was over, ``?`` nothing yet."""
    if member.is_alone:
        return "alone"
    return "".join(
        "t" if part.has_timed_out else "?" if not part.is_decided else "f" if part.has_failed else "p"
        for part in member.judges
    )


@pytest.fixture
def many(make_problem: Callable[..., Problem]) -> Problem:
    return make_problem(base_inputs=[[n] for n in range(BASE)], plus_inputs=[[n] for n in range(PLUS)])


def test_what_is_found_of_each(many: Problem) -> None:
    members, script = judge(many, list(LIVES))

    assert {name: found(member) for name, member in members.items() if name not in ALONE} == {
        "right": "pp",
        "wrong at once": "ff",
        "wrong in base alone": "fp",
        "raises in base alone": "fp",
        "raises late": "pf",
        "raises everywhere": "ff",
        "right after the first round, then wrong": "pf",
        "time-out in base": "t?",
        "time-out in plus": "pt",
        "time-out in plus after a failure in base": "ft",
        "time-out late": "pt",
        "large values after a failure": "ff",
        "cannot be loaded": "ff",
        "cannot be loaded in time": "tt",
    }
    assert {name for name, member in members.items() if member.is_alone} == ALONE
    rounds = [(len(sources), places) for sources, places in script.rounds]
    assert rounds == [(len(LIVES) - 1, BASE + FIRST_INPUTS), (len(script.rounds[1][0]), PLUS - FIRST_INPUTS)]
    assert {"right", "time-out late", "dies late", "raises late"} <= set(script.rounds[1][0])
    assert not {"wrong at once", "time-out in plus", "dies at once"} & set(script.rounds[1][0])


@pytest.mark.parametrize("name", [name for name in LIVES if name not in ALONE])
def test_a_program_is_judged_as_if_it_were_the_only_one(name: str, many: Problem) -> None:
    together, _ = judge(many, list(LIVES))
    alone, _ = judge(many, [name])
    assert [part.verdicts() for part in together[name].judges] == [part.verdicts() for part in alone[name].judges]


def test_with_details_there_is_one_round(many: Problem) -> None:
    members, script = judge(many, list(LIVES), details=True)

    assert [places for _, places in script.rounds] == [BASE + PLUS]
    (_, plus) = members["raises everywhere"].judges
    assert [failure.index for failure in plus.verdicts()[Rule.STRICT].failures] == list(range(PLUS))
    assert found(members["raises everywhere"]) == "ff"
    assert found(members["time-out in base after a failure"]) == "t?"


def test_base_only(many: Problem) -> None:
    members, script = judge(many, ["right", "time-out in base", "raises in base alone", "dies late"], [Part.BASE])
    assert [found(member) for member in members.values()] == ["p", "t", "f", "p"]
    assert len(script.rounds) == 1


@pytest.mark.parametrize(("base", "plus"), [(2, 0), (0, 2), (0, 0)])
def test_parts_without_inputs(base: int, plus: int, make_problem: Callable[..., Problem]) -> None:
    problem = make_problem(base_inputs=[[n] for n in range(base)], plus_inputs=[[n] for n in range(plus)])
    members, script = judge(problem, ["right", "large values after a failure"])
    assert found(members["right"]) == "pp"
    assert len(script.rounds) == (1 if base + plus else 0)


@pytest.mark.parametrize(
    ("program", "remembers"),
    [
        ("def f(x, y=(), z=-1.5, *, k: str = 'a', n=None):\n    return x\n", False),
        ("def f(g=lambda x=1, y='': x):\n    return g\n", True),
        ("def f(x):\n    return sorted(x, key=lambda y, k=2: y[k:])\n", False),
        ("x = 'a=[]'\ndef f(x: str = 'é') -> dict: return {x: [1]}\n", False),
        ("if __name__ == '__main__':\n    x = []\n", False),
        ("if __name__ == '__main__':\n    pass\nelse:\n    x = []\n", True),
        ("if __name__ != '__main__':\n    x = []\n", True),
        ("__name__ = '__main__'\nif __name__ == '__main__':\n    x = []\n", True),
        ("def f (x, y=[]):\n    return x\n", True),
        ("def f(x=(), y=[]):\n    return x\n", True),
        ("def f(x: C(1), y=None or []):\n    return x\n", True),
        ("def f(g=lambda x, s=[]: s):\n    return g\n", True),
        ("@once\ndef f(x):\n    return x\n", True),
        ("import math; x = []\n", True),
        ("(x) = []\n", True),
        ("[x] = [[]]\n", True),
        ("assert (x := [1])\n", True),
        ("é = []\n", True),
        ("from functools import *\ndef g():\n    @lru_ｃache(None)\n    def f(x): return []\n    return f\n", True),
        ("x: Dict[\n    str, int\n] = {}\n", True),
        ("x \\\n = []\n", True),
    ],
)  # fmt: skip
def test_programs_that_may_remember_are_known(program: str, remembers: bool) -> None:
    assert may_remember(program) is remembers


@pytest.mark.parametrize(
    "unit", ["a,\n", "a,", "def f(", "def f(a=1,", "lambda ", "=  ", "((a", "a[", ".a", "x:", " a.b"]
)
@pytest.mark.parametrize("start", ["", "def f(", " a.b"])
def test_no_text_takes_long(start: str, unit: str) -> None:
    began = time.process_time()
    may_remember(start + unit * (200_000 // len(unit)))
    assert time.process_time() - began < 20  # By the square of the length it would be minutes.


TASK = {
    "task_id": "Task/0",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "canonical_solution": "    return [x, [x]]\n",
    "contract": "",
    "base_input": [[1], [2], [3]],
    "plus_input": [[number] for number in range(30)],
    "atol": 0,
}
ONCE = """
def once(g):
    seen = []
    def h(x):
        seen.append(x)
        return g(x) if len(seen) < 12 else seen
    return h
"""
PROGRAMS = [
    "def f(x):\n    return [x, [x]]",
    "def f(x):\n    return [x, (x,)]",
    "def f(x):\n    return [x, [x + (x == 20)]]",
    "def f(x):\n    if x == 3: raise ValueError(x)\n    return [x, [x]]",
    "def f(x):\n    while x == 25: pass\n    return [x, [x]]",
    "def f(x):\n    if x == 1: return 0\n    while x == 2: pass\n    return [x, [x]]",
    "def f(x):\n    if x == 22: return 10 ** 10 ** 10\n    return [x, [x]]",
    "import os\ndef f(x):\n    if x == 9: os._exit(0)\n    return [x, [x]]",
    "def f(x):\n    return [x, [x]] if x != 5 else [[x] * 50000]",
    "def f(x):\n    return [x, [x]] if x != 5 else f(x)",
    "def f(x):\n    return [x, bytes(1 << 44)]",
    "def f(x)\n    return 1",
    "def g(x):\n    return 1",
    "raise SystemExit",
    "def f(x, s=(), t=[]):\n    t.append(x)\n    return [x, [x]] if len(t) < 12 else t",
    ONCE + "@once\ndef f(x):\n    return [x, [x]]",
    "import string as __builtins__\ndef f(x):\n    return [x, [x]]",
]


def verdicts(evaluated: Callable[..., EvaluationResult], folder: Path, *, details: bool) -> dict[str, Any]:
    outcome = evaluated(folder, [TASK], [("Task/0", program) for program in PROGRAMS], test_details=details)
    return {digest: verdict.to_json() for (_, digest), verdict in outcome.verdicts.items()}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs fork servers")
@pytest.mark.parametrize("details", [False, True])
def test_company_makes_no_difference(
    details: bool, evaluated: Callable[..., EvaluationResult], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    companies: list[int] = []
    start = Guests.start_batch

    def note(guests: Guests, problem: Problem, sources: Sequence[str], *more: Any, **most: Any) -> Any:
        companies.append(len(sources))
        return start(guests, problem, sources, *more, **most)

    monkeypatch.setattr(Guests, "start_batch", note)
    together = verdicts(evaluated, tmp_path / "together", details=details)
    monkeypatch.setattr("lsp_evalplus.bench.running.task_queue.MOST_TOGETHER", 1)
    assert max(companies) > 5
    companies.clear()
    alone = verdicts(evaluated, tmp_path / "alone", details=details)

    assert not companies
    assert together == alone
    assert len(alone) == len(PROGRAMS)
