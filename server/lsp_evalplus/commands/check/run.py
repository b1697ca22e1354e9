"""Concurrent checks of functions, in guests of each project's own interpreter."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.engine.blank_instances import check_blank
from lsp_evalplus.fuzz.engine.check import check
from lsp_evalplus.fuzz.engine.in_tests import check_in_tests, is_thorough
from lsp_evalplus.fuzz.engine.ladder_run import Severities, ask_in_turn, conclude
from lsp_evalplus.fuzz.engine.project_tests import ProjectTestRuns
from lsp_evalplus.fuzz.engine.through_callers import check_through, needs_callers
from lsp_evalplus.fuzz.errors import GuestFaultError
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.processors import count_usable
from lsp_evalplus.fuzz.model import ArgumentsText, Budget, FunctionTarget, Oracle, Report, Verdict
from lsp_evalplus.fuzz.oracle.git import tracks
from lsp_evalplus.fuzz.seeds.corpus import memory_key, open_memory

from .items import Item
from .llm import ANSWERS_WAITED_FOR, Adviser, is_opinion_wanted


@dataclass(frozen=True, slots=True)
class Checked:
    """An item with its results."""

    item: Item
    report: Report
    fault: str = ""
    """An internal error, if that is why the item was not checked."""
    layers_off: Mapping[str, str] = field(default_factory=dict[str, str])
    """The layers of the sandbox that were off, and why."""


def count_jobs(settings: Settings) -> int:
    """Number of concurrent checks: as set, else all cores except one for the user."""
    if settings.jobs:
        return settings.jobs
    cores = count_usable()
    return max(1, cores - 1) if cores > 2 else cores


async def run_checks(
    items: Iterable[Item], jobs: int, adviser: Adviser | None = None, *, traced: int = 0
) -> AsyncGenerator[Checked, None]:
    """Check items as they arrive, `jobs` at a time; yield results as they complete.

    With a language model (`adviser`), more functions are started than run, so that waiting for answers blocks no
    others. Reports have a trace of `traced` inputs.

    Raises:
        UserError: an interpreter cannot be used.
        WorkerError: guests cannot be started at all.
    """
    pending, done = set[asyncio.Task[Checked]](), set[asyncio.Task[Checked]]()
    source = iter(items)
    async with AsyncExitStack() as stack:
        pools = Pools(stack, jobs)
        stack.push_async_callback(pools.tests.close)
        try:
            while True:
                free = jobs + (ANSWERS_WAITED_FOR if adviser is not None else 0) - len(pending)
                pending |= {
                    asyncio.ensure_future(_check_item(item, pools, adviser, traced)) for item in _take(source, free)
                }
                if not pending:
                    return
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                while done:
                    yield done.pop().result()
        finally:
            for task in pending | done:
                task.cancel()
            # Retrieve the other exceptions too, or asyncio would complain about them at the end.
            await asyncio.gather(*pending, *done, return_exceptions=True)


def _take(source: Iterator[Item], count: int) -> Iterator[Item]:
    for _ in range(count):
        item = next(source, None)
        if item is None:
            return
        yield item


class Pools:
    """Lazily created guests for each project and its permissions."""

    def __init__(self, stack: AsyncExitStack, jobs: int) -> None:
        self._stack = stack
        self._jobs = jobs
        self.tests = ProjectTestRuns()
        """The runs of tests of the projects."""
        self._pools = dict[tuple[Path, str, Confinement], asyncio.Task[GuestPool]]()

    async def get(self, item: Item) -> GuestPool:
        """The pool for an item's project."""
        confinement = Confinement.from_settings(item.settings, item.root)
        key = (item.root, item.settings.python, confinement)
        if key not in self._pools:
            self._pools[key] = asyncio.ensure_future(self._open(item, confinement))
        return await asyncio.shield(self._pools[key])

    async def _open(self, item: Item, confinement: Confinement) -> GuestPool:
        interpreter = await asyncio.to_thread(
            find_interpreter, item.settings.python or None, item.root, None if item.settings.trusts_project else tracks
        )
        return await self._stack.enter_async_context(GuestPool(interpreter, confinement, size=self._jobs))


