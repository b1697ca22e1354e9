"""Objects that stand for ones of unknown classes: what their attributes have to do with each other, nobody knows.

So they show something only where both programs use the same attributes.
"""

from __future__ import annotations

import ast
import re
from functools import cached_property
from typing import Any

from ..inference.records.value_usage import STAND_IN
from ..program.source_facts import nodes_of, tree_of
from ..static.parameter_members import is_plain
from ..values.recipe import to_text
from ..values.rendering import message_of

_LACKING = re.compile(
    rf"'{STAND_IN}' object (?:has no attribute|is not iterable|is not subscriptable)"
    rf"|argument of type '{STAND_IN}' is not|object of type '{STAND_IN}' has no len"
)
"""Python's messages for what a stand-in lacks: an attribute, or the methods of a container."""


class StandIns:
    """Tells which calls of two programs say nothing because of stand-ins.

    Args:
        sources: the programs.
        is_bound: whether the first argument is the instance of a method.
    """

    def __init__(self, sources: tuple[str, str], *, is_bound: bool) -> None:
        self._sources = sources
        self._is_bound = is_bound

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
        return one ^ two


def is_lacking(error: Any) -> bool:
    """Return whether an exception says that a stand-in lacks an attribute, or items, which the object that is meant may
    have."""
    return isinstance(error, (AttributeError, TypeError)) and bool(_LACKING.match(message_of(error)))


def _attributes_in(source: str) -> set[str]:
    """Return the names of the attributes that a program reads."""
    nodes = nodes_of(tree_of(source))
    return {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)}
