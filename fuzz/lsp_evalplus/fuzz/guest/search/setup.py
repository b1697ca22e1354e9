"""Build an exploration from a request: programs, inputs, a judge, and the plan of a search."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from ..calling.call_clock import CallClock
from ..calling.instrument import COUNTERS, blocks_in, blocks_with, instrument
from ..calling.invocation import PLAIN_FORM, RETURNED, Side
from ..calling.rows import Layout, parse_rows, trim_parameters
from ..calling.subject import (
    Parameter,
    Programs,
    Subject,
    fill_keywords,
    import_ahead,
    instance_types,
    load_programs,
    parameters_of,
    show_keywords,
    variant,
)
from ..carving.carver import Carver
from ..carving.rows import carved_rows, import_tests, install
from ..docstrings.types import documented_types
from ..evidence.side_effects import keep_alike, stored_alone
from ..generation.call_sequences import ObjectStates, never_none_for, observers_for, state_text
from ..generation.constants import (
    Pool,
    mine_changed_tables,
    mine_changes,
    mine_source,
    mine_tables,
    mine_text,
    mine_values,
)
from ..generation.domain import Domain, DomainSources, read_domain
from ..generation.input_grammar import Grammar, Writer
from ..generation.missing_members import blank_instance
from ..generation.mutation import Mutator
from ..generation.regex_backtracking import pumped_texts
from ..generation.sibling_results import Siblings, rows_with_results
from ..generation.used_patterns import used_patterns
from ..inference.annotations import Level, shape_of_hint, with_instances
from ..inference.callees import home_of
from ..inference.databases.connections import database_hints
from ..inference.evidence import read_records, shape_of_own
from ..inference.hints import hints_of, with_widened
from ..inference.objects.command_options import option_hints
from ..inference.objects.known_instances import instances_of, makers_of
from ..inference.objects.library_parameters import of_libraries
from ..inference.overloads import fill_in, overload_rows
from ..inference.passed_keywords import passed_keywords
from ..inference.records.packed_bytes import packed_bytes
from ..inference.usage import handed_down
from ..judging.differential import Differential
from ..judging.effects import Receiver
from ..judging.factory import Bench, Brief, demands_of, make_judge, output_of
from ..judging.journalled import Journalled
from ..judging.judge import Judge
from ..judging.outcomes import Demands
from ..program.loader import LoadError
from ..program.signatures import names_taken
from ..protocol.channel import Channel
from ..static.changed_parts import changed_parts
from ..static.deep_reading import deep_reading
from ..static.near_code import near_parts
from ..static.unused_parameters import unused_parameters, uses_of_kept
from ..values.program_errors import CallTimeoutError
from ..values.recipes.building import has_names
from ..values.recipes.model import Prepared, RecipeError
from ..values.recipes.source import to_text
from ..values.shapes import NONE, ConstructorShape, Shape
from ..values.short_names import shortened
from .coverage import Feedback
from .object_states import states_of
from .plan import InstrumentedCopies, SearchPlan, budget_of
from .reach import Reaching, marked
from .termination import NonTermination
from .whole_tests import WholeTests

MOST_UNPREPARED = 3
"""Calls that prepare an instance may time out at most this often."""
SLOWEST_COPIED = 1.0
"""Programs that took more processor time, in seconds, to be loaded are not loaded once more to watch their branches."""
TEXTS_OF_A_PATTERN = 2
FIRST_TEXTS = 12
"""At most this many strings of the programs' own format among the ingredients, to find a first valid input."""


class Inputs(NamedTuple):
    """The rows that are known before any call, and the layout of a row."""

    layout: Layout
    examples: list[Any]
    seeds: list[Any]
    """The examples, and further rows from the host."""
    overloads: Sequence[list[Shape]]
    """Where the function has overloads: a row has to match one of them."""


class Setting(NamedTuple):
    """The parts of one job, whether it searches or replays."""

    request: dict[str, Any]
    channel: Channel
    clock: CallClock
    programs: Programs
    inputs: Inputs
    carvers: Sequence[Carver] = ()
    """They make the arguments of calls in tests, for each program that has tests; the last for the one that judges."""

    @property
    def kind(self) -> str:
        """The oracle."""
        return oracle_of(self.request)

    @property
    def layout(self) -> Layout:
        """The layout of a row."""
        return self.inputs.layout


