"""Random strings that match a regular expression, drawn from its syntax tree as the standard library parses it."""

from __future__ import annotations

import importlib
import random
import re
import sys
import warnings
from typing import Any, Callable

_PARSER: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
_CATEGORIES = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_NOT_DIGIT": "aA -",
    "CATEGORY_SPACE": " \t\n",
    "CATEGORY_NOT_SPACE": "a1-",
    "CATEGORY_WORD": "abA0_",
    "CATEGORY_NOT_WORD": " -.",
}
_ANY = "aA0 -_"
_MEANT = 0.8
"""Probability that an unescaped ``.`` beside a letter is a dot."""
UNBOUNDED = int(_PARSER.MAXREPEAT)
"""Maximum count of an unbounded repetition, as the parser represents it."""
_MOST = 4
"""Maximum number of repetitions above the minimum."""
_DEEPEST = 30
_FILLED = 0.4
"""Share of the runs of nearly any characters that have a structure of their own."""


class Sampler:
    """Draws strings that match a pattern, unless it uses lookaround or unusual back-references."""

    def __init__(self, tree: Any) -> None:
        self.tree = tree

    @classmethod
    def of(cls, pattern: str, *, is_verbose: bool = False) -> Sampler | None:
        """Return a sampler of the pattern, None if it is invalid."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return cls(_PARSER.parse(pattern, re.VERBOSE if is_verbose else 0))
        except (re.error, RecursionError, OverflowError, ValueError):
            return None

    def sample(
        self,
        rng: random.Random,
        number: Callable[[], str],
        *,
        counts: Callable[[Any], int] | None = None,
        filling: Callable[[], str] | None = None,
    ) -> str:
        """Return one string; runs of digits are often numbers given by `number`.

        Args:
            counts: the count of each repetition of the tree; default: random.
            filling: makes what runs of nearly any characters are, now and then; default: such characters.
        """
        draw = _Draw(rng, number, counts, filling)
        draw.all(self.tree, 0)
        return "".join(draw.parts)


class _Draw:
    def __init__(
        self,
        rng: random.Random,
        number: Callable[[], str],
        counts: Callable[[Any], int] | None = None,
        filling: Callable[[], str] | None = None,
    ) -> None:
        self.parts: list[str] = []
        self._counts = counts
        self._filling = filling
        self._rng = rng
        self._number = number
        self._groups: dict[int, str] = {}

    def all(self, tree: Any, depth: int) -> None:
        """Draw a sequence of nodes."""
        if depth > _DEEPEST:
            return
        for index, (code, argument) in enumerate(tree):
            action = getattr(self, "_" + str(code).lower(), None)
            if str(code) == "ANY" and _stands_for_dot(tree, index) and self._rng.random() < _MEANT:
                self.parts.append(".")
            elif action is not None:
                action(argument, depth + 1)

    def _literal(self, argument: Any, depth: int) -> None:
        self.parts.append(chr(argument))

    def _not_literal(self, argument: Any, depth: int) -> None:
        self.parts.append(self._rng.choice([c for c in _ANY if ord(c) != argument]))

    def _any(self, argument: Any, depth: int) -> None:
        self.parts.append(self._rng.choice(_ANY))

    def _in(self, argument: Any, depth: int) -> None:
        self.parts.append(self._rng.choice(_members(argument)))

    def _branch(self, argument: Any, depth: int) -> None:
        self.all(self._rng.choice(argument[1]), depth)

    def _subpattern(self, argument: Any, depth: int) -> None:
        start = len(self.parts)
        self.all(argument[-1], depth)
        if argument[0] is not None:
            self._groups[argument[0]] = "".join(self.parts[start:])

    def _groupref(self, argument: Any, depth: int) -> None:
        self.parts.append(self._groups.get(argument, ""))

    def _atomic_group(self, argument: Any, depth: int) -> None:
        self.all(argument, depth)

    def _max_repeat(self, argument: Any, depth: int) -> None:
        least, most, tree = argument
        if self._counts is not None:
            for _ in range(self._counts(argument)):
                self.all(tree, depth)
            return
        most = min(int(most), least + _MOST)
        if _is_digit(tree) and most > 1:
            number = self._number()
            if least <= len(number) <= max(most, 4 if int(argument[1]) > 4 else most) and self._rng.random() < 0.7:
                self.parts.append(number)
                return
        excluded = _excluded_by(tree)
        if excluded is not None and self._filling is not None and self._rng.random() < _FILLED:
            text = self._filling()
            if len(text) >= least and excluded.isdisjoint(text):
                self.parts.append(text)
                return
        draw = self._rng.random()
        count = least if draw < 0.35 else most if draw < 0.5 else self._rng.randint(least, most)
        for _ in range(count):
            self.all(tree, depth)

    _min_repeat = _max_repeat
    _possessive_repeat = _max_repeat


def _excluded_by(tree: Any) -> set[str] | None:
    """Return the characters that a node excludes which stands for nearly any; None for other nodes."""
    if len(tree) != 1:
        return None
    [(code, argument)] = tree
    name = str(code)
    if name == "ANY":
        return {"\n"}
    if name == "NOT_LITERAL":
        return {chr(argument)}
    kinds = [str(kind) for kind, _ in argument] if name == "IN" else []
    if kinds[:1] != ["NEGATE"] or set(kinds[1:]) != {"LITERAL"}:
        return None
    return {chr(one) for _, one in argument[1:]}


def _stands_for_dot(tree: Any, index: int) -> bool:
    """Whether an unescaped ``.`` stands beside a letter, as in ``github.com``: most authors mean the character."""
    beside = [tree[at] for at in (index - 1, index + 1) if 0 <= at < len(tree)]
    return any([str(code) == "LITERAL" and chr(argument).isalpha() for code, argument in beside])


def _is_digit(tree: Any) -> bool:
    return len(tree) == 1 and str(tree[0][0]) == "IN" and set(_members(tree[0][1])) == set("0123456789")


def _members(items: Any) -> list[str]:
    """Return some of the characters of a class."""
    found: list[str] = []
    for code, argument in items:
        name = str(code)
        if name == "LITERAL":
            found.append(chr(argument))
        elif name == "RANGE":
            low, high = argument
            found += [chr(one) for one in range(low, min(high, low + 9) + 1)] + [chr(high)]
        elif name == "CATEGORY":
            found += _CATEGORIES.get(str(argument), "a")
    if items and str(items[0][0]) == "NEGATE":
        return [c for c in _ANY + ".,;:/\n" if c not in found] or ["é"]
    return found or ["a"]
