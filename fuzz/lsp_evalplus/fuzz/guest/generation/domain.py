"""The domain of a search: the typical shape of each parameter, and the wider ones that contract and reference let pass.

Typical is what annotations and examples show. Wider shapes are learned by probing: a representative value of each
common shape is put in place of one argument of a valid row, and the reference says whether it takes it. Only a contract
makes a wider shape worth reporting: without one, a reference that happens to work on a string proves nothing.
"""

from __future__ import annotations

import itertools
import random
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Callable, NamedTuple

from ..docstrings.preconditions import Condition, bounds_in
from ..docstrings.predicates import families_of
from ..inference.annotations import hints_of, is_iterable
from ..inference.evidence import evidence_of
from ..inference.name_conventions import NOTHING_CUSTOMARY, Custom, customary
from ..inference.usage import Evidence
from ..program.subject import Parameter, Programs
from ..values.metrics import walk
from ..values.recipe import New, is_plain
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
    ChoiceShape,
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
    is_recursive,
    is_unknown,
    kinds_named,
    leaves,
    merge,
    recursive,
    shape_of,
    union_of,
)
from .boundary_values import diagonal, interesting
from .constants import Pool
from .mutation import Mutator
from .random_values import Maker

_PLAIN = (BYTES, FLOAT, INT, STR)
_COMMON = (IntShape, FloatShape, StrShape, ListShape, DictShape)
NO_EVIDENCE = Evidence()
_INTS, _FLOATS, _STRS = ListShape(INT), ListShape(FLOAT), ListShape(STR)
_PAIR = RecordShape((INT, INT))

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


_ELEMENTS = re.compile(
    r"\b(?:list|array|arrays|lists|tuple|sequence|vector|collection)s?\s+(?:of\s+)?(?:\w+[- ]){0,2}"
    r"(?:int|integer|number|numeral|float|string|str|word|digit|num|real|boolean)s?\b"
    r"|\b(?:integer|number|int|string|word)s?\s+(?:list|array)s?\b",
    re.IGNORECASE,
)
"""A docstring that says what its lists hold: other elements are out of scope."""


_ORDINARY = ("positional", "keyword")
_ITERATOR = "iter"
TYPE_TESTS = frozenset(("isinstance", "type"))


def _broadest(shapes: list[Shape]) -> list[Shape]:
    """Without the shapes that a container of anything covers."""
    free = {s.kind for s in shapes if s.parts and isinstance(s.parts[0], AnyShape)}
    return [s for s in shapes if s.kind not in free or isinstance(s.parts[0], AnyShape)]


def _kinds(shape: Shape) -> set[type[Shape]]:
    return {part.kind for part in shape.alternatives}


def _element_kinds(shape: Shape) -> set[type[Shape]]:
    return {leaf.kind for part in shape.parts for leaf in part.alternatives}


_FUNCTION_NAMES = re.compile(
    r"(?:.*_)?(?:f|fn|func|funcs|function|pred|predicate|key|keyfunc|binop|callback|callable|factory|validator|mapper|op)"
)


def _probes_for(name: str) -> list[Any]:
    """One value of each shape; functions first where the parameter's name asks for one."""
    functions = [shape.values[0] for shape in (FUNCTIONS[1], FUNCTIONS[2], FUNCTIONS[0])]
    values = [value for value, _ in PROBES]
    return functions + values if _FUNCTION_NAMES.fullmatch(name) else values


