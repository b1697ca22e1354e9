"""Shrink a counterexample to the input a careful reviewer would have written.

Every attempt goes through `consider`, which keeps the best row so far, caches attempts and counts them. Rows are
ordered by tier, then by the length of their source with a penalty for what is hard to read, then by how many different
numbers a reader has to compare, then by source: the same bug shrinks to the same row from any start.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Callable

from ..generation.boundary_values import diagonal, interesting
from ..generation.constants import Pool
from ..values.dynamic import is_instance, type_of
from ..values.makers.call_recorder import RETURNING
from ..values.parts import with_part
from ..values.recipes.building import OF_FILES
from ..values.recipes.model import ALWAYS, IMMUTABLE, KEPT_WHOLE, New, Prepared
from ..values.recipes.source import to_text
from ..values.shapes import Shape
from .relabel import relabelled

_LONG_NUMBER = re.compile("[0-9]{2,}")
_RUN_OF_DIGITS = re.compile(r"(?<![0-9])[0-9]{2,4}(?![0-9])", re.ASCII)
MOST_SIMPLER = 8
"""Simpler instances that are tried together with fewer calls."""
COUNTED = 128
"""Integers up to this magnitude are tried one after the other."""
Key = tuple[Any, ...]


def row_key(row: Any, tier: int, defaults: Sequence[tuple[bool, Any]] = ()) -> Key:
    """The order of rows: smaller is better. An argument equal to its parameter's default costs nothing."""
    return text_key(shown_text(row, defaults), tier)


def text_key(text: str, tier: int) -> Key:
    """The order of rows by what is shown of them."""
    odd = 2 * text.count("-") + 3 * text.count("\\")
    if not (text.isascii() and text.isprintable()):
        odd += sum([6 for c in text if not c.isascii() or not c.isprintable()])
    return (tier, len(text) + odd, len(set(_LONG_NUMBER.findall(text))), list(map(_rank, text)))


def shown_text(row: Any, defaults: Sequence[tuple[bool, Any]]) -> str:
    """The source of the arguments that are not their parameter's default; defaults are ``(has one, which)``."""
    if not defaults:
        return to_text(row)
    pairs = zip(row, defaults)
    return to_text(tuple([v for v, (has, default) in pairs if not (has and to_text(v) == to_text(default))]))


def tuple_text(texts: list[str]) -> str:
    """The source of a tuple of what has these sources."""
    return "({})".format(", ".join(texts) + ("," if len(texts) == 1 else ""))


@lru_cache(maxsize=1024)
def _rank(char: str) -> tuple[int, str]:
    """Lower case before digits, digits before capitals, punctuation last."""
    return (0 if char.islower() else 1 if char.isdigit() else 2 if char.isupper() else 3, char)