async def _check_item(item: Item, pools: Pools, adviser: Adviser | None, traced: int) -> Checked:
    if adviser is not None and item.target is not None and is_opinion_wanted(item):
        return await _ask_model(item.target, item, await pools.get(item), adviser)
    if item.target is None or item.reason:
        return await _by_tests(Checked(item, Report(Verdict.NOT_CHECKED, item.reason, None)), pools)
    pool = await pools.get(item)
    memory = open_memory(item.settings) if item.path else None
    key = memory_key(item.path, item.name)
    seeds = await asyncio.to_thread(memory.recall, key) if memory else []
    asking = _Asking(item, item.target, pool, [*item.seeds, *seeds], adviser, traced)
    severities = Severities(item.settings, item.name, item.is_refactoring, item.ignored)
    reports = await ask_in_turn(item.oracles, asking.ask, severities)
    if memory:
        found = [text for one in reports if one.counterexample is not None for text in one.counterexample.own_inputs]
        corpus = dict.fromkeys(text for one in reports for text in one.corpus)
        await asyncio.to_thread(memory.keep, key, found=found, corpus=corpus)
    return await _by_tests(Checked(item, conclude(reports, severities), asking.fault, pool.layers_off), pools)


async def _by_tests(checked: Checked, pools: Pools) -> Checked:
    """Return what tests of the project say of a function of which nothing else says what it should return."""
    item, report = checked.item, checked.report
    if not (report.verdict is Verdict.NOT_CHECKED or report.is_return_only) or checked.fault:
        return checked
    file = item.tested_file()
    if file is None:
        return checked
    try:
        pool = await pools.get(item)
        found = await pools.tests.report(item.name, file, pool)
    except GuestFaultError as error:
        return replace(checked, fault=f"the worker failed: {error}")
    if found is None or (found.is_weak and report.verdict is Verdict.AGREES):
        return checked
    severities = Severities(item.settings, item.name, item.is_refactoring, item.ignored)
    return replace(checked, report=conclude([found], severities), layers_off=pool.layers_off)


async def _ask_model(target: FunctionTarget, item: Item, pool: GuestPool, adviser: Adviser) -> Checked:
    try:
        return Checked(item, await adviser.judge(target, item, pool))
    except GuestFaultError as error:
        reason = f"the worker failed: {error}"
        return Checked(item, Report(Verdict.NOT_CHECKED, reason, None), fault=reason)


@dataclass(slots=True)
class _Asking:
    """Consults the oracles of an item one after the other."""

    item: Item
    target: FunctionTarget
    pool: GuestPool
    seeds: Sequence[ArgumentsText]
    """Inputs that the caller names, then those from the corpus."""
    adviser: Adviser | None
    traced: int = 0
    fault: str = ""
    """See `Checked.fault`."""

    async def ask(self, oracle: Oracle) -> Report:
        """Run one check with the whole budget; a language model's inputs go to the first oracle."""
        item, settings = self.item, self.item.settings
        budget = Budget(seconds=settings.budget, seed=settings.seed, traced=self.traced)
        try:
            if self.adviser is not None and oracle is item.oracles[0]:
                return await self.adviser.check(self.target, item, oracle, budget, self.pool, self.seeds)
            report = await check(self.target, oracle, budget, self.pool, seeds=self.seeds)
            is_agreed = report.verdict is not Verdict.DIFFERS
            in_tests = item.in_tests(oracle, only_changed=is_thorough(report, self.target)) if is_agreed else None
            if in_tests is not None:
                report = await check_in_tests(report, in_tests, budget, self.pool)
            if needs_callers(report, self.target):
                report = await check_through(report, self.target, item.callers(), budget, self.pool)
            return await check_blank(report, self.target, budget, self.pool)
        except GuestFaultError as error:
            self.fault = f"the worker failed: {error}"
            return Report(Verdict.NOT_CHECKED, self.fault, oracle)
