"""Our sanitizer against evalplus' on raw answers of models: pass@1 of each model and the time of each.

::

    python tests/quality/sanitizers.py --raw raw.jsonl.gz --peer ENV/bin/python \\
        --dataset humaneval=HumanEvalPlus-Mini.jsonl.gz --dataset mbpp=MbppPlus-NoExtreme.jsonl.gz

`--peer` is a Python that has evalplus 0.3.1. Lines of the raw file have ``dataset``, ``task_id``, ``model``, ``form``
(``chat`` or ``completion``) and ``raw``; to a completion the prompt is put in front for evalplus, as evalplus does.
The judge is `bench --compat evalplus`, the same for both.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.samples.sanitize import extract

PEER = """
import json, sys, time
from evalplus.sanitize import sanitize
given = json.load(sys.stdin)
started = time.perf_counter()
texts = [sanitize(text, name) for text, name in given]
print(json.dumps([texts, time.perf_counter() - started]))
"""


def sanitize_with_peer(python: str, given: Sequence[tuple[str, str]]) -> tuple[list[str], float]:
    """What evalplus makes of (text, name of the function), and its seconds without start-up."""
    done = subprocess.run([python, "-c", PEER], input=json.dumps(given), check=True, capture_output=True, text=True)
    texts, seconds = json.loads(done.stdout.splitlines()[-1])
    return texts, seconds


def judge(dataset: str, folder: Path, name: str, samples: Sequence[tuple[str, str]], jobs: int) -> list[bool]:
    """Whether each (task, code) passes all tests, by `bench`."""
    place = folder / f"{name}.jsonl"
    lines = [json.dumps({"task_id": task, "solution": code}) for task, code in samples]
    place.write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "lsp_evalplus", "bench", "--dataset", dataset, "--samples", str(place)]
    command += [
        "--compat",
        "evalplus",
        "--jobs",
        str(jobs),
        "--output-file",
        str(folder / f"{name}.json"),
        "--no-store",
    ]
    subprocess.run(command, check=True, capture_output=True)
    results = json.loads((folder / f"{name}.json").read_text())["eval"]
    verdicts = {task: iter(found) for task, found in results.items()}
    return [next(verdicts[task])["plus_status"] == "pass" for task, _ in samples]


def compare(model: str, dataset: str, records: Sequence[dict[str, Any]], peer: str, jobs: int) -> None:
    """Print the line of one model."""
    problems = load_dataset(dataset).problems
    records = [record for record in records if record["task_id"] in problems]
    names = [problems[record["task_id"]].entry_point for record in records]
    prompts = [problems[record["task_id"]].prompt for record in records]
    theirs, their_seconds = sanitize_with_peer(
        peer,
        [
            (prompt + record["raw"] if record["form"] == "completion" else record["raw"], name)
            for record, name, prompt in zip(records, names, prompts, strict=True)
        ],
    )
    started = time.perf_counter()
    ours = [
        extract(record["raw"], name, prompt).code for record, name, prompt in zip(records, names, prompts, strict=True)
    ]
    our_seconds = time.perf_counter() - started
    tasks = [record["task_id"] for record in records]
    with tempfile.TemporaryDirectory() as place:
        passed = [
            judge(dataset, Path(place), name, list(zip(tasks, texts, strict=True)), jobs)
            for name, texts in (("theirs", theirs), ("ours", ours))
        ]
    lost = sum(theirs and not ours for theirs, ours in zip(*passed, strict=True))
    before, after = (100 * sum(found) / len(found) for found in passed)
    print(f"{model}: {len(records)} answers; pass@1 after evalplus {before:.1f} %, after ours {after:.1f} %")
    ratio = their_seconds / our_seconds
    print(f"  right only after evalplus: {lost}; {their_seconds:.2f} s against {our_seconds:.2f} s, ratio {ratio:.1f}")


def main() -> None:
    """Prints a line for each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raw", type=Path, required=True)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--dataset", action="append", required=True, help="NAME=FILE")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    files = dict(item.split("=", 1) for item in options.dataset)
    models: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    with gzip.open(options.raw, "rt") as file:
        for record in map(json.loads, file):
            if record["dataset"] in files:
                models[record["model"], record["dataset"]].append(record)
    for (model, dataset), records in models.items():
        compare(model, files[dataset], records, options.peer, options.jobs)


if __name__ == "__main__":
    main()
