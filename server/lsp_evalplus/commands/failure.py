"""Failures of commands, reported in one sentence."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import IO, Any, ParamSpec, TypeVar

import click

from lsp_evalplus.fuzz.errors import LspEvalplusError

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Failed(click.ClickException):
    """One sentence on stderr and exit code 2."""

    exit_code = 2


class Stopped(click.ClickException):
    """Interruption by the user: one sentence on stderr on how to continue, and exit code 130."""

    exit_code = 130

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the sentence without the prefix of an error."""
        click.echo(f"Stopped; {self.message}", file=file, err=file is None)


def reports_errors(command: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Convert the exceptions that this project raises on purpose to one sentence and exit code 2."""

    @functools.wraps(command)
    def wrapper(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return command(*args, **kwargs)
        except LspEvalplusError as error:
            raise Failed(str(error)) from error

    return wrapper
