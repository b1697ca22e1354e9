"""Statistics of the inputs that a search tried: their stages, judgements, types and sizes, and how one became small."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Final, TypedDict

from lsp_evalplus.fuzz.model import Trace, Trial

_MOST_MIXED: Final = 2


class Sizes(TypedDict):
    """Lengths of calls, in characters."""

    smallest: int
    median: float
    largest: int


def count_stages(trace: Trace) -> Counter[str]:
    """Count the inputs by the stages of the search that made them."""
    return Counter({stage: sum(counts.values()) for stage, counts in trace.stages.items()})


def count_judgements(trace: Trace) -> Counter[str]:
    """Count the inputs by what was said of them, such as ``agree``."""
    judged = Counter[str]()
    for counts in trace.stages.values():
        judged.update(counts)
    return judged


def measure_sizes(trials: Iterable[Trial]) -> Sizes:
    """Return the smallest, median and largest length of calls; zeros where there is none."""
    sizes = sorted(len(trial.call) for trial in trials) or [0]
    return {"smallest": sizes[0], "median": median(sizes), "largest": sizes[-1]}


def choose_steps(calls: Sequence[str], most: int) -> list[str]:
    """Choose at most `most` of the calls, at least two, evenly spread, the first and the last among them."""
    last = len(calls) - 1
    if last < most:
        return list(calls)
    return [calls[place * last // (most - 1)] for place in range(most)]


def count_kinds(trials: Iterable[Trial]) -> Counter[str]:
    """Count the calls by the types of their arguments, such as ``list[int], str``; calls cut short have none."""
    return Counter(kind for trial in trials if (kind := kind_of(trial.call)) is not None)


def kind_of(call: str) -> str | None:
    """Return the types of the arguments of a call, such as ``list[int], str``; None where it is no whole call."""
    try:
        tree = ast.parse(call, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(tree, ast.Call):
        return None
    named = [f"{word.arg or '**'}={_type_of(word.value)}" for word in tree.keywords]
    return ", ".join([*map(_type_of, tree.args), *named])


def _type_of(node: ast.expr) -> str:
    """The type of a literal or of what a constructor makes, as its source shows it."""
    match node:
        case ast.Constant(value=value):
            return "None" if value is None else type(value).__name__
        case ast.UnaryOp(operand=operand):
            return _type_of(operand)
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return type(node).__name__.lower() + _types_of(items)
        case ast.Dict(values=items):
            return "dict" + _types_of(items)
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
        case _:
            return "object"


def _types_of(items: Sequence[ast.expr]) -> str:
    """``[int]``, ``[int | str]``; of more than `_MOST_MIXED` types, ``[...]``."""
    found = sorted({_type_of(item) for item in items})
    return f"[{' | '.join(found) if len(found) <= _MOST_MIXED else '...'}]"
