"""What one exploration works with: the programs, how they are called, what their inputs may look like."""

# Values under test have no static type: what is read out of them stays unknown.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import math
import random
from collections import Counter
from functools import cached_property
from typing import Any, Callable

from ..contracts.runtime import Judge
from ..docstrings.preconditions import Condition, bounds_in
from ..docstrings.predicates import families_of
from ..docstrings.sections import leaves_order_open
from ..docstrings.types import documented_types
from ..generation.call_sequences import States, methods_for, observing
from ..generation.constants import Pool, mine_source, mine_text, mine_values
from ..generation.domain import Domain
from ..generation.input_grammar import Grammar, Writer
from ..generation.mutation import Mutator
from ..generation.regex_backtracking import pumped_texts
from ..inference.annotations import (
    constructor_shape,
    hints_of,
    instance_shape,
    is_iterable,
    shape_of_hint,
    with_numbers,
)
from ..inference.mapping_keys import uses_in, with_records
from ..inference.name_conventions import NOTHING_CUSTOMARY, customary
from ..inference.overloads import fill_in, overload_rows
from ..inference.usage import (
    Evidence,
    Function,
    asked_types,
    compared_words,
    handed_down,
    is_kind,
    is_symmetric,
    number_fields,
    told_kinds,
    used_kinds,
)
from ..judging.coroutines import AWAITED, tell_awaited
from ..judging.differential import Pair
from ..judging.refusals import contract_refusal_of, refusal_of
from ..judging.return_types import checkable, names_abstract, numeric_promise, promised_shape
from ..judging.rounding_noise import Noise, rounding_source
from ..judging.set_order import Order, reordering_source
from ..judging.side_effects import keep_alike
from ..judging.without_reference import ExamplePair, SoloPair
from ..program.call_clock import CallClock, CallTimeoutError
from ..program.environment import FRAMES
from ..program.extract import alone, reduced
from ..program.instrument import COUNTERS, instrument
from ..program.invocation import Side
from ..program.loader import LoadError
from ..program.rows import Layout, parse_rows, trim_parameters
from ..program.subject import (
    Subject,
    call_alike,
    fill_keywords,
    import_ahead,
    instance_types,
    parameters_of,
    show_keywords,
)
from ..protocol.channel import Channel
from ..static.nontermination import ends
from ..values.recipe import Prepared, build, is_plain
from ..values.shapes import AnyShape, Shape, is_nothing, is_unknown, merge, shape_of
from .coverage import Feedback

PROOF_SECONDS = 0.05
MOST_UNPREPARED = 3
"""So many times calls that prepare an instance may take too long."""
FIRST_TEXTS = 12
"""Texts of the programs' own form among the ingredients, so that one of them may be the first valid input."""


_ANOTHER = "other"
"""What methods call a second object of their class."""


