"""A corrected function that a model proposes, offered only when it survives the fuzzer."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from lsp_evalplus.fuzz.discover import find_target
from lsp_evalplus.fuzz.engine import check
from lsp_evalplus.fuzz.errors import LspEvalplusError
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import ArgumentsText, Budget, Counterexample, FunctionTarget, Oracle, Report, Verdict

from .llm_client import LlmClient, Question
from .llm_code import find_function, function_node, function_text, replace_function
from .llm_prompts import fence, redact

logger = logging.getLogger(__name__)

ATTEMPTS = 3
_ASK = (
    "This Python function is wrong for at least one input. Correct it with as small a change as possible, keep its "
    "name and signature, and answer with the whole function in one Python code block."
)


@dataclass(frozen=True, slots=True)
class Fix:
    """A corrected function and how it was checked."""

    text: str
    """The function, decorators included, without indentation: it goes where the target's definition stands."""
    report: Report
    """The check it survived: its verdict is AGREES."""


def fix_prompt(target: FunctionTarget, counterexample: Counterexample) -> str | None:
    """Returns the text that is sent; None when the definition cannot be found, or holds what looks like a secret."""
    node = function_node(target.program.source, target.program.qualname)
    text = function_text(target.program.source, node) if node is not None else ""
    if node is None or redact(text) != text:
        return None
    found = f"`{counterexample.call}` gives {counterexample.candidate.text}; right is {counterexample.expected.text}."
    return f"{_ASK}\n\n{fence(text)}\n\n{redact(found)}"


async def propose_fix(
    client: LlmClient,
    target: FunctionTarget,
    oracle: Oracle,
    counterexample: Counterexample,
    budget: Budget,
    pool: GuestPool,
    *,
    seeds: Sequence[ArgumentsText] = (),
) -> Fix | None:
    """Asks for a correction and gives the first one on which the fuzzer finds nothing, or None.

    The oracle, with the whole budget, must agree with it, the counterexample and `seeds` first. A failing endpoint is
    one quiet line in the log.
    """
    prompt = fix_prompt(target, counterexample)
    if prompt is None:
        return None
    tried: set[str] = set()
    for attempt in range(ATTEMPTS):
        question = Question((("user", prompt),), temperature=0.0 if attempt == 0 else 0.8, max_tokens=2000)
        try:
            reply = await client.ask(question)
        except LspEvalplusError as error:
            logger.info("no fix from the language model: %s", error)
            return None
        text = _read_fix(reply.choices[0].text, target)
        if text is not None and text not in tried:
            tried.add(text)
            fix = await try_fix(text, target, oracle, budget, pool, seeds=[counterexample.arguments, *seeds])
            if fix is not None:
                return fix
    return None


async def try_fix(
    text: str,
    target: FunctionTarget,
    oracle: Oracle,
    budget: Budget,
    pool: GuestPool,
    *,
    seeds: Sequence[ArgumentsText] = (),
) -> Fix | None:
    """Returns the fix when the fuzzer finds nothing on the target with `text` in its place, else None."""
    source = replace_function(target.program.source, target.program.qualname, text)
    if source is None:
        return None
    try:
        fixed = find_target(source, target.program.qualname)
    except LspEvalplusError:
        return None
    if fixed.obstacle is not None:
        return None
    program = dataclasses.replace(target.program, source=fixed.program.source, qualname=fixed.program.qualname)
    fixed = dataclasses.replace(fixed, program=program)
    report = await check(fixed, oracle, budget, pool, seeds=seeds)
    return Fix(text, report) if report.verdict is Verdict.AGREES and report.inputs > 0 else None


def _read_fix(answer: str, target: FunctionTarget) -> str | None:
    """The corrected function alone, when it has the target's parameters."""
    name = target.program.qualname.rpartition(".")[2]
    written = find_function(answer, name)
    if written is None:
        return None
    node = function_node(written.program.source, written.program.qualname)
    same = [item.name for item in written.parameters] == [item.name for item in target.parameters]
    return function_text(written.program.source, node) if node is not None and same else None
