"""The ``explore`` job: search for arguments on which a candidate violates its oracle.

request::

    oracle      "reference" (default), "examples", "contract", "return", "annotation" or "robustness"
    candidate   a program; with the oracle "reference" also ``reference``
    is_previous whether the reference is the candidate's previous version
    contract    the fields of ``fuzz.model.Contract``, for the oracles without a reference
    examples    ``[{"arguments", "expected", "raises", "written"}]``: judged by the oracle "examples", seeds for all
    sessions    lists of the fields of ``fuzz.model.Step``: doctests that the oracle "examples" runs line after line
    seeds       further arguments, as strings
    text        text around the function, mined for constants
    budget      ``{"seconds", "calls", "seed", "disabled", "no_feedback", "distrusted", "largest", "kept", "survey",
                "recorded", "sufficient", "shows_calls", "as_json", "traced"}``
    reach       qualified name of a function; inputs on which no program calls it do not count
    only_seeds  judge the seeds and nothing else
    replay      arguments, as strings, to run once each instead of searching
    session     which of the sessions to run once instead, up to the step whose call is in ``replay``
    is_careful  journal each input before it is tried

replies: ``progress``, ``inputs`` where the budget asks for those that were recorded, ``trials`` and one ``trace`` where
it asks for what was tried, at most one ``counterexample``, at
most one ``hang``, ``replaying`` before and ``replayed`` after each replay, and ``done``.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from ..calling.calibration import LONGEST_LIMIT, Calibration
from ..calling.call_clock import USUAL_LIMIT, CallClock
from ..calling.invocation import RAISED, RETURNED
from ..calling.subject import progress_in
from ..contracts.runtime import Refused
from ..evidence.empty_instances import ONLY_EMPTY, reads_empty_state
from ..evidence.probe_arguments import is_function
from ..evidence.unanswered import unanswered_in
from ..generation.domain import Domain
from ..generation.mutation import Mutator
from ..generation.probing import ACCEPTED, RAISED_ON_PURPOSE, Trials, learn
from ..generation.stages.call_sequences import prepared_rows
from ..inference.objects.library_parameters import forget_library_classes
from ..judging.object_protocols import can_be_passed, is_enterable
from ..judging.outcomes import HANDLED
from ..judging.returned_functions import can_be_called
from ..program.loader import LoadError
from ..protocol.channel import Channel
from ..search.plan import SearchPlan
from ..search.plausibility import TIERS
from ..search.repeatability import Unstable
from ..search.search import Search
from ..search.setup import Setting, plan_search, read_setting, take_blank_instances, whole_tests, with_carved
from ..search.whole_tests import SHARE
from ..surroundings.placeholders import UsesPlaceholderError
from ..surroundings.waiting import WaitsForever
from ..values.recipes.model import RecipeError, is_in_test
from ..values.recipes.source import to_text
from ..values.rendering import error_text
from . import replies
from .muted import muted
from .replay import STUCK_SECONDS, replay
from .stated_examples import judge_examples, replay_session

MOST_EARLIER = 4
"""At most this many inputs, the counterexample included, are reported as calls that it may need before it."""
ROWS_IN_REPLY = 50
RECORDING_LIMIT = 0.3
"""Limit of a call, in seconds of processor time, where inputs are sought: counts decide what is slow, and not this."""
MOST_SHRINKING = 40
"""At most this many of the calls on the way to the smallest one are reported."""
LONGEST_TOLD = 1000
"""Of the text of a longer call in a trace, the beginning is reported."""
FIRST_PREPARED = 1000
"""At most this many rows with prepared instances are tried for a first valid input."""
MOST_RETURNED = 40
"""At most this many accepted rows with results of other functions are kept."""
MOST_FAILED = 40
"""Rows on which the reference failed for their values that the candidate is asked about where none is accepted."""
RETURNED_SHARE = 0.3
"""Of the budget, for the search for them."""
FUNCTIONS_ONLY = "it returns functions, and what they do is not compared"
OPAQUE_ONLY = "its results cannot be compared: they have no visible content"
NO_BLANK_INSTANCES = "its class makes no instances but by its constructor, or the versions use other attributes of them"
NOT_DETERMINISTIC = "not deterministic: the same input gives different results"


def run(request: dict[str, Any], channel: Channel) -> None:
    """Run one exploration; every end is reported by a ``done`` reply."""
    clock = CallClock()
    with muted():
        try:
            setting = read_setting(request, channel, clock)
            clock.install()
            if "session" in request:
                replay_session(setting, request["session"])
            elif "replay" in request:
                replay(setting)
            elif setting.kind == "examples":
                judge_examples(setting)
            else:
                with clock.limited(RECORDING_LIMIT if setting.request["budget"].get("recorded") else USUAL_LIMIT):
                    _explore(with_carved(setting))
        except LoadError as error:
            channel.send(replies.done("not_checked", str(error)))
        finally:
            clock.remove()


def _explore(setting: Setting) -> None:
    if setting.request.get("is_blank") and not take_blank_instances(setting):
        setting.channel.send(replies.done("not_checked", NO_BLANK_INSTANCES))
        return
    plan = plan_search(setting)
    setting.clock.install(STUCK_SECONDS)
    start = Start(setting, plan)
    domain = start.look()
    is_previous = bool(setting.request.get("is_previous"))
    if domain is None and is_previous and forget_library_classes(setting.programs, setting.layout.parameters):
        plan = plan_search(setting)
        start = Start(setting, plan)
        domain = start.look()
    if domain is not None:
        _search(setting, plan._replace(domain=domain), start.returned)
    elif not (is_previous and _tell_mended(setting, plan, start.failed)):
        _end(setting, plan, replies.done("not_checked", start.why_none(), unanswered=sorted(start.unanswered)), {})


def _tell_mended(setting: Setting, plan: SearchPlan, failed: Sequence[Any]) -> bool:
    """Report a call on which only the older version fails; False where there is none.

    It is one that the project makes, or one that failed for its values, and the newer version takes care of that.
    """
    search = Search(plan, lambda _: setting.channel.heartbeat())
    try:
        found = search.run_seeds([*setting.inputs.examples, *failed])
    except Unstable:
        return False
    if found is not None:
        setting.channel.send(_counterexample(search, plan, *found))
        setting.channel.send({**_progress(search, plan), **replies.done(**_learned(search, plan))})
    return found is not None


class Start:
    """Searches for a first valid input, from which the domain infers what else the programs accept."""

    def __init__(self, setting: Setting, plan: SearchPlan) -> None:
        self._setting = setting
        self._plan = plan
        judge = plan.judge
        self._calibration = Calibration(judge.probe, judge.refuses, plan.clock, plan.budget.seconds)
        self._failures: Counter[str] = Counter()
        """The exception of the program."""
        self.returned: list[Any] = []
        """Accepted rows with results of other functions."""
        self.failed: list[Any] = []
        """The first rows on which the reference failed for their values, while it accepts none."""
        self.unanswered = set[str]()
        """What calls failed to start and to send, see `unanswered_in`."""

    def look(self) -> Domain | None:
        """The domain that was learned from a first valid input, None where none was found."""
        plan = self._plan
        trials = Trials(
            self._progress_of,
            plan.judge.is_for_both,
            self._prepared,
            self._returned,
            self._is_handled,
            self._accepted_seeds,
        )
        return learn(plan.domain, trials, plan.pool, random.Random(plan.budget.seed))

    def why_none(self) -> str:
        """Why there is nothing to search: a program that fails alike on everything shows what it lacks."""
        who = "function" if self._setting.programs.reference is None else "reference"
        reason = f"no input was found that the {who} accepts"
        total = sum(self._failures.values())
        if self._calibration.unfinished > total:
            has_parameters = bool(self._plan.layout.parameters)
            return f"{reason}; it does not end in time" if has_parameters else f"the {who} does not end in time"
        text, count = next(iter(self._failures.most_common(1)), ("", 0))
        return f"{reason}; {text}" if 2 * count > total else reason

    def _is_handled(self, row: Any) -> bool:
        self._setting.channel.heartbeat()
        is_previous = bool(self._setting.request.get("is_previous"))
        return is_previous and self._plan.judge.run(row).difference == HANDLED

    def _progress_of(self, row: Any) -> int:
        self._setting.channel.heartbeat()
        judge, expected = self._plan.judge, self._calibration.run(row)
        if expected.kind == RETURNED:
            return ACCEPTED if self._is_telling(row, expected.value) else RAISED_ON_PURPOSE
        if expected.kind == RAISED and not judge.refuses(expected.error):
            # Of a function that ends only with exceptions they are the results.
            return ACCEPTED if self._setting.programs.judging.anatomy.never_returns else RAISED_ON_PURPOSE
        if expected.kind == RAISED:
            self.unanswered |= unanswered_in(expected.error)
        if expected.kind == RAISED and _tells_what_is_lacking(expected.error):
            self._failures[_failure_text(expected.error)] += 1
        if expected.kind == RAISED and len(self.failed) < MOST_FAILED and self._can_be_mended(expected.error):
            self.failed.append(row)
        return progress_in(self._setting.programs.judging, expected.error)

    def _can_be_mended(self, error: Any) -> bool:
        """Whether no type of an argument is to blame for an exception: there are no arguments, or it blames a value."""
        takes_nothing = not self._plan.layout.parameters and isinstance(error, Exception)
        return (takes_nothing and not isinstance(error, RecipeError)) or _is_for_values(error)

    def _is_telling(self, row: Any, value: Any) -> bool:
        """Whether a result shows that the row is meant: a function has to do something with any arguments."""
        if value is NotImplemented:
            return False
        if is_enterable(value):
            return can_be_passed(value, self._plan.clock)
        return not is_function(value) or can_be_called(value, row, self._plan.clock)

    def _prepared(self) -> Iterator[Any]:
        plan = self._plan
        states = plan.make_states(plan.domain, Mutator(plan.pool, random.Random(plan.budget.seed)))
        rows = (row for row in prepared_rows(states.arguments, plan.domain) if row is not None)
        return islice(rows, FIRST_PREPARED)

    def _accepted_seeds(self) -> Iterator[Any]:
        """Yield seeds that the reference accepts: nothing else has all options that a command line needs, or all that a
        function looks up in an answer."""
        return (row for row in self._setting.inputs.seeds if self._progress_of(row) == ACCEPTED)

    def _returned(self) -> list[Any]:
        plan = self._plan
        seconds = RETURNED_SHARE * plan.budget.seconds
        end = time.process_time() + seconds
        for row in plan.sibling_rows(plan.domain, seconds):
            if time.process_time() > end or len(self.returned) >= MOST_RETURNED:
                break
            if self._progress_of(row) == ACCEPTED:
                self.returned.append(row)
        return self.returned


def _is_for_values(error: Any) -> bool:
    """Whether an exception blames a value, and not its type: nothing tells types where no input is accepted."""
    return isinstance(error, (ArithmeticError, LookupError, ValueError)) or type(error) is RuntimeError


def _tells_what_is_lacking(error: Any) -> bool:
    """Whether an exception is the program's own, or says which library is not installed."""
    return not isinstance(error, RecipeError) or isinstance(error, UsesPlaceholderError)


