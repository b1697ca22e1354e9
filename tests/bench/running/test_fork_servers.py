"""Fork servers make `bench` faster and nothing else: verdicts are the same without them, and when they are killed."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.judging.part_judge import Ended
from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.problem import Part
from lsp_evalplus.bench.running.evaluate import EvaluationResult
from lsp_evalplus.bench.running.guest_client import Guests, ProgramReply, ProgramRun
from lsp_evalplus.bench.running.run import TimeRules
from lsp_evalplus.bench.running.sample_states import Unjudged
from lsp_evalplus.bench.running.task_queue import TaskQueue
from lsp_evalplus.fuzz.host.forkserver import ForkedRun, ForkServer
from lsp_evalplus.fuzz.host.run import EndingKind
from lsp_evalplus.fuzz.host.zygote import ZygoteKeeper

TASKS = [
    {
        "task_id": f"Task/{number}",
        "prompt": "def f(x):\n",
        "entry_point": "f",
        "canonical_solution": f"    return [x, x + {number}]\n",
        "contract": "",
        "base_input": [[1], [2]],
        "plus_input": [[number] for number in range(60)],
        "atol": 0,
    }
    for number in range(3)
]
SOLUTIONS = [
    "def f(x):\n    return [x, x + NUMBER]",
    "def f(x):\n    return (x, x + NUMBER)",
    "def f(x):\n    return [x, x + NUMBER + (x == 41)]",
    "def f(x):\n    while x == 33: pass\n    return [x, x + NUMBER]",
    "def f(x):\n    while x in (7, 8, 30): pass\n    return [x, x + NUMBER]",
    "import os\ndef f(x):\n    if x == 50: os._exit(0)\n    return [x, x + NUMBER]",
    "def f(x)\n    return 1",
    "def f(x):\n    return [x, 10 ** 9000 if x == 20 else x + NUMBER]",
]


def verdicts(evaluated: Callable[..., EvaluationResult], folder: Path) -> dict[str, Any]:
    samples = [
        (str(task["task_id"]), solution.replace("NUMBER", str(number)))
        for number, task in enumerate(TASKS)
        for solution in SOLUTIONS
    ]
    times = TimeRules(min_time_limit=0.5, task_time_limit=5.0, most_timeouts=2)
    outcome = evaluated(folder, TASKS, samples, test_details=True, times=times)
    return {f"{task} {digest}": verdict.to_json() for (task, digest), verdict in outcome.verdicts.items()}


@pytest.fixture(scope="module")
def without(evaluated: Callable[..., EvaluationResult], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The verdicts that ordinary guests give."""
    with pytest.MonkeyPatch.context() as patch:
        before = Guests.__init__

        def switch_off(guests: Guests, *args: Any, **more: Any) -> None:
            before(guests, *args, **more)
            guests.has_servers = False

        patch.setattr(Guests, "__init__", switch_off)
        return verdicts(evaluated, tmp_path_factory.mktemp("without"))


