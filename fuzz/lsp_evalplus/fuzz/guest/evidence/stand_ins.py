"""Objects that stand for ones of unknown classes: what their attributes have to do with each other, nobody knows.

So they show something only where both programs use the same attributes, or a newer version lacks nothing but calls for
their effect alone.
"""

from __future__ import annotations

import ast
import re
from functools import cached_property
from typing import Any

from ..inference.records.value_usage import STAND_IN
from ..inference.usage import calls_in
from ..program.source_facts import nodes_of, tree_of
from ..static.parameter_members import is_plain
from ..static.walking import walk_tree
from ..values.recipes.source import to_text
from ..values.rendering import message_of

_LACKING = re.compile(
    rf"'{STAND_IN}' object (?:has no attribute|is not iterable|is not subscriptable)"
    rf"|argument of type '{STAND_IN}' is not|object of type '{STAND_IN}' has no len"
)
"""Python's messages for what a stand-in lacks: an attribute, or the methods of a container."""


class StandIns:
    """Tells which calls of two programs say nothing because of stand-ins.

    Args:
        sources: the candidate and the reference.
        is_bound: whether the first argument is the instance of a method.
        is_previous: whether the reference is an older version.
    """

    def __init__(self, sources: tuple[str, str], *, is_bound: bool, is_previous: bool) -> None:
        self._sources = sources
        self._is_bound = is_bound
        self._is_previous = is_previous

    def are_meaningless_in(self, row: Any) -> bool:
        """Whether the instance holds a stand-in, and one of the programs uses an attribute that the other one does not:
        one that stand-ins have, or that no builtin type has."""
        if not self._used_by_one or not row:
            return False
        text = to_text(row[0])
        return f"{STAND_IN}(" in text and any([not is_plain({one}) or f"{one}=" in text for one in self._used_by_one])

    @cached_property
    def _used_by_one(self) -> set[str]:
        if not self._is_bound:
            return set()
        one, two = map(_attributes_in, self._sources)
        lacks_calls = self._is_previous and one < two and has_lost_calls_alone(*self._sources)
        return set() if lacks_calls else one ^ two


def is_lacking(error: Any) -> bool:
    """Return whether an exception says that a stand-in lacks an attribute, or items, which the object that is meant may
    have."""
    return isinstance(error, (AttributeError, TypeError)) and bool(_LACKING.match(message_of(error)))


def has_lost_calls_alone(newer: str, older: str) -> bool:
    """Return whether all that one of two versions uses of objects is what the other one uses, which uses more only to
    call methods for their effect: ``self.pool.release(self)`` as a statement."""
    ours, theirs = _uses_in(newer), _uses_in(older)
    return ours <= theirs and all([is_effect for _, _, is_effect in theirs - ours])


def _uses_in(source: str) -> set[tuple[str, str, bool]]:
    """Return the attributes that a program reads, as they are written from their variables on, with the kind of node
    that they are a part of, and whether they are parts of a call for its effect alone."""
    tree = tree_of(source)
    effects = {id(part) for call, _, is_effect, _ in calls_in(tree) if is_effect for part in walk_tree(call)}
    return {
        (ast.unparse(part), type(node).__name__, id(part) in effects)
        for node in nodes_of(tree)
        for part in ast.iter_child_nodes(node)
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load)
    }


def _attributes_in(source: str) -> set[str]:
    """Return the names of the attributes that a program reads."""
    nodes = nodes_of(tree_of(source))
    return {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)}