def oracle_of(request: dict[str, Any]) -> str:
    """The oracle of a request."""
    return str(request.get("oracle", "reference"))


def read_setting(request: dict[str, Any], channel: Channel, clock: CallClock) -> Setting:
    """Load the programs and read the inputs of a request. Raises `LoadError`."""
    reference = request["reference"] if oracle_of(request) == "reference" else None
    candidate: dict[str, Any] = request["candidate"]
    if _counts_reached(request):
        candidate = marked(candidate, request["reach"])
        reference = None if reference is None else marked(reference, request["reach"])
    began = time.process_time()
    programs = load_programs(candidate, reference, channel.heartbeat, is_one=_seeks_inputs(request))
    channel.tell_loading(time.process_time() - began)
    carvers = _carvers_of(programs, request.get("replay") or ())
    with deep_reading():
        inputs = _read_inputs(request, programs)
    return Setting(request, channel, clock, programs, inputs, carvers)


def _carvers_of(programs: Programs, texts: Sequence[str]) -> list[Carver]:
    """Let recipes name arguments in tests; return what carves them.

    The tests that some texts of arguments name are imported now: that takes longer than a call may.
    """
    try:
        carvers = [install(one, texts) for one in programs.distinct()]
    except RecipeError:
        raise LoadError("its calls cannot be watched") from None
    return [one for one in carvers if one is not None]


def with_carved(setting: Setting) -> Setting:
    """Return the setting with the calls that tests make as further examples; the clock has to be running."""
    if not setting.carvers:
        return setting
    layout, inputs = setting.layout, setting.inputs
    budget = setting.request["budget"]["seconds"]
    rows = carved_rows(setting.programs.judging, setting.carvers[-1], layout, setting.clock, budget)
    setting.channel.heartbeat()
    for subject, carver in zip(setting.programs.distinct(), setting.carvers[:-1]):
        import_tests(subject, carver, [layout.arguments_text(row) for row in rows])
        setting.channel.heartbeat()
    return setting._replace(inputs=inputs._replace(examples=[*rows, *inputs.examples], seeds=[*rows, *inputs.seeds]))


def take_blank_instances(setting: Setting) -> bool:
    """Let the instances of a method be ones that no constructor initialises; return whether there are such ones."""
    programs = [one.loaded for one in setting.programs.distinct()[::-1]]
    first = next(iter(setting.layout.parameters), None)
    if first is None or first.kind != "instance" or any([one.owner is None or one.is_constructor for one in programs]):
        return False
    shape = blank_instance(programs)
    if shape is not None:
        first.shape = shape
    return shape is not None


def whole_tests(setting: Setting) -> WholeTests:
    """Return the judge of both versions by the tests that call the function."""
    return WholeTests(setting.carvers[0], setting.carvers[-1], setting.clock)


def _seeks_inputs(request: dict[str, Any]) -> bool:
    """Whether no difference is sought, but inputs: the reference is the candidate itself."""
    budget: dict[str, Any] = request.get("budget") or {}
    is_sought = bool(budget.get("recorded") or budget.get("survey"))
    return is_sought and request.get("reference") == request["candidate"]


def _read_inputs(request: dict[str, Any], programs: Programs) -> Inputs:
    subject, candidate = programs.judging, programs.candidate
    parameters = fill_keywords(
        trim_parameters(
            _parameters(programs, is_search="replay" not in request, is_previous=bool(request.get("is_previous"))),
            handed_down(subject.anatomy.function),
            names_taken([one.loaded.function for one in programs.distinct()]),
        ),
        [subject, candidate],
        passed_keywords(subject.anatomy.function, home_of(subject)),
        guess=oracle_of(request) in ("reference", "examples"),
    )
    overloads = overload_rows(subject, parameters, candidate)
    fill_in(parameters, overloads)
    layout = Layout(parameters, subject.loaded, candidate.qualname, makers_of(subject))
    shown = parse_rows(layout, [e["arguments"] for e in request.get("examples", ())])
    # An example that uses a name of the document around it would show a shape that nothing can be built of.
    examples = [shortened(row, subject.namespace) for row in shown if has_names(row, subject.namespace)]
    show_keywords(parameters, examples)
    return Inputs(layout, examples, examples + parse_rows(layout, list(request.get("seeds", ()))), overloads)


