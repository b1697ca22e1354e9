"""Seed inputs from a language model, requested concurrently with the search and merged into it as they arrive.

A failure is only logged and costs nothing but the seeds.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from lsp_evalplus.fuzz.engine.check import check
from lsp_evalplus.fuzz.errors import LspEvalplusError
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Run
from lsp_evalplus.fuzz.model import ArgumentsText, Budget, FunctionTarget, Oracle, Report, Verdict
from lsp_evalplus.fuzz.seeds.calls import reader_for

from .answers import SCHEMA, read_inputs
from .budget import AnswerCache, Ledger
from .client import LlmClient, Question
from .prompts import SeedPrompt, build_seed_prompts

logger = logging.getLogger(__name__)

MAX_SEEDS = 200
"""Maximum number of inputs from a model for one check."""
LATE_SHARE = 0.3
"""Share of the budget for seeds that arrive after the end of the search."""


@dataclass(frozen=True, slots=True)
class SeedOptions:
    """Options of seed requests."""

    requests: int = 3
    """Requests for one function: one for each instruction of the paper."""
    count: int = 20
    """Inputs per request."""
    temperature: float | None = 1.0
    max_tokens: int = 1500
    structured: bool = False
    """Request JSON by a schema; falls back to plain text if the endpoint does not support it."""
    stream: bool = True


class LlmSeeds:
    """Requests inputs of functions from one endpoint."""

    def __init__(
        self, client: LlmClient, options: SeedOptions, *, cache: AnswerCache | None = None, ledger: Ledger | None = None
    ) -> None:
        self._client, self._options, self._cache, self._ledger = client, options, cache, ledger
        self._noted = client.usage

    async def __aenter__(self) -> LlmSeeds:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def propose(
        self, target: FunctionTarget, oracle: Oracle | None, examples: Sequence[ArgumentsText] = ()
    ) -> AsyncIterator[ArgumentsText]:
        """Yield distinct inputs as they arrive; stop silently if the endpoint fails or a daily limit is reached.

        The inputs are literals that fit the signature; the guest decides whether they are valid.
        """
        prompts = build_seed_prompts(target, oracle, examples, count=self._options.count)
        arrivals: asyncio.Queue[ArgumentsText | None] = asyncio.Queue()
        work = asyncio.create_task(self._ask_all(prompts[: self._options.requests], target, arrivals))
        seen: set[ArgumentsText] = set()
        try:
            while len(seen) < MAX_SEEDS and (text := await arrivals.get()) is not None:
                if text not in seen:
                    seen.add(text)
                    yield text
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)

    async def _ask_all(
        self, prompts: Sequence[SeedPrompt], target: FunctionTarget, arrivals: asyncio.Queue[ArgumentsText | None]
    ) -> None:
        try:
            await asyncio.gather(*(self._ask(prompt, target, arrivals) for prompt in prompts))
        except LspEvalplusError as error:
            logger.info("no seeds from the language model: %s", error)
        finally:
            arrivals.put_nowait(None)

    async def _ask(
        self, prompt: SeedPrompt, target: FunctionTarget, arrivals: asyncio.Queue[ArgumentsText | None]
    ) -> None:
        model = self._client.endpoint.model
        known = self._cache.get(model, prompt) if self._cache is not None else None
        refusal = self._ledger.why_not() if self._ledger is not None and known is None else None
        if refusal is not None:
            logger.info("no seeds from the language model: %s", refusal)
            return
        if known is not None:
            for text in known:
                arrivals.put_nowait(text)
            return
        found: list[ArgumentsText] = []
        try:
            async for text in self._inputs(prompt, target):
                found.append(text)
                arrivals.put_nowait(text)
        finally:
            self._note_usage()
        if self._cache is not None and found:
            self._cache.put(model, prompt, found)

    def _note_usage(self) -> None:
        """Add the usage of all requests since the last call to the ledger."""
        used, self._noted = self._client.usage - self._noted, self._client.usage
        if self._ledger is not None:
            self._ledger.add(used)

    async def _inputs(self, prompt: SeedPrompt, target: FunctionTarget) -> AsyncIterator[ArgumentsText]:
        """Yield the inputs in an answer; line by line while it is streamed."""
        reader = reader_for(target)
        question = self._question(prompt)
        if not self._options.stream or question.schema is not None:
            reply = await self._client.ask(question)
            for choice in reply.choices:
                for text in read_inputs(choice.text, reader):
                    yield text
            return
        answer, seen = "", set[ArgumentsText]()
        async for piece in self._client.stream(question):
            answer += piece
            if "\n" in piece:
                whole = answer[: answer.rindex("\n")]
                for text in read_inputs(whole, reader):
                    if text not in seen:
                        seen.add(text)
                        yield text
        for text in read_inputs(answer, reader):
            if text not in seen:
                yield text

    def _question(self, prompt: SeedPrompt) -> Question:
        options = self._options
        return Question(
            messages=prompt.messages,
            temperature=options.temperature,
            max_tokens=options.max_tokens,
            schema=SCHEMA if options.structured else None,
        )


async def check_with_llm(
    target: FunctionTarget,
    oracle: Oracle,
    budget: Budget,
    pool: GuestPool,
    source: LlmSeeds,
    *,
    seeds: Sequence[ArgumentsText] = (),
    on_seed: Callable[[ArgumentsText], None] = lambda text: None,
) -> Report:
    """Like `engine.check.check`, with seeds of a model merged in as they arrive.

    The search starts immediately. If it ends without a finding before the last seeds arrive, those are tried in a short
    second search. Cancelling ends both search and requests.
    """
    runs: list[Run] = []
    late: list[ArgumentsText] = []

    async def feed() -> None:
        async for text in source.propose(target, oracle, seeds):
            on_seed(text)
            late.append(text)
            if runs:
                await runs[-1].send({"seeds": [text]})

    feeding = asyncio.create_task(feed())
    try:
        report = await check(target, oracle, budget, pool, seeds=seeds, on_run=runs.append)
        if report.verdict is not Verdict.AGREES:
            return report
        runs.clear()
        await asyncio.gather(feeding, return_exceptions=True)
        if not late:
            return report
        again = Budget(budget.seconds * LATE_SHARE, budget.calls, budget.seed)
        second = await check(target, oracle, again, pool, seeds=late)
        return second if second.verdict is Verdict.DIFFERS else report
    finally:
        feeding.cancel()
        await asyncio.gather(feeding, return_exceptions=True)
