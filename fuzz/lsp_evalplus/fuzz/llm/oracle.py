"""An oracle that a model proposes: independent implementations from the docstring alone, whose agreement decides.

After CodeT (Chen et al. 2022, dual execution agreement): no single program of the model is believed. A finding needs an
input, allowed by the contract that was proposed too, on which all implementations agree with one another and the
candidate does not. It is never told louder than as information (`server.settings`).
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from lsp_evalplus.fuzz.engine.check import check, program_request
from lsp_evalplus.fuzz.engine.replay import replay
from lsp_evalplus.fuzz.errors import LspEvalplusError
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import (
    ArgumentsText,
    Binding,
    Budget,
    Contract,
    FunctionKind,
    FunctionTarget,
    Oracle,
    OracleKind,
    Plain,
    Program,
    Report,
    Verdict,
)

from .client import LlmClient, Question
from .code import add_asserts, find_function, imports_of, stub_of
from .prompts import fence, redact

logger = logging.getLogger(__name__)

IMPLEMENTATIONS = 3
_WRITE = (
    "Write this Python function. Keep its name and signature, follow its description to the letter, and answer with "
    "one Python code block that has everything it needs."
)
_LIMIT = (
    "Which arguments does the description of this Python function allow? Answer with one Python code block that holds "
    "only assert statements about the parameters, one to a line, each of them true for every allowed call. Prefer too "
    "few to a wrong one."
)
_ALLOWED_CALLS = frozenset(
    "isinstance all any len min max abs set sorted type str int float ord range sum issubclass".split()
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a model wrote for a function it knows by signature and docstring only."""

    implementations: tuple[Program, ...]
    """Each a whole module; different from one another, with the contract as first statements."""
    contract: tuple[str, ...]
    """Assert statements about the parameters."""
    model: str


def proposal_text(target: FunctionTarget) -> str | None:
    """Returns the text that is sent about a function, or None when there is too little to go by.

    Signature and docstring with secrets taken out; never the body.
    """
    plain = target.binding is Binding.FREE and target.kind is FunctionKind.FUNCTION
    stub = stub_of(target.program.source, target.program.qualname) if plain and target.docstring else None
    return fence(redact(imports_of(target.program.source) + "\n" + stub)) if stub is not None else None


async def propose_oracle(client: LlmClient, target: FunctionTarget, count: int = IMPLEMENTATIONS) -> Proposal | None:
    """Asks for implementations and a contract.

    None when fewer than two implementations came, or the endpoint failed, which is one quiet line in the log.
    """
    text = proposal_text(target)
    if text is None:
        return None
    try:
        contract = await _ask_contract(client, target, text)
        sources = await _ask_implementations(client, target, text, count)
    except LspEvalplusError as error:
        logger.info("no oracle from the language model: %s", error)
        return None
    name = target.program.qualname
    guarded = [add_asserts(source, name, list(contract)) for source in sources]
    programs = tuple(Program(source, name) for source in guarded if source is not None)
    return Proposal(programs, contract, client.endpoint.model) if len(programs) >= 2 else None


async def _ask_implementations(client: LlmClient, target: FunctionTarget, text: str, count: int) -> list[str]:
    """Sources that differ from one another, with the parameters of the target."""
    found: dict[str, str] = {}
    wanted = [parameter.name for parameter in target.parameters]
    asked = 0
    while len(found) < count and asked < 2 * count:
        question = Question((("user", f"{_WRITE}\n\n{text}"),), n=count - len(found), temperature=0.8, max_tokens=1500)
        reply = await client.ask(question)
        asked += len(reply.choices)
        for choice in reply.choices:
            written = find_function(choice.text, target.program.qualname)
            if written is not None and [parameter.name for parameter in written.parameters] == wanted:
                found.setdefault(_essence(written.program.source), written.program.source)
    return list(found.values())[:count]


def _essence(source: str) -> str:
    """The program without comments and layout: two that are equal here are not independent."""
    return ast.unparse(ast.parse(source))


