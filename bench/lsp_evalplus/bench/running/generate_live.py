"""Judge samples while the model still generates others; the wall time is that of the slower of the two."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from lsp_evalplus.bench.generation.generate import Plan, generate_samples
from lsp_evalplus.bench.generation.generate_store import Generated, SampleStore
from lsp_evalplus.bench.judging.verdicts import SampleVerdict
from lsp_evalplus.bench.problem import Dataset
from lsp_evalplus.bench.samples.samples import Sample
from lsp_evalplus.fuzz.errors import LspEvalplusError
from lsp_evalplus.fuzz.llm.client import LlmClient

from .evaluate import Options, References, make_evaluation, make_guests
from .sample_states import Unjudged
from .selftest import check_harness


@dataclass(slots=True)
class Live:
    """Samples generated and judged so far."""

    answers: list[Generated]
    verdicts: dict[tuple[str, str], SampleVerdict]
    """By task and digest of the program."""


async def judge_while_generating(
    dataset: Dataset,
    client: LlmClient,
    plan: Plan,
    store: SampleStore,
    options: Options,
    on_change: Callable[[Live], None],
) -> Live:
    """Generate all samples of the plan and judge each distinct program once.

    `store` must be open. Raises what `generate_samples` and `evaluate` raise; samples received so far are in the
    store.
    """
    live = Live([], {})
    jobs: asyncio.Queue[Unjudged | None] = asyncio.Queue()

    async def produce() -> None:
        known: set[tuple[str, str]] = set()
        async for answer in generate_samples(client, plan, store):
            live.answers.append(answer)
            on_change(live)
            digest = Sample(answer.task_id, answer.number, answer.solution, "").digest
            if (answer.task_id, digest) not in known:
                known.add((answer.task_id, digest))
                jobs.put_nowait(Unjudged(plan.problems[answer.task_id], digest, answer.solution, options.parts))
        jobs.put_nowait(None)

    def note(task_id: str, digest: str, verdict: SampleVerdict) -> None:
        live.verdicts[task_id, digest] = verdict
        on_change(live)

    async def judge() -> None:
        async with make_guests(options) as guests:
            references = References(dataset, options, guests)
            problems = list(plan.problems.values())
            await references.prepare(problems, lambda done, total: None)
            await check_harness(guests)
            await make_evaluation(guests, references, options, note).follow(jobs, options.jobs)

    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(produce())
            group.create_task(judge())
    except* LspEvalplusError as errors:
        raise errors.exceptions[0] from None
    return live
