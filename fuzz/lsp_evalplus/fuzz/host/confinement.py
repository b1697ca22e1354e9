"""Sandbox policy and resource limits of guests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from lsp_evalplus.fuzz.config.settings import Settings


@dataclass(frozen=True, slots=True)
class Container:
    """The profile "programs with tests": namespaces of its own, in which a program may have processes and sockets."""

    processes: int = 64
    """Processes at a time."""
    resident_bytes: int = 2 << 30
    """Memory of all of them together; `Confinement.memory_bytes` is the address space of each."""
    disk_bytes: int = 256 << 20
    """Size of all files in its ``/tmp``, ``/dev/shm`` and home together."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """Permissions and limits of every guest of a pool."""

    read: tuple[str, ...] = ()
    """Readable folders in addition to the interpreter, its site-packages and each program's import roots."""
    network: bool = False
    """Whether sockets may be opened."""
    memory_bytes: int = 4 << 30
    """Address space of one guest."""
    scratch_bytes: int = 64 << 20
    """Size limit of one file, and of all files together, in the private folder of one guest."""
    niceness: int = 0
    """Increment of a guest's niceness over that of this process, like ``nice``."""
    threads: int = 128
    """Threads of one guest at a time."""
    open_files: int = 256
    """Open descriptors of one guest."""
    reply_bytes: int = 256 << 20
    """Maximum bytes that one guest sends to its host in one run."""
    frame_bytes: int = 64 << 20
    """Maximum bytes of one reply. Parsing takes the host's event loop about 10 ms per megabyte."""
    namespaces: bool = False
    """Whether guests get a mount namespace in addition to Landlock; without Landlock they always do."""
    container: Container | None = None
    """Puts each guest into a container with processes, loopback, ``/tmp``, ``/dev/shm`` and real modes of files.

    Where the system forbids that, guests are confined as without it, and the layer ``container`` says why.
    """
    without: tuple[str, ...] = ()
    """Disabled layers (``landlock``, ``namespaces``), for testing the others."""
    required: tuple[str, ...] = ()
    """Layers required to run anything (listed by ``lsp-evalplus doctor``); a missing one is a `WorkerError`."""

    @classmethod
    def from_settings(cls, settings: Settings, folder: Path) -> Self:
        """Build from a project's settings; relative paths are resolved against the folder of the settings file."""
        base = settings.root or folder
        return cls(
            # Each program's import roots are readable except for hidden files; the whole folder is not.
            read=tuple(str(base / path) for path in settings.read),
            network=settings.network,
            memory_bytes=settings.memory_limit << 20,
        )
