"""Notes whether the reference has but a few results: then the inputs may not have shown what it does."""

from __future__ import annotations

from typing import Any

from ..calling.invocation import RETURNED, CallResult
from ..values.recipes.model import IMMUTABLE

_CONTAINERS = (list, tuple, dict, set)
MOST_RESULTS = 2
"""A predicate has two, of which one may come of a special case."""


class FewResults:
    """Whether all results of a search are one or two plain values, empty containers, or exceptions."""

    def __init__(self) -> None:
        self._seen: list[Any] = []
        self._are_many = False

    @property
    def are_few(self) -> bool:
        """Whether there were results, and hardly different ones."""
        return bool(self._seen) and not self._are_many

    def note(self, result: CallResult | None) -> None:
        """Note the outcome of the reference on one more input; None is the result of a procedure, and says nothing."""
        if result is None or self._are_many:
            return
        value = result.value if result.kind == RETURNED else type(result.error).__name__
        if type(value) in _CONTAINERS and not value:
            value = f"an empty {type(value).__name__}"
        if type(value) not in IMMUTABLE or value is None:
            self._are_many = True
        elif not any([type(one) is type(value) and one == value for one in self._seen]):
            self._seen.append(value)
            self._are_many = len(self._seen) > MOST_RESULTS
