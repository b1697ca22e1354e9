"""How much memory a command takes with all its processes, and which of them hold it, at the moment of the most.

::

    python tests/quality/memory.py -- lsp-evalplus bench --dataset bigcodebench --samples samples.jsonl

The measure is the proportional set size (PSS, ``smaps_rollup``): a page that several processes share counts once in
their sum, so that a warm process and its forks are not counted twice. To it come the bytes in the ``/tmp`` of each
container, which are memory too. All processes below the command are looked at every quarter of a second (``--every``);
what lasts shorter may be missed. The rows are the command itself, what it has started (the warm processes), and what
these have forked (the samples); processor time is that of all of them (Linux only).
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

MEGABYTE = 1_000_000
_TOP = 8


@dataclass(frozen=True, slots=True)
class Moment:
    """What the processes of a command hold at one moment, in bytes of proportional set size."""

    seconds: float
    command: int
    warm: tuple[int, ...]
    samples: tuple[int, ...]
    """Of each fork of a warm process with everything below it, the largest first."""
    files: int
    """Of all files in containers."""

    @property
    def total(self) -> int:
        """The sum."""
        return self.command + sum(self.warm) + sum(self.samples) + self.files


@dataclass(slots=True)
class Peak:
    """The moments at which all, and all but the samples, held most."""

    most: Moment = field(default_factory=lambda: Moment(0.0, 0, (), (), 0))
    warmest: Moment = field(default_factory=lambda: Moment(0.0, 0, (), (), 0))
    looks: int = 0

    def note(self, moment: Moment) -> None:
        """Take one more moment into account."""
        self.looks += 1
        if moment.total > self.most.total:
            self.most = moment
        if moment.command + sum(moment.warm) > self.warmest.command + sum(self.warmest.warm):
            self.warmest = moment


def children_by_parent() -> dict[int, list[int]]:
    """The processes of the system by their parent."""
    found: dict[int, list[int]] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{name}/stat").read_bytes().rsplit(b")", 1)[1].split()
        except OSError:
            continue
        found.setdefault(int(fields[1]), []).append(int(name))
    return found


def held_below(pid: int, children: dict[int, list[int]]) -> tuple[int, list[int]]:
    """The proportional set size of a process and all below it, and their numbers."""
    numbers = [pid]
    for number in numbers:
        numbers += children.get(number, [])
    return sum(map(proportional_bytes, numbers)), numbers


def proportional_bytes(pid: int) -> int:
    """The proportional set size of a process; 0 if it has ended."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_bytes().splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def container_bytes(pids: list[int]) -> int:
    """The bytes of the file system that is the root of the innermost process; 0 if that is not one in memory."""
    try:
        root = f"/proc/{pids[-1]}/root"
        if os.stat(root).st_dev == os.stat("/").st_dev:
            return 0
        state = os.statvfs(root)
        return (state.f_blocks - state.f_bfree) * state.f_frsize
    except OSError:
        return 0


def look(pid: int, began: float) -> Moment:
    """What the processes of a command hold now."""
    children = children_by_parent()
    warm = children.get(pid, [])
    forks = [held_below(fork, children) for one in warm for fork in children.get(one, [])]
    return Moment(
        time.monotonic() - began,
        proportional_bytes(pid),
        tuple(map(proportional_bytes, warm)),
        tuple(sorted((size for size, _ in forks), reverse=True)),
        sum(container_bytes(numbers) for _, numbers in forks),
    )


def follow(command: list[str], every: float) -> tuple[int, Peak]:
    """Run a command and look at it until it ends; returns its exit code too."""
    peak, began = Peak(), time.monotonic()
    process = subprocess.Popen(command)
    while process.poll() is None:
        peak.note(look(process.pid, began))
        time.sleep(every)
    return process.returncode, peak


def describe(moment: Moment) -> str:
    """A moment in one line, in megabytes."""
    shown = [size // MEGABYTE for size in moment.samples[:_TOP]]
    return (
        f"{moment.total // MEGABYTE} MB after {moment.seconds:.0f} s: command {moment.command // MEGABYTE}, "
        f"warm {[size // MEGABYTE for size in moment.warm]}, {len(moment.samples)} samples {shown}, "
        f"files {moment.files // MEGABYTE}"
    )


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=float, default=0.25, help="Seconds between two looks.")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    code, peak = follow(options.command, options.every)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"most: {describe(peak.most)}", file=sys.stderr)
    print(f"most without samples: {describe(peak.warmest)}", file=sys.stderr)
    print(f"{usage.ru_utime + usage.ru_stime:.0f} s of processor time, {peak.looks} looks", file=sys.stderr)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
