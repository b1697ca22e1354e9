"""Programs that pass the given suite and fail the extended one on a plausible input: one smallest call each.

A kill is not yet a mistake. The engine makes the input small, replays it in fresh guests under several hash seeds and
rates how plausible it is; then all programs that pass the given suite are called on it. What is told is a wrong value
or an exception by both comparators, on an input of the kind of the base inputs. Calls that are stopped, recursions that
are too deep, roundings, and results that may be a matter of choice are not.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias, cast

from lsp_evalplus.bench.judging.expected import ExpectedPart, TaskOutputs
from lsp_evalplus.bench.judging.verdicts import Failure, Rule, SampleVerdict, Status
from lsp_evalplus.bench.lint.lint import find_type_flaws, with_contract
from lsp_evalplus.bench.problem import Dataset, Input, Part, Problem
from lsp_evalplus.bench.running.evaluate import Options, References, make_evaluation, make_guests
from lsp_evalplus.bench.running.sample_states import Unjudged
from lsp_evalplus.bench.running.selftest import check_harness
from lsp_evalplus.bench.running.workers import run_together
from lsp_evalplus.fuzz.engine.check import check
from lsp_evalplus.fuzz.guest.docstrings.preconditions import bounds_in
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import (
    Budget,
    Counterexample,
    Example,
    FunctionTarget,
    OracleKind,
    OutcomeKind,
    Tier,
    Verdict,
)
from lsp_evalplus.fuzz.oracle.reference import oracle_of
from lsp_evalplus.fuzz.source.discover import read_module

SEARCH = Budget(seconds=4.0, calls=400)
"""What a killed program is searched with, from the input that kills it; calls end it, not time."""
LIMITS_OF_THE_MACHINE = ("RecursionError", "MemoryError", "OverflowError")
"""Exceptions that say nothing of a program but how much it was given."""
MOST_DISSENTING = 0.5
"""The largest share of the programs that pass the given suite which may contradict the reference on an input: where
more do, the task leaves the result open, or the input is none that its author thought of."""
MOST_DISSENTING_ON_CHOICES = 0.1
"""The same where the two results may be a matter of choice (`is_choice`)."""
FEWEST_VOTES_ON_CHOICES = 10
_NO_OUTCOME = (
    *("no result", "ended its", "crashed", "used too", "sent, printed", "disturbed", "gave no", "was stopped"),
    "was killed",
)

ProgramKey: TypeAlias = tuple[str, str]
"""Task, and digest of the program."""
OnProgress = Callable[[str, int, int], None]
"""What is done, how much of it, and of how much; may be called many times."""


@dataclass(frozen=True, slots=True)
class Suspects:
    """Programs of models."""

    programs: Mapping[ProgramKey, str]
    """Their source code."""
    runs: Mapping[ProgramKey, Sequence[str]]
    """The names of the runs that have them."""
    known: Mapping[ProgramKey, bool]
    """Whether they pass the given suite, for those of which that is known."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A program that passes the given suite, and the smallest call on which it is wrong."""

    task_id: str
    entry_point: str
    digest: str
    runs: tuple[str, ...]
    """The runs that have it."""
    arguments: str
    """A literal: the tuple of positional arguments."""
    expected: str
    """What the reference returned."""
    actual: str
    """What the program returned, or ``raised KeyError: 'a'``."""
    dissenting: int
    """The programs that pass the given suite and contradict the reference on this input."""
    passing: int
    """The programs that pass the given suite."""
    reference: str
    solution: str

    @property
    def call(self) -> str:
        """The call as source text."""
        values = cast("tuple[Any, ...]", ast.literal_eval(self.arguments))
        return f"{self.entry_point}({', '.join(map(repr, values))})"

    def to_plain(self) -> dict[str, Any]:
        """The JSON object that is written."""
        return {
            "task_id": self.task_id,
            "runs": list(self.runs),
            "call": self.call,
            "expected": self.expected,
            "actual": self.actual,
            "dissenting": self.dissenting,
            "passing": self.passing,
            "arguments": self.arguments,
            "digest": self.digest,
            "solution": self.solution,
        }


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found, and what of it is told."""

    passing: int
    """Distinct programs that pass the given suite."""
    killed: int
    """Those of them that the extended suite kills, by any input like the base inputs."""
    mistakes: Sequence[Mistake]


async def find_mistakes(
    given: Dataset,
    extended: Dataset,
    suspects: Suspects,
    options: Options,
    searchers: GuestPool,
    on_progress: OnProgress,
) -> Findings:
    """Find suspects that pass `given` and are wrong on inputs like those of `extended`.

    Args:
        given: the data set whose suite is doubted.
        extended: the same tasks; its plus inputs are those that may kill, all of them plausible.
        suspects: the programs.
        options: how programs are judged.
        searchers: they make inputs small.
        on_progress: called while the work goes on.

    Raises:
        UserError: a reference gives nothing to judge by.
        WorkerError: guests do not work.
    """
    passing = await _find_passing(given, suspects, _Judge(options, on_progress))
    # What the references return on data sets that nobody has seen is of no use to another command.
    with TemporaryDirectory(prefix="lsp-evalplus-") as folder:
        judge = _Judge(replace(options, cache=Path(folder)), on_progress)
        killed: dict[ProgramKey, Input] = {}
        judged = await judge.run("extended", extended, passing, suspects.programs, details=False)
        for key, verdict in judged.verdicts.items():
            failed = [failure for failure in _wrong(verdict) if failure.index >= 0]
            if failed:
                killed[key] = extended.problems[key[0]].plus_inputs[failed[0].index]
        small = await _make_small(extended, suspects, killed, options.jobs, searchers, on_progress)
        voters = [key for key in passing if key[0] in small]
        trial = _with_inputs(extended, small)
        votes = await judge.run("votes", trial, voters, suspects.programs, details=True)
    mistakes = [
        mistake for task in given.problems if task in small for mistake in _told(trial.problems[task], suspects, votes)
    ]
    return Findings(len(passing), len(killed), mistakes)


class _Judge:
    """Judges programs as `bench` does, without a store; each time by new guests, which know one data set only."""

    def __init__(self, options: Options, on_progress: OnProgress) -> None:
        self._options = options
        self._on_progress = on_progress

    async def run(
        self,
        what: str,
        dataset: Dataset,
        keys: Collection[ProgramKey],
        programs: Mapping[ProgramKey, str],
        *,
        details: bool,
    ) -> Judged:
        """The verdicts on programs, base and plus, and what the references of their tasks return."""
        if not keys:
            return Judged({}, {})
        options = replace(self._options, test_details=details)
        async with make_guests(options) as guests:
            references = References(dataset, options, guests)
            tasks = {key[0] for key in keys}
            problems = [problem for task, problem in dataset.problems.items() if task in tasks]
            await references.prepare(problems, partial(self._on_progress, f"{what}: references"))
            await check_harness(guests)
            verdicts: dict[ProgramKey, SampleVerdict] = {}

            def note(task_id: str, digest: str, verdict: SampleVerdict, _seconds: float) -> None:
                verdicts[task_id, digest] = verdict
                self._on_progress(what, len(verdicts), len(keys))

            evaluation = make_evaluation(guests, references, options, note)
            parts = (Part.BASE, Part.PLUS)
            jobs = [Unjudged(dataset.problems[key[0]], key[1], programs[key], parts) for key in sorted(keys)]
            await evaluation.run(await evaluation.find_equivalent(jobs, options.jobs), options.jobs)
        return Judged(dict(sorted(verdicts.items())), {one.task_id: references.outputs(one) for one in problems})


@dataclass(frozen=True, slots=True)
class Judged:
    """Verdicts on programs, and the outputs of the references."""

    verdicts: Mapping[ProgramKey, SampleVerdict]
    outputs: Mapping[str, TaskOutputs]

    def expected(self, problem: Problem, place: int) -> str:
        """What the reference returned on a plus input, as text."""
        return ExpectedPart(problem, Part.PLUS, self.outputs[problem.task_id][Part.PLUS]).text(place)


async def _find_passing(given: Dataset, suspects: Suspects, judge: _Judge) -> list[ProgramKey]:
    """The programs that pass the given suite by both comparators, or by what their files say."""
    unknown = [key for key in suspects.programs if key not in suspects.known]
    verdicts = (await judge.run("given", given, unknown, suspects.programs, details=False)).verdicts
    right = {key for key, verdict in verdicts.items() if all(verdict.passes(Part.PLUS, rule) for rule in Rule)}
    return sorted({key for key, passes in suspects.known.items() if passes} | right)


def _wrong(verdict: SampleVerdict) -> list[Failure]:
    """The plus inputs on which a program that passes base is wrong by both comparators; no calls that were stopped."""
    parts = verdict.parts
    if any(parts[Part.BASE][rule].status is not Status.PASS for rule in Rule):
        return []
    lenient = {failure.index for failure in parts[Part.PLUS][Rule.EVALPLUS].failures}
    plus = parts[Part.PLUS][Rule.STRICT]
    found = [failure for failure in plus.failures if failure.index in lenient and not _is_stopped(failure)]
    return [] if plus.status is Status.TIMEOUT and len(plus.failures) == 1 else found


def _is_stopped(failure: Failure) -> bool:
    if failure.actual.startswith("raised "):
        return failure.actual.startswith(tuple(f"raised {name}" for name in LIMITS_OF_THE_MACHINE))
    return failure.actual.startswith(_NO_OUTCOME)


async def _make_small(
    extended: Dataset,
    suspects: Suspects,
    killed: Mapping[ProgramKey, Input],
    jobs: int,
    searchers: GuestPool,
    on_progress: OnProgress,
) -> dict[str, list[Input]]:
    """The smallest plausible inputs on which killed programs are wrong, by task, the shortest first."""
    found: dict[str, dict[str, Input]] = {}
    pending = iter(sorted(killed))
    done = 0

    async def worker() -> None:
        nonlocal done
        for key in pending:
            problem = extended.problems[key[0]]
            values = await find_smallest(problem, suspects.programs[key], killed[key], searchers)
            if values is not None:
                found.setdefault(key[0], {})[repr(values)] = values
            done += 1
            on_progress("smallest calls", done, len(killed))

    on_progress("smallest calls", 0, len(killed))
    await run_together(worker, jobs)
    return {
        task: [inputs[text] for text in sorted(inputs, key=lambda text: (len(text), text))]
        for task, inputs in sorted(found.items())
    }


async def find_smallest(problem: Problem, solution: str, killer: Input, searchers: GuestPool) -> Input | None:
    """The smallest plausible input on which a program is wrong, from one that kills it; None if that is no mistake.

    Raises `WorkerError` when guests do not work.
    """
    source = with_contract(problem) if problem.contract.strip() else problem.reference
    candidate = _target(solution, problem.entry_point)
    right = _target(source, problem.entry_point) if source is not None else None
    if candidate is None or right is None or source is None:
        return None
    oracle = oracle_of(read_module(source), right, OracleKind.REFERENCE, f"reference of {problem.task_id}")
    known = [Example(repr(tuple(values)), None) for values in problem.base_inputs]
    examples = {one.arguments: one for one in (*known, *oracle.examples)}
    oracle = replace(oracle, examples=tuple(examples.values()))
    report = await check(candidate, oracle, SEARCH, searchers, seeds=[repr(tuple(killer))])
    found = report.counterexample
    if report.verdict is not Verdict.DIFFERS or found is None or not _is_plain(found):
        return None
    values = _read(found.arguments)
    if values is None:
        return None
    trial = replace(problem, plus_inputs=[values], stored=None)
    is_flawed = any(flaw.part is Part.PLUS for flaw in find_type_flaws(trial))
    return None if is_flawed or _is_ruled_out(problem, values) else values


def _is_ruled_out(problem: Problem, values: Input) -> bool:
    """Whether the task's text says that there are no such inputs: "a non-empty list"."""
    task = _target(problem.reference, problem.entry_point)
    if task is None or not task.docstring:
        return False
    names = [parameter.name for parameter in task.parameters]
    named = dict(zip(names, values, strict=False))
    for is_met in bounds_in(task.docstring, names, function=problem.entry_point):
        with suppress(Exception):  # Values that cannot be compared so are not what the text speaks of.
            if not is_met(named):
                return True
    return False