class Shrinker:
    """Minimises one row under a predicate.

    Args:
        row: the row that was found; it satisfies the predicate.
        defaults: for each argument whether its parameter has a default, and which.
        predicate: ``predicate(row) -> tier`` (0, 1, ...) while the row still shows the bug, else -1.
        seconds: processor time that may be used.
    """

    def __init__(
        self,
        row: Any,
        tier: int,
        predicate: Callable[[Any], int],
        seconds: float,
        defaults: Sequence[tuple[bool, Any]] = (),
    ) -> None:
        self.best = row
        shown = shown_text(row, defaults)
        self.key = text_key(shown, tier)
        self._length = len(shown)
        self._given = defaults
        self._predicate = predicate
        self._deadline = time.process_time() + seconds
        self._tried: dict[str, bool] = {}
        self.attempts = 0
        self.taken: list[Any] = []
        """The rows that were taken, each smaller than the one before."""

    def consider(self, row: Any) -> bool:
        """Take the row if it is smaller and still shows the bug."""
        text = to_text(row)
        if text in self._tried:
            return False
        shown = shown_text(row, self._given) if self._given else text
        if len(shown) > self._length + 2:
            return False
        if time.process_time() > self._deadline:
            raise TimeoutError
        self._tried[text] = True
        best_possible = text_key(shown, 0)
        if best_possible >= self.key:
            return False
        self.attempts += 1
        tier = self._predicate(row)
        if tier < 0:
            return False
        key = (tier, *best_possible[1:])
        if key >= self.key:
            return False
        self.best, self.key, self._length = row, key, len(shown)
        self.taken.append(row)
        return True

    def run(self, shapes: Sequence[Shape], pool: Pool) -> Any:
        """Shrink to a fixed point, then look for an even smaller row among the simplest ones."""
        try:
            while True:
                before = self.key
                self._defaults()
                self._fewer_parts()
                self._pairs()
                for index in range(len(self.best)):
                    self._argument(index, shapes[index], pool)
                self._relabel()
                if self.key >= before:
                    break
            self._simplest(shapes, pool)
        except TimeoutError:
            pass
        return self.best

    def _replace(self, index: int, value: Any) -> bool:
        return self.consider(self.best[:index] + (value,) + self.best[index + 1 :])

    def _defaults(self) -> None:
        for index, (has, value) in enumerate(self._given):
            if has:
                self._replace(index, value)

    def _fewer_parts(self) -> None:
        """Fewer items and arguments of objects, wherever they are, before any is made smaller: that takes long."""
        for index in range(len(self.best)):
            while any(self._replace(index, value) for value in _with_fewer_parts(self.best[index])):
                pass

    def _argument(self, index: int, shape: Shape, pool: Pool) -> None:
        for value in interesting(shape, pool, 12):
            self._replace(index, value)
        progress = True
        while progress:
            progress = False
            for value in smaller(self.best[index]):
                if self._replace(index, value):
                    progress = True
                    break

    def _pairs(self) -> None:
        """Two arguments at once: cut both sequences alike, or lower both numbers by the same amount."""
        row = self.best
        for i in range(len(row)):
            for j in range(i + 1, len(row)):
                self._pair(i, j)

    def _relabel(self) -> None:
        progress = True
        while progress:
            progress = any(self.consider(row) for row in relabelled(self.best))

    def _pair(self, i: int, j: int) -> None:
        one: Any = self.best[i]
        two: Any = self.best[j]
        if type_of(one) is type_of(two):
            self._both(i, j, two, one)
            one, two = self.best[i], self.best[j]
        if type_of(one) is New and type_of(two) is New and one.name == two.name:
            for alike in _alike(one, two):
                self._both(i, j, *alike)
        elif type_of(one) in (list, str, tuple) and type_of(two) in (list, str, tuple):
            for at in range(min(len(one), len(two), 12)):
                self._both(i, j, one[:at] + one[at + 1 :], two[:at] + two[at + 1 :])
        elif type_of(one) is int and type_of(two) is int:
            self._both(i, j, 0, one + two)
            for step in (abs(one), abs(two), 10, 1):
                sign = 1 if one > 0 else -1
                self._both(i, j, one - sign * step, two - sign * step)
        elif is_instance(one, (list, str, tuple)) and type_of(two) is int and one:
            self._both(i, j, one[:-1], two - 1)
            self._both(i, j, one[1:], two - 1)
            if type_of(one) is list and all([type_of(part) is list for part in one]):
                self._both(i, j, [part[1:] for part in one], two - 1)

    def _both(self, i: int, j: int, one: Any, two: Any) -> None:
        row = list(self.best)
        row[i], row[j] = one, two
        self.consider(tuple(row))

    def _simplest(self, shapes: Sequence[Shape], pool: Pool) -> None:
        """The smallest rows of all, by size: another input may be smaller than any part of this one."""
        columns = [interesting(shape, Pool(), 40 if len(shapes) < 3 else 14) for shape in shapes]
        # A value is in many rows: its source is written once.
        texts: list[list[str | None]] = [
            [self._shown(place, value) for value in column] for place, column in enumerate(columns)
        ]
        rows: list[tuple[Key, Any]] = []
        places: tuple[int, ...]
        for places in diagonal([list(range(len(column))) for column in columns], 1500):
            parts = [column[place] for column, place in zip(texts, places)]
            text = tuple_text([part for part in parts if part is not None])
            if len(text) <= self.key[1]:
                key = text_key(text, 0)
                if key < self.key:
                    rows.append((key, tuple([column[place] for column, place in zip(columns, places)])))
        any(self.consider(row) for _, row in sorted(rows, key=itemgetter(0)))

    def _shown(self, place: int, value: Any) -> str | None:
        """The source of an argument; None if it is its parameter's default, which is not shown."""
        text = to_text(value)
        has, default = self._given[place] if self._given else (False, None)
        return None if has and text == to_text(default) else text


