"""The driver's side: cuts programs into chunks, keeps an executor busy, and takes each verdict once."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass, field

from lsp_evalplus.bench.running.evaluate import Options
from lsp_evalplus.bench.running.run import OnVerdict
from lsp_evalplus.bench.running.sample_states import Unjudged
from lsp_evalplus.bench.running.task_queue import MOST_TOGETHER
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.errors import UserError

from .node import judge_chunk
from .plan import ChunkResult, Plain, chunk_of, plan_of

CHUNK_SECONDS = 5.0
"""Aim for the time of a chunk: a lost one is no great loss, and an engine's own time is small beside it."""
MOST_PROGRAMS = 200
FIRST_PROGRAMS = MOST_TOGETHER
"""Programs in the chunks of a task of which none came back: how long a program takes is not known before. So many share
a process; with fewer, more is spent on chunks."""
PER_PLACE = 2
"""Chunks in flight for each place of an executor, so that no worker waits for the driver."""
CHECK_SECONDS = 10.0
"""After so long without a chunk that came back, the executor is asked whether it is lost."""
MOST_ATTEMPTS = 4
"""How often a chunk whose worker was lost is tried."""


@dataclass(slots=True)
class RemoteJudge:
    """Judges programs on an executor.

    Args:
        make: makes the executor; called again where it broke.
        places: how many chunks it runs at once; 0 where it is to be asked.
    """

    make: Callable[[], Executor]
    places: int = 0
    left_out: list[str] = field(default_factory=list[str])
    """Inputs on which references fail, as the workers said."""
    layers_off: dict[str, str] = field(default_factory=dict[str, str])
    """Layers of the sandbox that were off on any worker, and why."""

    async def judge(
        self, jobs: Sequence[Unjudged], options: Options, layers_off: Mapping[str, str], on_verdict: OnVerdict
    ) -> None:
        """Judge all programs. Raises `UserError` when a worker refuses, or when chunks are lost again and again."""
        if not jobs:
            return
        plan, chunks = plan_of(options, layers_off), _Chunks(jobs)
        executor = self.make()
        flying: dict[asyncio.Future[Plain], tuple[list[Unjudged], int]] = {}
        again: list[tuple[list[Unjudged], int]] = []
        try:
            places = self.places or places_of(executor)
            while True:
                while len(flying) < PER_PLACE * places and (due := again.pop() if again else chunks.take(places)):
                    try:
                        future = executor.submit(judge_chunk, plan, chunk_of(*due))
                    except (BrokenExecutor, RuntimeError):
                        again.append(_next_attempt(due, "the executor broke"))
                        executor.shutdown(wait=False)
                        executor = self.make()
                        continue
                    flying[asyncio.wrap_future(future)] = due
                if not flying:
                    return
                done, _ = await asyncio.wait(flying, timeout=CHECK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                if not done and _is_lost(executor):
                    raise UserError(
                        "the cluster has ended or was started anew; what was judged is kept, and the same command "
                        "continues."
                    )
                for one in done:
                    due = flying.pop(one)
                    error = one.exception()
                    if error is not None:
                        again.append(_next_attempt(due, f"{type(error).__name__}: {error}"))
                        continue
                    self._take(one.result(), due[0], chunks, on_verdict)
        finally:
            for one in flying:
                one.cancel()
            # What was interrupted need not be waited for. Not every executor knows `cancel_futures`, Dask's for one.
            executor.shutdown(wait=not flying)

    def _take(self, plain: Plain, jobs: Sequence[Unjudged], chunks: _Chunks, on_verdict: OnVerdict) -> None:
        try:
            result = ChunkResult.from_plain(plain)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(f"a worker sent what is no result of a chunk ({error}).") from None
        if result.refusal:
            raise UserError(f"a worker refused to judge: {result.refusal}")
        missing = [job for job in jobs if job.digest not in result.verdicts]
        if missing:
            raise UserError(
                f"a worker sent no verdict on {count(len(missing), 'program')} of {missing[0].problem.task_id}."
            )
        self.layers_off.update(result.layers_off)
        self.left_out += [one for one in result.left_out if one not in self.left_out]
        each = result.seconds / len(jobs)
        chunks.note(jobs[0].problem.task_id, each)
        for job in jobs:
            on_verdict(job.problem.task_id, job.digest, result.verdicts[job.digest], each)


def _next_attempt(due: tuple[list[Unjudged], int], said: str) -> tuple[list[Unjudged], int]:
    jobs, attempt = due
    if attempt >= MOST_ATTEMPTS:
        raise UserError(
            f"{count(len(jobs), 'program')} of {jobs[0].problem.task_id}: lost {attempt} times ({said[:300]}); what "
            "was judged is kept, and the same command continues."
        )
    return jobs, attempt + 1


def _is_lost(executor: Executor) -> bool:
    """Whether an executor says that what it was given will never come back; most raise instead."""
    is_lost: Callable[[], bool] = getattr(executor, "is_lost", bool)
    return is_lost()


def places_of(executor: Executor) -> int:
    """Return how many calls an executor runs at once, as far as it says so."""
    for name in ("places", "_max_workers"):
        found = getattr(executor, name, None)
        if isinstance(found, int) and found > 0:
            return found
    return 1


class _Chunks:
    """Programs without a chunk so far, by task; chunks are sized by what those that came back took."""

    def __init__(self, jobs: Sequence[Unjudged]) -> None:
        self._left: dict[str, list[Unjudged]] = {}
        for job in jobs:
            self._left.setdefault(job.problem.task_id, []).append(job)
        self._means: dict[str, float] = {}

    def take(self, places: int) -> tuple[list[Unjudged], int] | None:
        """Return the next chunk, of the task with the most work left, and 1, its attempt; None at the end."""
        task = max(self._left, key=self._work, default=None)
        if task is None:
            return None
        left, mean = self._left[task], self._means.get(task)
        fitting = FIRST_PROGRAMS if mean is None else int(CHUNK_SECONDS / max(mean, 1e-3))
        size = max(1, min(fitting, MOST_PROGRAMS, math.ceil(self._total() / places)))
        taken, rest = left[:size], left[size:]
        if rest:
            self._left[task] = rest
        else:
            del self._left[task]
        return taken, 1

    def note(self, task: str, seconds: float) -> None:
        """Take note of the seconds that each program of a chunk took, on average."""
        before = self._means.get(task)
        self._means[task] = seconds if before is None else (before + seconds) / 2

    def _work(self, task: str) -> float:
        usual = sum(self._means.values()) / len(self._means) if self._means else 1.0
        return len(self._left[task]) * self._means.get(task, usual)

    def _total(self) -> int:
        return sum(map(len, self._left.values()))
