"""Random strings that match a regular expression, drawn from its syntax tree as the standard library parses it."""

from __future__ import annotations

import importlib
import random
import re
import sys
import warnings
from collections.abc import Sequence
from typing import Any, Callable

_PARSER: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
_COMPILER: Any = importlib.import_module("re._compiler" if sys.version_info >= (3, 11) else "sre_compile")
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
_KNOWN = 0.5
"""Share of the runs of characters of a class that are known words, where some consist of these characters."""
_REAL = 0.8
"""Share of the dates and times that exist: a pattern admits the 39th of a month, what reads the match does not."""
_DATE = re.compile(r"(?<!\d)(\d{4}([-/.]))\d\d\2\d\d(?!\d)")
_TIME = re.compile(r"(?<!\d)\d\d:\d\d(?::\d\d)?(?!\d)")
_MONTHS = ("01", "02", "06", "11", "12")
_DAYS = ("01", "02", "15", "27", "28")
_TIMES = ("00:00:00", "23:59:59", "12:00:01", "09:30:00", "10:05:59")


class Sampler:
    """Draws strings that match a pattern, unless it uses lookaround or unusual back-references."""

    def __init__(self, tree: Any) -> None:
        self.tree = tree
        self._fitting: dict[tuple[int, int], list[str]] = {}
        """Words that consist of characters of a class, by its node and the number of words that were known."""

    def number_of(self, group: int | str) -> int | None:
        """Return the number of a group of the pattern by its name; None where it has no such group."""
        state = self.tree.state
        return state.groupdict.get(group) if isinstance(group, str) else group if group < state.groups else None

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
        words: Sequence[str] = (),
        group: Callable[[int], str | None] = lambda number: None,
    ) -> str:
        """Return one string; runs of digits are often numbers given by `number`, and most dates and times exist.

        Args:
            group: what a group is, by its number, where the group matches that; None for others.
            counts: the count of each repetition of the tree; default: random.
            filling: makes what runs of nearly any characters are, now and then; default: such characters.
            words: what runs of characters of a class may be.
        """

        def words_of(tree: Any) -> list[str]:
            key = id(tree), len(words)
            if key not in self._fitting:
                self._fitting[key] = words_within(tree, words)
            return self._fitting[key]

        draw = _Draw(rng, number, counts, filling, words_of, group)
        draw.all(self.tree, 0)
        text = "".join(draw.parts)
        return text if counts is not None else with_real_dates(text, rng)


def with_real_dates(text: str, rng: random.Random) -> str:
    """Return a string with dates and times that exist in the place of most others."""
    if rng.random() < _REAL:
        text = _DATE.sub(lambda found: f"{found[1]}{rng.choice(_MONTHS)}{found[2]}{rng.choice(_DAYS)}", text)
        text = _TIME.sub(lambda found: rng.choice(_TIMES)[: len(found[0])], text)
    return text


def words_within(tree: Any, words: Sequence[str]) -> list[str]:
    """Return the words that consist of characters of a class, such as ``[A-Z]``; none for other nodes, and for a class
    that names the characters which it excludes."""
    if not words or len(tree) != 1 or str(tree[0][0]) != "IN" or str(tree[0][1][0][0]) == "NEGATE":
        return []
    character = _COMPILER.compile(tree)
    return [word for word in words if all([character.fullmatch(one) for one in word])]


class _Draw:
    def __init__(
        self,
        rng: random.Random,
        number: Callable[[], str],
        counts: Callable[[Any], int] | None = None,
        filling: Callable[[], str] | None = None,
        words_of: Callable[[Any], list[str]] = lambda tree: [],
        group: Callable[[int], str | None] = lambda number: None,
    ) -> None:
        self._words_of = words_of
        self._group = group
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
        known = None if argument[0] is None else self._group(argument[0])
        if known is not None and _COMPILER.compile(argument[-1]).fullmatch(known):
            self.parts.append(known)
        else:
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
        words = [one for one in self._words_of(tree) if least <= len(one) <= int(argument[1])]
        if words and self._rng.random() < _KNOWN:
            self.parts.append(self._rng.choice(words))
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
