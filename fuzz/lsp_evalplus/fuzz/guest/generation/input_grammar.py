"""Grammar-based strings: the format that a program splits, matches, or parses as JSON or a date.

Random strings are no addresses, dates or JSON, so most of a parser never runs on them. The constants that a program
passes to `str.split`, `re`, `strptime` and the like are a rough grammar of its inputs, to be read from the source.
"""

from __future__ import annotations

import ast
import itertools
import json
import random
import re
from collections.abc import Iterable, Iterator
from typing import Any, Callable

from ..inference.records.match_objects import ParsedGroups
from ..program.source_facts import nodes_of, tree_of
from ..values.parsed_formats import DATE_FIELD, DATE_FIELDS, changed_by, formats_of
from ..values.shapes import ChoiceShape, MatchingShape, Shape
from .composed_strings import composed, named_strings
from .constants import Pool
from .regex_sampler import Sampler

_SPLITTERS = frozenset(("split", "rsplit", "partition", "rpartition"))
_MATCHERS = frozenset(("compile", "match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn"))
_AT_ENDS = frozenset("strip lstrip rstrip startswith endswith removeprefix removesuffix".split())
_DELIMITERS = frozenset(("delimiter", "sep"))
"""Keywords of functions that read tables."""
_WORDS = ("a", "b", "", "0", "1", "A", "ab", "2", "10", "-1", " a", "a ", "c")