def _parameters(programs: Programs, *, is_search: bool, is_previous: bool) -> list[Parameter]:
    subject, hints = programs.judging, dict[str, Any]()
    for one in (programs.candidate, subject):
        hints.update(documented_types(one.anatomy.docstring))
    newer, own = (hints_of(one.loaded.function) for one in (programs.candidate, subject))
    hints.update(database_hints(subject.anatomy.function, subject.source))
    hints.update(option_hints(subject.loaded.holder))
    hints.update({**newer, **(with_widened(own, newer) if is_previous else own)})
    known, stated = instances_of(subject)
    level = Level(0, {}, {}, known, stated, subject.namespace)

    def shape_of(hint: Any) -> Shape:
        return shape_of_hint(hint, level._replace(classes={}))

    parameters = parameters_of(subject, hints, shape_of, is_search=is_search)
    owner = instance_types(subject) if is_search else None
    functions = [one.anatomy.function for one in programs.distinct()] if is_search and is_previous else [None]
    unused = unused_parameters(functions[0]).intersection(*map(unused_parameters, functions[1:]))
    for parameter in parameters:
        if parameter.kind == "instance" and owner is not None:
            made = shape_of_own(owner, subject, programs.candidate.loaded.owner)
            parameter.shape = stated.get(owner) or with_instances(owner, made, known)
        elif parameter.name in unused and _is_made_by_calls(parameter.shape):
            parameter.shape = NONE
    return parameters


def _is_made_by_calls(shape: Shape) -> bool:
    return any([isinstance(part, ConstructorShape) for part in shape.alternatives])


def judge_of(setting: Setting) -> Judge:
    """The judge of a setting whose oracle is not made of examples."""
    return _wrapped(_terms(setting).judge_of(setting.programs), setting, setting.programs)


class Terms(NamedTuple):
    """What the judges of a setting have in common: that of the programs, and that of their instrumented copies."""

    brief: Brief
    bench: Bench
    demands: Demands
    originals: Programs

    def judge_of(self, programs: Programs) -> Judge:
        """The judge of the programs themselves."""
        return make_judge(self.brief, programs, self.bench, self.demands)

    def judge_of_copies(self, copies: Programs) -> Judge:
        """The judge of reduced copies, which have neither annotations nor docstrings."""
        output = output_of(copies.judging.anatomy, is_previous=self.brief.is_previous)
        kept = self.demands._replace(usage=None, output=output, counts_steps=False)
        return make_judge(self.brief, copies, self.bench._replace(originals=self.originals), kept)


def _terms(setting: Setting) -> Terms:
    request = setting.request
    contract: dict[str, Any] = request.get("contract") or {}
    equality: dict[str, Any] = request.get("equality") or {}
    brief = Brief(oracle_of(request), contract, bool(request.get("is_previous")), equality)
    return Terms(brief, _bench(setting), demands_of(brief, setting.programs), setting.programs)


def _counts_reached(request: dict[str, Any]) -> bool:
    """Whether only those inputs count on which a function is reached that the programs call."""
    return bool(request.get("reach")) and "replay" not in request


def _wrapped(judge: Judge, setting: Setting, programs: Programs) -> Judge:
    """Journal each input before it is tried, where one of them is known to kill the process; restrict them to those
    that count."""
    if _counts_reached(setting.request):
        judge = Reaching(judge, [one.namespace for one in programs.distinct()])
    if not setting.request.get("is_careful"):
        return judge
    layout, channel = setting.layout, setting.channel
    return Journalled(judge, lambda row: channel.journal(layout.arguments_text(row)))


