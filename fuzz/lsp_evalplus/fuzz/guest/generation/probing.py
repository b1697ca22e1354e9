"""Probing: infer from calls which shapes of arguments the programs accept.

A representative value of each common shape is put in place of one argument of a valid row, and the reference accepts or
refuses it. Only a contract makes a wider shape worth reporting: without one, a reference that happens to work on a
string proves nothing.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any, Callable, NamedTuple

from ..inference.functions.called_parameters import is_function_name
from ..inference.records.comparisons import lists_compared
from ..values.dynamic import type_of
from ..values.metrics import has_items, tell_nothing_of_items
from ..values.recipes.model import Name
from ..values.shapes import (
    ANY,
    ANYTHING,
    BOOL,
    BYTES,
    COMPLEX,
    FLOAT,
    FUNCTIONS,
    INT,
    NONE,
    STR,
    AnyShape,
    BytesShape,
    CollectionShape,
    DictShape,
    FieldsShape,
    FloatShape,
    IntShape,
    ListShape,
    RecordShape,
    SetShape,
    Shape,
    StrShape,
    TupleShape,
    is_nothing,
    kinds_named,
    merge,
    shape_of,
    union_of,
)
from ..values.shapes.holding import is_held, may_be_anything
from .boundary_values import diagonal, interesting
from .constants import Pool
from .domain import Domain
from .mutation import Mutator
from .random_values import Maker

_PLAIN = (BYTES, FLOAT, INT, STR)
_COMMON = (IntShape, FloatShape, StrShape, ListShape, DictShape)
_INTS, _FLOATS, _STRS = ListShape(INT), ListShape(FLOAT), ListShape(STR)
_PAIR = RecordShape((INT, INT))
_OF_WORDS = (STR, _STRS)
"""What is meant where only None is done with, and these are refused on purpose: words that are no valid ones."""

PROBES: tuple[tuple[Any, Shape], ...] = (
    (3, INT),
    ([3, 1, 2], _INTS),
    ("ab", STR),
    (1.5, FLOAT),
    (["b", "a"], _STRS),
    ([1.5, 0.5], _FLOATS),
    ([[1, 2], [3]], ListShape(_INTS)),
    ((1, 2), TupleShape(INT)),
    ([(1, 2), (3, 4)], ListShape(_PAIR)),
    ([("a", 1), ("b", 2)], ListShape(RecordShape((STR, INT)))),
    ({"a": 1}, DictShape(STR, INT)),
    ({1: 2}, DictShape(INT, INT)),
    ({"a": "b"}, DictShape(STR, STR)),
    ({1, 2}, SetShape(INT)),
    ([1, "a", None, 2.5, [1], {"a": 1}], ListShape(ANYTHING)),
    ([1, "a"], ListShape(union_of([INT, STR]))),
    ((1, "a", None), TupleShape(ANYTHING)),
    (("b", "a"), TupleShape(STR)),
    ([[0, 1], [1, 0]], ListShape(_INTS)),
    ([None, None], ListShape(ANYTHING)),
    (True, BOOL),
    (None, NONE),
    ("12", STR),
    (b"ab", BYTES),
    ([["a"], ["b", "c"]], ListShape(_STRS)),
    (((1, 2), (3, 4)), TupleShape(_PAIR)),
    ({"a": [1]}, DictShape(STR, _INTS)),
    (1j, COMPLEX),
    *[(functions.values[0], functions) for functions in (FUNCTIONS[1], FUNCTIONS[2], FUNCTIONS[0])],
)


ACCEPTED = 1 << 30
"""The reference returned something."""
RAISED_ON_PURPOSE = ACCEPTED - 1
"""It raised an exception of its own: what it says to such an input counts, but few are meant to be like it."""
MOST_JOINED = 80
"""Maximum number of rows in which other arguments change, so that one is accepted that the programs ask for."""
CLIMB_ROUNDS = 6
CLIMB_TRIES = 4000
CLIMB_PLATEAU = 1000
"""Tries after which a climb that gets no further ends."""
CLIMB_SECONDS = 0.5
"""Processor time after which no other round begins."""
MOST_CLIMB_SECONDS = 4 * CLIMB_SECONDS
"""Processor time after which a round ends, whose rows are large or whose calls take long."""


def _converted(value: Any, shape: Shape) -> list[Any]:
    """A string as bytes or bytes as a string, where these are asked for: a program that takes both converts one of
    them, and reads both in the same way."""
    if isinstance(shape, BytesShape) and type(value) is str:
        return [value.encode("utf-8", "replace")]
    return [value.decode("latin-1")] if isinstance(shape, StrShape) and type(value) is bytes else []


def _is_for_items(shape: Shape, admitted: Sequence[Shape]) -> bool:
    """Whether a list is admitted for no other reason than what is done with items, which other containers and strings
    have too."""

    def is_asked(one: Shape) -> bool:
        return isinstance(one, ListShape) and any([isinstance(part, (AnyShape, RecordShape)) for part in one.parts])

    return isinstance(shape, ListShape) and not any(map(is_asked, admitted))


def _probes_for(name: str) -> list[Any]:
    """One value of each shape; functions first where the parameter's name asks for one."""
    functions = [shape.values[0] for shape in (FUNCTIONS[1], FUNCTIONS[2], FUNCTIONS[0])]
    values = [value for value, _ in PROBES]
    return functions + values if is_function_name(name) else values


