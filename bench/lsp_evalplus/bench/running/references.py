"""Reference outputs of a data set: computed once and reduced to what judging needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsp_evalplus.bench.judging.expected import (
    SLOW_SECONDS,
    ExpectedPart,
    LargeOutput,
    PartOutputs,
    TaskOutputs,
    find_incomparable,
    output_of_digest,
    to_output,
)
from lsp_evalplus.bench.judging.part_judge import Answer, Ended
from lsp_evalplus.bench.problem import Part, Problem
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.host.run import EndingKind

from .guest_client import Guests
from .program_judge import REFERENCE_LIMITS, collect, values_of_reference
from .statefulness import may_remember


async def outputs_of_reference(guests: Guests, problem: Problem) -> TaskOutputs:
    """Run the reference of a task on its inputs, in one process for both parts where no call leaves state behind.

    Raises `UserError` when the system kills it again and again.
    """
    places = [(part, index) for part in Part for index in range(len(problem.inputs(part)))]
    if places and not may_remember(problem.reference):
        answers, ended = await collect(
            guests, problem, problem.reference, REFERENCE_LIMITS, places, whole_values=False, in_server=True
        )
        # Otherwise it ended before its last input, and what it does on the others is found out by part.
        if len(answers) == len(places):
            found: dict[Part, PartOutputs] = {}
            for part in Part:
                own = [answer for answer in answers if answer.part is part]
                found[part] = await _to_outputs(guests, problem, part, own, ended)
            return found
    return {part: await _outputs_by_part(guests, problem, part) for part in Part}


async def _outputs_by_part(guests: Guests, problem: Problem, part: Part) -> PartOutputs:
    count = len(problem.inputs(part))
    if not count:
        return PartOutputs([])
    places = [(part, index) for index in range(count)]
    answers, ended = await collect(guests, problem, problem.reference, REFERENCE_LIMITS, places, whole_values=False)
    if len(answers) < count:
        # What it is said to fail on is kept for good, and judges nobody: the machine may have been at fault.
        rest = places[len(answers) :]
        more, ended = await collect(guests, problem, problem.reference, REFERENCE_LIMITS, rest, whole_values=False)
        answers += more
    return await _to_outputs(guests, problem, part, answers, ended)


async def _to_outputs(
    guests: Guests, problem: Problem, part: Part, answers: Sequence[Answer], ended: Ended
) -> PartOutputs:
    count = len(problem.inputs(part))
    if not count:
        return PartOutputs([])
    if len(answers) < count and ended.kind == EndingKind.MEMORY:
        # Without these inputs, wrong programs would pass, and their verdicts would be kept.
        raise UserError(
            f"the reference of {problem.task_id} was killed by the system again and again, most likely for want of "
            "memory; let this process use more."
        )
    outputs: list[str | LargeOutput] = [""] * count
    failed = dict.fromkeys(range(count), ended.refusal or ended.text)
    for answer in await _with_facts(guests, problem, answers):
        anonymous = find_incomparable(answer.value) if answer.value is not None else None
        if anonymous is not None:
            failed[answer.index] = f"returned {anonymous}, which cannot be compared"
        elif (output := _output_of(answer)) is not None:
            outputs[answer.index] = output
            del failed[answer.index]
        else:
            failed[answer.index] = answer.text or "gave no value when it was run again"
    slow = {answer.index: answer.seconds for answer in answers if answer.seconds > SLOW_SECONDS}
    seconds = sum(answer.seconds for answer in answers)
    found = PartOutputs(outputs, failed, slow, max(seconds, ended.cpu_seconds or 0.0))
    return replace(found, numbers=ExpectedPart(problem, part, found).numbers)


async def _with_facts(guests: Guests, problem: Problem, answers: Sequence[Answer]) -> list[Answer]:
    """The same answers, with whole values requested again where a digest lacks information that is kept."""
    incomplete = [one for one in answers if one.digest is not None and output_of_digest(one.digest) is None]
    places = [(one.part, one.index) for one in incomplete]
    whole = {one.index: one for one in await values_of_reference(guests, problem, places)}
    return [whole.get(one.index, one) for one in answers]


def _output_of(answer: Answer) -> str | LargeOutput | None:
    if answer.value is not None:
        return to_output(answer.value)
    return None if answer.digest is None else output_of_digest(answer.digest)
