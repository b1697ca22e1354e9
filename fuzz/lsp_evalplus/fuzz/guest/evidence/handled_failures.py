"""Tell failures of an older version of which the newer one takes care, from inputs that are not meant for either.

An exception that nobody raised on purpose says only that the older version cannot do what it was asked for. If the
newer version returns, that may be luck: a rewritten line works for more types than the old one did. It is no luck if
the newer version has a guard (`static.guards`) without which it fails as the older one does.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any, Callable, Optional

from ..calling.call_clock import CallClock
from ..calling.invocation import RAISED, RETURNED, CallResult, Side, is_resource_failure
from ..calling.subject import Subject
from ..comparison.equality import is_caught_by
from ..program.source_facts import find_function
from ..static.guards import CONDITION, HANDLER, Guard, without
from ..values.class_lookup import package_of
from ..values.dynamic import type_of
from ..values.program_errors import innermost
from ..values.rendering import message_of
from .refusals import is_stated_in

Rewrite = Callable[[str], Optional[str]]
Copy = Callable[[Rewrite], Optional[Side]]
"""Loads the newer version again from rewritten source; None where that fails."""

MOST_GUARDS = 24
MOST_ASKED = 6
"""Failures of one kind at one place that no guard explains are asked about this many times."""
_OF_VALUES = (ArithmeticError, LookupError, StopIteration, UnboundLocalError, ValueError)
"""What fails for its value. A condition of any kind that is made for another type may be there for other reasons."""

_UNDEFINED = re.compile(r"name '(?P<name>\w+)' is not defined")
_LACKING = re.compile(r"module '[\w.]+' has no attribute '(?P<name>\w+)'")


class HandledFailures:
    """Decides whether the newer version returns because of a guard that the older one does not have.

    Args:
        guards: those of the newer version that the older one does not have.
        newer: the newer version.
        copy: makes copies of the newer version; they are made on first use. None: whatever a guard may be for counts as
            handled, where another judge has the last word.
        clock: limits the calls.
        imported: names that the module of the older version imports, which may be missing here alone.
    """

    def __init__(
        self,
        guards: Sequence[Guard],
        newer: Subject,
        copy: Copy | None,
        clock: CallClock,
        imported: AbstractSet[str] = frozenset(),
    ) -> None:
        self._guards = list(guards[:MOST_GUARDS])
        self._newer = newer
        self._copy = copy
        self._clock = clock
        self._imported = imported
        self._asked: Counter[tuple[str, int]] = Counter()

    def may_handle(self, error: Any) -> bool:
        """Whether it is worth while to run the newer version after the older one failed."""
        return bool(self._guards) or self._blames_no_argument(error)

    def are_handled(self, row: Any, expected: CallResult, actual: CallResult) -> bool:
        """Whether the newer version takes care of the failure of the older one on a row."""
        error = expected.error
        if actual.kind == RETURNED and self._blames_no_argument(error):
            return True
        if actual.kind not in (RETURNED, RAISED) or (actual.kind == RAISED and not self._tells(error, actual.error)):
            return False
        if self._copy is None:
            return any([_may_be_for(guard, error, actual) for guard in self._guards])
        place = (type_of(error).__name__, _last_line(error))
        if self._asked[place] >= MOST_ASKED:
            return False
        for number, (guard, side) in enumerate(self._copies):
            if _may_be_for(guard, error, actual) and self._fails_alike(side, row, error):
                self._copies.insert(0, self._copies.pop(number))
                return True
        self._asked[place] += 1
        return False

    def _tells(self, error: Any, instead: Any) -> bool:
        """Whether the newer version raises another exception on purpose."""
        return is_stated_in(self._newer.namespace, instead) and not is_caught_by(type_of(error), type_of(instead))

    def _blames_no_argument(self, error: Any) -> bool:
        """Whether the code itself is to blame: a variable has no value, or a module lacks what the code names.

        A library of which the older version could do without the import may not be installed.
        """
        kind, trace = type_of(error), innermost(error)
        if kind is UnboundLocalError:
            return trace is not None and trace.tb_frame.f_code.co_name == self._newer.qualname.rpartition(".")[2]
        if kind not in (NameError, AttributeError) or trace is None:
            return False
        frame, found = trace.tb_frame, (_UNDEFINED if kind is NameError else _LACKING).match(message_of(error))
        own, there = self._newer.namespace, frame.f_globals
        if found is None or found["name"] not in frame.f_code.co_names or package_of(there) != package_of(own):
            return False
        if kind is AttributeError:
            return True
        return there.get("__name__") == own.get("__name__") and self._imported.isdisjoint((found["name"], "*"))

    def _fails_alike(self, side: Side, row: Any, error: Any) -> bool:
        found = side.run(row, self._clock, self._clock.allowance)
        if isinstance(error, AssertionError):
            # The assertion went, and with it what it stated, unless the guard has taken its place.
            return found.kind == RAISED and isinstance(found.error, Exception) and not is_resource_failure(found.error)
        if found.kind != RAISED or type_of(found.error).__name__ != type_of(error).__name__:
            return False
        return message_of(found.error) == message_of(error)

    @cached_property
    def _copies(self) -> list[tuple[Guard, Side]]:
        """The newer version without each of the guards."""
        found: list[tuple[Guard, Side]] = []
        if self._copy is None:
            return found
        for guard in self._guards:
            side = self._copy(lambda source, guard=guard: self._rewritten(source, guard))
            if side is not None:
                found.append((guard, side))
        return found

    def _rewritten(self, source: str, guard: Guard) -> str | None:
        tree = ast.parse(source)
        function = find_function(tree, self._newer.qualname)
        if function is None:
            return None
        without(function, guard)
        return ast.unparse(ast.fix_missing_locations(tree))


def _may_be_for(guard: Guard, error: Any, actual: CallResult) -> bool:
    """Whether a guard may be made for a failure."""
    is_of_values, is_of_none = isinstance(error, _OF_VALUES), "NoneType" in message_of(error)
    if actual.kind == RAISED:  # It tells the failure in a way of its own.
        return is_of_values if guard.kind == HANDLER else guard.refuses and (is_of_values or is_of_none)
    return guard.kind != CONDITION or is_of_values or is_of_none or isinstance(error, AssertionError)


def _last_line(error: Any) -> int:
    trace = innermost(error)
    return 0 if trace is None else int(trace.tb_lineno)
