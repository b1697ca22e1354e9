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

from .evaluate import Options, References, make_evaluation, make_guests, open_record
from .sample_states import Unjudged
from .selftest import check_harness
from .tested import TestedTasks
from .workers import together


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
    """Generate all samples of the plan and judge each distinct program once, if nobody has done so before.

    `store` must be open. Raises what `generate_samples` and `evaluate` raise; samples received so far are in the
    store.
    """
    record = open_record(dataset, options)
    live = Live([], {})
    known: set[tuple[str, str]] = set()
    if not options.fresh:
        record.load_tasks(task for task, problem in plan.problems.items() if problem.tests is None)
    jobs: asyncio.Queue[Unjudged | None] = asyncio.Queue()
    tested_jobs: asyncio.Queue[Unjudged | None] = asyncio.Queue()

    async def produce() -> None:
        async for answer in generate_samples(client, plan, store):
            live.answers.append(answer)
            on_change(live)
            digest = Sample(answer.task_id, answer.number, answer.solution, "").digest
            if (answer.task_id, digest) not in known:
                known.add((answer.task_id, digest))
                if (answer.task_id, digest) in record.verdicts:
                    live.verdicts[answer.task_id, digest] = record.verdicts[answer.task_id, digest]
                    on_change(live)
                    continue
                problem = plan.problems[answer.task_id]
                queue = jobs if problem.tests is None else tested_jobs
                queue.put_nowait(Unjudged(problem, digest, answer.solution, options.parts))
        jobs.put_nowait(None)
        tested_jobs.put_nowait(None)

    async def judge() -> None:
        async with make_guests(options) as guests:

            def note(task_id: str, digest: str, verdict: SampleVerdict, seconds: float) -> None:
                record.note(task_id, digest, verdict, seconds, guests.layers_off)
                live.verdicts[task_id, digest] = verdict
                on_change(live)

            references = References(dataset, options, guests)
            problems = list(plan.problems.values())
            tested = TestedTasks(guests, options.times, details=options.test_details, on_verdict=note)
            await tested.prepare(problems, options.jobs, lambda done, total: None)
            await references.prepare([one for one in problems if one.tests is None], lambda done, total: None)
            await check_harness(guests)
            evaluation = make_evaluation(guests, references, options, note)
            await together(evaluation.follow(jobs, options.jobs), tested.follow(tested_jobs, options.jobs))

    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(produce())
            group.create_task(judge())
    except* LspEvalplusError as errors:
        raise errors.exceptions[0] from None
    finally:
        record.close()
    return live
