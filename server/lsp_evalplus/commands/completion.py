"""``lsp-evalplus completion``: the script that makes a shell complete commands, options, files and functions."""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path
from typing import Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    ShellComplete,
    add_completion_class,
    get_completion_class,
)

PROGRAM = "lsp-evalplus"
VARIABLE = "_LSP_EVALPLUS_COMPLETE"
"""Set by the scripts when they ask for completions."""


@click.command("completion", short_help="Print the script that completes commands in your shell.")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script for SHELL, which completes commands, options, files and functions (path.py::name).

    \b
    bash: eval "$(lsp-evalplus completion bash)"          in ~/.bashrc
    zsh:  eval "$(lsp-evalplus completion zsh)"           in ~/.zshrc, after compinit
    fish: lsp-evalplus completion fish | source           in ~/.config/fish/config.fish
    """
    register_shells()
    found = get_completion_class(shell)
    assert found is not None
    # Not `source`: for bash it starts another process to ask for the version.
    click.echo(ShellComplete.source(found(context.find_root().command, {}, PROGRAM, VARIABLE)))


def complete_function(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Complete ``path.py::name``: the path by the shell itself, the name by the functions of that file."""
    path, colons, name = incomplete.partition("::")
    if not colons:
        return [CompletionItem(incomplete, type="file")]
    return [CompletionItem(f"{path}::{found}") for found in _functions_in(Path(path)) if found.startswith(name)]


def _functions_in(path: Path) -> list[str]:
    """The functions and methods of a file in its order; none if it cannot be read or parsed."""
    try:
        tree = ast.parse(path.expanduser().read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return list(_names_in(tree.body, ""))


def _names_in(body: list[ast.stmt], prefix: str) -> list[str]:
    names: list[str] = []
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names.append(prefix + node.name)
        elif isinstance(node, ast.ClassDef):
            names += _names_in(node.body, f"{prefix}{node.name}.")
    return list(dict.fromkeys(names))


class _Bash(BashComplete):
    """Bash splits words at colons, and replaces only what stands behind the last one."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the cursor and the one at it, as they were typed."""
        words = os.environ["COMP_WORDS"].split("\n")
        last = int(os.environ["COMP_CWORD"])
        joined: list[str] = []
        continues = False
        for word in [*words[1:last], words[last] if last < len(words) else ""]:
            is_colon = bool(word) and not word.strip(":")
            if joined and (is_colon or continues):
                joined[-1] += word
            else:
                joined.append(word)
            continues = is_colon
        return joined[:-1], joined[-1]

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """The completion without what bash keeps."""
        return f"{item.type},{item.value.rpartition('::')[2]}"

    # One word a line: words with spaces stay whole.
    source_template = BashComplete.source_template.replace(
        'COMP_WORDS="${COMP_WORDS[*]}"', '''COMP_WORDS="$(printf '%%s\\n' "${COMP_WORDS[@]}")"'''
    )


def register_shells() -> None:
    """Let click use the completion of bash above; zsh and fish pass words as they are."""
    if sys.platform != "win32":
        add_completion_class(_Bash)
