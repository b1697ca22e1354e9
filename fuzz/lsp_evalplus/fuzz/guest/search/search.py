"""The search: judge rows until the budget is spent or a plausible counterexample has been found and shrunk."""

from __future__ import annotations

import math
import random
import time
from typing import Any, Callable, NamedTuple

from ..calling.calibration import LONGEST_LIMIT
from ..calling.call_clock import seconds_starved
from ..calling.processor_time import ProcessorTime
from ..calling.rows import parse_rows
from ..generation.input_grammar import Writer
from ..generation.stages.context import Context
from ..generation.stages.grammar import with_text
from ..generation.stages.matching import matches
from ..generation.stages.solving import solve
from ..judging.differential import is_prepared
from ..judging.judge import (
    AGREE,
    DIFFER,
    FUNCTIONS_COMPARED,
    NOTHING_COMPARED,
    OPAQUE_COMPARED,
    REJECTED,
    SLOW,
    Judgement,
)
from ..judging.outcomes import HANDLED, MESSAGE, SHARED, WARNINGS, effect_text, effect_texts
from ..shrinking.shrinker import Shrinker, uniform
from ..values.metrics import is_small, is_tiny, largest_int
from ..values.recipes.source import to_text
from .few_results import FewResults
from .plan import InstrumentedCopies, SearchPlan
from .plausibility import INSIDE, NOT_REPORTABLE, TOO_DEEP, Fairness, Plausibility
from .repeatability import Repeatability, Unstable
from .saturation import Saturation
from .scheduler import Scheduler
from .trace import Trace
from .unused_arguments import UnusedArguments

MORE_TIME = (3.0, 10.0)
"""Rows that timed out are run again with the usual limit times this."""
SHRINK_SECONDS = 0.25
BETTER_SECONDS = 0.12
"""How long to search for a plausible counterexample when the first one is outside of the examples' domain."""
PROGRESS_SECONDS = 0.05
MAXIMUM_SLOW = 60
REJECTIONS = 4
"""So many rejected rows end a search as one that was tried does."""
MERELY_SLOW = 0.004
"""Processor seconds of two finished calls from which on a candidate counts as slow rather than hanging elsewhere; less,
or one call, may be the system's doing."""
MOST_FOR_ITERATORS = 60
"""At most this many rows are tried with iterators."""
REPEATS = 6
"""How often a difference has to be reproduced; a reference that tosses a coin is detected with probability 0.98."""
SLOW_REPEATS_SECONDS = 1.0
"""A difference that takes this long to reproduce is reproduced twice only; fresh processes do it once more."""
ENOUGH_HANGS = 12
"""This many small inputs on which only the candidate does not terminate are a finding; the search ends."""
MOST_PROOFS = 8
"""At most this many inputs are tried for a proof of non-termination."""
ENOUGH_REPEATED = 3000
"""After this many consecutive duplicates the space of rows counts as exhausted."""
MANY_REPEATED = 200
"""So it does after these where the time is over: nothing was left to try, and more time would not change that."""
MOST_REPEATS = 32
"""At most this many rows are run again, to detect functions that keep state between calls."""
UNWATCHED_INPUTS = 700
"""Most differences show within this many inputs, sooner than the programs can be instrumented."""
FEWEST_UNWATCHED, UNWATCHED_SHARE = 100, 0.2
"""Slow programs are watched from fewer, when this share of the budget is spent."""
MATCHING_SHARE, SOLVING_SHARE = 0.5, 0.5
MATCHING_FIRST = 80
FEW_RESULTS_INPUTS = 200
"""After this many inputs with hardly different results, those of siblings are tried."""
SIBLINGS_SHARE = 0.5
SIBLINGS_TIME = 0.2
"""Of the budget, for the calls of the siblings."""
WATCHED_STAGES = frozenset(
    "mutation seed random around enumeration extremes template text prepared objects parts".split()
)


MINOR = ("arguments", HANDLED, MESSAGE, SHARED, WARNINGS)
"""Differences that are told where no other is found."""


class Aside(NamedTuple):
    """A row on which a call took too long."""

    row: Any
    is_candidates: bool
    """Whether it was a call of the candidate."""
    plausibility: Plausibility


