"""The trace of a search as plain data: its stages, the kinds and sizes of its inputs, how its finding became small."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from lsp_evalplus.fuzz.model import Trace, Trial

_MOST_MIXED = 2


def trace_to_json(trace: Trace) -> dict[str, Any]:
    """The ``trace`` of a target in the JSON output."""
    return {
        "stages": {stage: dict(counts) for stage, counts in trace.stages.items()},
        "kinds": dict(count_kinds(trace.trials).most_common()),
        "sizes": measure_sizes(trace.trials),
        "steps": trace.steps,
        "shrinking": list(trace.shrinking),
    }


def measure_sizes(trials: Iterable[Trial]) -> dict[str, float]:
    """The lengths of calls in characters: smallest, median and largest; zeros where there is none."""
    sizes = sorted(len(trial.call) for trial in trials) or [0]
    return {"smallest": sizes[0], "median": median(sizes), "largest": sizes[-1]}


def count_kinds(trials: Iterable[Trial]) -> Counter[str]:
    """How many calls have arguments of which types, such as ``list, int``; calls that are cut short have none."""
    return Counter(kind for trial in trials if (kind := kind_of(trial.call)) is not None)


def kind_of(call: str) -> str | None:
    """The types of the arguments of a call, such as ``list[int], str``; None where its text is no whole call."""
    try:
        tree = ast.parse(call, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(tree, ast.Call):
        return None
    given = [_type(argument) for argument in tree.args]
    return ", ".join([*given, *(f"{word.arg or '**'}={_type(word.value)}" for word in tree.keywords)])


def _type(node: ast.expr) -> str:
    """The type of a literal or of what a constructor makes, as its text shows it."""
    match node:
        case ast.Constant(value=value):
            return "None" if value is None else type(value).__name__
        case ast.UnaryOp(operand=operand):
            return _type(operand)
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return type(node).__name__.lower() + _of(items)
        case ast.Dict(values=values):
            return "dict" + _of(values)
        case ast.Call(func=ast.Name(id=name)):
            return name
        case ast.Call(func=ast.Attribute(attr=name)):
            return name
        case _:
            return "object"


def _of(items: Sequence[ast.expr]) -> str:
    """``[int]``, ``[int | str]``; of more than `_MOST_MIXED` types, ``[...]``."""
    found = sorted({_type(item) for item in items})
    if not found:
        return "[]"
    return f"[{' | '.join(found)}]" if len(found) <= _MOST_MIXED else "[...]"
