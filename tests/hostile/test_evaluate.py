"""Every hostile program through the lowest gate: the `evaluate` job, judged by its host."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from lsp_evalplus.fuzz.guest.values.plain import PlainError, decode
from lsp_evalplus.fuzz.host.confinement import Confinement, Container
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import Ending, EndingKind, Job, collect
from lsp_evalplus.fuzz.host.scratch import PREFIX

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="the full sandbox is Linux's")]

INPUTS = [(1, 2), (0, 0), (-5, 7), (10**20, 1), (1234, 4321)]
WALL_SECONDS = 4.0
AT_ONCE = 4
PATIENCE = 10
"""Factor of every limit for programs that are right: a busy machine makes them slow, and none waits for a limit."""


@dataclass
class Verdict:
    """What became of one program."""

    passed: bool
    ending: Ending
    replies: list[Any]
    seconds: float


async def judge(pool: GuestPool, source: str, patience: float) -> Verdict:
    job = Job(
        "evaluate",
        {
            "program": {"source": source, "qualname": "add"},
            "arguments": [repr(arguments) for arguments in INPUTS],
            "per_call_seconds": 0.5 * patience,
            "load_seconds": 1.0 * patience,
        },
        wall_seconds=WALL_SECONDS * patience,
        stall_seconds=1.5 * patience,
    )
    began = time.monotonic()
    run = pool.start(job)
    replies = await collect(run)
    outcomes = {reply["index"]: reply["outcome"] for reply in replies if "index" in reply}
    return Verdict(
        passed=run.ending.kind is EndingKind.FINISHED
        and all(_is_right(outcomes.get(index), x + y) for index, (x, y) in enumerate(INPUTS)),
        ending=run.ending,
        replies=replies,
        seconds=time.monotonic() - began,
    )


def _is_right(outcome: Any, expected: int) -> bool:
    if outcome is None or outcome["kind"] != "returned":
        return False
    try:
        value = decode(outcome["value"])
    except PlainError:
        return False
    return type(value) is int and value == expected


async def judge_all(
    behaviours: list[Any], prey: Any, python: str = sys.executable, **confinement: Any
) -> dict[str, Verdict | BaseException]:
    interpreter = find_interpreter(python, Path())
    async with GuestPool(interpreter, Confinement(memory_bytes=2 << 30, **confinement), size=AT_ONCE) as pool:
        tasks = [
            judge(pool, prey.fill(behaviour.source), PATIENCE if behaviour.verdict == "right" else 1)
            for behaviour in behaviours
        ]
        results = await asyncio.gather(*tasks, return_exceptions=True)
    return dict(zip((behaviour.name for behaviour in behaviours), results))


@pytest.fixture(scope="module")
def verdicts(prey: Any, behaviours: list[Any], private_temporary: Path) -> dict[str, Verdict | BaseException]:
    return asyncio.run(judge_all(behaviours, prey))


@pytest.mark.timeout(300)
def test_verdict(behaviour: Any, verdicts: dict[str, Any], prey: Any) -> None:
    verdict = verdicts[behaviour.name]

    assert not isinstance(verdict, BaseException), verdict
    assert verdict.passed == (behaviour.verdict == "right"), (verdict.ending, verdict.replies[:2])
    assert verdict.seconds < 15 * WALL_SECONDS
    assert prey.harm == {}


REAL_IN_CONTAINERS = {"fork bomb", "folders that cannot be entered"}
"""Right elsewhere since forks are refused and modes pretended."""
LAYERS: list[dict[str, Any]] = [
    {"namespaces": True},
    {"without": ("landlock",)},
]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("confinement", LAYERS, ids=["namespaces and landlock", "namespaces alone"])
def test_other_layers_hold_too(
    confinement: dict[str, Any], some_behaviours: list[Any], prey: Any, private_temporary: Path
) -> None:
    found = asyncio.run(judge_all(some_behaviours, prey, **confinement))
    sample = next(iter(found.values()))
    assert isinstance(sample, Verdict)
    if sample.ending.layers["namespaces"] != "on":
        pytest.skip(f"this system allows no user namespaces: {sample.ending.layers['namespaces']}")
    check_all(some_behaviours, found)
    assert prey.harm == {}
    assert os.listdir(private_temporary) == []


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_containers_hold_too(some_behaviours: list[Any], prey: Any, private_temporary: Path) -> None:
    """What fails elsewhere for want of processes, sockets or modes may work in there: then it reaches nobody."""
    found = asyncio.run(judge_all(some_behaviours, prey, container=Container()))
    faults = {name: verdict for name, verdict in found.items() if isinstance(verdict, BaseException)}
    assert faults == {}
    sample: Any = next(iter(found.values()))
    if sample.ending.layers["container"] != "on":
        pytest.skip(f"this system allows no containers: {sample.ending.layers['container']}")
    right = [behaviour.name for behaviour in some_behaviours if behaviour.verdict == "right"]
    failed = {name for name in right if not cast("Verdict", found[name]).passed}
    assert failed <= REAL_IN_CONTAINERS
    assert prey.harm == {}
    assert [name for name in os.listdir(private_temporary) if name.startswith(PREFIX)] == []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_other_interpreters_are_confined_too(
    other_interpreter: str, some_behaviours: list[Any], prey: Any, private_temporary: Path
) -> None:
    check_all(some_behaviours, asyncio.run(judge_all(some_behaviours, prey, other_interpreter)))
    assert prey.harm == {}
    assert os.listdir(private_temporary) == []


def check_all(behaviours: list[Any], found: dict[str, Any]) -> None:
    faults = {name: verdict for name, verdict in found.items() if isinstance(verdict, BaseException)}
    assert faults == {}
    wrong = {b.name: found[b.name] for b in behaviours if found[b.name].passed != (b.verdict == "right")}
    assert wrong == {}


def test_nothing_is_left(verdicts: dict[str, Any], prey: Any, private_temporary: Path) -> None:
    assert len(verdicts) >= 60
    assert prey.harm == {}
    assert os.listdir(private_temporary) == []