@pytest.mark.slow
def test_verdicts_are_the_same(
    evaluated: Callable[..., EvaluationResult], without: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []
    start = ForkServer.start_program

    def note(server: ForkServer, job: Any) -> ForkedRun:
        started.append(job)
        return start(server, job)

    monkeypatch.setattr(ForkServer, "start_program", note)
    found = verdicts(evaluated, tmp_path)
    assert found == without
    assert bool(started) == (sys.platform == "linux")
    assert len(found) == len(TASKS) * len(SOLUTIONS)


@pytest.mark.slow
def test_each_comparator_has_its_own_word_for_what_did_not_return(without: dict[str, Any]) -> None:
    """evalplus raises in a call whose time is over, and waits in vain for a process that has left."""
    seen = {
        tuple(rules[rule][0].value for rule in (Rule.STRICT, Rule.EVALPLUS))
        for key, parts in without.items()
        for part, rules in parts.items()
        if key.startswith("Task/0") and part == Part.PLUS
    }
    assert seen == {("pass", "pass"), ("fail", "fail"), ("timeout", "fail"), ("fail", "timeout")}


@pytest.mark.slow
def test_a_program_that_keeps_looping_is_given_up(without: dict[str, Any]) -> None:
    unfinished = [
        parts[Part.PLUS][Rule.STRICT] for parts in without.values() if "not tried" in str(parts[Part.PLUS][Rule.STRICT])
    ]
    given_up = [found for found in unfinished if "within its time" in str(found)]
    assert len(given_up) == len(TASKS)
    # Of one that ends its process, too, it is not known what it would have done on the other inputs.
    assert {found[0] for found in unfinished if found not in given_up} == {"fail"}
    for status, *failures in given_up:
        assert status == "timeout"
        assert failures == [
            [7, "no result within its time"],
            [8, "no result within its time; not tried: 51 inputs after it"],
        ]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs fork servers")
def test_verdicts_survive_the_death_of_servers(
    evaluated: Callable[..., EvaluationResult], without: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, killed, keepers = count(), list[str](), set[ZygoteKeeper]()
    start, start_guest = ForkServer.start_program, ZygoteKeeper.start

    async def note(keeper: ZygoteKeeper, *settings: Any) -> Any:
        keepers.add(keeper)
        return await start_guest(keeper, *settings)

    def start_and_kill(server: ForkServer, job: Any) -> ForkedRun:
        if next(number) == 3:
            # Beside fork servers, these may be guests of second passes, some of which are just starting or ending.
            for guest in [guest for keeper in keepers for guest in children(keeper.pid or 0)]:
                with suppress(ProcessLookupError):
                    os.kill(int(guest), signal.SIGKILL)
                    killed.append(guest)
        return start(server, job)

    monkeypatch.setattr(ZygoteKeeper, "start", note)
    monkeypatch.setattr(ForkServer, "start_program", start_and_kill)
    assert verdicts(evaluated, tmp_path) == without
    assert killed


def children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


@pytest.mark.slow
def test_a_guest_that_the_system_kills_is_replaced_once(
    evaluated: Callable[..., EvaluationResult], without: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is killed again is to blame: here those whose program returns a tuple."""
    kills = Counter[str]()
    replies, ended = ProgramRun.replies, ProgramRun.ended
    killed = set[ProgramRun]()

    async def replies_or_none(run: ProgramRun) -> AsyncGenerator[ProgramReply]:
        source = run._settings.sources[0]  # pyright: ignore[reportPrivateUsage]
        if kills[source] < (2 if "return (x" in source else 1):
            kills[source] += 1
            killed.add(run)
            return
        async with aclosing(replies(run)) as given:
            async for reply in given:
                yield reply

    def ended_by_the_system(run: ProgramRun) -> Ended:
        return Ended(EndingKind.MEMORY, None, None, "used too much memory") if run in killed else ended(run)

    def nobody(*_: object) -> list[Unjudged]:
        return []

    monkeypatch.setattr(TaskQueue, "take_like", nobody)
    monkeypatch.setattr(ProgramRun, "replies", replies_or_none)
    monkeypatch.setattr(ProgramRun, "ended", ended_by_the_system)
    found = verdicts(evaluated, tmp_path)
    blamed = [found[key] for key in found if found[key] != without[key]]
    assert len(blamed) == len(TASKS)
    assert all("used too much memory" in str(verdict) for verdict in blamed)


def test_a_worker_stays_with_its_task(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in TASKS))
    problems = load_dataset(str(tmp_path / "tasks.jsonl")).problems
    jobs = [Unjudged(problems[task], f"{task} {place}", "", ()) for place in range(4) for task in problems]
    queue = TaskQueue(jobs, {"Task/1": 9.0, "Task/2": 1.0})
    first, second = queue.take(None), queue.take(None)
    assert first is not None
    assert second is not None
    assert (first.problem.task_id, second.problem.task_id) == ("Task/1", "Task/2")
    taken = [first.digest]
    task: str | None = "Task/1"
    while (job := queue.take(task)) is not None:
        task = job.problem.task_id
        taken.append(job.digest)
    order = [digest.split()[0] for digest in taken]
    assert order == ["Task/1"] * 4 + ["Task/0"] * 4 + ["Task/2"] * 3
    assert len(set(taken)) == len(taken)
