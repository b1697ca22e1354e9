"""The search: give rows to the judge until the budget is used or a plausible counterexample was found and shrunk."""

from __future__ import annotations

import math
import random
import time
from typing import Any, Callable

from ..generation.constants import Pool
from ..generation.domain import Domain
from ..generation.input_grammar import Grammar, Writer
from ..generation.stages.context import Context
from ..generation.stages.grammar import with_text
from ..generation.stages.solving import solve
from ..judging.differential import AGREE, DIFFER, REJECTED, SLOW, Pair, is_endless, is_prepared, outcome_text
from ..program.calibration import LONGEST_LIMIT
from ..program.invocation import RETURNED, CallResult
from ..program.rows import Layout, parse_rows
from ..shrinking.shrinker import Shrinker, uniform
from ..values.equality import same
from ..values.metrics import is_modest, is_rounding_sized, is_small, is_tiny, largest_int, magnitude, mixes_times, walk
from ..values.recipe import is_plain, to_text
from ..values.rendering import value_text
from .coverage import Feedback
from .scheduler import Scheduler
from .unused_arguments import Vacuity

INSIDE, WIDENED, HANG = range(3)
TIERS = ("inside", "widened", "hang")
MORE_TIME = (3.0, 10.0)
"""Rows that took too long are tried again with so many times the usual limit."""
REPEATABLE_SECONDS = 0.1
"""A reference that takes longer is asked for the same result twice instead of six times."""
SHRINK_SECONDS = 0.25
BETTER_SECONDS = 0.12
"""How long to look for a plausible counterexample when the first one lies outside of what the examples show."""
PROGRESS_SECONDS = 0.05
MAXIMUM_SLOW = 60
MERELY_SLOW = 0.004
"""Processor seconds of a finished call from which on a candidate counts as slow rather than hanging elsewhere; less may
be a call that the system interrupted."""
MOST_FOR_ITERATORS = 60
"""So many rows are tried with iterators."""
REPEATS = 6
"""How often a difference has to show again; a reference that tosses a coin is unmasked with a chance of 98 in 100."""
SLOW_REPEATS_SECONDS = 1.0
"""A difference that takes so long to be shown again is shown twice only; fresh processes show it once more."""
ENOUGH_HANGS = 12
"""So many small inputs on which the candidate alone does not end are a finding; nothing better will come."""
MOST_PROOFS = 8
"""Inputs on which it is tried to prove that the candidate does not end."""
ENOUGH_REPEATED = 3000
"""So many rows one after another that had been tried before, and there are no others."""
MOST_REPEATS = 32
"""So many rows are tried again: functions that keep something between calls show it."""
UNWATCHED_INPUTS = 700
"""Most differences show within so many inputs, sooner than instrumented copies of the programs could be made."""
NEARLY_INFINITE = 1e150
_TOO_DEEP = "raised RecursionError"
LEADING_TO_INFINITY = 300.0
"""A power of a small number overflows with exponents from about here on."""
SOLVING_SHARE = 0.5
WATCHED_STAGES = frozenset(
    ("mutation", "seed", "random", "around", "enumeration", "extremes", "template", "text", "prepared")
)


class Unstable(Exception):  # noqa: N818 - it ends a search, it is no error.
    """The same input gave different results: the function is not deterministic."""


def _slack_of(budget: dict[str, Any]) -> float:
    """Where calls are counted, the parts of a search have times in proportion to the whole: no clock decides."""
    return max(1.0, float(budget["seconds"])) if budget.get("calls") is not None else 1.0