def _is_plain(found: Counterexample) -> bool:
    """Whether a counterexample is a wrong value or an exception on a plausible input, and nothing else."""
    ended = (found.candidate.kind, found.expected.kind)
    if found.tier is not Tier.INSIDE or found.note or ended[1] is not OutcomeKind.RETURNED:
        return False
    if ended[0] is OutcomeKind.RAISED:
        return not found.candidate.text.startswith(LIMITS_OF_THE_MACHINE)
    return ended[0] is OutcomeKind.RETURNED and found.candidate.mutated_arguments is None


def _read(arguments: str) -> list[Any] | None:
    """The values of positional arguments that are literals."""
    try:
        values = ast.literal_eval(arguments)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return list(cast("tuple[Any, ...]", values)) if isinstance(values, tuple) else None


def _target(source: str, name: str) -> FunctionTarget | None:
    """The function in a program that is run as it is; None where the program does not define it."""
    module = read_module(source)
    if module.parsed.problem is not None or name not in module.definitions:
        return None
    target = module.target(name)
    if target.name != target.program.qualname:
        return None
    return replace(target, obstacle=None, reads=None, program=replace(target.program, source=source), skipped=())


def _with_inputs(dataset: Dataset, inputs: Mapping[str, Sequence[Input]]) -> Dataset:
    """The tasks of `inputs`, with these as their plus inputs."""
    problems = {
        task: replace(dataset.problems[task], plus_inputs=list(values), stored=None) for task, values in inputs.items()
    }
    text = dataset.sha256 + repr(sorted((task, repr(values)) for task, values in inputs.items()))
    return replace(dataset, problems=problems, sha256=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest())