class Grammar:
    """Known properties of the strings that programs read.

    Args:
        sources: the programs' source texts.
        patterns: regular expressions that are known before, and whether each is verbose.
        near: the parts of the programs that the functions under test work with.
    """

    def __init__(
        self,
        sources: Iterable[str],
        patterns: Iterable[tuple[str, bool]] = (),
        near: Iterable[ast.AST] = (),
    ) -> None:
        self.separators: list[str] = []
        self.samplers: dict[str, Sampler] = {}
        """Samplers by pattern."""
        self.lengths: list[int] = []
        """Lengths that appear in comparisons."""
        self.words: list[str] = []
        """Short strings that appear in comparisons."""
        self.counts: list[int] = []
        """Small ones, which may be numbers of parts."""
        self.sequences: list[list[list[str] | None]] = []
        """Patterns for the parts of strings, as in ``case ["go", ("north" | "south")]``; see `sequence_of`."""
        self.formats: list[str] = []
        self.samples: list[str] = []
        self.keys: list[str] = []
        """Keys looked up in a mapping."""
        self.fields: set[str] = set()
        """Keys without which a lookup fails."""
        self.affixes: list[str] = []
        """What is looked for at the ends of strings, or removed there."""
        self.changed: list[str] = []
        """Parts of strings that functions of the library change."""
        self.groups = ParsedGroups()
        self._strings: dict[str, str] = {}
        """Strings by the names that code gives them."""
        self.is_json = self.is_address = False
        self.schemes: list[str] = []
        """Strings that the schemes of URLs are compared with."""
        self.near: Grammar | None = None
        """What is known from the near parts alone; None where that is nothing."""
        known = list(patterns)
        for pattern, is_verbose in known:
            self._note_pattern(pattern, is_verbose=is_verbose)
        parts = list(near)
        if parts:
            own = Grammar((), known)
            for part in parts:
                own._strings.update(named_strings(part, own._strings))
            for part in parts:
                own._read(part)
            self.near = None if own.is_silent() else own
        self.used = len(self.samplers)
        """How many of the samplers, at the start, are those of the patterns that were known before."""
        for source in sources:
            try:
                self._read(tree_of(source))
            except (SyntaxError, ValueError, RecursionError):
                continue

    def is_silent(self) -> bool:
        """Return whether nothing is known."""
        known = (self.separators, self.samplers, self.formats, self.samples, self.lengths, self.changed)
        return not (any(known) or self.is_json or self.is_address)

    def near_samples(self) -> list[str]:
        """Return strings that functions take which are called by the function under test: it may take nothing else."""
        return [] if self.near is None else self.near.samples[:_MOST_SAMPLES]

    def _read(self, tree: ast.AST) -> None:
        # What is split first is outside of what is split later.
        for node in sorted(nodes_of(tree), key=lambda one: getattr(one, "lineno", 0)):
            self._strings.update(named_strings(node, self._strings))
            self.groups.read(node)
            if isinstance(node, ast.Call):
                self._read_call(node)
            elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                self._note_key(node.slice.value)
                if type(node.slice.value) is str and isinstance(node.ctx, ast.Load):
                    self.fields.add(node.slice.value)
            elif isinstance(node, ast.Compare):
                self._read_comparison(node)
            elif isinstance(node, ast.Assign):
                self._read_unpacking(node)
            elif type(node).__name__ == "MatchSequence":
                places = sequence_of(node)
                self.sequences += [places] if any(places) and len(self.sequences) < _MOST_PATTERNS else []
            elif isinstance(node, ast.Constant) and type(node.value) is str and DATE_FIELD.search(node.value):
                _put(self.formats, node.value, 8)

    def _read_comparison(self, node: ast.Compare) -> None:
        if isinstance(node.ops[0], (ast.In, ast.NotIn)):
            self._note_key(getattr(node.left, "value", None))
        sides = [node.left, *node.comparators]
        is_scheme = any([getattr(one, "attr", getattr(one, "id", "")) == _SCHEME for one in sides])
        is_end = any(map(_is_at_end, sides))
        for text in [composed(part, self._strings) for side in sides for part in getattr(side, "elts", [side])]:
            if text and len(text) <= _LONGEST_WORD:
                _put(self.words, text, 12)
            if is_end and text and len(text) <= _LONGEST_WORD:
                self._note_affix(text)
            if is_scheme and text is not None:
                _put(self.schemes, text, 12)
        if any([isinstance(one, ast.Call) and getattr(one.func, "id", "") == "len" for one in sides]):
            for one in [part for side in sides for part in getattr(side, "elts", [side])]:
                length = getattr(one, "value", None)
                if type(length) is int and _SHORTEST <= length <= _LONGEST and length not in self.lengths:
                    self.lengths.append(length)
                if type(length) is int and 1 <= length <= _MOST_PARTS and length not in self.counts:
                    self.counts.append(length)

    def _read_unpacking(self, node: ast.Assign) -> None:
        """Note to how many names the parts of a string are assigned; between two of `partition` is the separator."""
        called = node.value.func if isinstance(node.value, ast.Call) else None
        parts = node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else []
        if getattr(called, "attr", "") in ("partition", "rpartition") and 2 not in self.counts:
            self.counts.append(2)
        if getattr(called, "attr", "") in ("split", "rsplit") and 1 < len(parts) <= _MOST_PARTS:
            self.counts += [len(parts)] if len(parts) not in self.counts else []

    def _read_call(self, node: ast.Call) -> None:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        owner = getattr(getattr(node.func, "value", None), "id", "")
        given = [composed(part, self._strings) for one in node.args for part in getattr(one, "elts", [one])]
        texts = [one for one in given if one is not None]
        if owner in ("re", "regex") and name in _MATCHERS:
            for text in filter(None, [composed(one, self._strings) for one in node.args[:1]]):
                self._note_pattern(text, is_verbose="VERBOSE" in ast.dump(node) or "attr='X'" in ast.dump(node))
        elif name in _AT_ENDS:
            for text in texts[:2]:
                self._note_affix(text)
        elif name == "splitlines":
            _put(self.separators, "\n", 6)
        elif name in _SPLITTERS:
            for text in texts[:1] or ([" "] if not node.args else []):
                if 0 < len(text) <= 4:
                    _put(self.separators, text, 6)
        elif name in ("get", "pop", "setdefault") and texts:
            self._note_key(texts[0])
        elif name in ("loads", "JSONDecoder"):
            self.is_json = self.is_json or owner in ("json", "")
        self.is_address |= name in _OF_ADDRESSES
        for one in node.keywords:
            if one.arg in _DELIMITERS and isinstance(one.value, ast.Constant) and type(one.value.value) is str:
                _put(self.separators, one.value.value, 6)
                _put(self.separators, "\n", 6)
        self._note_formats(name, owner, texts)

    def _note_formats(self, name: str, owner: str, texts: list[str]) -> None:
        """Note which strings a function of the library takes, and which parts of strings it changes."""
        for sample in formats_of(name, owner):
            _put(self.samples, sample, 40)
        codecs = texts[:1] if name in ("decode", "encode") else []
        for part in [part for one in (name, *codecs) for part in changed_by(one, owner)]:
            _put(self.changed, part, 24)

    def _note_pattern(self, pattern: str, *, is_verbose: bool) -> None:
        sampler = Sampler.of(pattern, is_verbose=is_verbose)
        if sampler is not None and len(self.samplers) < _MOST_PATTERNS:
            self.samplers[pattern] = sampler

    def _note_affix(self, text: str) -> None:
        """Note what is looked for at the ends of strings; what ends with a line break ends the lines of a string."""
        _put(self.affixes, text, 8)
        if text.endswith("\n") and text not in self.separators:
            self.separators.insert(0, text)

    def _note_key(self, key: Any) -> None:
        if type(key) is str and 0 < len(key) <= 30:
            _put(self.keys, key, 12)


