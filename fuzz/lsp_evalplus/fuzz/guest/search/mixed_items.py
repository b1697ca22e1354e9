"""Values of two types in one input that the reference orders only where others are equal: ``{"": 1, 0: 0}``.

It sorts names by their counts, and names of one count by themselves, while the candidate sorts all names first. Both
fail where the counts are equal, so such a mix is not meant.
"""

from __future__ import annotations

import re
from typing import Any

from ..calling.invocation import RAISED, RETURNED
from ..judging.judge import Judge, Judgement
from ..values.dynamic import type_of
from ..values.rendering import message_of

_UNORDERED = re.compile(r"'[<>]=?' not supported between instances of '(\w+)' and '(\w+)'")
_NUMBERS = (int, float, bool)


def is_mixed(judge: Judge, row: Any, judgement: Judgement) -> bool:
    """Whether only the candidate fails to order values of two types, and so does the reference where all numbers of
    the row are the same."""
    expected, actual = judgement.expected, judgement.actual
    if not judge.has_reference or expected is None or actual is None or expected.kind != RETURNED:
        return False
    types = _unordered(actual.error) if actual.kind == RAISED else None
    if types is None:
        return False
    return any([_unordered(judge.probe(_levelled(row, number)).error) == types for number in (0, 1)])


def _unordered(error: Any) -> frozenset[str] | None:
    """The names of two types whose values have no order, where an exception says so."""
    found = _UNORDERED.match(message_of(error)) if type_of(error) is TypeError else None
    return None if found is None or found[1] == found[2] else frozenset(found.groups())


def _levelled(value: Any, number: int) -> Any:
    """The value with one number for all that are no keys."""
    kind = type_of(value)
    if kind in _NUMBERS:
        return number
    if kind is list or kind is tuple:
        parts = [_levelled(one, number) for one in value]
        return parts if kind is list else tuple(parts)
    return {key: _levelled(one, number) for key, one in value.items()} if kind is dict else value
