"""Generation of samples with a model: concurrent, stored as they arrive, resumable after interruption."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lsp_evalplus.bench.problem import Problem
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.llm.client import LlmClient, LlmError, Question
from lsp_evalplus.fuzz.llm.replies import Usage

from .generate_store import Generated, SampleStore
from .prompts import Prompt, Style, build_prompt, cut_at_stop

FAILURES_IN_A_ROW = 5
"""Consecutive failures, each after all retries, after which an endpoint counts as out of service."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The samples to generate."""

    problems: Mapping[str, Problem]
    n_samples: int = 1
    style: Style = Style.CHAT
    temperature: float | None = 0.0
    """None uses the endpoint's default."""
    max_tokens: int | None = 768
    seed: int | None = None
    """Sample i of a task is requested with this plus i; None sends no seed."""
    batch: int = 1
    """Samples per request; endpoints that return fewer are asked again."""
    concurrency: int = 16


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts and usage of a generation."""

    samples: int
    resumed: int
    without_function: int
    cut_short: int
    """Answers that ended at the token limit."""
    usage: Usage

    def sentence(self, price_in: float | None = None, price_out: float | None = None) -> str:
        """A one-sentence summary for the user; prices are per million tokens."""
        used = self.usage
        text = (
            f"{count(self.samples, 'sample')} ({self.resumed} from an earlier run), {count(used.requests, 'request')}, "
            f"{used.prompt_tokens} + {used.completion_tokens} tokens"
        )
        if price_in is not None or price_out is not None:
            text += f", cost {used.cost(price_in or 0.0, price_out or 0.0):.4f}"
        text += f"; {self.without_function} without the requested function, {self.cut_short} cut short by --max-tokens."
        return text


async def generate_samples(client: LlmClient, plan: Plan, store: SampleStore) -> AsyncGenerator[Generated]:
    """Yield every sample of the plan once, those of an earlier run first, the others as they arrive.

    `store` must be open. Raises `UserError` for problems the user must fix, and `LlmError` at the end when some
    samples could not be generated; received samples are in the store, and the same plan continues from it.
    """
    known = store.known
    wanted = {(task, number) for task in plan.problems for number in range(plan.n_samples)}
    for key, answer in known.items():
        if key in wanted:
            yield answer
    units = list(_missing(plan, known))
    arrivals: asyncio.Queue[Generated | None] = asyncio.Queue()
    work = asyncio.create_task(_work(client, plan, store, units, arrivals))
    try:
        while (answer := await arrivals.get()) is not None:
            yield answer
        await work
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


def summarize(answers: Sequence[Generated], usage: Usage) -> Summary:
    """Compute the counts of a generation."""
    return Summary(
        samples=len(answers),
        resumed=sum(answer.resumed for answer in answers),
        without_function=sum(not answer.found for answer in answers),
        cut_short=sum(answer.finish == "length" for answer in answers),
        usage=usage,
    )


def _missing(plan: Plan, known: Mapping[tuple[str, int], Generated]) -> Iterator[tuple[str, list[int]]]:
    """Yield the missing samples as a task and the sample numbers of one request."""
    for task in plan.problems:
        numbers = [number for number in range(plan.n_samples) if (task, number) not in known]
        for start in range(0, len(numbers), plan.batch):
            yield task, numbers[start : start + plan.batch]


async def _work(
    client: LlmClient,
    plan: Plan,
    store: SampleStore,
    units: Sequence[tuple[str, list[int]]],
    arrivals: asyncio.Queue[Generated | None],
) -> None:
    pending = iter(units)
    failures: list[str] = []
    in_a_row = 0

    def keep(task: str, number: int, text: str, finish: str) -> None:
        arrivals.put_nowait(store.add(task, number, text, finish))

    async def worker() -> None:
        nonlocal in_a_row
        for task, numbers in pending:
            try:
                await _ask(client, plan, plan.problems[task], numbers, keep)
                in_a_row = 0
            except LlmError as error:
                failures.append(f"{task}: {error}")
                in_a_row += 1
            if in_a_row >= FAILURES_IN_A_ROW:
                return

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(plan.concurrency):
                group.create_task(worker())
    except* (UserError, OSError) as errors:
        raise errors.exceptions[0] from None
    finally:
        arrivals.put_nowait(None)
    if failures:
        last = failures[-1].rstrip(".")
        raise LlmError(
            f"{count(len(failures), 'request')} failed, the last with: {last}. What came is kept in {store.raw_path}; "
            "the same command continues."
        )


async def _ask(
    client: LlmClient, plan: Plan, problem: Problem, numbers: Sequence[int], keep: Callable[[str, int, str, str], None]
) -> None:
    """Repeat requests until there is an answer for each number."""
    prompt = build_prompt(problem, plan.style)
    left = list(numbers)
    while left:
        reply = await client.ask(_to_question(plan, prompt, left))
        for number, choice in zip(list(left), reply.choices):
            text = cut_at_stop(choice.text, prompt.stop) if prompt.stop else choice.text
            keep(problem.task_id, number, text, choice.finish)
            left.remove(number)


def _to_question(plan: Plan, prompt: Prompt, numbers: Sequence[int]) -> Question:
    return Question(
        messages=prompt.messages,
        prompt=prompt.text,
        n=len(numbers),
        temperature=plan.temperature,
        max_tokens=plan.max_tokens,
        stop=prompt.stop,
        seed=None if plan.seed is None else plan.seed + numbers[0],
        continues=plan.style is Style.PREFILL,
    )
