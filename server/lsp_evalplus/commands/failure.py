"""How a command fails: in one sentence."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import click

from lsp_evalplus.fuzz.errors import LspEvalplusError

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Failed(click.ClickException):
    """One sentence on stderr and exit code 2."""

    exit_code = 2


def reports_errors(command: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Turns the exceptions that this project raises on purpose into one sentence and exit code 2."""

    @functools.wraps(command)
    def wrapper(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return command(*args, **kwargs)
        except LspEvalplusError as error:
            raise Failed(str(error)) from error

    return wrapper
