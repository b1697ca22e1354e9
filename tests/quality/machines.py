"""What `bench` costs and keeps with a store, shards, engines and many runs; each part prints its figures.

::

    python tests/quality/machines.py PART... --dataset HumanEvalPlus.jsonl.gz --labels labels.jsonl.gz \\
        --runs runs.jsonl.gz [--rounds 2] [--jobs 2]

Labels are lines with ``task_id`` and ``solution``; runs have ``run`` and ``family``, too. Samples are the first of each
task among the labels, without the tasks of `SLOW`, so that a program takes as long as one of the paper's campaign,
some 30 ms. Processor time is that of a control group (`accounted`), so that killed processes count. Python writes its
bytecode, as where a package is installed, and Dask has the documented settings.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from accounted import Group, Spent, spend

SLOW: Final = tuple(f"HumanEval/{number}" for number in (39, 49, 60, 94, 96, 139))
"""Tasks of which a program of a model takes seconds, or runs out of time, which depends on the moment."""
DASK: Final = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False", "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "5s"}
MANY: Final = ("1x100000", "10x10000", "104x3280")
POOLS: Final = '''
"""Executors for ``--on``."""

from concurrent.futures import Executor, Future
from dask.distributed import Client


def dask():
    return Client(n_workers=2, threads_per_worker=1, dashboard_address=None).get_executor()


class Passing(Executor):
    """Says at once that each program passes, so that what is left is the driver's own work."""

    places = 1000

    def submit(self, fn, plan, chunk):
        parts = ["base"] if plan["base_only"] else ["base", "plus"]
        row = {part: {rule: ["pass"] for rule in ("strict", "evalplus")} for part in parts}
        future = Future()
        rows = [[digest, row] for digest, _ in chunk["programs"]]
        seconds = 0.03 * len(rows)
        future.set_result({"rows": rows, "seconds": seconds, "layers_off": {}, "left_out": [], "refusal": ""})
        return future
