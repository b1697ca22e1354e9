"""Test the sandbox of this machine: start a guest and let it attempt forbidden operations."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lsp_evalplus.fuzz.errors import GuestFaultError
from lsp_evalplus.fuzz.guest.values.plain import decode
from lsp_evalplus.fuzz.host.confinement import Confinement, Container
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Ending, EndingKind, Job, collect

ATTEMPTS: Mapping[str, str] = {
    "read a file of yours": "open(secret).read()",
    "write outside of its folder": "open(outside, 'w').close()",
    "read the environment of this process": "open(f'/proc/{pid}/environ', 'rb').read()",
    "open a network connection": "__import__('socket').create_connection(('127.0.0.1', port), 1)",
    "start a process": "__import__('subprocess').run([__import__('sys').executable, '-c', ''], check=True)",
    "signal another process": "__import__('os').kill(pid, 0)",
}
"""Attempts of the guest, as expressions; ``/proc`` exists on Linux only, so elsewhere that attempt always fails."""
_RUNS = 20
_PROGRAM = """
def attempt(expression, **names):
    eval(expression, names)
    return True
"""
_IDLE = "def idle():\n    return None\n"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Results of the diagnosis."""

    layers: Mapping[str, str]
    """Layer -> ``on``, or why it is off."""
    attempts: Mapping[str, bool]
    """Attempt -> whether it was denied."""
    start_seconds: float
    """Time to the end of the first guest's first job."""
    run_seconds: float
    """Median duration of a complete idle job: fork, confinement, loading, replies, cleanup."""
    confining_seconds: float
    """Median duration of the confinement within that."""
    container: Mapping[str, str]
    """The layers of a guest in a container (the profile "programs with tests")."""


async def diagnose(interpreter: Interpreter, confinement: Confinement) -> Diagnosis:
    """Start guests and measure.

    Raises:
        WorkerError: no guest can be started.
    """
    began = time.monotonic()
    async with GuestPool(interpreter, confinement, size=1) as pool:
        layers = (await _run_idle(pool)).layers
        started = time.monotonic() - began
        attempts = await _attempt_all(pool)
        whole, confining = zip(*[await _time_idle(pool) for _ in range(_RUNS)], strict=True)
    contained = dataclasses.replace(confinement, container=confinement.container or Container())
    async with GuestPool(interpreter, contained, size=1) as pool:
        container = (await _run_idle(pool)).layers
    return Diagnosis(layers, attempts, started, statistics.median(whole), statistics.median(confining), container)


async def _run_idle(pool: GuestPool) -> Ending:
    program = {"source": _IDLE, "qualname": "idle"}
    run = pool.start(Job("evaluate", {"program": program, "arguments": ["()"]}, wall_seconds=30))
    replies = await collect(run)
    if run.ending.kind is not EndingKind.FINISHED or not replies or "outcome" not in replies[0]:
        raise GuestFaultError(f"a function that does nothing does not run: {run.ending} {replies}")
    return run.ending


async def _time_idle(pool: GuestPool) -> tuple[float, float]:
    began = time.monotonic()
    ending = await _run_idle(pool)
    return time.monotonic() - began, ending.confining_seconds


async def _attempt_all(pool: GuestPool) -> dict[str, bool]:
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(socket.create_server(("127.0.0.1", 0))) as server:
        secret = Path(folder) / "secret"
        secret.write_text("secret", encoding="utf-8")
        names = {
            "secret": str(secret),
            "outside": str(Path(folder) / "outside"),
            "pid": os.getpid(),
            "port": server.getsockname()[1],
        }
        request = {
            "program": {"source": _PROGRAM, "qualname": "attempt"},
            "arguments": [repr({"args": (attempt,), "kwargs": names}) for attempt in ATTEMPTS.values()],
        }
        run = pool.start(Job("evaluate", request, wall_seconds=30))
        replies = {reply["index"]: reply["outcome"] for reply in await collect(run)}
    return {name: not _succeeded(replies.get(index)) for index, name in enumerate(ATTEMPTS)}


def _succeeded(outcome: Mapping[str, object] | None) -> bool:
    return outcome is not None and outcome["kind"] == "returned" and decode(outcome["value"]) is True


def back_end_name() -> str:
    """Return the name of this system's guest back end."""
    return "a process for each run" if sys.platform == "win32" else "forked from a warm zygote"
