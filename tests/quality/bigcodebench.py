"""What BigCodeBench's references and samples cost here, beside upstream's evaluator, and what kills leave of a run.

::

    python tests/quality/bigcodebench.py PART... --python ENV/bin/python --labels labels.jsonl.gz \\
        --model NAME [--jobs 2] [--upstream bigcodebench.evaluate] [--tasks tasks.jsonl]

The environment is one that ``bench env bigcodebench`` has made. Labels are lines with ``task_id``, ``model``,
``program`` and upstream's ``verdicts``. Processor time is that of a control group (`accounted`), so that of everything
a command starts counts. Parts:

references  all references, ``--rounds`` times anew
samples     the first ``--samples`` programs of the model, with the references cached
beside      one program of the model for each of ``--each`` tasks, alternately with upstream's evaluator
kills       programs of tasks that need the standard library only, and ``--heavy`` others: killed at random moments and
            resumed; what is left of processes, temporary files and mounts
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from accounted import Group, Spent, spend

VARYING: Final = frozenset({17, 147, 205, 363, 461, 720, 821, 823, 1040, 1104})
"""Tasks whose tests depend on the clock, on chance or on the machine."""
LONG: Final = frozenset({0, 17, 195, 220, 348, 421, 459, 819, 823, 857, 1040, 1104, 1105})
"""Tasks of which a program computes or sleeps for seconds, left out of `measure_kills`."""
_PART: Final = 0.4
"""Kills come in this first part of the time of a whole run, so that most runs see several."""
_GROWTH: Final = 1.15
_NAMED: Final = re.compile(r"^  BigCodeBench/(\d+): ", re.MULTILINE)
_OUTPUT: Final = "results.json"


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with the files of all commands, and their options."""

    folder: Path
    options: argparse.Namespace
    environment: Mapping[str, str]

    def bench(self, *arguments: str, python: str | None = None) -> list[str]:
        """The command ``bench`` on BigCodeBench."""
        command = [sys.executable, "-m", "lsp_evalplus", "bench", "--dataset", "bigcodebench", "--no-calibrated"]
        return [*command, "--python", python or self.options.python, "--jobs", str(self.options.jobs), *arguments]

    def run(self, *arguments: str) -> Spent:
        """Run ``bench`` to its end."""
        spent = spend(self.bench(*arguments), self.folder, self.environment)
        if spent.code not in (0, 1) or spent.left:
            raise SystemExit(f"code {spent.code}, {spent.left} processes left: {spent.errors[-2000:]}")
        return spent


