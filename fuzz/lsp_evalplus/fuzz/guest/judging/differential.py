"""The differential judge: run candidate and reference on one row of arguments and compare.

The reference runs first: a row that it rejects is dropped at once. Each program gets its own arguments (`Side`), so
that neither sees changes by the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, NamedTuple

from ..calling.call_clock import CallClock
from ..calling.invocation import RAISED, RETURNED, TIMED_OUT, CallResult, Side, is_resource_failure
from ..comparison.equality import base_of, same, same_family
from ..comparison.stored_parts import ARGUMENTS, first_difference, part_text
from ..evidence.bodies import Body
from ..evidence.dialogues import Talk
from ..evidence.handled_failures import HandledFailures
from ..evidence.refusals import fails_in_import, is_of_hidden_file
from ..evidence.side_effects import INSTANCE, Sharing, changes_what_is_shared, shared_by
from ..evidence.stand_ins import StandIns, is_lacking
from ..surroundings.waiting import WaitsForever
from ..values.dynamic import attribute_of, attributes_of, names_of_bases, type_of
from ..values.metrics import walk
from ..values.program_errors import PROGRAM_ERRORS, CallTimeoutError
from ..values.public_state import is_private
from ..values.recipes.building import build
from ..values.recipes.model import Prepared, RecipeError, is_plain
from ..values.recipes.source import to_text
from ..values.rendering import Yielded, message_of, value_text
from .answers_in_turn import Functions, got_the_same
from .held_databases import differing_effects
from .judge import AGREE, DIFFER, REJECTED, SLOW, UNDECIDED, Judgement, Promise
from .object_protocols import declines_alike, is_enterable, passing_uses, talking_uses
from .outcomes import HANDLED, LOOKS_ALIKE, MENDED, MESSAGE, SHARED, Outcomes, rules_for
from .own_refusals import OwnRefusals
from .passed_functions import differing_functions, differing_held
from .result_sizes import is_bulky
from .returned_functions import (
    Calls,
    Comparison,
    compare_given,
    compare_instances,
    compare_kept,
    compare_returned,
    returned_functions,
)
from .variants import Variants

_OF_ADDRESSES = ("value", "output", "arguments")
"""Differences that the order of a set can cause."""
CALLS = "calls"
"""The difference of programs that call what their arguments hold otherwise."""
_RUNS = 8
"""Runs of the reference that show whether its result depends on where objects lie in memory."""
_VARIANTS = 6
"""Two programs that draw random numbers in other ways may, by chance, draw as many: other numbers show it."""


def _refuses_nothing(error: Any) -> bool:
    return False


class Refusals(NamedTuple):
    """Which exceptions of the two programs mean that an input is invalid."""

    reference: Callable[[Any], bool]
    candidate: Callable[[Any], bool] = _refuses_nothing
    """The inputs that the candidate's own contract rejects."""
    statement: Callable[[Any], bool] = _refuses_nothing
    """Those that callers of the reference rely on nevertheless: other modules of its package raise them on purpose."""
    failure: Callable[[Any], bool] = _refuses_nothing
    """Those by which the reference fails, raised by nobody on purpose, of which a candidate may take care."""
    misfit: Callable[[Any], bool] = _refuses_nothing
    """Those of the candidate that say nothing of it: a library knows the classes of the other program alone."""


class Sides(NamedTuple):
    """Both programs, ready to be called, and the clock that limits their calls."""

    candidate: Side
    reference: Side
    clock: CallClock


