"""One check of one function: ask the oracles in turn, first with inputs that failed before.

Results are kept by the hash of all they depend on, so the same question is not answered twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from lsp_evalplus.fuzz.engine.blank_instances import check_blank
from lsp_evalplus.fuzz.engine.in_tests import check_in_tests
from lsp_evalplus.fuzz.engine.ladder_run import ask_in_turn, is_decisive
from lsp_evalplus.fuzz.engine.through_callers import check_through, is_unreached, needs_callers
from lsp_evalplus.fuzz.errors import UserError, WorkerError
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import Budget, FunctionTarget, Oracle, OracleKind, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import NO_ORACLE
from lsp_evalplus.server.analysis.client import AnalysisClient
from lsp_evalplus.server.analysis.facts import JUST_REPLACED, FileText, PreparedFunction
from lsp_evalplus.server.workspace.folders import Folder, Folders
from lsp_evalplus.server.workspace.interpreters import SlowInterpreterError

from .llm_inputs import ProposeFunction, Proposer
from .llm_opinions import Opinions, judge_opinion
from .llm_queue import FollowUps, Submit, Work
from .results import ResultStore
from .state import severities_of

if TYPE_CHECKING:
    from lsp_evalplus.fuzz.llm.oracle import Proposal

logger = logging.getLogger(__name__)

_MAX_REPORTS: Final = 4000
_REPLAY_SECONDS: Final = 0.25
_TRACED: Final = 100
"""Inputs of a search that are kept for whoever asks what was tried."""

CheckFunction = Callable[[FunctionTarget, Oracle, Budget, GuestPool, Sequence[str]], Awaitable[Report]]
"""`engine.check` with its seeds; a parameter so that the order of steps can be tested without guests."""

Recall = Callable[[], Awaitable[Sequence[str]]]
"""Loads the stored inputs of the function under check."""


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What is to be checked."""

    file: FileText
    name: str
    folder: Folder
    open_texts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Unsaved documents by path."""
    known_inputs: tuple[str, ...] = ()
    """Arguments that failed before, tried first."""
    replaced: str | None = None
    """The file's source before an accepted version of the function replaced another."""
    factor: float = 1.0
    """Multiplies the budget."""


@dataclass(frozen=True, slots=True)
class CheckProgress:
    """Progress of a check. `report` is the newest result, None before the first."""

    prepared: PreparedFunction | None
    report: Report | None = None
    obstacle: str | None = None
    is_broken: bool = False
    """Whether the obstacle is the folder's environment, so that nothing in it can be checked."""


Listener = Callable[[CheckProgress], None]


