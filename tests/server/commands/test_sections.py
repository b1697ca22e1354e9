"""The options of ``bench`` and ``check`` under headings in their help."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from lsp_evalplus.commands.bench.command import bench
from lsp_evalplus.commands.check.command import check
from lsp_evalplus.commands.sections import SectionedCommand, SectionedGroup

COMMANDS = pytest.mark.parametrize("command", [bench, check], ids=["bench", "check"])


@COMMANDS
def test_every_option_stands_under_one_heading(command: SectionedCommand | SectionedGroup) -> None:
    names = [name for listed in command.sections.values() for name in listed]

    assert sorted(names) == sorted(one.name or "" for one in command.params if isinstance(one, click.Option))


@COMMANDS
def test_help_lists_every_option_once_below_its_heading(command: SectionedCommand | SectionedGroup) -> None:
    lines = CliRunner().invoke(command, ["--help"], terminal_width=100).output.splitlines()
    starts = {
        line.removesuffix(":"): number for number, line in enumerate(lines) if line.endswith(":") and line[0] != " "
    }
    ends = {heading: min(n for n in (*starts.values(), len(lines)) if n > start) for heading, start in starts.items()}
    shown = {
        heading: [line.split() for line in lines[start : ends[heading]] if line.startswith("  -")]
        for heading, start in starts.items()
    }

    assert [*starts] == [*command.sections, "Options", *(["Commands"] if isinstance(command, click.Group) else [])]
    for heading, names in command.sections.items():
        options = {option.name: option for option in command.params if isinstance(option, click.Option)}
        flags = {flag for name in names for flag in (*options[name].opts, *options[name].secondary_opts)}
        words = {word.rstrip(",") for line in shown[heading] for word in line if word.startswith("-")}
        assert flags <= words | {flag for flag in flags if flag.startswith("--no_")}
        assert len(shown[heading]) == len(names)