class Facts(NamedTuple):
    """What is known of the inputs of a function, beside its parameters and its examples."""

    has_contract: bool = False
    named: AbstractSet[str] = frozenset()
    """Names that stand in the contract: a type named there may be tried."""
    text: str = ""
    """The docstring and what stands around the function."""
    combinations: Sequence[list[Shape]] = ()
    """Where the function has overloads: a row has to suit one of them."""
    is_bound: bool = False
    """Whether annotations bound the inputs even where a contract lets others pass: where the function itself judges,
    what it promises holds for what it declares."""
    annotated: AbstractSet[str] = frozenset()
    """The parameters that the judge annotates: where a reference judges, not what the candidate says of them."""
    evidence: Evidence = NO_EVIDENCE
    bounds: Sequence[Condition] = ()
    """What the docstring says of the inputs."""
    fields: AbstractSet[str] = frozenset()
    """Keys of texts of the programs' own form."""
    iterables: AbstractSet[str] = frozenset()
    """The parameters that take whatever can be gone through once."""
    custom: Custom = NOTHING_CUSTOMARY
    """What the names of the parameters let expect."""


NOTHING_KNOWN = Facts()


class Surroundings(NamedTuple):
    """What a domain is read from, beside the programs."""

    text: str
    """Text around the function."""
    contract: Mapping[str, Any]
    """The fields of ``fuzz.model.Contract``; empty where there is none."""
    overloads: Sequence[list[Shape]]
    fields: AbstractSet[str]
    """Keys of texts of the programs' own form."""
    records: Mapping[str, Shape]
    """Dicts that parameters may be of which nothing else is known."""


def read_domain(
    programs: Programs, parameters: list[Parameter], examples: list[Any], surroundings: Surroundings
) -> Domain:
    """The domain that two programs, their examples and what stands around them speak of."""
    anatomy = programs.judging.anatomy
    contract = surroundings.contract
    has_contract = anatomy.contract_end > 0 or bool(
        contract.get("preconditions") or set(contract.get("styles", ())) - {"assert"}
    )
    functions = [anatomy.function, programs.candidate.anatomy.function]
    facts = Facts(
        has_contract=has_contract,
        named=anatomy.contract_names,
        text=surroundings.text + anatomy.docstring,
        combinations=surroundings.overloads,
        is_bound=programs.reference is None,
        annotated=frozenset(hints_of(programs.judging.loaded.function)),
        evidence=evidence_of(programs, parameters, surroundings.records),
        bounds=_bounds_in_prose(programs, parameters, examples),
        fields=surroundings.fields,
        iterables=_iterables(programs),
        custom=NOTHING_CUSTOMARY if has_contract else customary(parameters, functions),
    )
    return Domain(parameters, examples, facts)


def _iterables(programs: Programs) -> frozenset[str]:
    """The parameters that the reference annotates as iterables, and the candidate as nothing else."""
    if programs.reference is None:
        return frozenset()
    hints = hints_of(programs.candidate.loaded.function)
    promised = hints_of(programs.reference.loaded.function)
    return frozenset(
        [name for name in promised if is_iterable(promised[name]) and is_iterable(hints.get(name, promised[name]))]
    )


def _bounds_in_prose(programs: Programs, parameters: list[Parameter], examples: list[Any]) -> list[Condition]:
    """What the judge's docstring says of the inputs; where it has none, the candidate's."""
    docstring, beside = programs.judging.anatomy.docstring, programs.candidate.anatomy.docstring
    columns = [[row[i] for row in examples] for i in range(len(parameters))]
    kinds = {
        p.name: families_of(
            merge([shape_of(v) for v in column]) if isinstance(p.shape, AnyShape) and column else p.shape
        )
        for p, column in zip(parameters, columns)
    }
    function = programs.candidate.qualname.rpartition(".")[2]
    return bounds_in(docstring or beside, [p.name for p in parameters], kinds, function=function, beside=beside)