class Differential:
    """The judge that compares a candidate with a reference.

    Args:
        sides: both programs.
        refusals: which inputs they reject.
        outcomes: compares their outcomes.
        variants: equally correct variants of the reference.
        method: the name of the method under test.
        is_previous: whether callers rely on whatever the reference does.
        is_bound: whether the first argument is the instance of the method.
        made_calls: the texts of the rows with which the project calls the function, where the reference has all modules
            of its project as they were.
        handled: of which failures of the reference the candidate takes care.
        stand_ins: which calls say nothing because of objects of unknown classes.
        parameters: the names of the positional parameters.
        talk: the dialogues with generators that are returned; None where items are all that they give.
        bodies: of the ``with`` statements in which context managers that are returned are compared.
        makes_functions: whether a definition or a lambda stands inside of the reference.
        functions: those under test.
    """

    def __init__(
        self,
        sides: Sides,
        refusals: Refusals,
        outcomes: Outcomes,
        variants: Variants | None = None,
        *,
        method: str = "",
        is_previous: bool = False,
        is_bound: bool = False,
        made_calls: frozenset[str] = frozenset(),
        handled: HandledFailures | None = None,
        stand_ins: StandIns | None = None,
        parameters: Sequence[str] = (),
        bodies: Sequence[Body] = (),
        talk: Talk | None = None,
        makes_functions: bool = False,
        functions: Functions = (None, None),
    ) -> None:
        self._candidate, self._reference, self._clock = sides
        self._refusals = refusals
        self._outcomes = outcomes
        self._variants = variants
        self._method = method
        self._own_refusals = OwnRefusals(method, self._clock)
        self._is_previous = is_previous
        self._made_calls = made_calls
        self._is_bound = is_bound
        self._handled = handled
        self._stand_ins = stand_ins
        self._parameters = parameters
        self._bodies = bodies
        self._talk = talk
        self._makes_functions = makes_functions
        self._functions = functions

    @property
    def has_reference(self) -> bool:
        """There is a reference."""
        return True

    @property
    def compared(self) -> int:
        """The kinds of results compared so far."""
        return self._outcomes.compared

    def run(self, row: Any) -> Judgement:
        """Run the reference, then the candidate where the reference accepts the row."""
        clock = self._clock
        expected = self._told(self._reference, row, self._reference.run(row, clock, clock.allowance))
        if expected.kind == TIMED_OUT:
            return Judgement(SLOW, expected, None)
        if expected.kind == RAISED and self.refuses(expected.error):
            return self._judge_refused(row, expected)
        if is_bulky(expected.value):
            return Judgement(SLOW, expected, None)
        actual = self._candidate.run(row, clock, max(clock.allowance, 10.0 * clock.cpu_seconds))
        actual = self._told(self._candidate, row, actual)
        if actual.kind == RAISED and (isinstance(actual.error, RecipeError) or self._refusals.candidate(actual.error)):
            if self._is_previous and self._is_bound and self._takes_others(row, actual.error):
                cause = CallResult(RAISED, error=actual.error.__cause__)
                return self._outcomes.judge_parameters(expected, cause)
            return Judgement(REJECTED, expected, actual)
        if actual.kind == TIMED_OUT:
            # Neither ends where the reference waits for what never comes: only how long one takes is another.
            never_ends = isinstance(expected.error, WaitsForever)
            return Judgement(REJECTED, expected, actual) if never_ends else Judgement(SLOW, expected, actual, "hang")
        if self._says_nothing(row, actual):
            return Judgement(REJECTED, expected, actual)
        judgement = self._judge_outcomes(row, expected, actual)
        if judgement.code == AGREE and returned_functions(expected.value, actual.value):
            judgement = self._judge_functions(row, judgement)
        elif judgement.difference == LOOKS_ALIKE:
            judgement = self._judge_parts(row, judgement)
        elif judgement.code == AGREE:
            judgement = self._judge_uses(row, judgement)
        if judgement.code == AGREE and self._is_previous:
            judgement = self._judge_sharing(row, self._judge_calls(row, judgement))
        if judgement.code == DIFFER and self._reference.is_held and not self._draw_alike(row, expected, actual):
            return Judgement(UNDECIDED, expected, actual)
        if judgement.code == DIFFER and self._is_open(row, judgement, expected, actual):
            # What came before the call has changed, or when the clock was read, or each finds what the other one left.
            return Judgement(REJECTED, expected, actual)
        return judgement

    def _is_open(self, row: Any, judgement: Judgement, expected: CallResult, actual: CallResult) -> bool:
        """Whether a difference may be due to more than the two programs."""
        is_same = got_the_same(expected, actual, self._functions, by_calls=judgement.difference == CALLS)
        return not is_same or self._differs_before(row) or changes_what_is_shared(row, self._scopes())

    def _told(self, side: Side, row: Any, result: CallResult) -> CallResult:
        """The result of a call, with the exception of the method itself where a constructor that calls it failed."""
        return self._own_refusals.told(side, row, result) if self._is_previous and self._is_bound else result

    def _judge_outcomes(self, row: Any, expected: CallResult, actual: CallResult) -> Judgement:
        if declines_alike(self._method, expected, actual):
            return Judgement(AGREE, expected, actual)
        return self._outcomes.judge(row, expected, actual)

    def _says_nothing(self, row: Any, actual: CallResult) -> bool:
        """Whether what the candidate did is due to what it was given or is loaded beside, and not to its code."""
        error = actual.error
        if error is not None and (is_lacking(error) or is_of_hidden_file(error) or self._refusals.misfit(error)):
            return True
        return self._stand_ins is not None and self._stand_ins.are_meaningless_in(row)

    def _judge_refused(self, row: Any, expected: CallResult) -> Judgement:
        """Judge a row that the reference rejects: only a difference is told that callers can rely on."""
        rejected = Judgement(REJECTED, expected, None)
        if is_prepared(row):
            return rejected
        is_stated, is_made = self._refusals.statement(expected.error), self._is_made_call(row, expected.error)
        may_be_handled = not is_stated and self._may_be_handled(expected.error)
        if not (is_stated or is_made or may_be_handled) or is_of_hidden_file(expected.error):
            return rejected
        clock = self._clock
        actual = self._candidate.run(row, clock, max(clock.allowance, 10.0 * clock.cpu_seconds))
        if actual.kind == TIMED_OUT or isinstance(actual.error, RecipeError):
            return rejected
        if not got_the_same(expected, actual, self._functions):
            return rejected
        if self._reference.is_held and not self._draw_alike(row, expected, actual):
            return rejected
        if is_made and not is_stated and actual.kind == RETURNED:
            return Judgement(DIFFER, expected, actual, MENDED)
        if not is_stated:
            is_handled = may_be_handled and self._is_handled(row, expected, actual)
            return Judgement(DIFFER, expected, actual, HANDLED) if is_handled else rejected
        judgement = self._outcomes.judge(row, expected, actual)
        if judgement.difference == LOOKS_ALIKE:
            judgement = self._judge_parts(row, judgement)
        return judgement if judgement.code == DIFFER else rejected

    def _is_made_call(self, row: Any, error: Any) -> bool:
        """Whether the project makes this call, so that an older version which fails on it was wrong."""
        if not self._is_previous or isinstance(error, (RecipeError, WaitsForever)) or is_resource_failure(error):
            return False
        return bool(self._made_calls) and to_text(row) in self._made_calls and not fails_in_import(error)

    def _may_be_handled(self, error: Any) -> bool:
        return self._handled is not None and self._refusals.failure(error) and self._handled.may_handle(error)

    def _is_handled(self, row: Any, expected: CallResult, actual: CallResult) -> bool:
        return self._handled is not None and self._handled.are_handled(row, expected, actual)

    def _draw_alike(self, row: Any, expected: CallResult, actual: CallResult) -> bool:
        """Whether both programs draw random numbers in the same way; else a difference can be blamed on neither."""
        if expected.drawn != actual.drawn:
            return False
        clock = self._clock
        return all(
            [
                self._reference.run(row, clock, clock.allowance, variant).drawn
                == self._candidate.run(row, clock, clock.allowance, variant).drawn
                for variant in range(1, _VARIANTS + 1)
            ]
        )

    def _judge_functions(self, row: Any, judgement: Judgement) -> Judgement:
        """Compare by what they do two functions that were returned, unless it is one that the call was given."""
        expected, actual = judgement.expected, judgement.actual
        assert expected is not None
        assert actual is not None
        given = [_place_among_arguments(result) for result in (expected, actual)]
        if given[0] is not None and given[0] == given[1]:
            return self._judge_given(row, expected, actual)
        if given[0] is not None or expected.value is actual.value:
            return judgement
        found = self._compare_functions(row, expected, actual)
        if found.calls:
            self._outcomes.note_compared()
        if found.expected is None:
            return judgement
        first, second = self.probe(row), self.probe(row)
        if not returned_functions(first.value, second.value):
            return Judgement(UNDECIDED, expected, actual)
        if self._compare_functions(row, first, second).expected is not None:
            return Judgement(UNDECIDED, expected, actual)
        return Judgement(DIFFER, told_instead(expected, found.expected), told_instead(actual, found.actual), "function")

    def _judge_given(self, row: Any, expected: CallResult, actual: CallResult) -> Judgement:
        """Compare what calls set of the function that they were given, where both return it."""
        self._outcomes.note_compared()
        rules = rules_for(row)
        found = compare_given(expected.value, actual.value, rules)
        if found.expected is None or compare_given(expected.value, self.probe(row).value, rules).expected is not None:
            return Judgement(AGREE, expected, actual)
        return Judgement(DIFFER, told_instead(expected, found.expected), told_instead(actual, found.actual), "function")

    def _judge_parts(self, row: Any, judgement: Judgement) -> Judgement:
        """Compare in what they store two results that write the same of themselves."""
        expected, actual = judgement.expected, judgement.actual
        assert expected is not None
        assert actual is not None
        agreed = Judgement(AGREE, expected, actual)
        if expected.kind == RAISED:
            return self._judge_errors(row, expected, actual)
        part = first_difference(expected.value, actual.value, self._method) if self._is_previous else None
        if part is None or first_difference(expected.value, self.probe(row).value, self._method) is not None:
            return agreed
        texts = value_text(expected.value), value_text(actual.value)
        parts = [part_text(part.path, one) if texts[0] == texts[1] else "" for one in part[1:]]
        told, did = [Promise(text + more) for text, more in zip(texts, parts)]
        return Judgement(DIFFER, told_instead(expected, told), told_instead(actual, did), "value")

    def _judge_errors(self, row: Any, expected: CallResult, actual: CallResult) -> Judgement:
        """Compare what two exceptions with one message tell those who catch them, in public attributes."""
        part = first_difference(expected.error, actual.error, self._method)
        # Of what they were made with, those who catch them see the message.
        if part is None or part.path.startswith(ARGUMENTS) or is_private(part.path.lstrip(".")):
            return Judgement(AGREE, expected, actual)
        if first_difference(expected.error, self.probe(row).error, self._method) is not None:
            return Judgement(AGREE, expected, actual)
        told = _raised_with(expected, part_text(part.path, part.one))
        return Judgement(DIFFER, told, _raised_with(actual, part_text(part.path, part.two)), MESSAGE)

    def _judge_calls(self, row: Any, judgement: Judgement) -> Judgement:
        """Compare the calls of functions that record them, in objects that stand for those of unknown classes."""
        expected, actual = judgement.expected, judgement.actual
        if expected is None or actual is None or not _have_returned(expected, actual):
            return judgement
        found = self._differing_effects(row, expected, actual)
        if found is None or self._differing_effects(row, self.probe(row), self.probe(row)) is not None:
            return judgement
        return Judgement(DIFFER, told_instead(expected, found[0]), told_instead(actual, found[1]), CALLS)

    def _differing_effects(self, row: Any, one: CallResult, two: CallResult) -> tuple[Promise, Promise] | None:
        found = differing_effects(one, two, self._parameters, self._scopes())
        if found is None:
            found = differing_functions(one, two, self._parameters, self._how(row))
        if found is None and self._makes_functions:
            found = differing_held(one, two, self._parameters, self._method, self._how(row))
        return found

    def _judge_sharing(self, row: Any, judgement: Judgement) -> Judgement:
        """Look for a container that the reference makes for its caller, and that the candidate shares with another."""
        expected, actual = judgement.expected, judgement.actual
        if judgement.code != AGREE or expected is None or actual is None or not _have_returned(expected, actual):
            return judgement
        theirs = self._shared(actual, self._candidate)
        ours = {one.place for one in self._shared(expected, self._reference)} if theirs else set[str]()
        for one in theirs:
            if one.place in ours or not self._makes_own(expected, one):
                continue
            if one.attribute and one.attribute not in (attributes_of(expected.arguments[0]) or {}):
                continue  # The candidate keeps its results; its older version does not.
            what = f"an instance whose {one.place} is " if one.place else ""
            told = Promise(f"{what}a copy, {value_text(one.value)}")
            did = Promise(f"{what}the same object as {one.owner}, {value_text(one.value)}")
            return Judgement(DIFFER, told_instead(expected, told), told_instead(actual, did), SHARED)
        return judgement

    def _shared(self, result: CallResult, side: Side) -> list[Sharing]:
        return shared_by(result.value, result.arguments, side.namespace, self._method, is_bound=self._is_bound)

    def _makes_own(self, expected: CallResult, one: Sharing) -> bool:
        """Whether the reference has a container of the kind in that place too."""
        attributes = (attributes_of(expected.arguments[0]) or {}) if one.place else {"": expected.value}
        own = type_of(attributes.get(one.place))
        # Of the instance's class each version has its own.
        return own is type_of(one.value) or (one.owner == INSTANCE and own.__name__ == type_of(one.value).__name__)

    def _compare_functions(self, row: Any, one: CallResult, two: CallResult) -> Comparison:
        rules = rules_for(row)
        keep_alike = self._keep_alike(one, two)
        found = compare_returned(one.value, two.value, self._how(row))
        if found.expected is not None or found.is_open or not found.calls:
            return found
        kept = compare_kept(one.arguments, two.arguments, rules)
        if kept.expected is None and keep_alike:
            kept = compare_instances(one.arguments[0], two.arguments[0], self._method)
        return found if kept.expected is None else kept

    def _how(self, row: Any) -> Calls:
        return Calls(row if isinstance(row, tuple) else (), rules_for(row), self._clock, self._refusals.statement)

    def _keep_alike(self, one: CallResult, two: CallResult) -> bool:
        is_older = self._is_previous and self._is_bound
        return is_older and first_difference(one.arguments[0], two.arguments[0], self._method) is None

    def _judge_uses(self, row: Any, judgement: Judgement) -> Judgement:
        """Use what both programs returned as their callers may: enter and leave context managers, also with bodies that
        raise, and send values to generators."""
        expected, actual = judgement.expected, judgement.actual
        assert expected is not None
        assert actual is not None
        talk = self._talk if type_of(expected.value) is type_of(actual.value) is Yielded else None
        if talk is None and not (is_enterable(expected.value) and is_enterable(actual.value)):
            return judgement
        ours, theirs = self._scopes()
        rules = rules_for(row)
        passing = passing_uses(self._bodies, self._clock, self._method, self._keep_alike)
        for use in passing if talk is None else talking_uses(talk, rules, self.refuses):
            with use.begun():
                found = use.compare(self.probe(row), self._candidate.run(row, *self._limits()), (ours, theirs))
                if found.is_compared:
                    self._outcomes.note_compared()
                if found.expected is None:
                    continue
                if use.compare(self.probe(row), self.probe(row), (ours, ours)).expected is not None:
                    return Judgement(UNDECIDED, expected, actual)
            told, did = told_instead(expected, found.expected), told_instead(actual, found.actual)
            return Judgement(DIFFER, told, did, "function")
        return judgement

    def _scopes(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return self._reference.namespace, self._candidate.namespace

    def _limits(self) -> tuple[CallClock, float]:
        return self._clock, self._clock.allowance

    def probe(self, row: Any) -> CallResult:
        """Run the reference alone."""
        return self._reference.run(row, self._clock, self._clock.allowance)

    def refuses(self, error: Any) -> bool:
        """Whether an exception of the reference means that the input is not valid."""
        return self._refusals.reference(error)

    def is_for_both(self, row: Any) -> bool:
        """Whether both programs seem to be meant for a row that the reference accepts.

        A Python program works on many types by coincidence. Where one of the two fails as on an unsupported type, or
        the kinds of the results differ, the type may not be intended.
        """
        expected = self.probe(row)
        actual = self._candidate.run(row, self._clock, self._clock.allowance)
        if actual.kind == RAISED:
            if expected.kind == RAISED and same_family(expected.error, actual.error):
                return True
            return not isinstance(actual.error, (TypeError, AttributeError))
        if expected.kind != RETURNED or actual.kind != RETURNED or actual.value is None:
            return True
        return type(expected.value) is type(actual.value) or _are_numbers(expected.value, actual.value)

    def is_incidental(self, row: Any, judgement: Judgement) -> bool:
        """Whether a variant of the reference returns the candidate's result, or the reference not always its own."""
        if self._variants is not None and self._variants.explain(row, judgement):
            return True
        return judgement.difference in _OF_ADDRESSES and self._depends_on_addresses(row, judgement)

    def _depends_on_addresses(self, row: Any, judgement: Judgement) -> bool:
        """Whether the reference returns something else where objects lie elsewhere in memory, and maybe what the
        candidate does.

        An object without a hash of its own is found by its address in a set, and so are the others. What runs alone
        often gets the memory of the run before; here each run leaves its results.
        """
        first, *others = [self.probe(row) for _ in range(_RUNS)]
        if judgement.difference == "value" and _is_of_another_class(judgement.actual, [first, *others]):
            return False
        return any([one.kind == RETURNED and self._is_other_value(row, first, one) for one in others])

    def _is_other_value(self, row: Any, one: CallResult, two: CallResult) -> bool:
        judgement = self._outcomes.judge(row, one, two)
        if judgement.difference == LOOKS_ALIKE:
            return first_difference(one.value, two.value, self._method) is not None
        return judgement.code == DIFFER

    def prepare(self, recipe: Prepared, look: Callable[[Any], Any]) -> list[tuple[Any, list[Any]]] | None:
        """What the reference's instance and the candidate's look like, each with what the calls returned; None where a
        call fails.

        Raises `CallTimeoutError` where a call does not end in time.
        """
        found: list[tuple[Any, list[Any]]] = []
        for side in (self._reference, self._candidate):
            side.begin()
            self._clock.start(self._clock.allowance)
            try:
                found.append(side.prepared(recipe, look))
            except CallTimeoutError:
                raise
            except BaseException:  # noqa: BLE001 - whatever a method raises, it does not prepare anything.
                return None
            finally:
                self._clock.stop()
        return found

    def _differs_before(self, row: Any) -> bool:
        """Whether another method than the one under test is at fault: it returned other results while an object was
        prepared, or left one that is passed in another state."""
        prepared = [one for one in walk(row) if type(one) is Prepared]
        return any([self._is_prepared_otherwise(one, is_passed=one is not row[0]) for one in prepared])

    def _is_prepared_otherwise(self, recipe: Prepared, *, is_passed: bool) -> bool:
        try:
            found = self.prepare(recipe, _attributes_text if is_passed else type_of)
        except CallTimeoutError:
            return True
        if found is None or (is_passed and found[0][0] != found[1][0]):
            return True
        results = zip(recipe.calls, found[0][1], found[1][1])
        return any(
            [
                call.name != self._method and is_plain(one) and is_plain(two) and not same(one, two)
                for call, one, two in results
            ]
        )

    def _takes_others(self, row: Any, error: Any) -> bool:
        """Whether the instance cannot be built as before: its constructor has other parameters."""
        cause = error.__cause__
        if is_prepared(row) or not isinstance(cause, TypeError) or not self._candidate.is_refused_call(cause):
            return False
        try:
            build(row[:1], self._candidate.namespace)
        except TypeError as again:
            return message_of(again) == message_of(cause)
        except PROGRAM_ERRORS:  # its constructor is not deterministic.
            return False
        return False


def _have_returned(expected: CallResult, actual: CallResult) -> bool:
    return (expected.kind, actual.kind) == (RETURNED, RETURNED)


def _attributes_text(instance: Any) -> str:
    return value_text(attributes_of(instance))


def told_instead(result: CallResult, sentence: Promise | None) -> CallResult:
    """The result of a call with a sentence in place of the value."""
    return CallResult(RETURNED, sentence, arguments=result.arguments, output=result.output)


def _raised_with(result: CallResult, text: str) -> CallResult:
    """The result of a call that raised an exception, with more in its message than the exception tells itself."""
    kind = type(type_of(result.error).__name__, (Exception,), {})
    return CallResult(RAISED, error=kind(message_of(result.error) + text), arguments=result.arguments)


def _place_among_arguments(result: CallResult) -> int | None:
    """The place of the argument that a call returned; None where it returned something else."""
    return next((place for place, value in enumerate(result.arguments) if value is result.value), None)


def _is_of_another_class(actual: CallResult | None, expected: Sequence[CallResult]) -> bool:
    """Whether a program returns an object of a class of a project, and another one only objects of other such classes;
    the two programs may each have classes of these names."""
    if actual is None or actual.kind != RETURNED or any([one.kind != RETURNED for one in expected]):
        return False
    kinds = [type_of(one.value) for one in (actual, *expected)]
    if any([base_of(kind) is not None or attribute_of(kind, "__module__", "") == "builtins" for kind in kinds]):
        return False
    lines = list(map(names_of_bases, kinds))
    return not any([kinds[0].__name__ in line or kind.__name__ in lines[0] for kind, line in zip(kinds[1:], lines[1:])])


def is_prepared(row: Any) -> bool:
    """Whether the row's instance is one on which methods were called."""
    return bool(row) and type(row[0]) is Prepared


def _are_numbers(one: Any, two: Any) -> bool:
    return isinstance(one, (int, float, complex)) and isinstance(two, (int, float, complex))
