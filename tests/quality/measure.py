"""How many known bugs are found, how fast and how small; what is said of correct programs; peers.

python tests/quality/measure.py                     the table of docs/finder-measured.md for the wrong sets
python tests/quality/measure.py --correct           findings on the correct sets, each to be ruled on by hand
python tests/quality/measure.py --peers             Hypothesis on the same cases
python tests/quality/measure.py --lone              without a reference: docstring examples and types only
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any
from unittest import mock

import ours
from ours import Outcome

from lsp_evalplus.fuzz.model import Budget

WRONG = ("wrong_dev", "wrong_mbpp_dev")
CORRECT = ("correct_dev", "correct_mbpp_dev")
TRIVIAL = ("int", "str", "list[int]")


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


class Bench:
    """Where the data is, how much may be used, and what has been measured."""

    def __init__(self, options: argparse.Namespace, data: Path) -> None:
        self.options = options
        self.data = data

    def run(self, name: str, seconds: float, seed: int = 0, *, lone: bool = False) -> list[Outcome]:
        path = self.data / f"{name}.jsonl"
        items = ours.read_lone_items(path, self.options.limit) if lone else ours.read_items(path, self.options.limit)
        done = 0

        def on_done() -> None:
            nonlocal done
            done += 1
            if sys.stderr.isatty():
                print(f"\r{name} {seconds:g} s {done}/{len(items)}", end="", file=sys.stderr)

        work = ours.run_items(items, Budget(seconds, None, seed), self.options.jobs, on_done=on_done)
        outcomes = asyncio.run(work)
        if self.options.out:
            self.options.out.mkdir(parents=True, exist_ok=True)
            kind = "lone-" if lone else ""
            file = self.options.out / f"{kind}{name}-{seconds:g}-{seed}.jsonl"
            file.write_text("".join(json.dumps(dataclasses.asdict(o)) + "\n" for o in outcomes), encoding="utf-8")
        return outcomes


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def share(part: int, whole: int) -> str:
    return f"{part}/{whole} ({100 * part / max(1, whole):.1f} %)"


def tell_wrong(bench: Bench) -> None:
    row("set", "budget", "found", "p50", "p95", "median length of arguments", "same for three seeds")
    row(*["---"] * 7)
    for name in WRONG:
        for seconds in bench.options.budgets:
            runs = [bench.run(name, seconds, seed) for seed in range(bench.options.seeds if seconds == 1 else 1)]
            found = [o for o in runs[0] if o.found]
            times = [o.seconds for o in found]
            sizes = [len(o.arguments) for o in found]
            row(
                name,
                f"{seconds:g} s",
                share(len(found), len(runs[0])),
                f"{1000 * percentile(times, 0.5):.0f} ms",
                f"{1000 * percentile(times, 0.95):.0f} ms",
                f"{statistics.median(sizes or [0]):g}",
                agreement(runs),
            )
            if seconds == max(bench.options.budgets):
                print("missed:", ", ".join(f"{o.identifier} ({o.reason})" for o in runs[0] if not o.found), "\n")


def agreement(runs: list[list[Outcome]]) -> str:
    """On how many cases that all runs found all runs show the same input."""
    if len(runs) < 2:
        return "–"
    shown = [{o.identifier: o.arguments for o in run if o.found} for run in runs]
    common = set.intersection(*[set(one) for one in shown])
    return share(sum(len({one[name] for one in shown}) == 1 for name in common), len(common))


def tell_correct(bench: Bench, *, lone: bool = False) -> None:
    for name in CORRECT:
        outcomes = bench.run(name, bench.options.correct_budget, lone=lone)
        found = [o for o in outcomes if o.found]
        print(f"{name}: {share(len(found), len(outcomes))} with a finding")
        for outcome in sorted(found, key=lambda o: o.identifier):
            print(f"  {outcome.identifier} {outcome.tier} {outcome.oracle}: {outcome.reason} {outcome.note}")
        for outcome in outcomes:
            if outcome.verdict == "not_checked":
                print(f"  {outcome.identifier} not checked: {outcome.reason}")


def tell_lone(bench: Bench) -> None:
    for name in WRONG:
        outcomes = bench.run(name, 1.0, lone=True)
        kinds = [o.oracle for o in outcomes if o.found]
        told = ", ".join(f"{kind} {kinds.count(kind)}" for kind in sorted(set(kinds)))
        print(f"{name} without a reference: {share(len(kinds), len(outcomes))} found ({told})")
    tell_correct(bench, lone=True)


def tell_peers(bench: Bench) -> None:
    import hypothesis
    import peer_hypothesis

    row("finder", "set", "found in 1 s", "median time to find", "median length of arguments")
    row(*["---"] * 5)
    for name in WRONG:
        results = peer_hypothesis.run_pairs(bench.data / f"{name}.jsonl", 1.0, 0, bench.options.limit)
        found = [r for r in results if "seconds" in r]
        times, sizes = [r["seconds"] for r in found], [r["size"] for r in found]
        median = f"{1000 * percentile(times, 0.5):.0f} ms"
        title = f"Hypothesis {hypothesis.__version__}"
        row(title, name, share(len(found), len(results)), median, f"{statistics.median(sizes or [0]):g}")
        if bench.options.out:
            bench.options.out.mkdir(parents=True, exist_ok=True)
            text = "".join(json.dumps(r) + "\n" for r in results)
            (bench.options.out / f"hypothesis-{name}.jsonl").write_text(text, encoding="utf-8")


def tell_throughput() -> None:
    """Tell how fast calls are made in a search that lasts, which one of a trivial function otherwise does not."""
    from lsp_evalplus.fuzz.guest.jobs.explore import run
    from lsp_evalplus.fuzz.guest.search.saturation import Saturation

    class Channel:
        inputs = 0
        seconds = 0.0

        def send(self, message: dict[str, Any]) -> None:
            self.inputs = message.get("inputs", self.inputs)

        def receive(self) -> None:
            return None

        def heartbeat(self) -> None:
            """Nobody waits for it."""

        def tell_loading(self, seconds: float) -> None:
            """Nobody waits for it."""

        def journal(self, text: str) -> None:
            del text

    def is_never_reached(*_: object) -> bool:
        return False  # A mock object would take as long as the calls.

    for kind in TRIVIAL:
        channel: Any = Channel()
        program = {"source": f"def f(x: {kind}) -> {kind}:\n    return x\n", "qualname": "f"}
        request = {"candidate": program, "reference": program, "budget": {"seconds": 1.0, "seed": 0}}
        started = time.process_time()
        with mock.patch.object(Saturation, "is_reached", is_never_reached):
            run(request, channel)
        rate = 2 * channel.inputs / (time.process_time() - started)
        print(f"throughput on a trivial function of {kind}: {rate:,.0f} calls/s of candidate and reference together")
    print()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--correct", action="store_true")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--lone", action="store_true")
    parser.add_argument("--budgets", type=float, nargs="*", default=[0.25, 1.0])
    parser.add_argument("--correct-budget", type=float, default=5.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=int, help="so many pairs of each set, evenly spread")
    parser.add_argument("--out", type=Path, help="folder for the outcomes as JSON lines")
    options = parser.parse_args()
    data = Path(os.environ.get("LSP_EVALPLUS_DATA", ""))
    if not os.environ.get("LSP_EVALPLUS_DATA") or not (data / f"{WRONG[0]}.jsonl").is_file():
        print(
            f"LSP_EVALPLUS_DATA must name a folder with {WRONG[0]}.jsonl; see docs/finder-measured.md.", file=sys.stderr
        )
        return 2
    bench = Bench(options, data)
    chosen = [
        (options.correct, tell_correct),
        (options.peers, tell_peers),
        (options.lone, tell_lone),
    ]
    if not any(wanted for wanted, _ in chosen):
        tell_throughput()
        tell_wrong(bench)
    for wanted, tell in chosen:
        if wanted:
            tell(bench)
    return 0


if __name__ == "__main__":
    sys.exit(main())
