"""Everything that an adversary was seen to try, run as one: by kind of attack, how many were tried and how many held.

The attacks are the tests that the suites run too, named here once by what they attack; nothing is written twice. A test
that fails is an attack that got through, so the exit code is 1.

::

    make redteam
    python tests/redteam/redteam.py --only 'git*' frames
    python tests/redteam/redteam.py --reports test.xml heavy.xml    # of suites that ran already; runs nothing
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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
ATTACKS: dict[str, Sequence[str]] = {
    "escapes from the sandbox": ["tests/hostile/test_evaluate.py", "tests/fuzz/guest/sandbox"],
    "floods of files, memory, threads and output": [
        "tests/hostile/test_watch.py",
        "tests/bench/running/test_memory.py",
    ],
    "a system that refuses a layer": ["tests/server/commands/test_refused_layers.py"],
    "reading outside": ["tests/fuzz/host/test_reading.py", "tests/server/test_outside.py"],
    "hiding a difference": ["tests/fuzz/engine/test_hiding.py"],
    "forged events": ["tests/fuzz/engine/test_events.py"],
    "cheating samples": ["tests/hostile/test_bench.py", "tests/bench/running/test_program_life.py"],
    "hostile code under each command": ["tests/hostile/test_commands.py", "tests/hostile/test_serve.py"],
    "git settings that run programs": ["tests/fuzz/oracle/test_git_programs.py"],
    "settings of a repository": ["tests/server/test_consent.py"],
    "frames and messages": [
        "tests/fuzz/guest/protocol",
        "tests/server/lsp/test_protocol.py",
        "tests/server/proxy/test_frames.py",
    ],
    "connections over TCP": ["tests/server/test_tcp.py"],
    "kills": [
        "tests/fuzz/host/test_zygote.py",
        "tests/server/test_robustness.py",
        "tests/server/commands/test_proxy.py",
    ],
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
        environment = {
            **os.environ,
            "LSP_EVALPLUS_EVENTS": "100000",
            "LSP_EVALPLUS_KILLS": "200",
            "LSP_EVALPLUS_SHARE": "1",
        }
        done = subprocess.run(
            [*command, *paths], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        if not report.is_file():
            raise SystemExit(f"pytest did not run {' '.join(paths)}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        cases = read_cases(report)
    return count(cases, time.monotonic() - began)


def read_cases(report: Path) -> list[ET.Element]:
    """Return the test cases of a JUnit report."""
    try:
        return list(ET.parse(report).getroot().iter("testcase"))
    except (OSError, ET.ParseError) as error:
        raise SystemExit(f"{report} is no JUnit report: {error}") from error


def of_paths(paths: Iterable[str], cases: Iterable[ET.Element]) -> list[ET.Element]:
    """Return the test cases of files and folders."""
    modules = [path.removesuffix(".py").replace("/", ".") for path in paths]
    return [case for case in cases if any(f"{case.get('classname')}.".startswith(f"{name}.") for name in modules)]


def count(cases: Sequence[ET.Element], seconds: float) -> Result:
    """Count how many attacks held."""
    failed = tuple(
        f"{case.get('classname')}::{case.get('name')}"
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    )
    skipped = sum(case.find("skipped") is not None for case in cases)
    return Result(len(cases) - skipped, failed, skipped, seconds)


def main() -> int:
    """Print the table; 1 if anything did not hold, 2 if a kind was not tried."""
    parser = argparse.ArgumentParser(description="Runs every attack by kind and prints what held.")
    parser.add_argument("--only", nargs="*", default=[], metavar="PATTERN", help="kinds of attack, with wildcards")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--reports", nargs="*", type=Path, metavar="XML", help="JUnit reports; no test is run")
    options = parser.parse_args()
    chosen = {
        kind: paths
        for kind, paths in ATTACKS.items()
        if not options.only or any(fnmatch.fnmatch(kind, f"*{pattern}*") for pattern in options.only)
    }
    table = Table("attack", "tried", "held", "not held", "skipped", "seconds", title="Attacks tried and held")
    console, results = Console(), dict[str, Result]()
    reported = [case for report in options.reports or () for case in read_cases(report)]
    for kind, paths in chosen.items():
        if options.reports is None:
            found = run(paths, options.workers)
        else:
            cases = of_paths(paths, reported)
            found = count(cases, sum(float(case.get("time") or 0) for case in cases))
        results[kind] = found
        held = found.tried - len(found.not_held)
        console.print(f"{kind}: {held} of {found.tried} held", highlight=False)
        cells = (found.tried, held, len(found.not_held), found.skipped, round(found.seconds))
        table.add_row(kind, *map(str, cells), style="red" if found.not_held else None)
    console.print(table)
    for one in (name for found in results.values() for name in found.not_held):
        console.print(f"not held: {one}", style="red", highlight=False)
    if untried := [kind for kind, found in results.items() if not found.tried]:
        console.print(f"Not tried: {', '.join(untried)}.")
        return 2
    return 1 if any(found.not_held for found in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
