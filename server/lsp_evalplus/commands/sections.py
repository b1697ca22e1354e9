"""Options of a command under headings in its ``--help``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click


class SectionedCommand(click.Command):
    """A command whose ``--help`` lists its options by `sections`: heading -> names of parameters; others as Options."""

    def __init__(self, *arguments: Any, sections: Mapping[str, Iterable[str]], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.sections = {heading: tuple(names) for heading, names in sections.items()}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section for each heading, in the order of the declarations."""
        headings = {name: heading for heading, names in self.sections.items() for name in names}
        rows: dict[str, list[tuple[str, str]]] = {heading: [] for heading in (*self.sections, "Options")}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            if row is not None and isinstance(parameter, click.Option):
                rows[headings.get(parameter.name or "", "Options")].append(row)
        for heading, listed in rows.items():
            if listed:
                with formatter.section(heading):
                    formatter.write_dl(listed)


class SectionedGroup(SectionedCommand, click.Group):
    """A group whose ``--help`` lists its options by `sections`, before its subcommands."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections and the subcommands."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)
