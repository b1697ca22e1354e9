"""The `evaluate` job in real guests: every option, every kind of outcome."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.values.plain import decode
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import EndingKind, Job, collect

KEYS = {"kind", "value", "text", "exception", "arguments_after", "output", "seconds"}


def evaluate(source: str, arguments: list[str] | None = None, **request: Any) -> list[Any]:
    """Return all replies of one run, which must finish."""
    inputs = {} if arguments is None else {"arguments": arguments}

    async def run() -> list[Any]:
        async with GuestPool(find_interpreter(sys.executable, Path()), Confinement(), size=1) as pool:
            program = {"source": source, "qualname": "f"}
            run = pool.start(Job("evaluate", {"program": program, **inputs, **request}, wall_seconds=20))
            replies = await collect(run)
            assert run.ending.kind is EndingKind.FINISHED, run.ending
            return replies

    return asyncio.run(run())


def one(source: str, arguments: str = "()", **request: Any) -> Any:
    """Return the only outcome."""
    [reply] = evaluate(source, [arguments], **request)
    assert reply["index"] == 0
    assert set(reply["outcome"]) == KEYS
    return reply["outcome"]


def test_a_returned_value() -> None:
    outcome = one("def f(x): return (x, {x})", "(1,)")

    assert outcome["kind"] == "returned"
    assert decode(outcome["value"]) == (1, {1})
    assert outcome["text"] == "(1, {1})"
    assert outcome["exception"] is outcome["arguments_after"] is outcome["output"] is None
    assert 0 <= outcome["seconds"] < 60


def test_a_raised_exception() -> None:
    outcome = one("class E(KeyError): pass\ndef g(): raise E('x')\ndef f():\n    g()")

    assert outcome["kind"] == "raised"
    assert outcome["text"].endswith("E: 'x'")
    assert outcome["exception"]["type"].endswith(".E")
    assert outcome["exception"]["bases"] == ["KeyError", "LookupError", "Exception", "BaseException"]
    assert outcome["exception"]["lines"] == [4, 2]


@pytest.mark.parametrize("statement", ["raise SystemExit(0)", "raise KeyboardInterrupt", "raise GeneratorExit"])
def test_every_exception_is_an_outcome(statement: str) -> None:
    assert one(f"def f(): {statement}")["kind"] == "raised"


@pytest.mark.parametrize("wait", ["pass", "await asyncio.sleep(1)", "asyncio.get_running_loop()"])
def test_coroutines_that_prepare_an_object_are_awaited(wait: str) -> None:
    method = f"    async def leak(self):\n        {wait}\n        self.drops -= 1\n"
    steps = f"import asyncio\nclass Tap:\n    drops = 3\n{method}"
    prepared = "(it := Tap(), it.leak(), it)[-1]"

    assert decode(one(f"{steps}def f(tap): return tap.drops", f"({prepared},)")["value"]) == 2
    assert decode(one(f"{steps}async def f(tap): return await tap.leak() or tap.drops", f"({prepared},)")["value"]) == 1


def test_objects_are_prepared_as_they_are_written() -> None:
    assert decode(one("def f(items): return items", "((it := list((1,)), it.append(2), it)[-1],)")["value"]) == [1, 2]
    assert one("def f(items): return items", "((it := list((1,)), it.remove(2), it)[-1],)")["kind"] == "not_evaluated"


def test_changed_arguments_and_output_are_reported_on_demand() -> None:
    source = "def f(x, *, y):\n    print('hi', end='')\n    x.append(y)"
    arguments = "{'args': ([],), 'kwargs': {'y': 2}}"
    seen = one(source, arguments, capture_output=True)
    unseen = one(source, arguments, observe_arguments=False, describe=False)

    assert decode(seen["arguments_after"]) == {"args": ([2],), "kwargs": {"y": 2}}
    assert decode(seen["output"]) == "hi"
    assert seen["text"] == "None"
    assert unseen["arguments_after"] is unseen["output"] is unseen["text"] is None


def test_time_is_limited_for_each_input() -> None:
    replies = evaluate(
        "def f(x):\n    while x: pass\n    return 1", ["(0,)", "(1,)", "(0,)"], per_call_seconds=[9, 0.1, 9]
    )

    assert [reply["outcome"]["kind"] for reply in replies] == ["returned", "timed_out", "returned"]
    assert 0.05 < replies[1]["outcome"]["seconds"] < 60


def test_prints_are_bounded() -> None:
    outcome = one(
        "def f():\n    while True:\n        try:\n            print('x' * 1000)\n        except Exception: pass"
    )

    assert outcome["kind"] == "too_much_output"


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("def f(): return [0] * 10_000_000", "too_much_output"),
        ("class A:\n    def __repr__(self):\n        while True: pass\ndef f(): return A()", "timed_out"),
        ("class A:\n    def __repr__(self): raise SystemExit\ndef f(): return A()", "returned"),
        ("class A:\n    def __repr__(self): return 'x' * 10_000_000\ndef f(): return A()", "returned"),
    ],
)
def test_values_that_resist_being_read(source: str, kind: str) -> None:
    assert one(source, per_call_seconds=1)["kind"] == kind


def test_inputs_that_cannot_be_built_are_no_outcomes() -> None:
    replies = evaluate("def f(x): return x", ["(nope(),)", "(1,)", "3"])

    assert [reply["outcome"]["kind"] for reply in replies] == ["not_evaluated", "returned", "not_evaluated"]


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        ("1 / 0", "failed", "ZeroDivisionError"),
        ("def f(", "failed", "syntax error"),
        ("while True: pass", "timed_out", "does not end"),
        ("while True: print('x' * 1000)", "failed", "prints too much"),
        ("def g(): pass", "failed", "no 'f'"),
    ],
)
def test_programs_that_cannot_be_loaded(source: str, kind: str, message: str) -> None:
    [reply] = evaluate(source, ["()"], load_seconds=0.3 if kind == "timed_out" else 60.0)

    assert reply["load_error"]["kind"] == kind
    assert message in reply["load_error"]["message"]


def test_batches_and_indices() -> None:
    arguments = [f"({number},)" for number in range(10)]
    replies = evaluate("def f(x): return x", arguments, batch=3, indices=[7, 1, 2, 9], describe=False)

    assert [index for reply in replies for index in reply["indices"]] == [7, 1, 2, 9]
    assert [outcome["value"] for reply in replies for outcome in reply["outcomes"]] == [7, 1, 2, 9]
    assert all(set(outcome) == {"kind", "value", "seconds"} for reply in replies for outcome in reply["outcomes"])


def test_a_batch_does_not_wait_for_slow_calls() -> None:
    replies = evaluate("import time\ndef f(): time.sleep(0.03)", ["()"] * 4, batch=100)

    assert len(replies) >= 2


def test_ending_after_failures() -> None:
    arguments = ["(1,)", "(0,)", "(1,)", "(0,)", "(1,)"]

    assert len(evaluate("def f(x): return 1 / x", arguments, stop_after_failures=2)) == 4


def test_generators_are_drained_unless_told_otherwise() -> None:
    assert decode(one("def f(): yield 1")["value"]) == [1]
    assert decode(one("def f(): yield 1", drain=False)["value"]).type_name == "generator"
    assert one("async def f(): return 1", drain=False)["value"] == 1


def test_chance_is_seeded_before_every_call() -> None:
    replies = evaluate("import random\ndef f(): return random.random()", ["()"] * 3, random_seed=5)

    assert len({reply["outcome"]["value"] for reply in replies}) == 1


def test_code_that_tampers_with_time_limits_cannot_escape_them_for_later_calls() -> None:
    source = """
