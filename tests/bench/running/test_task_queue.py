"""Which program a worker judges next: it stays with its task, whose inputs its fork server holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lsp_evalplus.bench.problem import Family, Part, Problem
from lsp_evalplus.bench.running.sample_states import Unjudged
from lsp_evalplus.bench.running.task_queue import TaskQueue

PROBLEM = Problem(
    task_id="A",
    prompt="def f(x):\n",
    entry_point="f",
    canonical_solution="    return x\n",
    contract="",
    base_inputs=[(1,)],
    plus_inputs=[],
    atol=0.0,
    family=Family.CUSTOM,
)


def job(name: str) -> Unjudged:
    """``A1`` is the first program of the task A."""
    return Unjudged(replace(PROBLEM, task_id=name[0]), name, "", (Part.BASE,))


def take_all(queue: TaskQueue, task_id: str | None = None) -> list[str]:
    found: list[str] = []
    while (taken := queue.take(task_id)) is not None:
        task_id = taken.problem.task_id
        found.append(taken.digest)
    return found


@pytest.mark.parametrize("live", [False, True], ids=["all at once", "as they come"])
def test_a_worker_stays_with_its_task(live: bool) -> None:
    jobs = [job(name) for name in ("A1", "B1", "A2", "B2", "A3")]
    queue = TaskQueue([] if live else jobs, {})
    for one in jobs if live else []:
        queue.add(one)

    found = take_all(queue)

    assert sorted(found) == ["A1", "A2", "A3", "B1", "B2"]
    assert found in (["A1", "A2", "A3", "B1", "B2"], ["B1", "B2", "A1", "A2", "A3"])


def test_what_comes_later_is_judged_too() -> None:
    queue = TaskQueue([], {"A": 1.0})
    assert queue.take(None) is None
    queue.add(job("A1"))
    assert take_all(queue) == ["A1"]
    queue.add(job("B1"))
    queue.add(job("A2"))
    queue.add(job("A3"))

    assert take_all(queue, "A") == ["A2", "A3", "B1"]


def test_tasks_that_arrive_whole_are_taken_longest_first_but_a_begun_one_by_its_worker() -> None:
    queue = TaskQueue([job("D1")], {"A": 1.0, "B": 3.0, "C": 0.1, "D": 2.0})
    queue.add_task("A", [job("A1"), job("A2")], is_begun=False)
    queue.add_task("B", [job("B1")], is_begun=False)
    queue.add_task("C", [job("C1")], is_begun=True)
    queue.add_task("E", [], is_begun=True)

    assert take_all(queue, "C") == ["C1", "B1", "A1", "A2", "D1"]


def test_a_task_whose_jobs_are_gone_hides_no_other() -> None:
    queue = TaskQueue([job("A1")], {"B": 1.0})
    queue.add_task("B", [job("B1")], is_begun=False)

    assert take_all(queue, "B") == ["B1", "A1"]


def test_two_workers_begin_with_different_tasks() -> None:
    queue = TaskQueue([], {})
    for name in ("A1", "A2", "B1"):
        queue.add(job(name))
    first, second = queue.take(None), queue.take(None)

    assert first is not None
    assert second is not None
    assert {first.digest, second.digest} == {"A1", "B1"}
    assert take_all(queue, "B") == ["A2"], "who has nothing left helps the other"
