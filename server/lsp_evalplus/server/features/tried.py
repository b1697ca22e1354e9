"""What a search tried, and how its counterexample became small: the part of a finding that a panel shows last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from lsp_evalplus.fuzz.engine.tried_inputs import (
    choose_steps,
    count_judgements,
    count_kinds,
    count_stages,
    measure_sizes,
)
from lsp_evalplus.fuzz.model import Trace
from lsp_evalplus.server.lsp.extension_types import Tried

_MOST_KINDS: Final = 8
_MOST_STEPS: Final = 8
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
    stages = count_stages(trace)
    return {
        "inputs": stages.total(),
        "stages": _ranked(stages),
        "judgements": [(_JUDGEMENTS.get(word, word), number) for word, number in _ranked(count_judgements(trace))],
        "kinds": _told(count_kinds(trace.trials)),
        "sizes": measure_sizes(trace.trials),
        "steps": trace.steps,
        "shrinking": choose_steps(trace.shrinking, _MOST_STEPS),
    }


def _told(kinds: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent kinds, in parentheses as in a call, and how many inputs are of others."""
    told = [(f"({kind})", number) for kind, number in _ranked(kinds)[:_MOST_KINDS]]
    rest = kinds.total() - sum(number for _, number in told)
    return [*told, ("others", rest)] if rest else told


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    """Counts, the largest first, and equal ones by name."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