def _failure_text(error: Any) -> str:
    """The outcome on an input as a clause; an internal exception stands for its contract or for a missing library."""
    if isinstance(error, UsesPlaceholderError):
        return str(error)
    if isinstance(error, Refused):
        return f"its contract refuses them: {error}"[:120] if str(error) else "its contract refuses them"
    return f"it raises {error_text(error)[:120]}"


def _search(setting: Setting, plan: SearchPlan, first: list[Any]) -> None:
    """Search, beginning with some rows, and report the findings."""
    channel = setting.channel

    def poll(search: Search) -> None:
        channel.send(_progress(search, plan))
        message = channel.receive()
        if message is not None:
            search.add_seeds([t for t in message.get("seeds", ()) if isinstance(t, str)])

    search = Search(plan, poll)
    only_seeds = bool(setting.request.get("only_seeds"))
    seeds = setting.inputs.seeds[len(setting.inputs.examples) :] if only_seeds else setting.inputs.seeds
    try:
        found = search.run_seeds(seeds) if only_seeds else search.run([*seeds, *first])
    except Unstable:
        channel.send({**_progress(search, plan), **replies.done("not_checked", NOT_DETERMINISTIC)})
        return
    _send_recorded(search, plan, channel)
    _send_trace(search, plan, channel)
    row = None if found is not None else search.hang()
    reason = "" if found is not None else _why_not_known(search, setting, has_hang=row is not None)
    if found is not None:
        channel.send(_counterexample(search, plan, *found))
    elif row is not None and not reason:
        channel.send(replies.hang(plan.layout, row, is_proven=bool(search.endless)))
    ending = _unknown(search, reason) if reason else replies.done(**_learned(search, plan))
    if found is None and row is None:
        _end(setting, plan, ending, _progress(search, plan))
    else:
        channel.send({**_progress(search, plan), **ending})


