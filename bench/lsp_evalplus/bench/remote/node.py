"""The worker's side: judges chunks, with guests that stay between them, in any process or thread of an engine."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from lsp_evalplus.bench.datasets.locate import cache_folder
from lsp_evalplus.bench.judging.verdicts import SampleVerdict
from lsp_evalplus.bench.running.evaluate import Options, Watcher, conditions_of, evaluate, make_guests
from lsp_evalplus.bench.running.guest_client import Guests
from lsp_evalplus.bench.running.selftest import check_harness
from lsp_evalplus.fuzz.errors import LspEvalplusError, UserError
from lsp_evalplus.fuzz.host.interpreter import Interpreter, find_interpreter

from .plan import ChunkResult, Plain, options_of, read_chunk


def judge_chunk(plan: Plain, chunk: Plain) -> Plain:
    """Judge the programs of a chunk on this machine; the verdicts are those of a local run, byte for byte.

    A machine that lacks what the plan asks for refuses in one sentence, before any program runs: `refusal`.
    """
    return _worker_of_this_process().judge(plan, chunk).to_plain()


class _Worker:
    """An event loop in a thread of its own, and the guests of the plan that was judged last."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._turn = threading.Lock()
        self._plan: Plain | None = None
        self._options: Options | None = None
        self._guests: Guests | None = None
        threading.Thread(target=self._loop.run_forever, name="lsp-evalplus worker", daemon=True).start()

    def judge(self, plan: Plain, chunk: Plain) -> ChunkResult:
        """Judge a chunk; chunks of several threads take turns."""
        with self._turn:
            return asyncio.run_coroutine_threadsafe(self._judge(plan, chunk), self._loop).result()

    async def _judge(self, plan: Plain, chunk: Plain) -> ChunkResult:
        started = time.monotonic()
        try:
            options, guests = await self._prepared(plan)
            found: dict[str, SampleVerdict] = {}

            def note(_task_id: str, digest: str, verdict: SampleVerdict, _seconds: float) -> None:
                found[digest] = verdict

            watcher = Watcher(_ignore, _ignore, note)
            outcome = await evaluate(*read_chunk(chunk), options, watcher, guests)
        except LspEvalplusError as error:
            return ChunkResult({}, 0.0, {}, (), str(error))
        return ChunkResult(found, time.monotonic() - started, outcome.layers_off, outcome.left_out)

    async def _prepared(self, plan: Plain) -> tuple[Options, Guests]:
        """Return the guests of a plan. Raises `UserError` where this machine is not what it asks for."""
        if self._plan == plan and self._options is not None and self._guests is not None:
            return self._options, self._guests
        if self._guests is not None:
            await self._guests.close()
        self._plan, self._guests = None, None
        options = options_of(plan, _interpreter(plan["python"]), cache_folder())
        _check_conditions(plan["conditions"], conditions_of(options))
        guests = make_guests(options)
        await check_harness(guests)
        lacking = sorted(set(guests.layers_off) - set(plan["layers_off"]))
        if lacking:
            await guests.close()
            reasons = "; ".join(f"{name}: {guests.layers_off[name]}" for name in lacking)
            raise UserError(f"its sandbox lacks what the driver's has ({reasons}); `lsp-evalplus doctor` says more.")
        self._plan, self._options, self._guests = plan, options, guests
        return options, guests


_LOCK = threading.Lock()
_WORKERS: list[_Worker] = []
"""The worker of this process, once there is one."""


def _worker_of_this_process() -> _Worker:
    with _LOCK:
        if not _WORKERS:
            _WORKERS.append(_Worker())
        return _WORKERS[0]


def _interpreter(path: str) -> Interpreter:
    """Return the plan's interpreter. Raises `UserError` where there is none at its path."""
    return find_interpreter(path, Path.cwd())


def _ignore(_done: int, _total: int) -> None:
    """Show no progress: the driver does."""


_NAMES = {"python": "Python", "distributions": "installed distributions (their digests)", "format": "lsp-evalplus"}


def _check_conditions(asked: Mapping[str, object], here: Mapping[str, object]) -> None:
    """Raise `UserError` with all in which a worker's machine differs from what the verdicts depend on."""
    differing = [name for name in asked.keys() | here.keys() if asked.get(name) != here.get(name)]
    if differing:
        said = "; ".join(
            f"{_NAMES.get(name, name)}: {here.get(name)}, not {asked.get(name)}" for name in sorted(differing)
        )
        raise UserError(f"it is not like the driver's machine ({said}).")
