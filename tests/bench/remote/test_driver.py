"""Chunks are cut by what those that came back took, and each program is judged once, whatever an executor loses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest

from lsp_evalplus.bench.judging.verdicts import SampleVerdict
from lsp_evalplus.bench.problem import Family, Part, Problem
from lsp_evalplus.bench.remote import driver
from lsp_evalplus.bench.remote.driver import FIRST_PROGRAMS, MOST_ATTEMPTS, MOST_PROGRAMS, RemoteJudge, _Chunks
from lsp_evalplus.bench.remote.executors import executor_maker
from lsp_evalplus.bench.remote.plan import ChunkResult
from lsp_evalplus.bench.running.sample_states import Unjudged
from lsp_evalplus.fuzz.errors import UserError

VERDICT = SampleVerdict({})


def jobs_of(task: str, count: int) -> list[Unjudged]:
    problem = Problem(task, "", "f", "", "", [], [], 0.0, Family.CUSTOM)
    return [Unjudged(problem, f"{task}-{number}", "", (Part.BASE,)) for number in range(count)]


def sizes(chunks: _Chunks, places: int, seconds: float | None) -> list[int]:
    found = list[int]()
    while (taken := chunks.take(places)) is not None:
        found.append(len(taken[0]))
        if seconds is not None:
            chunks.note(taken[0][0].problem.task_id, seconds)
    return found


@pytest.mark.parametrize(
    ("count", "places", "seconds", "expected"),
    [
        (55, 1, None, [FIRST_PROGRAMS, FIRST_PROGRAMS, 7]),
        (500, 1, 0.001, [FIRST_PROGRAMS, MOST_PROGRAMS, MOST_PROGRAMS, 76]),
        (40, 1, 0.5, [FIRST_PROGRAMS, 10, 6]),
        (27, 1, 60.0, [FIRST_PROGRAMS, 1, 1, 1]),
        (12, 4, 0.001, [3, 3, 2, 1, 1, 1, 1]),
        (0, 1, None, []),
    ],
)
def test_sizes_of_chunks(count: int, places: int, seconds: float | None, expected: list[int]) -> None:
    assert sizes(_Chunks(jobs_of("a", count)), places, seconds) == expected


def test_the_task_with_most_work_left_is_next() -> None:
    chunks = _Chunks([*jobs_of("small", 2), *jobs_of("large", 30)])

    taken = chunks.take(1)

    assert taken is not None
    assert taken[0][0].problem.task_id == "large"


class Faulty(Executor):
    """Judges at once, except for calls whose numbers are in `faults`: these raise, or their futures do."""

    def __init__(self, faults: dict[int, Callable[[], Any]]) -> None:
        self.faults = faults
        self.calls = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.calls += 1
        future = Future[Any]()
        try:
            fault = self.faults.get(self.calls)
            future.set_result(fault() if fault else answer(args[1]))
        except BrokenProcessPool:
            raise
        except BaseException as error:
            future.set_exception(error)
        return future


def answer(chunk: Any) -> Any:
    return ChunkResult({digest: VERDICT for digest, _ in chunk["programs"]}, 0.1, {}, ["said"]).to_plain()


def raising(error: BaseException) -> Callable[[], Any]:
    def fault() -> Any:
        raise error

    return fault


def judged(executor: Executor, monkeypatch: pytest.MonkeyPatch, count: int = 45) -> list[str]:
    monkeypatch.setattr(driver, "plan_of", lambda *_: {})
    remote, found = RemoteJudge(lambda: executor), list[str]()
    options: Any = None
    asyncio.run(remote.judge(jobs_of("a", count), options, {}, lambda _task, digest, *_: found.append(digest)))
    assert remote.left_out == ["said"] * bool(count)
    return found


@pytest.mark.parametrize(
    "faults",
    [
        {},
        {1: raising(OSError("the worker died"))},
        {2: raising(OSError("the worker died")), 3: raising(OSError("again"))},
        {2: raising(BrokenProcessPool("gone"))},
    ],
)
def test_each_program_is_judged_once(faults: dict[int, Callable[[], Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    found = judged(Faulty(faults), monkeypatch)

    assert sorted(found) == sorted(job.digest for job in jobs_of("a", 45))


class Keeping(Faulty):
    """Takes equal calls for one, as Dask does with functions that it believes to be pure."""

    def __init__(self, faults: dict[int, Callable[[], Any]]) -> None:
        super().__init__(faults)
        self.kept: dict[str, Future[Any]] = {}

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if repr(args) not in self.kept:
            self.kept[repr(args)] = super().submit(fn, *args, **kwargs)
        return self.kept[repr(args)]


def test_a_second_attempt_is_another_call(monkeypatch: pytest.MonkeyPatch) -> None:
    executor = Keeping({1: raising(OSError("the worker died"))})

    assert len(judged(executor, monkeypatch)) == 45


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (lambda: ChunkResult({}, 0.0, {}, (), "Python 3.9, not 3.11").to_plain(), "refused to judge: Python 3.9"),
        (lambda: ChunkResult({}, 0.0, {}, ()).to_plain(), "no verdict on"),
        (lambda: {"rows": 3}, "no result of a chunk"),
        (raising(OSError("the worker died")), f"lost {MOST_ATTEMPTS} times"),
        (raising(BrokenProcessPool("gone")), f"lost {MOST_ATTEMPTS} times"),
    ],
)
def test_what_cannot_be_mended_is_said(
    fault: Callable[[], Any], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    executor = Faulty(dict.fromkeys(range(1, 100), fault))

    with pytest.raises(UserError, match=sentence):
        judged(executor, monkeypatch)


class Silent(Executor):
    """Gives nothing back; says whether it is lost."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return Future[Any]()

    def is_lost(self) -> bool:
        return True


def test_a_cluster_that_is_lost_ends_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "CHECK_SECONDS", 0.01)

    with pytest.raises(UserError, match=r"the cluster has ended .* the same command continues"):
        judged(Silent(), monkeypatch)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("dask", "it takes 'ray', or an executor"),
        ("a b:c", "it takes 'ray', or an executor"),
        ("no_such_module:pool", "cannot be imported"),
        ("json:nothing", "json has no nothing"),
        ("json:__doc__", "no concurrent.futures.Executor"),
        ("builtins:dict", "no concurrent.futures.Executor"),
    ],
)
def test_names_that_lead_to_no_executor(name: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        executor_maker(name)()
