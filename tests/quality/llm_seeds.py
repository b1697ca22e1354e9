"""What recorded seeds of a model are worth: replayed through the loopback server, with and without the search.

::

    python tests/quality/llm_seeds.py --pairs wrong_dev.jsonl --seeds chatgpt_seeds.jsonl.gz --budget 1

For each pair: the search alone, the search with the model's seeds merged in as they arrive, the search with the seeds
given to it at once (as those of an earlier run are), and the seeds alone (each replayed in a fresh process). Prints one
line of figures for each, how much sooner given seeds are on the pairs which the seeds alone find, and the pairs that
only the seeds found. Wall times hold the model's answer, which is instant here; of a real model add its seconds to
what only its seeds find.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import importlib.util
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsp_evalplus.commands.check.items import Item
from lsp_evalplus.commands.check.pairs import read_pairs
from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.engine.check import check
from lsp_evalplus.fuzz.engine.confirming.replay import replay
from lsp_evalplus.fuzz.engine.requests import program_request
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.llm.client import Endpoint, LlmClient
from lsp_evalplus.fuzz.llm.seeds import LlmSeeds, SeedOptions, check_with_llm
from lsp_evalplus.fuzz.model import Budget, FunctionTarget, Oracle, Verdict


def load_loopback() -> Any:
    """The loopback server of the tests."""
    path = Path(__file__).parents[1] / "loopback" / "server.py"
    spec = importlib.util.spec_from_file_location("loopback_server", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["loopback_server"] = module
    spec.loader.exec_module(module)
    return module


def read_seeds(path: Path) -> dict[str, list[Any]]:
    """Inputs by task."""
    with gzip.open(path, "rt") as file:
        return {record["task_id"]: record["inputs"] for record in map(json.loads, file)}


def answerer(pairs: Sequence[dict[str, Any]], seeds: dict[str, list[Any]]) -> Callable[[dict[str, Any]], list[str]]:
    """Answers as the model did: the inputs of the task whose function the prompt is about, ten for each question."""
    entries = {pair["entry_point"]: pair["task_id"] for pair in pairs}

    def answer(body: dict[str, Any]) -> list[str]:
        asked = body["messages"][-1]["content"]
        name = asked.partition("one call of `")[2].partition("`")[0]
        place = next(
            (number for number, word in enumerate(("complex", "corner", "difficult")) if f"write {word}" in asked), 0
        )
        inputs = seeds.get(entries.get(name, ""), [])[place * 10 : place * 10 + 10]
        return ["```python\n" + "\n".join(f"{name}({', '.join(map(repr, item))})" for item in inputs) + "\n```"]

    return answer


@dataclass(frozen=True)
class Row:
    """One pair: whether and in how many wall seconds each way found a difference."""

    name: str
    search: tuple[bool, float]
    merged: tuple[bool, float]
    given: tuple[bool, float]
    seeds: tuple[bool, float]
    valid: tuple[int, int]
    """Seeds that contract and reference accept, and all."""


async def measure(items: Sequence[Item], budget: float, base_url: str, jobs: int) -> list[Row]:
    """The three ways for every pair."""
    interpreter = find_interpreter(sys.executable, Path.cwd())
    client = LlmClient(Endpoint("recorded", base_url, "none", request_seconds=10))
    gate = asyncio.Semaphore(jobs)
    async with LlmSeeds(client, SeedOptions()) as source, GuestPool(interpreter, Confinement(), size=jobs) as pool:

        async def one(item: Item) -> Row:
            async with gate:
                return await _measure_one(item, Budget(budget), source, pool)

        return await asyncio.gather(*(one(item) for item in items))


async def _measure_one(item: Item, budget: Budget, source: LlmSeeds, pool: GuestPool) -> Row:
    assert item.target is not None
    oracle = item.oracles[0]
    start = time.perf_counter()
    alone = await check(item.target, oracle, budget, pool)
    middle = time.perf_counter()
    merged = await check_with_llm(item.target, oracle, budget, pool, source)
    after = time.perf_counter()
    texts = [text async for text in source.propose(item.target, oracle)]
    before = time.perf_counter()
    given = await check(item.target, oracle, budget, pool, seeds=texts)
    done = time.perf_counter()
    codes = await _judge_seeds(item.target, oracle, texts, pool)
    differs = [report.verdict is Verdict.DIFFERS for report in (alone, merged, given)]
    return Row(
        item.identifier or item.name,
        (differs[0], middle - start),
        (differs[1], after - middle),
        (differs[2], done - before),
        ("differ" in codes, 0.0),
        (sum(code in ("agree", "differ") for code in codes), len(codes)),
    )


async def _judge_seeds(target: FunctionTarget, oracle: Oracle, texts: Sequence[str], pool: GuestPool) -> list[str]:
    assert oracle.reference is not None
    request = {
        "oracle": "reference",
        "candidate": program_request(target.program),
        "reference": program_request(oracle.reference),
        "examples": [],
        "seeds": [],
        "text": target.docstring or "",
        "budget": {"seconds": 1.0, "calls": None, "seed": 0, "distrusted": []},
    }
    replays = [await replay(request, text, pool, hash_seeds=(0,)) for text in texts]
    return [items[0].code for items in replays]


def _describe_gain(rows: Sequence[Row]) -> str:
    """How the wall time of a check changes on pairs that the search and the seeds alone both find."""
    pairs = [(row.search[1], row.given[1]) for row in rows if row.search[0] and row.given[0] and row.seeds[0]]
    ratio = statistics.median(given / search for search, given in pairs)
    search, given = (statistics.median(pair[place] for pair in pairs) for place in (0, 1))
    sooner = sum(given < search for search, given in pairs)
    return (
        f"of {len(pairs)} pairs that the seeds find: search {search:.3f} s, with seeds given {given:.3f} s (medians), "
        f"ratio {ratio:.2f}, sooner in {sooner}"
    )


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--seeds", type=Path, required=True)
    parser.add_argument("--budget", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    pairs = [json.loads(line) for line in options.pairs.read_text().splitlines() if line.strip()]
    items = [item for item in read_pairs(str(options.pairs), Settings()) if isinstance(item, Item) and item.oracles]
    seeds = read_seeds(options.seeds)
    with load_loopback().Loopback(answerer(pairs, seeds)).running() as server:
        rows = asyncio.run(measure(items, options.budget, server.base_url, options.jobs))
        asked = len(server.requests)
    valid, proposed = (sum(row.valid[place] for row in rows) for place in (0, 1))
    print(f"{len(rows)} pairs, {asked} questions, {valid} of {proposed} inputs valid, budget {options.budget:g} s")
    for name in ("search", "merged", "given"):
        times = sorted(getattr(row, name)[1] for row in rows if getattr(row, name)[0])
        late = times[int(len(times) * 0.9)]
        print(f"{name:7} found {len(times):4}  median {statistics.median(times):.3f} s  9 of 10 within {late:.3f} s")
    print(f"seeds   found {sum(row.seeds[0] for row in rows):4}")
    print(_describe_gain(rows))
    for row in rows:
        if not row.search[0] or not row.merged[0]:
            print(f"  {row.name}: search {row.search[0]}, merged {row.merged[0]}, seeds alone {row.seeds[0]}")


if __name__ == "__main__":
    main()
