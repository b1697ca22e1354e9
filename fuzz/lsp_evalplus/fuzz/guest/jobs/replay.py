"""The ``explore`` job with ``replay``: runs given arguments once each, without a search."""

from __future__ import annotations

from typing import Any, Callable

from ..calling.invocation import RAISED, RETURNED
from ..judging.judge import CODES, Judgement
from ..search.setup import Setting, judge_of, whole_tests
from ..values.carved import read_whole_test
from . import replies
from .stated_examples import ExampleRun, stated_examples

STUCK_SECONDS = 0.5
"""Processor time that C code may use, beyond the limit of a replayed call, before its process is ended. It is not
limited where modules are imported, some of which take as long to be linked."""


def replay(setting: Setting) -> None:
    """Run given arguments once each, with generous limits, and report the outcomes."""
    limit = float(setting.request.get("limit", 1.0))
    judge = _example_judge(setting) if setting.kind == "examples" else judge_of(setting).run
    setting.clock.install(limit + STUCK_SECONDS)
    inputs = 0
    with setting.clock.limited(limit):
        for text in setting.request["replay"]:
            inputs += _replay(setting, text, judge).is_input
    setting.channel.send(replies.done(inputs=inputs))


def _replay(setting: Setting, text: str, judge: Callable[[Any], Judgement]) -> Judgement:
    channel, layout = setting.channel, setting.layout
    channel.journal(text)
    test = read_whole_test(text)
    if test:
        judgement = whole_tests(setting).judge(test)
        channel.send({**replies.failing_test(test, judgement), "event": "replayed", "code": CODES[judgement.code]})
        return judgement
    row = layout.row(text)
    channel.send({"event": "replaying", **_announced(setting, row)})
    judgement = judge(row)
    reply = replies.counterexample(judgement, layout, row, "inside", "replay")
    channel.send({**reply, "event": "replayed", "code": CODES[judgement.code]})
    return judgement


def _example_judge(setting: Setting) -> Callable[[Any], Judgement]:
    """Return a judge of rows by the example that states each."""
    run, layout = ExampleRun(setting), setting.layout
    examples = {layout.arguments_text(example.row): example for example in reversed(stated_examples(setting))}
    return lambda row: run.judge(examples[layout.arguments_text(row)])


def _announced(setting: Setting, row: Any) -> dict[str, Any]:
    """Return the announcement of a call that may end the process, with the result stated by an example."""
    call = {"call": setting.layout.call_text(row)}
    text = setting.layout.arguments_text(row)
    for example in setting.request.get("examples", ()) if setting.kind == "examples" else ():
        stated = example.get("raises") or example.get("expected")
        if stated and setting.layout.arguments_text(setting.layout.row(example["arguments"])) == text:
            return {**call, "expected": {"kind": RAISED if example.get("raises") else RETURNED, "text": stated}}
    return call