PLAIN_FIRST, PREPARED_BETWEEN = 400, 100
"""Numbers of rows that are refused, and of those with prepared instances that are then tried before the others."""


class Trials(NamedTuple):
    """The calls that probing may make."""

    progress_of: Callable[[Any], int]
    """Calls the reference alone: `ACCEPTED`, `RAISED_ON_PURPOSE`, or how far it got before it refused the row."""
    is_for_both: Callable[[Any], bool] = lambda row: True
    """Whether both programs seem to be meant for a row."""
    prepared: Callable[[], Iterable[Any]] = tuple
    """Rows whose instances had calls of other methods before."""
    returned: Callable[[], Iterable[Any]] = tuple
    """Accepted rows with results of other functions."""
    is_handled: Callable[[Any], bool] = lambda row: False
    """Whether the reference fails on a row, and the candidate takes care of that."""
    seeds: Callable[[], Iterator[Any]] = lambda: iter(())
    """Yields the seeds on which the reference returns something."""


def learn(domain: Domain, trials: Trials, pool: Pool, rng: random.Random) -> Domain | None:
    """Probe the reference; the domain that was learned, or None when no valid row was found."""
    return _Probing(domain, trials, pool).run(rng)


class _Probing:
    """Probes the parameters of a domain one after the other."""

    def __init__(self, domain: Domain, trials: Trials, pool: Pool) -> None:
        self._domain = domain
        self._trials = trials
        self._pool = pool
        self._takes_stand_ins = False
        """Whether nothing else was accepted."""
        self._companions: dict[int, list[Any]] = {}
        """By parameter, what it is where another one has a value that the programs ask for."""

    def run(self, rng: random.Random) -> Domain | None:
        """The domain that was learned, or None when no valid row was found."""
        domain = self._domain
        base = self._valid_row()
        if base is None:
            base = next(filter(self._is_accepted, self._trials.prepared()), None)
        if base is None or self._trials.progress_of(base) < ACCEPTED:
            base = next(iter(self._trials.returned()), base)
        if base is None and domain.evidence.stand_ins:
            self._takes_stand_ins = True
            base = self._valid_row()
        if base is None:
            base = next(self._trials.seeds(), None)
        if base is None:
            base = _climb(domain, self._trials.progress_of, self._pool, rng)
        if base is None:
            return None
        base = self._returning(base if self._takes_stand_ins else self._with_stand_ins(base))
        if self._trials.progress_of(base) < ACCEPTED:
            base = next(self._trials.seeds(), base)
        probed = [self._probed(index, base) for index in domain.free]
        joined = [(self._with_companions(index, typical), wide) for index, (typical, wide) in zip(domain.free, probed)]
        found = [self._with_fractions(index, base, *both) for index, both in zip(domain.free, joined)]
        return domain.learned(base, [typical for typical, _ in found], [wide for _, wide in found])

    def _with_stand_ins(self, base: Any) -> Any:
        """The valid row with stand-ins, where it has None in place of one: programs that are done with None at once
        take anything else beside it. The row as it is, where the reference returns nothing for these."""
        domain, stand_ins = self._domain, self._domain.evidence.stand_ins
        places = [i for i in domain.free if not domain.known[i] and domain.parameters[i].name in stand_ins]
        missing = [place for place in places if base[place] is None]
        made = {i: interesting(stand_ins[domain.parameters[i].name], self._pool, 1)[0] for i in places if missing}
        row = tuple([made.get(index, value) for index, value in enumerate(base)])
        if not missing or self._trials.progress_of(row) != ACCEPTED:
            return base
        self._takes_stand_ins = True
        for place in missing:
            self._companions.setdefault(place, []).append(None)
        return row

    def _returning(self, base: Any) -> Any:
        """A row for which the reference returns something, one argument away from one on which it only raises; that
        one, where there is none."""
        if self._trials.progress_of(base) == ACCEPTED:
            return base
        unknown = [index for index in self._domain.free if not self._domain.known[index]]
        near = (
            base[:index] + (value,) + base[index + 1 :]
            for index in unknown
            for value in self._first_values(self._domain.parameters[index].name)
        )
        return next((row for row in near if self._trials.progress_of(row) == ACCEPTED), base)

    def _rows_with(self, index: int, base: Any, value: Any) -> list[Any]:
        """The valid row with another value for one argument; also with None for all others that are compared with it,
        where options exclude one another."""
        optional = self._domain.evidence.optional
        row = base[:index] + (value,) + base[index + 1 :]
        pairs = enumerate(zip(self._domain.parameters, row))
        alone = tuple([None if i != index and one.name in optional else other for i, (one, other) in pairs])
        return [row] if all([one is other for one, other in zip(row, alone)]) else [row, alone]

    def _is_accepted(self, row: Any) -> bool:
        return self._trials.progress_of(row) >= RAISED_ON_PURPOSE

    def _probed(self, index: int, base: Any) -> tuple[Shape, Shape]:
        """The typical and the wider shape of a parameter.

        Where some rows return a result, those that only raise an error of the program's own say nothing of the type.
        """
        domain, parameter, typical = self._domain, self._domain.parameters[index], self._domain.typical[index]
        widens = domain.has_contract and not domain.is_bounded(parameter)
        if domain.known[index] and not widens:
            admitted = union_of([self._admitted(index, base, typical), *self._handled(index, base, ())])
            return admitted, admitted
        rows = [(base, shape_of(base[index]))]
        rows += [(row, shape) for value, shape in PROBES for row in self._rows_with(index, base, value)]
        tried = [(row, shape, self._trials.progress_of(row)) for row, shape in rows]
        accepted = [one for one in tried if one[2] >= RAISED_ON_PURPOSE]
        if not domain.known[index]:
            kinds = kinds_named(domain.evidence.leanings(parameter.name))
            asked = kinds_named(domain.evidence.asked.get(parameter.name, ()))
            missing = asked - {shape.kind for _, shape, _ in accepted}
            if len(accepted) == 1 and self._own_shapes(parameter.name):
                # Beside the programs' own objects, whether anything else is valid may depend on other arguments.
                missing |= {IntShape, StrShape}
            accepted += self._accepted_with_others(index, base, missing)
            meant = [one for one in accepted if one[2] == ACCEPTED or one[1].kind in kinds] or accepted
            failed = [(row, shape) for row, shape, progress in tried if progress < RAISED_ON_PURPOSE]
            if tell_nothing_of_items([row[index] for row, *_ in meant], [row[index] for row, _ in failed]):
                meant += [one for one in accepted if has_items(one[0][index])]
            elif all([row[index] is None for row, *_ in meant]):
                is_most = len(failed) < len(accepted) / 2
                meant = accepted if is_most else meant + [one for one in accepted if one[1] in _OF_WORDS]
            told = lists_compared(domain.evidence.item_choices.get(parameter.name, ()))
            certain = [shape for _, shape, _ in meant if shape.kind in asked or shape.key() in told]
            shared = [shape for row, shape, _ in meant if shape in certain or self._trials.is_for_both(row)]
            evident = self._evident(index, shared or [shape for _, shape, _ in meant])
            typical = self._with_none(index, base, self._with_own(index, base, evident))
            kinds |= {shape.kind for _, shape, _ in accepted}
            handled = self._handled(index, base, [(row, shape) for row, shape in failed if shape.kind in kinds])
            typical = union_of([self._admitted(index, base, typical), *handled])
        return typical, self._widened(index, typical, [shape for _, shape, _ in accepted]) if widens else typical

    def _admitted(self, index: int, base: Any, typical: Shape) -> Shape:
        """What is known of a parameter, with what the reference asks for beside that and accepts, or refuses on
        purpose."""
        found: list[Shape] = []
        is_open = may_be_anything(typical)
        admitted = self._domain.evidence.admitted.get(self._domain.parameters[index].name, ())
        for shape in admitted:
            values = [*interesting(shape, self._pool, 3), *_converted(base[index], shape)]
            if _is_for_items(shape, admitted) and not self._may_be_list(index, base, typical, shape):
                continue
            if not is_open:
                # Items of shapes that stand for many, as any and stand-ins, are accepted but never made.
                has_items = isinstance(shape, CollectionShape)
                values = [one for one in values if (has_items and one) or not is_held(typical, shape, one)]
            if self._takes_one_of(index, base, values):
                found.append(shape)
        return union_of([typical, *found]) if found else typical

    def _handled(self, index: int, base: Any, tried: Sequence[tuple[Any, Shape]]) -> list[Shape]:
        """The shapes on which the reference fails and the candidate takes care of that: of those that were tried, and
        None, where the candidate alone compares the parameter with it. For that one it may depend on the other
        arguments, whether the reference fails."""
        found = [shape for row, shape in tried if self._trials.is_handled(row)]
        if self._domain.parameters[index].name in self._domain.evidence.newly_optional:
            others = [place for place in range(len(base)) if place != index]
            varied = self._varied(base[:index] + (None,) + base[index + 1 :], others)
            rows = itertools.chain(self._rows_with(index, base, None), varied)
            found += [NONE] if any([self._trials.is_handled(row) for row in rows]) else []
        return _different(found)

    def _takes_one_of(self, index: int, base: Any, values: Sequence[Any]) -> bool:
        """Whether the reference accepts one of some values; the first of them also where other arguments differ."""
        if any([self._is_accepted(row) for value in values for row in self._rows_with(index, base, value)]):
            return True
        return any([self._joined(index, base, value) is not None for value in values[:1]])

    def _may_be_list(self, index: int, base: Any, typical: Shape, shape: Shape) -> bool:
        """Whether lists may be meant of which only the items are asked for: those that are stated to be other types are
        none, and as other containers would do as well, both programs have to be meant for them."""
        if any([isinstance(one, ListShape) for one in typical.alternatives]):
            return True
        is_open = may_be_anything(typical)
        if self._domain.known[index] and not is_open:
            return False
        rows = [row for value in interesting(shape, self._pool, 3) for row in self._rows_with(index, base, value)]
        return all([self._trials.is_for_both(row) for row in rows if self._is_accepted(row)])

    def _accepted_with_others(self, index: int, base: Any, kinds: Set[type[Shape]]) -> list[tuple[Any, Shape, int]]:
        """The probes of some kinds that the reference accepts where other arguments differ from the base too."""
        rows = [(self._joined(index, base, value), shape) for value, shape in PROBES if shape.kind in kinds]
        return [(row, shape, ACCEPTED) for row, shape in rows if row is not None]

    def _joined(self, index: int, base: Any, value: Any) -> Any | None:
        """A row with a value for one argument, on which the reference returns something, found by varying the arguments
        of unknown types; None where there is none."""
        others = [
            i for i in self._domain.free if i != index and not self._domain.is_bounded(self._domain.parameters[i])
        ]
        for row in self._varied(base[:index] + (value,) + base[index + 1 :], others):
            if self._trials.progress_of(row) == ACCEPTED:
                for other in others:
                    self._companions.setdefault(other, []).append(row[other])
                return row
        return None

    def _with_companions(self, index: int, typical: Shape) -> Shape:
        """What was learned of a parameter of unknown type, with what it is beside values that the programs ask for."""
        if self._domain.known[index]:
            return typical
        others = [shape_of(one) for one in self._companions.get(index, ()) if not typical.accepts(one)]
        return union_of([typical, *_different(others)]) if others else typical

    def _varied(self, row: Any, places: Sequence[int]) -> Iterable[Any]:
        """The row with other values in some places, a few at once."""
        if not places:
            return ()
        columns = [[value] for value in row]
        for place in places:
            parameter, shape = self._domain.parameters[place], self._domain.typical[place]
            first = self._first_values(parameter.name) if isinstance(shape, AnyShape) else []
            columns[place] = [row[place], *first, *interesting(shape, self._pool, MOST_JOINED)]
        return diagonal(columns, MOST_JOINED)

    def _with_fractions(self, index: int, base: Any, typical: Shape, wide: Shape) -> tuple[Shape, Shape]:
        """Both shapes of a parameter; the wider one has floats where the docstring admits them and the reference
        accepts them."""
        numbers = self._domain.with_fractions(index, typical)
        if numbers is None:
            return typical, wide
        sequence = tuple if isinstance(typical, TupleShape) else list
        rows = [base[:index] + (sequence(values),) + base[index + 1 :] for values in ((1.5, 0.5), (1.0, 3.0, 2.0))]
        is_accepted = all([self._trials.progress_of(row) == ACCEPTED for row in rows])
        return typical, union_of([wide, numbers]) if is_accepted else wide

    def _with_none(self, index: int, base: Any, typical: Shape) -> Shape:
        """A guess with None where a program compares the parameter with it and the reference returns a result."""
        name, evidence = self._domain.parameters[index].name, self._domain.evidence
        is_asked = name in evidence.optional
        if not is_asked and name not in evidence.optional_in_both:
            return typical
        rows = self._rows_with(index, base, None)
        if not any([self._trials.progress_of(row) == ACCEPTED for row in rows]):
            return typical
        return union_of([typical, NONE]) if is_asked or self._trials.is_for_both(rows[0]) else typical

    def _with_own(self, index: int, base: Any, evident: list[Shape]) -> Shape:
        """What was guessed, with the shapes of the program's own that are accepted, and words that it compares with."""
        name, evidence = self._domain.parameters[index].name, self._domain.evidence
        found: list[Shape] = []
        for shape in self._own_shapes(name):
            values = interesting(shape, self._pool, 3)
            if self._takes_one_of(index, base, values):
                found.append(shape)
        # What is a record is no other dict, and what is a list of them no other list.
        taken = {DictShape if kind is FieldsShape else kind for shape in found for kind in _kinds(shape)}
        evident = [shape for shape in evident if shape.kind not in taken]
        told = lists_compared(evidence.item_choices.get(name, ()))
        evident.sort(key=lambda shape: bool(told) and isinstance(shape, ListShape) and shape.key() not in told)
        if found and (not evident or name in evidence.keys):
            return union_of(found)
        asked, told = (set(kinds_named(one.get(name, ()))) for one in (evidence.asked, evidence.told))
        guess = self._guess(evident, base[index], asked, is_fraction=FloatShape in told)
        words = self._domain.words(name) if StrShape in _kinds(guess) else []
        return union_of([*found, *words, guess])

    def _own_shapes(self, name: str) -> Sequence[Shape]:
        """The shapes of the program's own that a parameter may have."""
        evidence = self._domain.evidence
        if self._takes_stand_ins and name in evidence.stand_ins:
            return [evidence.stand_ins[name], *evidence.shapes.get(name, ())]
        return evidence.shapes.get(name, ())

    def _evident(self, index: int, accepted: list[Shape]) -> list[Shape]:
        """Those of some accepted shapes that a use, the name, a default or a comparison speaks for; all, where none
        does."""
        parameter, evidence = self._domain.parameters[index], self._domain.evidence
        used = kinds_named(evidence.uses(parameter.name))
        kinds, tested = (set(kinds_named(one.get(parameter.name, ()))) for one in (evidence.told, evidence.tested))
        if used:
            accepted = [shape for shape in accepted if shape.kind in used | tested] or accepted
        # What has a name stands for itself alone.
        if parameter.has_default and parameter.default is not None and type(parameter.default) is not Name:
            kinds.add(shape_of(parameter.default).kind)
        if TupleShape in kinds or RecordShape in kinds:
            kinds |= {TupleShape, RecordShape, ListShape}
        if kinds:
            return [shape for shape in accepted if shape.kind in kinds | tested] or accepted
        # What is tested for is one possibility; the plainest of the others is another.
        return [s for s in accepted if s.kind in tested] + [s for s in accepted if s.kind not in tested]

    def _guess(self, accepted: list[Shape], value: Any, asked_kinds: Set[type[Shape]], *, is_fraction: bool) -> Shape:
        """Nothing was said of the parameter: take the plainest of some accepted shapes, at most two, and texts.

        What works on an int works on a float by chance, so a float is taken only where no int is, or where the
        program treats it as a fraction; so are their lists.
        Types for which the reference tests come in addition: the test distinguishes them from others.
        """
        asked = [s for s in accepted if s.kind in asked_kinds]
        others = [s for s in accepted if s.kind not in asked_kinds]
        common = [s for s in others if isinstance(s, _COMMON)]
        if any([isinstance(s, IntShape) for s in common]) and not is_fraction:
            common = [s for s in common if not isinstance(s, FloatShape)]
        found = _different(common or others or asked or [shape_of(value)])[:2]
        if any([s.key() == _INTS.key() for s in found]):
            found = [s for s in found if s.key() != _FLOATS.key()]
        texts = [s for s in common if isinstance(s, StrShape)][:1]
        if not any([isinstance(s, IntShape) for s in found]):
            texts = []
        plain = merge(list(dict.fromkeys([*found, *texts])))
        return union_of([*_few_of_each(asked), plain]) if asked else plain

    def _widened(self, index: int, typical: Shape, accepted: list[Shape]) -> Shape:
        if not accepted or self._domain.parameters[index].kind in ("instance", "keywords"):
            return typical
        kinds = _kinds(typical)
        allowed = [s for s in accepted if s.kind in kinds or s.kind in self._domain.named]
        if self._domain.known[index] and self._domain.says_elements:
            allowed = [s for s in allowed if not s.parts or _element_kinds(s) <= self._element_names(typical)]
        return union_of([typical, *_broadest(allowed)])

    def _element_names(self, typical: Shape) -> set[type[Shape]]:
        """Kinds of elements that examples show or the contract names."""
        shown = [kind for part in typical.alternatives for kind in _element_kinds(part)]
        return set(shown) | (self._domain.named & {IntShape, FloatShape, StrShape})

    def _valid_row(self) -> Any | None:
        for row in self._domain.rows:
            if self._trials.progress_of(row) >= RAISED_ON_PURPOSE:
                return row
        columns: list[list[Any]] = []
        for shape, parameter in zip(self._domain.typical, self._domain.parameters):
            lines = self._domain.evidence.command_lines.get(parameter.name, ())
            offered = itertools.chain(lines, interesting(shape, self._pool, 24), self._pool.formatted)
            column = [one for one in offered if shape.accepts(one)]
            if isinstance(shape, AnyShape):
                column = self._first_values(parameter.name) + column
            if parameter.kind == "spread":
                asked = self._domain.evidence.admitted.get(parameter.name, ())
                column[1:1] = [value for one in asked for value in interesting(one, self._pool, 3)]
            if parameter.is_default_written:
                column = [parameter.default] + column
            columns.append(column)
        # What may be left out is, at first: of many columns, no value that comes late is reached.
        shortest = [column[:1] if p.has_default else column for p, column in zip(self._domain.parameters, columns)]
        rows = diagonal(shortest, 2500)
        if any([p.has_default for p in self._domain.parameters]):
            rows = itertools.chain(rows, diagonal(columns, 2500))
        raising = None
        for count, row in enumerate(rows):
            if count == PLAIN_FIRST and raising is None:
                few = itertools.islice(self._trials.prepared(), PREPARED_BETWEEN)
                base = next(filter(self._is_accepted, few), None)
                if base is not None:
                    return base
            progress = self._trials.progress_of(row)
            if progress == ACCEPTED:
                return row
            if progress == RAISED_ON_PURPOSE and raising is None:
                raising = row
        return raising

    def _first_values(self, name: str) -> list[Any]:
        """Values for a parameter of which nothing is known, those first that the programs' texts speak for."""
        probes, kinds = _probes_for(name), kinds_named(self._domain.evidence.leanings(name))
        own = [value for shape in self._own_shapes(name) for value in interesting(shape, self._pool, 3)]
        own += _repeated(own)
        likely = [value for shape in _PLAIN if shape.kind in kinds for value in interesting(shape, self._pool, 6)]
        likely += [value for value, shape in PROBES if shape.kind in kinds]
        if name not in self._domain.evidence.optional:
            return own + likely + probes
        first, *others = own + likely + probes
        return [first, None, *others]


