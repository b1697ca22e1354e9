"""Parts that programs compare become equal: all items of a list match what they are looked up by, or all but one. What
is sought in a list is put into it, or takes the value of one of its items.

A program such as ``[one for one in orders if one.customer == name]`` shows what it does with its matches on rows that
have several; random values seldom give two. What both sides of a comparison were is REDQUEEN's idea (NDSS 2019); here
all parts in the same place of their items take the value of the other side.
"""

from __future__ import annotations

import datetime as dt
import enum
import random
from collections.abc import Iterator, Set
from itertools import islice
from typing import Any, Callable, NamedTuple

from ...values.dynamic import is_instance, type_of
from ...values.parts import Path, part_at, parts_of, paths_to, replaced
from ...values.recipes.model import Name, is_plain
from ...values.recipes.parsing import from_text
from ..mutation import Mutator
from ..random_values import Maker
from .context import Context
from .solving import Sides

_SCALARS = frozenset((str, int, bytes))
_CONTAINERS = frozenset((list, tuple, set, frozenset, dict))
_FILLED = (list, set, frozenset)
_TIMES = (dt.date, dt.datetime)
_MOST_HELD = 3
"""Items of a container with which what is sought in it is compared."""
_DEEPEST = 5
_MOST_PARTS = 60
"""Parts of one row that are compared."""
_MOST_UNMATCHED = 20
"""Rows in a row without such a comparison, after which no more are made."""
_MOST_SPELLED = 8
"""Strings that are matches and are tried in other spellings."""
_FURTHER = 2
"""Matches of matches that are looked for."""
_MOST_CHAINED = 4
"""Matches of one row that are run for that."""
_ITEM = "item"
"""Stands for the position in a list in what names the place of a part."""


class _Part(NamedTuple):
    argument: int
    path: Path
    place: tuple[Any, ...]
    """The path without positions in lists: the same attribute of all items has one place."""
    value: Any


def matches(context: Context, observe: Callable[[Any], Sides]) -> Iterator[Any]:
    """Random rows in which parts equal what they were compared with, as long as there are such comparisons.

    `observe` runs both programs on a row and gives what they compared.
    """
    unmatched = 0
    spelled: set[str] = set()
    maker = Maker(Mutator(context.pool, _own_generator(context.rng), context.domain.nested))
    while context.domain.parameters:
        unmatched += 1
        row = maker.row(context.shapes(wide=False))
        for matched in _matches_of(row, context, observe, _FURTHER):
            unmatched = 0
            yield matched
            yield from _spelled_otherwise(matched, row, spelled)
        if unmatched > _MOST_UNMATCHED:
            return


def _matches_of(
    row: Any, context: Context, observe: Callable[[Any], Sides], further: int, known: Sides | None = None
) -> Iterator[Any]:
    """Yield the matches of a row; then those of its first matches with which a program comes to another comparison.

    `known` is what the programs compare on the row, where that was observed before.
    """
    parts = [part for index in context.domain.free for part in _parts_in(row[index], index)][:_MOST_PARTS]
    is_observed = parts and not context.is_as_large(row)
    observed: Sides = (observe(row) if known is None else known) if is_observed else {}
    held = _held_in(row) if observed else frozenset[Any]()
    tried = 0
    for made in [
        *[_matched(row, parts, *one) for one in dict.fromkeys(_unequal(observed, held))],
        _filled(context, row, observed),
    ]:
        for matched in made:
            yield matched
            tried += 1
            compared = observe(matched) if further and tried <= _MOST_CHAINED else {}
            if compared.keys() - observed.keys():
                yield from _matches_of(matched, context, observe, further - 1, compared)


def _spelled_otherwise(matched: Any, row: Any, spelled: set[str]) -> Iterator[Any]:
    """Yield a row with each string that another row has not in other cases, and between blanks: a program may compare
    what it has made of them. `spelled` has those that were tried."""
    if len(spelled) >= _MOST_SPELLED:
        return
    held = {part.value for index, value in enumerate(row) for part in _parts_in(value, index)}
    for index, value in enumerate(matched):
        for part in _parts_in(value, index) if value is not row[index] else ():
            text = part.value
            if type_of(text) is not str or not text or text in held or text in spelled:
                continue
            if len(spelled) >= _MOST_SPELLED:
                return
            spelled.add(text)
            for other in dict.fromkeys((f" {text}", f"{text} ", text.upper(), text.lower())):
                if other != text:
                    yield (*matched[:index], replaced(value, part.path, other), *matched[index + 1 :])


def _own_generator(rng: random.Random) -> random.Random:
    """Return another generator of random numbers: what other stages draw does not depend on how long this one lasts."""
    own = random.Random()
    own.setstate(rng.getstate())
    return random.Random(own.getrandbits(64))


