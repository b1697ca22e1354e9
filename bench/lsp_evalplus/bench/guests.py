"""What `bench` asks of guests: one program on the inputs of one part, its answers in order, and how it ended.

This is the only module of `bench` that speaks to `fuzz.host`. Expected values never pass through it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, cast

from lsp_evalplus.bench.judging import Answer
from lsp_evalplus.bench.problem import Part, Problem
from lsp_evalplus.fuzz.guest.plain import encode
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import EndingKind, Job, Run
from lsp_evalplus.fuzz.model import Plain

BATCH = 64
"""Answers in one reply; the guest sends what it has after 20 ms in any case."""
START_SECONDS = 10.0
"""Wall time a guest may need to be forked and confined on a loaded machine."""
LOAD_SECONDS = 5.0
"""Least limit for loading a program."""
RANDOM_SEED = 0
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
    """Seconds: of each call, of the whole run, and of loading the program."""

    per_call: Sequence[float]
    whole: float
    load: float

    def times(self, factor: float) -> Limits:
        """So many times as patient."""
        return Limits([factor * seconds for seconds in self.per_call], factor * self.whole, factor * self.load)


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
        indices: Sequence[int] | None = None,
        stop_at_failure: bool = False,
    ) -> ProgramRun:
        """A run of `source` on the inputs of `part` (or on those at `indices`); it starts when its answers are read."""
        return ProgramRun(self, problem, source, part, limits, indices, stop_at_failure=stop_at_failure)

    async def open_run(self, run: ProgramRun) -> Run:
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


def _to_job(run: ProgramRun, key: str) -> Job:
    limits = run.limits
    per_call = [round(seconds, 4) for seconds in limits.per_call]
    largest = max(per_call)
    request: Plain = {
        "program": {"source": run.source, "qualname": run.problem.entry_point},
        "arguments_key": key,
        "per_call_seconds": largest if min(per_call) == largest else per_call,
        "load_seconds": max(limits.load, LOAD_SECONDS),
        "observe_arguments": False,
        "describe": False,
        "drain": False,
        "random_seed": RANDOM_SEED,
        "batch": BATCH,
        "limits": VALUE_LIMITS,
    }
    if run.indices is not None:
        request["indices"] = list(run.indices)
    if run.stop_at_failure:
        request["stop_after_failures"] = 1
    load = max(limits.load, LOAD_SECONDS)
    return Job(
        "evaluate",
        request,
        wall_seconds=START_SECONDS + load + limits.whole,
        cpu_seconds=load + limits.whole,
        stall_seconds=START_SECONDS + max(load, largest),
    )


class ProgramRun:
    """One program under way."""

    def __init__(
        self,
        guests: Guests,
        problem: Problem,
        source: str,
        part: Part,
        limits: Limits,
        indices: Sequence[int] | None,
        *,
        stop_at_failure: bool,
    ) -> None:
        self.problem = problem
        self.source = source
        self.part = part
        self.limits = limits
        self.indices = indices
        self.stop_at_failure = stop_at_failure
        self._guests = guests
        self._run: Run | None = None
        self._refusal: str | None = None
        self._refused_in_time: bool = True

    async def answers(self) -> AsyncGenerator[Answer]:
        """The answers, in the order of the inputs. Raises `WorkerError` when the machinery itself failed."""
        self._run = await self._guests.open_run(self)
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
        indices, outcomes = reply.get("indices"), reply.get("outcomes")
        if type(indices) is not list or type(outcomes) is not list:
            return []
        pairs = zip(cast("list[Any]", indices), cast("list[Any]", outcomes))
        return [_to_answer(index, outcome) for index, outcome in pairs]


def _to_answer(index: Any, outcome: Any) -> Answer:
    fields = cast("dict[str, Any]", outcome) if isinstance(outcome, dict) else {}
    kind = fields.get("kind")
    seconds = fields.get("seconds")
    taken = seconds if type(seconds) is float else 0.0
    if kind == "returned" and "value" in fields:
        return Answer(index, is_value=True, encoded=fields["value"], seconds=taken)
    text = fields.get("text")
    said = text if type(text) is str else ""
    if kind == "timed_out":
        return Answer(index, text="no result within its time", is_timeout=True, seconds=taken)
    prefix = {"raised": "raised ", "too_much_output": "too much output "}.get(str(kind), "")
    return Answer(index, text=(prefix + said).strip() or "no value", seconds=taken)