class Setting:
    """Everything one job works with: programs, pair, layout, domain, ingredients and seeds."""

    def __init__(self, request: dict[str, Any], channel: Channel, clock: CallClock) -> None:
        self.request = request
        self.channel = channel
        self.clock = clock
        self.kind: str = request.get("oracle", "reference")
        self.reference = _load(request["reference"], "the reference") if self.kind == "reference" else None
        channel.heartbeat()
        self.candidate = _load(request["candidate"])
        channel.heartbeat()
        if self.reference is not None:
            call_alike(self.candidate.loaded, self.reference.loaded)
        subject = self.reference or self.candidate
        hints: dict[str, Any] = {}
        for one in (self.candidate, subject):
            hints.update(documented_types(one.anatomy.docstring))
        for one in (self.candidate, subject):
            hints.update(hints_of(one.loaded.function))
        parameters = parameters_of(subject, hints, shape_of_hint)
        owner = instance_types(subject)
        for parameter in parameters:
            if parameter.kind == "instance" and owner is not None:
                parameter.shape = _shape_of_own(owner, subject)
        parameters = fill_keywords(
            trim_parameters(parameters, handed_down(subject.anatomy.function)),
            [subject, self.candidate],
            guess=self.kind in ("reference", "examples"),
        )
        self.overloads = overload_rows(subject, parameters)
        fill_in(parameters, self.overloads)
        self.layout = Layout(parameters, subject.loaded, request["candidate"]["qualname"])
        self.examples = parse_rows(self.layout, [e["arguments"] for e in request.get("examples", ())])
        show_keywords(parameters, self.examples)
        self.seeds = self.examples + parse_rows(self.layout, list(request.get("seeds", ())))
        self.pool = Pool()
        self.grammar = Grammar(())
        self._records: dict[str, Shape] = {}
        """Records that parameters may be of which nothing else is known."""
        self.failures: Counter[str] = Counter()
        """What the program raised while a first valid input was looked for."""
        self.unfinished = 0
        """How often it did not end in time then."""
        self.domain = Domain([], [], has_contract=False, named=frozenset(), text="")
        self.pair = self._make_pair(self.candidate, self.reference)
        if request.get("is_careful"):
            _journal_inputs(self.pair, self.layout, channel)

    def prepare_search(self) -> None:
        """Read off the programs what a search needs and a replay does not."""
        subject = self.reference or self.candidate
        # Each step is a second's work in a module of ten thousand lines.
        self.grammar = Grammar(dict.fromkeys([subject.source, self.candidate.source]))
        self.channel.heartbeat()
        self.pool = self._mined(subject)
        self.channel.heartbeat()
        if not self.grammar.is_silent():
            writer = Writer(self.grammar, self.pool, random.Random(0))
            for _ in range(FIRST_TEXTS):
                self.pool.add_text(writer.text())
        self._show_records(subject)
        self.domain = self._domain(subject)
        for program in {subject, self.candidate}:
            import_ahead(program)

    def _show_records(self, subject: Subject) -> None:
        """Let dicts that no example shows have the keys which the programs look up."""
        uses = uses_in(subject.anatomy.function, self.candidate.anatomy.function) if not self.examples else {}
        for parameter in self.layout.parameters:
            if parameter.kind in ("positional", "keyword") and parameter.name in uses:
                shape = with_records(parameter.shape, uses[parameter.name])
                if shape is not parameter.shape and is_unknown(parameter.shape):
                    self._records[parameter.name] = shape
                else:
                    parameter.shape = shape

    def _mined(self, subject: Subject) -> Pool:
        pool = Pool()
        mine_values(self.seeds, pool)
        pool.others = [v for row in self.seeds for v in row if type(v) in (list, tuple, dict, set)]
        mine_source(subject.source, pool)
        if subject is not self.candidate:
            mine_source(self.candidate.source, pool)
        mine_text(self.request.get("text", "") + "\n" + subject.anatomy.docstring, pool)
        return pool

    def _domain(self, subject: Subject) -> Domain:
        anatomy = subject.anatomy
        contract = self.request.get("contract") or {}
        has_contract = anatomy.contract_end > 0 or bool(
            contract.get("preconditions") or set(contract.get("styles", ())) - {"assert"}
        )
        text = self.request.get("text", "") + anatomy.docstring
        functions = [anatomy.function, self.candidate.anatomy.function]
        return Domain(
            self.layout.parameters,
            self.examples,
            has_contract=has_contract,
            named=anatomy.contract_names,
            text=text,
            combinations=self.overloads,
            is_bound=self.reference is None,
            annotated=frozenset(hints_of(subject.loaded.function)),
            evidence=self._evidence(subject, functions),
            bounds=self._bounds_in_prose(anatomy.docstring),
            fields=self.grammar.fields,
            iterables=self._iterables(),
            custom=NOTHING_CUSTOMARY if has_contract else customary(self.layout.parameters, functions),
        )

    def _iterables(self) -> frozenset[str]:
        """The parameters that the reference annotates as iterables, and the candidate as nothing else."""
        if self.reference is None:
            return frozenset()
        hints = hints_of(self.candidate.loaded.function)
        promised = hints_of(self.reference.loaded.function)
        return frozenset(
            [name for name in promised if is_iterable(promised[name]) and is_iterable(hints.get(name, promised[name]))]
        )

    def _evidence(self, subject: Subject, functions: list[Function | None]) -> Evidence:
        tested = asked_types(functions)
        shapes = self._classes_of(subject, tested)
        for name, shape in self._records.items():
            shapes.setdefault(name, []).append(shape)
        kinds = {name: set(filter(is_kind, types)) for name, types in tested.items()}
        return Evidence(told_kinds(functions), used_kinds(functions), kinds, shapes, compared_words(functions))

    def _classes_of(self, subject: Subject, tested: dict[str, list[str]]) -> dict[str, list[Shape]]:
        """Classes whose instances parameters without annotation may be: those that they are tested for, and that of an
        operator."""
        found: dict[str, list[Shape]] = {}
        owner, name = subject.loaded.owner, self.request["candidate"]["qualname"].rpartition(".")[2]
        for parameter in self.layout.parameters:
            if parameter.kind != "positional" or not isinstance(parameter.shape, AnyShape):
                continue
            named = [one for one in tested.get(parameter.name, ()) if not is_kind(one)]
            types = [one for one in (subject.find(text) for text in named) if isinstance(one, type)]
            is_like_it = is_symmetric(name) or parameter.name == _ANOTHER
            if owner is not None and is_like_it and owner not in types:
                types.insert(0, owner)
            shapes = [_shape_of_own(one, subject) if one is owner else shape_of_hint(one) for one in types]
            found[parameter.name] = [one for one in shapes if not isinstance(one, AnyShape) and not is_nothing(one)]
        return found

    def _bounds_in_prose(self, docstring: str) -> list[Condition]:
        """What the judge's docstring says of the inputs; where it has none, the candidate's."""
        parameters, beside = self.layout.parameters, self.candidate.anatomy.docstring
        columns = [[row[i] for row in self.examples] for i in range(len(parameters))]
        kinds = {
            p.name: families_of(
                merge([shape_of(v) for v in column]) if isinstance(p.shape, AnyShape) and column else p.shape
            )
            for p, column in zip(parameters, columns)
        }
        function = self.request["candidate"]["qualname"].rpartition(".")[2]
        return bounds_in(docstring or beside, [p.name for p in parameters], kinds, function=function, beside=beside)

    def _make_pair(self, candidate: Subject, reference: Subject | None) -> Pair:
        side = self._side(candidate)
        if self.kind == "examples":
            return ExamplePair(side, self.clock, lambda recipe: build(recipe, candidate.namespace))
        if reference is None:
            judge = Judge(candidate.loaded.function, self.request.get("contract") or {}, candidate.loaded.owner)
            return SoloPair(candidate, side, self.clock, judge, self.kind)
        pair = Pair(side, self._side(reference), self.clock, refusal_of(reference))
        if self.request.get("contract"):
            self._bound(pair, candidate)
        pair.reference.capture = pair.candidate.capture = pair.compares_output = reference.anatomy.prints
        pair.is_previous = bool(self.request.get("is_previous"))
        if pair.is_previous and (candidate.loaded.kind in AWAITED) != (reference.loaded.kind in AWAITED):
            pair.value_difference = "awaited"
            tell_awaited(pair.candidate, candidate.loaded)
            tell_awaited(pair.reference, reference.loaded)
        pair.has_receiver = reference.loaded.binding == "method"
        pair.method = self.request["candidate"]["qualname"].rpartition(".")[2]
        pair.keeps_inside = pair.has_receiver and self._keeps_inside
        pair.observers = lambda: self._observers if pair.keeps_inside else []
        pair.rounding = lambda: self._rounding_copy(pair)
        pair.reordering = lambda: self._reordering_copy(pair)
        pair.is_unordered = leaves_order_open(reference.anatomy.docstring)
        promised = promised_shape(reference.loaded.function)
        if promised is not None:
            pair.promise = numeric_promise(promised)
            pair.usage = checkable(promised) if names_abstract(promised) else None
        return pair

    def _side(self, subject: Subject) -> Side:
        layout = self.layout
        return subject.side(layout.keywords, layout.defaults, spread=layout.spread, taken=layout.taken)

    def _rounding_copy(self, pair: Pair) -> tuple[Side, Noise] | None:
        """The reference once more, with arithmetic that rounds by chance; None where it cannot be made."""
        noise = Noise()
        side = self._copy(pair, rounding_source, noise.put_into)
        return None if side is None else (side, noise)

    def _reordering_copy(self, pair: Pair) -> tuple[Side, Order] | None:
        """The reference once more, going through sets in another order; None where it has none."""
        order = Order()
        side = self._copy(pair, reordering_source, order.put_into)
        return None if side is None else (side, order)

    def _copy(
        self, pair: Pair, rewrite: Callable[[str], str | None], put_into: Callable[[dict[str, Any]], None]
    ) -> Side | None:
        copy = _variant(reduced(self.request["reference"]), rewrite)
        if copy is None or self.reference is None:
            return None
        copy.loaded.makes_instance = self.reference.loaded.makes_instance
        put_into(copy.namespace)
        side = self._side(copy)
        side.capture = pair.compares_output
        return side

    def _bound(self, pair: Pair, candidate: Subject) -> None:
        """The candidate's own preconditions bound the inputs, whoever judges."""
        contract: dict[str, Any] = self.request["contract"]
        pair.candidate_refusal = contract_refusal_of(candidate)
        if set(contract.get("styles", ())) - {"assert"}:
            judge = Judge(candidate.loaded.function, {**contract, "leading_asserts": None}, candidate.loaded.owner)
            pair.candidate.call = judge.guard(pair.candidate.call)

    @cached_property
    def _observers(self) -> list[str]:
        """The methods that are asked what the one under test left in private."""
        if self.reference is None:
            return []
        qualname = self.request["candidate"]["qualname"]
        names = methods_for(self.reference, self.candidate, qualname)
        return [name for name in observing(self.reference.loaded.owner, names) if name != qualname.rpartition(".")[2]]

    @cached_property
    def _keeps_inside(self) -> bool:
        """Whether objects of both programs mean the same by what they keep in private."""
        one, two = self.request["candidate"], self.request["reference"]
        return keep_alike(one["source"], two["source"], one["qualname"])

    @cached_property
    def _alone(self) -> str | None:
        """The candidate with what it needs; None where that is not plain to see, or a row is not how it is called."""
        program, loaded = self.request["candidate"], self.candidate.loaded
        is_plainly_called = loaded.kind == "function" and loaded.binding == "free" and "." not in program["qualname"]
        if not is_plainly_called or self.layout.keywords or self.layout.spread or self.layout.taken is not None:
            return None
        return alone(program["source"], program["qualname"])

    def states(self, mutator: Mutator) -> States | None:
        """What brings the instances of a method into other states; None where nothing does."""
        pair, subject = self.pair, self.reference
        parameters = self.layout.parameters
        if subject is None or not parameters or parameters[0].kind != "instance" or subject.loaded.owner is None:
            return None
        names = methods_for(subject, self.candidate, self.request["candidate"]["qualname"])
        if not names:
            return None
        known = {p.name: shape for p, shape in zip(parameters, self.domain.typical) if not isinstance(shape, AnyShape)}

        def observe(recipe: Prepared) -> list[Any] | None:
            self.channel.heartbeat()
            found = pair.prepare(recipe) if pair.unprepared < MOST_UNPREPARED else None
            return None if found is None else [instance for instance, _ in found]

        return States(subject.loaded.owner, names, known, mutator, observe)

    def never_ends(self, row: Any) -> bool:
        """Whether the candidate's call on a row, which took too long, provably comes back to a state that it was in."""
        name, source = self.request["candidate"]["qualname"], self._alone
        if source is None or not is_plain(row):
            return False
        clock = self.clock
        try:
            clock.start(PROOF_SECONDS)
            try:
                # No count of calls or rounds is endless: what is merely slow is not proven here.
                return ends(source, name, build(row, {}), math.inf, FRAMES) is False
            finally:
                clock.stop()
        except CallTimeoutError:
            return False

    def pumped(self) -> list[str]:
        """Texts on which a pattern of the candidate may be tried in too many ways."""
        return [] if self.reference is None else pumped_texts(self.candidate.source, self.reference.source)

    def watched(self) -> tuple[Pair | None, Feedback | None]:
        """Instrumented copies of the programs, None where they cannot be made."""
        if self.request["budget"].get("no_feedback"):
            return None, None
        if self.reference is None:
            candidate, reference = _instrumented(self.request["candidate"]), None
        else:
            candidate = _instrumented(reduced(self.request["candidate"]))
            self.channel.heartbeat()
            reference = _instrumented(reduced(self.request["reference"]))
        if candidate is None or (self.reference is not None and reference is None):
            return None, None
        self.channel.heartbeat()
        candidate.loaded.makes_instance = self.candidate.loaded.makes_instance
        namespaces = [s.namespace for s in (candidate, reference) if s is not None]
        pair = self._make_pair(candidate, reference)
        # Reduced copies have neither annotations nor docstrings.
        pair.promise, pair.is_unordered = self.pair.promise, self.pair.is_unordered
        return pair, Feedback(namespaces)