def _alike(one: New, two: New) -> Iterator[tuple[New, New]]:
    """Two objects of a class made equal, then only their first arguments: two dates become one, or of one year."""
    yield (one, one)
    yield (two, two)
    for count in range(min(len(one.args), len(two.args)) - 1, 0, -1):
        yield one, New(two.name, one.args[:count] + two.args[count:], two.kwargs)
        yield New(one.name, two.args[:count] + one.args[count:], one.kwargs), two


def _with_fewer_parts(value: Any) -> Iterator[Any]:
    """A value without some of its items, or in which one object is made with fewer of its last arguments."""
    kind = type_of(value)
    if kind is New and value.name not in KEPT_WHOLE:
        for count in range(1, len(value.args)):
            yield New(value.name, value.args[:count], value.kwargs)
        for index, item in enumerate(value.args):
            for simple in _with_fewer_parts(item):
                yield with_part(value, index, simple)
        for name in value.kwargs:
            yield New(value.name, value.args, {key: one for key, one in value.kwargs.items() if key != name})
    elif kind in (list, tuple):
        for start, stop in _cuts(len(value)):
            yield value[:start] + value[stop:]
        for index, item in enumerate(value[:MOST_SIMPLER]):
            for simple in _with_fewer_parts(item):
                yield with_part(value, index, simple)
    elif kind is dict:
        for name in value:
            yield {key: one for key, one in value.items() if key != name}
        for name, item in list(value.items())[:MOST_SIMPLER]:
            for simple in _with_fewer_parts(item):
                yield {**value, name: simple}


def smaller(value: Any) -> Iterator[Any]:
    """Values simpler than this one, the largest simplification first."""
    kind = type_of(value)
    if kind is int:
        yield from _smaller_ints(value)
    elif kind is float:
        yield from _smaller_floats(value)
    elif kind is str:
        yield from _smaller_strings(value)
    elif kind is bytes:
        yield from _smaller_bytes(value)
    elif kind in (list, tuple):
        yield from _smaller_sequences(value)
    elif kind in (set, frozenset):
        yield from (kind(items) for items in _smaller_sequences(sorted(value, key=to_text)))
    elif kind is dict:
        yield from _smaller_dicts(value)
    elif kind is New:
        yield from _smaller_news(value)
    elif kind is Prepared:
        yield from _less_prepared(value)
    elif kind is bool and value:
        yield False


