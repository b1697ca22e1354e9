"""What each rule set of the search pays: bugs found and false findings without it, processor time, lines.

::

    python tests/quality/ablation.py                                  every rule set
    python tests/quality/ablation.py --only 'prose*' --limit 60       some of them, on 60 pairs of each set

A rule set is taken out of a copy of the guest, in which neutral functions stand in place of its own (`rule_sets`); the
host starts that copy. Budgets are counted in calls, so that nothing but the processor time depends on the machine.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import dataclasses
import fnmatch
import os
import random
import resource
import sys
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest import mock

import ours
import standard_library
from rule_sets import RULE_SETS, RuleSet, copy_without, lines_of

from lsp_evalplus.commands.check.items import Item
from lsp_evalplus.fuzz.config.settings import Settings
from lsp_evalplus.fuzz.host.backend import guest_folder
from lsp_evalplus.fuzz.model import Budget, OracleKind, Verdict
from lsp_evalplus.fuzz.oracle.ladder import oracles_for
from lsp_evalplus.fuzz.oracle.previous import PreviousVersion
from lsp_evalplus.fuzz.oracle.reference import oracle_of
from lsp_evalplus.fuzz.source.discover import read_module

sys.path.insert(0, str(Path(__file__).parents[1]))
from conftest import read_cases

WRONG = ("wrong_dev", "wrong_mbpp_dev")
CORRECT = ("correct_dev", "correct_mbpp_dev")
CASES = ("../cases/pairs/precision.txt", "cases/bugs.txt", "cases/equal.txt")
MODULES = ("colorsys", "textwrap", "shlex", "fnmatch", "posixpath", "heapq", "statistics", "email.utils")
_STARTS = ("lsp_evalplus.fuzz.host.zygote", "lsp_evalplus.fuzz.host.spawn", "lsp_evalplus.fuzz.host.reading")
"""Modules of the host that ask where the guest is."""

Counts = dict[str, int]


@contextmanager
def guest_without(rules: RuleSet) -> Generator[None]:
    """Start guests from a copy without a rule set."""
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        folder = Path(place, "guest")
        copy_without(rules, folder)
        for module in _STARTS:
            stack.enter_context(mock.patch(f"{module}.guest_folder", return_value=str(folder)))
        yield


def read_library(change: Callable[[ast.FunctionDef, random.Random], bool], limit: int | None) -> list[Item]:
    """Changed functions of the standard library, judged by what they were."""
    items: list[Item] = []
    for name in MODULES:
        older = standard_library.source_of(name)
        tree = ast.parse(older)
        path = Path(f"copy_of_{name.replace('.', '_')}.py")
        changed = standard_library.change_functions(path.name, tree, change)
        module = read_module(ast.unparse(tree) + "\n")
        previous = PreviousVersion(ast.unparse(ast.parse(older)) + "\n", "older version")
        for function in sorted(changed & set(module.definitions)):
            target = module.target(function)
            if target.obstacle is not None:
                continue
            oracles = oracles_for(target, module, None, Settings(), previous=previous)
            chosen = tuple(one for one in oracles if one.kind is OracleKind.PREVIOUS)
            if chosen:
                items.append(Item(None, function, f"{name}.{function}", target, chosen))
    return ours.spread(items, limit)


def read_stated() -> dict[str, tuple[Item, Verdict]]:
    """The cases of the test suite whose reference judges, with their verdicts."""
    found: dict[str, tuple[Item, Verdict]] = {}
    for file in CASES:
        for case in read_cases(Path(__file__).parent / file):
            usual = Verdict.DIFFERS if file.endswith("bugs.txt") else Verdict.AGREES
            verdict = Verdict(case.expected.get("verdict", usual))
            name, module = case.expected.get("name", "f"), read_module(case.reference)
            oracle = oracle_of(
                module, module.target(name), OracleKind(case.expected.get("oracle", "reference")), "reference"
            )
            identifier = f"{Path(file).stem}: {case.name}"
            target = read_module(case.candidate).target(name)
            found[identifier] = Item(None, name, identifier, target, (oracle,)), verdict
    return found


class Corpus:
    """The programs that every row is measured on, read once."""

    def __init__(self, data: Path, limit: int | None) -> None:
        stated = read_stated()
        self._verdicts = {name: verdict for name, (_, verdict) in stated.items()}
        self.groups: dict[str, list[Item]] = {
            **{name: ours.read_items(data / f"{name}.jsonl", limit) for name in (*WRONG, *CORRECT)},
            "mistakes": read_library(standard_library.mistake, limit),
            "rewritten": read_library(standard_library.rewrite, limit),
            "stated cases": ours.spread([item for item, _ in stated.values()], limit),
        }

    def is_counted(self, group: str, outcome: ours.Outcome) -> bool:
        """Whether an outcome counts in its group: a finding, or a verdict other than the stated one."""
        if group == "stated cases":
            return outcome.verdict != self._verdicts[outcome.identifier]
        return outcome.found


@dataclasses.dataclass(frozen=True)
class Row:
    """Results without one rule set."""

    counted: Mapping[str, frozenset[str]]
    """By group of programs, the names of those that count."""
    seconds: float
    """Processor time of all guests."""


def measure(rules: RuleSet, corpus: Corpus, options: argparse.Namespace) -> Row:
    """Check all programs without one rule set."""
    budget = Budget(options.seconds, options.calls, options.seed)
    started = _children_seconds()
    counted: dict[str, frozenset[str]] = {}
    with guest_without(rules):
        for group, items in corpus.groups.items():
            work = ours.run_items(items, budget, options.jobs, disabled=rules.disabled, on_done=lambda: None)
            outcomes = asyncio.run(work)
            counted[group] = frozenset(one.identifier for one in outcomes if corpus.is_counted(group, one))
    return Row(counted, _children_seconds() - started)


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table_head(corpus: Corpus) -> Iterator[str]:
    cells = [f"{group} ({len(items)})" for group, items in corpus.groups.items()]
    yield " | ".join(["| without", *cells, "processor time", "lines |"])
    yield "|" + "---|" * (len(cells) + 3)


def table_row(rules: RuleSet, row: Row, baseline: Row, lines: int) -> str:
    """Format one row, with the numbers that changed in each direction in brackets."""
    cells = [f"{len(names)}{_changes(names, baseline.counted[group])}" for group, names in row.counted.items()]
    ratio = f"{row.seconds / max(baseline.seconds, 1e-9):.2f}"
    return " | ".join([f"| {rules.name}", *cells, ratio, f"{lines or '–'} |"])


def _changes(names: frozenset[str], before: frozenset[str]) -> str:
    more, fewer = len(names - before), len(before - names)
    told = [f"{sign}{count}" for sign, count in (("+", more), ("-", fewer)) if count]
    return f" ({', '.join(told)})" if told else ""


def chosen_sets(patterns: Iterable[str]) -> Sequence[RuleSet]:
    """The rule sets whose names match one of the patterns; all without a pattern."""
    patterns = list(patterns)
    return [one for one in RULE_SETS if not patterns or any(fnmatch.fnmatch(one.name, p) for p in patterns)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], metavar="PATTERN", help="names of rule sets, with wildcards")
    parser.add_argument("--limit", type=int, help="at most this many programs of each set, evenly spread")
    parser.add_argument("--calls", type=int, default=1500, help="inputs of each check")
    parser.add_argument(
        "--seconds", type=float, default=4.0, help="processor time that ends a check whose calls take too long"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--names", action="store_true", help="name the programs whose verdict changed")
    options = parser.parse_args()
    rows = chosen_sets(options.only)
    data = Path(os.environ.get("LSP_EVALPLUS_DATA", ""))
    if not os.environ.get("LSP_EVALPLUS_DATA") or not (data / f"{WRONG[0]}.jsonl").is_file():
        print(
            f"LSP_EVALPLUS_DATA must name a folder with {WRONG[0]}.jsonl; see docs/finder-measured.md.", file=sys.stderr
        )
        return 2
    if not rows:
        print(f"No rule set is called {' or '.join(options.only)}.", file=sys.stderr)
        return 2
    corpus = Corpus(data, options.limit)
    for line in table_head(corpus):
        print(line, flush=True)
    nothing = RuleSet("nothing")
    baseline = measure(nothing, corpus, options)
    print(table_row(nothing, baseline, baseline, 0), flush=True)
    for rules in rows:
        row = measure(rules, corpus, options)
        print(table_row(rules, row, baseline, lines_of(rules, Path(guest_folder()))), flush=True)
        for group, names in row.counted.items() if options.names else ():
            for name in sorted(names ^ baseline.counted[group]):
                print(f"    {group}: {'+' if name in names else '-'} {name}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