def _told(problem: Problem, suspects: Suspects, votes: Judged) -> list[Mistake]:
    """The mistakes of one task: of each program the smallest input on which most others contradict it."""
    verdicts = {key: verdict for key, verdict in votes.verdicts.items() if key[0] == problem.task_id}
    failed = {key: {one.index: one for one in _wrong(verdict)} for key, verdict in verdicts.items()}
    strict = [{one.index for one in verdict.parts[Part.PLUS][Rule.STRICT].failures} for verdict in verdicts.values()]
    dissenting = [sum(place in one for one in strict) for place in range(len(problem.plus_inputs))]
    mistakes: list[Mistake] = []
    for key, failures in failed.items():
        for place in sorted(failures):
            mistake = Mistake(
                problem.task_id,
                problem.entry_point,
                key[1],
                tuple(suspects.runs.get(key, ())),
                repr(tuple(problem.plus_inputs[place])),
                votes.expected(problem, place),
                failures[place].actual,
                dissenting[place],
                len(verdicts),
                problem.reference,
                suspects.programs[key],
            )
            if is_decided(mistake):
                mistakes.append(mistake)
                break
    return mistakes


def is_decided(mistake: Mistake) -> bool:
    """Whether the programs that pass the given suite leave little doubt that the reference is right."""
    share = mistake.dissenting / mistake.passing
    if is_choice(mistake.arguments, mistake.expected, mistake.actual):
        return mistake.passing >= FEWEST_VOTES_ON_CHOICES and share <= MOST_DISSENTING_ON_CHOICES
    # Alone, a program always is all that dissents.
    return mistake.passing == 1 or share <= MOST_DISSENTING


def is_choice(arguments: str, expected: str, actual: str) -> bool:
    """Whether two results may both be right where a task does not say which of several equal ones is wanted.

    So it may be where they have the same items in another order, and where each is an item, or a part, of the same
    argument: the first or the last of the longest words.
    """
    try:
        values, right, other = (ast.literal_eval(text) for text in (arguments, expected, actual))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    if type(right) is not type(other) or right is None or isinstance(right, bool):
        return False
    if isinstance(right, (list, tuple)):
        ours, theirs = _items(right), _items(other)
        if sorted(ours) == sorted(theirs):
            return True
        return len(ours) == len(theirs) and any({*ours, *theirs} <= {*_items(value)} for value in values)
    if isinstance(right, str):
        if sorted(right) == sorted(cast("str", other)):
            return True
        texts = [value for value in values if isinstance(value, str)]
        if any(len(right) == len(cast("str", other)) and right in text and other in text for text in texts):
            return True
    return any({repr(right), repr(other)} <= {*_items(value)} for value in values)


def _items(value: Any) -> list[str]:
    """The items of a container, as text; none of any other value."""
    if not isinstance(value, (list, tuple, set, frozenset, dict)):
        return []
    return [repr(item) for item in cast("Collection[Any]", value)]
