"""Requests of `bench` to guests: run one program on inputs of its task, yield its answers in order and how it ended.

This is the only module of `bench` that communicates with `fuzz.host`. Expected values never pass through it.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeAlias, cast

from lsp_evalplus.bench.judging.digests import Digest
from lsp_evalplus.bench.judging.evalplus_compat import loaded_before
from lsp_evalplus.bench.judging.expected import VALUE_LIMITS
from lsp_evalplus.bench.judging.part_judge import Answer, Ended, PartJudge
from lsp_evalplus.bench.judging.task_oracles import is_set_equality_task
from lsp_evalplus.bench.problem import Part, Problem
from lsp_evalplus.fuzz.guest.protocol.job_kinds import FORK_SERVER, WALL_FACTOR, WALL_SECONDS
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.forkserver import ForkedRun, ForkServer, ServerLostError
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Ending, EndingKind, Job, Run
from lsp_evalplus.fuzz.model import Plain

START_SECONDS = 5.0
"""Wall time allowed for forking and confining a guest on a loaded machine."""
KEPT_TASKS = 2
"""Number of tasks whose inputs the zygote keeps while no program uses them."""
PRELOAD = (
    "bisect",
    "cmath",
    "collections",
    "copy",
    "datetime",
    "decimal",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "itertools",
    "math",
    "operator",
    "queue",
    "random",
    "re",
    "statistics",
    "string",
    "typing",
)
"""Standard-library modules that solutions import, loaded once for all of them."""
_JOBS = ("outputs", FORK_SERVER, "survey", "tests", "test_file", "calls")
SURVEY_SECONDS = 10.0
"""Processor time to analyse some programs; thousands of ordinary ones take one second."""
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
_KILLED = "was killed by the system, most likely for want of memory"
"""What is said of a guest that did not take more memory than its own limit; its job's may be smaller."""
_TIMEOUTS = (EndingKind.DEADLINE, EndingKind.STALLED)
_DEATHS = (EndingKind.EXITED, EndingKind.CRASHED, EndingKind.MEMORY)


Place: TypeAlias = tuple[Part, int]
"""An input: its part and its index in it."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Processor seconds: of a call, of the whole run, of loading the program, and of calls with a limit of their own.

    `full_call` is the final limit of a call without one of its own, where exceeding `call` decides nothing.
    """

    call: float
    whole: float
    load: float
    slow_calls: Mapping[Place, float] = field(default_factory=dict[Place, float])
    full_call: float | None = None


@dataclass(frozen=True, slots=True)
class GuestProfile:
    """What the programs of a data set may do, and what they find around them."""

    confinement: Confinement
    preload: tuple[str, ...] = ()
    """Modules to import once for all programs, beside `PRELOAD`; those that are not there are passed over."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Environment variables of all programs."""
    jobs: tuple[str, ...] = _JOBS
    """The kinds of jobs that guests may run without loading them first."""


