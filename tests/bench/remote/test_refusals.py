"""Workers on machines that are not like the driver's refuse in one sentence, before any program runs."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.bench.judging.verdicts import Rule
from lsp_evalplus.bench.problem import Family, Part, Problem
from lsp_evalplus.bench.remote.node import judge_chunk
from lsp_evalplus.bench.remote.plan import chunk_of, plan_of
from lsp_evalplus.bench.running.evaluate import Options
from lsp_evalplus.bench.running.run import TimeRules
from lsp_evalplus.bench.running.sample_states import Unjudged
from lsp_evalplus.fuzz.host.backend import guest_folder
from lsp_evalplus.fuzz.host.interpreter import find_interpreter

TASK = Problem("Own/1", "def f(x):\n", "f", "    return x\n", "", [(1,)], [(2,)], 0.0, Family.CUSTOM)
STARTS = ("zygote", "spawn", "reading")
"""Modules of the host that ask where the guest is."""
NO_FILTER = """
import errno, os
def call(number, *arguments, _call=call):
    if number in (317, 277):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    return _call(number, *arguments)
"""
"""What a guest says on a kernel that has no filter of system calls."""


def asked(folder: Path, memory: int) -> dict[str, Any]:
    options = Options(
        rule=Rule.STRICT,
        base_only=False,
        test_details=False,
        times=TimeRules(),
        jobs=1,
        memory_bytes=memory,
        interpreter=find_interpreter(sys.executable, Path()),
        cache=folder / "cache",
        output=None,
    )
    return plan_of(options, {})


def chunk() -> dict[str, Any]:
    return chunk_of([Unjudged(TASK, "0", "def f(x):\n    return x\n", (Part.BASE, Part.PLUS))])


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def changed(name: str, value: str) -> Callable[[dict[str, Any]], None]:
    def change(plan: dict[str, Any]) -> None:
        plan["conditions"][name] = value

    return change


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (changed("python", "3.9.1"), "Python: {here}, not 3.9.1)."),
        (changed("distributions", "other"), "installed distributions (their digests): {here}, not other)."),
        (changed("processor", "abacus"), "processor: {here}, not abacus)."),
        (changed("format", "0"), "lsp-evalplus: {here}, not 0)."),
    ],
)
def test_another_machine_refuses(change: Callable[[dict[str, Any]], None], sentence: str, tmp_path: Path) -> None:
    plan = asked(tmp_path, 1 << 30)
    here = dict(plan["conditions"])
    change(plan)
    (name,) = [one for one in here if here[one] != plan["conditions"][one]]

    result = judge_chunk(plan, chunk())

    assert result["refusal"] == "it is not like the driver's machine (" + sentence.format(here=here[name])
    assert result["rows"] == []


@pytest.mark.skipif(sys.platform != "linux", reason="simulates a layer of Linux")
def test_a_machine_without_a_layer_refuses_unless_the_driver_lacks_it_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "guest"
    shutil.copytree(guest_folder(), folder)
    with (folder / "sandbox" / "kernel.py").open("a") as file:
        file.write(NO_FILTER)
    for module in STARTS:
        monkeypatch.setattr(f"lsp_evalplus.fuzz.host.{module}.guest_folder", lambda: str(folder))
    plan = asked(tmp_path, (1 << 30) + 1)

    refused = judge_chunk(plan, chunk())
    judged = judge_chunk({**plan, "layers_off": ["calls"]}, chunk())

    assert refused["refusal"].startswith("its sandbox lacks what the driver's has (calls: ")
    assert refused["refusal"].endswith("; `lsp-evalplus doctor` says more.")
    assert refused["rows"] == []
    assert judged["refusal"] == ""
    assert [digest for digest, _ in judged["rows"]] != []
