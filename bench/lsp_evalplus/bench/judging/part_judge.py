"""Incremental judging of a guest's answers on one part, under both comparators."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from lsp_evalplus.bench.problem import Part
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.guest.values.plain import PlainError, decode

from .digests import Digest, Outline
from .evalplus_compat import is_same_for_evalplus, status_of
from .expected import Compared, ExpectedPart
from .strict import Case, is_same
from .task_oracles import strict_comparator
from .verdicts import Failure, PartVerdict, Rule, Status, shorten, to_text


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended, in words, and the resources it used."""

    kind: str
    refusal: str | None
    """Why the program could not be loaded; None when it was."""
    cpu_seconds: float | None
    text: str = ""
    is_timeout: bool = False
    has_died: bool = False
    """Whether the program ended itself, possibly with answers not yet sent."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a call, as sent by a guest: it returned if there is a value or a digest."""

    part: Part
    index: int
    value: str | None = None
    """Encoded value as JSON."""
    digest: Digest | None = None
    """Digest of a large value."""
    text: str = ""
    """The outcome if it did not return: ``raised TypeError: ...``."""
    is_timeout: bool = False
    is_certain: bool = False
    """The call provably takes longer than it may."""
    seconds: float = 0.0
    """Wall time of the call, 0 for quick ones."""

    @property
    def is_value(self) -> bool:
        """Whether the call returned."""
        return self.value is not None or self.digest is not None


_MOST_COMPARED = 20_000
_LONGEST_COMPARED = 200
"""Maximal number of remembered comparison results, and characters of each value."""


@dataclass(slots=True)
class _Tally:
    status: Status = Status.PASS
    failures: list[Failure] = field(default_factory=list[Failure])


