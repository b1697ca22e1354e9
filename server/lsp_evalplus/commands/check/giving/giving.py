"""What is to be done with findings: read off the options, validated before the check, done after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import click

from lsp_evalplus.commands.check.run import Checked
from lsp_evalplus.fuzz.errors import UserError

from .corrections import write_correction
from .dialogue import Dialogue, check_terminal
from .examples import write_example
from .guests import Guests
from .sources import NotWrittenError, Sources, Subject, Written

_Write = Callable[[Subject, Sources, Guests], Written]


@dataclass(frozen=True, slots=True)
class Giving:
    """The request to change source files by findings."""

    example: bool = False
    fix: bool = False
    interactive: bool = False
    revision: str | None = None
    """The base of ``--diff``, whose versions can be restored; None: the last commit."""

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> Self:
        """Read and validate the options.

        Raises:
            UserError: nothing could be written, or nobody could be asked.
        """
        for name in ("example", "fix", "interactive"):
            if options[name] and options["staged"]:
                raise UserError(f"--{name}: --staged checks text that may be in no file; leave one of the two out.")
            if options[name] and options["pairs"] is not None:
                raise UserError(f"--{name}: the functions of --pairs are in no file; leave one of the two out.")
        if options["interactive"]:
            check_terminal(options)
        return cls(options["example"], options["fix"], options["interactive"], options["revision"])

    def give(self, findings: Sequence[Checked]) -> None:
        """Change the files; tell, on standard error, what became of each finding.

        Raises:
            UserError: a file cannot be read or written.
            WorkerError: guests cannot be started.
            Stopped: the user interrupted the dialogue.
        """
        if not (findings and (self.example or self.fix or self.interactive)):
            return
        sources, ordered = Sources(), in_order(findings)
        with Guests() as guests:
            for checked in ordered if self.example else ():
                _tell(checked, "no example", write_example, sources, guests)
            for checked in ordered if self.fix else ():
                _tell(checked, "no correction", write_correction, sources, guests, shows_diff=True)
            if self.interactive:
                Dialogue(sources, guests, self.revision).hold(ordered)


def in_order(findings: Sequence[Checked]) -> list[Checked]:
    """The findings by file and line; they are found in no order."""
    return sorted(findings, key=lambda one: (one.item.path or "", one.item.line or 0))


def _tell(
    checked: Checked, what: str, write: _Write, sources: Sources, guests: Guests, *, shows_diff: bool = False
) -> None:
    try:
        written = write(sources.subject(checked), sources, guests)
    except NotWrittenError as error:
        click.echo(f"lsp-evalplus: {checked.item.name}: {what} was written, because {error}.", err=True)
        return
    click.echo(f"lsp-evalplus: {written.sentence}", err=True)
    for line in written.diff() if shows_diff else ():
        click.echo(line, err=True)
