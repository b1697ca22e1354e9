"""Program repair by a model: fixes are offered only if the fuzzer finds no difference."""

from __future__ import annotations

import ast
import dataclasses
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from lsp_evalplus.fuzz.engine.check import check
from lsp_evalplus.fuzz.errors import LspEvalplusError
from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import ArgumentsText, Budget, Counterexample, FunctionTarget, Oracle, Report, Verdict
from lsp_evalplus.fuzz.source.discover import find_target
from lsp_evalplus.fuzz.source.leading_asserts import leading_asserts
from lsp_evalplus.fuzz.source.scopes import FunctionNode

from .client import LlmClient, Question
from .code import find_function, function_node, function_text, replace_function, with_body_of
from .prompts import fence, redact

logger = logging.getLogger(__name__)

ATTEMPTS = 3
_ASK = (
    "This Python function is wrong for at least one input. Correct it with as small a change as possible, keep its "
    "name and signature, and answer with the whole function in one Python code block."
)


@dataclass(frozen=True, slots=True)
class Fix:
    """A corrected function and the result of its check."""

    text: str
    """The dedented function, decorators included, to replace the target's definition."""
    report: Report
    """The check it passed; its verdict is AGREES."""


def fix_prompt(target: FunctionTarget, counterexample: Counterexample) -> str | None:
    """Return the prompt; None if the definition cannot be found, or may contain a secret."""
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
    others: Sequence[Oracle] = (),
) -> Fix | None:
    """Ask for corrections and return the first one on which the fuzzer finds nothing, or None.

    Only the body is taken from the model: signature, decorators, docstring and leading asserts are kept. It must agree
    with `oracle`, with the whole budget and starting with the counterexample and `seeds`, and with `others`. A failing
    endpoint is only logged.
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
            first = [*counterexample.own_inputs, *seeds]
            fix = await try_fix(text, target, oracle, budget, pool, seeds=first, others=others)
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
    others: Sequence[Oracle] = (),
) -> Fix | None:
    """Return the fix if the fuzzer finds nothing on the target replaced by `text`, else None."""
    fixed = _fixed_target(text, target)
    if fixed is None:
        return None
    report = await check(fixed, moved_oracle(oracle, fixed), budget, pool, seeds=seeds)
    if report.verdict is not Verdict.AGREES or not report.inputs:
        return None
    for other in others:
        if (await check(fixed, moved_oracle(other, fixed), budget, pool, seeds=seeds)).verdict is Verdict.DIFFERS:
            return None
    return Fix(text, report)


def _fixed_target(text: str, target: FunctionTarget) -> FunctionTarget | None:
    source = replace_function(target.program.source, target.program.qualname, text)
    if source is None:
        return None
    try:
        fixed = find_target(source, target.program.qualname)
    except LspEvalplusError:
        return None
    if fixed.lack is not None:
        return None
    program = dataclasses.replace(target.program, source=fixed.program.source, qualname=fixed.program.qualname)
    return dataclasses.replace(fixed, program=program)


def moved_oracle(oracle: Oracle, fixed: FunctionTarget) -> Oracle:
    """Adjust the oracle to the line numbers of the fixed function's leading asserts."""
    contract = oracle.contract
    node = function_node(fixed.program.source, fixed.program.qualname)
    if contract is None or contract.leading_asserts is None or node is None:
        return oracle
    return dataclasses.replace(oracle, contract=dataclasses.replace(contract, leading_asserts=leading_asserts(node)))


def _read_fix(answer: str, target: FunctionTarget) -> str | None:
    """Return the target with the body from the answer; None if parameters or preconditions differ."""
    source, qualname = target.program.source, target.program.qualname
    node = function_node(source, qualname)
    written = find_function(answer, qualname.rpartition(".")[2]) or find_function(answer, qualname)
    other = function_node(written.program.source, written.program.qualname) if written is not None else None
    if node is None or written is None or other is None:
        return None
    if parameter_names(node) != parameter_names(other) or preconditions_of(node) != preconditions_of(other):
        return None
    return with_body_of(source, node, written.program.source, other)


def parameter_names(node: FunctionNode) -> list[str]:
    """Return the names of all parameters."""
    return [part.arg for part in walk_tree(node.args) if isinstance(part, ast.arg)]


def preconditions_of(node: FunctionNode) -> list[str]:
    """Return the leading asserts of a function; a fix that adds one would make the counterexample invalid."""
    first, last = leading_asserts(node)
    return [ast.unparse(statement) for statement in node.body if first <= statement.lineno <= last]
