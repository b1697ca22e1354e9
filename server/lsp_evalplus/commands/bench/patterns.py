"""Files that ``bench`` is given by name or by pattern."""

from __future__ import annotations

import glob
from pathlib import Path

import click


def to_files(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[Path, ...]:
    """Resolve patterns, for shells that do not and for quoted ones; the order is that of the names."""
    return tuple(dict.fromkeys(to_all_files(context, parameter, value)))


def to_all_files(_context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[Path, ...]:
    """Resolve patterns, and keep a file that is named twice."""
    return tuple(path for text in value for path in _matches(text, parameter))


def _matches(text: str, parameter: click.Parameter) -> list[Path]:
    """Return the files that a name or a pattern means; what is written beside a data set has to be named."""
    if not glob.has_magic(text) or Path(text).exists():
        return [Path(text)]
    from lsp_evalplus.bench.datasets.written import is_beside

    found = [Path(name) for name in sorted(glob.glob(text))]
    beside = [path for path in found if is_beside(path)]
    kept = [path for path in found if path not in beside]
    if beside:
        names = ", ".join(map(str, beside))
        click.echo(f"lsp-evalplus: {text} fits {names} too, left out: written beside a data set, no samples.", err=True)
    if not kept:
        raise click.BadParameter(f"no file fits {text}", param=parameter)
    return kept
