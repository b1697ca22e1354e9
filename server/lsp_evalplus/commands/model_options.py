"""Options for prompting a model, shared by ``generate`` and ``bench --model``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from lsp_evalplus.commands.finite import FiniteFloatRange

Command = TypeVar("Command", bound=Callable[..., Any])

MODEL_OPTIONS = (
    click.option("--base-url", "--base_url", default=None, help="An OpenAI-compatible endpoint; default: OpenAI's."),
    click.option(
        "--api-key-env", default="OPENAI_API_KEY", show_default=True, help="Environment variable that holds the key."
    ),
    click.option("--n-samples", "--n_samples", "-n", type=click.IntRange(1), default=1, help="Samples of each task."),
    click.option(
        "--temperature", "-t", type=FiniteFloatRange(0), help="Default: 0 for one sample of each task, 0.8 for more."
    ),
    click.option("--greedy", is_flag=True, help="One sample at temperature 0."),
    click.option(
        "--style",
        type=click.Choice(["chat", "prefill", "completion"]),
        default="chat",
        show_default=True,
        help="chat: instruction and prompt; prefill: also the start of the answer; completion: the bare prompt.",
    ),
    click.option(
        "--max-tokens",
        "--max_new_tokens",
        type=click.IntRange(1),
        default=768,
        show_default=True,
        help="The longest answer.",
    ),
    click.option(
        "--concurrency", "-c", type=click.IntRange(1), default=16, show_default=True, help="Requests at once."
    ),
    click.option("--batch-size", "--bs", "batch", type=click.IntRange(1), default=1, help="Samples in one request."),
    click.option("--seed", type=int, help="Ask for sample i of a task with this seed plus i."),
    click.option("--resume/--no-resume", default=True, help="Continue an earlier run, or start anew."),
    click.option(
        "--request-seconds",
        type=FiniteFloatRange(0.1),
        default=120.0,
        show_default=True,
        help="The longest wait for an answer.",
    ),
    click.option(
        "--price-in",
        type=FiniteFloatRange(0),
        help="Price of a million prompt tokens, for the summary and NAME.usage.json.",
    ),
    click.option(
        "--price-out",
        type=FiniteFloatRange(0),
        help="Price of a million tokens of answers, for the summary and NAME.usage.json.",
    ),
)
"""The options common to `generate` and `bench --model`."""


def model_options(command: Command) -> Command:
    """Add the options for prompting a model."""
    for option in reversed(MODEL_OPTIONS):
        command = option(command)
    return command


@click.command()
@model_options
def _asked() -> None:
    """A command that has these options only."""


MODEL_OPTION_NAMES = frozenset(option.name for option in _asked.params)
"""Their names among the parameters of a command."""