def _bench(setting: Setting) -> Bench:
    programs = setting.programs
    reference, candidate = programs.judging, programs.candidate
    receiver = None
    if programs.reference is not None and reference.loaded.binding == "method":
        receiver = Receiver(
            lambda: observers_for(reference, candidate, candidate.qualname),
            lambda: stored_alone(candidate.source, reference.source, candidate.qualname),
            keeps_inside=keep_alike(candidate.source, reference.source, candidate.qualname),
        )
    # Where tests are run, each version has all modules of the project as they were: it fails by itself alone.
    is_whole = bool(setting.carvers) and bool(setting.request.get("is_previous"))
    made_calls = frozenset(map(to_text, setting.inputs.examples if is_whole else ()))
    return Bench(setting.layout.form, setting.clock, receiver, made_calls)


@deep_reading()
def plan_search(setting: Setting) -> SearchPlan:
    """Derive from the programs what a search needs and a replay does not."""
    request, channel, clock, programs, inputs, _ = setting
    # Each step is a second's work in a module of ten thousand lines.
    grammar = Grammar(
        dict.fromkeys([programs.judging.source, programs.candidate.source]),
        [known for one in programs.distinct() for known in used_patterns(one.loaded.function, one.loaded.owner)],
        [part for one in programs.distinct() for part in near_parts(one.anatomy.tree, one.anatomy.function)],
    )
    channel.heartbeat()
    pool = _ingredients(setting, grammar)
    parameters = inputs.layout.parameters
    # Where examples contain dicts, these show the keys.
    records = {} if inputs.examples else read_records(programs, parameters)
    sources = DomainSources(
        request.get("text", ""),
        request.get("contract") or {},
        inputs.overloads,
        grammar.fields,
        records,
        is_previous=bool(request.get("is_previous")),
    )
    domain = read_domain(programs, parameters, inputs.examples, sources)
    for program in {programs.judging, programs.candidate}:
        import_ahead(program)
    terms, older = _terms(setting), programs.judging.anatomy
    judge = terms.judge_of(programs)
    preparation = Preparation(judge, channel)

    def make_states(domain: Domain, mutator: Mutator) -> ObjectStates:
        is_previous = bool(request.get("is_previous"))
        return states_of(programs, domain, mutator, preparation.states, is_previous=is_previous)

    def sibling_rows(domain: Domain, seconds: float) -> Iterator[Any]:
        return _sibling_rows(setting, domain, pool, seconds)

    return SearchPlan(
        judge=_wrapped(judge, setting, programs),
        clock=clock,
        layout=inputs.layout,
        domain=domain,
        pool=pool,
        grammar=grammar,
        budget=budget_of(request["budget"]),
        watch=lambda: _watched(setting, terms),
        make_states=make_states,
        was_slow_to_prepare=preparation.was_slow,
        never_ends=NonTermination(programs.candidate, inputs.layout, clock).is_proven,
        pumped=lambda: _pumped(programs),
        is_procedure=all([one.anatomy.is_procedure for one in programs.distinct()]),
        never_none=lambda: never_none_for(programs.candidate, programs.judging),
        uses=(lambda: uses_of_kept(older.function, older.tree)) if request.get("is_previous") else None,
        sibling_rows=sibling_rows,
        of_libraries=of_libraries(programs, parameters),
    )


def _sibling_rows(setting: Setting, domain: Domain, pool: Pool, seconds: float) -> Iterator[Any]:
    """Rows with results of the functions beside the one under test, as long as calling these takes no more than some
    processor time."""
    subject, clock, channel = setting.programs.judging, setting.clock, setting.channel
    left = seconds

    def call(function: Any, row: Any) -> Any:
        nonlocal left
        channel.heartbeat()
        if left <= 0:
            return None
        began = time.process_time()
        side = Side(function, subject.namespace, PLAIN_FORM)
        side.within(subject.loaded.surroundings, subject.loaded.own_modules, decides=False)
        result = side.run(row, clock, clock.allowance)
        left -= time.process_time() - began
        return result.value if result.kind == RETURNED else None

    loaded = subject.loaded
    owner, maker = (loaded.owner, None) if loaded.binding == "method" else (None, loaded.owner)
    siblings = Siblings(owner, subject.namespace, subject.qualname.rpartition(".")[2], maker)
    return rows_with_results(siblings, domain, pool, call)