class PartJudge:
    """Judge the answers to the inputs of one part in order.

    Args:
        expected: the expected values.
        details: continue after the first failure, to the end of the part or until `most_timeouts` calls did not
            return.
        most_timeouts: None for no limit.
    """

    def __init__(self, expected: ExpectedPart, *, details: bool, most_timeouts: int | None = None) -> None:
        self.expected = expected
        self.places = expected.places
        self.details = details
        self._most_timeouts = most_timeouts
        self._strict = strict_comparator(expected.problem.family, expected.problem.entry_point)
        self._may_skip = expected.problem.entry_point != "find_zero"
        self.restart()

    def restart(self) -> None:
        """Discard the answers so far: the program runs from its beginning again."""
        self.taken = 0
        self.unread: list[int] = []
        """Inputs whose values must be compared in full because their digests are not conclusive."""
        self.has_timed_out = False
        """Whether a call timed out; the results after it are not known yet."""
        self.has_given_up = False
        """Whether the remaining inputs are skipped because too many calls did not return."""
        self._timeouts_left = self._most_timeouts
        self._tallies = {rule: _Tally() for rule in Rule}
        self._before_timeout: tuple[int, dict[Rule, _Tally]] | None = None
        """The number of judged answers and their tallies at the first timeout."""

    def resumed(self) -> PartJudge | None:
        """A judge that resumes at the first timed-out call; None where the results before it are not complete."""
        if self._before_timeout is None:
            return None
        judge = PartJudge(self.expected, details=self.details)
        judge.taken, judge._tallies = self._before_timeout
        return judge

    @property
    def is_decided(self) -> bool:
        """Whether no further answer can change the verdict."""
        if self.taken >= len(self.places):
            return True
        return not self.details and all(tally.failures for tally in self._tallies.values())

    @property
    def has_failed(self) -> bool:
        """Whether both comparators have found a failure."""
        return all(tally.failures for tally in self._tallies.values())

    def take_if_all_same(self, outcomes: Sequence[Any]) -> bool:
        """Accept the next outcomes if each matches the expected one verbatim; otherwise accept none of them.

        Most answers are right, and comparing lists of strings costs next to nothing.
        """
        end = self.taken + len(outcomes)
        if not self._may_skip or outcomes != self._outcomes[self.taken : end]:
            return False
        self.taken = end
        return True

    @cached_property
    def _outcomes(self) -> list[Any]:
        outcomes = self.expected.outcomes
        return outcomes if len(self.places) == len(outcomes) else [outcomes[index] for _, index in self.places]

    def take(self, answer: Answer) -> None:
        """Judge one answer; answers arrive in the order of `places`."""
        index = self.places[self.taken][1]
        self.taken += 1
        expected = self.expected
        if answer.is_timeout:
            self._take_timeout(index, answer)
        elif not answer.is_value:
            self._fail_both(index, answer.text, Status.FAIL)
        elif self._may_skip and expected.is_same_text(index, answer.value, answer.digest):
            if expected.has_nan(index):
                self._fail(Rule.EVALPLUS, Failure(index, "nan, which evalplus never finds equal"))
        elif answer.value is not None and expected.has_value(index):
            self._compare(index, answer.value)
        elif self._strict is is_same and (right := expected.has_same_numbers(index, answer.digest)) is not None:
            if not right:
                outline = None if answer.digest is None else Outline.of_digest(answer.digest)
                self._fail(Rule.STRICT, Failure(index, "" if outline is None else to_text(outline.head)))
        elif (text := self._find_different(index, answer)) is not None:
            self._fail_both(index, text, Status.FAIL)
        else:
            self.unread.append(index)

    def _find_different(self, index: int, answer: Answer) -> str | None:
        """The readable form of a value that differs from the expected one, if the outlines show that it does."""
        if self._strict is not is_same:
            return None
        expected = self.expected.outline(index)
        actual = Outline.of_digest(answer.digest) if answer.digest is not None else Outline.of_text(answer.value or "")
        if expected is None or actual is None:
            return None
        if actual.is_like(expected):
            case = self._case(index, expected.head)
            if _is_right(is_same, case, actual.head) or is_same_for_evalplus(case, actual.head):
                return None
        return to_text(actual.head)

    def _take_timeout(self, index: int, answer: Answer) -> None:
        text = answer.text
        if not (self.has_timed_out or answer.is_certain or self.details or self.unread):
            tallies = {rule: replace(tally, failures=[*tally.failures]) for rule, tally in self._tallies.items()}
            self._before_timeout = (self.taken - 1, tallies)
        rest = len(self.places) - self.taken
        if self.details and self._timeouts_left is not None:
            self._timeouts_left -= 1
            if self._timeouts_left == 0 and rest:
                self.has_given_up = True
                self.taken = len(self.places)
                text += _untried(rest)
        self._fail_both(index, text, Status.TIMEOUT, certain=answer.is_certain)

    def take_whole(self, answer: Answer) -> None:
        """Judge the full value of an answer that was sent as a digest before (`unread`)."""
        if answer.value is None:
            status = Status.TIMEOUT if answer.is_timeout else Status.FAIL
            self._fail_both(answer.index, answer.text or "another value when it was asked again", status)
        else:
            self._compare(answer.index, answer.value)

    def end(self, ended: Ended) -> None:
        """Handle the end of the guest: unless the verdict was certain, its current input failed as `ended` states."""
        if self.is_decided:
            return
        status = Status.TIMEOUT if ended.is_timeout else Status.FAIL
        if ended.refusal is not None:
            self._fail_both(-1, ended.refusal, status, ended=ended.is_timeout)
        else:
            rest = len(self.places) - self.taken - 1 if self.details else 0
            self._fail_both(self.places[self.taken][1], ended.text + _untried(rest), status, ended=True)
        self.taken = len(self.places)

    @property
    def remaining(self) -> list[tuple[Part, int]]:
        """The inputs without an answer so far."""
        return self.places[self.taken :]

    def verdicts(self) -> dict[Rule, PartVerdict]:
        """The verdicts by comparator."""
        return {
            rule: PartVerdict(tally.status, tuple(sorted(tally.failures, key=lambda failure: failure.index)))
            for rule, tally in self._tallies.items()
        }

    def _compare(self, index: int, text: str) -> None:
        known = self.expected.compared
        found = known.get((index, text))
        if found is None:
            found = self._compare_values(index, text)
            # Other programs mostly make the same mistakes.
            if len(known) < _MOST_COMPARED and len(text) <= _LONGEST_COMPARED:
                known[index, text] = found
        self._take_found(index, found)

    def _take_found(self, index: int, found: Compared) -> None:
        strict, compatible, actual = found
        if not strict:
            self._fail(Rule.STRICT, Failure(index, actual))
        if not compatible:
            self._fail(Rule.EVALPLUS, Failure(index, actual))

    def _compare_values(self, index: int, text: str) -> Compared:
        try:
            actual = decode(json.loads(text))
        except (PlainError, ValueError, RecursionError) as error:
            return False, False, shorten(f"a value that is not plain data: {error}")
        case = self._case(index, self.expected.value(index))
        strict, compatible = _is_right(self._strict, case, actual), is_same_for_evalplus(case, actual)
        return strict, compatible, "" if strict and compatible else to_text(actual)

    def _case(self, index: int, value: Any) -> Case:
        expected = self.expected
        arguments = expected.problem.inputs(expected.part)[index]
        return Case(expected.problem, arguments, value, expected.tolerance(index), expected.mixed)

    def _fail_both(self, index: int, text: str, status: Status, *, ended: bool = False, certain: bool = False) -> None:
        """Record a failure for both comparators; `ended`: the process is over; `certain`: the timeout is proven."""
        self.has_timed_out = self.has_timed_out or (status is Status.TIMEOUT and not certain)
        failure = Failure(index, shorten(text))
        self._fail(Rule.STRICT, failure, status)
        self._fail(Rule.EVALPLUS, failure, status_of(status, ended=ended))
        if ended and self.details:
            self._tallies[Rule.EVALPLUS].status = Status.TIMEOUT

    def _fail(self, rule: Rule, failure: Failure, status: Status = Status.FAIL) -> None:
        tally = self._tallies[rule]
        if not tally.failures:
            tally.status = status
        if self.details or not tally.failures:
            tally.failures.append(failure)


def _untried(rest: int) -> str:
    return f"; not tried: {count(rest, 'input')} after it" if rest else ""


def _is_right(comparator: Any, case: Case, actual: Any) -> bool:
    try:
        return bool(comparator(case, actual))
    except Exception:  # noqa: BLE001 - too large for an oracle, too deep to compare, of a kind that nobody thought of
        return False
