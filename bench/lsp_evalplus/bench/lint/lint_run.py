"""Flaws of a data set that only show when its references and contracts run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsp_evalplus.bench.judging.expected import ExpectedPart, PartOutputs, find_incomparable, to_output
from lsp_evalplus.bench.judging.part_judge import Answer, PartJudge
from lsp_evalplus.bench.judging.task_oracles import NOT_NONE_ENTRY_POINTS
from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.problem import Dataset, Part, Problem
from lsp_evalplus.bench.running.guest_client import Guests
from lsp_evalplus.bench.running.program_judge import REFERENCE_LIMITS, collect
from lsp_evalplus.bench.running.workers import run_together

from .lint import Flaw, with_contract


async def find_dynamic_flaws(dataset: Dataset, guests: Guests, workers: int) -> list[Flaw]:
    """Run every reference twice, plain and behind its contract, on all inputs.

    Flaws: the reference fails on an input or is nondeterministic; the contract rejects an input, or cannot be
    inserted into the reference. Raises `WorkerError` when guests do not work.
    """
    flaws: list[Flaw] = []
    pending = iter(dataset.problems.values())

    async def worker() -> None:
        for problem in pending:
            flaws.extend(await _flaws_of(problem, guests))

    await run_together(worker, workers)
    return flaws


async def _flaws_of(problem: Problem, guests: Guests) -> list[Flaw]:
    flaws: list[Flaw] = []
    source = with_contract(problem)
    if source is None and problem.contract.strip():
        text = "its contract cannot be put into the reference"
        flaws.append(Flaw(problem.task_id, None, None, "contract", text))
    for part in Part:
        plain = await _answers(problem, problem.reference, part, guests)
        flaws += [_reference_flaw(problem, part, answer) for answer in plain if not answer.is_value]
        anonymous = _incomparable(problem, plain)
        for index, text in anonymous.items():
            text = f"the reference returns {text}, which cannot be compared"
            flaws.append(Flaw(problem.task_id, part, index, "reference", text))
        if plain and all(not answer.is_value or answer.index in anonymous for answer in plain):
            text = f"none of its {part} inputs can be judged"
            flaws.append(Flaw(problem.task_id, None, None, "reference", text))
        if source is None:
            continue
        failed = {answer.index for answer in plain if not answer.is_value}
        guarded = await _answers(problem, source, part, guests)
        flaws += _contract_flaws(problem, part, plain, guarded, failed)
    return flaws


def _incomparable(problem: Problem, answers: Sequence[Answer]) -> dict[int, str]:
    """The inputs on which the reference returns a value without comparable content, with its repr."""
    if problem.entry_point in NOT_NONE_ENTRY_POINTS:
        return {}
    found = {answer.index: find_incomparable(answer.value) for answer in answers if answer.value is not None}
    return {index: text for index, text in found.items() if text is not None}


def _reference_flaw(problem: Problem, part: Part, answer: Answer) -> Flaw:
    return Flaw(problem.task_id, part, answer.index, "reference", f"the reference fails: {answer.text}")


def _contract_flaws(
    problem: Problem, part: Part, plain: Sequence[Answer], guarded: Sequence[Answer], failed: set[int]
) -> list[Flaw]:
    flaws: list[Flaw] = []
    good: list[int] = []
    for answer in guarded:
        if answer.index in failed:
            continue
        if answer.is_value:
            good.append(answer.index)
        else:
            text = f"the contract refuses the input: {answer.text}"
            flaws.append(Flaw(problem.task_id, part, answer.index, "contract", text))
    judge = PartJudge(_expected(problem, part, plain, set(good)), details=True)
    for answer in guarded:
        if answer.index in good and plain[answer.index].value != answer.value:
            judge.expected.learn(answer.index, plain[answer.index].value)
        if answer.index in good:
            judge.take(answer)
    for failure in judge.verdicts()[Rule.STRICT].failures:
        text = f"two runs of the reference differ, or its own value is not accepted: {failure.actual}"
        flaws.append(Flaw(problem.task_id, part, failure.index, "reference", text))
    return flaws


def _expected(problem: Problem, part: Part, answers: Sequence[Answer], good: set[int]) -> ExpectedPart:
    texts = [to_output(answer.value or "") for answer in answers]
    bad = {answer.index: "" for answer in answers if answer.index not in good}
    return ExpectedPart(problem, part, PartOutputs(texts, bad))


async def _answers(problem: Problem, source: str, part: Part, guests: Guests) -> list[Answer]:
    """One answer per input, also where the guest ended early."""
    count = len(problem.inputs(part))
    if not count:
        return []
    places = [(part, index) for index in range(count)]
    answers, ended = await collect(guests, problem, source, REFERENCE_LIMITS, places)
    missing = Answer(part, 0, text=ended.refusal or ended.text)
    return answers + [replace(missing, index=index) for index in range(len(answers), count)]
