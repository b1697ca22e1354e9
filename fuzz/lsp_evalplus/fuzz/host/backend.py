"""What a way to run guests must offer, and which one this machine gets."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Protocol

from lsp_evalplus.fuzz.guest.protocol.job_kinds import KINDS
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import Interpreter
from lsp_evalplus.fuzz.host.scratch import Scratch
from lsp_evalplus.fuzz.model import Plain


@dataclass(frozen=True, slots=True)
class Death:
    """How a guest's process ended: `reason` is set when its keeper killed it."""

    exit_code: int | None
    signal: int | None
    reason: str | None = None
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    detail: str = ""
    """What its keeper adds to `reason`."""


class Guest(Protocol):
    """A process that does one job."""

    async def read(self) -> bytes:
        """Wait for bytes of replies; empty at their end."""
        ...

    async def write(self, data: bytes) -> None:
        """Send bytes of a message; a guest that is gone takes no notice."""
        ...

    def kill(self, reason: str) -> None:
        """Kill its process group, now; `reason` comes back in its `Death`."""
        ...

    async def wait(self, seconds: float) -> Death | None:
        """Wait for its death; None if that does not come in time.

        Raises:
            GuestFaultError: its keeper died.
        """
        ...

    def abandon(self) -> None:
        """Give up a guest that does not die, and its keeper with it."""
        ...

    def page(self) -> bytes:
        """Return the journal page."""
        ...

    def stderr(self) -> str:
        """Return the end of what it wrote to its standard descriptors."""
        ...

    def release(self) -> None:
        """Give back descriptors; it is dead."""
        ...


class Keeper(Protocol):
    """Starts guests of one interpreter with one hash seed."""

    async def begin(self) -> None:
        """Begin to start what the first guest would wait for, and do not wait for it; `warm` tells how that went."""
        ...

    async def warm(self) -> None:
        """Start what the first guest would wait for.

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
        """Load data, a frame, for requests that name its key."""
        ...

    async def discard(self, key: str) -> None:
        """Forget data."""
        ...

    @property
    def alive(self) -> bool:
        """Whether it can start guests."""
        ...

    async def close(self) -> None:
        """Kill its guests and end; nothing is left."""
        ...


@dataclass(frozen=True, slots=True)
class KeeperSettings:
    """What a keeper is made of."""

    interpreter: Interpreter
    confinement: Confinement
    scratch: Scratch
    """The folder in which guests get theirs: to be made when somebody is there who knows its path and will remove it
    even if this process is killed."""
    preload: tuple[str, ...] = ()
    hash_seed: int = 0
    jobs: tuple[str, ...] = KINDS
    """Kinds of job that are prepared for."""


def guest_folder() -> str:
    """Return the folder that a guest loads."""
    here = os.path.dirname(os.path.abspath(__file__))
    return os.path.join(os.path.dirname(here), "guest")


def home_environment(scratch: str) -> dict[str, str]:
    """Return the variables that tell programs where they may write."""
    return {"HOME": scratch, "TMPDIR": scratch}


def clean_environment(hash_seed: int) -> dict[str, str]:
    """Return the environment of a guest: nothing of the user's except what systems cannot do without."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {
        **kept,
        **threads,
        "LANG": "C.UTF-8",
        "PATH": os.defpath,
        # A guest can start threads, not processes; joblib would find out too late.
        "JOBLIB_MULTIPROCESSING": "0",
        "PYTHONHASHSEED": str(hash_seed),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONSAFEPATH": "1",
        "PYTHONUTF8": "1",
    }


def has_fork() -> bool:
    """Whether this system runs zygotes."""
    return sys.platform != "win32"
