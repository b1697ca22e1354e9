"""A sample that takes all the memory it gets fails alone, and no process of a run takes more than its limit."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from ... import forked

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="the limit is that of Linux")]

SCRIPT = forked.SCRIPT
LIMIT = 512 << 20
SPARE = 256 << 20
TASK = {
    "task_id": "Memory/0",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "canonical_solution": "    return [x]\n",
    "contract": "",
    "base_input": [[1], [2]],
    "plus_input": [[3], [4]],
    "atol": 0,
}
BOMBS = {
    "text": "    return 'x' * (450 << 20)\n",
    "bytes": "    return b'x' * (450 << 20)\n",
    "numbers": "    return list(range(4_500_000))\n",
    "mapping": "    return {number: str(number) for number in range(1_000_000)}\n",
    "one large number": "    return 1 << (1 << 31)\n",
    "nested": "    for _ in range(1_500_000):\n        x = [x]\n    return x\n",
    "until it fails": "    kept = []\n    while True:\n        kept.append(b'x' * (32 << 20))\n",
    "again and again": (
        "    kept = []\n    while True:\n        try:\n            kept.append(b'x' * (32 << 20))\n"
        "        except MemoryError:\n            pass\n"
    ),
    "anonymous mappings": (
        "    import mmap\n    kept = []\n    while True:\n        kept.append(mmap.mmap(-1, 32 << 20))\n"
        "        kept[-1].write(b'x' * (32 << 20))\n"
    ),
    "printed": "    while True:\n        print('x' * (1 << 20))\n",
}
RIGHT = "def f(x):\n    return [x]\n"


@pytest.mark.parametrize(
    "details", [pytest.param((), marks=pytest.mark.further), ("--test-details",)], ids=["", "every input"]
)
def test_no_process_takes_more_than_its_limit(
    details: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tasks.jsonl").write_text(json.dumps(TASK) + "\n")
    sources = ["def f(x):\n" + body for body in BOMBS.values()] + [RIGHT]
    samples = [{"task_id": TASK["task_id"], "solution": source} for source in sources]
    (tmp_path / "samples.jsonl").write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    environment = {**os.environ, "EVALPLUS_MAX_MEMORY_BYTES": str(LIMIT), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    arguments = [
        str(SCRIPT),
        "bench",
        "--dataset",
        "tasks.jsonl",
        "--samples",
        "samples.jsonl",
        "--jobs",
        "2",
        *details,
    ]

    with (tmp_path / "output").open("wb") as output:
        actions = [(os.POSIX_SPAWN_DUP2, output.fileno(), 1), (os.POSIX_SPAWN_DUP2, output.fileno(), 2)]
        pid = os.posix_spawn(arguments[0], arguments, environment, file_actions=actions)
        # Of the process and of all that it waited for, the guests among them.
        _, status, usage = os.wait4(pid, 0)

    assert os.waitstatus_to_exitcode(status) == 0, (tmp_path / "output").read_text()
    (group,) = json.loads((tmp_path / "samples_eval_results.json").read_text())["eval"].values()
    verdicts = {name: one["base_status"] for name, one in zip([*BOMBS, "right"], group, strict=True)}
    assert {name for name, verdict in verdicts.items() if verdict == "pass"} == {"right"}
    assert LIMIT // 2 < usage.ru_maxrss * 1024 < LIMIT + SPARE
