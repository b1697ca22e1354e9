"""Interfaces of a guest back end, and the choice of one for this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from lsp_evalplus.fuzz.guest.protocol.job_kinds import KINDS
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.host.scratch import Scratch
from lsp_evalplus.fuzz.model import Plain


@dataclass(frozen=True, slots=True)
class Death:
    """How a guest's process ended; `reason` is set if its keeper killed it."""

    exit_code: int | None
    signal: int | None
    reason: str | None = None
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    detail: str = ""
    """The keeper's detail on `reason`."""


class Guest(Protocol):
    """A process that runs one job."""

    async def read(self) -> bytes:
        """Wait for bytes of replies; empty at end of stream."""
        ...

    async def write(self, data: bytes) -> None:
        """Send bytes of a message; ignored if the guest is dead."""
        ...

    def kill(self, reason: str) -> None:
        """Kill its process group immediately; its `Death` reports `reason`."""
        ...

    async def wait(self, seconds: float) -> Death | None:
        """Wait until it is dead; None on timeout.

        Raises:
            GuestFaultError: its keeper died.
        """
        ...

    def abandon(self) -> None:
        """Abandon a guest that cannot be killed, together with its keeper."""
        ...

    def page(self) -> bytes:
        """Return the journal page."""
        ...

    def stderr(self) -> str:
        """Return the tail of its output to the standard descriptors."""
        ...

    def release(self) -> None:
        """Release the descriptors of a dead guest."""
        ...


class Keeper(Protocol):
    """Starts guests of one interpreter with one hash seed."""

    async def begin(self) -> None:
        """Start warming up without waiting; `warm` raises if that fails."""
        ...

    async def warm(self) -> None:
        """Start everything the first guest would have to wait for.

        Raises:
            GuestStartError: the interpreter does not start.
        """
        ...

    async def start(self, settings: Plain, request: bytes) -> Guest:
        """Start a guest and send its request.

        Raises:
            WorkerError: it cannot be started.
        """
        ...

    async def provide(self, key: str, data: bytes) -> None:
        """Load data, a frame, for requests that refer to its key."""
        ...

    async def discard(self, key: str) -> None:
        """Drop loaded data."""
        ...

    @property
    def alive(self) -> bool:
        """Whether it can start guests."""
        ...

    async def close(self) -> None:
        """Kill its guests, stop, and clean up."""
        ...


@dataclass(frozen=True, slots=True)
class KeeperSettings:
    """Settings of a keeper."""

    interpreter: Interpreter
    confinement: Confinement
    scratch: Scratch
    """Parent folder of the guests' folders, to be created once another process knows its path and removes it even if
    this process is killed."""
    preload: tuple[str, ...] = ()
    """Modules to import before guests are forked."""
    hash_seed: int = 0
    jobs: tuple[str, ...] = KINDS
    """Kinds of job to preload."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Environment variables of the keeper and of its guests, beside those that all have."""


def guest_folder() -> str:
    """Return the folder of the guest's code."""
    here = os.path.dirname(os.path.abspath(__file__))
    return os.path.join(os.path.dirname(here), "guest")


def home_environment(scratch: str) -> dict[str, str]:
    """Return the environment variables that set home and temporary folders."""
    return {"HOME": scratch, "TMPDIR": scratch}


def clean_environment(hash_seed: int) -> dict[str, str]:
    """Return the environment of a guest: of the user's variables only those the system requires."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {
        **kept,
        **threads,
        "LANG": "C.UTF-8",
        "PATH": os.defpath,
        # A guest can start threads but no processes, which joblib would detect too late.
        "JOBLIB_MULTIPROCESSING": "0",
        "PYTHONHASHSEED": str(hash_seed),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONSAFEPATH": "1",
        "PYTHONUTF8": "1",
    }


def has_fork() -> bool:
    """Whether this system supports zygotes."""
    return sys.platform != "win32"
