"""What a command costs with all that it starts, by a control group: processes that nobody waits for count, too.

Needs Linux, and a control group in which this process may make others (version 1 with ``cpuacct``, or version 2).
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_ROOT: Final = Path("/sys/fs/cgroup")
_ENTER: Final = 'echo $$ > "$0" && exec "$@"'
_LAG: Final = 5.0
"""Seconds after a command's end in which what it started may still be ending."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a command took until nothing of it was left, or until `left` was ended."""

    code: int
    errors: str
    """What it wrote to standard error."""
    wall: float
    processor: float
    """Seconds of processors, of the whole group."""
    peak: int
    """Memory of the command's largest process, in bytes; not of those that others waited for."""
    most: int
    """The largest number of processes at a time, as seen every 20 ms."""
    left: int
    """Processes that were there five seconds after its end."""


class Group:
    """A new control group; what is left in it is ended with it. A context manager."""

    def __init__(self) -> None:
        accounts = _ROOT / "cpuacct"
        self._is_old = accounts.is_dir()
        own = Path("/proc/self/cgroup").read_text().splitlines()[-1].rpartition(":")[2].strip("/")
        self._folder = (accounts if self._is_old else _ROOT / own) / f"accounted-{os.getpid()}-{time.monotonic_ns()}"
        self._folder.mkdir()

    def __enter__(self) -> Group:
        return self

    def __exit__(self, *_: object) -> None:
        while found := self.processes():
            for process in found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.05)
        self._folder.rmdir()

    @property
    def processor(self) -> float:
        """The seconds of processors of all processes that are or were in the group."""
        if self._is_old:
            return int((self._folder / "cpuacct.usage").read_text()) / 1e9
        first = (self._folder / "cpu.stat").read_text().split(maxsplit=2)
        return int(first[1]) / 1e6

    def processes(self) -> list[int]:
        """The processes in the group now."""
        return [int(line) for line in (self._folder / "cgroup.procs").read_text().split()]

    def titled(self, words: Sequence[str]) -> list[int]:
        """The processes in the group with any of these words in their command lines."""
        return [process for process in self.processes() if any(word in _title(process) for word in words)]

    def titles(self) -> list[str]:
        """The command lines of the processes in the group."""
        return [_title(process)[:120] for process in self.processes()]

    def start(
        self, command: Sequence[str | Path], folder: Path, environment: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        """Start a command in the group; its errors go to ``errors.txt`` in the folder."""
        entering = ["sh", "-c", _ENTER, str(self._folder / "cgroup.procs"), *map(str, command)]
        with (folder / "errors.txt").open("wb") as errors:
            return subprocess.Popen(
                entering,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )

    def wait_empty(self, seconds: float = _LAG) -> int:
        """The number of processes that are in the group after so many seconds; none sooner."""
        until = time.monotonic() + seconds
        while (left := len(self.processes())) and time.monotonic() < until:
            time.sleep(0.05)
        return left


def _title(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


@contextlib.contextmanager
def _watching(group: Group, seen: list[int]) -> Iterator[None]:
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.02):
            seen.append(len(group.processes()))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def spend(command: Sequence[str | Path], folder: Path, environment: Mapping[str, str]) -> Spent:
    """Run a command to its end, in a group of its own."""
    seen = [0]
    with Group() as group:
        started = time.monotonic()
        with _watching(group, seen):
            process = group.start(command, folder, environment)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - started
        left = group.wait_empty()
        errors = (folder / "errors.txt").read_text(errors="replace")
        return Spent(process.returncode, errors, wall, group.processor, usage.ru_maxrss * 1024, max(seen), left)