class Search:
    """One search over one pair; `run` returns the best counterexample's row and tier, or None."""

    def __init__(
        self,
        pair: Pair,
        watch: Callable[[], tuple[Pair | None, Feedback | None]],
        layout: Layout,
        domain: Domain,
        pool: Pool,
        budget: dict[str, Any],
        poll: Callable[[Search], None],
        grammar: Grammar,
        never_ends: Callable[[Any], bool] = lambda row: False,
        pumped: Callable[[], list[str]] = list,
    ) -> None:
        self.pair = pair
        self.watched: Pair | None = None
        self.feedback: Feedback | None = None
        self._watch: Callable[[], tuple[Pair | None, Feedback | None]] | None = watch
        self._last = pair
        self.layout = layout
        self.domain = domain
        self.context = Context(domain, pool, random.Random(budget["seed"]))
        if not grammar.is_silent():
            self.context.writer = Writer(grammar, pool, random.Random(budget["seed"]))
        self._vacuity = Vacuity(pair, domain, pool, self.context.corpus)
        self.poll = poll
        self.started = time.process_time()
        self.deadline = self.started + float(budget["seconds"])
        self._end = time.monotonic() + 1.5 * float(budget["seconds"]) + 2.0
        """When to stop by the clock on the wall: programs that sleep use no processor time."""
        self._usual_limit = pair.clock.allowance
        self.calls: int | None = budget.get("calls")
        self._slack = _slack_of(budget)
        self.scheduler = Scheduler(self.context, tuple(budget.get("disabled", ())), self._slack)
        self.largest: int | None = budget.get("largest")
        """Rows with larger numbers are left out: they killed a guest."""
        self.found: tuple[Any, int] | None = None
        self.rank = (INSIDE, False)
        """The tier, and whether only the arguments changed: a wrong result is told before a side effect."""
        self.found_by = ""
        self.before: list[Any] = []
        """The row on which a difference showed first, and the one before it: they may leave something behind."""
        self._latest: Any | None = None
        self.varies = False
        """Whether the candidate gave other results on the same input."""
        self._small_floats = any([is_rounding_sized(row) for row in domain.rows])
        self.slow: list[tuple[Any, str]] = []
        self.slowest_finish = 0.0
        self._hanging = 0
        self._never_ends = never_ends
        """Whether it can be proven that the candidate does not come to an end on a row."""
        self._proofs_left = MOST_PROOFS
        self.endless: list[Any] = []
        """Rows of which that was proven."""
        self.distrusted: dict[str, bool] = dict.fromkeys(budget.get("distrusted", ()), True)
        self.flaky = 0
        self._poll_at = 0.0
        self._repeats_left = MOST_REPEATS
        self._pumped = pumped
        self._backtracking: dict[str, bool] = {}
        """The texts of the rows on which only a pattern that is tried in too many ways takes long."""

    def run(self, seeds: list[Any]) -> tuple[Any, int] | None:
        """Seeds first, then the stages in turns, then what was slow.

        Raises `Unstable` when the reference contradicts itself.
        """
        self._check_repeatable([row for row in seeds if not is_prepared(row)][:2] or self.domain.valid[:2])
        for row in seeds:
            self._try_new(row, "seed")
            if self._enough():
                return self._minimal()
        for name, row in self.scheduler.rows():
            self._try_new(row, name)
            if self._enough():
                break
        if self.found is None and not self.endless:
            self._try_pumped()
            self._try_slow()
        if self.found is None and not self.endless:
            self._try_iterators()
        return self._minimal()

    def _try_new(self, row: Any, stage: str) -> None:
        """Judge a row unless it is a repetition; the first of these are judged, but no inputs of their own."""
        if not self.context.was_tried(row):
            self.try_row(row, stage)
            return
        self.scheduler.was_repeated()
        if self._repeats_left > 0:
            self._repeats_left -= 1
            inputs = self.pair.inputs
            self.try_row(row, stage)
            self.pair.inputs = inputs

    def _enough(self) -> bool:
        if self.context.repeated >= ENOUGH_REPEATED:
            return True
        now = time.process_time()
        if now > self._poll_at:
            self._poll_at = now + PROGRESS_SECONDS
            self.pair.clock.wind()
            self.poll(self)
        if self.found is not None and self.rank == (INSIDE, False):
            return True
        if self.calls is not None and (self.pair.inputs >= self.calls or self.pair.rejected >= 4 * self.calls):
            return True
        if self._hanging >= ENOUGH_HANGS and self.slowest_finish == 0.0 and self.found is None:
            return True
        return now >= self.deadline or time.monotonic() >= self._end

    def _try_pumped(self) -> None:
        """Texts that a pattern of the candidate may have too many ways to match."""
        for text in self._pumped() if self.context.corpus else ():
            for row in with_text(self.context, text):
                self._backtracking[to_text(row)] = True
                if self.try_row(row, "text") == SLOW:
                    return

    def _try_iterators(self) -> None:
        """Where iterables are promised: rows that were right, with iterators, which can be gone through only once."""
        for row in self.context.corpus[:MOST_FOR_ITERATORS] if self.domain.iterables else ():
            for once in self.domain.used_once(row):
                if self.found is None:
                    self._try_new(once, "iterator")

    def add_seeds(self, texts: list[str]) -> None:
        """Merge late seeds: valid ones join the corpus and the ingredients, and are judged at once."""
        for row in parse_rows(self.layout, texts):
            if self.found is None:
                self._try_new(row, "seed")

    def try_row(self, row: Any, stage: str) -> int:
        """Judge one row, and learn from it."""
        pair = self.pair
        self._last = pair
        if self.largest is not None and largest_int(row) > self.largest:
            return REJECTED
        if self.domain.is_ruled_out(row) or self._vacuity.is_endless(row):
            pair.rejected += 1
            return REJECTED
        code = self._run_watched(row) if self._is_watching(stage) else pair.run(row)
        if code == AGREE:
            self._latest = row
            if pair.clock.cpu_seconds > self.slowest_finish:
                self.slowest_finish = pair.clock.cpu_seconds
            if stage == "seed" or len(self.context.corpus) < 12:
                self.context.keep(row)
            if self.context.writer is not None:
                self.context.writer.learn(row)
        elif code == DIFFER:
            self._found(row, stage)
        elif code == SLOW:
            self._set_aside(row)
            self.scheduler.was_slow()
            pair.unprepared += stage == "prepared"
        return code

    def _is_watching(self, stage: str) -> bool:
        """Instrumented copies are made when the first inputs found nothing, and run while they pay."""
        if stage not in WATCHED_STAGES:
            return False
        if self._watch is not None and self.pair.inputs + self.pair.rejected > UNWATCHED_INPUTS:
            watch, self._watch = self._watch, None
            self.watched, self.feedback = watch()
            for row in list(self.context.corpus[:20]) if self.feedback is not None else ():
                self._run_watched(row)
            if self.feedback is not None:
                self.scheduler.add("solving", solve(self.context, self._observe), SOLVING_SHARE)
        feedback = self.feedback
        if feedback is None:
            return False
        return stage in ("seed", "mutation") or (len(feedback.signatures) < 200 and self.pair.inputs % 3 == 0)

    def _observe(self, row: Any) -> dict[Any, Any]:
        """What both programs compare on a row."""
        assert self.watched is not None
        assert self.feedback is not None
        self.feedback.clear()
        self.watched.run(row)
        return self.feedback.comparisons()

    def _run_watched(self, row: Any) -> int:
        watched, feedback = self.watched, self.feedback
        assert watched is not None
        assert feedback is not None
        self._last = watched
        feedback.clear()
        code = watched.run(row)
        self.pair.inputs += 1 if code in (AGREE, DIFFER) else 0
        self.pair.rejected += 1 if code == REJECTED else 0
        if code == DIFFER:
            self._last = self.pair
            return self.pair.run(row)
        if code == AGREE:
            novelty = feedback.novelty()
            if novelty:
                self.context.keep(row)
                self.scheduler.reward(1.0 if novelty == 2 else 0.3)
                for value in feedback.operands()[:20]:
                    self.context.pool.add(value)
        return code

    def _set_aside(self, row: Any) -> None:
        actual = self._last.actual
        if actual is None:
            self.context.was_slow(row)
        if len(self.slow) < MAXIMUM_SLOW:
            self.slow.append((row, "candidate" if actual is not None else "reference"))
        if actual is not None and self.tier(row) == INSIDE and is_small(row):
            self._hanging += 1
            self._look_for_an_end(row)

    def _look_for_an_end(self, row: Any) -> None:
        """A row on which the candidate provably does not end is a finding; what is better has to come soon."""
        if self._proofs_left == 0:
            return
        self._proofs_left -= 1
        if self._never_ends(row):
            if not self.endless:
                self.deadline = min(self.deadline, time.process_time() + self._slack * BETTER_SECONDS)
            self.endless.append(row)

    def _found(self, row: Any, stage: str) -> None:
        tier = self._tier_of_difference(row)
        rank = (tier, self.pair.difference == "arguments")
        if tier < 0 or (self.found is not None and (rank >= self.rank or self._is_plainer(self.found[0], row, tier))):
            return
        text = to_text(row)
        if text in self.distrusted or self._vacuity.explains(row) or self.pair.is_chance(row):
            return
        if not self._stable(row):
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
        """Whether what was found is as plausible as a row whose instance has to be prepared."""
        return is_prepared(row) and not is_prepared(found) and tier >= self.rank[0]

    def _tier_of_difference(self, row: Any) -> int:
        """As `tier`, of a row that was just run: limits of floats, and those of the stack where a recursion has an end,
        are met by unusual inputs only, and beyond those of floats the reference has no answer."""
        tier = self.tier(row)
        expected, actual = self.pair.expected, self.pair.actual
        if expected is not None and _has_overflown(expected.value):
            return -1
        settled = self.domain.settled(row)
        if settled is not row:
            return WIDENED if tier >= 0 and self._means_the_same(settled) else -1
        is_deep = self.pair.difference == _TOO_DEEP and actual is not None and not is_endless(actual.error, row)
        is_beyond_floats = _is_out_of_range(actual) or (actual is not None and _has_left_floats(actual.value, row))
        if tier == INSIDE and (is_deep or is_beyond_floats):
            return WIDENED
        return tier

    def _means_the_same(self, settled: Any) -> bool:
        """Whether the reference gives for lists what it just gave for iterators, so that it goes through them once."""
        expected = self.pair.expected
        again = self.pair.reference.run(settled, self.pair.clock, self.pair.clock.allowance)
        if expected is None or self.pair.difference == "arguments" or not again.kind == expected.kind == RETURNED:
            return False
        return same(expected.value, again.value)

    def can_be_told_again(self, row: Any) -> bool:
        """False where the calls that prepare an instance leave it in another state each time."""
        if not is_prepared(row):
            return True
        pair = self.pair
        results = [pair.reference.run(row, pair.clock, pair.clock.allowance) for _ in range(2)]
        return _told(results[0]) == _told(results[1])

    def _check_repeatable(self, rows: list[Any]) -> None:
        """Raise `Unstable` when the reference gives two results on one row: it tosses coins or reads the clock."""
        pair = self.pair
        slow_from = time.process_time() + self._slack * REPEATABLE_SECONDS
        for row in rows:
            told: dict[str, bool] = {}
            for number in range(3):
                if number != 1 and time.process_time() > slow_from:
                    break
                result = pair.reference.run(row, pair.clock, pair.clock.allowance)
                if result.kind != RETURNED:
                    break
                told[_told(result)] = True
            if len(told) > 1:
                raise Unstable

    def _stable(self, row: Any) -> bool:
        """The difference shows again, each time; a reference that contradicts itself ends the search."""
        # What ended in time once is not given up because it takes a moment longer.
        with self.pair.clock.limited(LONGEST_LIMIT):
            return self._shows_again(row)

    def _shows_again(self, row: Any) -> bool:
        pair = self.pair
        expected, actual = _texts(pair)
        varies = False
        slow_from = time.monotonic() + self._slack * SLOW_REPEATS_SECONDS
        for number in range(REPEATS):
            if number > 1 and time.monotonic() > slow_from:
                break
            self.poll(self)
            code = pair.run(row)
            texts = _texts(pair)
            if code in (AGREE, DIFFER) and texts[0] != expected:
                if is_prepared(row):
                    return False
                raise Unstable
            if code != DIFFER:
                # Limits of depth and memory are met at one time and not at another: that says nothing.
                self.flaky += code == AGREE
                return False
            varies = varies or texts[1] != actual
        self.varies = varies
        return True

    def tier(self, row: Any) -> int:
        """How plausible the row is; -1 when it must not be reported at all."""
        domain = self.domain
        typical = domain.is_typical(row)
        if not typical and not (domain.has_contract and domain.is_declared(row)):
            return -1
        if (is_rounding_sized(row) and not self._small_floats) or domain.is_ruled_out(row):
            return -1
        if not typical or not is_modest(row) or mixes_times(row) or not domain.is_customary(row):
            return WIDENED
        if not domain.has_contract and domain.hull is not None and not domain.hull.contains(row):
            return WIDENED
        return INSIDE

    def _try_slow(self) -> None:
        """Rows that took too long get more time, smallest first; most are judged then, or a few prove that it hangs."""
        if self._hanging >= ENOUGH_HANGS:
            texts = [to_text(row) for row, _ in self.slow]
            order = sorted(range(len(texts)), key=lambda i: (texts[i] not in self._backtracking, len(texts[i])))
            self.slow = [self.slow[i] for i in order[:3]]
        for limit in [min(LONGEST_LIMIT, factor * self._usual_limit) for factor in MORE_TIME]:
            rest = sorted(self.slow, key=lambda entry: len(to_text(entry[0])))
            self.slow = []
            with self.pair.clock.limited(limit):
                self._try_again(rest, self.deadline + limit)

    def _try_again(self, rows: list[tuple[Any, str]], deadline: float) -> None:
        for row, who in rows:
            is_over = time.process_time() > deadline or time.monotonic() > self._end
            if is_over or self.found is not None:
                self.slow.append((row, who))
            else:
                self.try_row(row, "slow")

    def saw_functions_only(self) -> bool:
        """Whether all results were functions, so that their agreement says nothing."""
        pairs = [pair for pair in (self.pair, self.watched) if pair is not None]
        return any([pair.saw_function for pair in pairs]) and not any([pair.saw_value for pair in pairs])

    def saw_errors_only(self) -> bool:
        """Whether no call of the reference returned anything, so that nothing but errors was compared."""
        pairs = [pair for pair in (self.pair, self.watched) if pair is not None]
        return not any([pair.saw_value or pair.saw_function for pair in pairs])

    def hang(self) -> Any | None:
        """The smallest row on which the candidate alone did not end, unless it is merely slow on others."""
        if self.endless:
            return min(self.endless, key=lambda row: len(to_text(row)))
        rows = [row for row, who in self.slow if who == "candidate" and self.tier(row) == INSIDE and is_small(row)]
        if self.slowest_finish > MERELY_SLOW:
            rows = [row for row in rows if to_text(row) in self._backtracking]
        return min(rows, key=lambda row: len(to_text(row))) if rows else None

    def _plainest(self, row: Any, tier: int) -> tuple[Any, int]:
        """A row that runs into the limit of recursion is not made smaller: which length just does is another one in
        another process. Its long arguments become uniform, and of a length that is well beyond the limit."""
        for index in range(len(row)):
            for value in uniform(row[index]):
                plain = row[:index] + (value,) + row[index + 1 :]
                if self.tier(plain) == tier and self.pair.run(plain) == DIFFER and "Recursion" in self.pair.difference:
                    row = plain
                    break
        self.pair.run(row)
        return row, tier

    def _minimal(self) -> tuple[Any, int] | None:
        if self.found is None:
            return None
        row, tier = self.found
        with self.pair.clock.limited(LONGEST_LIMIT):
            if self.pair.run(row) != DIFFER:
                return None
        is_deep = self.pair.difference == _TOO_DEEP and tier != INSIDE
        with self.pair.clock.limited(LONGEST_LIMIT if is_deep else self._usual_limit):
            best, reached = self._shrunk(row, tier, is_deep=is_deep)
        if is_deep and reached == tier:
            with self.pair.clock.limited(LONGEST_LIMIT):
                return self._plainest(row, tier)
        return best, reached

    def _shrunk(self, row: Any, tier: int, *, is_deep: bool) -> tuple[Any, int]:
        """The smallest row that shows the same difference, and its tier."""
        kind = self.pair.difference

        def still_differs(smaller: Any) -> int:
            if (is_deep and not is_tiny(smaller)) or (
                self.pair.run(smaller) != DIFFER
                or not _same_kind(kind, self.pair.difference)
                or to_text(smaller) in self.distrusted
                or self._vacuity.explains(smaller)
                or self.pair.is_chance(smaller)
            ):
                return -1
            return self._tier_of_difference(smaller)

        defaults = [(p.has_default and is_plain(p.default), p.default) for p in self.domain.parameters]
        shrinker = Shrinker(row, tier, still_differs, self._slack * SHRINK_SECONDS, defaults)
        return shrinker.run(self.domain.typical, self.context.pool), shrinker.key[0]


