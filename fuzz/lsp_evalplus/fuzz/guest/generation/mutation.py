"""Type-aware mutation of one value: Table 1 of the EvalPlus paper (NeurIPS 2023), with its ingredient mechanism.

| type | mutation |
|---|---|
| int, float | x ± 1, ± small, sign, halves and doubles, an ingredient |
| bool, None | the other values |
| str | remove, repeat or replace a part or a word, change case, swap, an ingredient, another number in digits |
| list, tuple | remove, repeat, insert, replace or mutate an element, reverse, sort, cut, an ingredient |
| set, dict | remove, insert, mutate a key or a value |
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Callable

from ..values.dynamic import type_of
from ..values.metrics import walk
from ..values.recipes.model import ASSIGNMENT, KEPT_WHOLE, New, Prepared
from ..values.shapes import AnyShape, ChoiceShape, DictShape, KeywordsShape, ListShape, Shape, UnionShape
from .boundary_values import (
    ANYTHING,
    BYTES,
    CHARS,
    FIELD_LIMITS,
    FLOATS,
    INTS,
    LETTER_IN_BYTES,
    STRINGS,
    interesting,
    seen_bytes,
)
from .constants import Pool
from .known_objects import KnownObjects

_DIGITS = re.compile(r"[0-9]+")


_WORD = re.compile(r"\w+")
_LARGEST_NESTED = 40
_WHOLE_LETTER = 0.15
"""Share of what is put into bytes that is a letter of several bytes."""
_AS_JSON = 0.5
"""Share of the mutants of a JSON document that are changed as what it stands for."""
_STRUCTURES = (list, tuple, dict, New)
_NEARLY = 0.5
"""How often an argument that is made like another one differs from it in something."""
_INSIDE, _DEEPER = 0.4, 0.7
"""Share of the nested values that are put in the place of a part, and how often that is a part of a part."""
_RELATED = 0.06
"""Share of the mutants in which one argument depends on another; twice as many where one is a dict."""
_SEPARATORS = (" ", "\n", ",")
"""What is put between words where a string has no mark."""


def holds_anything(shape: Shape) -> bool:
    """Return whether it is a list or dict with unknown item types."""
    if isinstance(shape, UnionShape):
        return any([holds_anything(part) for part in shape.members])
    return isinstance(shape, (ListShape, DictShape)) and isinstance(shape.parts[-1], AnyShape)


class Mutator:
    """Draws mutants with a given random generator.

    Args:
        pool: the ingredients, which may grow during use.
        nested: the arguments whose lists and dicts may hold others of their kind, whatever is known of their items.
    """

    def __init__(self, pool: Pool, rng: random.Random, nested: AbstractSet[int] = frozenset()) -> None:
        self.pool = pool
        self.rng = rng
        self._nested_arguments = nested
        self.known_objects = KnownObjects(rng)
        """Objects on which methods were called, as parts of other arguments."""
        self._table: dict[type, Callable[[Any, int], Any]] = {
            int: self._int,
            float: self._float,
            str: self._str,
            bool: self._bool,
            type(None): self._none,
            list: self._list,
            tuple: self._tuple,
            set: self._set,
            frozenset: self._frozenset,
            dict: self._dict,
            New: self._new,
            Prepared: self._prepared,
            bytes: self._bytes,
            complex: self._complex,
        }

    def mutate(self, value: Any, depth: int = 0) -> Any:
        """Return a value near `value`, of the same type unless that is impossible; the argument is not changed."""
        action = self._table.get(type_of(value))
        return value if action is None or depth > 12 else action(value, depth)

    def mutate_arguments(self, row: Any, free: list[int], shapes: Sequence[Shape]) -> Any:
        """Return a row with one to three of the `free` positions mutated one to three times."""
        draw = self.rng.random
        changed = list(row)
        related = _RELATED if dict not in map(type_of, row) else 2 * _RELATED
        for _ in range(1 if draw() < 0.6 else self.rng.randint(2, 4)):
            index = free[int(draw() * len(free))]
            shape = shapes[index]
            if isinstance(shape, ChoiceShape) and shape.values:
                changed[index] = self.rng.choice(shape.values)
            elif isinstance(shape, KeywordsShape) and (not changed[index] or draw() < 0.3):
                changed[index] = self._keyword(changed[index], shape)
            elif draw() < related:
                self._relate(changed, index)
            elif (holds_anything(shape) or index in self._nested_arguments) and draw() < 0.12:
                changed[index] = self._nested(changed[index])
            else:
                changed[index] = self.mutate(changed[index])
        return tuple(changed)

    def _keyword(self, value: dict[str, Any], shape: KeywordsShape) -> Any:
        """Set one of the likely names to another value."""
        name, part = self.rng.choice(list(zip(shape.names, shape.parts)))
        return {**value, name: self.rng.choice(interesting(part, self.pool, 12) or [None])}

    def _nested(self, value: Any) -> Any:
        """Wrap the value in another container of its kind, or in itself, once or several times."""
        if type(value) not in (list, dict) or len(walk(value)) > _LARGEST_NESTED:
            return value
        if value and self.rng.random() < _INSIDE:
            return self._put_inside(value, value)
        for _ in range(self.rng.choice((1, 1, 2, 3, 5))):
            siblings = value if self.rng.random() < 0.3 else type(value)()
            if type(value) is list:
                value = [*siblings, value]
            else:
                value = {**siblings, self.rng.choice([*value][:6] or ["a"]): value}
        return value

    def _put_inside(self, value: Any, inner: Any) -> Any:
        """Put `inner` in the place of a part of `value`: a child of a node, or a value of a field of it."""
        place: Any = self.rng.choice([*value] if type_of(value) is dict else range(len(value)))
        held = value[place]
        is_deeper = type_of(held) in (list, dict) and held and self.rng.random() < _DEEPER
        part = self._put_inside(held, inner) if is_deeper else inner
        if type_of(value) is dict:
            return {**value, place: part}
        return [*value[:place], part, *value[place + 1 :]]

    def _relate(self, row: list[Any], index: int) -> None:
        """Make one argument depend on another: equal values, a length, an element or a part of the other."""
        other = row[int(self.rng.random() * len(row))]
        kind = type_of(row[index])
        if kind in (set, frozenset) and type_of(other) in (str, list, tuple):
            row[index] = self._with_item(row[index], walk(other) if type_of(other) is not str else _WORD.findall(other))
            return
        if kind is list and row[index] and all([type_of(one) is dict for one in row[index]]):
            row[index] = self._with_fields(row[index], [one for one in row if type_of(one) is str])
            return
        if dict in (kind, type_of(other)) and kind is not type_of(other):
            row[index] = self._related_keys(row[index], other)
            return
        if type(other) is kind:
            if kind is New and other.name != row[index].name:
                return
            numbers = _DIGITS.findall(other) if kind is str and self.rng.random() < 0.5 else []
            runs = list(_DIGITS.finditer(row[index])) if numbers else []
            if runs:
                run = self.rng.choice(runs)
                row[index] = row[index][: run.start()] + self.rng.choice(numbers) + row[index][run.end() :]
                return
            if kind in (str, list, tuple) and len(other) > 1 and self.rng.random() < 0.6:
                start = self.rng.randrange(len(other))
                row[index] = other[start : self.rng.randint(start, len(other))]
            elif kind in _STRUCTURES and self.rng.random() < _NEARLY:
                row[index] = self.mutate(other)
            else:
                row[index] = other
        elif type(other) in (str, list, tuple, dict):
            if kind is int:
                row[index] = self._near_length(other)
            if len(other) and type(other) is not dict and self.rng.random() < 0.5:
                element = other[self.rng.randrange(len(other))]
                row[index] = element if type(element) is kind else row[index]

    def _with_item(self, value: Any, items: Sequence[Any]) -> Any:
        """Return a set with one of some items, a word also in other letters."""
        known = [one for one in items if type_of(one) in (str, int)]
        if not known:
            return value
        item = self.rng.choice(known)
        if type_of(item) is str:
            item = self.rng.choice((item, item.lower(), item.upper()))
        return type_of(value)([*value, item])

    def _with_fields(self, records: list[Any], names: Sequence[str]) -> list[Any]:
        """Return records that have the fields which other arguments name: ``grouped(rows, "kind")``."""
        values: list[Any] = [0, 1, "a", "b", *self.pool.ints[:4]]
        return [{**record, **{name: self.rng.choice(values) for name in names}} for record in records]

    def _related_keys(self, value: Any, other: Any) -> Any:
        """Return a dict with a word or an item of the other value as a key; or of another dict a key, or its length."""
        rng = self.rng
        if type_of(value) is dict:
            items: list[Any] = _WORD.findall(other) if type_of(other) is str else walk(other)
            keys = [one for one in items if type_of(one) in (str, int)]
            held = [*value.values()] or [self._element(None, 0)]
            return {**value, rng.choice(keys): rng.choice(held)} if keys else value
        keys = [one for one in [*other] if type_of(one) is type_of(value)]
        if keys:
            return rng.choice(keys)
        if type_of(value) is list and len(other):
            return [*value, rng.choice([*other])]
        return self._near_length(other) if type_of(value) is int else value

    def _near_length(self, other: Any) -> int:
        """Return the length of another argument, or a neighbour of it."""
        return len(other) + self.rng.choice((0, 0, -1, 1))

    def _bool(self, value: Any, depth: int) -> Any:
        return not value

    def _none(self, value: Any, depth: int) -> Any:
        return None if self.rng.random() < 0.8 else self.rng.choice(ANYTHING[:6])

    def _int(self, value: int, depth: int) -> Any:
        draw = self.rng.random()
        if draw < 0.3:
            return value + self.rng.choice((1, -1))
        if draw < 0.5 and self.pool.ints:
            return self.pool.drawn(self.pool.ints, self.rng)
        if draw < 0.62:
            return self.rng.choice(INTS)
        if draw < 0.72:
            return value + self.rng.randint(-10, 10)
        if draw < 0.8:
            return -value
        if draw < 0.88:
            return value * self.rng.choice((2, 3, 10))
        if draw < 0.94:
            return value // self.rng.choice((2, 3, 10))
        return self.rng.randint(-1000, 1000)

    def _float(self, value: float, depth: int) -> Any:
        draw = self.rng.random()
        if draw < 0.3:
            return value + self.rng.choice((1.0, -1.0, 0.5, -0.5, 0.1))
        if draw < 0.5 and self.pool.floats:
            return self.pool.drawn(self.pool.floats, self.rng)
        if draw < 0.7:
            return self.rng.choice(FLOATS)
        if draw < 0.8:
            return -value
        if draw < 0.9:
            return value * self.rng.choice((2.0, 10.0, 0.5, 0.1))
        return round(self.rng.uniform(-100.0, 100.0), self.rng.choice((0, 1, 2, 6)))

    def _complex(self, value: complex, depth: int) -> Any:
        return complex(
            self._float(value.real, depth), value.imag if self.rng.random() < 0.5 else self._float(value.imag, depth)
        )

    def char(self) -> str:
        """Return one character, mostly one that occurs in this problem."""
        if self.pool.chars and self.rng.random() < 0.75:
            return self.pool.drawn(self.pool.chars, self.rng)
        return self.rng.choice(CHARS)

    def token(self) -> str:
        """Return a short string: an ingredient or a character."""
        draw = self.rng.random()
        if draw < 0.35 and self.pool.tokens:
            return self.pool.drawn(self.pool.tokens, self.rng)
        if draw < 0.45 and self.pool.strings:
            return self.pool.drawn(self.pool.strings, self.rng)
        return self.char()

    def _str(self, value: str, depth: int) -> Any:
        draw = self.rng.random()
        if value[:1] in ("{", "[") and self.rng.random() < _AS_JSON:
            changed = self._json(value)
            if changed is not None:
                return changed
        if not value or draw < 0.06:
            return self._ingredient(value)
        start = self.rng.randrange(len(value))
        stop = min(len(value), start + self.rng.choice((1, 1, 1, 2, 3, 5)))
        if draw < 0.18:
            return value[:start] + value[stop:]
        if draw < 0.29:
            return value[:stop] + value[start:stop] + value[stop:]
        if draw < 0.36:
            return self._words(value)
        if draw < 0.56:
            return value[:start] + self.token() + value[start:]
        if draw < 0.74:
            return value[:start] + self.token() + value[stop:]
        if draw < 0.82 or (draw < 0.92 and _DIGITS.search(value)):
            return self._digits(value)
        if draw < 0.93:
            return value[:start] + value[start:stop].swapcase() + value[stop:]
        if draw < 0.95:
            return value[start:] + value[:start]
        return self.rng.choice(
            (
                value[::-1],
                value + value,
                value[:stop],
                value[start:],
                value.upper(),
                value.lower(),
                " " + value,
                value + " ",
            )
        )

    def _json(self, value: str) -> str | None:
        """Return a JSON document in which a part is changed, added or left out; None where the string is none."""
        try:
            data = json.loads(value)
            return json.dumps(self.mutate(data)) if type(data) in (dict, list) else None
        except (ValueError, TypeError, RecursionError):
            return None

    def _words(self, value: str) -> str:
        """Repeat, remove, exchange or empty one of the words, or lines, between separators (token-level fuzzing: Salls
        et al., USENIX Security 2021)."""
        rng = self.rng
        marks = [mark for mark in dict.fromkeys(value) if not mark.isalnum()]
        separator = rng.choice(marks or _SEPARATORS)
        words = value.split(separator)
        at, other = rng.randrange(len(words)), rng.randrange(len(words))
        plan = rng.randrange(5)
        if plan == 0 and len(words) > 1:
            del words[at]
        elif plan == 1 and at != other:
            words[at], words[other] = words[other], words[at]
        elif plan == 2 and at != other:
            words[at] = words[other]
        elif plan == 3:
            words.insert(rng.randrange(len(words) + 1), "")
        else:
            words.insert(other, words[at])
        return separator.join(words)

    def _ingredient(self, value: str) -> str:
        if self.pool.strings and self.rng.random() < 0.5:
            return self.pool.drawn(self.pool.strings, self.rng)
        return self.rng.choice(STRINGS) if self.rng.random() < 0.5 else self.token() + value

    def _digits(self, value: str) -> str:
        """Replace one or all runs of digits: boundaries such as 00, 13, 31, mined numbers, one more or less."""
        runs = list(_DIGITS.finditer(value))
        if not runs:
            return value + self.char()
        if len(runs) > 1 and self.rng.random() < 0.5:
            chosen = [run for run in runs if self.rng.random() < 0.7]
        else:
            chosen = [self.rng.choice(runs)]
        for run in reversed(chosen):
            value = value[: run.start()] + self._number_text(run.group()) + value[run.end() :]
        return value

    def _number_text(self, digits: str) -> str:
        draw = self.rng.random()
        if draw < 0.35:
            number = self.rng.choice(FIELD_LIMITS)
        elif draw < 0.6 and self.pool.ints:
            number = abs(self.pool.drawn(self.pool.ints, self.rng))
        elif draw < 0.8:
            number = max(0, int(digits[:18]) + self.rng.choice((-1, 1)))
        else:
            number = self.rng.randrange(10 ** min(len(digits), 9))
        text = str(number)
        return text.zfill(len(digits))[-len(digits) :] if self.rng.random() < 0.8 else text

    def _bytes(self, value: bytes, depth: int) -> Any:
        if self.rng.random() < 0.5:
            return self._str(value.decode("latin-1"), depth).encode("latin-1", "ignore")
        start = self.rng.randint(0, len(value))
        new = LETTER_IN_BYTES if self.rng.random() < _WHOLE_LETTER else bytes([self.byte()])
        return value[:start] + new + value[start + self.rng.randint(0, 1) :]

    def byte(self) -> int:
        """Return one byte: a boundary or a number of this problem."""
        small = seen_bytes(self.pool)
        return self.rng.choice(small if small and self.rng.random() < 0.5 else BYTES)

    def _list(self, value: list[Any], depth: int) -> Any:
        draw = self.rng.random()
        if not value:
            return [self._element(None, depth)]
        index = self.rng.randrange(len(value))
        if draw < 0.18:
            return value[:index] + value[index + 1 :]
        if draw < 0.34:
            return value[: index + 1] + [value[self.rng.randrange(len(value))]] + value[index + 1 :]
        if draw < 0.50:
            return value[:index] + [self._element(value, depth)] + value[index:]
        if draw < 0.84:
            return value[:index] + [self.mutate(value[index], depth + 1)] + value[index + 1 :]
        if draw < 0.90:
            other = self.rng.randrange(len(value))
            swapped = list(value)
            swapped[index], swapped[other] = swapped[other], swapped[index]
            return swapped
        return self._rearranged(value, index)

    def _rearranged(self, value: list[Any], index: int) -> list[Any]:
        plan = self.rng.randrange(6)
        if plan == 0:
            return value[::-1]
        if plan == 1:
            return value + value
        if plan == 2:
            return value[:index]
        if plan == 3:
            return value + value[::-1]
        if plan == 4:
            return value[index:] + value[:index]
        try:
            return sorted(value, reverse=self.rng.random() < 0.5)
        except TypeError:
            return value[1:]

    def _element(self, siblings: list[Any] | None, depth: int) -> Any:
        """Return a new element: like its siblings, or an ingredient when there are none."""
        if siblings:
            return self.mutate(siblings[self.rng.randrange(len(siblings))], depth + 1)
        ingredients: list[Any] = list(self.pool.ints[:6]) + list(self.pool.strings[:6]) or [0, 1, "a"]
        return self.rng.choice(ingredients)

    def _tuple(self, value: Any, depth: int) -> Any:
        if value and len(value) <= 4 and self.rng.random() < 0.7:
            index = self.rng.randrange(len(value))
            return value[:index] + (self.mutate(value[index], depth + 1),) + value[index + 1 :]
        return tuple(self._list(list(value), depth))

    def _set(self, value: Any, depth: int) -> Any:
        try:
            return set(self._list(sorted(value, key=repr), depth))
        except TypeError:
            return value

    def _frozenset(self, value: Any, depth: int) -> Any:
        return frozenset(self._set(set(value), depth))

    def _dict(self, value: dict[Any, Any], depth: int) -> Any:
        items = list(value.items())
        if not items:
            return {self._element(None, depth): self._element(None, depth)}
        index = self.rng.randrange(len(items))
        key, old = items[index]
        draw = self.rng.random()
        if draw < 0.2:
            del items[index]
        elif draw < 0.55:
            items[index] = (key, self.mutate(old, depth + 1))
        elif draw < 0.75:
            items[index] = (self.mutate(key, depth + 1), old)
        elif draw < 0.92:
            items.append((self.mutate(key, depth + 1), self.mutate(old, depth + 1)))
        else:
            items.reverse()
        try:
            return dict(items)
        except TypeError:
            return value

    def _new(self, value: New, depth: int) -> Any:
        names = list(value.kwargs)
        count = len(value.args) + len(names)
        if not count or value.name in KEPT_WHOLE:
            return value
        is_assignment = value.name == ASSIGNMENT
        index = 1 if is_assignment else self.rng.randrange(count)
        if index < len(value.args):
            if is_assignment and value.args[1] is None:
                return value  # It is what an attribute is by its class, and no value of an unknown type.
            args = list(value.args)
            args[index] = self.mutate(args[index], depth + 1)
            return New(value.name, tuple(args), value.kwargs)
        name = names[index - len(value.args)]
        kwargs = dict(value.kwargs)
        kwargs[name] = self.mutate(kwargs[name], depth + 1)
        return New(value.name, value.args, kwargs)

    def _prepared(self, value: Prepared, depth: int) -> Any:
        """Change an argument of one of the calls, or repeat or remove a call."""
        calls = value.calls
        index = self.rng.randrange(len(calls))
        draw = self.rng.random()
        if draw < 0.15 and len(calls) > 1:
            return Prepared(value.instance, calls[:index] + calls[index + 1 :])
        if draw < 0.3:
            return Prepared(value.instance, calls[: index + 1] + calls[index:])
        if draw < 0.4:
            return Prepared(self._new(value.instance, depth), calls)
        return Prepared(value.instance, calls[:index] + (self._new(calls[index], depth),) + calls[index + 1 :])
