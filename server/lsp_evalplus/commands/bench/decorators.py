"""Options that several subcommands of ``bench`` have, or that belong together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

FORMATS = ("rich", "markdown", "latex", "csv", "json", "html")
set_option = click.option(
    "--set", "chosen", metavar="NAME", help="Of a file with results on several sets of tasks, the one to take."
)
models_option = click.option(
    "--models",
    type=click.Path(path_type=Path),
    help="JSON object of what is known of each run (link, size, date), as in published leaderboards.",
)
format_option = click.option(
    "--format", "form", type=click.Choice(FORMATS), default="rich", show_default=True, help="Form of the tables."
)
mini_option = click.option("--mini", is_flag=True, help="The small version of HumanEval+.")
noextreme_option = click.option("--noextreme", "--no-extreme", is_flag=True, help="The version without extreme inputs.")
jobs_option = click.option(
    "--jobs", "--parallel", "-j", type=click.IntRange(1), default=None, help="Processes at a time; default: all cores."
)
shard_option = click.option(
    "--shard",
    metavar="INDEX/COUNT|auto",
    help="Do one part of the tasks: 0/4 to 3/4 are all of them; the same command without it puts them together. auto "
    "asks Slurm, AWS Batch or Kubernetes.",
)
python_option = click.option("--python", default=None, help="Interpreter that runs the code; default: this tool's.")


def store_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the verdict store."""
    for option in reversed(
        (
            click.option(
                "--store",
                type=click.Path(path_type=Path, file_okay=False),
                help="Folder of the verdict store; default: beside the results, and in the user's cache.",
            ),
            click.option("--no-store", is_flag=True, help="Judge everything, and keep no verdict."),
            click.option(
                "--recheck",
                type=click.Choice(["timeouts"]),
                help="Judge again what ran out of time before.",
            ),
        )
    ):
        command = option(command)
    return command


def bigcodebench_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that only ``--dataset bigcodebench`` has."""
    for option in reversed(
        (
            click.option(
                "--split",
                type=click.Choice(["complete", "instruct"]),
                help="Prompts that the samples answer; default: by the name of the file, else complete.",
            ),
            click.option(
                "--subset",
                type=click.Choice(["full", "hard"]),
                help="All tasks or the 148 of Hard; default: by the name of the file, else full.",
            ),
            click.option(
                "--data-version",
                type=click.Choice([f"v0.1.{number}" for number in range(6)]),
                default="v0.1.4",
                show_default=True,
                help="Version of the tasks.",
            ),
            click.option(
                "--calibrated/--no-calibrated",
                default=True,
                show_default=True,
                help="Put the task's imports and constants in front of each sample.",
            ),
            click.option(
                "--check-gt-only",
                "--check_gt_only",
                is_flag=True,
                help="Run the references only, and do not use kept results.",
            ),
            click.option("--no-gt", "--no_gt", is_flag=True, help="Run no references; needs --compat bigcodebench."),
            click.option(
                "--allow-broken-environment",
                is_flag=True,
                help="Score samples although more than 5 % of the references fail here.",
            ),
        )
    ):
        command = option(command)
    return command
