"""What is to be done with findings: read off the options, validated before the check, done after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from lsp_evalplus.commands.check.run import Checked
from lsp_evalplus.fuzz.errors import UserError

from .examples import write_example
from .guests import Guests
from .sources import NotWrittenError, Sources


@dataclass(frozen=True, slots=True)
class Giving:
    """The request to change source files by findings."""

    example: bool

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> Self:
        """Read and validate the options.

        Raises:
            UserError: nothing could be written.
        """
        giving = cls(example=options["example"])
        if giving.example and options["staged"]:
            raise UserError("--example: --staged checks text that may be in no file; leave one of the two out.")
        if giving.example and options["pairs"] is not None:
            raise UserError("--example: the functions of --pairs are in no file; leave one of the two out.")
        return giving

    def give(self, findings: Sequence[Checked]) -> Iterator[str]:
        """Change the files and yield a sentence about each finding.

        Raises:
            UserError: a file cannot be read or written.
            WorkerError: guests cannot be started.
        """
        if not (self.example and findings):
            return
        sources = Sources()
        with Guests() as guests:
            for checked in in_order(findings):
                try:
                    yield write_example(sources.subject(checked), sources, guests).sentence
                except NotWrittenError as error:
                    yield f"{checked.item.name}: no example was written, because {error}."


def in_order(findings: Sequence[Checked]) -> list[Checked]:
    """The findings by file and line; they are found in no order."""
    return sorted(findings, key=lambda one: (one.item.path or "", one.item.line or 0))