'''


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with the inputs of all commands, and their common options."""

    folder: Path
    options: argparse.Namespace
    environment: Mapping[str, str]

    def bench(self, *arguments: str) -> list[str]:
        """The command ``bench`` on the data set."""
        command = [sys.executable, "-m", "lsp_evalplus", "bench", "--dataset", "humaneval", *arguments]
        return [*command, "--jobs", str(self.options.jobs)]

    def run(self, *arguments: str) -> Spent:
        """Run ``bench`` to its end; it must succeed and leave no process."""
        spent = spend(self.bench(*arguments), self.folder, self.environment)
        if spent.code != 0:
            raise SystemExit(f"bench {' '.join(arguments)} failed with code {spent.code}: {spent.errors[-2000:]}")
        if spent.left:
            raise SystemExit(f"bench {' '.join(arguments)} left {spent.left} processes")
        return spent

    def same(self, first: str, second: str) -> str:
        """Whether two files of the folder have the same bytes, and if not, which verdicts differ."""
        one, two = ((self.folder / name).read_bytes() for name in (first, second))
        if one == two:
            return "same bytes"
        found = [json.loads(text)["eval"] for text in (one, two)]
        others = [task for task in found[0] if found[0][task] != found[1].get(task)]
        return f"DIFFERENT: {', '.join(others)}"

    def rows(self, store: str) -> int:
        """The number of verdicts in a store."""
        found = 0
        for segment in (self.folder / store).glob("*/*.jsonl"):
            found += sum(line.startswith(b'["') for line in segment.read_bytes().splitlines())
        return found


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        return [json.loads(line) for line in file]


def write_samples(path: Path, samples: Iterable[Mapping[str, Any]]) -> int:
    """Write samples; gives their number."""
    lines = [json.dumps({"task_id": one["task_id"], "solution": one["solution"]}) + "\n" for one in samples]
    path.write_text("".join(lines))
    return len(lines)


def grouped(samples: Iterable[dict[str, Any]], key: str) -> dict[str, list[dict[str, Any]]]:
    """The samples by the value of a field, without those of slow tasks."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for sample in samples:
        if sample["task_id"] not in SLOW:
            groups[sample[key]].append(sample)
    return groups


def first_of_each(samples: Iterable[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """The first `count` samples, each task's in turn, in the order of the tasks."""
    groups = grouped(samples, "task_id")
    each, more = divmod(max(count, len(groups)), len(groups))
    return [one for number, group in enumerate(groups.values()) for one in group[: each + (number < more)]]


def show(name: str, spent: Spent, said: str = "") -> None:
    """Print what a command took."""
    print(f"{name}: {spent.processor:.1f} s of processors, {spent.wall:.1f} s{said and '; '}{said}", flush=True)


def measure_engines(place: Place) -> None:
    """Ray and Dask beside a local run, in turns; the work is all without what four programs take."""
    write_samples(place.folder / "four.jsonl", first_of_each(read_lines(place.options.labels), 2000)[::500])
    write_samples(place.folder / "each.jsonl", first_of_each(read_lines(place.options.labels), 1))
    ways = {"local": (), "ray": ("--on", "ray"), "dask": ("--on", "pools:dask")}
    ways = {name: more for name, more in ways.items() if name not in place.options.without}
    show("references, by dask", place.run("-s", "each.jsonl", "--no-store", "--fresh", *ways["dask"]))
    starts = {name: place.run("-s", "four.jsonl", "--no-store", "--fresh", *more) for name, more in ways.items()}
    for name, spent in starts.items():
        show(f"{name}, four programs", spent)
    best: dict[str, float] = {}
    for number in range(place.options.rounds):
        spent = {
            name: place.run("-s", "samples.jsonl", "--no-store", "--fresh", "-o", f"{name}.json", *more)
            for name, more in ways.items()
        }
        local = spent["local"].processor
        for name, one in spent.items():
            work = (local - starts["local"].processor) / (one.processor - starts[name].processor)
            best[name] = max(best.get(name, 0.0), work)
            said = (
                f"{place.same('local.json', f'{name}.json')}, efficiency {local / one.processor:.2f}, work {work:.2f}"
            )
            show(f"round {number + 1}, {name}", one, said)
    print(f"best rounds, work: {', '.join(f'{name} {work:.2f}' for name, work in best.items())}", flush=True)


def measure_kills(place: Place) -> None:
    """Workers of Ray killed with -9 at random moments, then the driver, twice; all must be complete and equal."""
    kill_engine(place, "ray", "ray::judge_chunk")


def measure_dask_kills(place: Place) -> None:
    """The same with workers of Dask."""
    kill_engine(place, "pools:dask", "multiprocessing.spawn")


def kill_engine(place: Place, engine: str, title: str) -> None:
    """Kill workers of an engine, which have `title` in their command lines, and then its driver."""
    place.run("-s", "samples.jsonl", "--no-store", "--fresh", "-o", "local.json")
    chance = random.Random(place.options.seed)
    killed, resumed = (f"{one}-{engine.rpartition(':')[2]}" for one in ("killed", "resumed"))
    command = place.bench("-s", "samples.jsonl", "--store", killed, "-o", "killed.json", "--on", engine)
    with Group() as group:
        process = group.start(command, place.folder, place.environment)
        kills = 0
        while kills < place.options.kills and process.poll() is None:
            time.sleep(chance.uniform(0.2, 2.0))
            workers = group.titled([title])
            if workers and place.rows(killed):
                os.kill(chance.choice(workers), signal.SIGKILL)
                kills += 1
        code, left = process.wait(), group.wait_empty()
        said = place.same("local.json", "killed.json") if code == 0 else (place.folder / "errors.txt").read_text()
        print(f"{kills} workers killed: code {code}, {said}; {left} processes left", flush=True)
    command = place.bench("-s", "samples.jsonl", "--store", resumed, "-o", "resumed.json", "--on", engine)
    total = place.rows(killed)
    for number in (1, 2):
        with Group() as group:
            process = group.start(command, place.folder, place.environment)
            while place.rows(resumed) < total * number / 3 and process.poll() is None:
                time.sleep(0.05)
            process.kill()
            process.wait()
            left = group.wait_empty(15)
            named = f": {group.titles()}" if left else ""
            print(f"driver killed: {place.rows(resumed)} of {total} kept, {left} processes left{named}", flush=True)
    spent = spend(command, place.folder, place.environment)
    show("resumed", spent, f"code {spent.code}, {place.same('local.json', 'resumed.json')}, {spent.left} left")


def start_head(place: Place, group: Group) -> None:
    """Start a cluster of one node, with a token and explicit ports."""
    ports = ("runtime-env-agent", "dashboard-agent-listen", "dashboard-agent-grpc", "metrics-export")
    explicit = [f"--{name}-port={7380 + number}" for number, name in enumerate(ports)]
    ray = Path(sys.executable).with_name("ray")
    command = [ray, "start", "--head", "--port=7379", f"--num-cpus={place.options.jobs}", *explicit]
    command += ["--include-dashboard=false", "--disable-usage-stats"]
    if group.start(command, place.folder, place.environment).wait() != 0:
        raise SystemExit((place.folder / "errors.txt").read_text())


def measure_head(place: Place) -> None:
    """The head of a cluster is killed and started again while a driver works."""
    place.run("-s", "samples.jsonl", "--no-store", "--fresh", "-o", "local.json")
    cluster = {"RAY_ADDRESS": "127.0.0.1:7379", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 64}
    place = Place(place.folder, place.options, {**place.environment, **cluster})
    command = place.bench("-s", "samples.jsonl", "--store", "headless", "-o", "headless.json", "--on", "ray")
    with Group() as driver:
        with Group() as head:
            start_head(place, head)
            process = driver.start(command, place.folder, place.environment)
            while place.rows("headless") < place.options.samples / 3 and process.poll() is None:
                time.sleep(0.05)
        began = time.monotonic()
        with Group() as head:
            start_head(place, head)
            code, kept = process.wait(), place.rows("headless")
            errors = (place.folder / "errors.txt").read_text().strip().splitlines()
            print(f"head killed: the driver ended with code {code} after {time.monotonic() - began:.0f} s, {kept} kept")
            print(f"  it said: {errors[-1] if errors else 'nothing'}; {driver.wait_empty()} processes left", flush=True)
            spent = spend(command, place.folder, place.environment)
            show("the same command", spent, f"code {spent.code}, {place.same('local.json', 'headless.json')}")


def measure_again(place: Place) -> None:
    """A second run, and one with one more sample."""
    first = place.run("-s", "samples.jsonl", "--store", "again", "-o", "first.json")
    show("first run", first, f"at most {first.most} processes at a time")
    second = place.run("-s", "samples.jsonl", "--store", "again", "-o", "second.json")
    show("second run", second, f"{place.same('first.json', 'second.json')}, at most {second.most} process at a time")
    before, text = place.rows("again"), (place.folder / "samples.jsonl").read_text()
    task = json.loads(text.splitlines()[0])["task_id"]
    more = json.dumps({"task_id": task, "solution": "def no_such_function(): pass\n"}) + "\n"
    (place.folder / "more.jsonl").write_text(text + more)
    third = place.run("-s", "more.jsonl", "--store", "again", "-o", "more.json")
    show("one sample more", third, f"{place.rows('again') - before} judged")


def measure_shards(place: Place) -> None:
    """Four shards one after another beside a local run; then out of order, two at once, one killed and requeued."""
    for number in range(place.options.rounds):
        store = f"parts-{number}"
        local = place.run("-s", "samples.jsonl", "--no-store", "--fresh", "-o", "local.json")
        parts = [
            place.run("-s", "samples.jsonl", "--store", store, "--shard", f"{one}/4", "--fresh") for one in range(4)
        ]
        whole = place.run("-s", "samples.jsonl", "--store", store, "-o", "joined.json")
        total = sum(one.processor for one in parts)
        show(f"round {number + 1}, local", local)
        print(f"four shards: {total:.1f} s of processors, ratio {total / local.processor:.2f}", flush=True)
        show("the same without --shard", whole, f"{place.same('local.json', 'joined.json')}, {whole.most} process")
    for part in place.folder.glob("*.shard-*"):
        part.unlink()
    shard = {one: place.bench("-s", "samples.jsonl", "--store", "odd", "--shard", f"{one}/4") for one in range(4)}
    with Group() as group:
        two = [group.start(shard[one], place.folder, place.environment) for one in (2, 0)]
        print(f"shards 2 and 0 at once: codes {[one.wait() for one in two]}")
        killed = group.start(shard[3], place.folder, place.environment)
        before = place.rows("odd")
        while place.rows("odd") < before + 100 and killed.poll() is None:
            time.sleep(0.01)
        killed.kill()
        killed.wait()
        print(f"shard 3 killed after {place.rows('odd') - before} verdicts; {group.wait_empty()} processes left")
        again = [group.start(shard[3], place.folder, place.environment) for _ in range(2)]
        print(f"shard 3 again, twice at once: codes {[one.wait() for one in again]}")
        print(f"shard 1: code {group.start(shard[1], place.folder, place.environment).wait()}")
    whole = place.run("-s", "samples.jsonl", "--store", "odd", "-o", "odd.json")
    show("the same without --shard", whole, f"{place.same('local.json', 'odd.json')}, {whole.most} process at a time")
    merge = [sys.executable, "-m", "lsp_evalplus", "bench", "merge", "-o", "merged.json"]
    merge += [f"samples_eval_results.shard-{one}-of-4.json" for one in range(4)]
    show("merge", spend(merge, place.folder, place.environment), place.same("local.json", "merged.json"))


def measure_many(place: Place) -> None:
    """Many different programs that a stub judges at once: what is left is the driver's own work and memory."""
    labels = [one for one in read_lines(place.options.labels) if one["task_id"] not in SLOW]
    for files, each in (map(int, size.split("x")) for size in place.options.many or MANY):
        names = write_different(place, labels, files, each)
        store = f"many-{files}"
        arguments = [*(f"--samples={name}" for name in names), "--store", store, "--on", "pools:Passing"]
        spent = place.run(*arguments)
        total = files * each
        said = f"{spent.processor / total * 1000:.2f} ms a program, peak {spent.peak / 2**20:.0f} MB"
        show(f"{total:,} different programs in {files} files", spent, said)
        if files == 1:
            spent = place.run(*arguments[:-2])
            show("the same again, all in the result file", spent, f"peak {spent.peak / 2**20:.0f} MB")
            (place.folder / "many-0_eval_results.json").unlink()
            spent = place.run(*arguments[:-2])
            show("the same again, all in the store", spent, f"peak {spent.peak / 2**20:.0f} MB")
        for path in place.folder.glob("many-*.json*"):
            path.unlink()
        shutil.rmtree(place.folder / store)


def write_different(place: Place, labels: Sequence[Mapping[str, Any]], files: int, each: int) -> list[str]:
    """Write files of programs none of which is there twice; gives their names."""
    names = [f"many-{number}.jsonl" for number in range(files)]
    for number, name in enumerate(names):
        with (place.folder / name).open("w") as file:
            for one in range(each):
                label = labels[(number * each + one) % len(labels)]
                text = f"{label['solution']}\n# {number} {one}\n"
                file.write(json.dumps({"task_id": label["task_id"], "solution": text}) + "\n")
    return names


def measure_campaign(place: Place) -> None:
    """The last files of a campaign: a store has verdicts on all programs before, in segments of `--joined` files each.

    With many segments the command joins them, which happens once, and not for each two files.
    """
    labels = [one for one in read_lines(place.options.labels) if one["task_id"] not in SLOW]
    for files, each in (map(int, size.split("x")) for size in place.options.many or ("104x32800",)):
        (name,) = write_different(place, labels, 1, 1000)
        arguments = ["--store", "campaign", "--on", "pools:Passing"]
        place.run("--samples", name, *arguments)
        (segment,) = (place.folder / "campaign").glob("*/*.jsonl")
        header, origin, *rows = segment.read_text().splitlines(keepends=True)
        joined = place.options.joined * each
        for number in range((files - 2) // place.options.joined):
            own = (f"{number * joined + one:064x}" for one in range(joined))
            lines = [f"{rows[one % 1000][:38]}{digest}{rows[one % 1000][102:]}" for one, digest in enumerate(own)]
            path = segment.with_name(f"{segment.name.partition('-')[0]}-{2**22 + number}-{number:016x}.jsonl")
            path.write_text("".join([header, origin, *lines]))
        names = write_different(place, labels, 2, each)
        for path in place.folder.glob("many-*eval*"):
            path.unlink()
        spent = place.run(*(f"--samples={name}" for name in names), *arguments)
        said = f"{spent.processor / 2 / each * 1000:.2f} ms a program, peak {spent.peak / 2**20:.0f} MB"
        size = sum(path.stat().st_size for path in (place.folder / "campaign").glob("*/*.jsonl")) / 1e6
        show(f"the last 2 of {files} files with {each:,} programs each", spent, f"{said}; the store has {size:.0f} MB")
        command = [sys.executable, "-m", "lsp_evalplus", "bench", "store", "--store", "campaign"]
        spent = spend([*command, "--compact"], place.folder, place.environment)
        show("bench store --compact", spent, f"code {spent.code}, peak {spent.peak / 2**20:.0f} MB")
        shutil.rmtree(place.folder / "campaign")


def measure_models(place: Place) -> None:
    """A family of models after another one, beside the second alone."""
    families = grouped(read_lines(place.options.runs), "family")
    for family in ("gpt35", "gpt4"):
        count = write_samples(place.folder / f"{family}.jsonl", families[family])
        before = place.rows("families")
        spent = place.run("-s", f"{family}.jsonl", "--store", "families")
        show(f"{family}, {count} samples", spent, f"{place.rows('families') - before} programs judged")
    show("gpt4 alone", place.run("-s", "gpt4.jsonl", "--store", "alone", "--fresh"), f"{place.rows('alone')} programs")


def runs_of(place: Place) -> dict[str, list[dict[str, Any]]]:
    """One of each `--every` runs, by name, from the run `--first` on."""
    runs = grouped(read_lines(place.options.runs), "run")
    return dict(list(runs.items())[place.options.first :: place.options.every])


def measure_together(place: Place) -> None:
    """All runs in one command."""
    runs = runs_of(place)
    names = [f"run{number}.jsonl" for number in range(len(runs))]
    total = sum(write_samples(place.folder / name, run) for name, run in zip(names, runs.values(), strict=True))
    spent = place.run(*(f"--samples={name}" for name in names), "--store", "together")
    said = f"{place.rows('together')} programs judged, peak {spent.peak / 2**20:.0f} MB"
    show(f"{len(names)} runs, {total} samples, in one command", spent, said)


def measure_singles(place: Place) -> None:
    """Each run in a command of its own, without a store."""
    runs = runs_of(place)
    for number, run in enumerate(runs.values()):
        write_samples(place.folder / f"run{number}.jsonl", run)
    singles = [place.run("-s", f"run{number}.jsonl", "--no-store", "--fresh") for number in range(len(runs))]
    processor, wall = sum(one.processor for one in singles), sum(one.wall for one in singles)
    print(f"{len(runs)} runs, each alone: {processor:.1f} s of processors, {wall:.1f} s", flush=True)


def measure_greedy(place: Place) -> None:
    """One sample of each task, the reference where there is none: nothing cached, then with references cached."""
    labels = {one["task_id"]: one for one in reversed(read_lines(place.options.labels))}
    tasks = read_lines(place.options.dataset)
    missing = [{**one, "solution": one["prompt"] + one["canonical_solution"]} for one in tasks]
    count = write_samples(place.folder / "greedy.jsonl", [labels.get(one["task_id"], one) for one in missing])
    shutil.rmtree(place.folder / "cache")
    show(f"{count} samples, cold", place.run("-s", "greedy.jsonl", "--no-store"))
    for _ in range(place.options.rounds):
        show("warm", place.run("-s", "greedy.jsonl", "--no-store", "--fresh"))
    results = json.loads((place.folder / "greedy_eval_results.json").read_text())["eval"]
    passed = [one for group in results.values() for one in group if one["plus_status"] == "pass"]
    write_samples(place.folder / "passing.jsonl", passed)
    (place.folder / "tasks.jsonl").write_text("".join(json.dumps(one) + "\n" for one in tasks))
    plainly = [sys.executable, str(Path(__file__).with_name("throughput.py")), "plainly", str(place.folder)]
    show(f"plainly calling the {len(passed)} that pass", spend(plainly, place.folder, place.environment))
    show("these, judged", place.run("-s", "passing.jsonl", "--no-store", "--fresh"))


PARTS: Final[Mapping[str, Callable[[Place], None]]] = {
    "engines": measure_engines,
    "kills": measure_kills,
    "dask-kills": measure_dask_kills,
    "head": measure_head,
    "again": measure_again,
    "shards": measure_shards,
    "many": measure_many,
    "campaign": measure_campaign,
    "models": measure_models,
    "together": measure_together,
    "singles": measure_singles,
    "greedy": measure_greedy,
}


def main() -> None:
    """Measure the parts that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=PARTS)
    parser.add_argument("--dataset", type=Path, required=True, help="HumanEval+ as JSON lines, or .gz")
    parser.add_argument("--labels", type=Path, required=True, help="samples of many models, none twice")
    parser.add_argument("--runs", type=Path, help="runs of models")
    parser.add_argument("--every", type=int, default=1, help="take one of this number of runs")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    parser.add_argument("--samples", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument(
        "--many", action="append", help=f"files, and different programs in each; without it {', '.join(MANY)}"
    )
    parser.add_argument("--joined", type=int, default=2, help="files whose verdicts are in one segment of the store")
    parser.add_argument(
        "--without", action="append", default=[], choices=("ray", "dask"), help="an engine to leave out"
    )
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0, help="of the moments of kills")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pools.py").write_text(POOLS)
        samples = first_of_each(read_lines(options.labels), options.samples)
        count = write_samples(folder / "samples.jsonl", samples)
        print(f"{count} samples of {len({one['task_id'] for one in samples})} tasks, --jobs {options.jobs}", flush=True)
        where = {"HUMANEVAL_OVERRIDE_PATH": str(options.dataset.resolve()), "XDG_CACHE_HOME": str(folder / "cache")}
        usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        place = Place(folder, options, {**usual, **where, **DASK})
        place.run("-s", "samples.jsonl", "--no-store", "-o", "warm.json")
        for part in options.parts:
            print(f"-- {part}", flush=True)
            PARTS[part](place)


if __name__ == "__main__":
    main()