def _is_out_of_range(result: CallResult | None) -> bool:
    """Whether a call ended because a float would have been too large; other numbers overflow on ordinary inputs."""
    if result is None or not isinstance(result.error, OverflowError):
        return False
    text = str(result.error)
    return "range" in text or "to float" in text


def _has_left_floats(value: Any, row: Any) -> bool:
    """Whether a result is an infinity, or what came of one, that the numbers of the row are large enough to lead to."""
    is_finite = all([math.isfinite(part) for part in walk(value) if type(part) is float])
    return not is_finite and LEADING_TO_INFINITY <= magnitude(row) < math.inf


def _has_overflown(value: Any) -> bool:
    """Whether there is an infinity, or what came of one, beside numbers that are nearly as large."""
    floats = [abs(part) for part in walk(value) if type(part) is float]
    return any([part > NEARLY_INFINITE for part in floats if math.isfinite(part)]) and not all(
        map(math.isfinite, floats)
    )


def _texts(pair: Pair) -> tuple[str, str]:
    expected, actual = pair.expected, pair.actual
    effects = pair.difference == "arguments"
    return (
        "" if expected is None else _told(expected, effects=effects),
        "" if actual is None else _told(actual, effects=effects),
    )


def _told(result: CallResult, *, effects: bool = False) -> str:
    return outcome_text(result) + result.output + (value_text(result.arguments) if effects else "")


def _same_kind(one: str, two: str) -> bool:
    """Shrinking must not slip from one bug to another: a wrong value stays a value, an exception its type."""
    return one == two
