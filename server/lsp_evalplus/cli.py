"""The command line. Each subcommand is imported when it is run; ``--version`` imports nothing at all.

Exit codes: 0 no finding, 1 findings, 2 the request or the environment is at fault, 70 a bug of ours, 130 interrupted.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Sequence

EXIT_USAGE = 2
EXIT_BUG = 70
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141

_BETWEEN_COLLECTIONS = 100_000
"""New objects from one garbage collection to the next: modules and syntax trees are many objects without cycles."""

COMMANDS = {
    "check": ("lsp_evalplus.commands.check.command:check", "Look for inputs on which functions are wrong."),
    "cover": ("lsp_evalplus.commands.cover:cover", "Write tests of functions that are right, so that they stay so."),
    "serve": ("lsp_evalplus.commands.serve:serve", "Run the language server (standard input and output by default)."),
    "bench": (
        "lsp_evalplus.commands.bench.command:bench",
        "Score samples of a model on HumanEval+, MBPP+, BigCodeBench or your own tasks.",
    ),
    "seeds": ("lsp_evalplus.commands.seeds:seeds", "Ask a language model for inputs, or see what it would be asked."),
    "generate": ("lsp_evalplus.commands.generate:generate", "Ask a model for samples of a data set."),
    "sanitize": ("lsp_evalplus.commands.sanitize:sanitize", "Cut the code out of raw model output."),
    "syncheck": ("lsp_evalplus.commands.syncheck:syncheck", "Say which samples are missing or do not compile."),
    "explain": ("lsp_evalplus.commands.explain:explain", "Say what a finding's code means, and what to do."),
    "doctor": ("lsp_evalplus.commands.doctor:doctor", "Say what works on this machine, and what does not."),
    "proxy": (
        "lsp_evalplus.commands.proxy:proxy",
        "Notice accepted completions, between an editor and its completion server.",
    ),
    "completion": ("lsp_evalplus.commands.completion:completion", "Print the script that completes in your shell."),
    "mcp": ("lsp_evalplus.commands.agents.mcp:mcp", "Serve checks as tools to AI agents (Model Context Protocol)."),
    "hook": ("lsp_evalplus.commands.agents.hook:hook", "Check what a coding agent has just edited."),
}
"""Name -> where the command is, and its line in ``--help``, which is thus printed without importing it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give the exit code."""
    # A stream that was closed before we began is None, and whoever asks it whether it is a terminal would fail.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character must not end the program.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given in (["--version"], ["-V"]):
        print(f"lsp-evalplus {find_version()}")  # noqa: T201 - the fast path does without click
        return 0
    try:
        return _run(given)
    except OSError as error:
        # Whoever read our output is gone, or there is no room; the interpreter must not complain about that at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BROKEN_PIPE if isinstance(error, BrokenPipeError) else EXIT_USAGE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def find_version() -> str:
    """The installed version of this distribution."""
    from importlib.metadata import version

    return version("lsp-evalplus")


def _run(arguments: list[str]) -> int:
    gc.set_threshold(_BETWEEN_COLLECTIONS)
    from lsp_evalplus.commands.group import run_group
    from lsp_evalplus.fuzz.guest.static.deep_reading import deep_reading

    with deep_reading():
        return run_group(COMMANDS, arguments)