def _unknown(search: Search, reason: str) -> dict[str, Any]:
    """The last reply of a search whose calls mean nothing."""
    expected = None if search.last is None else search.last.expected
    error = None if expected is None else expected.error
    return replies.done("not_checked", reason, unanswered=sorted(unanswered_in(error)))


def _end(setting: Setting, plan: SearchPlan, ending: dict[str, Any], counts: dict[str, Any]) -> None:
    """End a search without a finding: by a test that only the older version passes, if there is one.

    Of tests that both pass their number is told: where nothing else was compared, they were.
    """
    channel = setting.channel
    if not (setting.carvers and setting.request.get("is_previous")):
        channel.send({**counts, **ending})
        return
    channel.heartbeat()
    failing = whole_tests(setting).first_failing(SHARE * plan.budget.seconds, plan.budget.distrusted)
    if failing.judgement is not None:
        channel.send(replies.failing_test(failing.case, failing.judgement))
        failing = failing._replace(agreed=0)
    channel.send({**counts, **ending, "tests": failing.agreed})


def _send_recorded(search: Search, plan: SearchPlan, channel: Channel) -> None:
    """Report the recorded inputs, some in each reply: arguments, stage, whether examples are alike, and, where the
    budget asks for it, the call."""
    rows, layout = search.recorded(), plan.layout
    for start in range(0, len(rows), ROWS_IN_REPLY):
        part = rows[start : start + ROWS_IN_REPLY]
        tell = layout.arguments_plain if plan.budget.as_json else layout.arguments_text
        found: list[list[Any]] = [[tell(row), stage, inside] for row, stage, inside in part]
        if plan.budget.shows_calls:
            for told, (row, *_) in zip(found, part):
                told.append(layout.call_text(row))
        channel.send({"event": "inputs", "inputs": found})