class Domain:
    """What rows of arguments may look like."""

    def __init__(self, parameters: list[Parameter], rows: list[Any], facts: Facts = NOTHING_KNOWN) -> None:
        self.parameters = parameters
        self.rows = rows
        self._facts = facts
        self.has_contract = facts.has_contract
        self._named = kinds_named(facts.named)
        """The kinds of shape whose types stand in the contract: they may be tried."""
        self._tested = self._named if facts.named & TYPE_TESTS else frozenset[type[Shape]]()
        """Those of them that it may test for."""
        named_rows = [self._by_name(row) for row in rows]
        self._bounds_in_prose = [one for one in facts.bounds if all([_holds(one, values) for values in named_rows])]
        """What the docstring says that holds of its inputs, and that its examples keep to."""
        self._custom = facts.custom if all(map(facts.custom.admits, rows)) else NOTHING_CUSTOMARY
        self._evidence = facts.evidence
        self._says_elements = bool(_ELEMENTS.search(facts.text))
        columns = [_shown(p, [row[i] for row in rows]) for i, p in enumerate(parameters)]
        self.typical: list[Shape] = [
            refine(p.shape, recursive(merge([shape_of(v, fields=facts.fields) for v in c])) if c else ANY)
            for p, c in zip(parameters, columns)
        ]
        self.typical = [
            union_of([*self._words(p.name), shape]) if isinstance(shape, StrShape) else shape
            for p, shape in zip(parameters, self.typical)
        ]
        self.known = [not isinstance(p.shape, AnyShape) or bool(c) for p, c in zip(parameters, columns)]
        """Whether anything but probing told the shape of each parameter."""
        self.wide: list[Shape] = list(self.typical)
        self.free = list(range(len(parameters)))
        self.iterables = [i for i, p in enumerate(parameters) if p.name in facts.iterables and p.kind in _ORDINARY]
        """Where both programs say that they take whatever can be gone through once."""
        self.hull = Hull(rows) if rows else None
        self.valid: list[Any] = []
        """The row that probing started from."""

    def learn(
        self,
        progress_of: Callable[[Any], int],
        pool: Pool,
        chance: random.Random,
        is_for_both: Callable[[Any], bool] = lambda row: True,
        prepared: Callable[[], Iterable[Any]] = tuple,
    ) -> Any | None:
        """Probe the reference; returns a valid row, or None when none was found.

        `progress_of` runs the reference alone: `ACCEPTED`, `RAISED_ON_PURPOSE`, or how far it got before it refused.
        `is_for_both` says whether both programs seem to be meant for a row. Where some rows give a result, those that
        only give an error of the program's own tell no type. `prepared` gives rows with instances that are no new
        ones.
        """

        def try_row(row: Any) -> bool:
            return progress_of(row) >= RAISED_ON_PURPOSE

        base = self._valid_row(progress_of, pool)
        if base is None:
            base = next(filter(try_row, prepared()), None)
        if base is None:
            base = climb(self, progress_of, pool, chance)
        if base is None:
            return None
        self.valid = [base]
        for index in self.free:
            widens = self.has_contract and not self._bounds(self.parameters[index])
            if self.known[index] and not widens:
                self.wide[index] = self.typical[index]
                continue
            rows = [(base, shape_of(base[index]))]
            rows += [(base[:index] + (value,) + base[index + 1 :], shape) for value, shape in PROBES]
            tried = [(row, shape, progress_of(row)) for row, shape in rows]
            accepted = [one for one in tried if one[2] >= RAISED_ON_PURPOSE]
            if not self.known[index]:
                kinds = kinds_named(self._evidence.leanings(self.parameters[index].name))
                meant = [one for one in accepted if one[2] == ACCEPTED or one[1].kind in kinds] or accepted
                shared = [shape for row, shape, _ in meant if is_for_both(row)]
                evident = self._evident(index, shared or [shape for _, shape, _ in meant])
                self.typical[index] = self._with_own(index, base, evident, try_row, pool)
            shapes = [shape for _, shape, _ in accepted]
            self.wide[index] = self._widened(index, shapes) if widens else self.typical[index]
        return base

    def _with_own(
        self, index: int, base: Any, evident: list[Shape], try_row: Callable[[Any], bool], pool: Pool
    ) -> Shape:
        """What was guessed, with the shapes of the program's own that are accepted, and words that it compares with."""
        name = self.parameters[index].name
        found: list[Shape] = []
        for shape in self._evidence.shapes.get(name, ()):
            values = interesting(shape, pool, 3)
            if any([try_row(base[:index] + (value,) + base[index + 1 :]) for value in values]):
                found.append(shape)
        # What is a record is no other dict, and what is a list of them no other list.
        taken = {DictShape if kind is FieldsShape else kind for shape in found for kind in _kinds(shape)}
        evident = [shape for shape in evident if shape.kind not in taken]
        if found and not evident:
            return union_of(found)
        guess = self._guess(evident, base[index])
        words = self._words(name) if StrShape in _kinds(guess) else []
        return union_of([*found, *words, guess])

    def _words(self, name: str) -> list[Shape]:
        """The words that a parameter is compared with, as one shape, if there are any."""
        words = self._evidence.words.get(name, ())
        return [ChoiceShape(tuple(words))] if words else []

    def _evident(self, index: int, accepted: list[Shape]) -> list[Shape]:
        """Those of some accepted shapes that a use, the name, a default or a comparison speaks for; all, where none
        does."""
        parameter, evidence = self.parameters[index], self._evidence
        used = kinds_named(evidence.uses(parameter.name))
        kinds, tested = (set(kinds_named(one.get(parameter.name, ()))) for one in (evidence.told, evidence.tested))
        if used:
            accepted = [shape for shape in accepted if shape.kind in used | tested] or accepted
        if parameter.has_default and parameter.default is not None:
            kinds.add(shape_of(parameter.default).kind)
        if TupleShape in kinds or RecordShape in kinds:
            kinds |= {TupleShape, RecordShape, ListShape}
        if kinds:
            return [shape for shape in accepted if shape.kind in kinds | tested] or accepted
        # What is tested for is one possibility; the plainest of the others is another.
        return [s for s in accepted if s.kind in tested] + [s for s in accepted if s.kind not in tested]

    def _guess(self, accepted: list[Shape], value: Any) -> Shape:
        """Nothing was said of the parameter: take the plainest of some accepted shapes, at most two, and texts.

        What works on an int works on a float by chance, so a float is taken only where no int is; so are their lists.
        """
        common = [s for s in accepted if isinstance(s, _COMMON)]
        if any([isinstance(s, IntShape) for s in common]):
            common = [s for s in common if not isinstance(s, FloatShape)]
        found = (common or accepted or [shape_of(value)])[:2]
        if any([s.key() == _INTS.key() for s in found]):
            found = [s for s in found if s.key() != _FLOATS.key()]
        texts = [s for s in common if isinstance(s, StrShape)][:1]
        if not any([isinstance(s, IntShape) for s in found]):
            texts = []
        return merge(list(dict.fromkeys([*found, *texts])))

    def _widened(self, index: int, accepted: list[Shape]) -> Shape:
        if not accepted or self.parameters[index].kind in ("instance", "keywords"):
            return self.typical[index]
        kinds = _kinds(self.typical[index])
        allowed = [s for s in accepted if s.kind in kinds or s.kind in self._named]
        if self.known[index] and self._says_elements:
            allowed = [s for s in allowed if not s.parts or _element_kinds(s) <= self._element_names(index)]
        return union_of([self.typical[index], *_broadest(allowed)])

    def _element_names(self, index: int) -> set[type[Shape]]:
        """Kinds of elements that examples show or the contract names."""
        shown = [kind for part in self.typical[index].alternatives for kind in _element_kinds(part)]
        return set(shown) | (self._named & {IntShape, FloatShape, StrShape})

    def _valid_row(self, progress_of: Callable[[Any], int], pool: Pool) -> Any | None:
        for row in self.rows:
            if progress_of(row) >= RAISED_ON_PURPOSE:
                return row
        columns: list[list[Any]] = []
        for shape, parameter in zip(self.typical, self.parameters):
            column = interesting(shape, pool, 24)
            if isinstance(shape, AnyShape):
                column = self._first_values(parameter.name, pool) + column
            if parameter.has_default and is_plain(parameter.default):
                column = [parameter.default] + column
            columns.append(column)
        # What may be left out is, at first: of many columns, no value that comes late is reached.
        shortest = [column[:1] if p.has_default else column for p, column in zip(self.parameters, columns)]
        rows = diagonal(shortest, 2500)
        if any([p.has_default for p in self.parameters]):
            rows = itertools.chain(rows, diagonal(columns, 2500))
        raising = None
        for row in rows:
            progress = progress_of(row)
            if progress == ACCEPTED:
                return row
            if progress == RAISED_ON_PURPOSE and raising is None:
                raising = row
        return raising

    def _first_values(self, name: str, pool: Pool) -> list[Any]:
        """Values for a parameter of which nothing is known, those first that the programs' texts speak for."""
        probes, kinds = _probes_for(name), kinds_named(self._evidence.leanings(name))
        own = [value for shape in self._evidence.shapes.get(name, ()) for value in interesting(shape, pool, 3)]
        likely = [value for shape in _PLAIN if shape.kind in kinds for value in interesting(shape, pool, 6)]
        likely += [value for value, shape in PROBES if shape.kind in kinds]
        return own + likely + probes

    def plausible_shapes(self) -> list[Shape]:
        """Shapes for a parameter of which nothing is known: of types that the contract names, or the common ones."""
        shapes = [shape for _, shape in PROBES]
        named = [s for s in shapes if s.kind in self._named]
        return named or shapes[:16]

    def is_customary(self, row: Any) -> bool:
        """Whether the numbers of a row are such as the names of the parameters let expect."""
        return self._custom.admits(row)

    def is_ruled_out(self, row: Any) -> bool:
        """Whether the docstring says plainly that there are no such inputs."""
        values = self._by_name(row) if self._bounds_in_prose else {}
        return not all([_holds(condition, values) for condition in self._bounds_in_prose])

    def _by_name(self, row: Any) -> dict[str, Any]:
        return {parameter.name: value for parameter, value in zip(self.parameters, row)}

    def used_once(self, row: Any) -> list[Any]:
        """The row with iterators in place of lists, one at a time."""
        return [
            row[:index] + (New(_ITERATOR, (row[index],)),) + row[index + 1 :]
            for index in self.iterables
            if type(row[index]) is list and row[index]
        ]

    def settled(self, row: Any) -> Any:
        """The row with lists in place of the iterators that `used_once` put there."""
        places = [i for i in self.iterables if type(row[i]) is New and row[i].name == _ITERATOR and row[i].args]
        return (
            tuple([value.args[0] if index in places else value for index, value in enumerate(row)]) if places else row
        )

    def is_declared(self, row: Any) -> bool:
        """False when an argument contradicts the annotation of its parameter and that is a bound."""
        pairs = zip(self.parameters, row)
        return all([parameter.shape.accepts(value) or not self._bounds(parameter) for parameter, value in pairs])

    def _bounds(self, parameter: Parameter) -> bool:
        """Whether an annotation bounds the inputs: the judge's own does where it leaves nothing open, unless its
        contract asks for other types."""
        if isinstance(parameter.shape, AnyShape):
            return False
        if self._facts.is_bound:
            return True
        if parameter.name not in self._facts.annotated:
            return False
        kinds = set(leaves(parameter.shape))
        return AnyShape not in kinds and self._tested <= (kinds | {IntShape} if FloatShape in kinds else kinds)

    def is_typical(self, row: Any) -> bool:
        """True when every argument is a default, or has a shape that annotations or examples showed."""
        row = self.settled(row)
        triples = zip(self.parameters, self.typical, row)
        if not all([shape.accepts(value) or _is_default(parameter, value) for parameter, shape, value in triples]):
            return False
        suits = [all([shape.accepts(value) for shape, value in zip(one, row)]) for one in self._facts.combinations]
        return not suits or any(suits)