def rows_of(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The labelled programs of the model."""
    with gzip.open(options.labels, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [row for row in rows if row["model"] == options.model]


def number_of(row: Mapping[str, Any]) -> int:
    """The number of a row's task."""
    return int(row["task_id"].rpartition("/")[2])


def write_lines(path: Path, rows: Iterable[object]) -> None:
    """Write objects as lines of JSON."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_samples(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the programs of rows as samples."""
    write_lines(path, ({"task_id": row["task_id"], "solution": row["program"]} for row in rows))


def words(spent: Spent) -> str:
    """What a command took."""
    return f"{spent.processor:.1f} s of processors, {spent.wall:.1f} s by the clock"


def statuses(path: Path) -> dict[str, list[bool]]:
    """Whether each sample of a task passes, by the task."""
    found = json.loads(path.read_text(encoding="utf-8"))["eval"]
    return {task: [entry["status"] == "pass" for entry in group] for task, group in found.items()}


def measure_references(place: Place) -> None:
    """All references, several times."""
    for number in range(place.options.rounds):
        spent = place.run("--check-gt-only")
        lines = spent.errors.splitlines()
        failed = sorted({int(found) for found in _NAMED.findall(spent.errors)})
        again = [line.strip() for line in lines if "passed when it ran again" in line]
        print(f"round {number + 1}: {words(spent)}; failed: {failed}", *again, sep="\n  ", flush=True)


def measure_samples(place: Place) -> None:
    """The programs of a model, judged anew in each round, and upstream's verdicts of them."""
    rows = rows_of(place.options)[: place.options.samples]
    write_samples(place.folder / "samples.jsonl", rows)
    print(f"references: {words(place.run('-s', 'samples.jsonl', '--no-store', '-o', _OUTPUT))} with the samples")
    for number in range(place.options.rounds):
        spent = place.run("-s", "samples.jsonl", "--no-store", "--fresh", "-o", _OUTPUT)
        found = statuses(place.folder / _OUTPUT)
        other = [
            f"{row['task_id']} ({theirs})"
            for row in rows
            for theirs in (row["verdicts"][0]["status"],)
            if found[row["task_id"]].pop(0) != (theirs == "pass")
        ]
        same = len(rows) - len(other)
        print(f"round {number + 1}: {words(spent)}; {same} of {len(rows)} as upstream, not {other}", flush=True)


def measure_beside(place: Place) -> None:
    """Upstream's evaluator and `bench`, in turns, on one program each of some tasks."""
    first: dict[str, dict[str, Any]] = {}
    for row in rows_of(place.options):
        if place.options.hard == bool(row["hard"]) and number_of(row) not in VARYING:
            first.setdefault(row["task_id"], row)
    names = sorted(first)
    random.Random(place.options.seed).shuffle(names)
    rows = [first[name] for name in names[: place.options.each]]
    with gzip.open(place.options.tasks, "rt", encoding="utf-8") as file:
        tasks = {task["task_id"]: task for task in map(json.loads, file)}
    # Upstream wants samples of all tasks.
    write_lines(place.folder / "tasks.jsonl", (tasks[row["task_id"]] for row in rows))
    chosen = {"BIGCODEBENCH_OVERRIDE_PATH": str(place.folder / "tasks.jsonl")}
    place = Place(place.folder, place.options, {**place.environment, **chosen})
    write_samples(place.folder / "samples.jsonl", rows)
    place.run("-s", "samples.jsonl", "--no-store", "-o", _OUTPUT)
    theirs = [*place.options.upstream.split(), "complete", "full", "--samples", "theirs.jsonl", "--execution", "local"]
    theirs += ["--no_gt", "--calibrated", "False", "--parallel", str(place.options.jobs)]
    print(f"{len(rows)} programs, each of another task", flush=True)
    for number in range(place.options.rounds):
        ours = place.run("-s", "samples.jsonl", "--no-store", "--fresh", "-o", _OUTPUT)
        for old in place.folder.glob("theirs*"):
            old.unlink()
        shutil.copy(place.folder / "samples.jsonl", place.folder / "theirs.jsonl")
        upstream = spend(theirs, place.folder, place.environment)
        if upstream.code != 0:
            raise SystemExit(upstream.errors[-2000:])
        found = [statuses(place.folder / name) for name in (_OUTPUT, "theirs_eval_results.json")]
        other = [task for task in found[1] if found[0][task] != found[1][task]]
        print(f"round {number + 1}: ours {words(ours)}; upstream's {words(upstream)}, {upstream.left} left", flush=True)
        ratios = upstream.processor / ours.processor, upstream.wall / ours.wall
        print(f"  ratios {ratios[0]:.2f} and {ratios[1]:.2f}; other verdicts: {other}", flush=True)


def measure_kills(place: Place) -> None:
    """Kill a run, its references among it, at random moments until it ends; the files must be those of another run."""
    rows, python = _rows_to_kill(place)
    write_samples(place.folder / "samples.jsonl", rows)
    two = [_undisturbed(place, name, python) for name in ("once", "twice")]
    # A message of a test may tell the time, or a number that chance has made.
    found = [json.loads((place.folder / f"{name}.json").read_text())["eval"] for name in ("once", "twice")]
    varying = [task for task in found[0] if found[0][task] != found[1][task]]
    rows = [row for row in rows if row["task_id"] not in varying]
    write_samples(place.folder / "samples.jsonl", rows)
    whole, chance = _undisturbed(place, "whole", python), random.Random(place.options.seed)
    expected = _bytes(place.folder, "whole")
    print(f"two runs: {'; '.join(map(words, two))}; entries differ for {varying}", flush=True)
    print(f"{len(rows)} programs of other tasks: {words(whole)}", flush=True)
    kills = runs = left = 0
    seconds = whole.wall
    while kills < place.options.kills:
        runs += 1
        for name in ("cache", "store"):
            shutil.rmtree(place.folder / name, ignore_errors=True)
        for old in place.folder.glob("killed*"):
            old.unlink()
        command = place.bench("-s", "samples.jsonl", "--store", "store", "-o", "killed.json", python=python)
        began, latest = time.monotonic(), _PART * seconds
        while (ended := _killed(place, command, chance.uniform(0.3, latest)))[0]:
            # A machine that has become busier may need longer to come anywhere.
            kills, left, latest = kills + 1, left + ended[1], latest * _GROWTH
        # The machine may be less busy by now.
        seconds = min(seconds, time.monotonic() - began)
        found, others = _bytes(place.folder, "killed"), _left_behind(place)
        said = f"{left} processes left, files and mounts left: {others}"
        print(f"{kills} kills, run {runs}: {'same' if found == expected else 'OTHER'} bytes, {said}", flush=True)
        if found != expected:
            _keep(place, f"run-{runs}")
            _show_difference(place.folder / "whole.json", place.folder / "killed.json")


def _keep(place: Place, name: str) -> None:
    """Keep everything of a run with other results, where the user has named a folder for it."""
    if place.options.keep is not None:
        kept = place.options.keep / name
        for part in ("whole.json", "whole_pass_at_k.json", "killed.json", "killed_pass_at_k.json", "cache", "store"):
            path = place.folder / part
            if path.is_dir():
                shutil.copytree(path, kept / part, dirs_exist_ok=True)
            elif path.exists():
                kept.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, kept / part)


