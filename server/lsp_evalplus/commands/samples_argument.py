"""The samples of ``sanitize`` and ``syncheck``: an argument, or ``--samples`` as of ``bench`` and evalplus."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


def samples_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add both spellings to a command, which gets one path, `samples`."""

    @functools.wraps(command)
    def with_samples(*arguments: Any, samples: Path | None, samples_option: Path | None, **options: Any) -> Any:
        if (samples is None) == (samples_option is None):
            raise click.UsageError("name the samples once, as SAMPLES or with --samples.")
        return command(*arguments, samples=samples or samples_option, **options)

    path = click.Path(path_type=Path)
    named = click.option("--samples", "-s", "samples_option", type=path, metavar="PATH", help="The same as SAMPLES.")
    return click.argument("samples", type=path, required=False)(named(with_samples))