def _holds(condition: Condition, values: dict[str, Any]) -> bool:
    try:
        return condition(values)
    except Exception:  # noqa: BLE001 - values that cannot be compared so are not what it speaks of.
        return True


def _is_default(parameter: Parameter, value: Any) -> bool:
    return parameter.has_default and type(value) is type(parameter.default) and bool(value == parameter.default)


ACCEPTED = 1 << 30
"""The reference returned something."""
RAISED_ON_PURPOSE = ACCEPTED - 1
"""It raised an exception of its own: what it says to such an input counts, but few are meant to be like it."""
CLIMB_ROUNDS = 6
CLIMB_TRIES = 4000
CLIMB_SECONDS = 0.5


def climb(domain: Domain, progress_of: Callable[[Any], int], pool: Pool, chance: random.Random) -> Any | None:
    """Search for a valid row where no example gives one, by several climbs through the contract."""
    if not domain.free or any(map(is_nothing, domain.typical)):
        return None
    started = time.process_time()
    for _ in range(CLIMB_ROUNDS):
        row = _climb_once(domain, progress_of, Mutator(pool, chance))
        if row is not None or time.process_time() - started > CLIMB_SECONDS:
            return row
    return None


def _climb_once(domain: Domain, progress_of: Callable[[Any], int], mutator: Mutator) -> Any | None:
    """Keep the rows that got furthest, mutate them."""
    maker, chance = Maker(mutator), mutator.chance
    choices = [[s] if not isinstance(s, AnyShape) else domain.plausible_shapes() for s in domain.typical]
    best: list[Any] = []
    reached = -1
    for number in range(CLIMB_TRIES):
        if best and number % 3:
            row = mutator.mutate_arguments(chance.choice(best), domain.free, [ANY] * len(choices))
        else:
            row = maker.row([chance.choice(options) for options in choices])
        progress = progress_of(row)
        if progress >= RAISED_ON_PURPOSE:
            return row
        if progress > reached:
            reached, best = progress, [row]
        elif progress == reached and len(best) < 40:
            best.append(row)
        elif progress == reached:
            best[chance.randrange(40)] = row
    return None


