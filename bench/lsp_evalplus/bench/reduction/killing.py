"""Fill a kill matrix: run programs on every input of their task, and judge each call by both comparators.

Calls have little time and a program that hangs is given up after a few, because a time-out is no kill: what takes long
here may take less elsewhere. The verdicts of `bench` have more time; only programs that pass base and fail plus by
those, or by what their files say, need rows that cost anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lsp_evalplus.bench.judging.evalplus_compat import HIDDEN_NAMES, may_miss
from lsp_evalplus.bench.judging.expected import ExpectedPart, TaskOutputs
from lsp_evalplus.bench.judging.part_judge import Answer, Ended, PartJudge
from lsp_evalplus.bench.judging.verdicts import Rule, SampleVerdict
from lsp_evalplus.bench.problem import Dataset, Part, Problem
from lsp_evalplus.bench.running.environment import digest_distributions
from lsp_evalplus.bench.running.evaluate import Options, References, make_evaluation
from lsp_evalplus.bench.running.guest_client import Guests, RunLimits
from lsp_evalplus.bench.running.program_judge import is_too_long, judge_program
from lsp_evalplus.bench.running.run import FIRST_PASS_SHARE, QUICK_LOAD_SECONDS
from lsp_evalplus.bench.running.sample_states import Unjudged
from lsp_evalplus.bench.running.selftest import check_harness
from lsp_evalplus.bench.running.workers import run_together
from lsp_evalplus.fuzz.host.forkserver import ServerLostError

from .corpus import Corpus, Label, ProgramKey
from .kill_matrix import RIGHT, KillFile, KillRow

MOST_TIMEOUTS = 3
"""Calls that do not return before a program is given up."""
LEAST_WHOLE_SECONDS = 5.0
"""Processor time for all calls of a program, to which some times that of the reference are added."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Callbacks that show how far the work is; each may be called many times."""

    on_references: Callable[[int, int], None]
    on_verdicts: Callable[[int, int], None]
    """Programs whose verdicts are known, and programs without a label."""
    on_kills: Callable[[int, int], None]
    """Programs whose kills are known, and programs whose kills matter."""


def identity_of(dataset: Dataset, options: Options) -> dict[str, Any]:
    """All that the rows of a matrix depend on besides the programs."""
    return {
        "dataset_sha256": dataset.sha256,
        "python": ".".join(map(str, options.interpreter.version)),
        "distributions": digest_distributions(options.interpreter.search_path),
        "min_time_limit": options.times.min_time_limit,
        "gt_time_limit_factor": options.times.gt_time_limit_factor,
        "memory_bytes": options.memory_bytes,
        "most_timeouts": MOST_TIMEOUTS,
        "least_whole_seconds": LEAST_WHOLE_SECONDS,
        "first_pass_share": FIRST_PASS_SHARE,
    }


async def fill_matrix(
    dataset: Dataset, corpus: Corpus, options: Options, guests: Guests, matrix: KillFile, progress: Progress
) -> None:
    """Add the rows that the matrix lacks; programs with a label get theirs without a verdict by `bench`.

    Raises `UserError` for references that give nothing to judge by, `WorkerError` when guests do not work.
    """
    missing = [key for key in corpus.programs if key not in matrix.rows]
    wrong = [key for key in missing if corpus.labels.get(key) is Label.FAILS_PLUS]
    unknown = [key for key in missing if key not in corpus.labels]
    if not wrong and not unknown:
        return
    references = References(dataset, options, guests)
    tasks = {key[0] for key in (*wrong, *unknown)}
    await references.prepare(
        [dataset.problems[task] for task in dataset.problems if task in tasks], progress.on_references
    )
    await check_harness(guests)
    wrong += await _judge(dataset, corpus, unknown, options, guests, references, matrix, progress)
    await _fill(dataset, corpus, wrong, options, guests, references, matrix, progress)


async def _judge(
    dataset: Dataset,
    corpus: Corpus,
    keys: Sequence[ProgramKey],
    options: Options,
    guests: Guests,
    references: References,
    matrix: KillFile,
    progress: Progress,
) -> list[ProgramKey]:
    """Judge programs as `bench` does; write the rows of those that no plus input kills, return the others."""
    wrong: list[ProgramKey] = []
    done = 0

    def note(task_id: str, digest: str, verdict: SampleVerdict, _seconds: float) -> None:
        nonlocal done
        done += 1
        progress.on_verdicts(done, len(keys))
        row = _row_of(verdict)
        if row is None:
            wrong.append((task_id, digest))
        else:
            matrix.append((task_id, digest), row)

    progress.on_verdicts(0, len(keys))
    evaluation = make_evaluation(guests, references, options, note)
    jobs = [Unjudged(dataset.problems[key[0]], key[1], corpus.programs[key], (Part.BASE, Part.PLUS)) for key in keys]
    if jobs:
        await evaluation.run(await evaluation.find_equivalent(jobs, options.jobs), options.jobs)
    return sorted(wrong)


def _row_of(verdict: SampleVerdict) -> KillRow | None:
    """The row of a program that passes all tests, or that the base tests kill; None for others."""
    if all(verdict.passes(Part.PLUS, rule) for rule in Rule):
        return RIGHT
    fails_base = frozenset(rule for rule in Rule if not verdict.passes(Part.BASE, rule))
    return KillRow(fails_base, dict.fromkeys(Rule, 0)) if len(fails_base) == len(Rule) else None


