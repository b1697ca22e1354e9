"""Decide whether an input is fair: how plausible a row of arguments is, and a difference on it.

All criteria are combined here: the domain knows annotations, examples, contract and docstring,
`values.metrics` what a person would write, `unused_arguments` and the judge whether the reference's result means
anything. A row that is not reportable is never shown, a widened one only when there is nothing better.
"""

from __future__ import annotations

import errno
import math
import re
from collections.abc import Mapping, Set
from typing import Any, Callable, NamedTuple

from ..calling.invocation import RETURNED, CallResult
from ..comparison.equality import same
from ..generation.domain import Domain
from ..inference.records.value_usage import STAND_IN
from ..judging.judge import Judge, Judgement
from ..judging.outcomes import HANDLED, MENDED, is_endless
from ..values.dynamic import is_instance, type_of
from ..values.metrics import are_modest, have_mixed_times, is_rounding_sized, magnitude, walk
from ..values.recipes.model import New
from ..values.rendering import message_of
from .mixed_items import is_mixed
from .untold_types import UntoldTypes
from .unused_arguments import UnusedArguments
from .unused_objects import UnusedObjects, Uses

NOT_REPORTABLE, INSIDE, WIDENED = -1, 0, 1
TIERS = ("inside", "widened")

_OF_NONE = re.compile(r"'NoneType' object has no attribute '(\w+)'")
NEARLY_INFINITE = 1e150
LEADING_TO_INFINITY = 300.0
"""A power of a small number overflows with exponents from about here on."""
TOO_DEEP = "raised RecursionError"


class Plausibility(NamedTuple):
    """The plausibility of a row, and the reason for it."""

    tier: int
    reason: str = ""

    @property
    def is_reportable(self) -> bool:
        """Whether the row may be shown."""
        return self.tier != NOT_REPORTABLE


_FAIR = Plausibility(INSIDE)
_WRONG_TYPE = Plausibility(NOT_REPORTABLE, "neither annotations nor examples show such a type")
_TINY_FLOAT = Plausibility(NOT_REPORTABLE, "a float is so small that tolerances swallow it")
_RULED_OUT = Plausibility(NOT_REPORTABLE, "the docstring says that there are no such inputs")
_OVERFLOWN = Plausibility(NOT_REPORTABLE, "the reference left the range of floats")
_USED_UP = Plausibility(NOT_REPORTABLE, "the reference does not give for a list what it gives for its iterator")
_WIDER_TYPE = Plausibility(WIDENED, "only the contract admits such a type")
_NO_WHOLE_NUMBERS = Plausibility(WIDENED, "the docstring speaks of numbers, its examples have whole ones")
_EXTREME = Plausibility(WIDENED, "a person would hardly write such a value")
_MIXED_TIMES = Plausibility(WIDENED, "times with and without an offset are mixed")
_NOT_COMPARABLE = Plausibility(NOT_REPORTABLE, "the candidate compares the times that are mixed")
_UNCUSTOMARY = Plausibility(WIDENED, "names of the parameters suggest other numbers")
_UNLIKE_EXAMPLES = Plausibility(WIDENED, "no example has negative numbers, or empty values")
_UNLIKELY = Plausibility(NOT_REPORTABLE, "the older version fails on it, and hardly anyone would pass it")
_NO_FILE = Plausibility(NOT_REPORTABLE, "no file can have such a name")
_ITERATOR = Plausibility(WIDENED, "an iterator stands for a list")
_LIMITS = Plausibility(WIDENED, "the candidate met a limit of floats or of the stack")