import signal
def f(x):
    if x == 0:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        return 0
    while True: pass
"""
    replies = evaluate(source, ["(0,)", "(1,)"], per_call_seconds=0.2)

    assert [reply["outcome"]["kind"] for reply in replies] == ["returned", "timed_out"]


def test_arguments_of_json_come_as_lists() -> None:
    [reply] = evaluate("def f(a, b): return a, b, b.pop()", [[1, [2.5, {"x": None}]]])  # type: ignore[list-item]

    assert decode(reply["outcome"]["value"]) == (1, [2.5], {"x": None})


def test_limits_of_processor_time_let_a_call_sleep() -> None:
    source = "import time\ndef f(is_busy):\n    while is_busy: pass\n    time.sleep(0.3)\n    return 1"
    kinds = [
        reply["outcome"]["kind"]
        for reply in evaluate(source, ["(False,)", "(True,)"], per_call_seconds=0.1, by_processor=True)
    ]

    assert kinds == ["returned", "timed_out"]


def test_calls_of_too_many_lines_count_as_timed_out() -> None:
    source = "def f(n):\n    for _ in range(n):\n        pass\n    return n"
    kinds = [reply["outcome"]["kind"] for reply in evaluate(source, ["(9,)", "(300000,)"], most_steps=1000)]

    assert kinds == ["returned", "timed_out"]


def test_each_input_may_have_its_own_number_of_lines() -> None:
    source = "def f(n):\n    for _ in range(n):\n        pass\n    return n"
    arguments: Any = ["(300000,)", "(300000,)", [300000]]
    kinds = [reply["outcome"]["kind"] for reply in evaluate(source, arguments, most_steps=[1000, 10**7, None])]

    assert kinds == ["timed_out", "returned", "returned"]


def test_processor_time_limits_each_of_many_calls() -> None:
    source = "def f(n):\n    while n < 0: pass\n    return n"
    arguments: Any = [[n] for n in (*range(300), -1, *range(300), -1, 7)]
    kinds = [reply["outcome"]["kind"] for reply in evaluate(source, arguments, per_call_seconds=0.1, by_processor=True)]

    assert kinds == [*["returned"] * 300, "timed_out", *["returned"] * 300, "timed_out", "returned"]
