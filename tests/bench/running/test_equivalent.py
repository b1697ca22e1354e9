"""Programs that do the same are judged once, and each gets the verdict that it would get alone."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.problem import Part, Problem
from lsp_evalplus.bench.running.equivalent import (
    CHARACTERS_SURVEYED,
    LONGEST_SURVEYED,
    MOST_SURVEYED,
    EquivalentPrograms,
)
from lsp_evalplus.bench.running.evaluate import EvaluationResult
from lsp_evalplus.bench.running.guest_client import GuestProfile, Guests
from lsp_evalplus.bench.running.sample_states import Unjudged
from lsp_evalplus.fuzz.errors import WorkerError
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs processes that fork")

TASK = {
    "task_id": "Task/0",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "canonical_solution": "    return [x, x + 1]\n",
    "contract": "",
    "base_input": [[1], [2]],
    "plus_input": [[number] for number in range(40)],
    "atol": 0,
}
RIGHT = "def f(x):\n    y = x + 1\n    return [x, y]\n"
LOOP = "def f(x):\n    while x > 5:\n        pass\n    return [x, x + 1]\n"
FAMILIES = [
    [RIGHT, RIGHT.replace("y", "z"), "# One.\n" + RIGHT, RIGHT.replace("x", "number")],
    ["def f(x):\n    return [x, x + 1 + (x > 9)]\n", "def f(y):\n    return [y, y + 1 + (y > 9)]\n"],
    ["def f(x):\n    return [x, wrong]\n", "def f(y):\n    return [y, wrong]\n"],
    [
        "def f(x):\n    if x > 1:\n        y = 1\n    return [x, y + x]\n",
        "def f(x):\n    if x > 1:\n        z = 1\n    return [x, z + x]\n",
    ],
    [LOOP, LOOP.replace("x", "y")],
    ["def f(x):\n    return [x, x + 1]\nassert f(0)[1] > 1\n", "\ndef f(y):\n    return [y, y]\nassert f(0)[1] > 1\n"],
    ["import os\ndef f(x):\n    return [x, x + 1]\n", "import os\n\ndef f(x):\n    return [x, x + 1]\n"],
    ["def f(x)\n    return [x, x + 1]\n", "\ndef f(x)\n    return [x, x + 1]\n"],
]  # fmt: skip
PROGRAMS = [program for family in FAMILIES for program in family]


@pytest.fixture
def verdicts(evaluated: Callable[..., EvaluationResult]) -> Callable[..., dict[str, Any]]:
    def judge(folder: Path, *, isolate: bool, details: bool, programs: Sequence[str] = PROGRAMS) -> dict[str, Any]:
        told: list[str] = []
        outcome = evaluated(
            folder,
            [TASK],
            [("Task/0", program) for program in programs],
            on_verdict=lambda task, digest, verdict: told.append(digest),
            test_details=details,
            isolate=isolate,
        )
        assert len(told) == len(set(told)) == len(programs)
        return {digest: verdict.to_json() for (_, digest), verdict in outcome.verdicts.items()}

    return judge


@pytest.mark.slow
@pytest.mark.parametrize("details", [False, True])
def test_verdicts_are_those_of_programs_that_are_judged_alone(
    details: bool, verdicts: Callable[..., dict[str, Any]], tmp_path: Path, ran: list[str]
):
    together = verdicts(tmp_path / "together", isolate=False, details=details)
    seen = set(ran)
    alone = verdicts(tmp_path / "alone", isolate=True, details=details)

    assert together == alone
    assert len(alone) == len(PROGRAMS)
    # One of those that return values, and of those that loop. What an exception says is each one's own.
    runs = [len(seen.intersection(family)) for family in FAMILIES]
    assert runs == [1, 1, 2, 2, 1, 2, 2, 2]


def test_a_single_program_is_not_surveyed(
    verdicts: Callable[..., dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    surveys: list[int] = []

    async def survey(_: Guests, programs: Sequence[str]) -> list[str | None]:
        surveys.append(len(programs))
        return [None] * len(programs)

    monkeypatch.setattr(Guests, "survey", survey)

    verdicts(tmp_path / "single", isolate=False, details=False, programs=[RIGHT])
    assert surveys == []
    verdicts(tmp_path / "several", isolate=False, details=False)
    assert surveys == [len(PROGRAMS)]
    verdicts(tmp_path / "isolated", isolate=True, details=False)
    assert surveys == [len(PROGRAMS)]


class _Reader:
    """Stands for guests: says which programs are alike without reading them, and notes what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def survey(self, programs: Sequence[str]) -> list[str | None]:
        self.asked.append(list(programs))
        await asyncio.sleep(0)
        return [None if program.startswith("?") else program[:1] for program in programs]