class Fairness:
    """Rates the plausibility of the rows of one search.

    Args:
        domain: what rows may look like.
        judge: the judge whose judgements are asked about.
        unused: whether the reference accepts an argument only because it does not use it.
        never_none: the attributes of an instance that are not meant to be None, with what the candidate reads of them.
        uses: what the older version's module reads of the parameters; see `uses_of_kept`.
        of_libraries: the places of parameters that are annotated with classes of libraries.
    """

    def __init__(
        self,
        domain: Domain,
        judge: Judge,
        unused: UnusedArguments,
        never_none: Callable[[], Mapping[str, Set[str]]] = dict,
        uses: Uses | None = None,
        of_libraries: Set[int] = frozenset(),
    ) -> None:
        self._domain = domain
        self._judge = judge
        self._unused = unused
        self._untold = UntoldTypes(judge, domain)
        self._unused_objects = UnusedObjects(judge, domain, uses)
        self._never_none = never_none
        self._of_libraries = of_libraries
        self._has_small_floats = any([is_rounding_sized(walk(row)) for row in domain.rows])

    def is_excluded(self, row: Any) -> bool:
        """Whether the row is not worth trying."""
        return self._domain.is_ruled_out(row) or self._unused.is_endless(row)

    def of_input(self, row: Any) -> Plausibility:
        """The plausibility of the row, before the programs run on it."""
        domain = self._domain
        is_typical = domain.is_typical(row)
        is_admitted = is_typical or (domain.has_contract and domain.is_declared(row))
        if not is_admitted and not domain.is_numeric(row):
            return _WRONG_TYPE
        parts = walk(row)
        if not self._has_small_floats and is_rounding_sized(parts):
            return _TINY_FLOAT
        if domain.is_ruled_out(row):
            return _RULED_OUT
        if not is_admitted:
            return _NO_WHOLE_NUMBERS
        if not is_typical:
            return _WIDER_TYPE
        if not are_modest(parts):
            return _EXTREME
        if have_mixed_times(parts):
            return _MIXED_TIMES
        if not domain.is_customary(row):
            return _UNCUSTOMARY
        if not domain.has_contract and domain.hull is not None and not domain.hull.contains(row):
            return _UNLIKE_EXAMPLES
        return _FAIR

    def of_difference(self, row: Any, judgement: Judgement) -> Plausibility:
        """The plausibility of a difference on the row.

        Only unusual inputs reach the limits of floats, or of the stack where a recursion terminates;
        beyond those of floats the reference has no correct result.
        """
        expected, actual = judgement.expected, judgement.actual
        if judgement.difference == MENDED:
            return _FAIR
        if expected is not None and _has_overflown(expected.value):
            return _OVERFLOWN
        if actual is not None and _names_no_file(row, actual.error):
            return _NO_FILE
        found = self.of_input(row)
        if actual is not None and _compares_times(actual.error) and have_mixed_times(walk(row)):
            return _NOT_COMPARABLE
        if judgement.difference == HANDLED:
            return found if found.tier == INSIDE else _UNLIKELY
        settled = self._domain.settled(row)
        if settled is not row and found.is_reportable:
            return _ITERATOR if self._is_meant(row, settled, judgement) else _USED_UP
        if found.tier == INSIDE and actual is not None and _meets_limits(row, judgement, actual):
            return _LIMITS
        return found

    def is_excused(self, row: Any, judgement: Judgement) -> bool:
        """Whether the difference is not the candidate's fault: the reference ignores what the candidate fails on, or
        could have returned the candidate's result, or an argument has a type, or a mix of types, that nobody means.
        That is decided by running programs."""
        for one in (self._unused, self._untold, self._unused_objects):
            if one.explain(row, judgement):
                return True
        if is_mixed(self._judge, row, judgement) or self._lacks_member(row, judgement):
            return True
        return self._judge.is_incidental(row, judgement)

    def _has_stand_in(self, row: Any) -> bool:
        """Whether an object that has only what the programs use stands in for one of a library, which has more."""
        given = [row[place] for place in self._of_libraries if place < len(row)]
        return any([type(one) is New and one.name == STAND_IN for one in given])

    def _lacks_member(self, row: Any, judgement: Judgement) -> bool:
        """Whether the candidate alone fails for want of an attribute that whoever makes the instance sets, or that only
        objects of a library have."""
        expected, actual = judgement.expected, judgement.actual
        if expected is None or actual is None or expected.kind != RETURNED:
            return False
        kind, message = type_of(actual.error), message_of(actual.error)
        if kind in (AttributeError, TypeError) and "NoneType" not in message and self._has_stand_in(row):
            return True
        found = _OF_NONE.match(message) if kind is AttributeError else None
        return found is not None and any([found.group(1) in read for read in self._never_none().values()])

    def _is_meant(self, row: Any, settled: Any, judgement: Judgement) -> bool:
        """Whether the reference returns the same for lists as for iterators, so that it iterates only once; what it
        leaves of an iterator counts where that is all it does."""
        expected, again = judgement.expected, self._judge.probe(settled)
        if judgement.difference == "arguments" and not self._domain.is_read_on(row):
            return False
        if expected is None or not again.kind == expected.kind == RETURNED:
            return False
        return same(expected.value, again.value)


def _meets_limits(row: Any, judgement: Judgement, actual: CallResult) -> bool:
    if judgement.difference == TOO_DEEP and not is_endless(actual.error, row):
        return True
    return _is_out_of_range(actual) or _has_left_floats(actual.value, row)


def _compares_times(error: Any) -> bool:
    """Whether Python says that times with and without an offset have no order and no distance."""
    return is_instance(error, TypeError) and "offset-naive and offset-aware" in message_of(error)


def _names_no_file(row: Any, error: Any) -> bool:
    """Whether a program fails because no file can have the name that it was given: functions that ask for a file refuse
    it in ways of their own."""
    if is_instance(error, OSError):
        return error.errno == errno.ENAMETOOLONG
    if not is_instance(error, ValueError) or not message_of(error).startswith("embedded null"):
        return False
    return any([type(part) is str and "\0" in part for part in walk(row)])


def _is_out_of_range(result: CallResult) -> bool:
    """Whether a float overflow ended a call; other numbers overflow on ordinary inputs."""
    if not isinstance(result.error, OverflowError):
        return False
    text = str(result.error)
    return "range" in text or "to float" in text


def _has_left_floats(value: Any, row: Any) -> bool:
    """Whether a result is an infinity, or derived from one, that the row's numbers are large enough to cause."""
    is_finite = all([math.isfinite(part) for part in walk(value) if type(part) is float])
    return not is_finite and LEADING_TO_INFINITY <= magnitude(row) < math.inf


def _has_overflown(value: Any) -> bool:
    """Whether there is an infinity, or a value derived from one, beside numbers that are nearly as large."""
    floats = [abs(part) for part in walk(value) if type(part) is float]
    return any([part > NEARLY_INFINITE for part in floats if math.isfinite(part)]) and not all(
        map(math.isfinite, floats)
    )