class Checker:
    """Checks functions; holds the results that can be used again."""

    def __init__(
        self,
        analysis: AnalysisClient,
        folders: Folders,
        check: CheckFunction,
        submit: Submit,
        propose: ProposeFunction | None = None,
        results: ResultStore | None = None,
    ) -> None:
        """`submit` schedules the work that remains when a language model has answered.

        `results` are those of earlier sessions.
        """
        self._results = results
        self._propose = propose or Proposer()
        self._opinions = Opinions()
        self._later = FollowUps(submit)
        self._analysis = analysis
        self._folders = folders
        self._check = check
        self._kept: OrderedDict[tuple[object, ...], Report] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    async def check(self, request: CheckRequest, on_progress: Listener) -> None:
        """Check a function against its oracles in turn, and report every result as it comes."""
        prepared = await self._prepare(request, on_progress)
        if prepared is None:
            return
        pool = await self._pool(request.folder, prepared, on_progress)
        if pool is None:
            return
        place = _place(request)
        self._later.start(place, prepared.key, lambda: self._ask_inputs(request, prepared, pool, on_progress))
        is_over = False
        try:
            is_over = await self._ask_in_turn(request, prepared, pool, on_progress)
        finally:
            if is_over:
                self._later.release(place)
            else:
                self._later.cancel(place)

    async def _ask_in_turn(
        self, request: CheckRequest, prepared: PreparedFunction, pool: GuestPool, on_progress: Listener
    ) -> bool:
        """Whether to try more inputs after all oracles have been asked."""
        severities = severities_of(request.folder.settings, request.name, prepared.directives)
        recall = self._recall_once(request)
        reports = await ask_in_turn(
            prepared.oracles,
            lambda oracle: self._ask(request, prepared, oracle, pool, recall),
            severities,
            lambda report: on_progress(CheckProgress(prepared, report)),
        )
        return not any(one.verdict is Verdict.DIFFERS and is_decisive(one, severities) for one in reports)

    def _recall_once(self, request: CheckRequest) -> Recall:
        """The stored inputs: loaded on first use, shared by all oracles of one check."""
        known: list[Sequence[str]] = []

        async def recall() -> Sequence[str]:
            if not known:
                path, settings = request.file.path, request.folder.settings
                known.append(await self._analysis.recall(path, request.name, settings) if path is not None else ())
            return known[0]

        return recall

    async def _ask_inputs(
        self, request: CheckRequest, prepared: PreparedFunction, pool: GuestPool, on_progress: Listener
    ) -> Work | None:
        """Inputs from a language model, requested when the check begins and tried when it is over."""
        seeds = await self._propose(
            request.folder, request.file.path, prepared, prepared.oracles[0], request.known_inputs
        )
        return (lambda: self._try_proposed(request, prepared, seeds, pool, on_progress)) if seeds else None

    async def _try_proposed(
        self,
        request: CheckRequest,
        prepared: PreparedFunction,
        seeds: Sequence[str],
        pool: GuestPool,
        on_progress: Listener,
    ) -> None:
        """Report only if they find something: the result without them has been shown."""
        budget = Budget(_REPLAY_SECONDS, seed=request.folder.settings.seed)
        report = await self._run(prepared.target, prepared.oracles[0], budget, pool, seeds)
        if report.verdict is Verdict.DIFFERS:
            on_progress(CheckProgress(prepared, report))

    async def _ask_opinion(
        self, request: CheckRequest, prepared: PreparedFunction, on_progress: Listener
    ) -> Work | None:
        """Implementations by a language model, for a function without any other oracle."""
        proposal = await self._opinions.ask(request.folder, request.file.path, prepared.target)
        return (
            (lambda: self._report_opinion(request, prepared, proposal, on_progress)) if proposal is not None else None
        )

    async def _report_opinion(
        self,
        request: CheckRequest,
        prepared: PreparedFunction,
        proposal: Proposal,
        on_progress: Listener,
        calls: int | None = None,
    ) -> None:
        pool = await self._pool(request.folder, prepared, on_progress)
        if pool is None:
            return
        settings = request.folder.settings
        seconds = seconds_for(settings.budget, prepared) * request.factor if calls is None else _REPLAY_SECONDS
        budget = Budget(seconds, calls, settings.seed)
        key = (prepared.key, proposal, budget, pool.interpreter.path, pool.interpreter.version)
        report = self._kept.get(key)
        if report is None:
            report = await judge_opinion(prepared.target, proposal, budget, pool, request.known_inputs)
            self._keep(key, report)
        on_progress(CheckProgress(prepared, report))

    def forget(self, path: str | None, name: str) -> None:
        """The function is gone: cancel the requests to language models about it."""
        self._later.cancel((path, name))

    def cancel_all(self) -> None:
        """Cancel all requests to language models."""
        self._later.cancel_all()

    async def close(self) -> None:
        """End the background work beside the jobs."""
        await self._later.close()

    async def replay(self, request: CheckRequest, kinds: Sequence[OracleKind], on_progress: Listener) -> None:
        """Only try the inputs that failed before, against the oracles they failed for. Takes milliseconds."""
        prepared = await self._prepare(request, on_progress, is_replay=True)
        if prepared is None or not request.known_inputs:
            return
        pool = await self._pool(request.folder, prepared, on_progress)
        if pool is None:
            return
        budget = Budget(_REPLAY_SECONDS, calls=len(request.known_inputs), seed=request.folder.settings.seed)
        for oracle in prepared.oracles:
            if oracle.kind in kinds:
                report = await self._run(prepared.target, oracle, budget, pool, request.known_inputs)
                on_progress(CheckProgress(prepared, report))

    async def _prepare(
        self, request: CheckRequest, on_progress: Listener, *, is_replay: bool = False
    ) -> PreparedFunction | None:
        """The function with its oracles; None where there is none, which has then been reported."""
        try:
            prepared = await self._analysis.prepare(
                request.file, request.name, request.folder.settings, request.open_texts, request.replaced
            )
        except WorkerError as error:
            on_progress(CheckProgress(None, obstacle=f"the worker failed: {error}"))
            return None
        if prepared is None:
            return None
        obstacle = prepared.target.obstacle or prepared.problem
        if obstacle is None and not prepared.oracles:
            await self._without_oracle(request, prepared, on_progress, is_replay=is_replay)
            return None
        if obstacle is not None:
            self._later.cancel(_place(request))
            on_progress(CheckProgress(prepared, obstacle=obstacle))
            return None
        on_progress(CheckProgress(prepared))
        return prepared

    async def _without_oracle(
        self, request: CheckRequest, prepared: PreparedFunction, on_progress: Listener, *, is_replay: bool
    ) -> None:
        """Ask a language model, the only oracle left: at once from the cache, else later; never without opt-in."""
        known = self._opinions.known(request.folder, request.file.path, prepared.target)
        if known is not None:
            calls = len(request.known_inputs) if is_replay else None
            if calls != 0:
                await self._report_opinion(request, prepared, known, on_progress, calls)
            return
        on_progress(CheckProgress(prepared, obstacle=NO_ORACLE))
        if not is_replay and self._opinions.is_wanted(request.folder, request.file.path):
            place = _place(request)
            self._later.start(place, prepared.key, lambda: self._ask_opinion(request, prepared, on_progress))
            self._later.release(place)

    async def _pool(self, folder: Folder, prepared: PreparedFunction, on_progress: Listener) -> GuestPool | None:
        try:
            return await self._folders.pool_of(folder)
        except (UserError, WorkerError) as error:
            logger.warning("%s: %s", folder.root, error)
            is_broken = not isinstance(error, SlowInterpreterError)
            on_progress(CheckProgress(prepared, obstacle=str(error).rstrip("."), is_broken=is_broken))
            return None

    async def _ask(
        self, request: CheckRequest, prepared: PreparedFunction, oracle: Oracle, pool: GuestPool, recall: Recall
    ) -> Report:
        settings = request.folder.settings
        seconds = seconds_for(settings.budget, prepared) * request.factor
        budget = Budget(seconds, seed=settings.seed, traced=_TRACED)
        key = (prepared.key, oracle.kind, oracle.source, budget, pool.interpreter.path, pool.interpreter.version)
        known = self._kept.get(key)
        if known is not None:
            self._kept.move_to_end(key)
            return known
        path = request.file.path
        results = self._results if settings.database != "off" else None
        stored_key = await results.key(key[:4], pool.interpreter) if results is not None else ""
        stored = await results.find(stored_key, oracle) if results is not None else None
        if stored is not None:
            self._keep(key, stored)
            return stored
        seeds = tuple(dict.fromkeys([*request.known_inputs, *await recall()]))
        report = await self._run(prepared.target, oracle, budget, pool, seeds)
        if is_unreached(report):
            report = await self._in_tests(request, report, budget, pool)
        if needs_callers(report, prepared.target):
            report = await self._through_callers(request, prepared, report, budget, pool)
        report = await check_blank(report, prepared.target, budget, pool)
        if report.verdict is not Verdict.DIFFERS:
            report = replace(report, trace=None)  # Only findings are explained, and thousands of reports are kept.
        self._keep(key, report)
        if results is not None and not report.caller:
            # A stored result is one of the function alone.
            self._spawn(results.keep(stored_key, report))
        if path is not None and (report.corpus or report.counterexample is not None):
            self._spawn(self._analysis.keep(path, request.name, settings, report))
        return report

    async def _in_tests(self, request: CheckRequest, report: Report, budget: Budget, pool: GuestPool) -> Report:
        """The report of a function of which nothing was compared, with what the calls of the project's tests show."""
        if report.oracle is None:
            return report
        try:
            is_replaced = report.oracle.source == JUST_REPLACED
            found = await self._analysis.in_tests(
                request.file,
                request.name,
                request.folder.settings,
                request.open_texts,
                request.replaced if is_replaced else None,
                report.oracle,
            )
            return await check_in_tests(report, found, budget, pool) if found is not None else report
        except (UserError, WorkerError) as error:
            logger.info("%s is not checked on the calls of tests: %s", request.name, error)
            return report

    async def _through_callers(
        self, request: CheckRequest, prepared: PreparedFunction, report: Report, budget: Budget, pool: GuestPool
    ) -> Report:
        """The report of a function of which nothing was compared, with what those show that call it."""
        try:
            settings = request.folder.settings
            is_replaced = report.oracle is not None and report.oracle.source == JUST_REPLACED
            callers = await self._analysis.callers(
                request.file, request.name, settings, request.open_texts, request.replaced if is_replaced else None
            )
            return await check_through(report, prepared.target, callers, budget, pool)
        except (UserError, WorkerError) as error:
            logger.info("%s is not checked through its callers: %s", request.name, error)
            return report

    def _keep(self, key: tuple[object, ...], report: Report) -> None:
        self._kept[key] = report
        while len(self._kept) > _MAX_REPORTS:
            self._kept.popitem(last=False)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` in the background while the result is shown; a failure to store inputs is no error."""

        def done(task: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            if not task.cancelled() and task.exception() is not None:
                logger.info("inputs were not remembered: %s", task.exception())

        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(done)

    async def _run(
        self, target: FunctionTarget, oracle: Oracle, budget: Budget, pool: GuestPool, seeds: Sequence[str]
    ) -> Report:
        started = asyncio.get_running_loop().time()
        try:
            return await self._check(target, oracle, budget, pool, seeds)
        except UserError as error:
            return Report(Verdict.NOT_CHECKED, str(error).rstrip("."), oracle)
        except WorkerError as error:
            # Our own machinery failed: that is never a verdict about the code.
            logger.warning("checking %s failed: %s", target.name, error)
            seconds = asyncio.get_running_loop().time() - started
            return replace(Report(Verdict.NOT_CHECKED, f"the worker failed: {error}", oracle), seconds=seconds)


def _place(request: CheckRequest) -> tuple[str | None, str]:
    return request.file.path, request.name


def seconds_for(default: float, prepared: PreparedFunction) -> float:
    """The budget: from a comment at the function, or the setting."""
    try:
        return min(max(float(prepared.directives.get("budget", default)), 0.01), 3600.0)
    except ValueError:
        return default