class Guests:
    """Guests for the programs of one data set; an async context manager.

    The zygote holds the decoded inputs of the current tasks, so that guests find them ready, and drops those of the
    others because the cost of a fork grows with the memory of the forking process. Each fork server holds the inputs
    of one task.

    Args:
        size: number of programs that run at the same time.
    """

    def __init__(self, interpreter: Interpreter, profile: GuestProfile, *, size: int) -> None:
        self._pool = GuestPool(
            interpreter,
            profile.confinement,
            # An idle fork server keeps its slot, and a program that is judged by tests needs two.
            size=4 * size,
            preload=(*PRELOAD, *profile.preload),
            jobs=profile.jobs,
            environment=profile.environment,
        )
        self._provided: dict[str, asyncio.Future[None]] = {}
        self._users: Counter[str] = Counter()
        self._idle: list[_Server] = []
        self.has_servers = sys.platform == "linux"
        """Whether fork servers are available; False once one failed to start."""
        self.has_passed_test = False
        """Whether the self-test has passed (`selftest`), which is not repeated for each file or chunk."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: Any) -> None:
        await self.close()

    @property
    def layers_off(self) -> Mapping[str, str]:
        """The layers of the sandbox that did not take effect, and why."""
        return self._pool.layers_off

    async def begin(self) -> None:
        """Start in the background what the first program would otherwise wait for."""
        await self._pool.begin()

    async def close(self) -> None:
        """Terminate all guests."""
        await self._pool.close()

    def start(
        self,
        problem: Problem,
        source: str,
        limits: RunLimits,
        places: Sequence[Place],
        *,
        stop_from: int | None = None,
        whole_values: bool = False,
        is_first_pass: bool = False,
        is_careful: bool = False,
        in_server: bool = False,
        hidden_names: Sequence[str] = (),
    ) -> ProgramRun:
        """A run of `source` on the inputs at `places`, in ascending order; it starts when its answers are read.

        From position `stop_from` on, the guest ends at the first call that does not return. Large values are sent as
        digests unless `whole_values`. In a first pass, any timeout ends the run, and a fork server, if available,
        runs it in less time. With `is_careful` each answer is sent immediately, so that the input on which a program
        died is known. With `in_server` a fork server runs it, if
        there is one, although it is no first pass. Names in `hidden_names` are hidden from the program
        (`fuzz.guest.program.hidden_names`).
        """
        settings = RunSettings(
            problem,
            (source,),
            limits,
            places,
            stop_from,
            whole_values,
            is_first_pass,
            is_careful,
            in_server=in_server,
            hidden_names=hidden_names,
        )
        return ProgramRun(self, settings)

    def start_batch(
        self,
        problem: Problem,
        sources: Sequence[str],
        limits: RunLimits,
        places: Sequence[Place],
        stop_from: int | None,
        *,
        is_surveyed: bool = False,
    ) -> BatchRun:
        """A first pass of several programs on the same inputs in one process; only while `has_servers`.

        Programs that could affect another one are not run; a batch that `is_surveyed` contains none.
        """
        settings = RunSettings(
            problem, sources, limits, places, stop_from, is_first_pass=True, in_batch=True, is_surveyed=is_surveyed
        )
        return BatchRun(self, settings)

    def start_job(self, job: Job) -> Run:
        """A run of any job, which begins when it is iterated. Its own modules come beside `PRELOAD`, too."""
        if job.preload is not None:
            job = replace(job, preload=(*PRELOAD, *job.preload))
        return self._pool.start(job)

    def describe(self, ending: Ending) -> Ended:
        """How a run ended, in words."""
        return describe_ending(ending)

    async def survey(self, programs: Sequence[str]) -> list[str | None]:
        """The equivalence key of each program; None if it needs a process of its own.

        See `fuzz.guest.jobs.survey`. Raises `WorkerError` when guests do not work.
        """
        wall_seconds = START_SECONDS + WALL_FACTOR * SURVEY_SECONDS
        job = Job("survey", {"programs": [*programs]}, wall_seconds=wall_seconds, cpu_seconds=SURVEY_SECONDS)
        found: list[str | None] = []
        async with self._pool.start(job) as run:
            async for message in run:
                # Hostile source code may make the guest send anything.
                found += [one if type(one) is str else None for one in _list_in(message, "equivalence_keys")]
        return [*found, *[None] * len(programs)][: len(programs)]

    @asynccontextmanager
    async def open_run(self, run: RunSettings) -> AsyncGenerator[Run | ForkedRun]:
        """Open a run in the pool with the inputs of its task provided; for `ProgramRun` only."""
        if (run.is_first_pass or run.in_server) and self.has_servers:
            server = await self._take_server(run.problem)
            try:
                async with server.fork.start_program(_to_job(run)) as forked:
                    yield forked
            finally:
                if server.fork.is_lost:
                    await server.fork.close()
                else:
                    self._idle.append(server)
            return
        key = run.problem.task_id
        self._users[key] += 1
        try:
            if key not in self._provided:
                self._provided[key] = asyncio.ensure_future(self._load(run.problem))
            await asyncio.shield(self._provided[key])
            async with self._pool.start(_to_job(run)) as started:
                yield started
        finally:
            self._users[key] -= 1
            await self._discard_unused()

    async def _load(self, problem: Problem) -> None:
        await self._pool.provide(problem.task_id, _to_plain_inputs(problem))

    async def _take_server(self, problem: Problem) -> _Server:
        """An idle fork server with the inputs of a task, or a new one.

        Raises:
            ServerLostError: fork servers are not available on this machine.
        """
        key = problem.task_id
        server = next((server for server in self._idle if server.task_id == key), None)
        if server is not None:
            self._idle.remove(server)
            return server
        server = self._idle.pop(0) if self._idle else _Server(ForkServer(self._pool))
        try:
            if server.task_id is None:
                await server.fork.start()
            await server.fork.provide(_to_plain_inputs(problem))
        except ServerLostError:
            self.has_servers = False
            raise
        except BaseException:
            await server.fork.close()
            raise
        server.task_id = key
        return server

    async def _discard_unused(self) -> None:
        """Make the zygote drop the least recently used inputs."""
        while len(idle := [key for key in self._provided if not self._users[key]]) > KEPT_TASKS:
            del self._provided[idle[0]], self._users[idle[0]]
            await self._pool.discard(idle[0])


@dataclass(slots=True)
class _Server:
    """A fork server and the task whose inputs it holds."""

    fork: ForkServer
    task_id: str | None = None


def _list_in(message: Plain, name: str) -> list[Any]:
    told = message.get(name)
    return cast("list[Any]", told) if isinstance(told, list) else []


def _to_plain_inputs(problem: Problem) -> Plain:
    return {"marshalled": problem.marshalled()}


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What to run, on which inputs, with which limits."""

    problem: Problem
    sources: Sequence[str]
    limits: RunLimits
    places: Sequence[Place]
    stop_from: int | None
    whole_values: bool = False
    is_first_pass: bool = False
    is_careful: bool = False
    in_batch: bool = False
    is_surveyed: bool = False
    in_server: bool = False
    hidden_names: Sequence[str] = ()


