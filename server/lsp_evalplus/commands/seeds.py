"""``lsp-evalplus seeds``: the prompt for a language model about a function, the user's consent, and the answer."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lsp_evalplus.commands.completion import complete_function
from lsp_evalplus.commands.failure import reports_errors
from lsp_evalplus.fuzz.errors import UserError

if TYPE_CHECKING:
    from lsp_evalplus.fuzz.config.settings import Settings
    from lsp_evalplus.fuzz.llm.seeds import LlmSeeds
    from lsp_evalplus.fuzz.model import FunctionTarget, Oracle


@click.command("seeds")
@click.argument("target", required=False, shell_complete=complete_function)
@click.option("--model", "-m", default=None, help="The model's name, as the endpoint knows it.")
@click.option("--base-url", default=None, help="An OpenAI-compatible endpoint; default: OpenAI's.")
@click.option("--api-key-env", default=None, help="Environment variable that holds the key.")
@click.option(
    "--reference", default=None, shell_complete=complete_function, help="What is right: path.py or path.py::name."
)
@click.option("--show-prompt", is_flag=True, help="Show the exact text that would be sent; send nothing.")
@click.option("--allow", is_flag=True, help="Allow that code of this project is sent to this endpoint, now and later.")
@click.option("--forget", is_flag=True, help="Take that back.")
@click.pass_context
@reports_errors
def seeds(context: click.Context, target: str | None, **options: Any) -> None:
    """Ask a language model for test inputs of a function (TARGET is path.py::name).

    Nothing is sent before you allowed it for the project; see docs/llm.md.
    """
    from lsp_evalplus.commands.check.files import parse_target
    from lsp_evalplus.fuzz.llm.consent import open_consents
    from lsp_evalplus.fuzz.source.project import find_project_root

    path, name = parse_target(target) if target else (Path(), None)
    root = find_project_root(path.absolute() if path.is_dir() else path.absolute().parent)
    settings = _settings(path.absolute() if path.is_dir() else path.absolute().parent, options)
    if options["forget"]:
        had = open_consents().forget(root)
        click.echo(f"Nothing of {root} will be sent any more." if had else f"There was no consent for {root}.")
        return
    if options["allow"]:
        open_consents().allow(root, settings.llm.base_url)
        click.echo(f"Code below {root} may be sent to {settings.llm.base_url or 'OpenAI'}.", err=True)
    if name is None:
        if not options["allow"]:
            raise click.UsageError("TARGET is missing; write path.py::name.")
        return
    _propose(path, name, root, settings, options)


def _settings(folder: Path, options: dict[str, Any]) -> Settings:
    from lsp_evalplus.fuzz.config.settings import Layer, load_settings

    base_url = options["base_url"] or os.environ.get("OPENAI_BASE_URL") or None
    values = {"enabled": True, "model": options["model"], "base_url": base_url, "api_key_env": options["api_key_env"]}
    return load_settings(folder, Layer("command line", {"llm": values}))


def _propose(path: Path, name: str, root: Path, settings: Settings, options: dict[str, Any]) -> None:
    from lsp_evalplus.fuzz.llm.prompts import build_seed_prompts
    from lsp_evalplus.fuzz.llm.setup import open_seeds
    from lsp_evalplus.fuzz.oracle.ladder import oracles_for
    from lsp_evalplus.fuzz.oracle.reference import read_source
    from lsp_evalplus.fuzz.source.discover import read_module

    module = read_module(read_source(path), path.absolute())
    target = module.target(name)
    oracles = oracles_for(target, module, settings=settings, reference=options["reference"])
    oracle = oracles[0] if oracles else None
    if options["show_prompt"]:
        for number, prompt in enumerate(build_seed_prompts(target, oracle), start=1):
            click.echo(f"--- request {number}, to {settings.llm.base_url or 'OpenAI'}\n{prompt.as_text()}\n")
        return
    source = open_seeds(settings.llm, root, path.absolute())
    if isinstance(source, str):
        raise UserError(f"nothing was sent: {source}.")
    found = asyncio.run(_collect(source, target, oracle))
    if not found:
        raise UserError("the model gave no inputs; --show-prompt says what it was asked, the log what went wrong.")


async def _collect(source: LlmSeeds, target: FunctionTarget, oracle: Oracle | None) -> int:
    count = 0
    name = target.program.qualname.rpartition(".")[2]
    async with source:
        async for text in source.propose(target, oracle):
            click.echo(f"{name}{text}" if text.startswith("(") else f"{name}: {text}")
            count += 1
    return count
