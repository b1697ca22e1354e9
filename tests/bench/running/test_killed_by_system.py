"""Programs that the system kills, for the memory of others or for want of it, are not said to use too much."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from lsp_evalplus.bench.judging.part_judge import Ended
from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.problem import Part
from lsp_evalplus.bench.running import references
from lsp_evalplus.bench.running.evaluate import EvaluationResult
from lsp_evalplus.bench.running.guest_client import ProgramReply, ProgramRun, describe_ending
from lsp_evalplus.bench.running.sample_states import Unjudged
from lsp_evalplus.bench.running.task_queue import TaskQueue
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.host.run import Ending, EndingKind

TASK = {
    "task_id": "Small/0",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "canonical_solution": "    return x\n",
    "contract": "",
    "base_input": [[1], [2]],
    "plus_input": [[3], [4]],
    "atol": 0,
}
KILLED = Ending(EndingKind.MEMORY, signal=9)
A_ROUND = 4
"""Runs of a program that is killed each time: it is replaced, has to send each answer at once, and runs on the rest."""


def program(name: str) -> str:
    return f"def f({name}):\n    return {name} + {len(name)} - {len(name)}\n"


class System:
    """Kills guests: by program, how often. Notes what runs while a program does that was killed in its first round."""

    def __init__(self) -> None:
        self.kills = Counter[str]()
        self.due = {program("once"): 1, program("often"): A_ROUND + 1, program("always"): 99}
        self.running: list[str] = []
        self.beside: list[list[str]] = []


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> Iterator[System]:
    found = System()
    replies, ended = ProgramRun.replies, ProgramRun.ended
    killed = set[ProgramRun]()

    async def replies_or_none(run: ProgramRun) -> AsyncGenerator[ProgramReply]:
        source = run._settings.sources[0]  # pyright: ignore[reportPrivateUsage]
        found.running.append(source)
        try:
            if found.kills[source] >= A_ROUND:
                found.beside.append([*found.running])
            if found.kills[source] < found.due.get(source, 0):
                found.kills[source] += 1
                killed.add(run)
                return
            async with aclosing(replies(run)) as given:
                async for reply in given:
                    yield reply
        finally:
            found.running.remove(source)

    def ended_by_the_system(run: ProgramRun) -> Ended:
        return describe_ending(KILLED) if run in killed else ended(run)

    def nobody(*_: object) -> list[Unjudged]:
        return []

    monkeypatch.setattr(TaskQueue, "take_like", nobody)
    monkeypatch.setattr(ProgramRun, "replies", replies_or_none)
    monkeypatch.setattr(ProgramRun, "ended", ended_by_the_system)
    yield found
    assert not found.running


def test_a_killed_program_runs_again_when_no_other_one_does(
    evaluated: Callable[..., EvaluationResult], tmp_path: Path, system: System
) -> None:
    names = ("once", "often", "a", "always", "b", "c", "d", "e")
    store = tmp_path / "store"

    found = evaluated(tmp_path, [TASK], [("Small/0", program(name)) for name in names], store=(store,))

    passed = {sample.solution: found.verdicts["Small/0", sample.digest] for sample in found.samples.samples}
    assert [name for name in names if not passed[program(name)].passes(Part.PLUS, Rule.STRICT)] == ["always"]
    ((_, digest),) = found.killed
    assert "was killed by the system" in str(passed[program("always")])
    assert system.beside == [[one] for (one,) in system.beside]
    assert {one for (one,) in system.beside} == {program("often"), program("always")}
    kept = "".join(path.read_text() for path in store.glob("*/*.jsonl"))
    assert digest not in kept
    assert all(sample.digest in kept for sample in found.samples.samples if sample.digest != digest)


def test_the_same_command_judges_them_again(
    tasks: Path, write_samples: Callable[..., Path], run: Callable[..., Result], tmp_path: Path, system: System
) -> None:
    tasks.write_text(json.dumps(TASK) + "\n")
    arguments = ("-d", tasks, "-s", write_samples([(0, program("a")), (0, program("always"))]), "--jobs", 1)
    output, store = tmp_path / "samples_eval_results.json", tmp_path / "store"
    first = run(*arguments, "--store", store)
    assert first.exit_code == 0, first.output
    assert "although no other program ran: 1 program (Small/0)" in first.stderr
    assert [one[0] for one in json.loads(output.read_text())["lsp_evalplus"]["killed"]] == ["Small/0"]
    assert run(*arguments, "--store", store, "--shard", "0/1").exit_code == 0
    merged = run("merge", tmp_path / "samples_eval_results.shard-0-of-1.json")
    assert "although no other program ran: 1 program (Small/0)" in merged.stderr
    system.due.clear()
    again = run(*arguments, "--store", store)
    assert "Judged before: 1 of 2 programs" in again.stderr
    assert run(*arguments, "--no-store", "-o", tmp_path / "local.json").exit_code == 0
    assert output.read_bytes() == (tmp_path / "local.json").read_bytes()
    assert "earlier run of the same samples" in run(*arguments, "--store", store).stderr


def test_a_killed_reference_judges_nobody(
    evaluated: Callable[..., EvaluationResult], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def killed(*_arguments: Any, **_options: Any) -> Any:
        return [], describe_ending(KILLED)

    monkeypatch.setattr(references, "collect", killed)
    with pytest.raises(UserError, match="the reference of Small/0 was killed by the system again and again"):
        evaluated(tmp_path, [TASK], [("Small/0", "def f(x):\n    return 1\n")])


def test_more_memory_than_its_own_limit_is_its_own_fault() -> None:
    ending = Ending(EndingKind.MEMORY, signal=9, detail="more memory than it may have")
    assert describe_ending(ending).text == "used too much memory"