def _repeated(values: Sequence[Any]) -> list[Any]:
    """The lists of one item with two and with three of it: ``rows[-2]`` asks for as many."""
    singles = [value for value in values if type_of(value) is list and len(value) == 1]
    return [value * count for value in singles for count in (2, 3)]


def _broadest(shapes: list[Shape]) -> list[Shape]:
    """Without the shapes that a container of anything covers."""
    free = {s.kind for s in shapes if s.parts and isinstance(s.parts[0], AnyShape)}
    return [s for s in shapes if s.kind not in free or isinstance(s.parts[0], AnyShape)]


def _different(shapes: Sequence[Shape]) -> list[Shape]:
    """Each of some shapes once."""
    return list({shape.key(): shape for shape in shapes}.values())


def _few_of_each(shapes: list[Shape]) -> list[Shape]:
    """The first two shapes of each kind, merged."""
    kinds = dict.fromkeys([shape.kind for shape in shapes])
    return [merge([shape for shape in shapes if shape.kind is kind][:2]) for kind in kinds]


def _kinds(shape: Shape) -> set[type[Shape]]:
    return {part.kind for part in shape.alternatives}


def _element_kinds(shape: Shape) -> set[type[Shape]]:
    return {leaf.kind for part in shape.parts for leaf in part.alternatives}


