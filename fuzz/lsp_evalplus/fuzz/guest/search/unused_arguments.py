"""Arguments that a reference accepts only where it does not use them: a size of 0 for no items.

``chunks([], 0)`` returns nothing, while with any other list a size of 0 never ends: such a size is not meant, and a
candidate may reject it at once.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

from ..calling.invocation import RAISED, RETURNED, TIMED_OUT, CallResult
from ..comparison.equality import same
from ..generation.boundary_values import interesting
from ..generation.constants import Pool
from ..generation.domain import Domain
from ..generation.mutation import Mutator
from ..generation.random_values import Maker
from ..judging.judge import Judge, Judgement
from ..program.materialize import ITERATION_LIMIT
from ..values.dynamic import is_instance, type_of
from ..values.metrics import walk
from ..values.recipes.model import IMMUTABLE, RecipeError
from ..values.recipes.source import to_text
from ..values.rendering import Yielded

MOST_COMPANIONS = 12
"""At most this many combinations of the other arguments are tried with one value."""
MOST_TRIED = 200
COMPANION_SECONDS = 0.1
ENOUGH_FAILURES = 4
LEAST_SHARE = 0.4
"""Where the reference fails on this many of them, it works on the others because it does not reach the argument."""
MOST_ASKED = 40
"""At most this many values of one parameter are examined."""
LAST_ITEMS = 100
_EMPTY = (int, float, str, bytes, list, tuple, dict, set, frozenset, Yielded, type(None))


class UnusedArguments:
    """Decides whether the reference works on a row only because it ignores an argument that the candidate uses."""

    def __init__(self, judge: Judge, domain: Domain, pool: Pool, corpus: list[Any]) -> None:
        self._judge = judge
        self._domain = domain
        self._pool = pool
        self._corpus = corpus
        """Rows on which both programs agree."""
        self._companions: dict[int, list[Any]] = {}
        self._known: dict[tuple[int, str], bool] = {}
        self._lowest: dict[int, Any] = {}
        """By position, a negative number that is useless: lower ones are not examined."""
        self._endless: list[tuple[int, Any]] = []
        """Numbers with which the reference does not terminate, and their positions."""
        self._places = [i for i, one in enumerate(domain.parameters) if one.kind in ("positional", "keyword")]
        self._asked = 0

    def explain(self, row: Any, judgement: Judgement) -> bool:
        """Whether the difference on a row is that the candidate uses a useless argument."""
        expected, actual = judgement.expected, judgement.actual
        if expected is None or actual is None or expected.kind != RETURNED:
            return False
        if not self._judge.has_reference or judgement.difference == "parameters":
            return False
        has_failed = actual.kind == RAISED
        places = sorted(self._places if len(row) > 1 else (), key=lambda index: not _is_odd(row[index]))
        for index in places:
            is_asked = has_failed or _is_step_back(row[index])
            if is_asked and self._is_useless(row, index) and (has_failed or self.is_endless(row)):
                return True
        return gets_nowhere(expected.value) and not any([_has_no_end(self._run(one)) for one in self._domain.valid])

    def is_endless(self, row: Any) -> bool:
        """Whether the reference is known not to terminate with one of the arguments, where it uses it."""
        return bool(self._endless) and any([_is_as_low(row[index], value) for index, value in self._endless])

    def _is_useless(self, row: Any, index: int) -> bool:
        value = row[index]
        if index in self._lowest and _is_as_low(value, self._lowest[index]):
            return True
        key = (index, to_text(value))
        if key not in self._known:
            if self._asked >= MOST_ASKED * len(row):
                return False
            self._asked += 1
            self._known[key] = self._fails_elsewhere(index, value)
            if self._known[key] and _is_step_back(value) and value < 0:
                self._lowest[index] = value
        return self._known[key]

    def _fails_elsewhere(self, index: int, value: Any) -> bool:
        """Whether the reference fails with this value on much of what it works on with another."""
        failures = endless = 0
        companions = self._companions_of(index)
        for seen, row in enumerate(companions, 1):
            row = row[:index] + (value,) + row[index + 1 :]
            has_no_end = _has_no_end(self._run(row))
            endless += has_no_end
            failures += has_no_end or self._fails(row, value)
            is_enough = failures >= ENOUGH_FAILURES or (failures == len(companions) > 1)
            if is_enough and failures >= LEAST_SHARE * seen:
                if endless == failures and type(value) in (int, float):
                    self._endless.append((index, value))
                return True
        return False

    def _fails(self, row: Any, value: Any) -> bool:
        result = self._run(row)
        error = result.error
        if result.kind != RAISED or isinstance(error, RecipeError) or not self._judge.refuses(error):
            return False
        if isinstance(error, LookupError):
            # A missing index or key: the other arguments may ask for an item that is not there.
            return type(value) in (list, tuple, dict) and len(value) > 0
        if isinstance(error, (TypeError, AttributeError)):
            return _is_mixed(value)
        return isinstance(error, (ArithmeticError, ValueError))

    def _companions_of(self, index: int) -> list[Any]:
        """Rows that the reference works on, each with other arguments beside the one at a position; first those whose
        result is not empty."""
        found = self._companions.get(index, [])
        if len(found) == MOST_COMPANIONS:
            return found
        telling: list[Any] = []
        others: list[Any] = []
        taken: set[str] = set()
        hung: set[str] = set()
        end = time.process_time() + COMPANION_SECONDS
        for row in self._candidates(index):
            beside, value = to_text(row[:index] + row[index + 1 :]), to_text(row[index])
            if beside in taken or value in hung:
                continue
            result = self._run(row)
            if _has_no_end(result):
                hung.add(value)
            elif result.kind == RETURNED:
                taken.add(beside)
                (telling if _is_something(result.value) else others).append(row)
            if len(telling) == MOST_COMPANIONS or time.process_time() > end:
                break
        self._companions[index] = telling if len(telling) > 1 else (telling + others)[:MOST_COMPANIONS]
        return self._companions[index]

    def _candidates(self, index: int) -> Iterator[Any]:
        """Rows to combine with: those of the corpus, random ones, and combinations of interesting values."""
        yield from self._corpus[:MOST_COMPANIONS]
        shapes = self._domain.typical
        columns = [interesting(shape, self._pool, 24) for shape in shapes]
        columns[index] = sorted(columns[index], key=_is_odd)[:8]
        maker = Maker(Mutator(self._pool, random.Random(index)))
        for _ in range(MOST_TRIED if all(columns) else 0):
            yield maker.row(shapes)
            yield tuple([maker.rng.choice(column) for column in columns])

    def _run(self, row: Any) -> CallResult:
        return self._judge.probe(row)


def _has_no_end(result: CallResult) -> bool:
    """Whether a call timed out, or returned an iterator of more items than are examined."""
    return result.kind == TIMED_OUT or (type(result.value) is Yielded and len(result.value) >= ITERATION_LIMIT)


def _is_mixed(value: Any) -> bool:
    """Whether a container holds values of several types: few other arguments fit such a mixture."""
    leaves = [one for one in walk(value)[1:] if type(one) in IMMUTABLE or (type(one) in _EMPTY and not one)]
    return len({float if is_instance(one, (int, float)) else type_of(one) for one in leaves}) > 1


def _is_something(value: Any) -> bool:
    return type(value) not in _EMPTY or bool(value)


def _is_step_back(value: Any) -> bool:
    return type(value) in (int, float) and value <= 0


def _is_as_low(value: Any, limit: Any) -> bool:
    """Whether a number is the limit or, where that is negative, lies below it."""
    return _is_step_back(value) and type(value) is type(limit) and (value == limit or value < limit < 0)


def _is_odd(value: Any) -> bool:
    """Whether a value is one that is often useless: empty, zero, or negative."""
    return _is_step_back(value) or (type(value) in _EMPTY and not value)


def gets_nowhere(value: Any) -> bool:
    """Whether an iterator repeats the same item, for as many as are examined."""
    if type_of(value) is not Yielded or len(value) < ITERATION_LIMIT:
        return False
    return all([same(value[0], one) for one in value[-LAST_ITEMS:]])