def _to_job(run: RunSettings) -> Job:
    limits = run.limits
    starts = {Part.BASE: 0, Part.PLUS: len(run.problem.base_inputs)}
    first, last = (starts[part] + index for part, index in (run.places[0], run.places[-1]))
    is_range = last - first + 1 == len(run.places)
    indices = [first, last + 1] if is_range else [starts[part] + index for part, index in run.places]
    slow = [[starts[part] + index, round(seconds, 4)] for (part, index), seconds in limits.slow_calls.items()]
    slowest = max(limits.load, limits.call, *[seconds for _, seconds in slow])
    programs: list[Any] = [{"source": source, "qualname": run.problem.entry_point} for source in run.sources]
    request: Plain = {
        **({"programs": programs} if run.in_batch else {"program": programs[0]}),
        "arguments_key": run.problem.task_id,
        "per_call_seconds": limits.call,
        "slow_call_seconds": slow,
        "load_seconds": limits.load,
        "indices": indices,
        "is_range": is_range,
        "stop_from": run.stop_from,
        "stop_at_timeout": run.is_first_pass,
        "full_seconds": limits.full_call,
        "whole_values": run.whole_values,
        "as_items": is_set_equality_task(run.problem),
        "is_careful": run.is_careful,
        "is_surveyed": run.is_surveyed,
        "hidden_names": [*run.hidden_names],
        "loaded_before": [*loaded_before(run.sources[0])] if run.hidden_names else [],
        "limits": VALUE_LIMITS._asdict(),
    }
    return Job(
        "outputs",
        request,
        wall_seconds=START_SECONDS + WALL_FACTOR * (limits.load + limits.whole),
        cpu_seconds=limits.load + limits.whole,
        stall_seconds=START_SECONDS + WALL_FACTOR * slowest + WALL_SECONDS,
    )


def describe_ending(ending: Ending) -> Ended:
    """How a program that could be loaded ended, in words."""
    if ending.was_timed:
        return Ended(ending.kind, None, ending.cpu_seconds, _SENTENCES[EndingKind.STALLED], is_timeout=True)
    said = _KILLED if ending.kind is EndingKind.MEMORY and not ending.detail else _SENTENCES[ending.kind]
    text = said + (f" (exit code {ending.exit_code})" if ending.exit_code else "")
    return Ended(ending.kind, None, ending.cpu_seconds, text, ending.kind in _TIMEOUTS, ending.kind in _DEATHS)


class ProgramRun:
    """A running program."""

    def __init__(self, guests: Guests, settings: RunSettings) -> None:
        self._guests = guests
        self._settings = settings
        self._run: Run | ForkedRun | None = None
        self._refusal: str | None = None
        self._refused_in_time: bool = True
        self._taken = 0

    async def replies(self) -> AsyncGenerator[ProgramReply]:
        """Yield the answers as they arrive, several at a time.

        Raises `WorkerError` when the infrastructure itself failed, `ServerLostError` when only a fork server did.
        """
        async with self._guests.open_run(self._settings) as run:
            self._run = run
            async for message in run:
                reply = self._read(message)
                if reply is not None:
                    yield reply

    def ended(self) -> Ended:
        """How the program ended; only after `replies` was closed."""
        if self._run is None:
            raise RuntimeError("the run has not been started")
        ending = self._run.ending
        if self._refusal is not None:
            return Ended("refused", self._refusal, ending.cpu_seconds, self._refusal, not self._refused_in_time)
        return describe_ending(ending)

    def _read(self, message: Plain) -> ProgramReply | None:
        """The answers in one message; a malformed message comes from user code and is ignored."""
        refusal = _read_refusal(message)
        if refusal is not None:
            self._refusal, self._refused_in_time = refusal
            return None
        reply = _read_outcomes(message, self._settings, self._taken)
        self._taken += 0 if reply is None else len(reply.outcomes)
        return reply


