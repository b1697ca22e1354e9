"""The checks of a function: conditions on which it raises an exception and does nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from .walking import Function


class Check(NamedTuple):
    """A check of a function's own block."""

    key: str
    """The text of its tree: of its condition, and of what it raises."""
    first: int
    last: int
    """The lines of its ``raise`` statement."""


def checks_of(function: Function | None) -> Iterator[Check]:
    """Yield the checks of a function's own block, those of ``elif`` among them where other checks stand before it."""
    for statement in function.body if function is not None else ():
        part: Any = statement
        while isinstance(part, ast.If) and len(part.body) == 1 and isinstance(part.body[0], ast.Raise):
            refusal = part.body[0]
            key = ast.dump(part.test) + ast.dump(refusal)
            yield Check(key, refusal.lineno, refusal.end_lineno or refusal.lineno)
            part = part.orelse[0] if len(part.orelse) == 1 else None


def is_other_order(older: Function | None, old_line: int, newer: Function | None, new_line: int) -> bool:
    """Whether two versions of a function came to different ones of the checks that both of them have.

    An input that fails several checks is refused by the first one, and their order is seldom meant.

    Args:
        older: one version.
        old_line: where it raised its exception.
        newer: the other version.
        new_line: where that one raised its own.
    """
    sides = [(list(checks_of(older)), old_line), (list(checks_of(newer)), new_line)]
    met = [next((check.key for check in checks if check.first <= line <= check.last), "") for checks, line in sides]
    known = [{check.key for check in checks} for checks, _ in sides]
    return met[0] != met[1] and met[0] in known[1] and met[1] in known[0]