class Search:
    """One search; `run` returns the best counterexample's row and tier, or None.

    Args:
        plan: the parts of the search; immutable.
        poll: called now and then, to report progress and to receive late seeds.
    """

    def __init__(self, plan: SearchPlan, poll: Callable[[Search], None]) -> None:
        self._plan = plan
        budget = plan.budget
        self._judge, self._clock = plan.judge, plan.clock
        self._watched: InstrumentedCopies | None = None
        self._is_watch_made = False
        self.domain = plan.domain
        rng = random.Random(budget.seed)
        writer = None if plan.grammar.is_silent() else Writer(plan.grammar, plan.pool, random.Random(budget.seed))
        self.context = Context(plan.domain, plan.pool, rng, writer, plan.make_states)
        self.context.is_exact = budget.recorded > 0
        unused = UnusedArguments(plan.judge, plan.domain, plan.pool, self.context.corpus)
        self._fairness = Fairness(plan.domain, plan.judge, unused, plan.never_none, plan.uses, plan.of_libraries)
        self._slack, self._repeatability = budget.slack, Repeatability(plan.judge, budget.slack)
        self._kept, self._alike_left = budget.kept, math.inf if budget.sufficient is None else budget.sufficient
        self.scheduler = Scheduler(self.context, budget.disabled, self._slack, is_timed=not budget.recorded)
        self._poll = poll
        self._processor = ProcessorTime()
        self.started = self._processor.read()
        self.deadline = self.started + budget.seconds
        self._end = time.monotonic() + 1.5 * budget.seconds + 2.0
        """Deadline in wall time: programs that sleep use no processor time."""
        self._starved = seconds_starved()
        self._usual_limit = plan.clock.allowance
        self.inputs = 0
        """Inputs on which results were compared."""
        self.rejected = 0
        self.unfinished: int = 0
        """Inputs on which a call was interrupted at its time limit."""
        self.undecided: int = 0
        """Inputs on which both programs ended, and nobody can say whether their results mean the same."""
        self.is_out_of_time = False
        """Whether the search ended because its time was over, not because it had tried enough."""
        self.last: Judgement | None = None
        """The latest judgement of the judge of the uninstrumented programs."""
        self.found: tuple[Any, int] | None = None
        self.rank = (INSIDE, False)
        """The tier, and whether the difference is one of `MINOR`: a wrong result is reported before a side effect."""
        self._best_rank = (INSIDE, plan.is_procedure)
        self.found_by = ""
        self.before: list[Any] = []
        """The row of the first difference, and the one before it: they may leave state behind."""
        self._latest: Any | None = None
        self.varies = False
        """Whether the candidate returned different results on the same input."""
        self.slow: list[Aside] = []
        self._slowest = [0.0, 0.0]
        """Processor seconds of the two slowest calls that finished."""
        self._hanging = self.flaky = 0
        self._proofs_left = MOST_PROOFS
        self.endless: list[Any] = []
        """Rows on which the candidate provably does not terminate."""
        self.distrusted: dict[str, bool] = dict.fromkeys(budget.distrusted, True)
        self._poll_at, self._repeats_left = 0.0, MOST_REPEATS
        self._recorded: list[tuple[Any, str, bool]] = []
        self.trace = Trace(budget.traced) if budget.traced else None
        self._results, self._saturation = FewResults(), Saturation(budget.seconds)
        self._asks_siblings = True
        self._backtracking: dict[str, bool] = {}
        """Source text of the rows that are slow only because a regular expression backtracks."""

    def run_seeds(self, seeds: list[Any]) -> tuple[Any, int] | None:
        """Judge the seeds and nothing else, and do not shrink."""
        for row in seeds:
            if self.domain.is_known() or self._judge.is_for_both(row):
                self._try_new(row, "seed")
            if self.found is not None:
                break
        return self.found

    def fair_rows(self, count: int) -> list[Any]:
        """Return at most `count` rows of the corpus that are plausible inputs, spread evenly over the search."""
        rows = [row for row in self.context.corpus if not is_prepared(row)]
        rows = [row for row in rows if self._fairness.of_input(row).tier == INSIDE]
        step = max(1.0, len(rows) / count)
        return [rows[int(number * step)] for number in range(min(count, len(rows)))]

    def recorded(self) -> list[tuple[Any, str, bool]]:
        """The agreeing rows that the budget asks for: each with its stage, and whether it is like the examples."""
        return self._recorded

    def run(self, seeds: list[Any]) -> tuple[Any, int] | None:
        """Seeds first, then the stages in turns, then what was slow.

        Raises `Unstable` when the reference contradicts itself.
        """
        self._repeatability.check([row for row in seeds if not is_prepared(row)][:2] or self.domain.valid[:2])
        for row in seeds:
            self._try_new(row, "seed")
            if self._enough():
                return self._minimal()
        for name, row in self.scheduler.rows():
            self._try_new(row, name)
            if self._enough():
                break
            if self._asks_siblings and self.inputs >= FEW_RESULTS_INPUTS:
                self._ask_siblings()
        if self.found is None and not self.endless and not self._plan.budget.recorded:
            self._try_pumped()
            self._try_slow()
        if self.found is None and not self.endless:
            self._try_iterators()
        return self._minimal()

    def _ask_siblings(self) -> None:
        """Try what other functions return, where the reference has answered all inputs much alike."""
        self._asks_siblings = False
        if self._results.are_few:
            rows = self._plan.sibling_rows(self.domain, SIBLINGS_TIME * self._plan.budget.seconds)
            self.scheduler.add("siblings", rows, SIBLINGS_SHARE)

    def _try_new(self, row: Any, stage: str) -> None:
        """Judge a row unless it is a duplicate; the first duplicates are judged, but do not count as inputs."""
        if not self.context.was_tried(row):
            self.try_row(row, stage)
            return
        self.scheduler.was_repeated()
        if self._repeats_left > 0:
            self._repeats_left -= 1
            counts, trace = (self.inputs, self.unfinished, self.undecided), self.trace
            self.trace = None
            self.try_row(row, stage)
            self.trace = trace
            self.inputs, self.unfinished, self.undecided = counts

    def _enough(self) -> bool:
        if self.context.repeated >= ENOUGH_REPEATED:
            return True
        if self._processor.has_passed(self._poll_at):
            self._poll_at = self._processor.read() + PROGRESS_SECONDS
            self._clock.wind()
            self._poll(self)
        # Where nothing is returned, no result can be wrong: a side effect is as telling as can be.
        if self.found is not None and self.rank <= self._best_rank:
            return True
        calls = self._plan.budget.calls
        if self._alike_left <= 0:
            return True
        if calls is not None:
            tried = self.inputs + self.unfinished + self.undecided
            if tried >= calls or self.rejected >= REJECTIONS * calls:
                return True
            if self._plan.budget.recorded and tried >= calls / 2 and tried + self.rejected / REJECTIONS >= calls:
                return True  # What is found no longer pays for what is rejected.
        elif self.found is None and self._saturation.is_reached(self.inputs, self.scheduler.rounds, self._processor):
            return True
        if self._hanging >= ENOUGH_HANGS and self._slowest[1] == 0.0 and self.found is None:
            return True
        is_over = self._processor.has_passed(self.deadline) or self._is_over()
        self.is_out_of_time = is_over and self.context.repeated < MANY_REPEATED
        return is_over

    def _is_over(self) -> bool:
        """Whether the limit of wall time is reached, not counting time in which the system ran other processes."""
        return time.monotonic() >= self._end and time.monotonic() - (seconds_starved() - self._starved) >= self._end

    def _try_pumped(self) -> None:
        """Strings on which a regular expression of the candidate may backtrack catastrophically."""
        for text in self._plan.pumped() if self.context.corpus else ():
            for row in with_text(self.context, text):
                self._backtracking[to_text(row)] = True
                if self.try_row(row, "text") == SLOW:
                    return

    def _try_iterators(self) -> None:
        """Where annotations name iterables: agreeing rows, with iterators, which can be consumed only once."""
        for row in self.context.corpus[:MOST_FOR_ITERATORS] if self.domain.iterables else ():
            for once in self.domain.used_once(row):
                if self.found is None:
                    self._try_new(once, "iterator")

    def add_seeds(self, texts: list[str]) -> None:
        """Merge late seeds: valid ones join the corpus and the ingredients, and are judged at once."""
        for row in parse_rows(self._plan.layout, texts):
            if self.found is None:
                self._try_new(row, "seed")

    def try_row(self, row: Any, stage: str) -> int:
        """Judge one row, and update corpus, rewards and the best counterexample."""
        largest = self._plan.budget.largest
        if largest is not None and largest_int(row) > largest:
            return REJECTED
        if self._fairness.is_excluded(row) or (self.context.is_exact and self.context.is_as_large(row)):
            self.rejected += 1
            if self.trace is not None:
                self.trace.note(row, stage, REJECTED)
            return REJECTED
        judgement = self._run_watched(row) if self._is_watching(stage) else self._run(row)
        code = judgement.code
        if self.trace is not None:
            self.trace.note(row, stage, code)
        if code == AGREE:
            self._latest = row
            self._results.note(judgement.expected)
            if len(self._recorded) < self._plan.budget.recorded:
                is_alike = self._fairness.of_input(row).tier == INSIDE
                self._recorded.append((row, stage, is_alike))
                self._alike_left -= is_alike
            if self._clock.cpu_seconds > self._slowest[0]:
                self._slowest = sorted([self._slowest[1], self._clock.cpu_seconds])
            if stage == "seed" or len(self.context.corpus) < self._kept:
                self.context.keep(row)
            if self.context.writer is not None:
                self.context.writer.learn(row)
        elif code == DIFFER:
            self._found(row, judgement, stage)
        elif code == SLOW:
            if stage == "seed" and self._plan.pumped():
                self._backtracking[to_text(row)] = True  # An earlier search found such a string.
            self._set_aside(row, judgement)
            self.scheduler.was_slow()
            if stage in ("prepared", "objects"):
                self._plan.was_slow_to_prepare()
        return code

    def _run(self, row: Any) -> Judgement:
        """Have the judge run the row, and count it."""
        judgement = self._judge.run(row)
        self.last = judgement
        code = judgement.code
        if code in (AGREE, DIFFER):
            self.inputs += 1
        elif code == REJECTED:
            self.rejected += 1
        elif code == SLOW:
            self.unfinished += 1
        else:
            self.undecided += 1
        return judgement

    def _is_watching(self, stage: str) -> bool:
        """Instrumented copies are made when the first inputs found nothing, and run while they pay."""
        if stage not in WATCHED_STAGES:
            return False
        if not self._is_watch_made and self._is_time_to_watch():
            self._is_watch_made = True
            self._watched = self._plan.watch()
            if self._watched is not None:
                if not self._watched.feedback.has_branches:
                    self._saturation.wait_shortly()
                for row in list(self.context.corpus[:20]):
                    self._run_watched(row)
                self.scheduler.add("matching", matches(self.context, self._observe), MATCHING_SHARE, MATCHING_FIRST)
                self.scheduler.add("solving", solve(self.context, self._observe), SOLVING_SHARE)
        if self._watched is None:
            return False
        is_new = len(self._watched.feedback.signatures) < 200
        return stage in ("seed", "mutation") or (is_new and self.inputs % 3 == 0)

    def _is_time_to_watch(self) -> bool:
        tried, budget = self.inputs + self.rejected, self._plan.budget
        if tried > UNWATCHED_INPUTS or tried <= FEWEST_UNWATCHED or budget.calls is not None:
            return tried > UNWATCHED_INPUTS
        return self._processor.has_passed(self.started + UNWATCHED_SHARE * budget.seconds)

    def _observe(self, row: Any) -> dict[Any, Any]:
        """The operands that both programs compare on a row."""
        assert self._watched is not None
        self._watched.feedback.clear()
        self._watched.judge.run(row)
        return self._watched.feedback.comparisons()

    def _run_watched(self, row: Any) -> Judgement:
        assert self._watched is not None
        feedback = self._watched.feedback
        first = self._run(row) if self._plan.budget.recorded else None
        if first is not None and first.code != AGREE:
            return first  # The copies would only take longer to show it.
        feedback.clear()
        judgement = self._watched.judge.run(row)
        code = judgement.code
        if first is None:
            self.inputs += 1 if code in (AGREE, DIFFER) else 0
            self.rejected += 1 if code == REJECTED else 0
        if code == DIFFER:
            return self._run(row)
        if code == AGREE:
            novelty = feedback.novelty()
            if novelty:
                self._saturation.note(self.inputs, self._processor.read() if novelty == 3 else None)
                self.context.keep(row)
                self.scheduler.reward(1.0 if novelty >= 2 else 0.3)
                for value in feedback.operands()[:20]:
                    self.context.pool.add(value)
        return first or judgement

    def _set_aside(self, row: Any, judgement: Judgement) -> None:
        if judgement.actual is None:
            self.context.was_slow(row)
        aside = Aside(row, judgement.actual is not None, self._fairness.of_input(row))
        if len(self.slow) < MAXIMUM_SLOW:
            self.slow.append(aside)
        if _is_telling(aside):
            self._hanging += 1
            self._look_for_an_end(row)

    def _look_for_an_end(self, row: Any) -> None:
        """Record a row on which the candidate provably does not terminate; a better finding has to come soon."""
        if self._proofs_left == 0:
            return
        self._proofs_left -= 1
        if self._plan.never_ends(row):
            if not self.endless:
                self.deadline = min(self.deadline, time.process_time() + self._slack * BETTER_SECONDS)
            self.endless.append(row)

    def _found(self, row: Any, judgement: Judgement, stage: str) -> None:
        plausibility = self._fairness.of_difference(row, judgement)
        tier = plausibility.tier
        rank = (tier, judgement.difference in MINOR)
        if not plausibility.is_reportable or (
            self.found is not None and (rank >= self.rank or self._is_plainer(self.found[0], row, tier))
        ):
            return
        text = to_text(row)
        if text in self.distrusted:
            return
        if self._fairness.is_excused(row, judgement):
            self._repeatability.check_excuse(row, self.context.corpus)
            return
        if not self._stable(row, judgement):
            self.distrusted[text] = True
            if self.flaky >= 6:
                raise Unstable
            return
        if self.found is None:
            self.deadline = min(self.deadline, time.process_time() + self._slack * BETTER_SECONDS)
            self.before = [row, self._latest]
        self.found, self.rank = (row, tier), rank
        self.found_by = stage

    def _is_plainer(self, found: Any, row: Any, tier: int) -> bool:
        """Whether the finding is at least as plausible as a row with a prepared instance."""
        return is_prepared(row) and not is_prepared(found) and tier >= self.rank[0]

    def can_be_told_again(self, row: Any) -> bool:
        """False where the calls that prepare an instance leave it in another state each time."""
        if not is_prepared(row):
            return True
        results = [self._judge.probe(row) for _ in range(2)]
        return effect_text(results[0]) == effect_text(results[1])

    def _stable(self, row: Any, judgement: Judgement) -> bool:
        """Whether the difference is reproduced each time; a reference that contradicts itself ends the search."""
        # A row that ended in time once is not dropped because it takes slightly longer.
        with self._clock.limited(LONGEST_LIMIT):
            return self._shows_again(row, judgement)

    def _shows_again(self, row: Any, judgement: Judgement) -> bool:
        expected, actual = effect_texts(judgement)
        varies = False
        slow_from = time.monotonic() + self._slack * SLOW_REPEATS_SECONDS
        for number in range(REPEATS):
            if number > 1 and time.monotonic() > slow_from:
                break
            self._poll(self)
            again = self._run(row)
            code, texts = again.code, effect_texts(again)
            if code in (AGREE, DIFFER) and texts[0] != expected:
                if is_prepared(row) or judgement.difference in (MESSAGE, WARNINGS):
                    return False
                raise Unstable
            if code != DIFFER:
                # Limits of depth and memory are reached in one run and not in another: that proves nothing.
                self.flaky += code == AGREE
                return False
            varies = varies or texts[1] != actual
        self.varies = varies
        return True

    def _try_slow(self) -> None:
        """Run the rows that timed out with more time, smallest first, until most are judged or a few prove a hang."""
        if self._hanging >= ENOUGH_HANGS:
            texts = [to_text(aside.row) for aside in self.slow]
            order = sorted(range(len(texts)), key=lambda i: (texts[i] not in self._backtracking, len(texts[i])))
            self.slow = [self.slow[i] for i in order[:3]]
        for limit in [min(LONGEST_LIMIT, factor * self._usual_limit) for factor in MORE_TIME]:
            rest = sorted(self.slow, key=lambda aside: len(to_text(aside.row)))
            self.slow = []
            with self._clock.limited(limit):
                self._try_again(rest, self.deadline + limit)

    def _try_again(self, asides: list[Aside], deadline: float) -> None:
        for aside in asides:
            is_over = time.process_time() > deadline or self._is_over()
            if is_over or self.found is not None:
                self.slow.append(aside)
            else:
                self.try_row(aside.row, "slow")

    def saw_functions_only(self) -> bool:
        """Whether all results were functions, so that their agreement means nothing."""
        return self._compared() == FUNCTIONS_COMPARED

    def saw_opaque_only(self) -> bool:
        """Whether all results were objects without visible content, so that only their types were compared."""
        return self._compared() == OPAQUE_COMPARED

    def saw_errors_only(self) -> bool:
        """Whether no call of the reference returned anything, so that nothing but errors was compared."""
        return self._compared() == NOTHING_COMPARED

    def _compared(self) -> int:
        return max(self._judge.compared, NOTHING_COMPARED if self._watched is None else self._watched.judge.compared)

    def branches(self) -> int:
        """How many blocks of the instrumented programs were reached."""
        return 0 if self._watched is None else self._watched.feedback.branches()

    @property
    def is_complete(self) -> bool:
        """Whether the inputs reached every block of the function, and brought more than a few results."""
        return self._watched is not None and self._watched.feedback.is_complete and not self._results.are_few

    @property
    def misses_change(self) -> bool:
        """Whether the inputs reached nothing of the function that differs between the programs."""
        return self._watched is not None and self._watched.feedback.misses_change

    def hang(self) -> Any | None:
        """The smallest row on which only the candidate did not terminate, unless it is merely slow on others."""
        if self.endless:
            return min(self.endless, key=lambda row: len(to_text(row)))
        rows = [aside.row for aside in self.slow if _is_telling(aside)]
        surely = [row for row in rows if to_text(row) in self._backtracking]
        if surely or self._slowest[0] > MERELY_SLOW:
            rows = surely  # A shorter one may end after a while.
        return min(rows, key=lambda row: len(to_text(row))) if rows else None

    def _plainest(self, row: Any, tier: int) -> tuple[Any, int]:
        """A row that reaches the recursion limit is not made smaller: the shortest such length is different in
        another process. Its long arguments become uniform, with a length well beyond the limit."""
        for index in range(len(row)):
            for value in uniform(row[index]):
                plain = row[:index] + (value,) + row[index + 1 :]
                if self._fairness.of_input(plain).tier == tier:
                    judgement = self._run(plain)
                    if judgement.code == DIFFER and "Recursion" in judgement.difference:
                        row = plain
                        break
        return row, tier

    def _minimal(self) -> tuple[Any, int] | None:
        if self.found is None:
            return None
        row, tier = self.found
        with self._clock.limited(LONGEST_LIMIT):
            judgement = self._run(row)
        if judgement.code != DIFFER:
            return None
        is_deep = judgement.difference == TOO_DEEP and tier != INSIDE
        with self._clock.limited(LONGEST_LIMIT if is_deep else self._usual_limit):
            best, reached = self._shrunk(row, tier, judgement.difference, is_deep=is_deep)
        if is_deep and reached == tier:
            with self._clock.limited(LONGEST_LIMIT):
                return self._plainest(row, tier)
        return best, reached

    def _shrunk(self, row: Any, tier: int, difference: str, *, is_deep: bool) -> tuple[Any, int]:
        """The smallest row that shows the same difference, and its tier."""

        def still_differs(smaller: Any) -> int:
            if (is_deep and not is_tiny(smaller)) or not self._plan.layout.keeps_instance(row, smaller):
                return NOT_REPORTABLE
            judgement = self._run(smaller)
            # Shrinking must not slip from one bug to another: a wrong value stays a value, an exception its type.
            if judgement.code != DIFFER or judgement.difference != difference or to_text(smaller) in self.distrusted:
                return NOT_REPORTABLE
            if self._fairness.is_excused(smaller, judgement):
                return NOT_REPORTABLE
            return self._fairness.of_difference(smaller, judgement).tier

        defaults = [(p.is_default_written, p.default) for p in self.domain.parameters]
        shrinker = Shrinker(row, tier, still_differs, self._slack * SHRINK_SECONDS, defaults)
        smallest = shrinker.run(self.domain.typical, self.context.pool)
        if self.trace is not None:
            self.trace.shrinking = [row, *shrinker.taken]
        return smallest, shrinker.key[0]


def _is_telling(aside: Aside) -> bool:
    """Whether the row is too small to excuse non-termination."""
    return aside.is_candidates and aside.plausibility.tier == INSIDE and is_small(aside.row)
