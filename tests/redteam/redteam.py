"""Everything that an adversary was seen to try, run as one: by kind of attack, how many were tried and how many held.

The attacks are the tests that the suites run too, named here once by what they attack; nothing is written twice. A test
that fails is an attack that got through, so the exit code is 1.

::

    make redteam
    python tests/redteam/redteam.py --only 'git*' frames
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
ATTACKS: dict[str, Sequence[str]] = {
    "escapes from the sandbox": ["tests/hostile/test_evaluate.py", "tests/fuzz/guest/sandbox"],
    "floods of files, threads and output": ["tests/hostile/test_watch.py"],
    "a system that refuses a layer": ["tests/server/commands/test_refused_layers.py"],
    "reading outside": ["tests/fuzz/host/test_reading.py", "tests/server/test_outside.py"],
    "hiding a difference": ["tests/fuzz/engine/test_hiding.py"],
    "forged events": ["tests/fuzz/engine/test_events.py"],
    "cheating samples": ["tests/hostile/test_bench.py", "tests/bench/running/test_program_life.py"],
    "hostile code under each command": ["tests/hostile/test_commands.py", "tests/hostile/test_serve.py"],
    "git settings that run programs": ["tests/fuzz/oracle/test_git_programs.py"],
    "settings of a repository": ["tests/server/test_consent.py"],
    "frames and messages": ["tests/server/lsp/test_protocol.py", "tests/server/proxy/test_frames.py"],
    "connections over TCP": ["tests/server/test_tcp.py"],
    "kills": ["tests/server/test_robustness.py", "tests/server/commands/test_proxy.py"],
}
"""Kind of attack -> the tests, as files and folders."""


@dataclass(frozen=True)
class Result:
    """How one kind of attack ended."""

    tried: int
    not_held: tuple[str, ...]
    skipped: int
    seconds: float


def run(paths: Sequence[str], workers: int) -> Result:
    """Run the tests of one kind."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-m", "not e2e", "-n", str(workers), f"--junit-xml={report}"]
        environment = {**os.environ, "LSP_EVALPLUS_EVENTS": "100000"}
        done = subprocess.run(
            [*command, *paths], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        if not report.is_file():
            raise SystemExit(f"pytest did not run {' '.join(paths)}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        cases = list(ET.parse(report).getroot().iter("testcase"))
    failed = tuple(
        f"{case.get('classname')}::{case.get('name')}"
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    )
    skipped = sum(case.find("skipped") is not None for case in cases)
    return Result(len(cases) - skipped, failed, skipped, time.monotonic() - began)


def main() -> int:
    """Print the table; 1 if anything did not hold, 2 if nothing was tried."""
    parser = argparse.ArgumentParser(description="Runs every attack by kind and prints what held.")
    parser.add_argument("--only", nargs="*", default=[], metavar="PATTERN", help="kinds of attack, with wildcards")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    chosen = {
        kind: paths
        for kind, paths in ATTACKS.items()
        if not options.only or any(fnmatch.fnmatch(kind, f"*{pattern}*") for pattern in options.only)
    }
    table = Table("attack", "tried", "held", "not held", "skipped", "seconds", title="Attacks tried and held")
    console, results = Console(), dict[str, Result]()
    for kind, paths in chosen.items():
        found = results[kind] = run(paths, options.workers)
        held = found.tried - len(found.not_held)
        console.print(f"{kind}: {held} of {found.tried} held", highlight=False)
        cells = (found.tried, held, len(found.not_held), found.skipped, round(found.seconds))
        table.add_row(kind, *map(str, cells), style="red" if found.not_held else None)
    console.print(table)
    for one in (name for found in results.values() for name in found.not_held):
        console.print(f"not held: {one}", style="red", highlight=False)
    if not sum(found.tried for found in results.values()):
        console.print("Nothing was tried.")
        return 2
    return 1 if any(found.not_held for found in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