def _plausible_shapes(domain: Domain) -> list[Shape]:
    """Shapes for a parameter of which nothing is known: of types that the contract names, or the common ones."""
    shapes = [shape for _, shape in PROBES]
    named = [s for s in shapes if s.kind in domain.named]
    return named or shapes[:16]


def _climb(domain: Domain, progress_of: Callable[[Any], int], pool: Pool, rng: random.Random) -> Any | None:
    """Search for a valid row where no example gives one, by several climbs through the contract: as long as one ends
    elsewhere than those before it, or gets further than it began."""
    if not domain.free or any(map(is_nothing, domain.typical)):
        return None
    started = time.process_time()
    ends = set[int]()
    for _ in range(CLIMB_ROUNDS):
        row, first, last = _climb_once(domain, progress_of, Mutator(pool, rng))
        if row is not None or time.process_time() - started > CLIMB_SECONDS or (first == last and last in ends):
            return row
        ends.add(last)
    return None


def _climb_once(domain: Domain, progress_of: Callable[[Any], int], mutator: Mutator) -> tuple[Any | None, int, int]:
    """Keep the rows that got furthest, mutate them; return a valid row, and the progress of the first and the best."""
    maker, rng = Maker(mutator), mutator.rng
    choices = [[s] if not isinstance(s, AnyShape) else _plausible_shapes(domain) for s in domain.typical]
    best: list[Any] = []
    first = reached = -1
    risen = 0
    started = time.process_time()
    for number in range(CLIMB_TRIES):
        is_late = number % 16 == 0 and time.process_time() - started > MOST_CLIMB_SECONDS
        if is_late or number - risen > CLIMB_PLATEAU:
            break
        if best and number % 3:
            row = mutator.mutate_arguments(rng.choice(best), domain.free, [ANY] * len(choices))
        else:
            row = maker.row([rng.choice(options) for options in choices])
        progress = progress_of(row)
        first = progress if first < 0 else first
        if progress >= RAISED_ON_PURPOSE:
            return row, first, progress
        if progress > reached:
            reached, best, risen = progress, [row], number
        elif progress == reached and len(best) < 40:
            best.append(row)
        elif progress == reached:
            best[rng.randrange(40)] = row
    return None, first, reached
