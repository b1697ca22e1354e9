"""Hypothesis as a peer: the same pairs, the same contract, the same comparison, a budget of processor seconds.

Strategies come from the reference's annotations; where there are none, from the types of the values in the examples;
where there are no examples either, from a union of the common types. The examples themselves go first. The contract is
honoured by `hypothesis.assume`: what the reference refuses is thrown away. Each case runs in a process of its own,
forked from one that has imported everything.
The programs are not confined: run this on data that you would run anyway.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import json
import multiprocessing
import os
import resource
import signal
import sys
import time
import types
import typing
from pathlib import Path
from typing import Any

import hypothesis
from hypothesis import strategies as st

from lsp_evalplus.fuzz.guest.comparison.equality import same
from lsp_evalplus.fuzz.guest.values.recipes.model import RecipeError
from lsp_evalplus.fuzz.guest.values.recipes.parsing import from_text
from lsp_evalplus.fuzz.oracle.examples import read_examples
from lsp_evalplus.fuzz.source.discover import read_module

CALL_SECONDS = 0.2
SHRINK_SECONDS = 5.0
MEMORY_BYTES = 4 << 30


class OutOfTime(KeyboardInterrupt):
    """The budget is used; Hypothesis lets interrupts pass."""


class Overdue(BaseException):
    """One call took too long."""


def strategy_of(value: Any) -> st.SearchStrategy[Any]:
    """Values like an example."""
    kind = type(value)
    plain = {int: st.integers(), float: st.floats(allow_nan=False, allow_infinity=False), str: st.text()}
    plain |= {bool: st.booleans(), type(None): st.none()}
    if kind in plain:
        return plain[kind]
    if kind is list:
        return st.lists(st.one_of([strategy_of(v) for v in value]) if value else st.integers())
    if kind is tuple:
        return st.tuples(*[strategy_of(v) for v in value])
    if kind is set:
        return st.sets(st.one_of([strategy_of(v) for v in value]) if value else st.integers())
    if kind is dict and value:
        keys = st.one_of([strategy_of(k) for k in value])
        return st.dictionaries(keys, st.one_of([strategy_of(v) for v in value.values()]))
    return anything()


def anything() -> st.SearchStrategy[Any]:
    numbers = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
    return st.one_of(st.integers(), st.text(), st.lists(st.integers()), st.lists(st.text()), numbers)


def strategies_for(function: Any, examples: list[tuple[Any, ...]]) -> list[st.SearchStrategy[Any]]:
    """One strategy for each parameter without a default."""
    with contextlib.suppress(Exception):
        hints = typing.get_type_hints(function)
    hints = locals().get("hints", {})
    found: list[st.SearchStrategy[Any]] = []
    for index, parameter in enumerate(inspect.signature(function).parameters.values()):
        if parameter.default is not inspect.Parameter.empty or parameter.kind is parameter.VAR_KEYWORD:
            continue
        values = [row[index] for row in examples if index < len(row)]
        if parameter.name in hints:
            found.append(st.from_type(hints[parameter.name]))
        elif values:
            found.append(st.one_of([strategy_of(value) for value in values]))
        else:
            found.append(anything())
    return found


def load(source: str, name: str, as_name: str) -> Any:
    module = types.ModuleType(as_name)
    sys.modules[as_name] = module
    exec(compile(source, f"<{as_name}>", "exec"), module.__dict__)
    return getattr(module, name)


def limited(function: Any, row: tuple[Any, ...]) -> tuple[str, Any]:
    signal.setitimer(signal.ITIMER_REAL, CALL_SECONDS)
    try:
        return "returned", function(*copy.deepcopy(row))
    except Overdue:
        return "overdue", None
    except Exception as error:
        return "raised", error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def examples_of(pair: dict[str, str]) -> list[tuple[Any, ...]]:
    module = read_module(pair["reference"])
    rows: list[tuple[Any, ...]] = []
    for example in read_examples(module.target(pair["entry_point"]), module):
        with contextlib.suppress(RecipeError):
            value = from_text(example.arguments)
            if type(value) is tuple:
                rows.append(value)
    return rows


def search(pair: dict[str, str], seconds: float, seed: int) -> dict[str, Any]:
    """Let Hypothesis look for a difference; says when the first one came and what it was shrunk to."""
    reference = load(pair["reference"], pair["entry_point"], "reference_module")
    candidate = load(pair["candidate"], pair["entry_point"], "candidate_module")
    found: dict[str, Any] = {}
    started = time.process_time()

    def differs(row: tuple[Any, ...]) -> None:
        now = time.process_time() - started
        if now > (seconds if not found else found["seconds"] + SHRINK_SECONDS):
            raise OutOfTime
        kind, expected = limited(reference, row)
        hypothesis.assume(kind == "returned")
        ours, actual = limited(candidate, row)
        if ours == "overdue" or (ours == "returned" and same(expected, actual)):
            return
        found.setdefault("seconds", now)
        if "size" not in found or len(repr(row)) <= found["size"]:
            found.update(size=len(repr(row)), arguments=repr(row))
        raise AssertionError

    examples = examples_of(pair)
    strategies = strategies_for(reference, examples)
    test = hypothesis.given(st.tuples(*strategies))(differs)
    for row in examples:
        test = hypothesis.example(row)(test)
    test = hypothesis.seed(seed)(test)
    test = hypothesis.settings(
        max_examples=10**9,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate, hypothesis.Phase.shrink],
    )(test)
    with contextlib.suppress(BaseException):
        test()
    return found


def _expire(*_: Any) -> None:
    raise Overdue


def _work(pair: dict[str, str], seconds: float, seed: int, replies: Any) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    signal.signal(signal.SIGALRM, _expire)
    found: dict[str, Any] = {}
    with contextlib.suppress(BaseException):
        found = search(pair, seconds, seed)
    replies.send(found)
    os._exit(0)


def run_pairs(path: Path, seconds: float, seed: int, limit: int | None = None) -> list[dict[str, Any]]:
    """Run the pairs of a file one after another; each result has ``seconds``, ``size`` and ``arguments`` if found."""
    context = multiprocessing.get_context("fork")
    pairs = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if limit is not None and limit < len(pairs):
        pairs = [pairs[index * len(pairs) // limit] for index in range(limit)]
    results: list[dict[str, Any]] = []
    for pair in pairs:
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(pair, seconds, seed, theirs))
        process.start()
        found = ours.recv() if ours.poll(10.0 * seconds + 4.0 * SHRINK_SECONDS) else {}
        process.kill()
        process.join()
        results.append({"identifier": pair["id"], **found})
    return results
