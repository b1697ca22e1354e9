"""Runs a suite several times while busy loops take the processors away from it, and says how often it passed.

A test that fails here depends on how fast the machine is. ``make shake`` runs the default suite beside eight loops, the
slow and the editor suites beside four.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

LOOP = "while True: pass"
MARKS = {"default": "not slow and not e2e", "slow": "slow and not e2e", "e2e": "e2e"}
LOADS = {"default": 8, "slow": 4, "e2e": 4}
SUMMARY = re.compile(r"^=* ?(\d+ (?:passed|failed|error|skipped|deselected|xfailed)\b.*?) ?=*$", re.MULTILINE)
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", re.MULTILINE)


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """So many processes of usual priority that do nothing but use a processor."""
    started = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.wait()


def run_once(suite: str, arguments: list[str]) -> tuple[bool, str, list[str]]:
    """Whether the suite passed, its closing line, and the tests that failed."""
    side_by_side = [] if suite == "e2e" else ["-n", "auto", "--maxprocesses", "8", "--dist", "worksteal"]
    command = [sys.executable, "-m", "pytest", "-q", "-m", MARKS[suite], *side_by_side, *arguments]
    environment = {**os.environ, "LSP_EVALPLUS_E2E": "1"} if suite == "e2e" else None
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    closing = SUMMARY.findall(done.stdout)
    return done.returncode == 0, closing[-1] if closing else done.stdout[-500:], FAILED.findall(done.stdout)


def main() -> int:
    """Print a line a run; 1 when any failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", choices=list(MARKS), default="default")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--loops", type=int, help="busy loops beside it (default: 8; 4 for the slow and editor suites)")
    parser.add_argument("arguments", nargs="*", help="for pytest, after --")
    options = parser.parse_args()
    loops = LOADS[options.suite] if options.loops is None else options.loops
    failures = 0
    print(f"{options.suite} suite, {options.runs} runs beside {loops} busy loops", flush=True)
    print(f"{'run':>3}  {'result':<6}  {'seconds':>7}  closing line")
    with busy(loops):
        for number in range(1, options.runs + 1):
            began = time.monotonic()
            passed, closing, failed = run_once(options.suite, options.arguments)
            failures += not passed
            print(f"{number:>3}  {'passed' if passed else 'FAILED':<6}  {time.monotonic() - began:>7.0f}  {closing}")
            for name in failed:
                print(f"     {name}")
            sys.stdout.flush()
    print(f"{options.runs - failures} of {options.runs} runs passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