def _load(program: dict[str, Any], role: str = "") -> Subject:
    try:
        return Subject(program)
    except LoadError as error:
        raise LoadError(f"{role}: {error}" if role else str(error)) from None


def _instrumented(program: dict[str, Any]) -> Subject | None:
    subject = _variant(program, instrument)
    return subject if subject is not None and COUNTERS in subject.namespace else None


def _variant(program: dict[str, Any], rewrite: Callable[[str], str | None]) -> Subject | None:
    """The program loaded once more from a rewritten text, None where that cannot be."""
    source = rewrite(program["source"].lstrip("\ufeff"))
    if source is None:
        return None
    try:
        return Subject({**program, "source": source})
    except LoadError:
        return None


def _journal_inputs(pair: Pair, layout: Layout, channel: Channel) -> None:
    """Note each input before it is tried, so that the one that kills the process is known."""
    plain_run = pair.run

    def noted_run(row: Any) -> int:
        channel.journal(layout.arguments_text(row))
        return plain_run(row)

    pair.run = noted_run  # type: ignore[method-assign]
    if isinstance(pair, ExamplePair):
        plain_judge = pair.judge

        def noted_judge(row: Any, *stated: Any) -> int:
            channel.journal(layout.arguments_text(row))
            return plain_judge(row, *stated)

        pair.judge = noted_judge  # type: ignore[method-assign]


def _shape_of_own(owner: type, subject: Subject) -> Shape:
    """Instances of the class that a method belongs to."""
    if subject.loaded.is_made_alone:
        return instance_shape(owner)
    return with_numbers(constructor_shape(owner), number_fields(subject.anatomy.tree, owner.__name__))
