"""The options of ``bench`` under headings in its help."""

from __future__ import annotations

import click
from click.testing import CliRunner

from lsp_evalplus.commands.bench.command import SECTIONS, bench


def test_every_option_stands_under_one_heading() -> None:
    names = [name for listed in SECTIONS.values() for name in listed]

    assert sorted(names) == sorted(option.name or "" for option in bench.params)


def test_help_lists_every_option_once_below_its_heading() -> None:
    lines = CliRunner().invoke(bench, ["--help"], terminal_width=100).output.splitlines()
    starts = {
        line.removesuffix(":"): number for number, line in enumerate(lines) if line.endswith(":") and line[0] != " "
    }
    ends = {heading: min(n for n in (*starts.values(), len(lines)) if n > start) for heading, start in starts.items()}
    shown = {
        heading: [line.split() for line in lines[start : ends[heading]] if line.startswith("  -")]
        for heading, start in starts.items()
    }

    assert [*starts] == [*SECTIONS, "Options", "Commands"]
    for heading, names in SECTIONS.items():
        options = {option.name: option for option in bench.params if isinstance(option, click.Option)}
        flags = {flag for name in names for flag in (*options[name].opts, *options[name].secondary_opts)}
        words = {word.rstrip(",") for line in shown[heading] for word in line if word.startswith("-")}
        assert flags <= words | {flag for flag in flags if flag.startswith("--no_")}
        assert len(shown[heading]) == len(names)