def _show_difference(one: Path, other: Path) -> None:
    """Tell in what two result files differ."""
    first, second = (json.loads(path.read_text(encoding="utf-8")) for path in (one, other))
    for name in first.keys() | second.keys():
        if first.get(name) != second.get(name) and name != "eval":
            print(f"  {name}: {first.get(name)}; {second.get(name)}")
    for task, entries in first["eval"].items():
        for entry, found in zip(entries, second["eval"].get(task, []), strict=False):
            if entry != found:
                parts = [{name: one[name] for name in ("status", "details")} for one in (entry, found)]
                print(f"  {task}: {parts[0]}; {parts[1]}", flush=True)


def _rows_to_kill(place: Place) -> tuple[list[dict[str, Any]], str]:
    """Programs of tasks that need the standard library only, and of others; and the interpreter that has it all."""
    imports = json.loads(place.options.imports.read_text())
    plain = {task for task, names in imports.items() if all(name in sys.stdlib_module_names for name in names)}
    left_out = VARYING | LONG
    rows = [row for row in rows_of(place.options) if number_of(row) not in left_out]
    light = [row for row in rows if row["task_id"] in plain][: place.options.each]
    first: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["task_id"] not in plain:
            first.setdefault(row["task_id"], row)
    names = sorted(first)
    random.Random(place.options.seed).shuffle(names)
    heavy = [first[name] for name in names[: place.options.heavy]]
    return [*light, *heavy], place.options.python if heavy else sys.executable


def _left_behind(place: Place) -> list[str]:
    """Temporary files, and mounts in the folder."""
    mounts = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()]
    files = [path.name for path in place.folder.joinpath("tmp").iterdir()]
    return [*files, *(mount for mount in mounts if mount.startswith(str(place.folder)))]


def _undisturbed(place: Place, name: str, python: str) -> Spent:
    """Judge the samples from nothing."""
    shutil.rmtree(place.folder / "cache", ignore_errors=True)
    command = place.bench("-s", "samples.jsonl", "--no-store", "-o", f"{name}.json", python=python)
    spent = spend(command, place.folder, place.environment)
    if spent.code:
        raise SystemExit(spent.errors[-2000:])
    return spent


def _bytes(folder: Path, name: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.glob(f"{name}*.json"))]


def _killed(place: Place, command: Sequence[str], seconds: float) -> tuple[bool, int]:
    """Start a command and kill its first process after a while; whether it still ran, and what was left after 15 s."""
    with Group() as group:
        process = group.start(command, place.folder, place.environment)
        until = time.monotonic() + seconds
        while time.monotonic() < until and process.poll() is None:
            time.sleep(0.02)
        was_running = process.poll() is None
        if was_running:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        return was_running, group.wait_empty(15)


PARTS: Final[Mapping[str, Callable[[Place], None]]] = {
    "references": measure_references,
    "samples": measure_samples,
    "beside": measure_beside,
    "kills": measure_kills,
}


def main() -> None:
    """Measure the parts that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=PARTS)
    parser.add_argument("--python", help="interpreter of the environment")
    parser.add_argument("--labels", type=Path, help="programs with upstream's verdicts, .gz")
    parser.add_argument("--model", default="Qwen2.5-Coder-7B-Instruct")
    parser.add_argument("--tasks", type=Path, help="BigCodeBench v0.1.4, .gz, for upstream")
    parser.add_argument("--imports", type=Path, help="the modules that each task imports, as JSON")
    parser.add_argument("--upstream", default="bigcodebench.evaluate", help="command that starts upstream's evaluator")
    parser.add_argument("--samples", type=int, default=1140)
    parser.add_argument("--each", type=int, default=60)
    parser.add_argument("--heavy", type=int, default=0, help="programs of tasks that need libraries, for kills")
    parser.add_argument("--hard", action="store_true", help="tasks of Hard only, for beside; else none of them")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--keep", type=Path, help="folder for the files of runs that end with other bytes")
    parser.add_argument("--seed", type=int, default=0, help="of samples and of the moments of kills")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        temporary = folder / "tmp"
        temporary.mkdir()
        own = {"XDG_CACHE_HOME": str(folder / "cache"), "TMPDIR": str(temporary)}
        place = Place(folder, options, {**os.environ, **own})
        for part in options.parts:
            print(f"-- {part}", flush=True)
            PARTS[part](place)


if __name__ == "__main__":
    main()
