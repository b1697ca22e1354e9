"""Generation end to end, killed and resumed, and judging meanwhile against judging afterwards.

::

    python tests/quality/generation.py --dataset humaneval --texts texts.jsonl.gz --samples 10 --delay 0.3

Replays recorded texts (lines with ``task_id`` and ``solution`` or ``raw``) through the loopback server; a task that has
none gets those of the task before it, which do not define its function. Says whether a run that was killed twice with
SIGKILL and resumed leaves the files of one that was not, byte for byte; what sanitize, syncheck and bench make of
them; and how long `bench --model` takes against `generate` and `bench` one after the other, as a ratio.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llm_seeds import load_loopback

from lsp_evalplus.bench.datasets import load_dataset


def read_texts(path: Path, count: int) -> dict[str, list[str]]:
    """The first `count` texts of each task, as a chat model would send them."""
    found: dict[str, list[str]] = defaultdict(list)
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        for record in map(json.loads, file):
            text = record.get("raw") or f"Here it is:\n\n```python\n{record['solution']}\n```\n"
            if len(found[record["task_id"]]) < count:
                found[record["task_id"]].append(text)
    return found


def write_replay(dataset: str, texts: dict[str, list[str]], place: Path) -> int:
    """Write what the loopback server replays; gives the number of tasks with texts of their own."""
    known, lines, last = 0, list[str](), next(iter(texts.values()))
    for task, problem in load_dataset(dataset).problems.items():
        known += task in texts
        last = texts.get(task, last)
        lines.append(json.dumps({"contains": problem.prompt.strip(), "texts": last}))
    place.write_text("\n".join(lines) + "\n")
    return known


class Runs:
    """Runs commands in a folder against one server."""

    def __init__(self, folder: Path, server: Any, options: argparse.Namespace) -> None:
        self.folder, self.server, self.options = folder, server, options
        self.processor_seconds = 0.0
        """Of the last command and all it started."""

    def model(self, command: str, name: str) -> list[str]:
        options, output = self.options, "--output" if command == "generate" else "--samples"
        more = [] if command == "generate" else self.judging()
        return self.command(
            *(command, "--model", "recorded", "--base-url", self.server.base_url, "--dataset", options.dataset),
            *("--n-samples", str(options.samples), "--seed", "0", output, f"{name}.jsonl", *more),
        )

    def judging(self) -> list[str]:
        return ["--parallel", str(self.options.jobs)]

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "lsp_evalplus", *arguments]

    def run(self, command: Sequence[str]) -> tuple[subprocess.CompletedProcess[str], float]:
        started, before = time.perf_counter(), os.times()
        done = subprocess.run(command, check=False, cwd=self.folder, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        after = os.times()
        self.processor_seconds = after.children_user + after.children_system - before[2] - before[3]
        return done, time.perf_counter() - started

    def kill_at(self, command: Sequence[str], requests: int) -> None:
        goal = len(self.server.requests) + requests
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(self.server.requests) < goal and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def judge(self, name: str) -> tuple[str, float]:
        """What bench prints of a file of samples, without times and paths."""
        command = self.command("bench", "--dataset", self.options.dataset, "--samples", f"{name}.jsonl")
        done, seconds = self.run([*command, *self.judging(), "--no-store"])
        return "\n".join(line for line in done.stdout.splitlines() if "pass@" in line), seconds

    def same(self, first: str, second: str) -> bool:
        names = (".jsonl", ".raw.jsonl")
        return all(
            (self.folder / (first + end)).read_bytes() == (self.folder / (second + end)).read_bytes() for end in names
        )


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only-ratio", action="store_true", help="Leave out the kills, sanitize and syncheck.")
    parser.add_argument("--delay", type=float, default=0.3, help="Seconds before each answer, for the ratio.")
    options = parser.parse_args()
    loopback = load_loopback()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        known = write_replay(options.dataset, read_texts(options.texts, options.samples), folder / "replay.jsonl")
        with loopback.Loopback(loopback.replay(folder / "replay.jsonl")).running() as server:
            runs = Runs(folder, server, options)
            if not options.only_ratio:
                measure_kills(runs, known)
            measure_ratio(runs)


def measure_kills(runs: Runs, known: int) -> None:
    """Whether kills leave a trace, and what the other commands make of the samples."""
    runs.run(runs.model("generate", "whole"))
    total = len((runs.folder / "whole.jsonl").read_text().splitlines())
    print(f"{total} samples, {known} tasks with texts of their own", flush=True)
    for _ in range(2):
        runs.kill_at(runs.model("generate", "killed"), total // 3)
    left = len((runs.folder / "killed.raw.jsonl").read_text().splitlines())
    done, _ = runs.run(runs.model("generate", "killed"))
    print(f"killed twice, {left} answers kept; resumed: {'identical' if runs.same('whole', 'killed') else 'DIFFERENT'}")
    print(f"  {done.stderr.strip().splitlines()[-1]}", flush=True)
    _, seconds = runs.run(runs.command("sanitize", "whole.raw.jsonl", "--dataset", runs.options.dataset))
    checked, _ = runs.run(runs.command("syncheck", "whole.jsonl", "--dataset", runs.options.dataset))
    print(f"sanitize {seconds:.1f} s; syncheck: {checked.stdout.strip().splitlines()[-1]}", flush=True)
    scores = [runs.judge(name)[0] for name in ("whole", "killed")]
    print(f"bench: {'the same scores' if scores[0] == scores[1] else 'DIFFERENT scores'}\n{scores[0]}", flush=True)


def measure_ratio(runs: Runs) -> None:
    """Judging meanwhile against judging afterwards."""
    runs.server.delay = runs.options.delay
    _, generating = runs.run(runs.model("generate", "first"))
    processor = [runs.processor_seconds]
    _, judging = runs.judge("first")
    processor.append(runs.processor_seconds)
    _, together = runs.run(runs.model("bench", "live"))
    processor.append(runs.processor_seconds)
    ratio = together / (generating + judging)
    print(f"generate {generating:.0f} s and bench {judging:.0f} s; bench --model {together:.0f} s, ratio {ratio:.2f}")
    print("  processor seconds: " + ", ".join(f"{seconds:.0f}" for seconds in processor))
    print(f"samples of both: {'identical' if runs.same('first', 'live') else 'DIFFERENT'}")


if __name__ == "__main__":
    main()
