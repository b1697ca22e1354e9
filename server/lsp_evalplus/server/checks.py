"""One check of one function: ask the oracles in turn, first with inputs that failed before.

Results are kept by the hash of all they depend on, so the same question is not answered twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from lsp_evalplus.fuzz.errors import UserError, WorkerError
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import Budget, FunctionTarget, Oracle, OracleKind, Report, Verdict
from lsp_evalplus.fuzz.oracle.ladder import NO_ORACLE

from .analyst import Analyst
from .facts import FileText, Prepared
from .folders import Folder, Folders
from .llm_inputs import ProposeFunction, Proposer
from .settings import severity_of

logger = logging.getLogger(__name__)

_MAX_REPORTS: Final = 4000
_REPLAY_SECONDS: Final = 0.25
_DECISIVE_SEVERITIES: Final = ("error", "warning")

CheckFunction = Callable[[FunctionTarget, Oracle, Budget, GuestPool, Sequence[str]], Awaitable[Report]]
"""`engine.check` with its seeds; a parameter so that the order of things can be tested without guests."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be checked."""

    file: FileText
    name: str
    folder: Folder
    open_texts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Texts by path that differ from what is on disk."""
    known_inputs: tuple[str, ...] = ()
    """Arguments that failed before, tried first."""
    factor: float = 1.0
    """Multiplies the budget."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What is known so far. `report` is the newest result, None before the first."""

    prepared: Prepared | None
    report: Report | None = None
    obstacle: str | None = None


Listener = Callable[[Progress], None]


class Checker:
    """Checks functions; holds the results that can be used again."""

    def __init__(
        self, analyst: Analyst, folders: Folders, check: CheckFunction, propose: ProposeFunction | None = None
    ) -> None:
        self._propose = propose or Proposer()
        self._analyst = analyst
        self._folders = folders
        self._check = check
        self._kept: OrderedDict[tuple[object, ...], Report] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    async def check(self, request: Request, tell: Listener) -> None:
        """Check a function against its oracles, the strongest first, and tell every result as it comes.

        It goes on after a weak oracle's finding, and stops after a strong one's, or when a reference agreed.
        """
        prepared = await self._prepare(request, tell)
        if prepared is None:
            return
        pool = await self._pool(request.folder, prepared, tell)
        if pool is None:
            return
        first = prepared.oracles[0]
        proposed = asyncio.create_task(
            self._propose(request.folder, request.file.path, prepared, first, request.known_inputs)
        )
        try:
            for oracle in prepared.oracles:
                report = await self._ask(request, prepared, oracle, pool)
                tell(Progress(prepared, report))
                if report.verdict is Verdict.DIFFERS and _is_decisive(report, request.folder):
                    return
                if _is_decisive(report, request.folder):
                    break
            await self._try_proposed(request, prepared, await proposed, pool, tell)
        finally:
            proposed.cancel()
            await asyncio.gather(proposed, return_exceptions=True)

    async def _try_proposed(
        self, request: Request, prepared: Prepared, seeds: Sequence[str], pool: GuestPool, tell: Listener
    ) -> None:
        """Inputs of a model that came when all that was known had been shown: told only if they find something."""
        if not seeds:
            return
        budget = Budget(_REPLAY_SECONDS, seed=request.folder.settings.seed)
        report = await self._run(prepared.target, prepared.oracles[0], budget, pool, seeds)
        if report.verdict is Verdict.DIFFERS:
            tell(Progress(prepared, report))

    async def replay(self, request: Request, kinds: Sequence[OracleKind], tell: Listener) -> None:
        """Only try the inputs that failed before, against the oracles they failed for. Takes milliseconds."""
        prepared = await self._prepare(request, tell)
        if prepared is None or not request.known_inputs:
            return
        pool = await self._pool(request.folder, prepared, tell)
        if pool is None:
            return
        budget = Budget(_REPLAY_SECONDS, calls=len(request.known_inputs), seed=request.folder.settings.seed)
        for oracle in prepared.oracles:
            if oracle.kind in kinds:
                report = await self._run(prepared.target, oracle, budget, pool, request.known_inputs)
                tell(Progress(prepared, report))

    async def _prepare(self, request: Request, tell: Listener) -> Prepared | None:
        prepared = await self._analyst.prepare(request.file, request.name, request.folder.settings, request.open_texts)
        if prepared is None:
            return None
        obstacle = prepared.target.obstacle or prepared.problem
        if obstacle is None and not prepared.oracles:
            obstacle = NO_ORACLE
        if obstacle is not None:
            tell(Progress(prepared, obstacle=obstacle))
            return None
        tell(Progress(prepared))
        return prepared

    async def _pool(self, folder: Folder, prepared: Prepared, tell: Listener) -> GuestPool | None:
        try:
            return await self._folders.pool_of(folder)
        except (UserError, WorkerError) as error:
            logger.warning("%s: %s", folder.root, error)
            tell(Progress(prepared, obstacle=str(error).rstrip(".")))
            return None

    async def _ask(self, request: Request, prepared: Prepared, oracle: Oracle, pool: GuestPool) -> Report:
        settings = request.folder.settings
        budget = Budget(_seconds(settings.budget, prepared) * request.factor, seed=settings.seed)
        key = (prepared.key, oracle.kind, oracle.source, budget, pool.interpreter.path, pool.interpreter.version)
        known = self._kept.get(key)
        if known is not None:
            self._kept.move_to_end(key)
            return known
        path = request.file.path
        remembered = await self._analyst.recall(path, request.name, settings) if path is not None else []
        seeds = tuple(dict.fromkeys([*request.known_inputs, *remembered]))
        report = await self._run(prepared.target, oracle, budget, pool, seeds)
        self._kept[key] = report
        if path is not None and (report.corpus or report.counterexample is not None):
            self._spawn(self._analyst.keep(path, request.name, settings, report))
        while len(self._kept) > _MAX_REPORTS:
            self._kept.popitem(last=False)
        return report

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Let `work` go on while the result is shown; what it remembers is worth no error."""

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


def _seconds(default: float, prepared: Prepared) -> float:
    """The budget: what a comment at the function says, or the setting."""
    try:
        return min(max(float(prepared.directives.get("budget", default)), 0.01), 3600.0)
    except ValueError:
        return default


def _is_decisive(report: Report, folder: Folder) -> bool:
    if report.oracle is None:
        return False
    if report.verdict is Verdict.DIFFERS and report.counterexample is not None:
        severity = severity_of(folder.settings, report.oracle.kind, report.counterexample.tier)
        return severity in _DECISIVE_SEVERITIES
    return report.verdict is Verdict.AGREES and report.oracle.kind is OracleKind.REFERENCE
