"""The oracle "examples" of the ``explore`` job: runs the candidate's examples and doctests, generates none."""

from __future__ import annotations

from typing import Any

from ..calling.invocation import RAISED
from ..judging.doctest_session import Missed, SessionRun
from ..judging.factory import make_example_judge
from ..judging.judge import AGREE, CODES, DIFFER, SLOW, UNDECIDED, Judgement
from ..judging.stated_examples import EXAMPLE_SECONDS, StatedExample
from ..program.customary_names import names_given
from ..protocol.channel import DOCTESTS
from ..search.setup import Setting
from ..search.termination import NonTermination
from ..values.recipes.model import RecipeError
from ..values.recipes.parsing import from_text
from ..values.rendering import message_of
from . import replies

_DO_NOT_FIT = "their arguments do not fit the parameters"
_NOT_ITS_FAULT = "they fail for reasons other than the function"


def stated_examples(setting: Setting) -> list[StatedExample]:
    """Return the examples that fit the parameters and state a result."""
    found: list[StatedExample] = []
    for example in setting.request.get("examples", ()):
        try:
            row = setting.layout.row(example["arguments"])
            expected = None if example.get("expected") is None else (from_text(example["expected"]),)
        except RecipeError:
            continue
        if expected is not None or example.get("raises"):
            found.append(
                StatedExample(
                    row,
                    expected,
                    example.get("raises"),
                    example.get("written"),
                    example.get("line"),
                    bool(example.get("by_equality")),
                )
            )
    return found


class ExampleRun:
    """Runs examples in order, recording each in the journal first where one is known to kill the process."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._judge = make_example_judge(setting.programs.candidate, setting.layout.form, setting.clock)
        self.judged = 0
        self.undecided = ""
        """Why the first of those that show nothing does."""

    def judge(self, example: StatedExample) -> Judgement:
        """Run one example."""
        if self._setting.request.get("is_careful"):
            self._setting.channel.journal(self._setting.layout.arguments_text(example.row))
        judgement = self._judge.judge(example)
        self.judged += judgement.code != UNDECIDED
        if judgement.code == UNDECIDED and not self.undecided:
            error = judgement.actual.error if judgement.actual is not None else None
            is_told = isinstance(error, (RecipeError, ImportError))
            self.undecided = message_of(error) if is_told else "what they state cannot be made here"
        return judgement

    def first_failure(self) -> tuple[StatedExample, Judgement] | None:
        """Return the first example that the candidate contradicts, None if it satisfies all of them.

        What it raises on an example of a test counts only if it satisfies another one: it may miss a set-up.
        """
        raising: tuple[StatedExample, Judgement] | None = None
        satisfied = 0
        for example in stated_examples(self._setting):
            judgement = self.judge(example)
            satisfied += judgement.code == AGREE
            if judgement.code in (DIFFER, SLOW):
                if not (example.by_equality and judgement.actual is not None and judgement.actual.kind == RAISED):
                    return example, judgement
                self.judged -= 1
                raising = raising or (example, judgement)
            if raising is not None and satisfied:
                self.judged += 1
                return raising
        return None


def judge_examples(setting: Setting) -> None:
    """Run the examples that fit the parameters, report the first that fails."""
    clock, channel = setting.clock, setting.channel
    clock.install(2.0 * EXAMPLE_SECONDS)  # Modules imported in a call have not been loaded before.
    run = ExampleRun(setting)
    with clock.limited(EXAMPLE_SECONDS):
        failed = run.first_failure()
    if failed is not None and failed[1].difference == "hang":
        # Confirmed as hangs are; the results of the other examples are not known, so no end is reported.
        row = failed[0].row
        is_proven = NonTermination(setting.programs.candidate, setting.layout, clock).is_proven(row)
        channel.send({"event": "progress", "inputs": run.judged, "rejected": 0, "branches": 0})
        channel.send(replies.hang(setting.layout, row, is_proven=is_proven))
        return
    inputs, reason = run.judged, ""
    if failed is not None:
        reply = replies.counterexample(failed[1], setting.layout, failed[0].row, "inside", "example")
        channel.send({**reply, "line": failed[0].line})
    else:
        lines, stopped = _judge_sessions(setting)
        inputs += lines
        has_failed = bool(setting.request["budget"].get("distrusted"))
        why = stopped or run.undecided or (_NOT_ITS_FAULT if has_failed else _DO_NOT_FIT)
        reason = "" if inputs else f"none of its examples can be run: {why}"
    status = "not_checked" if reason else "checked"
    channel.send(replies.done(status, reason, inputs=inputs, rejected=0, branches=0))


def _judge_sessions(setting: Setting) -> tuple[int, str]:
    """Run the doctests that are no plain calls, report the first line that fails.

    Returns how many lines were judged, and what stopped a session, if anything did.
    """
    passed_over = frozenset(setting.request["budget"].get("distrusted", ()))
    judged, stopped = 0, ""
    setting.channel.journal(DOCTESTS)
    for number, steps in enumerate(setting.request.get("sessions", ())):
        run = _run_of(setting, steps)
        missed = run.first_missed(passed_over)
        judged += run.judged
        stopped = stopped or run.stopped
        if missed is not None:
            setting.channel.send({**_missed_of(steps, missed), "event": "counterexample", "session": number})
            break
    return judged, stopped


def _run_of(setting: Setting, steps: list[dict[str, Any]]) -> SessionRun:
    setting.channel.heartbeat()
    candidate = setting.programs.candidate
    given = names_given([step["source"] for step in steps], candidate.program, candidate.namespace)
    setting.channel.heartbeat()
    return SessionRun(steps, candidate.namespace, setting.clock, given)


def _missed_of(steps: list[dict[str, Any]], missed: Missed) -> dict[str, Any]:
    call = steps[missed.number]["call"]
    return {
        "arguments": call,
        "call": call,
        "candidate": replies.outcome(missed.actual, missed.difference),
        "expected": replies.outcome(missed.expected, missed.difference),
        "tier": "inside",
        "difference": missed.difference,
        "stage": "example",
        "line": steps[missed.number]["line"],
    }


def replay_session(setting: Setting, number: int) -> None:
    """Run one session up to the line that failed, and report what it did this time."""
    wanted = setting.request["replay"][-1]
    steps = setting.request["sessions"][number]
    others = frozenset(step["call"] for step in steps) - {wanted}
    missed = _run_of(setting, steps).first_missed(others)
    reply = _missed_of(steps, missed) if missed is not None else {}
    setting.channel.send({**reply, "event": "replayed", "code": CODES[AGREE if missed is None else DIFFER]})
    setting.channel.send(replies.done(inputs=1))