async def _ask_contract(client: LlmClient, target: FunctionTarget, text: str) -> tuple[str, ...]:
    question = Question((("user", f"{_LIMIT}\n\n{text}"),), temperature=0.0, max_tokens=800)
    reply = await client.ask(question)
    return read_contract(reply.choices[0].text, [parameter.name for parameter in target.parameters])


def read_contract(answer: str, parameters: Sequence[str]) -> tuple[str, ...]:
    """Returns the assert statements of an answer that speak of nothing but the parameters and harmless builtins."""
    found: list[str] = []
    for line in answer[:20_000].split("\n"):
        try:
            body = ast.parse(line.strip()).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if len(body) == 1 and isinstance(body[0], ast.Assert) and _is_harmless(body[0].test, set(parameters)):
            found.append(f"assert {ast.unparse(body[0].test)}")
    return tuple(dict.fromkeys(found))


def _is_harmless(test: ast.expr, parameters: set[str]) -> bool:
    nodes = list(ast.walk(test))
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    names = {node.id for node in nodes if isinstance(node, ast.Name)} - stored
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    simple = all(
        isinstance(call, ast.Attribute) or (isinstance(call, ast.Name) and call.id in _ALLOWED_CALLS) for call in calls
    )
    dunder = any(isinstance(node, ast.Attribute) and node.attr.startswith("_") for node in nodes)
    return bool(names & parameters) and names <= parameters | set(dir(builtins)) and simple and not dunder


def speaker_of(proposal: Proposal) -> Oracle:
    """Who speaks, without the implementation that is the reference at the time."""
    return Oracle(OracleKind.MODEL, f"{len(proposal.implementations)} implementations by {proposal.model}")


async def check_by_agreement(
    target: FunctionTarget,
    proposal: Proposal,
    budget: Budget,
    pool: GuestPool,
    *,
    seeds: Sequence[ArgumentsText] = (),
    contract: Contract | None = None,
) -> Report:
    """Looks for an input on which all implementations agree with one another and not with `target`.

    Each implementation in turn is the reference of a search with its share of the budget; where its counterexample does
    not convince the others, the next is asked. `contract` is the target's own, which bounds the inputs too.
    """
    count = len(proposal.implementations)
    share = dataclasses.replace(budget, seconds=budget.seconds / count)
    reports: list[Report] = []
    speaker = speaker_of(proposal)
    for reference in proposal.implementations:
        oracle = dataclasses.replace(speaker, reference=reference, contract=contract)
        report = await check(target, oracle, share, pool, seeds=seeds)
        found = report.counterexample
        if report.verdict is Verdict.DIFFERS and found is not None:
            agreeing = await _count_agreeing(found.arguments, reference, proposal, pool)
            if agreeing == count:
                note = f"{agreeing} of {count} independent implementations disagree with this"
                counterexample = dataclasses.replace(found, note=note)
                return dataclasses.replace(report, counterexample=counterexample, reason=f"{report.reason} ({note})")
        else:
            reports.append(report)
    agreed = sum(report.verdict is Verdict.AGREES for report in reports)
    if 2 * agreed > count:
        return dataclasses.replace(reports[0], reason=f"agrees with {agreed} of {count} implementations by the model")
    return Report(Verdict.NOT_CHECKED, "the implementations by the model do not agree with one another", speaker)


async def _count_agreeing(arguments: ArgumentsText, reference: Program, proposal: Proposal, pool: GuestPool) -> int:
    """How many implementations, the reference itself included, do on one input what the reference does."""
    agreeing = 1
    for other in proposal.implementations:
        if other is not reference:
            request: Plain = {
                "oracle": "reference",
                "candidate": program_request(other),
                "reference": program_request(reference),
                "examples": [],
                "seeds": [],
                "text": "",
                "budget": {"seconds": 1.0, "calls": None, "seed": 0, "distrusted": []},
            }
            replays = await replay(request, arguments, pool)
            agreeing += all(item.code == "agree" for item in replays)
    return agreeing
