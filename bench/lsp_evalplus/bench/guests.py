"""What `bench` asks of guests: one program on the inputs of one part, its answers in order, and how it ended.

This is the only module of `bench` that speaks to `fuzz.host`. Expected values never pass through it.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, cast

from lsp_evalplus.bench.judging import Answer
from lsp_evalplus.bench.problem import Part, Problem
from lsp_evalplus.fuzz.guest.outputs import WALL_FACTOR, WALL_SECONDS
from lsp_evalplus.fuzz.guest.plain import encode
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import EndingKind, Job, Run
from lsp_evalplus.fuzz.model import Plain

START_SECONDS = 10.0
"""Wall time a guest may need to be forked and confined on a loaded machine."""
VALUE_LIMITS = {"depth": 100, "nodes": 4_000_000, "size": 40_000_000}
"""Of one value a program returns: HumanEval/100 and /130 have right answers of more than a million items."""
_SENTENCES: Mapping[EndingKind, str] = {
    EndingKind.EXITED: "ended its process",
    EndingKind.CRASHED: "crashed",
    EndingKind.DEADLINE: "no result within the time of the whole task",
    EndingKind.STALLED: "no result within its time, and could not be interrupted",
    EndingKind.MEMORY: "used too much memory",
    EndingKind.FLOODED: "sent, printed or wrote too much",
    EndingKind.CORRUPTED: "disturbed the channel of its replies",
    EndingKind.FINISHED: "gave no answer",
    EndingKind.CANCELLED: "was stopped",
}
_TIMEOUTS = (EndingKind.DEADLINE, EndingKind.STALLED)


@dataclass(frozen=True, slots=True)
class Limits:
    """Processor seconds: of a call, of the whole run, of loading the program, and of calls that get another limit."""

    call: float
    whole: float
    load: float
    slow_calls: Mapping[int, float] = field(default_factory=dict[int, float])


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended, in words, and what it used."""

    kind: str
    refusal: str | None
    """Why the program could not be loaded; None when it was."""
    cpu_seconds: float | None
    text: str = ""
    is_timeout: bool = False