def refine(hint: Shape, example: Shape) -> Shape:
    """The annotation's shape, with its unknown parts filled in from the examples."""
    if is_unknown(hint) or is_nothing(hint):
        return example
    if isinstance(example, AnyShape) or is_recursive(hint):
        return hint
    if hint.kind is example.kind and len(hint.parts) == len(example.parts):
        return hint.with_parts(tuple([refine(one, other) for one, other in zip(hint.parts, example.parts)]))
    if isinstance(hint, DictShape) and isinstance(example, FieldsShape) and isinstance(hint.keys, (AnyShape, StrShape)):
        return example
    if isinstance(hint, TupleShape) and isinstance(example, RecordShape) and is_unknown(hint.element):
        return example
    return hint


def _shown(parameter: Parameter, column: list[Any]) -> list[Any]:
    """What examples show of a parameter: nothing where they leave it out and its default is None."""
    is_left_out = parameter.has_default and parameter.default is None and all([value is None for value in column])
    return [] if is_left_out else column


class Hull:
    """What the arguments of all examples have in common: signs and emptiness."""

    def __init__(self, rows: list[Any]) -> None:
        self.negative = any([_has_negative(row) for row in rows])
        self.empty = any([_has_empty(row) for row in rows])
        self.count = len(rows)

    def contains(self, row: Any) -> bool:
        """True when the row shows nothing that no example shows; one example alone shows too little to say no."""
        if self.count < 2:
            return True
        return (self.negative or not _has_negative(row)) and (self.empty or not _has_empty(row))


def _has_negative(row: Any) -> bool:
    return any([type(v) in (int, float) and v < 0 for v in walk(row)])


def _has_empty(row: Any) -> bool:
    return any([hasattr(v, "__len__") and len(v) == 0 for v in walk(row)[1:]])
