"""How long `bench` takes for samples, beside evalplus and beside just calling the programs.

::

    python tests/quality/throughput.py --dataset HumanEvalPlus.jsonl.gz --samples samples.jsonl \\
        --evalplus ENV/bin/evalplus.evaluate --rounds 2 --jobs 4 [--test-details]

`bench` judges as evalplus does, but with test details strictly: evalplus' rule then needs all of evalplus' waiting.
Both commands get the tasks that the samples have, each with a warm cache of reference outputs, whole commands from
start to exit, alternately; on as many cores, or, without ``--jobs``, on as many as each takes by itself: evalplus on
half of them, `bench` on all. *Plainly* is a fork of one process for each sample that passes, which executes its program
and calls it on all inputs, with nothing measured, confined, sent or compared; `bench` is run on the same samples once
more for that. Processor time is that of all processes, with those they started.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.datasets import load_dataset

SAMPLES = "samples.jsonl"
PASSING = "passing.jsonl"
PLAIN = "plainly"


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of a command: by the clock, and of processors."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:6.1f} s wall {self.cpu:6.1f} s CPU"


def spend(command: Sequence[str], folder: Path) -> Spent:
    """Runs a command with the tasks of `folder`, and with its cache."""
    environment = {
        **os.environ,
        "HUMANEVAL_OVERRIDE_PATH": str(folder / "tasks.jsonl"),
        "MBPP_OVERRIDE_PATH": str(folder / "tasks.jsonl"),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} failed with exit code {done.returncode}: {done.stderr[-2000:]}")
    return Spent(wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines, compressed or not."""
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def write_lines(path: Path, lines: Iterable[object]) -> None:
    """The reverse of `read_lines`, not compressed."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def our_command(samples: str, options: argparse.Namespace) -> list[str]:
    """`bench` on a file of the folder."""
    command = [sys.executable, "-m", "lsp_evalplus", "bench", "--dataset", options.benchmark, "--samples", samples]
    command += ["--fresh", "--no-store"]
    command += ["--jobs", str(options.jobs)] if options.jobs else []
    return command + (["--test-details"] if options.test_details else ["--compat", "evalplus"])


def their_command(options: argparse.Namespace) -> list[str]:
    """evalplus on a copy of the samples."""
    command = [options.evalplus, "--dataset", options.benchmark, "--samples", "theirs.jsonl"]
    command += ["--parallel", str(options.jobs)] if options.jobs else []
    return command + (["--test_details"] if options.test_details else [])


def statuses(path: Path) -> dict[str, str]:
    """What was said of each sample, base and plus: passed or not."""
    found = json.loads(path.read_text())["eval"]
    return {
        f"{task} sample {number}": "/".join(
            "pass" if item[part] == "pass" else "fail" for part in ("base_status", "plus_status")
        )
        for task in sorted(found)
        for number, item in enumerate(found[task])
    }


def keep_passing(folder: Path) -> int:
    """Writes the samples that passed to a file of their own; how many."""
    results = json.loads((folder / "samples_eval_results.json").read_text())["eval"]
    passed = [
        {"task_id": task, "solution": item["solution"]}
        for task, items in results.items()
        for item in items
        if item["base_status"] == item["plus_status"] == "pass"
    ]
    write_lines(folder / PASSING, passed)
    return len(passed)


def call_plainly(folder: Path) -> None:
    """Executes the samples that pass and calls them on their inputs, each in a fork, as little else as can be."""
    problems = load_dataset(str(folder / "tasks.jsonl")).problems
    for sample in read_lines(folder / PASSING):
        problem = problems[sample["task_id"]]
        child = os.fork()
        if child == 0:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            with suppress(BaseException):
                names: dict[str, Any] = {"__name__": "sample"}
                exec(sample["solution"], names)
                function = names[problem.entry_point]
                for arguments in (*problem.base_inputs, *problem.plus_inputs):
                    function(*arguments)
            os._exit(0)
        os.waitpid(child, 0)


def compare(options: argparse.Namespace, folder: Path) -> None:
    """Prints a line for each command of each round, and what the verdicts say."""
    samples = read_lines(options.samples)
    named = {sample["task_id"] for sample in samples}
    tasks = [task for task in read_lines(options.dataset) if task["task_id"] in named]
    options.benchmark = "mbpp" if all(task["task_id"].startswith("Mbpp/") for task in tasks) else "humaneval"
    write_lines(folder / "tasks.jsonl", tasks)
    write_lines(folder / SAMPLES, samples)
    write_lines(folder / "theirs.jsonl", samples)
    cores = f"{options.jobs} at a time" if options.jobs else "as many at a time as each command takes by itself"
    print(f"{len(samples)} samples of {len(tasks)} tasks, {cores}")
    for number in range(-1, options.rounds):
        for name in ("theirs", "samples"):
            (folder / f"{name}_eval_results.json").unlink(missing_ok=True)
        label = f"round {number + 1}" if number >= 0 else "cold"
        if options.evalplus:
            print(f"{label}: evalplus {spend(their_command(options), folder)}", flush=True)
        print(f"{label}: bench    {spend(our_command(SAMPLES, options), folder)}", flush=True)
    if options.evalplus:
        theirs, ours = (statuses(folder / f"{name}_eval_results.json") for name in ("theirs", "samples"))
        others = [name for name in theirs if theirs[name] != ours[name]]
        print(f"verdicts: {len(theirs) - len(others)} of {len(samples)} equal, base and plus")
        for name in others:
            print(f"  {name}: evalplus {theirs[name]}, bench {ours[name]}")
    count = keep_passing(folder)
    for number in range(options.rounds):
        (folder / "passing_eval_results.json").unlink(missing_ok=True)
        ours = spend(our_command(PASSING, options), folder)
        plain = spend([sys.executable, __file__, PLAIN, str(folder)], folder)
        print(f"round {number + 1}: the {count} that pass: bench {ours}, plainly {plain}", flush=True)


def main() -> None:
    """Measures, or, as a command that is measured, calls plainly."""
    if sys.argv[1:2] == [PLAIN]:
        call_plainly(Path(sys.argv[2]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path, required=True, help="HumanEval+ or MBPP+ as JSON lines, or .gz")
    parser.add_argument("--samples", type=Path, required=True)
    parser.add_argument("--evalplus", help="the command evalplus.evaluate; without it only ours is measured")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--jobs", type=int, help="for both; without it, each takes as many cores as it does by itself")
    parser.add_argument("--test-details", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        compare(options, Path(place))


if __name__ == "__main__":
    main()