def uniform(value: Any) -> Iterator[Any]:
    """A long string or list as repetitions of one element, the simplest first; the count is rounded up."""
    if type(value) not in (str, list) or len(value) < 100:
        return
    unit = 10 ** (len(str(len(value))) - 1)
    length = (len(value) * 21 // 20 // unit + 1) * unit
    for item in ("a", value[0]) if type(value) is str else (0, 0.0, "", value[0], *smaller(value[0])):
        yield item * length if type(value) is str else [item] * length


def _smaller_ints(value: int, *, most_counted: int | None = None) -> Iterator[int]:
    if value < 0:
        yield -value
    yield from range(min(abs(value), 4))
    if abs(value) > 4 and (most_counted is None or abs(value) <= most_counted):
        yield from _in_order(min(abs(value), COUNTED))
    step = abs(value) // 2
    sign = 1 if value > 0 else -1
    while step:
        yield value - sign * step
        step //= 2
    if abs(value) >= 10:
        yield int(str(abs(value))[:-1]) * sign
        yield int(str(abs(value))[1:]) * sign
        yield sign * 10 ** (len(str(abs(value))) - 1)


def _in_order(limit: int) -> Iterator[int]:
    """Counting up ends at the same number from any start, where halving stops at one of many."""
    for number in range(4, limit):
        yield number
        yield -number


def _smaller_floats(value: float) -> Iterator[Any]:
    if not math.isfinite(value):
        yield 0.0
        return
    yield from [candidate for candidate in (0.0, 1.0, 2.0, 0.5, 1.5, 0.1) if candidate != value]
    if value < 0:
        yield -value
    for digits in (0, 1, 2, 4):
        yield round(value, digits)
    if abs(value) < 1e15:
        for whole in _smaller_ints(int(value)):
            yield float(whole)


_SEPARATORS = ("\n", ", ", ",", " ", ";", "|", "/", ":", "-", "_", ".")
_MOST_WORDS = 30
_SHORTEST_CHECKED, _LONGEST_CHECKED = 8, 24
"""Lengths of strings that may hold a checksum."""


def _smaller_strings(value: str) -> Iterator[str]:
    if len(value) > 6:
        yield from ("a" * length for length in range(min(len(value), COUNTED)))
        if len(set(value)) > 1:
            yield "a" * len(value)
        yield from _fewer_words(value)
    for items in _cuts(len(value)):
        yield value[: items[0]] + value[items[1] :]
    if len(value) <= 12:
        yield from _swapped(value)
    for index, char in enumerate(value[:40]):
        for simple in _simpler_chars(char):
            yield value[:index] + simple + value[index + 1 :]
    if len(set(value)) > 1:
        for char in sorted(set(value))[:6]:
            simple = "a" if char.islower() else "A" if char.isupper() else "0" if char.isdigit() else " "
            if simple != char:
                yield value.replace(char, simple)
    yield from _smaller_numbers_inside(value)
    if _SHORTEST_CHECKED <= len(value) <= _LONGEST_CHECKED:
        yield from _smaller_before_a_checksum(value)


def _smaller_before_a_checksum(value: str) -> Iterator[str]:
    """A character becomes 0 while a later digit takes any value: where a checksum must be valid, none can change
    alone."""
    for index, char in enumerate(value):
        if char.isalnum() and char != "0":
            for later in range(index + 1, len(value)):
                if value[later].isdigit():
                    for digit in "0123456789":
                        yield value[:index] + "0" + value[index + 1 : later] + digit + value[later + 1 :]


def _smaller_bytes(value: bytes) -> Iterator[bytes]:
    """Deletions first, then simpler bytes: letters, which are written as themselves, then smaller ones."""
    if len(value) > 6:
        yield from (b"a" * length for length in range(min(len(value), COUNTED)))
    for start, stop in _cuts(len(value)):
        yield value[:start] + value[stop:]
    for index in range(min(len(value), 40)):
        for simple in (*b"ab0", *range(min(value[index], COUNTED)), 128, 255):
            yield value[:index] + bytes([simple]) + value[index + 1 :]
    if len(value) <= 12:
        yield from _swapped(value)


def _fewer_words(value: str) -> Iterator[str]:
    """Whole words deleted, where there are some."""
    for separator in _SEPARATORS:
        words = value.split(separator, _MOST_WORDS)
        if len(words) > 1:
            for start, stop in _cuts(len(words)):
                yield separator.join(words[:start] + words[stop:])


def _smaller_numbers_inside(value: str) -> Iterator[str]:
    """Numbers in a string counted up from zero, with as many digits: ``31-11`` becomes ``31-04``."""
    for run in _RUN_OF_DIGITS.finditer(value[:60]):
        digits = run.group()
        for number in range(min(int(digits), COUNTED)):
            yield value[: run.start()] + str(number).zfill(len(digits)) + value[run.end() :]


def _simpler_chars(char: str) -> str:
    if char.isdigit():
        return "ab" + "".join(c for c in "0123456789" if c < char)
    if char.islower():
        return "".join(c for c in "ab" if c < char)
    if char.isupper():
        return "ab0" + "".join(c for c in "AB" if c < char)
    return "a0 " if char != " " else "a0"


def _cuts(length: int) -> Iterator[tuple[int, int]]:
    """Spans to delete: large ones first."""
    size = length
    while size:
        for start in range(0, length - size + 1, max(1, size if size > 8 else 1)):
            yield start, start + size
        size = size // 2 if size > 3 else size - 1


def _smaller_sequences(value: Any) -> Iterator[Any]:
    if len(value) > 6 and type(value[0]) is int:
        yield from (type(value)([0]) * length for length in range(min(len(value), COUNTED)))
    for start, stop in _cuts(len(value)):
        yield value[:start] + value[stop:]
    kind = type_of(value)
    if value and all([type(item) in (list, tuple) and len(item) == 1 for item in value]):
        yield kind([item[0] for item in value])
    is_mixed = len({type_of(item) for item in value}) > 1
    for index, item in enumerate(value[:30]):
        for simple in smaller(item):
            yield with_part(value, index, simple)
        if is_mixed or item is None or type(item) not in IMMUTABLE:
            yield from (with_part(value, index, simple) for simple in (0, (), "", None))
    if 2 <= len(value) <= 12:
        yield from _swapped(value)
    if 2 <= len(value) <= 12:
        try:
            ordered = kind(sorted(value))
        except TypeError:
            return
        if ordered != value:
            yield ordered
        if type(value[0]) is int and all([type(item) is int for item in value]) and min(value) < 0:
            yield kind([item - min(value) for item in value])
        for simple in range(4):
            if type(value[0]) is int:
                yield kind([min(item, simple) if type(item) is int else item for item in value])


def _swapped(value: Any) -> Iterator[Any]:
    """Neighbours swapped."""
    for at in range(len(value) - 1):
        yield value[:at] + value[at + 1 : at + 2] + value[at : at + 1] + value[at + 2 :]


def _smaller_dicts(value: dict[Any, Any]) -> Iterator[Any]:
    items = list(value.items())
    for start, stop in _cuts(len(items)):
        yield dict(items[:start] + items[stop:])
    for index, (key, content) in enumerate(items[:20]):
        for simple in smaller(content):
            yield dict(items[:index] + [(key, simple)] + items[index + 1 :])
        for simple in smaller(key):
            try:
                yield dict(items[:index] + [(simple, content)] + items[index + 1 :])
            except TypeError:
                continue


def _smaller_news(value: New) -> Iterator[Any]:
    """An object inside of it, then fewer arguments: where the constructor needs them, the row is invalid."""
    if value.name in KEPT_WHOLE:
        return
    if value.name == RETURNING and len(value.args) == 1:
        yield New(ALWAYS, value.args)
    items = [*value.args, *value.kwargs.values()]
    for item in items:
        inside = item if type(item) in (list, tuple) else [item]
        yield from (one for one in inside[:30] if type(one) is New)
    if len(value.args) > 1 or (value.args and value.kwargs):
        yield New(value.name, value.args[:-1], value.kwargs)
    is_of_files = value.name in OF_FILES
    smaller_parts = _smaller_of_files if is_of_files else _smaller_parts
    for index, item in enumerate(value.args):
        for simple in smaller_parts(item):
            yield with_part(value, index, simple)
    for name, item in value.kwargs.items():
        for simple in smaller_parts(item) if name != "name" or not is_of_files else ():
            yield New(value.name, value.args, {**value.kwargs, name: simple})


def _smaller_of_files(value: Any) -> Iterator[Any]:
    """Fewer or simpler files under the names that they have: others would look odd, or mean something else."""
    for simple in _smaller_parts(value):
        if type_of(value) is not dict or simple.keys() <= value.keys():
            yield simple


def _less_prepared(value: Prepared) -> Iterator[Any]:
    """Without any of its calls, then with fewer, then with simpler ones on a simpler instance."""
    instance, calls = value.instance, value.calls
    yield instance
    for start, stop in _cuts(len(calls)):
        if stop - start < len(calls):
            yield Prepared(instance, calls[:start] + calls[stop:])
    for index, call in enumerate(calls):
        for simple in _smaller_news(call):
            if simple.name == call.name:
                yield Prepared(instance, calls[:index] + (simple,) + calls[index + 1 :])
    simpler = list(_smaller_news(instance))
    yield from (Prepared(simple, calls) for simple in simpler)
    for index in range(len(calls) if len(calls) > 1 else 0):
        fewer = calls[:index] + calls[index + 1 :]
        yield from (Prepared(simple, fewer) for simple in simpler[:MOST_SIMPLER])


def _smaller_parts(value: Any) -> Iterator[Any]:
    """An object inside of an object may become None; large numbers, such as years, are halved alone."""
    if type(value) is New:
        yield None
    yield from smaller(value) if type(value) is not int else _smaller_ints(value, most_counted=COUNTED)
