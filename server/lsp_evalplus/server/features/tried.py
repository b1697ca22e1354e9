"""What a search tried, and how its counterexample became small: the part of a finding that a panel shows last."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Final

from lsp_evalplus.fuzz.model import Trace, Trial
from lsp_evalplus.server.lsp.extension_types import Tried

_MOST_KINDS: Final = 8
_MOST_STEPS: Final = 8
_MOST_MIXED: Final = 2
_JUDGEMENTS: Final[Mapping[str, str]] = {
    "agree": "no difference",
    "differ": "a difference",
    "rejected": "refused by the contract or the reference",
    "slow": "too slow",
    "undecided": "not comparable",
}


def view_of(trace: Trace | None) -> Tried | None:
    """The ``tried`` of a finding; None where no search was made."""
    if trace is None or not trace.stages:
        return None
    stages, judgements = Counter[str](), Counter[str]()
    for stage, counts in trace.stages.items():
        stages[stage] = sum(counts.values())
        judgements.update(counts)
    sizes = sorted(len(trial.call) for trial in trace.trials) or [0]
    return {
        "inputs": stages.total(),
        "stages": _ranked(stages),
        "judgements": [(_JUDGEMENTS.get(word, word), number) for word, number in _ranked(judgements)],
        "kinds": _told(count_kinds(trace.trials)),
        "sizes": {"smallest": sizes[0], "median": median(sizes), "largest": sizes[-1]},
        "steps": trace.steps,
        "shrinking": choose_steps(trace.shrinking),
    }


def choose_steps(calls: Sequence[str]) -> list[str]:
    """At most `_MOST_STEPS` of the calls, evenly spread, the first and the last among them."""
    last = len(calls) - 1
    if last < _MOST_STEPS:
        return list(calls)
    return [calls[place * last // (_MOST_STEPS - 1)] for place in range(_MOST_STEPS)]


def count_kinds(trials: Iterable[Trial]) -> Counter[str]:
    """Number of calls by the types of their arguments; calls that were cut short do not count."""
    return Counter(kind for trial in trials if (kind := kind_of(trial.call)) is not None)


def kind_of(call: str) -> str | None:
    """The types of the arguments of a call, such as ``list[int], str``; None where its text is no whole call."""
    try:
        tree = ast.parse(call, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(tree, ast.Call):
        return None
    named = [f"{word.arg or '**'}={_type_of(word.value)}" for word in tree.keywords]
    return ", ".join([*map(_type_of, tree.args), *named])


def _told(kinds: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent kinds, in parentheses as in a call, and how many inputs are of others."""
    told = [(f"({kind})", number) for kind, number in _ranked(kinds)[:_MOST_KINDS]]
    rest = kinds.total() - sum(number for _, number in told)
    return [*told, ("others", rest)] if rest else told


def _type_of(node: ast.expr) -> str:
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
    found = sorted({_type_of(item) for item in items})
    return f"[{' | '.join(found) if len(found) <= _MOST_MIXED else '...'}]"


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    """Counts, the largest first, and equal ones by name."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
