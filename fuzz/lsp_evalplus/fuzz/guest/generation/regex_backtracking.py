"""Strings that cause catastrophic backtracking in a regular expression.

Where an unbounded repetition contains a repetition or a choice itself, ``(a+)+$`` or ``(a|ab)*c``, there may be two
ways to match each character. A string that such a part matches many times, and that fails at its end, makes the matcher
all of them: ``'a' * 28 + '!'``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any

from .input_grammar import Grammar
from .regex_sampler import UNBOUNDED, Sampler

_TIMES = 28
_LONGEST = 40
"""Maximum length of the strings: longer ones are no small inputs."""
_TAILS = ("!", "\n!", "a")
_MOST = 12
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")


@lru_cache(maxsize=4)
def pumped_texts(source: str, known: str) -> list[str]:
    """Return strings for the patterns of a program that another one does not have."""
    if "re" not in source:
        return []
    others = Grammar([known]).samplers
    found: dict[str, bool] = {}
    for pattern, sampler in Grammar([source]).samplers.items():
        if pattern not in others:
            for text in _texts(sampler):
                found[text] = True
    return list(found)[:_MOST]


def _texts(sampler: Sampler) -> Iterator[str]:
    for node in _ambiguous(sampler.tree):
        for least in (0, 1):
            text = sampler.sample(_First(), str, counts=partial(_count, node, least))
            for tail in _TAILS if len(text) >= _TIMES else ():
                if len(text) + len(tail) <= _LONGEST:
                    yield text + tail


def _count(node: Any, least: int, repetition: Any) -> int:
    """Return the count of a repetition: zero for optional parts unless `least` says otherwise."""
    if repetition is node:
        return _TIMES
    return max(1 if repetition[1] >= UNBOUNDED else least, int(repetition[0]))


class _First(random.Random):
    """A random generator that chooses the first of several items."""

    def choice(self, seq: Any) -> Any:
        """Return the first item."""
        return seq[0]


def _ambiguous(tree: Any) -> list[Any]:
    """Return the unbounded repetitions that contain a repetition or a choice."""
    found: list[Any] = []
    for code, argument in _nodes(tree):
        if str(code) in _REPEATS and argument[1] >= UNBOUNDED:
            inside = list(_nodes(argument[2]))
            if any([str(c) == "BRANCH" or (str(c) in _REPEATS and a[0] != a[1]) for c, a in inside]):
                found.append(argument)
    return found


def _nodes(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield all nodes of a syntax tree, from the outside in."""
    for code, argument in tree:
        yield code, argument
        name = str(code)
        if name in _REPEATS:
            yield from _nodes(argument[2])
        elif name == "SUBPATTERN":
            yield from _nodes(argument[-1])
        elif name == "BRANCH":
            for one in argument[1]:
                yield from _nodes(one)
