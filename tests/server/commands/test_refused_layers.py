"""A system that refuses calls of the confinement: each layer that is off is named, and verdicts stay the same.

The refusals are simulated in a copy of the guest, whose modules for system calls fail as such a system would.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from lsp_evalplus.fuzz.host.backend import guest_folder
from lsp_evalplus.fuzz.host.confinement import Confinement
from lsp_evalplus.fuzz.host.interpreter import find_interpreter
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.host.run import EndingKind, Job, collect

from .conftest import Run

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="simulates layers of Linux")]

STARTS = ("zygote", "spawn", "reading")
"""Modules of the host that ask where the guest is."""
SYSTEM_CALL = """
def call(number, *arguments, _call=call):
    if number in %r:
        raise OSError(errno.%s, os.strerror(errno.%s))
    return _call(number, *arguments)
"""
NO_LIMITS = """
import resource
def _refuse(*_):
    raise ValueError('current limit exceeds maximum limit')
resource.setrlimit = _refuse
"""
REFUSALS = {
    "setrlimit": ("rlimits.py", NO_LIMITS),
    "landlock": ("kernel.py", SYSTEM_CALL % ((444, 445, 446), "ENOSYS", "ENOSYS")),
    "landlock_restrict_self": ("kernel.py", SYSTEM_CALL % ((446,), "EPERM", "EPERM")),
    "seccomp": ("kernel.py", SYSTEM_CALL % ((317, 277), "EINVAL", "EINVAL")),
    "prctl": (
        "kernel.py",
        "def control(option, value):\n    raise OSError(errno.EPERM, os.strerror(errno.EPERM))\n",
    ),
    "user namespaces": (
        "namespaces.py",
        "def _enter_namespaces():\n    raise OSError(errno.EPERM, os.strerror(errno.EPERM))\n",
    ),
}
"""By the call that fails: the module and what is added to it."""
OFF = {
    "setrlimit": {"limits"},
    "landlock": {"tcp", "scope"},
    "landlock_restrict_self": {"files", "tcp", "scope"},
    "seccomp": {"calls"},
    "prctl": {"process"},
    "user namespaces": set[str](),
}
"""The layers that are off then; without Landlock, namespaces guard files."""
SETS = [(name,) for name in REFUSALS] + [("landlock", "user namespaces"), tuple(REFUSALS)]
CODE = '''
def middle(values: list[int]) -> int:
    """
    >>> middle([3, 1, 2])
    2
    """
    return sorted(values)[len(values) // 2] if len(values) < 4 else max(values)


def double(number: int) -> int:
    """
    >>> double(4)
    8
    >>> double(-1)
    -2
    """
    return number + number
'''
TRUSTED = (
    "def middle(values):\n    return sorted(values)[len(values) // 2]\n\ndef double(number):\n    return 2 * number\n"
)
TASK = {
    "task_id": "Refused/0",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "canonical_solution": "    return [x]\n",
    "contract": "",
    "base_input": [[1], [2]],
    "plus_input": [[3]],
    "atol": 0,
}
SAMPLES = (
    "def f(x):\n    return [x]\n",
    "def f(x):\n    return [x] if x < 3 else []\n",
    "def f(x):\n    return 1 / 0\n",
)


@pytest.fixture(params=SETS, ids=" and ".join)
def refused(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """The calls that fail in guests of this test."""
    folder = tmp_path / "guest"
    shutil.copytree(guest_folder(), folder)
    for name in request.param:
        module, source = REFUSALS[name]
        with (folder / "sandbox" / module).open("a") as file:
            file.write("\n" + source)
    with (folder / "sandbox" / "namespaces.py").open("a") as file:
        file.write("\nimport errno, os\n")
    for module in STARTS:
        monkeypatch.setattr(f"lsp_evalplus.fuzz.host.{module}.guest_folder", lambda: str(folder))
    return request.param


def expected_off(refused: tuple[str, ...]) -> set[str]:
    off = set[str]().union(*(OFF[name] for name in refused))
    return off | ({"files", "namespaces"} if {"landlock", "user namespaces"} <= set(refused) else set())


def test_check_and_doctor_name_what_is_off(refused: tuple[str, ...], project: Path, run: Run) -> None:
    (project / "code.py").write_text(CODE)
    (project / "safe.py").write_text(TRUSTED)

    found = run("check", "code.py", "--reference", "safe.py", "--format", "json")
    picture = run("doctor", "--format", "json").json

    assert found.code == 1, found.err
    assert {one["name"]: one["verdict"] for one in found.json["targets"]} == {"middle": "differs", "double": "agrees"}
    off = {name for name, state in picture["sandbox"]["layers"].items() if state != "on"}
    assert off == expected_off(refused)
    assert set(found.json["layers_off"]) == off
    assert all(any(repr(name) in notice for notice in picture["notices"]) for name in off)


@pytest.mark.parametrize("refused", [("setrlimit",)], indirect=True, ids=" and ".join)
async def test_memory_is_watched_from_outside(refused: tuple[str, ...]) -> None:
    """Without the limit of memory, a guest that takes more is ended by who watches it."""
    assert refused
    source = (
        "import time\n"
        "def f():\n"
        "    taken = []\n"
        "    for _ in range(64):\n"
        "        taken.append(b'x' * (16 << 20))\n"
        "        time.sleep(0.01)\n"
        "    time.sleep(1000)\n"
    )
    request = {"program": {"source": source, "qualname": "f"}, "arguments": ["()"], "per_call_seconds": 100}

    async with GuestPool(find_interpreter(sys.executable, Path()), Confinement(memory_bytes=400 << 20), size=1) as pool:
        run = pool.start(Job("evaluate", request, wall_seconds=100))
        await collect(run)

    assert run.ending.kind is EndingKind.FLOODED
    assert run.ending.detail == "more memory than it may have"


def test_bench_judges_the_same_and_names_what_is_off(refused: tuple[str, ...], project: Path, run: Run) -> None:
    (project / "tasks.jsonl").write_text(json.dumps(TASK) + "\n")
    lines = [json.dumps({"task_id": TASK["task_id"], "solution": sample}) for sample in SAMPLES]
    (project / "samples.jsonl").write_text("\n".join(lines) + "\n")

    found = run("bench", "--dataset", "tasks.jsonl", "--samples", "samples.jsonl", "--no-store")

    assert found.code == 0, found.err
    results = json.loads((project / "samples_eval_results.json").read_text())
    (group,) = results["eval"].values()
    assert [(one["base_status"], one["plus_status"]) for one in group] == [
        ("pass", "pass"),
        ("pass", "fail"),
        ("fail", "fail"),
    ]
    assert set(results["lsp_evalplus"]["layers_off"]) == expected_off(refused)
