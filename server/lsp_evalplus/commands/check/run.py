"""Runs checks: several functions at a time in guests of each project's own interpreter."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.engine.check import check
from lsp_evalplus.fuzz.errors import GuestFaultError
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import ArgumentsText, Budget, FunctionTarget, Oracle, OracleKind, Report, Verdict
from lsp_evalplus.fuzz.seeds.corpus import memory_key, open_memory

from .items import Item
from .llm import ANSWERS_WAITED_FOR, Adviser, is_opinion_wanted

_ALONE = frozenset({OracleKind.REFERENCE, OracleKind.PREVIOUS})
"""Oracles that say all there is to say; after any other, weaker ones may still find something."""


@dataclass(frozen=True, slots=True)
class Checked:
    """An item with what is known about it now."""

    item: Item
    report: Report
    fault: str = ""
    """What went wrong in our own machinery, where it is that which kept the item from being checked."""


def count_jobs(settings: Settings) -> int:
    """How many functions are checked at the same time: as set, else one core is left to the user."""
    if settings.jobs:
        return settings.jobs
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1) if cores > 2 else cores


async def run_checks(items: Iterable[Item], jobs: int, adviser: Adviser | None = None) -> AsyncGenerator[Checked, None]:
    """Check items as they come, `jobs` at a time; results come in the order in which they are ready.

    Where a language model is asked, by `adviser`, more functions are begun than run: who waits for an answer keeps
    nobody waiting.

    Raises:
        UserError: an interpreter cannot be used.
        WorkerError: guests cannot be started at all.
    """
    pending, done = set[asyncio.Task[Checked]](), set[asyncio.Task[Checked]]()
    source = iter(items)
    async with AsyncExitStack() as stack:
        pools = _Pools(stack, jobs)
        try:
            while True:
                free = jobs + (ANSWERS_WAITED_FOR if adviser is not None else 0) - len(pending)
                pending |= {asyncio.ensure_future(_check_item(item, pools, adviser)) for item in _take(source, free)}
                if not pending:
                    return
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                while done:
                    yield done.pop().result()
        finally:
            for task in pending | done:
                task.cancel()
            # Failures of the others are looked at too, or asyncio would complain about them at the end.
            await asyncio.gather(*pending, *done, return_exceptions=True)


def _take(source: Iterator[Item], count: int) -> Iterator[Item]:
    for _ in range(count):
        item = next(source, None)
        if item is None:
            return
        yield item


class _Pools:
    """A pool of guests for each project, made when it is needed first."""

    def __init__(self, stack: AsyncExitStack, jobs: int) -> None:
        self._stack = stack
        self._jobs = jobs
        self._pools = dict[tuple[Path, str], asyncio.Task[GuestPool]]()

    async def get(self, item: Item) -> GuestPool:
        """The pool for an item's project."""
        key = (item.root, item.settings.python)
        if key not in self._pools:
            self._pools[key] = asyncio.ensure_future(self._open(item))
        return await asyncio.shield(self._pools[key])

    async def _open(self, item: Item) -> GuestPool:
        settings = item.settings
        interpreter = await asyncio.to_thread(find_interpreter, settings.python or None, item.root)
        confinement = Confinement(
            read=tuple(str((settings.root or item.root) / path) for path in settings.read),
            network=settings.network,
            memory_bytes=settings.memory_limit << 20,
        )
        return await self._stack.enter_async_context(GuestPool(interpreter, confinement, size=self._jobs))


async def _check_item(item: Item, pools: _Pools, adviser: Adviser | None) -> Checked:
    if adviser is not None and item.target is not None and is_opinion_wanted(item):
        return await _ask_model(item.target, item, await pools.get(item), adviser)
    if item.target is None or item.reason:
        return Checked(item, Report(Verdict.NOT_CHECKED, item.reason, None))
    pool = await pools.get(item)
    memory = open_memory(item.settings) if item.path else None
    key = memory_key(item.path, item.name)
    seeds = await asyncio.to_thread(memory.recall, key) if memory else []
    try:
        report = await _climb(item.target, item, pool, seeds, adviser)
    except GuestFaultError as error:
        reason = f"the worker failed: {error}"
        return Checked(item, Report(Verdict.NOT_CHECKED, reason, item.oracles[0]), fault=reason)
    if memory:
        found = [report.counterexample.arguments] if report.counterexample else []
        await asyncio.to_thread(memory.keep, key, found=found, corpus=report.corpus)
    return Checked(item, report)


async def _ask_model(target: FunctionTarget, item: Item, pool: GuestPool, adviser: Adviser) -> Checked:
    try:
        return Checked(item, await adviser.judge(target, item, pool))
    except GuestFaultError as error:
        reason = f"the worker failed: {error}"
        return Checked(item, Report(Verdict.NOT_CHECKED, reason, None), fault=reason)


async def _climb(
    target: FunctionTarget, item: Item, pool: GuestPool, seeds: list[ArgumentsText], adviser: Adviser | None
) -> Report:
    """Ask the oracles in turn until one finds something; each has the whole budget."""
    settings = item.settings
    budget = Budget(seconds=settings.budget, seed=settings.seed)
    reports = list[Report]()
    judges = _judges(item.oracles)
    for oracle in judges:
        if adviser is not None and oracle is judges[0]:
            report = await adviser.check(target, item, oracle, budget, pool, seeds)
        else:
            report = await check(target, oracle, budget, pool, seeds=seeds)
        if report.verdict is Verdict.DIFFERS:
            return _sum(report, reports)
        reports.append(report)
        if report.verdict is Verdict.AGREES and oracle.kind in _ALONE:
            break
    agreeing = [report for report in reports if report.verdict is Verdict.AGREES]
    first = (agreeing or reports)[0]
    return _sum(first, [report for report in agreeing if report is not first])


def _judges(oracles: tuple[Oracle, ...]) -> tuple[Oracle, ...]:
    return oracles[:1] if oracles[0].kind in _ALONE else oracles


def _sum(report: Report, others: list[Report]) -> Report:
    return replace(
        report,
        inputs=report.inputs + sum(other.inputs for other in others),
        rejected=report.rejected + sum(other.rejected for other in others),
        seconds=report.seconds + sum(other.seconds for other in others),
    )
