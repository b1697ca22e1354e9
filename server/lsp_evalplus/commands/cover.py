"""``lsp-evalplus cover``: regression tests for functions that are taken to be right."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import click

from lsp_evalplus.commands.check.files import parse_target, to_shown
from lsp_evalplus.commands.check.items import Item, Request, collect_items
from lsp_evalplus.commands.check.report import without_controls
from lsp_evalplus.commands.check.run import Pools
from lsp_evalplus.commands.completion import complete_function
from lsp_evalplus.commands.failure import reports_errors
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.covering.cover import Case, Covered
from lsp_evalplus.fuzz.covering.cover import cover as cover_function
from lsp_evalplus.fuzz.errors import GuestFaultError, UserError
from lsp_evalplus.fuzz.files import read_ordinary, write_atomically
from lsp_evalplus.fuzz.model import Budget, Counterexample, FunctionTarget, Outcome, OutcomeKind
from lsp_evalplus.server.edits import calls, pytest_case, test_file
from lsp_evalplus.server.edits.model import apply_edits

_AT_FAULT, _NOTHING = 2, 5
_SHOWN_SURVIVORS = 3
_JOBS = 4


@dataclass(frozen=True, slots=True)
class _Written:
    """The tests of one function, and what there is to say about them."""

    text: str
    """The test file with them."""
    number: int
    """Cases that were added; others were there already."""


@click.command("cover", short_help="Write tests that pin down functions which are right.")
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...", shell_complete=complete_function)
@click.option(
    "--output-file",
    "-o",
    metavar="FILE",
    help="Where the tests go; '-': standard output.  [default: the module's tests]",
)
@click.option("--budget", type=float, metavar="SECONDS", help="Processor seconds of each search.  [default: 1]")
@click.option("--seed", type=int, metavar="N", help="Random seed.  [default: 0]")
@click.option("--python", metavar="PATH", help="Interpreter that runs the code.  [default: the project's own]")
@click.option("--verbose", "-v", is_flag=True, help="Name every mutant that no input tells from the function.")
@reports_errors
def cover(
    *,
    targets: tuple[str, ...],
    output_file: str | None,
    budget: float | None,
    seed: int | None,
    python: str | None,
    verbose: bool,
) -> int:
    """Write pytest tests of what functions do now: few inputs that reach their statements and kill mutants of them.

    TARGET is path.py or path.py::name. The functions are taken to be right: check them first. Exit code 0: tests were
    written, 2: the request or the environment is at fault, 5: there was nothing to write.
    """
    flags: dict[str, object] = {
        name: value for name, value in (("budget", budget), ("seed", seed), ("python", python)) if value is not None
    }
    if python and os.sep in python:
        flags["python"] = os.path.abspath(python)
    problems: list[str] = []
    items = list(_items(targets, flags, problems))
    for problem in problems:
        click.echo(f"lsp-evalplus: {problem}", err=True)
    if not items:
        return _AT_FAULT if problems else _NOTHING
    written = asyncio.run(_cover_all(items, output_file, is_verbose=verbose))
    return _AT_FAULT if problems else 0 if written else _NOTHING


def _items(targets: Iterable[str], flags: dict[str, object], problems: list[str]) -> Iterator[Item]:
    """The functions, each with itself as its reference, so that its examples, contract and instances are known."""
    for target in targets:
        path = parse_target(target)[0]
        if path.is_dir():
            raise UserError(f"{path} is a folder; name a file or a function of it, as path.py::name.")
        for item in collect_items(Request(targets=(target,), flags=flags), problems):
            if item.target is None or item.target.obstacle:
                yield item
                continue
            place = f"{path}::{item.name}"
            yield from collect_items(Request(targets=(place,), reference=place, flags=flags), problems)


async def _cover_all(items: list[Item], output: str | None, *, is_verbose: bool) -> int:
    """Cover the functions one after the other, and write; returns the number of cases that were written."""
    total = 0
    texts: dict[str, str] = {}
    async with AsyncExitStack() as stack:
        pools = Pools(stack, _JOBS)
        for item in items:
            target = item.target
            reason = item.reason if target is None or target.obstacle else ""
            if target is None or reason:
                _tell(f"{item.name}: nothing was written: {reason}.")
                continue
            if item.name.endswith(".__init__"):
                continue  # What it does shows in what the methods do.
            site = calls.call_site(target)
            if site is None or item.path is None or item.notebook is not None or not item.oracles:
                _tell(f"{item.name}: nothing was written, because it cannot be imported from a file.")
                continue
            oracle = item.oracles[0]
            budget = Budget(seconds=item.settings.budget, seed=item.settings.seed)
            place = output or str(
                test_file.test_file_for(Path(item.path).resolve(), item.root.resolve(), Path(site.import_root))
            )
            stated = _Stating(target, place)
            try:
                found = await cover_function(target, oracle, budget, await pools.get(item), accepts=stated.can_state)
            except GuestFaultError as error:
                found = Covered((), 0, 0, 0, 0, (), 0, f"the worker failed: {error}")
            if found.reason:
                _tell(f"{item.name}: nothing was written: {without_controls(found.reason)}.")
                continue
            known = texts[place] if place in texts else _read(place)
            written = stated.write(found.cases, known)
            texts[place] = written.text
            total += written.number
            if output != "-":
                _write(place, written.text)
            for line in _describe(item.name, to_shown(Path(place)), found, written.number, is_verbose=is_verbose):
                _tell(line)
    if output == "-":
        click.echo(texts.get("-", ""), nl=False)
    return total


class _Stating:
    """States cases of a function as tests in a file."""

    def __init__(self, target: FunctionTarget, place: str) -> None:
        self._target = target
        self._place = place

    def can_state(self, case: Case) -> bool:
        """Whether a test can state what the function does."""
        return pytest_case.test_case(self._target, _finding(case)) is not None

    def write(self, cases: Iterable[Case], text: str | None) -> _Written:
        """Add tests of the cases to the content of a file, None for a new one, but those that it has."""
        number = 0
        for case in cases:
            finding = _finding(case)
            stated = pytest_case.test_case(self._target, finding)
            if stated is None or (text is not None and _is_in(stated, text)):
                continue
            edit = pytest_case.add_test(self._target, finding, self._place, text)
            if edit is None:
                raise UserError(f"{self._place} is no valid Python, so no test can be added to it.")
            text = apply_edits(text or "", edit.edits)
            number += 1
        return _Written(text or "", number)


def _is_in(case: pytest_case.TestCase, text: str) -> bool:
    if case.row:
        return f"def {case.name}(" in text and case.row in text
    return "\n".join(case.body[1:]) in text


def _finding(case: Case) -> Counterexample:
    """The case in the form from which tests are written: against a candidate that does something else."""
    expected = case.outcome
    other = Outcome(OutcomeKind.CRASHED, "")
    if expected.mutated_arguments is not None:
        other = replace(expected, mutated_arguments=None)
    return Counterexample(case.arguments, case.call, other, expected)


def _describe(name: str, place: str, found: Covered, number: int, *, is_verbose: bool) -> Iterator[str]:
    done = f"wrote {count(number, 'case')} to {place}" if number else f"{place} has these cases already"
    effect = f"{found.reached} of {count(found.statements, 'statement')} reached"
    effect += f", {found.killed} of {count(found.mutants, 'mutant')} killed"
    yield f"{name}: {done}; {count(len(found.cases), 'input')} of {found.tried:,}: {effect}."
    shown = found.survivors if is_verbose else found.survivors[:_SHOWN_SURVIVORS]
    for mutant in shown:
        change = without_controls(f"{mutant.before} -> {mutant.after}")
        yield f"  not told apart, line {mutant.line}: {change}"
    if len(found.survivors) > len(shown):
        yield f"  and {len(found.survivors) - len(shown)} more; -v lists them."


def _tell(text: str) -> None:
    click.echo(f"lsp-evalplus: {text}" if not text.startswith(" ") else text, err=True)


def _read(place: str) -> str | None:
    path = Path(place)
    if place == "-" or not path.exists():
        return None
    try:
        return read_ordinary(path).decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from error


def _write(place: str, text: str) -> None:
    try:
        write_atomically(Path(place), text.encode("utf-8", "backslashreplace"), is_private=False)
    except OSError as error:
        raise UserError(f"{place} cannot be written: {error.strerror or error}.") from error