class Guests:
    """Guests for the programs of one data set; an async context manager."""

    def __init__(self, interpreter: Interpreter, *, size: int, memory_bytes: int) -> None:
        self._pool = GuestPool(interpreter, Confinement(memory_bytes=memory_bytes), size=size)
        self._provided: dict[str, asyncio.Future[None]] = {}

    async def __aenter__(self) -> Self:
        await self._pool.__aenter__()
        return self

    async def __aexit__(self, *exception: Any) -> None:
        await self._pool.close()

    def start(
        self,
        problem: Problem,
        source: str,
        part: Part,
        limits: Limits,
        *,
        indices: Sequence[int],
        stop_at_failure: bool = False,
        whole_values: bool = False,
    ) -> ProgramRun:
        """A run of `source` on those inputs of `part` that are at `indices`; it starts when its answers are read.

        Large values come as digests unless `whole_values`.
        """
        settings = RunSettings(problem, source, part, limits, tuple(indices), stop_at_failure, whole_values)
        return ProgramRun(self, settings)

    async def open_run(self, run: RunSettings) -> Run:
        """For `ProgramRun` only: provides the inputs and hands the job to the pool."""
        key = f"{run.problem.task_id} {run.part}"
        await self._provide(key, run.problem, run.part)
        return self._pool.start(_to_job(run, key))

    async def _provide(self, key: str, problem: Problem, part: Part) -> None:
        """Loads a part's inputs into the zygote, once, whoever asks first."""
        if key not in self._provided:
            self._provided[key] = asyncio.ensure_future(self._load(key, problem, part))
        await self._provided[key]

    async def _load(self, key: str, problem: Problem, part: Part) -> None:
        inputs = [encode(tuple(arguments)) for arguments in problem.inputs(part)]
        await self._pool.provide(key, {"plain_arguments": inputs})


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What is run, on what, for how long."""

    problem: Problem
    source: str
    part: Part
    limits: Limits
    indices: tuple[int, ...]
    stop_at_failure: bool
    whole_values: bool


def _to_job(run: RunSettings, key: str) -> Job:
    limits = run.limits
    slowest = max(limits.load, limits.call, *limits.slow_calls.values())
    request: Plain = {
        "program": {"source": run.source, "qualname": run.problem.entry_point},
        "arguments_key": key,
        "per_call_seconds": limits.call,
        "slow_call_seconds": [[index, round(seconds, 4)] for index, seconds in limits.slow_calls.items()],
        "load_seconds": limits.load,
        "indices": list(run.indices),
        "stop_at_failure": run.stop_at_failure,
        "whole_values": run.whole_values,
        "limits": VALUE_LIMITS,
    }
    return Job(
        "outputs",
        request,
        wall_seconds=START_SECONDS + WALL_FACTOR * (limits.load + limits.whole),
        cpu_seconds=limits.load + limits.whole,
        stall_seconds=START_SECONDS + WALL_FACTOR * slowest + WALL_SECONDS,
    )


class ProgramRun:
    """One program under way."""

    def __init__(self, guests: Guests, settings: RunSettings) -> None:
        self._guests = guests
        self._settings = settings
        self._run: Run | None = None
        self._refusal: str | None = None
        self._refused_in_time: bool = True
        self._taken = 0

    async def answers(self) -> AsyncGenerator[Answer]:
        """The answers, in the order of the inputs. Raises `WorkerError` when the machinery itself failed."""
        self._run = await self._guests.open_run(self._settings)
        async with self._run as run:
            async for reply in run:
                for answer in self._read(reply):
                    yield answer

    def cancel(self) -> None:
        """Ends the guest at once; no more answers are wanted."""
        if self._run is not None:
            self._run.cancel()

    def ended(self) -> Ended:
        """How it ended; only after `answers` was closed."""
        if self._run is None:
            raise RuntimeError("the run has not been started")
        ending = self._run.ending
        if self._refusal is not None:
            return Ended("refused", self._refusal, ending.cpu_seconds, self._refusal, not self._refused_in_time)
        if ending.signal is not None and ending.signal == getattr(signal, "SIGPROF", None):
            return Ended(ending.kind, None, ending.cpu_seconds, _SENTENCES[EndingKind.STALLED], is_timeout=True)
        text = _SENTENCES[ending.kind] + (f" (exit code {ending.exit_code})" if ending.exit_code else "")
        return Ended(ending.kind, None, ending.cpu_seconds, text, ending.kind in _TIMEOUTS)

    def _read(self, reply: Plain) -> list[Answer]:
        """The answers in one reply; what is not of the agreed form is user code's doing and ends the reading."""
        error = reply.get("load_error")
        if isinstance(error, dict):
            fields = cast("dict[str, Any]", error)
            self._refusal = str(fields.get("message", ""))
            self._refused_in_time = bool(fields.get("kind") != "timed_out")
            return []
        outcomes, slow = reply.get("outcomes"), reply.get("slow")
        if not isinstance(outcomes, list):
            return []
        seconds = cast("dict[str, Any]", slow) if isinstance(slow, dict) else {}
        return [self._next_answer(outcome, seconds) for outcome in cast("list[Any]", outcomes)[: self._left]]

    @property
    def _left(self) -> int:
        """How many answers are still due; more than that are not read."""
        return len(self._settings.indices) - self._taken

    def _next_answer(self, outcome: Any, slow: Mapping[str, Any]) -> Answer:
        index = self._settings.indices[self._taken]
        self._taken += 1
        seconds = slow.get(str(index))
        return _to_answer(index, outcome, seconds if type(seconds) is float else 0.0)


def _to_answer(index: int, outcome: Any, seconds: float) -> Answer:
    if type(outcome) is str:
        return Answer(index, value=outcome, seconds=seconds)
    fields = cast("dict[str, Any]", outcome) if isinstance(outcome, dict) else {}
    digest, kind, text = fields.get("digest"), fields.get("kind"), fields.get("text")
    if type(digest) is str:
        return Answer(index, digest=digest, seconds=seconds)
    if kind == "timed_out":
        return Answer(index, text="no result within its time", is_timeout=True, seconds=seconds)
    prefix = {"raised": "raised ", "too_much_output": "too much output: "}.get(str(kind), "")
    said = text if type(text) is str else ""
    return Answer(index, text=(prefix + said).strip() or "no value", seconds=seconds)
