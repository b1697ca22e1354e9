"""Runs our engine on pairs of candidate and reference, or on candidates alone, and keeps what came of each."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import aclosing
from pathlib import Path
from typing import Any, TypeVar, cast

from lsp_evalplus.commands.check.items import Item
from lsp_evalplus.commands.check.pairs import read_pairs
from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.engine.check import check
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job, Run
from lsp_evalplus.fuzz.model import Budget, Oracle, OracleKind, Report, Verdict
from lsp_evalplus.fuzz.oracle.examples import read_examples
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.source.discover import read_module

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What one check said."""

    identifier: str
    verdict: str
    reason: str
    call: str = ""
    arguments: str = ""
    tier: str = ""
    note: str = ""
    oracle: str = ""
    inputs: int = 0
    seconds: float = 0.0
    """Wall time from the request to the verdict, replays included."""

    @property
    def found(self) -> bool:
        return self.verdict == Verdict.DIFFERS


class Ablated:
    """A pool whose searches run without some of their stages."""

    def __init__(self, pool: GuestPool, disabled: Iterable[str]) -> None:
        self._pool = pool
        self._without = {"disabled": list(disabled), "no_feedback": "feedback" in disabled}

    def start(self, job: Job) -> Run:
        request = job.request
        if job.kind == "explore" and "replay" not in request:
            request = {**request, "budget": {**request["budget"], **self._without}}
        return self._pool.start(dataclasses.replace(job, request=request))


def read_items(path: Path, limit: int | None = None) -> list[Item]:
    """The pairs of a file; with `limit`, so many of them, evenly spread."""
    return spread([item for item in read_pairs(str(path), Settings()) if isinstance(item, Item)], limit)


def spread(items: list[T], limit: int | None) -> list[T]:
    """So many of the items, evenly spread; all of them without a limit."""
    if limit is None or limit >= len(items):
        return items
    return [items[index * len(items) // limit] for index in range(limit)]


def read_lone_items(path: Path, limit: int | None = None) -> list[Item]:
    """The candidates of a file of pairs with the oracles that speak for them without the reference.

    The examples of the task's docstring judge, which the author of the function had before their eyes; types, contract
    and robustness are the candidate's own.
    """
    items: list[Item] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        module = read_module(pair["candidate"])
        if pair["entry_point"] not in module.definitions:
            continue
        target = module.target(pair["entry_point"])
        theirs = read_module(pair["reference"])
        examples = read_examples(theirs.target(pair["entry_point"]), theirs)
        oracles = [o for o in oracles_for(target, module, None, Settings()) if o.kind is not OracleKind.EXAMPLES]
        told = [Oracle(OracleKind.EXAMPLES, "docstring examples", examples=examples)] if examples else []
        seeded = [dataclasses.replace(o, examples=examples) for o in oracles]
        items.append(Item(None, pair["entry_point"], pair["id"], target, (*told, *seeded)))
    return spread(items, limit)


async def run_items(
    items: list[Item], budget: Budget, jobs: int, *, disabled: Iterable[str] = (), on_done: Callable[[], None]
) -> list[Outcome]:
    """Check all items, `jobs` at a time."""
    interpreter = find_interpreter(sys.executable, Path())
    async with GuestPool(interpreter, Confinement(), size=jobs) as pool:
        for seed in (0, 1, 2):
            await pool.warm(seed)
        used = cast("GuestPool", Ablated(pool, tuple(disabled))) if disabled else pool
        found: list[Outcome] = []
        async with aclosing(_run(items, budget, used, jobs)) as outcomes:
            async for outcome in outcomes:
                found.append(outcome)
                on_done()
    return found


async def _run(items: list[Item], budget: Budget, pool: GuestPool, jobs: int) -> AsyncIterator[Outcome]:
    places = asyncio.Semaphore(jobs)

    async def one(item: Item) -> Outcome:
        async with places:
            return await _check(item, budget, pool)

    for task in asyncio.as_completed([asyncio.ensure_future(one(item)) for item in items]):
        yield await task


async def _check(item: Item, budget: Budget, pool: GuestPool) -> Outcome:
    name = item.identifier or item.name
    if item.target is None or not item.oracles:
        return Outcome(name, Verdict.NOT_CHECKED, item.reason or "no oracle")
    report: Report | None = None
    for oracle in item.oracles:
        report = await check(item.target, oracle, budget, pool)
        if report.verdict is Verdict.DIFFERS:
            break
    assert report is not None
    return _outcome(name, report)


def _outcome(name: str, report: Report) -> Outcome:
    found = report.counterexample
    facts: dict[str, Any] = {"inputs": report.inputs, "seconds": report.seconds}
    if found is not None:
        facts |= {"call": found.call, "arguments": found.arguments, "tier": str(found.tier), "note": found.note}
    oracle = str(report.oracle.kind) if report.oracle is not None else ""
    return Outcome(name, str(report.verdict), report.reason, oracle=oracle, **facts)
