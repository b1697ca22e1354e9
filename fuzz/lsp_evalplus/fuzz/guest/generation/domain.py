"""The domain of a search: the typical shape of each parameter, and the wider ones that contract and reference let pass.

Typical is what annotations and examples show; wider shapes are found by `probing`. A domain does not change: what was
learned is another one.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from ..calling.subject import Parameter, Programs
from ..docstrings.preconditions import Condition, bounds_in
from ..docstrings.predicates import families_of
from ..inference.evidence import evidence_of
from ..inference.hints import hints_of, is_iterable
from ..inference.library_calls import is_taken_word
from ..inference.sorted_parameters import are_sorted, sorted_parameters
from ..inference.usage import Evidence
from ..static.endings import consumed_parameters
from ..static.recursive_calls import nested_parameters
from ..values.dynamic import type_of
from ..values.metrics import walk
from ..values.program_errors import PROGRAM_ERRORS
from ..values.recipes.model import New, is_in_test, is_plain
from ..values.shapes import (
    ANY,
    FLOAT,
    AnyShape,
    ChoiceShape,
    DictShape,
    FieldsShape,
    FloatShape,
    IntShape,
    ListShape,
    RecordShape,
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
from .name_conventions import NOTHING_CUSTOMARY, Custom, customary

NO_EVIDENCE = Evidence()
_ELEMENTS = re.compile(
    r"\b(?:list|array|arrays|lists|tuple|sequence|vector|collection)s?\s+(?:of\s+)?(?:\w+[- ]){0,2}"
    r"(?:int|integer|number|numeral|float|string|str|word|digit|num|real|boolean)s?\b"
    r"|\b(?:integer|number|int|string|word)s?\s+(?:list|array)s?\b",
    re.IGNORECASE,
)
"""A docstring that says what its lists hold: other elements are out of scope."""
_NUMBERS = re.compile(
    r"\b(?:list|array|tuple|sequence|vector|collection)s?\s+of\s+(?:(?:real|rational|floating[- ]point|decimal|given|"
    r"non-?negative|positive|negative|sorted|unsorted|distinct|unique|different|some|the|several|n|any|arbitrary)\s+)*"
    r"(?:numbers|reals|floats)\b",
    re.IGNORECASE,
)
"""A docstring whose sequences hold numbers, which need not be whole even where its examples are."""
_SEQUENCES = (ListShape, TupleShape)


_ORDINARY = ("positional", "keyword")
_ITERATOR = "iter"
TYPE_TESTS = frozenset(("isinstance", "type"))


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
    consumed: AbstractSet[str] = frozenset()
    """The parameters of which an older version reads a part, and does nothing else."""
    custom: Custom = NOTHING_CUSTOMARY
    """What the names of the parameters let expect."""
    nested: AbstractSet[str] = frozenset()
    """The parameters parts of which the function hands to itself."""


NOTHING_KNOWN = Facts()


class DomainSources(NamedTuple):
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
    is_previous: bool = False
    """Whether an older version judges."""


def read_domain(programs: Programs, parameters: list[Parameter], examples: list[Any], sources: DomainSources) -> Domain:
    """The domain that two programs, their examples and what stands around them speak of."""
    anatomy = programs.judging.anatomy
    contract = sources.contract
    has_contract = anatomy.contract_end > 0 or bool(
        contract.get("preconditions") or set(contract.get("styles", ())) - {"assert"}
    )
    functions = [anatomy.function, programs.candidate.anatomy.function]
    facts = Facts(
        has_contract=has_contract,
        named=anatomy.contract_names,
        text=sources.text + anatomy.docstring,
        combinations=sources.overloads,
        is_bound=programs.reference is None,
        annotated=frozenset(hints_of(programs.judging.loaded.function)),
        evidence=evidence_of(programs, parameters, sources.records, is_previous=sources.is_previous),
        bounds=[*_bounds_in_prose(programs, parameters, examples), *are_sorted(sorted_parameters(functions))],
        fields=sources.fields,
        iterables=_iterables(programs),
        consumed=consumed_parameters(anatomy.function) if sources.is_previous and anatomy.function else frozenset(),
        custom=NOTHING_CUSTOMARY if has_contract else customary(parameters, functions),
        nested=frozenset[str]().union(*map(nested_parameters, functions)),
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
        self._has_tests = any([is_in_test(part) for row in rows for value in row for part in walk(value)])
        self._facts = facts
        self.has_contract = facts.has_contract
        self.named = kinds_named(facts.named)
        """The kinds of shape whose types stand in the contract: they may be tried."""
        self._tested = self.named if facts.named & TYPE_TESTS else frozenset[type[Shape]]()
        """Those of them that it may test for."""
        named_rows = [self._by_name(row) for row in rows]
        self._bounds_in_prose = [one for one in facts.bounds if all([_holds(one, values) for values in named_rows])]
        """What the docstring says that holds of its inputs, and that its examples keep to."""
        self._custom = facts.custom if all(map(facts.custom.admits, rows)) else NOTHING_CUSTOMARY
        self.evidence = facts.evidence
        self.says_elements = bool(_ELEMENTS.search(facts.text))
        self.says_numbers = bool(_NUMBERS.search(facts.text))
        columns = [_shown(p, [row[i] for row in rows], self.evidence.optional) for i, p in enumerate(parameters)]
        shapes = [
            refine(p.shape, recursive(merge([shape_of(v, fields=facts.fields) for v in c])) if c else ANY)
            for p, c in zip(parameters, columns)
        ]
        self.typical = tuple(
            [
                union_of([*self.words(p.name), shape])
                if isinstance(shape, StrShape)
                else self._with_constants(p, shape)
                for p, shape in zip(parameters, shapes)
            ]
        )
        self.known = [not isinstance(p.shape, AnyShape) or bool(c) for p, c in zip(parameters, columns)]
        """Whether anything but probing told the shape of each parameter."""
        self.wide = self.typical
        self.free = list(range(len(parameters)))
        positional = [(i, p.name) for i, p in enumerate(parameters) if p.kind in _ORDINARY]
        self.consumed = frozenset([i for i, name in positional if name in facts.consumed])
        """Where callers hand over an iterator to read on from it."""
        self.iterables = [i for i, name in positional if i in self.consumed or name in facts.iterables]
        """Where both programs say that they take whatever can be gone through once, or an iterator is handed over."""
        self.nested = frozenset([i for i, p in enumerate(parameters) if p.name in facts.nested])
        """Where the function hands parts of an argument to itself."""
        self.hull = Hull(rows) if rows else None
        self.valid: tuple[Any, ...] = ()
        """The row that probing started from."""

    def learned(self, valid: Any, typical: Sequence[Shape], wide: Sequence[Shape]) -> Domain:
        """The domain with the shapes that probing from a valid row found."""
        found = copy.copy(self)
        found.valid, found.typical, found.wide = (valid,), tuple(typical), tuple(wide)
        return found

    def is_known(self) -> bool:
        """Whether the types of all parameters are stated, so that none was found out by probing."""
        return all([self.known[index] for index in self.free])

    def with_fractions(self, index: int, typical: Shape) -> Shape | None:
        """Sequences of any numbers where the typical one holds whole numbers and the docstring says only that they are
        numbers; None where it does not, or where an annotation is stricter."""
        is_whole = isinstance(typical, _SEQUENCES) and isinstance(typical.parts[0], IntShape)
        if not self.says_numbers or not is_whole or self.is_bounded(self.parameters[index]):
            return None
        return typical.with_parts((union_of([FLOAT, typical.parts[0]]),))

    def is_numeric(self, row: Any) -> bool:
        """Whether a row is typical but for numbers that are not whole, where the docstring speaks of numbers."""
        return self.says_numbers and self.is_typical(tuple([_whole(value) for value in row]))

    def words(self, name: str) -> list[Shape]:
        """The words that a parameter is compared with, or that the library takes in its place, as one shape, if there
        are any."""
        taken = filter(is_taken_word, self.evidence.choices.get(name, ()))
        words = dict.fromkeys([*self.evidence.words.get(name, ()), *taken])
        return [ChoiceShape(tuple(words))] if words else []

    def _with_constants(self, parameter: Parameter, shape: Shape) -> Shape:
        """An annotated parameter's shape, with the constants that the reference compares it with."""
        if isinstance(parameter.shape, AnyShape):
            return shape
        values = dict.fromkeys(
            [one for one in self.evidence.constants.get(parameter.name, ()) if not shape.accepts(one)]
        )
        return union_of([shape, ChoiceShape(tuple(values))]) if values else shape

    def is_customary(self, row: Any) -> bool:
        """Whether the numbers of a row are such as the names of the parameters let expect."""
        return self._custom.admits(row)

    def is_ruled_out(self, row: Any) -> bool:
        """Whether the docstring says plainly that there are no such inputs, or code takes them for sorted."""
        if not self._bounds_in_prose:
            return False
        values = self._by_name(row)
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

    def is_read_on(self, row: Any) -> bool:
        """Whether callers of the function would read on from an iterator that `used_once` put into the row."""
        return not self.consumed.isdisjoint(self._used_once_in(row))

    def _used_once_in(self, row: Any) -> list[int]:
        return [i for i in self.iterables if type(row[i]) is New and row[i].name == _ITERATOR and row[i].args]

    def settled(self, row: Any) -> Any:
        """The row with lists in place of the iterators that `used_once` put there."""
        places = self._used_once_in(row)
        return (
            tuple([value.args[0] if index in places else value for index, value in enumerate(row)]) if places else row
        )

    def is_declared(self, row: Any) -> bool:
        """False when an argument contradicts the annotation of its parameter and that is a bound."""
        pairs = zip(self.parameters, row)
        return all([self._fits(parameter.shape, value) or not self.is_bounded(parameter) for parameter, value in pairs])

    def is_bounded(self, parameter: Parameter) -> bool:
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
        if not all([self._fits(shape, value) or _is_default(parameter, value) for parameter, shape, value in triples]):
            return False
        suits = [all([self._fits(shape, value) for shape, value in zip(one, row)]) for one in self._facts.combinations]
        return not suits or any(suits)

    def _fits(self, shape: Shape, value: Any) -> bool:
        """Whether a shape accepts a value; of whatever type an argument in a test is, it is meant."""
        return shape.accepts(value) or (self._has_tests and any(map(is_in_test, walk(value))))


def _holds(condition: Condition, values: dict[str, Any]) -> bool:
    try:
        return condition(values)
    except PROGRAM_ERRORS:  # values that cannot be compared so are not what it speaks of.
        return True


def _whole(value: Any) -> Any:
    """The value with whole numbers for the floats of a sequence."""
    if type(value) not in (list, tuple):
        return value
    return type(value)([int(one) if type(one) is float and math.isfinite(one) else one for one in value])


def _is_default(parameter: Parameter, value: Any) -> bool:
    if not parameter.has_default or type_of(value) is not type_of(parameter.default):
        return False
    return bool(value == parameter.default) if is_plain(value) else repr(value) == repr(parameter.default)


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


def _shown(parameter: Parameter, column: list[Any], optional: AbstractSet[str]) -> list[Any]:
    """What examples show of a parameter: nothing where they leave it out and its default is None, or where all pass
    None to a function that asks whether it is."""
    is_optional = parameter.name in optional or (parameter.has_default and parameter.default is None)
    return [] if is_optional and all([value is None for value in column]) else column


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