async def _fill(
    dataset: Dataset,
    corpus: Corpus,
    keys: Sequence[ProgramKey],
    options: Options,
    guests: Guests,
    references: References,
    matrix: KillFile,
    progress: Progress,
) -> None:
    by_task: dict[str, list[ProgramKey]] = {}
    for key in keys:
        by_task.setdefault(key[0], []).append(key)
    groups = iter([(dataset.problems[task], by_task[task]) for task in dataset.problems if task in by_task])
    done = 0
    progress.on_kills(0, len(keys))

    async def worker() -> None:
        nonlocal done
        for problem, group in groups:
            finder = KillFinder(guests, problem, references.outputs(problem), options)
            for key in group:
                matrix.append(key, await finder.find(corpus.programs[key]))
                done += 1
                progress.on_kills(done, len(keys))

    await run_together(worker, options.jobs)


class KillFinder:
    """Find the kills of the programs of one task."""

    def __init__(self, guests: Guests, problem: Problem, outputs: TaskOutputs, options: Options) -> None:
        self._guests = guests
        self._problem = problem
        self._expected = [ExpectedPart(problem, part, outputs[part]) for part in Part]
        times = options.times
        quick = FIRST_PASS_SHARE * times.min_time_limit
        slow = {
            (part, index): quick + times.gt_time_limit_factor * seconds
            for part in Part
            for index, seconds in outputs[part].slow.items()
        }
        needed = sum(outputs[part].seconds for part in Part)
        whole = min(times.task_time_limit, LEAST_WHOLE_SECONDS + times.gt_time_limit_factor * needed)
        self._limits = RunLimits(quick, whole, QUICK_LOAD_SECONDS, slow)

    async def find(self, solution: str) -> KillRow:
        """The row of one program. A program that may miss the names that evalplus hides runs with and without them."""
        row = await self._run(solution, ())
        if not may_miss(solution):
            return row
        other = await self._run(solution, tuple(HIDDEN_NAMES))
        return KillRow(
            frozenset({*(row.fails_base & {Rule.STRICT}), *(other.fails_base & {Rule.EVALPLUS})}),
            {Rule.STRICT: row.kills[Rule.STRICT], Rule.EVALPLUS: other.kills[Rule.EVALPLUS]},
            row.timeouts,
            row.is_complete and other.is_complete,
        )

    async def _run(self, solution: str, hidden_names: Sequence[str]) -> KillRow:
        judges = self._judges()
        if is_too_long(solution):
            for judge in judges:
                judge.end(Ended("refused", "the program is too long to be run", None))
            return _to_row(judges)
        try:
            await self._judge(solution, judges, hidden_names, is_first_pass=True)
            is_settled = not any(judge.timeouts for judge in judges)
        except ServerLostError:
            is_settled = False
        if not is_settled:  # A fork server ends a program at the first call that does not return; a guest goes on.
            judges = self._judges()
            await self._judge(solution, judges, hidden_names, is_first_pass=False)
        return _to_row(judges)

    async def _judge(
        self, solution: str, judges: Sequence[_KillJudge], hidden_names: Sequence[str], *, is_first_pass: bool
    ) -> None:
        await judge_program(
            self._guests,
            self._problem,
            solution,
            self._limits,
            judges,
            is_first_pass=is_first_pass,
            hidden_names=hidden_names,
        )

    def _judges(self) -> list[_KillJudge]:
        return [_KillJudge(expected) for expected in self._expected]


class _KillJudge(PartJudge):
    """A judge with details that keeps time-outs apart from kills and knows whether all inputs were tried."""

    def __init__(self, expected: ExpectedPart) -> None:
        super().__init__(expected, details=True, most_timeouts=MOST_TIMEOUTS)

    def restart(self) -> None:
        """Discard the answers so far."""
        super().restart()
        self.timeouts: set[int] = set()
        self.is_complete = True

    def take(self, answer: Answer) -> None:
        """Judge one answer."""
        if answer.is_timeout:
            self.timeouts.add(answer.index)
        super().take(answer)
        self.is_complete = self.is_complete and not self.has_given_up

    def take_whole(self, answer: Answer) -> None:
        """Judge the full value of an answer."""
        if answer.is_timeout:
            self.timeouts.add(answer.index)
        super().take_whole(answer)

    def end(self, ended: Ended) -> None:
        """Handle the end of the guest."""
        if not self.is_decided:
            if ended.is_timeout and ended.refusal is None:
                self.timeouts.add(self.places[self.taken][1])
            self.is_complete = self.is_complete and ended.refusal is not None
        super().end(ended)

    def kills(self) -> Mapping[Rule, int]:
        """The inputs with a wrong value or an exception, by comparator."""
        indices = {rule: [failure.index for failure in found.failures] for rule, found in self.verdicts().items()}
        return {
            rule: sum(1 << index for index in set(found) if index >= 0 and index not in self.timeouts)
            for rule, found in indices.items()
        }

    def has_failed_by(self, rule: Rule) -> bool:
        """Whether any input, or loading, decided against the program; a time-out does not."""
        return any(failure.index not in self.timeouts for failure in self.verdicts()[rule].failures)


def _to_row(judges: Sequence[_KillJudge]) -> KillRow:
    base, plus = judges
    return KillRow(
        frozenset(rule for rule in Rule if base.has_failed_by(rule)),
        plus.kills(),
        sum(1 << index for index in plus.timeouts),
        plus.is_complete and not base.timeouts,
    )