def _ingredients(setting: Setting, grammar: Grammar) -> Pool:
    programs, seeds, pool = setting.programs, setting.inputs.seeds, Pool()
    if setting.request.get("is_previous") and programs.reference is not None:
        newer, older = programs.candidate, programs.judging
        mine_changed_tables(newer.loaded, older.loaded, pool)
        mine_changes(newer.anatomy.function, older.anatomy.function, pool)
    mine_values(seeds, pool)
    pool.others = [v for row in seeds for v in row if type(v) in (list, tuple, dict, set)]
    mine_source(programs.judging.source, pool)
    if programs.reference is not None:
        mine_source(programs.candidate.source, pool)
    mine_text(setting.request.get("text", "") + "\n" + programs.judging.anatomy.docstring, pool)
    mine_tables(programs.judging.loaded, pool)
    anatomies = [one.anatomy for one in programs.distinct()]
    pool.packed = packed_bytes([part for one in anatomies for part in near_parts(one.tree, one.function)])
    setting.channel.heartbeat()
    if not grammar.is_silent():
        writer = Writer(grammar, pool, random.Random(0))
        for _ in range(FIRST_TEXTS):
            pool.add_text(writer.text())
        pool.formatted = [*writer.of_patterns(TEXTS_OF_A_PATTERN), *grammar.near_samples()]
    return pool


def _pumped(programs: Programs) -> list[str]:
    """Strings on which a regular expression of the candidate may backtrack catastrophically."""
    reference = programs.reference
    return [] if reference is None else pumped_texts(programs.candidate.source, reference.source)


class Preparation:
    """Prepares instances in both programs, as long as that ends in time."""

    def __init__(self, judge: Judge, channel: Channel) -> None:
        self._judge = judge
        self._channel = channel
        self._slow = 0

    def was_slow(self) -> None:
        """A row with a prepared instance took too long."""
        self._slow += 1

    def states(self, recipe: Prepared) -> list[str] | None:
        """The states of the instances that a recipe builds, one for each program; None where one cannot be built."""
        self._channel.heartbeat()
        if self._slow >= MOST_UNPREPARED or not isinstance(self._judge, Differential):
            return None
        try:
            found = self._judge.prepare(recipe, state_text)
        except CallTimeoutError:
            self._slow += 1
            return None
        return None if found is None else [state for state, _ in found]


def _watched(setting: Setting, terms: Terms) -> InstrumentedCopies | None:
    """Instrumented copies of the programs, None where they cannot be made."""
    programs, channel = setting.programs, setting.channel
    if setting.request["budget"].get("no_feedback"):
        return None
    if max([one.load_seconds for one in programs.distinct()]) > SLOWEST_COPIED:
        return None
    candidate = _instrumented(programs.candidate, is_reduced=programs.reference is not None)
    channel.heartbeat()
    reference = candidate if programs.has_one else None
    if len(programs.distinct()) > 1:
        reference = _instrumented(programs.judging, is_reduced=True)
    if candidate is None or (programs.reference is not None and reference is None):
        return None
    channel.heartbeat()
    copies = Programs(candidate, reference)
    blocks = [blocks_in(one.anatomy.function) for one in copies.distinct()]
    changed = _changed_blocks(programs, copies) if setting.request.get("is_previous") else []
    feedback = Feedback([one.namespace for one in copies.distinct()], blocks, changed)
    for number, one in enumerate(copies.distinct()):
        one.watch = partial(feedback.watch, number)
    return InstrumentedCopies(_wrapped(terms.judge_of_copies(copies), setting, copies), feedback)


def _changed_blocks(programs: Programs, copies: Programs) -> list[frozenset[int]]:
    """The blocks of instrumented copies, for each, in which its program has something that the other one has not."""
    functions = [one.anatomy.function for one in programs.distinct()]
    pairs = zip(functions, reversed(functions), [one.anatomy.function for one in copies.distinct()])
    return [
        blocks_with(changed_parts(own, other), own, copy) if own is not None and copy is not None else frozenset()
        for own, other, copy in pairs
    ]


def _instrumented(subject: Subject, *, is_reduced: bool) -> Subject | None:
    copy = variant(subject, instrument, is_reduced=is_reduced)
    return copy if copy is not None and COUNTERS in copy.namespace else None