_OF_ADDRESSES = frozenset(("urlparse", "urlsplit"))
_SCHEME = "scheme"
_SCHEMES = re.compile(r"[a-z][a-z0-9+]+")
_HOSTS = ("", "a", "a.b", "a:80", "a.b:8080", "u@a", "u:p@a.b:80", "localhost", "[::1]:80", "A.b")
_PATHS = ("", "", "/", "/a", "/a/b", "/a/b/", "/a.b", "/a%20b", "//a")
_MOST_PATTERNS = 16
_MOST_SAMPLES = 9
_MOST_PARTS = 8
_LONGEST_WORD = 20
_SHORTEST, _LONGEST = 4, 64
"""Lengths for which strings are generated deliberately; shorter ones occur anyway."""
_ALPHABETS = ("0123456789", "0123456789", "0", "01", "ab0", "ABCXYZ0123456789", "abcxyz0123456789")
_MOST_ACCEPTED = 60
_LONGEST_LEARNT = 200
_NEAR = 0.75
_IN_ORDER = 0.4
_COUNTED = 0.8
_PARSED = 0.8
"""Share of the groups of matches that are what the programs can parse."""
_SEVERAL = 0.4
"""Share of the matches that may be several."""
_ENDED = 0.4
"""Share of the strings whose last line ends, too, where code asks how lines end; half of these have an empty line at
their end."""
_LED = 0.25
"""Share of the strings with separators that have known words before a part which a function of the library takes."""
_CHANGED_INSIDE = 0.5
"""Share of the strings with parts that functions of the library change, where the programs call such."""
_REPEATED = 0.2
"""Share of the strings with separators that have a part twice."""
_IN_PLACES = 0.4
"""Share of the strings with separators whose parts follow a pattern for sequences, if there are some."""
_FAMILIAR = 0.35
"""Share of the strings with separators that consist of words known to be accepted only."""


_MOST_SEPARATORS, _MOST_FIELDS, _MOST_NUMBERS = 3, 8, 8
_FIELD = re.compile(r"[^\s]+")


def sequence_of(node: Any) -> list[list[str] | None]:
    """Return the words that fit in each place of a pattern for sequences, none where all do; None for any number of
    places."""
    places: list[list[str] | None] = []
    for one in node.patterns:
        parts: Any = nodes_of(one)
        values = [part.value for part in parts if type(part).__name__ == "MatchValue"]
        words = [value.value for value in values if isinstance(value, ast.Constant) and type(value.value) is str]
        places.append(None if type(one).__name__ == "MatchStar" else words)
    return places


def _is_at_end(node: ast.AST) -> bool:
    """Return whether an expression is the first or the last item of something, or a part at one of its ends."""
    place = node.slice if isinstance(node, ast.Subscript) else None
    if isinstance(place, ast.Slice):
        return place.step is None and (place.lower is None) != (place.upper is None)
    return place is not None and ast.unparse(place) in ("0", "-1")


def _put(into: list[str], text: str, limit: int) -> None:
    if text not in into and len(into) < limit:
        into.append(text)


