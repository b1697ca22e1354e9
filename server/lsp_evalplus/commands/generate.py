"""``lsp-evalplus generate``: samples of a model, stored as they arrive."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lsp_evalplus.commands.failure import Stopped, reports_errors
from lsp_evalplus.commands.finite import split_items
from lsp_evalplus.commands.model_options import model_options
from lsp_evalplus.fuzz.errors import UserError

if TYPE_CHECKING:
    from lsp_evalplus.bench.generation.generate import Plan, Summary
    from lsp_evalplus.bench.generation.generate_store import Generated, SampleStore
    from lsp_evalplus.bench.problem import Dataset
    from lsp_evalplus.fuzz.llm.client import LlmClient

_SAMPLING_TEMPERATURE = 0.8
_OPENAI = "api.openai.com"


@dataclass(frozen=True, slots=True)
class Generation:
    """Everything needed for one generation."""

    client: LlmClient
    plan: Plan
    store: SampleStore
    resume: bool

    def begin(self) -> None:
        """Open the files and report existing samples."""
        self.store.open(resume=self.resume)

    def finish(self, answers: list[Generated], price_in: float | None, price_out: float | None) -> Summary:
        """Sort the files and report usage on standard error."""
        from lsp_evalplus.bench.generation.generate import summarize

        self.store.finish()
        self.note_usage(price_in, price_out)
        self.store.remove_parts()
        summary = summarize(answers, self.client.usage)
        click.echo(summary.sentence(price_in, price_out), err=True)
        return summary

    def note_usage(self, price_in: float | None, price_out: float | None) -> None:
        """Keep what this run has used, also of one that is stopped."""
        from lsp_evalplus.bench.generation.usage import add_usage

        used = self.client.usage
        has_price = price_in is not None or price_out is not None
        cost = used.cost(price_in or 0.0, price_out or 0.0) if has_price else None
        add_usage(self.store.path, used, cost, resumed=self.resume)


def prepare(dataset: Dataset, ids: tuple[str, ...], limit: int | None, options: dict[str, Any]) -> Generation:
    """Build a generation from the options of the command. Raises `UserError` for incompatible options."""
    from lsp_evalplus.bench.generation.generate import Plan
    from lsp_evalplus.bench.generation.generate_store import SampleStore
    from lsp_evalplus.bench.generation.prompts import Style
    from lsp_evalplus.bench.samples.samples import select_tasks
    from lsp_evalplus.bench.samples.shards import parse_shard
    from lsp_evalplus.fuzz.llm.client import LlmClient

    count = 1 if options["greedy"] else options["n_samples"]
    temperature = _temperature(options, count)
    style = Style(options["style"])
    path = options["output"] or default_path(dataset.name, options["model"], temperature)
    shard = parse_shard(options["shard"], os.environ) if options.get("shard") else None
    tasks = None if shard is None else shard.tasks(dataset)
    chosen = select_tasks(dataset, ids, limit)
    plan = Plan(
        {task: problem for task, problem in chosen.items() if tasks is None or task in tasks},
        count,
        style,
        temperature,
        options["max_tokens"],
        options["seed"],
        min(options["batch"], count),
        options["concurrency"],
    )
    settings = {
        "model": options["model"],
        "dataset": dataset.name,
        "dataset_sha256": dataset.sha256,
        "style": str(style),
        "temperature": temperature,
        "max_tokens": plan.max_tokens,
        "seed": plan.seed,
    }
    part = None if shard is None or tasks is None else (shard, tasks)
    store = SampleStore(path, dataset.problems, settings, completion=style is Style.COMPLETION, shard=part)
    client = LlmClient(endpoint_of(options), on_note=_NoteOnce())
    return Generation(client, plan, store, options["resume"])


def endpoint_of(options: dict[str, Any]) -> Any:
    """The endpoint given by the options. Raises `UserError` when it is OpenAI's own and there is no key."""
    from lsp_evalplus.fuzz.llm.client import Endpoint

    base_url = options["base_url"] or os.environ.get("OPENAI_BASE_URL") or None
    key = os.environ.get(options["api_key_env"], "").strip() or None
    if key is None and (base_url is None or _OPENAI in base_url):
        raise UserError(
            f"{options['api_key_env']} is not set; put the key there, or name another endpoint with --base-url."
        )
    return Endpoint(options["model"], base_url, key, options["request_seconds"])


def default_path(dataset: str, model: str, temperature: float) -> Path:
    """The path that evalplus would use: ``evalplus_results/humaneval/model_openai_temp_0.0.jsonl``."""
    name = model.strip("./").replace("/", "--").replace(":", "-")
    return Path("evalplus_results") / dataset.removesuffix(".jsonl") / f"{name}_openai_temp_{temperature}.jsonl"


def _temperature(options: dict[str, Any], count: int) -> float:
    given: float | None = options["temperature"]
    if options["greedy"]:
        if given or options["n_samples"] > 1:
            raise UserError("--greedy means one sample at temperature 0; leave out --temperature and --n-samples.")
        return 0.0
    if given == 0 and count > 1:
        raise UserError("--temperature 0 gives the same sample each time; raise it, or ask for one sample.")
    return given if given is not None else 0.0 if count == 1 else _SAMPLING_TEMPERATURE


class _NoteOnce:
    """Prints each distinct message about the endpoint once, on standard error."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def __call__(self, note: str) -> None:
        kind = note.partition(";")[0]
        if kind not in self._said:
            self._said.add(kind)
            click.echo(f"note: {note}", err=True)


@click.command("generate")
@click.option("--model", "-m", required=True, help="The model's name, as the endpoint knows it.")
@click.option("--dataset", "-d", required=True, help="humaneval, mbpp, or the path of a .jsonl file.")
@click.option("--ids", multiple=True, help="Only these tasks: HumanEval/3, 3, 0-19; separated by commas.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N tasks.")
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="File of samples.  [default: named as by evalplus]"
)
@click.option(
    "--shard",
    metavar="INDEX/COUNT|auto",
    help="Ask for one part of the tasks: 0/4 to 3/4 are all of them; the same command without it puts them together. "
    "auto asks Slurm, AWS Batch or Kubernetes.",
)
@model_options
@reports_errors
def generate(dataset: str, ids: tuple[str, ...], limit: int | None, **options: Any) -> None:
    """Ask a model for samples of a data set; the same command continues a run that was stopped.

    Raw answers are kept in NAME.raw.jsonl, the code in them in NAME.jsonl.
    """
    from lsp_evalplus.bench.datasets import load_dataset

    generation = prepare(load_dataset(dataset), split_items(ids), limit, options)
    with generation.store:
        try:
            answers = asyncio.run(_generate(generation))
        except KeyboardInterrupt:
            generation.note_usage(options["price_in"], options["price_out"])
            raise Stopped("what came is kept, and the same command continues.") from None
        generation.finish(answers, options["price_in"], options["price_out"])
    if options["shard"]:
        click.echo("When all shards are done, the same command without --shard puts them together.", err=True)
    click.echo(str(generation.store.path))


async def _generate(generation: Generation) -> list[Generated]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from lsp_evalplus.bench.generation.generate import generate_samples

    plan, store = generation.plan, generation.store
    columns = (TextColumn("generate"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    answers: list[Generated] = []
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(plan.problems) * plan.n_samples)
        generation.begin()
        async with generation.client:
            async for answer in generate_samples(generation.client, plan, store):
                answers.append(answer)
                progress.advance(task)
    return answers
