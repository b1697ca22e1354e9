"""Build the judge for the programs of a search, and the demands on a candidate's results."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Callable, NamedTuple

from ..calling.call_clock import CallClock
from ..calling.invocation import (
    ALL_OUTPUT,
    NO_OUTPUT,
    OF_PROCEDURES,
    WITH_ERRORS,
    CallForm,
    CallResult,
    Side,
    is_resource_failure,
)
from ..calling.subject import Programs, Subject, caller, variant
from ..contracts.runtime import ContractChecker
from ..docstrings.sections import leaves_order_open
from ..evidence.bodies import bodies_for
from ..evidence.dialogues import Talk, conversing, talk_with
from ..evidence.handled_failures import HandledFailures
from ..evidence.refusals import (
    are_checks_in_other_order,
    contract_refusal_of,
    failure_of,
    is_stated_in,
    misfit_of,
    refusal_of,
    statement_of,
)
from ..evidence.return_types import checkable, names_abstract, numeric_promise, promised_shape
from ..evidence.stand_ins import StandIns
from ..program.loader import AWAITED
from ..program.source_facts import Anatomy
from ..static.endings import is_private_procedure, is_procedure
from ..static.guards import new_guards
from ..static.parameter_members import have_moved, positional_names
from ..static.walking import walk_tree
from ..values.public_state import is_own_affair
from .coroutines import naming_awaitables
from .differential import Differential, Refusals, Sides
from .effects import Effects, Receiver
from .judge import Judge
from .object_protocols import by_protocol
from .outcomes import Demands, Outcomes
from .stated_examples import ExampleJudge
from .variants import Rewrite, Variants
from .without_reference import SelfReference, WithoutReference


class Brief(NamedTuple):
    """The part of a request that concerns judging."""

    kind: str
    """The oracle: "reference", "contract", "return", "annotation" or "robustness"."""
    contract: dict[str, Any]
    """The fields of ``fuzz.model.Contract``; empty where the candidate has none."""
    is_previous: bool
    """Whether the reference is the candidate's previous version."""
    equality: Mapping[str, Any] = MappingProxyType({})
    """The fields of ``fuzz.model.Equality``; empty for the usual rules."""


class Bench(NamedTuple):
    """How the programs are called and judged: sides, clock, and facts about their instances."""

    form: CallForm
    clock: CallClock
    receiver: Receiver | None
    """None where the first argument is not the instance of a method."""
    made_calls: frozenset[str] = frozenset()
    """The texts of the rows with which the project calls the function."""
    originals: Programs | None = None
    """The programs themselves, where those that are judged are copies of them that another judge judges again."""


def demands_of(brief: Brief, programs: Programs) -> Demands:
    """What a reference demands of the candidate's results: by its annotation, its docstring and its source."""
    reference = programs.judging
    promised, function = promised_shape(reference.loaded.function), reference.anatomy.function
    is_own = brief.is_previous and is_own_affair(programs.candidate.qualname)
    return Demands(
        promise=None if promised is None else numeric_promise(promised),
        usage=checkable(promised) if promised is not None and names_abstract(promised) else None,
        is_unordered=bool(brief.equality.get("any_order")) or leaves_order_open(reference.anatomy.docstring),
        any_exception=bool(brief.equality.get("any_exception")),
        tolerance=brief.equality.get("tolerance"),
        output=output_of(reference.anatomy, is_previous=brief.is_previous),
        warnings=brief.is_previous and any(["warn" in one.source for one in programs.distinct()]),
        is_previous=brief.is_previous,
        is_constructor=reference.loaded.is_constructor,
        is_private_procedure=brief.is_previous and function is not None and is_private_procedure(function),
        is_own_affair=is_own,
        has_moved_parameters=is_own and have_moved(programs.candidate.anatomy.function, function),
        reads_on=brief.is_previous and function is not None and is_procedure(function),
        value_difference="awaited" if _is_awaited_otherwise(brief, programs) else "value",
    )


def output_of(anatomy: Anatomy, *, is_previous: bool) -> str:
    """Of which calls what they print is compared: a procedure may print by what it calls, which its callers rely on."""
    if is_previous and anatomy.reports_errors:
        return WITH_ERRORS
    return ALL_OUTPUT if anatomy.prints else OF_PROCEDURES if is_previous else NO_OUTPUT


def make_judge(brief: Brief, programs: Programs, bench: Bench, demands: Demands) -> Judge:
    """The judge of some programs: a differential one where there is a reference."""
    if programs.reference is None:
        return _without_reference(brief, programs.candidate, bench)
    return make_differential(brief, programs, bench, demands)