class Writer:
    """Generates strings of a grammar, with the ingredients of a problem."""

    def __init__(self, grammar: Grammar, pool: Pool, rng: random.Random) -> None:
        self._grammar = grammar
        self._pool = pool
        self._rng = rng
        self._near = Writer(grammar.near, pool, rng) if grammar.near is not None else None
        self._accepted: list[str] = []
        """Words between separators in strings that the programs accepted."""
        self._parsers: dict[Shape, Sampler | None] = {}
        self._lettered: tuple[int, list[str]] = (-1, [])
        """The words of the programs, and how many strings were known when they were read."""
        self._kinds = [
            kind
            for kind, is_known in (
                (self._matching, grammar.samplers),
                (self._joined, grammar.separators),
                (self._joined, grammar.counts and grammar.separators),
                (self._dated, grammar.formats),
                (self._sampled, grammar.samples),
                (self._json, grammar.is_json),
                (self._address, grammar.is_address),
                (self._measured, grammar.lengths),
            )
            if is_known
        ]

    def text(self) -> str:
        """Return one string, mostly by what the functions under test work with themselves."""
        if self._near is not None and self._rng.random() < _NEAR:
            return self._near.text()
        text = self._rng.choice(self._kinds)() if self._kinds else self._word()
        text = self._between(text) if self._grammar.affixes else text
        return self._with_changed(text) if self._grammar.changed and self._rng.random() < _CHANGED_INSIDE else text

    def _with_changed(self, text: str) -> str:
        """Return a string with parts in it that functions of the library change."""
        for _ in range(self._rng.choice((1, 1, 2))):
            at = self._rng.randrange(len(text) + 1)
            text = text[:at] + self._rng.choice(self._grammar.changed) + text[at:]
        return text

    def of_patterns(self, times: int) -> list[str]:
        """Return strings that match each of the regular expressions that were known before, and of those that the
        functions under test put together."""
        known = dict(list(self._grammar.samplers.items())[: self._grammar.used])
        known.update(self._grammar.near.samplers if self._grammar.near is not None else {})
        return [self._sample(one, None) for _ in range(times) for one in known.values()]

    def _sample(self, sampler: Sampler, filling: Callable[[], str] | None) -> str:
        """Return a match of a pattern; its groups are mostly what the programs can parse."""
        parsed = {sampler.number_of(group): shape for group, shape in self._grammar.groups.strings.items()}

        def group(number: int) -> str | None:
            shape = parsed.get(number)
            return None if shape is None or self._rng.random() > _PARSED else self._string_of(shape)

        words = self._words_of_programs()
        return sampler.sample(self._rng, self.number, filling=filling, words=words, group=group)

    def _string_of(self, shape: Shape) -> str | None:
        """Return a string of a shape; None where none was drawn."""
        if isinstance(shape, ChoiceShape):
            return self._rng.choice(shape.values)
        if shape not in self._parsers:
            self._parsers[shape] = Sampler.of(shape.pattern) if isinstance(shape, MatchingShape) else None
        sampler = self._parsers[shape]
        return None if sampler is None else sampler.sample(self._rng, self.number)

    def _words_of_programs(self) -> list[str]:
        """Return the words of the programs, those first with which they compare strings."""
        if self._lettered[0] != len(self._pool.strings):
            words = dict.fromkeys([*self._grammar.words, *self._pool.strings])
            found = [one for one in words if 1 < len(one) <= _LONGEST_WORD and any(map(str.isalpha, one))]
            self._lettered = (len(self._pool.strings), found)
        return self._lettered[1]

    def fields_of(self, text: str) -> Iterator[str]:
        """Yield a string of several words with two parts and a separator between them in the place of each word, as in
        ``0 9 * * 1#3``: the function takes words apart that others before it have told apart."""
        near = self._grammar if self._near is None else self._near._grammar
        separators = [one for one in near.separators if one.strip()][:_MOST_SEPARATORS]
        words = list(_FIELD.finditer(text)) if separators and len(text) <= _LONGEST_LEARNT else []
        numbers = dict.fromkeys([*range(6), *[one for one in self._pool.ints if 0 <= one < 100]])
        fields = words[:_MOST_FIELDS] if len(words) > 1 else []
        for separator, last, word in itertools.product(separators, list(numbers)[:_MOST_NUMBERS], fields):
            first = word.group() if word.group().isalnum() else "1"
            yield f"{text[: word.start()]}{first}{separator}{last}{text[word.end() :]}"

    def learn(self, row: Any) -> None:
        """Learn from an accepted row: the words between the separators of its strings are valid."""
        if self._near is not None:
            self._near.learn(row)
        for value in row if len(self._accepted) < _MOST_ACCEPTED else ():
            if type(value) is str and len(value) <= _LONGEST_LEARNT:
                for separator in self._grammar.separators:
                    for word in value.split(separator):
                        _put(self._accepted, word, _MOST_ACCEPTED)

    def bent(self, text: str) -> str:
        """Return a near miss of the grammar: with a prefix or suffix, a part removed or duplicated."""
        rng = self._rng
        at = rng.randrange(len(text) + 1)
        return rng.choice(
            (
                text + "\n",
                text + rng.choice(("a", "0", " ", "A", "_")),
                rng.choice((" ", "a", "0", "-", "+")) + text,
                text[:-1],
                text[1:],
                text.upper(),
                text.lower(),
                text[:at] + text[at + 1 :],
                text[:at] + text[max(0, at - 1) :],
                text + text,
                text[:at] + " " + text[at:],
            )
        )

    def number(self) -> str:
        """Return a number as digits: a boundary, or one of this problem or its neighbours."""
        rng = self._rng
        if self._pool.ints and rng.random() < 0.5:
            return str(abs(self._pool.drawn(self._pool.ints, rng)))
        return str(rng.choice((0, 1, 2, 9, 10, 12, 59, 60, 61, 99, 100, 255, 256, 7, 24, 31)))

    def _word(self) -> str:
        draw = self._rng.random()
        if draw < 0.35:
            return self.number()
        if draw < 0.5 and self._grammar.words:
            return self._rng.choice(self._grammar.words)
        if draw < 0.6 and self._pool.tokens:
            return self._pool.drawn(self._pool.tokens, self._rng)
        if draw < 0.7 and self._grammar.keys:
            return self._rng.choice(self._grammar.keys)
        if draw > 0.8 and (self._grammar.samples or self._grammar.samplers):
            return self._whole()
        return self._rng.choice(_WORDS)

    def _whole(self) -> str:
        """Return what may be a part of a string, too: a string that a function of the library takes, or a match."""
        is_sampled = self._grammar.samples and (not self._grammar.samplers or self._rng.random() < 0.5)
        return self._sampled() if is_sampled else self._match(None)

    def _known_word(self) -> str:
        """Return a string that the programs compare with, or a number."""
        is_known = bool(self._grammar.words) and self._rng.random() < 0.7
        return self._rng.choice(self._grammar.words) if is_known else self.number()

    def _matching(self) -> str:
        """Return a match of one of the patterns, or several after each other, as a tokenizer reads them."""
        count = self._rng.choice((1, 1, 2, 3, 4, 6)) if self._rng.random() < _SEVERAL else 1
        parts = [self._match(self._filling) for _ in range(count)]
        return self._rng.choice(("", " ")).join(parts) if count > 1 else parts[0]

    def _match(self, filling: Callable[[], str] | None) -> str:
        sampler = self._rng.choice([*self._grammar.samplers.values()])
        return self._sample(sampler, filling)

    def _filling(self) -> str:
        """Return what stands where a pattern leaves open nearly everything: a word, words between separators, or a
        match of a pattern."""
        draw = self._rng.random()
        if draw < 0.35 and self._grammar.separators:
            return self._joined()
        return self._match(None) if draw < 0.65 else self._word()

    def _joined(self) -> str:
        """Return words between separators; if there are two separators, one is inside of the parts: mostly the one
        that the programs split by later."""
        rng, separators = self._rng, self._grammar.separators
        outer = separators[0] if rng.random() < _IN_ORDER else rng.choice(separators)
        if self._grammar.sequences and rng.random() < _IN_PLACES:
            return outer.join(self._in_places())
        others = [one for one in separators if one != outer]
        limits = self._grammar.counts or [i for i in self._pool.ints if 2 <= i <= 8]
        share = _COUNTED if outer == separators[0] and self._grammar.counts else 0.6
        count = rng.choice(limits) if limits and rng.random() < share else rng.choice((2, 3, 1, 4))
        if len(self._accepted) > 1 and rng.random() < _FAMILIAR:
            return outer.join([rng.choice(self._accepted) for _ in range(count)])
        makers = (self.number, self._known_word, lambda: rng.choice(_WORDS), self._word, self._word)
        wholes = (self._whole, self._whole) if self._grammar.samplers or self._grammar.samples else ()
        if wholes and self._grammar.words and rng.random() < _LED:
            return outer.join([*[self._known_word() for _ in range(max(1, count - 1))], self._whole()])
        make = rng.choice((*makers, *wholes))
        inner = rng.choice((0.0, 0.15, 0.5))
        parts: list[str] = []
        for _ in range(count):
            part = make()
            if others and rng.random() < inner:
                part += rng.choice(others) + self._word()
            parts.append(part)
        if len(parts) > 1 and rng.random() < _REPEATED:
            parts[-1] = rng.choice(parts[:-1])
        if outer.endswith("\n") and self._grammar.affixes:
            parts = [self._between(part) for part in parts]
        if outer.endswith("\n") and outer in self._grammar.affixes and rng.random() < _ENDED:
            parts += [""] * rng.choice((1, 2))
        return outer.join(parts)

    def _in_places(self) -> list[str]:
        """Return the parts of a string by a pattern for sequences."""
        parts: list[str] = []
        for fitting in self._rng.choice(self._grammar.sequences):
            if fitting is None:
                parts += [self._word() for _ in range(self._rng.choice((0, 1, 2)))]
            else:
                parts.append(self._rng.choice(fitting) if fitting else self._known_word())
        return parts

    def _between(self, text: str) -> str:
        """Return a string, sometimes with what the programs look for at its ends."""
        draw, affix = self._rng.random(), self._rng.choice(self._grammar.affixes)
        before, after = affix if draw < 0.25 else "", affix if draw < 0.15 or 0.25 <= draw < 0.3 else ""
        return before + text + after

    def _dated(self) -> str:
        form = self._rng.choice(self._grammar.formats)
        return DATE_FIELD.sub(lambda found: self._rng.choice(DATE_FIELDS[found.group()[1]]), form)

    def _measured(self) -> str:
        """Return a string of an expected length: digits or letters, with a known character or word."""
        rng = self._rng
        length = rng.choice(self._grammar.lengths)
        chars = [rng.choice(alphabet) for alphabet in [rng.choice(_ALPHABETS)] * length]
        draw = rng.random()
        if draw < 0.3 and self._pool.chars:
            chars[rng.randrange(length)] = self._pool.drawn(self._pool.chars, rng)
        text = "".join(chars)
        words = [word for word in self._pool.strings if 0 < len(word) < length] if draw > 0.7 else []
        if not words:
            return text
        word = rng.choice(words)
        return word + text[len(word) :] if draw > 0.8 else text[len(word) :] + word

    def _sampled(self) -> str:
        return self._rng.choice(self._grammar.samples)

    def _address(self) -> str:
        """Return a URL of a scheme that the programs know, with the keys that they look up in its query."""
        rng, grammar = self._rng, self._grammar
        known = grammar.schemes if grammar.schemes and rng.random() < 0.8 else [*grammar.words, *self._pool.strings]
        known = [one for one in known if _SCHEMES.fullmatch(one)]
        scheme = rng.choice(known) if known and rng.random() < 0.8 else rng.choice(("http", "https", "file", ""))
        text = f"{scheme}:" if scheme else ""
        text += f"//{rng.choice(_HOSTS)}" if rng.random() < 0.85 else ""
        text += rng.choice(_PATHS)
        if rng.random() < 0.4:
            keys = [rng.choice(grammar.keys or _WORDS) for _ in range(rng.choice((1, 1, 2)))]
            text += "?" + "&".join([f"{key}={self._word() if rng.random() < 0.85 else ''}" for key in keys])
        return text + (f"#{self._word()}" if rng.random() < 0.15 else "")

    def _json(self) -> str:
        return json.dumps(self._value(0))

    def _value(self, depth: int) -> Any:
        rng = self._rng
        draw = rng.random()
        if draw < (0.75 if depth == 0 else 0.15) and depth < 3:
            keys = self._grammar.keys or ["a", "b"]
            chosen = rng.sample(keys, min(len(keys), rng.choice((0, 1, 1, 2, 3))))
            return {key: self._value(depth + 1) for key in chosen}
        if draw < (0.95 if depth == 0 else 0.3) and depth < 3:
            return [self._value(depth + 1) for _ in range(rng.choice((0, 1, 2, 3)))]
        if draw < 0.7:
            return rng.choice((0, 1, -1, 2, int(self.number())))
        return rng.choice((None, "", "a", True, False, 1.5, "1", "A"))
