"""Guests of every kind."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.host.interpreter import Interpreter, find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Job, Run, collect
from lsp_evalplus.fuzz.host.spawn import SpawnKeeper
from lsp_evalplus.fuzz.host.zygote import ZygoteKeeper

Evaluate = Callable[..., Awaitable[tuple[list[dict[str, Any]], Run]]]


@pytest.fixture(scope="session")
def interpreter() -> Interpreter:
    return find_interpreter(sys.executable, Path())


@pytest.fixture(params=[ZygoteKeeper, SpawnKeeper], ids=["zygote", "spawn"])
def keeper(request: pytest.FixtureRequest) -> Any:
    """Return each way of keeping guests; those that this system cannot do are skipped."""
    if request.param is ZygoteKeeper and sys.platform == "win32":
        pytest.skip("there is no fork on Windows")
    return request.param


@pytest.fixture
def temporary(tmp_path: Path) -> Iterator[Path]:
    """Give this process its own folder for temporary files."""
    before, tempfile.tempdir = tempfile.tempdir, str(tmp_path)
    yield tmp_path
    tempfile.tempdir = before


@pytest.fixture
def evaluate() -> Evaluate:
    """Return a function that evaluates a program's ``f`` and returns all replies and the run."""

    async def evaluate(
        pool: GuestPool,
        source: str,
        arguments: Sequence[str] = ("()",),
        *,
        job: dict[str, Any] | None = None,
        **more: Any,
    ) -> tuple[list[dict[str, Any]], Run]:
        program = {"source": source, "qualname": "f", **more.pop("program", {})}
        request = {"program": program, "arguments": list(arguments), **more}
        run = pool.start(Job("evaluate", request, **{"wall_seconds": 20.0, **(job or {})}))
        return await collect(run), run

    return evaluate