def _held_in(row: Any) -> frozenset[Any]:
    """Return the strings and numbers in a row, and the keys of its dicts, with their types."""
    found: set[Any] = set()
    waiting = [(value, 0) for value in row]
    for value, depth in waiting:
        if type_of(value) in _SCALARS:
            found.add((type_of(value), value))
        elif depth < _DEEPEST and len(waiting) < _MOST_PARTS:
            found.update([(type_of(key), key) for key in value] if type_of(value) is dict else ())
            waiting += [(part, depth + 1) for _, part in parts_of(value)]
    return frozenset(found)


def _is_among(value: Any, held: Set[Any]) -> bool:
    return type_of(value) in _SCALARS and (type_of(value), value) in held


def _unequal(compared: Sides, held: Set[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield pairs of different scalars that were compared, and members of enumerations by their names.

    What was sought in a container is paired with what that holds of `held`, the values in the row: words of the code
    are tried anyway.
    """
    for one, two in compared.values():
        left = _as_part(one)
        is_container = type_of(two) in _CONTAINERS
        items: Any = islice(two, _MOST_HELD) if is_container else [two]
        others: list[Any] = [item for item in items if not is_container or _is_among(item, held)]
        for right in map(_as_part, others if left is not None else ()):
            if right is not None and type_of(left) is type_of(right) and left != right:
                yield left, right
                yield right, left


def _missing(compared: Sides) -> Iterator[tuple[Any, Any]]:
    """Yield scalars and times that were sought in lists and sets which do not hold them, as recipes have them."""
    for one, two in compared.values():
        kind = type_of(one)
        if (
            (kind in _SCALARS or kind in _TIMES)
            and type_of(two) in _FILLED
            and not any([type_of(held) is kind and held == one for held in two])
        ):
            yield from_text(repr(one)) if kind in _TIMES else one, two


def _as_part(operand: Any) -> Any:
    """Return an operand as rows have it; None for what they have no literal of."""
    if is_instance(operand, enum.Enum):
        return _Member(f"{type_of(operand).__name__}.{operand.name}")
    return operand if type_of(operand) in _SCALARS else None


class _Member(str):
    """The name of a member of an enumeration."""

    __slots__ = ()


def _filled(context: Context, row: Any, observed: Sides) -> Iterator[Any]:
    """Yield the row in which lists and sets hold what was sought in them."""
    for sought, held in _missing(observed):
        for index in context.domain.free:
            for path in _places_of(row[index], held):
                filled = type_of(held)([*held, sought])
                yield (*row[:index], replaced(row[index], path, filled), *row[index + 1 :])


def _with_other_keys(row: Any, one: Any, other: Any) -> Iterator[Any]:
    for index, value in enumerate(row if type_of(one) is str and type_of(other) is str else ()):
        for path in paths_to(value, lambda part: type_of(part) is dict and one in part, deepest=_DEEPEST, most=1):
            held = part_at(value, path)
            renamed = {other if type_of(key) is str and key == one else key: part for key, part in held.items()}
            yield (*row[:index], replaced(value, path, renamed), *row[index + 1 :])


def _places_of(value: Any, held: Any, path: Path = ()) -> Iterator[Path]:
    """Yield where an argument has a list or set with some items."""
    if type_of(value) is type_of(held) and is_plain(value) and value == held:
        yield path
    elif type_of(value) not in _SCALARS and len(path) < _DEEPEST:
        for key, part in parts_of(value):
            yield from _places_of(part, held, (*path, key))


def _parts_in(value: Any, index: int, path: Path = (), place: tuple[Any, ...] = ()) -> Iterator[_Part]:
    """Yield the scalars in an argument, and the names in it."""
    kind = type_of(value)
    if kind in _SCALARS:
        yield _Part(index, path, place, value)
    elif kind is Name:
        yield _Part(index, path, place, _Member(".".join(value.name.split(".")[-2:])))
    elif len(path) < _DEEPEST:
        is_list = kind in (list, tuple)
        for key, part in parts_of(value):
            yield from _parts_in(part, index, (*path, key), (*place, _ITEM if is_list else key))


def _matched(row: Any, parts: list[_Part], one: Any, other: Any) -> Iterator[Any]:
    """Yield the row in which all parts in a place where one of them has a value have another one; then all but one;
    then those in which a key of a dict is the other one."""
    yield from _with_other_keys(row, one, other)
    new = Name(other) if type_of(other) is _Member else other
    for index, place in dict.fromkeys(
        [(part.argument, part.place) for part in parts if type_of(part.value) is type_of(one) and part.value == one]
    ):
        paths = [part.path for part in parts if (part.argument, part.place) == (index, place)]
        for count in dict.fromkeys((len(paths), len(paths) - 1)):
            value = row[index]
            for path in paths[:count]:
                value = replaced(value, path, new)
            if count:
                yield (*row[:index], value, *row[index + 1 :])
