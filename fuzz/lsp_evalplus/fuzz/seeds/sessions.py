"""Doctests beyond plain calls with plain results: printed output, ellipses, results inside calls, variables.

They are parsed here as sessions, and run as a whole in a guest only (`guest/judging/doctest_session.py`).
"""

from __future__ import annotations

import ast
import builtins
import doctest
from collections.abc import Collection, Sequence

from lsp_evalplus.fuzz.guest.static.walking import walk_tree
from lsp_evalplus.fuzz.model import Step
from lsp_evalplus.fuzz.source.parsing import parse_statements
from lsp_evalplus.fuzz.source.scopes import bound_names

from .calls import CallReader
from .doctests import dedented, exception_name, parse_examples

MAXIMUM_STEPS = 100


def read_session(docstring: str, reader: CallReader, first_line: int, told: Collection[int]) -> tuple[Step, ...]:
    """Return the steps of a docstring up to the last judged one; empty if none is judged.

    Args:
        docstring: as written.
        reader: parses calls of the function.
        first_line: the docstring's zero-based line.
        told: lines of examples judged elsewhere.
    """
    try:
        parsed = parse_examples(dedented(docstring))
    except ValueError:
        return ()
    steps, earlier = list[Step](), list[ast.stmt]()
    for entry in parsed[:MAXIMUM_STEPS]:
        statements = parse_statements(entry.source)
        if not statements or entry.options.get(doctest.SKIP):
            continue
        line = first_line + entry.lineno
        before = _needed(earlier, statements)
        earlier += statements
        is_judged = line not in told and bool(entry.want.strip()) and _mentions([*before, *statements], reader)
        raises = exception_name(entry.exc_msg) if entry.exc_msg else None
        steps.append(Step(entry.source, entry.want, raises, line, _expression(before, statements), is_judged))
    last = max((number for number, step in enumerate(steps) if step.is_judged), default=-1)
    return tuple(steps[: last + 1])


def _mentions(statements: Sequence[ast.stmt], reader: CallReader) -> bool:
    """Whether the statements refer to the function, as in a call or an argument."""
    for part in (part for statement in statements for part in walk_tree(statement)):
        if isinstance(part, ast.Name) and part.id == reader.name and reader.owner is None:
            return True
        if isinstance(part, ast.Attribute) and part.attr == reader.name:
            return True
    return False


def _needed(earlier: Sequence[ast.stmt], statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return the earlier statements that bind, or may mutate, the names used by `statements`."""
    own = [statement for statement in earlier if not isinstance(statement, (ast.Import, ast.ImportFrom))]
    assigned = bound_names(*own)
    wanted = _names(statements) & assigned
    found = list[ast.stmt]()
    for statement in reversed(own):
        if _names([statement]) & wanted or bound_names(statement) & wanted:
            found.append(statement)
            wanted |= _names([statement]) & assigned
    return found[::-1]


def _names(statements: Sequence[ast.stmt]) -> frozenset[str]:
    parts = [part for statement in statements for part in walk_tree(statement)]
    return frozenset({part.id for part in parts if isinstance(part, ast.Name)}) - _BUILTINS


_BUILTINS = frozenset(dir(builtins))


def _expression(before: Sequence[ast.stmt], statements: Sequence[ast.stmt]) -> str:
    """Combine all steps to a result into one expression: ``(data := [2, 1], f(data), data)[-1]``.

    Omits imports; if a statement has no expression form, returns the last line only.
    """
    own = ast.unparse(statements[-1])
    parts = [_part(one) for one in [*before, *statements] if not isinstance(one, (ast.Import, ast.ImportFrom))]
    texts = [part for part in parts if part is not None]
    if len(texts) < len(parts) or not isinstance(statements[-1], ast.Expr):
        return own
    return f"({', '.join(texts)})[-1]" if len(texts) > 1 else own


def _part(statement: ast.stmt) -> str | None:
    match statement:
        case ast.Expr():
            return ast.unparse(statement)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return f"{name} := {ast.unparse(value)}"
        case _:
            return None
