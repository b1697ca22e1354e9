"""The work of ``lsp-evalplus bench data --check``: static and dynamic checks of a data set."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

import click

from lsp_evalplus.bench.datasets import load_dataset
from lsp_evalplus.bench.lint.lint import Flaw, find_static_flaws, to_json_line
from lsp_evalplus.bench.lint.lint_run import find_dynamic_flaws
from lsp_evalplus.bench.problem import Dataset
from lsp_evalplus.bench.results.tables import TableFormat
from lsp_evalplus.bench.running.guest_client import GuestProfile, Guests
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.pages.table import Table

from .options import MEMORY_BYTES, default_jobs, interpreter_of
from .run import Display

_SHOWN = 6


def check_data(
    *,
    dataset: str,
    mini: bool,
    noextreme: bool,
    everything: bool,
    static: bool,
    jobs: int | None,
    python: str | None,
    as_json: bool,
    form: str | None = None,
) -> int:
    """Print the flaws of a data set; return the exit code, 1 when one is certain."""
    data = load_dataset(dataset, mini=mini, noextreme=noextreme)
    flaws = list(find_static_flaws(data))
    if not static:
        click.echo(f"running the references and contracts of {count(len(data.problems), 'task')} ...", err=True)
        flaws += asyncio.run(_run(data, jobs or default_jobs(), python))
    order = {task: place for place, task in enumerate(data.problems)}
    flaws.sort(key=lambda flaw: (order[flaw.task_id], flaw.part or "", -1 if flaw.index is None else flaw.index))
    certain = [flaw for flaw in flaws if flaw.is_certain]
    listed = flaws if everything else certain
    if form is not None:
        Display(TableFormat(form)).table(_table(data, listed))
    else:
        for line in _lines(listed, as_json=as_json, everything=everything):
            click.echo(line)
    click.echo(_summary(data, flaws), err=True)
    return 1 if certain else 0


async def _run(data: Dataset, jobs: int, python: str | None) -> Sequence[Flaw]:
    interpreter = interpreter_of(python or sys.executable)
    async with Guests(interpreter, GuestProfile(Confinement(memory_bytes=MEMORY_BYTES)), size=jobs) as guests:
        return await find_dynamic_flaws(data, guests, jobs)


def _lines(flaws: Sequence[Flaw], *, as_json: bool, everything: bool) -> list[str]:
    if as_json:
        return [to_json_line(flaw) for flaw in flaws]
    lines: list[str] = []
    seen: dict[tuple[str, str], int] = {}
    for flaw in flaws:
        key = (flaw.task_id, flaw.kind)
        seen[key] = seen.get(key, 0) + 1
        if everything or seen[key] <= _SHOWN:
            lines.append(str(flaw))
    more = {key: number - _SHOWN for key, number in seen.items() if number > _SHOWN and not everything}
    return lines + [
        f"{task}: {count(number, 'more flaw')} of kind {kind}; --all lists all" for (task, kind), number in more.items()
    ]


def _table(data: Dataset, flaws: Sequence[Flaw]) -> Table:
    rows = [
        [flaw.task_id, flaw.part or "", "" if flaw.index is None else str(flaw.index), flaw.kind, flaw.text]
        for flaw in flaws
    ]
    return Table(f"{data.name} {data.version}: flaws", ["task", "part", "input", "kind", "flaw"], rows)


def _summary(data: Dataset, flaws: Sequence[Flaw]) -> str:
    certain = [flaw for flaw in flaws if flaw.is_certain]
    tasks = len({flaw.task_id for flaw in certain})
    rest: dict[str, int] = {}
    for flaw in flaws:
        if not flaw.is_certain:
            rest[flaw.kind] = rest.get(flaw.kind, 0) + 1
    doubtful = ", ".join(f"{number} of kind {kind}" for kind, number in sorted(rest.items())) or "none"
    return (
        f"{data.name} {data.version}: {count(len(certain), 'flaw')} in {tasks} of {count(len(data.problems), 'task')}; "
        f"to look at with --all: {doubtful}."
    )
