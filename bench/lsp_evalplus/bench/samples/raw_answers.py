"""Samples that are raw answers of a model, with Markdown fences or prose around the code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .samples import Sample
from .syntax_check import find_syntax_error

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RawAnswers:
    """The samples that do not compile."""

    uncompilable: tuple[str, ...]
    """Where they are: ``line 3 (HumanEval/2)``."""
    fenced: int
    """How many of them hold Markdown fences."""


def find_raw_answers(samples: Iterable[Sample]) -> RawAnswers:
    """Return which of `samples` do not compile; equal programs are compiled once."""
    faulty: dict[str, bool] = {}
    places: list[str] = []
    fenced = 0
    for sample in samples:
        if sample.solution not in faulty:
            faulty[sample.solution] = find_syntax_error(sample.solution) is not None
        if faulty[sample.solution]:
            places.append(f"{sample.where} ({sample.task_id})")
            fenced += _FENCE.search(sample.solution) is not None
    return RawAnswers(tuple(places), fenced)
