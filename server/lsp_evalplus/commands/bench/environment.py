"""``lsp-evalplus bench env``: makes and checks the environment in which a benchmark's programs run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Column

from lsp_evalplus.bench.environment.create import (
    check_environment,
    create,
    default_folder,
    describe,
    find_python,
)
from lsp_evalplus.bench.environment.lock import OPTIONAL, read_lock
from lsp_evalplus.fuzz.counts import count

_LACKS = 1
_SIZES = {True: "2.5 GB", False: "1.1 GB"}
"""With all optional parts, and without."""


def make(python: str | None, folder: Path | None, without: Sequence[str], nltk_data: Path | None) -> int:
    """Make the environment; return the exit code."""
    console = Console(stderr=True)
    place, lock = folder or default_folder(), read_lock(without)
    interpreter = find_python(python)
    size = _SIZES[not set(without) >= set(OPTIONAL)]
    console.print(f"{count(len(lock.versions), 'package')}, about {size}, for {interpreter} in {place}", soft_wrap=True)
    shown = Column(no_wrap=True, overflow="ellipsis")
    columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False, table_column=shown))
    with Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty()) as progress:
        row = progress.add_task("installing", total=None)
        create(
            interpreter,
            place.absolute(),
            lock,
            nltk_data,
            on_line=lambda line: progress.update(row, description=line),
        )
    click.echo(place / "bin" / "python")
    return 0


def check_locked(folder: Path | None, without: Sequence[str]) -> int:
    """Print what an environment lacks; return the exit code."""
    place = folder or default_folder()
    lacking = check_environment(place, read_lock(without))
    for name, version in lacking.missing.items():
        click.echo(f"{name} {version} is missing")
    for name, (version, found) in lacking.other.items():
        click.echo(f"{name} is {found}, and the lock has {version}")
    for package in lacking.data:
        click.echo(f"the data of nltk lack {package}")
    if not describe(place):
        click.echo("it has no environment.json: it was not made to its end")
    elif not (lacking.missing or lacking.other or lacking.data):
        click.echo(f"{place} is as the lock says")
        return 0
    return _LACKS
