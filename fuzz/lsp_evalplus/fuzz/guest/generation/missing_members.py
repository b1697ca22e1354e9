"""Finds the attributes that a class uses of its instances and leaves to the classes it is mixed into, and sets them.

Nothing in the class or its bases defines them, so that its methods fail on any instance of its own. As with other
objects of unknown classes, both programs have to use the same ones.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ..inference.hints import hints_of
from ..inference.records.value_usage import Use
from ..inference.stored_parameters import definition_of, line_of
from ..program.classes import lacking_members, left_to_subclasses
from ..program.loader import Loaded
from ..values.recipes.model import ASSIGNMENT
from ..values.shapes import ChoiceShape
from .open_attributes import Change, declared_or, uses_of_instance

MOST_MISSING = 8
"""A class that lacks more is no mixin."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def missing_in(programs: Sequence[Loaded]) -> list[Change]:
    """Return assignments of what the classes of two programs lack; none where they do not lack the same."""
    ours, theirs = (_missing_of(one) for one in programs)
    if not ours.is_alike(theirs) or not 0 < len(ours.attributes) <= MOST_MISSING:
        return []
    made: Any = ours.with_attributes("")
    hints = hints_of(programs[0].owner)
    return [
        Change(ASSIGNMENT, (ChoiceShape((name,)), declared_or(part, hints.get(name))))
        for name, part in zip(made.keywords, made.parts)
    ]


def _missing_of(loaded: Loaded) -> Use:
    """Return the use of an instance, with those attributes only that nothing in its class sets."""
    owner: Any = loaded.owner
    missing = Use()
    names = lacking_members(owner, loaded.function)
    if not names or left_to_subclasses(owner, loaded.function):
        return missing
    nodes = list(map(definition_of, line_of(owner)))
    known = [node for node in nodes if node is not None]
    if len(known) == len(nodes):
        methods = [one for node in known for one in node.body if isinstance(one, _FUNCTIONS)]
        missing.attributes.update({name: use for name, use in uses_of_instance(methods).items() if name in names})
    return missing