def make_differential(brief: Brief, programs: Programs, bench: Bench, demands: Demands) -> Differential:
    """The judge that compares the candidate with the reference."""
    reference, clock = programs.judging, bench.clock
    talk = _talk(brief, programs)
    sides = _sides(brief, programs, bench, demands, talk)
    effects = Effects(sides.candidate, sides.reference, clock, bench.receiver, is_previous=brief.is_previous)

    def is_stated(expected: CallResult, actual: CallResult) -> bool:
        stands = not is_resource_failure(actual.error)
        return stands and is_stated_in(sides.reference.namespace, expected.error)

    def are_reordered(expected: CallResult, actual: CallResult) -> bool:
        return are_checks_in_other_order(programs.candidate, actual.error, reference, expected.error)

    def copy(rewrite: Rewrite, put_into: Callable[[dict[str, Any]], None]) -> Side | None:
        rewritten = variant(reference, rewrite)
        if rewritten is None:
            return None
        put_into(rewritten.namespace)
        call = by_protocol(rewritten.loaded, caller(rewritten.loaded)) if brief.is_previous else None
        return _side(rewritten, call, bench, demands)

    kind = SelfReference if programs.has_one else Differential
    functions = programs.candidate.anatomy.function, reference.anatomy.function
    return kind(
        sides,
        _refusals(brief, programs),
        Outcomes(demands, sides.candidate.is_refused_call, effects.differ, is_stated, are_reordered),
        Variants(copy, clock),
        method=programs.candidate.qualname.rpartition(".")[2],
        is_previous=brief.is_previous,
        is_bound=bench.receiver is not None,
        made_calls=bench.made_calls,
        handled=_handled(brief, programs, bench, demands),
        stand_ins=StandIns(
            (programs.candidate.source, reference.source),
            functions,
            (sides.candidate.namespace, sides.reference.namespace),
            is_bound=bench.receiver is not None,
            is_previous=brief.is_previous,
        ),
        parameters=positional_names(reference.anatomy.function) if reference.anatomy.function is not None else (),
        bodies=bodies_for(reference.anatomy.function, sides.reference.namespace),
        talk=talk,
        makes_functions=_makes_functions(reference.anatomy.function),
        functions=functions,
    )


def _talk(brief: Brief, programs: Programs) -> Talk | None:
    """The dialogues with generators, which have only those who use an older version as it is."""
    candidate, reference = programs.candidate, programs.judging
    if not brief.is_previous or brief.contract or {candidate.loaded.kind, reference.loaded.kind} != {"generator"}:
        return None
    return talk_with(reference.anatomy.function, candidate.anatomy.function, reference.namespace)


def _makes_functions(function: ast.AST | None) -> bool:
    """Whether a definition or a lambda stands inside of a function."""
    inside = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return any([one is not function and isinstance(one, inside) for one in walk_tree(function or ast.Pass())])


def _handled(brief: Brief, programs: Programs, bench: Bench, demands: Demands) -> HandledFailures | None:
    """Tell of which failures of an older version the candidate takes care."""
    if not brief.is_previous or programs.has_one or _is_awaited_otherwise(brief, programs):
        return None
    candidate = programs.candidate
    newer, older = bench.originals or programs

    def copy(rewrite: Rewrite) -> Side | None:
        rewritten = variant(candidate, rewrite)
        if rewritten is None:
            return None
        return rewritten.side(
            bench.form, by_protocol(rewritten.loaded, caller(rewritten.loaded)), capture=demands.output
        )

    guards = new_guards(newer.anatomy.function, older.anatomy.function if older is not None else None)
    known = older.anatomy.imported_names if older is not None else frozenset[str]()
    return HandledFailures(guards, candidate, copy if bench.originals is None else None, bench.clock, known)


def make_example_judge(candidate: Subject, form: CallForm, clock: CallClock) -> ExampleJudge:
    """The judge that checks the candidate against its examples."""
    return ExampleJudge(candidate.side(form, capture=ALL_OUTPUT), clock)


def _without_reference(brief: Brief, candidate: Subject, bench: Bench) -> WithoutReference:
    contract = ContractChecker(candidate.loaded.function, brief.contract, candidate.loaded.owner)
    side = candidate.side(bench.form, contract.guard(caller(candidate.loaded)))
    return WithoutReference(candidate, side, bench.clock, contract, brief.kind)


def _sides(brief: Brief, programs: Programs, bench: Bench, demands: Demands, talk: Talk | None) -> Sides:
    candidate, reference = programs.candidate, programs.judging
    ours, theirs = _guarded(brief, candidate), caller(reference.loaded)
    if _is_awaited_otherwise(brief, programs):
        ours, theirs = naming_awaitables(candidate.loaded), naming_awaitables(reference.loaded)
    if talk is not None:
        ours, theirs = [conversing(one.loaded, talk, one.namespace) for one in (candidate, reference)]
    if brief.is_previous:
        ours, theirs = by_protocol(candidate.loaded, ours), by_protocol(reference.loaded, theirs)
    return Sides(
        _side(candidate, ours, bench, demands),
        _side(reference, theirs, bench, demands),
        bench.clock,
    )


def _side(program: Subject, call: Callable[..., Any] | None, bench: Bench, demands: Demands) -> Side:
    return program.side(
        bench.form, call, capture=demands.output, notes_warnings=demands.warnings, reads_on=demands.reads_on
    )


def _guarded(brief: Brief, candidate: Subject) -> Callable[..., Any]:
    """The candidate's call; its own preconditions bound the inputs under every oracle."""
    call = caller(candidate.loaded)
    if not set(brief.contract.get("styles", ())) - {"assert"}:
        return call
    contract = {**brief.contract, "leading_asserts": None}
    return ContractChecker(candidate.loaded.function, contract, candidate.loaded.owner).guard(call)


def _refusals(brief: Brief, programs: Programs) -> Refusals:
    refusals = Refusals(refusal_of(programs.judging, may_wait=brief.is_previous))
    if brief.contract:
        refusals = refusals._replace(candidate=contract_refusal_of(programs.candidate))
    if not brief.is_previous:
        return refusals
    return refusals._replace(
        statement=statement_of(programs.judging),
        failure=failure_of(programs.judging),
        misfit=misfit_of(programs.candidate),
    )


def _is_awaited_otherwise(brief: Brief, programs: Programs) -> bool:
    """Whether the candidate became a coroutine function, or no longer is one."""
    if not brief.is_previous:
        return False
    candidate, reference = programs.candidate.loaded, programs.judging.loaded
    return (candidate.kind in AWAITED) != (reference.kind in AWAITED)