def _send_trace(search: Search, plan: SearchPlan, channel: Channel) -> None:
    """Report what was tried: calls with stage and judgement, some in each reply, then the counts and the shrinking."""
    trace = search.trace
    if trace is None:
        return
    for start in range(0, len(trace.kept), ROWS_IN_REPLY):
        part = trace.kept[start : start + ROWS_IN_REPLY]
        channel.send({"event": "trials", "trials": [[_cut(plan.layout.call_text(row)), *rest] for row, *rest in part]})
    way = trace.shrinking
    step = max(1, -(-len(way) // MOST_SHRINKING))
    calls = [_cut(plan.layout.call_text(row)) for row in [*way[:-1:step], *way[-1:]]]
    channel.send({"event": "trace", "stages": trace.counts, "shrinking": calls, "steps": max(0, len(way) - 1)})


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TOLD else text[:LONGEST_TOLD] + "…"


def _learned(search: Search, plan: SearchPlan) -> dict[str, Any]:
    """Seeds for later searches."""
    survey = plan.budget.survey
    rows = search.fair_rows(survey) if survey else search.context.corpus[:40]
    kept = [row for row in rows if len(to_text(row)) < 500 and search.can_be_told_again(row)]
    return {
        "is_complete": search.is_complete,
        "misses_change": search.misses_change,
        "is_out_of_time": search.is_out_of_time and bool(plan.layout.parameters),
        "corpus": [plan.layout.arguments_text(row) for row in kept],
        "domain": [shape.describe() for shape in plan.domain.typical],
    }


def _progress(search: Search, plan: SearchPlan) -> dict[str, Any]:
    # Without parameters all calls are the same, and a second one only shows that.
    inputs = search.inputs if plan.layout.parameters else min(search.inputs, 1)
    return {
        "event": "progress",
        "inputs": inputs,
        "rejected": search.rejected,
        "unfinished": search.unfinished,
        "undecided": search.undecided,
        "branches": search.branches(),
    }


def _why_not_known(search: Search, setting: Setting, *, has_hang: bool) -> str:
    """Why calls without a difference mean nothing; empty where they do mean something."""
    if search.saw_functions_only():
        return FUNCTIONS_ONLY
    if search.saw_opaque_only():
        return OPAQUE_ONLY
    if has_hang:
        return ""
    if _saw_empty_only(setting, search):
        return ONLY_EMPTY
    expected = None if search.last is None else search.last.expected
    has_inputs = setting.programs.reference is not None and bool(setting.layout.parameters)
    if not has_inputs or expected is None or expected.error is None or not search.saw_errors_only():
        return ""
    if setting.programs.judging.anatomy.never_returns:
        return ""
    reason = "the reference returned nothing on any input that was tried"
    if isinstance(expected.error, WaitsForever):
        return f"{reason}; it waits for what nothing can bring"
    # An internal exception means that the input cannot be built.
    return reason if isinstance(expected.error, RecipeError) else f"{reason}; it raised {type(expected.error).__name__}"


def _saw_empty_only(setting: Setting, search: Search) -> bool:
    """Whether the only call is one on an empty instance, whose contents one of the programs reads."""
    programs, parameters = setting.programs, setting.layout.parameters
    states, others = search.context.states.arguments.get(0), [p for p in parameters if p.kind != "instance"]
    has_others = any([is_in_test(row[0]) for row in setting.inputs.examples if row])
    if others or has_others or (parameters and not programs.judging.loaded.is_made_bare):
        return False
    has_state = states is not None and states.has_any
    return not has_state and any([reads_empty_state(one.loaded) for one in programs.distinct()])


def _counterexample(search: Search, plan: SearchPlan, row: Any, tier: int) -> dict[str, Any]:
    with plan.clock.limited(LONGEST_LIMIT):
        judgement = plan.judge.run(row)
    reply = replies.counterexample(judgement, plan.layout, row, TIERS[tier], search.found_by)
    others = [one for one in (*search.before, *search.context.corpus[:MOST_EARLIER]) if one is not None]
    earlier = dict.fromkeys([plan.layout.arguments_text(one) for one in [row, *others]])
    return {**reply, "varies": search.varies, "earlier": list(earlier)[:MOST_EARLIER]}
