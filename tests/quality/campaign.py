"""The paper's campaign on many cores, simulated from what was measured on two: how long it takes, and what limits it.

::

    python tests/quality/campaign.py --store STORE --driver-ms 0.3 [--chunk-ms 11] [--scheduled 885] [--mean-ms 30]

The campaign is 200 samples of 164 tasks by 26 models at 4 temperatures, 3,411,200 programs, none repeated. How long a
program of a task takes, relative to others, is drawn from the tasks of a verdict store and scaled to a mean. With an
engine, one driver cuts chunks (`bench.remote.driver`) and takes verdicts, and its scheduler starts so many chunks a
second; with shards, each node of 64 cores takes the next shard, whose tasks its cores share.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lsp_evalplus.bench.remote.driver import CHUNK_SECONDS, MOST_PROGRAMS

TASKS = 164
FILES = 104
EACH = 200
NODE_CORES = 64


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds: of the driver for each program, of a worker for each chunk, between two chunks of a scheduler."""

    driver: float
    chunk: float
    scheduled: float


def means_in(store: Path) -> list[float]:
    """The mean seconds of a program of each task in a store."""
    spent: dict[str, list[float]] = defaultdict(list)
    for segment in store.glob("*/*.jsonl"):
        for line in segment.read_text().splitlines():
            row = json.loads(line)
            if isinstance(row, list):
                spent[row[0]].append(row[3])
    return [sum(seconds) / len(seconds) for seconds in spent.values()]


def on_engine(seconds: Sequence[float], cores: int, costs: Costs) -> float:
    """The wall time with chunks from one driver, the tasks with most work first."""
    chunks: list[tuple[float, int]] = []
    for each in sorted(seconds, reverse=True):
        size = max(1, min(MOST_PROGRAMS, int(CHUNK_SECONDS / each)))
        whole, rest = divmod(EACH, size)
        sizes = [*[size] * whole, *[rest] * bool(rest)]
        chunks += [(each * one + costs.chunk, one) for one in sizes * FILES]
    free = [0.0] * min(cores, len(chunks))
    driver = 0.0
    for took, programs in chunks:
        # The driver gives a chunk out and takes its verdicts; while it is busy, cores wait.
        driver = max(driver + max(costs.scheduled, costs.driver * programs), free[0])
        heapq.heapreplace(free, driver + took)
    return max(free)


def in_shards(seconds: Sequence[float], cores: int, shards: int, costs: Costs) -> float:
    """The wall time with shards by task, on nodes that each take the next one."""
    free = [0.0] * max(1, cores // NODE_CORES)
    for index in range(shards):
        tasks = seconds[index::shards]
        programs = FILES * EACH * len(tasks)
        work = sum(tasks) * FILES * EACH + programs * costs.driver
        # A shard's own driver is one process, which feeds the cores of its node.
        took = max(work / min(NODE_CORES, cores), programs * costs.driver)
        heapq.heapreplace(free, free[0] + took)
    return max(free)


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--driver-ms", type=float, required=True, help="of the driver, for each program")
    parser.add_argument("--chunk-ms", type=float, default=11.0)
    parser.add_argument("--scheduled", type=float, default=885.0, help="chunks that a scheduler starts in a second")
    parser.add_argument("--mean-ms", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance, known = random.Random(options.seed), means_in(options.store)
    seconds = [chance.choice(known) for _ in range(TASKS)]
    scale = options.mean_ms / 1000 * TASKS / sum(seconds)
    seconds = [max(1e-4, scale * one) for one in seconds]
    costs = Costs(options.driver_ms / 1000, options.chunk_ms / 1000, 1 / options.scheduled)
    work = sum(seconds) * FILES * EACH
    print(
        f"{TASKS * FILES * EACH:,} programs, {work / 3600:.1f} core-hours, slowest task {max(seconds):.2f} s a program"
    )
    for cores in (64, 128, 256, 512, 1000, 2000):
        engine = on_engine(seconds, cores, costs)
        shards = {count: in_shards(seconds, cores, count, costs) for count in (16, 64, 164)}
        said = ", ".join(f"{count} shards {wall / 60:.1f} min" for count, wall in shards.items())
        print(f"{cores:5} cores: engine {engine / 60:.1f} min, busy {work / engine / cores:.0%}; {said}")


if __name__ == "__main__":
    main()