def _read_refusal(message: Plain) -> tuple[str, bool] | None:
    """The reason why a program could not be loaded, and whether that was found in time."""
    error = message.get("load_error")
    if not isinstance(error, dict):
        return None
    fields = cast("dict[str, Any]", error)
    return str(fields.get("message", "")), bool(fields.get("kind") != "timed_out")


def _read_outcomes(message: Plain, settings: RunSettings, taken: int) -> ProgramReply | None:
    """The outcomes of a message that follows `taken` others; never more than were requested."""
    outcomes, slow = message.get("outcomes"), message.get("slow")
    if not isinstance(outcomes, list):
        return None
    due = cast("list[Any]", outcomes)[: len(settings.places) - taken]
    return ProgramReply(settings, taken, due, cast("dict[str, Any]", slow) if isinstance(slow, dict) else {})


class BatchRun:
    """Several programs running in one process."""

    def __init__(self, guests: Guests, settings: RunSettings) -> None:
        self._guests = guests
        self._settings = settings
        self._taken = [0] * len(settings.sources)

    async def reports(self) -> AsyncGenerator[BatchReply]:
        """Yield the reports as they arrive. Raises `ServerLostError`, `WorkerError` as `ProgramRun` does."""
        async with self._guests.open_run(self._settings) as run:
            async for message in run:
                reports = message.get("reports")
                for item in cast("list[Any]", reports) if isinstance(reports, list) else []:
                    report = self._read(cast("Plain", item)) if isinstance(item, dict) else None
                    if report is not None:
                        yield report

    def _read(self, message: Plain) -> BatchReply | None:
        place = message.get("of")
        if type(place) is not int or not 0 <= place < len(self._taken):
            return None
        reply = _read_outcomes(message, self._settings, self._taken[place])
        self._taken[place] += 0 if reply is None else len(reply.outcomes)
        refusal = _read_refusal(message)
        ended = None if refusal is None else Ended("refused", refusal[0], None, refusal[0], not refusal[1])
        return BatchReply(place, reply, ended, message.get("done") is True)


@dataclass(frozen=True, slots=True)
class BatchReply:
    """A message about one program of a batch."""

    place: int
    reply: ProgramReply | None
    refused: Ended | None
    """How it ended if it could not be loaded."""
    is_done: bool
    """Whether it has finished."""


@dataclass(frozen=True, slots=True)
class ProgramReply:
    """Consecutive answers of a program; the outcomes are parsed as JSON but not yet decoded."""

    settings: RunSettings
    first: int
    """Position of the first of them."""
    outcomes: Sequence[Any]
    slow: Mapping[str, Any]

    def tell(self, judge: PartJudge, first: int, end: int) -> None:
        """Pass the answers at positions from `first` to before `end`, which belong to `judge`, to it."""
        start, stop = max(first, self.first), min(end, self.first + len(self.outcomes))
        if start >= stop or judge.is_decided:
            return
        if judge.take_if_all_same(self.outcomes[start - self.first : stop - self.first]):
            return
        for answer in self.answers(start, stop):
            judge.take(answer)
            if judge.is_decided:
                return

    def answers(self, start: int, stop: int) -> Iterator[Answer]:
        """The answers at positions from `start` to before `stop`."""
        offset = len(self.settings.problem.base_inputs)
        for place in range(start, stop):
            part, index = self.settings.places[place]
            seconds = self.slow.get(str(index + (0 if part is Part.BASE else offset))) if self.slow else 0.0
            outcome = self.outcomes[place - self.first]
            yield _to_answer(part, index, outcome, seconds if type(seconds) is float else 0.0)


def _to_answer(part: Part, index: int, outcome: Any, seconds: float) -> Answer:
    if type(outcome) is str:
        return Answer(part, index, value=outcome, seconds=seconds)
    fields = cast("dict[str, Any]", outcome) if isinstance(outcome, dict) else {}
    digest, kind, text = Digest.read(fields), fields.get("kind"), fields.get("text")
    if digest is not None:
        return Answer(part, index, digest=digest, seconds=seconds)
    if kind == "timed_out":
        is_certain = fields.get("certain") is True
        text = "no result within its time"
        return Answer(part, index, text=text, is_timeout=True, is_certain=is_certain, seconds=seconds)
    prefix = {"raised": "raised ", "too_much_output": "too much output: "}.get(str(kind), "")
    said = text if type(text) is str else ""
    return Answer(part, index, text=(prefix + said).strip() or "no value", seconds=seconds)