def problems(tmp_path: Path) -> Iterator[Problem]:
    (tmp_path / "tasks.jsonl").write_text(
        "".join(json.dumps({**TASK, "task_id": f"Task/{number}"}) + "\n" for number in range(3))
    )
    yield from load_dataset(str(tmp_path / "tasks.jsonl")).problems.values()


def test_who_waits_for_whom(tmp_path: Path):
    one, other, third = problems(tmp_path)
    order = [(one, "a1"), (other, "a2"), (one, "a3"), (one, "b"), (other, "?"), (third, "a"), (one, "?2")]
    jobs = [Unjudged(problem, f"{problem.task_id} {program}", program, tuple(Part)) for problem, program in order]
    equivalent, reader = EquivalentPrograms(), _Reader()
    kept = asyncio.run(equivalent.find(cast("Guests", reader), jobs, 2))

    assert reader.asked == [["a1", "a3", "b", "?2", "a2", "?"]]
    assert [(job.solution, job.is_harmless, job.is_alone) for job in kept] == [
        ("a1", True, False),
        ("a2", True, False),
        ("b", True, False),
        ("?", False, True),
        ("a", False, False),
        ("?2", False, True),
    ]
    assert [job.solution for job in equivalent.take(kept[0])] == ["a3"]
    assert equivalent.take(kept[0]) == equivalent.take(kept[1]) == []


def test_guests_that_do_not_work_are_told_as_such(tmp_path: Path):
    class Broken:
        async def survey(self, programs: Sequence[str]) -> list[str | None]:
            raise WorkerError("no guest starts")

    problem = next(problems(tmp_path))
    jobs = [Unjudged(problem, text, text, tuple(Part)) for text in ("a", "b")]
    with pytest.raises(WorkerError, match="no guest starts"):
        asyncio.run(EquivalentPrograms().find(cast("Guests", Broken()), jobs, 2))


def test_no_guest_is_asked_to_read_too_much(tmp_path: Path):
    problem = next(problems(tmp_path))
    sizes = [10] * (MOST_SURVEYED + 20) + [LONGEST_SURVEYED] * 10 + [LONGEST_SURVEYED + 1]
    jobs = [
        Unjudged(problem, str(place), chr(200 + place) + "x" * (size - 1), tuple(Part))
        for place, size in enumerate(sizes)
    ]
    reader = _Reader()
    kept = asyncio.run(EquivalentPrograms().find(cast("Guests", reader), jobs, 3))

    assert len(kept) == len(jobs)
    assert max(map(len, reader.asked)) == MOST_SURVEYED
    assert max(sum(map(len, programs)) for programs in reader.asked) <= CHARACTERS_SURVEYED
    assert sum(map(len, reader.asked)) == len(jobs) - 1
    assert not kept[-1].is_harmless
    assert not kept[-1].is_alone


def test_programs_of_which_nothing_is_known_are_judged_nevertheless(
    verdicts: Callable[..., dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with_all = verdicts(tmp_path / "all", isolate=False, details=False)
    survey = Guests.survey

    async def survey_some(guests: Guests, programs: Sequence[str]) -> list[str | None]:
        return [*await survey(guests, programs[:3]), *[None] * len(programs[3:])]

    monkeypatch.setattr(Guests, "survey", survey_some)

    assert verdicts(tmp_path / "some", isolate=False, details=False) == with_all


def test_a_reader_that_says_something_else_is_not_believed(monkeypatch: pytest.MonkeyPatch):
    """A text may do to the parser what it likes: the reader may die over it, or say what was not asked for."""

    @asynccontextmanager
    async def start(_: GuestPool, job: Any) -> AsyncGenerator[Any]:
        async def messages() -> AsyncGenerator[Any]:
            for message in (
                {"equivalence_keys": ["a", 7]},
                {"equivalence_keys": "bcd"},
                {"more": 1},
                {"equivalence_keys": ["e", "f", "g"], "others": ["x", True]},
            ):
                yield message

        assert job.request == {"programs": programs}
        yield messages()

    monkeypatch.setattr(GuestPool, "start", start)
    guests = Guests(find_interpreter(sys.executable, Path()), GuestProfile(Confinement(memory_bytes=1 << 30)), size=1)

    expected = ["a", None, "e", "f", "g", None, None]
    for count in (4, 7):
        programs = ["1"] * count
        assert asyncio.run(guests.survey(programs)) == expected[:count]
