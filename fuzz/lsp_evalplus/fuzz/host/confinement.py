"""How much a guest may do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from lsp_evalplus.fuzz.config.settings import Settings


@dataclass(frozen=True, slots=True)
class Confinement:
    """What is allowed to every guest of a pool, beyond computing."""

    read: tuple[str, ...] = ()
    """Folders that may be read, beyond the interpreter, its site-packages and each program's import roots."""
    network: bool = False
    """Whether sockets may be opened."""
    memory_bytes: int = 4 << 30
    """Address space of one guest."""
    scratch_bytes: int = 64 << 20
    """Size of one file, and of all files together, in the private folder of one guest."""
    niceness: int = 0
    """How much lower than that of this process the priority of a guest is, as by ``nice``."""
    threads: int = 128
    """Threads of one guest at a time."""
    open_files: int = 256
    """Open descriptors of one guest."""
    reply_bytes: int = 256 << 20
    """Bytes that one guest may send to its host in one run."""
    frame_bytes: int = 64 << 20
    """Bytes of one reply. Reading one takes the host's loop about 10 ms for each megabyte."""
    namespaces: bool = False
    """Whether guests get a file system of their own beside Landlock; without Landlock they do in any case."""
    without: tuple[str, ...] = ()
    """Layers left out (``landlock``, ``namespaces``), to find out what the others hold."""
    required: tuple[str, ...] = ()
    """Layers without which nothing is run (``lsp-evalplus doctor`` names them); a missing one is a `WorkerError`."""

    @classmethod
    def from_settings(cls, settings: Settings, folder: Path) -> Self:
        """What the settings of a project in `folder` allow; relative paths start where the settings were read."""
        base = settings.root or folder
        return cls(
            # Each program's import roots are readable, their hidden files excepted; the folder as a whole is not.
            read=tuple(str(base / path) for path in settings.read),
            network=settings.network,
            memory_bytes=settings.memory_limit << 20,
        )
