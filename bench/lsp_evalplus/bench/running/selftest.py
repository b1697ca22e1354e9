"""The self-test before a run: guests on this machine distinguish right programs from wrong ones."""

from __future__ import annotations

from lsp_evalplus.bench.judging.expected import ExpectedPart, PartOutputs
from lsp_evalplus.bench.judging.part_judge import PartJudge
from lsp_evalplus.bench.judging.verdicts import Rule, Status
from lsp_evalplus.bench.problem import Family, Part, Problem
from lsp_evalplus.fuzz.errors import WorkerError

from .guest_client import Guests
from .program_judge import REFERENCE_LIMITS, judge_program

_HARNESS_TASK = Problem(
    task_id="self-test",
    prompt="def total(numbers, start):\n",
    entry_point="total",
    canonical_solution="    return [sum(numbers, start), str(start), {start: 0.5}]\n",
    contract="",
    base_inputs=[([1, 2, 3], 4), ([], -1)],
    plus_inputs=[([10**30], 0)],
    atol=0.0,
    family=Family.CUSTOM,
)
_HARNESS_OUTPUTS = {
    Part.BASE: PartOutputs(['[10,"4",{"d":[4,0.5]}]', '[-1,"-1",{"d":[-1,0.5]}]']),
    Part.PLUS: PartOutputs([f'[{{"i":"{hex(10**30)}"}},"0",{{"d":[0,0.5]}}]']),
}
_HARNESS_WRONG = (
    "def total(numbers, start):\n    return None\n",
    "def total(numbers, start):\n    return [sum(numbers, start) + (len(numbers) == 1), str(start), {start: 0.5}]\n",
    "raise ValueError\n",
)


async def check_harness(guests: Guests) -> None:
    """Check that a right program passes and wrong ones fail, unless these guests have been checked.

    Raises `WorkerError` otherwise, because then no verdict can be trusted.
    """
    if guests.has_passed_test:
        return
    for source in (_HARNESS_TASK.reference, *_HARNESS_WRONG):
        should_pass = source == _HARNESS_TASK.reference
        judges = [
            PartJudge(ExpectedPart(_HARNESS_TASK, part, outputs), details=False)
            for part, outputs in _HARNESS_OUTPUTS.items()
        ]
        ended = await judge_program(guests, _HARNESS_TASK, source, REFERENCE_LIMITS, judges)
        verdicts = [judge.verdicts()[rule] for judge in judges for rule in Rule]
        if all(verdict.status is Status.PASS for verdict in verdicts) is not should_pass:
            said = next((verdict.failures[0].actual for verdict in verdicts if verdict.failures), "it passed")
            raise WorkerError(
                f"the self-test failed: a {'right' if should_pass else 'wrong'} program was not judged so ({said}; "
                f"guest: {ended.kind if ended else 'none'}). Guests do not work on this machine and nothing was "
                "evaluated; `lsp-evalplus doctor` says more."
            )
    guests.has_passed_test = True
