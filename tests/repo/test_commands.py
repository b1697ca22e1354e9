"""Every subcommand that `--help` lists can be loaded, and says what it does."""

from __future__ import annotations

import click
import pytest

from lsp_evalplus.cli import COMMANDS
from lsp_evalplus.commands.group import LazyGroup


@pytest.mark.parametrize("name", COMMANDS)
def test_command_loads_and_explains_itself(name: str) -> None:
    group = LazyGroup(COMMANDS)
    context = click.Context(group, info_name="lsp-evalplus")

    command = group.get_command(context, name)

    assert command is not None
    assert "Usage: lsp-evalplus" in command.get_help(click.Context(command, info_name=name, parent=context))
    assert command.help
