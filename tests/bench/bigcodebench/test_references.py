"""The cache of BigCodeBench's references: runs that save at the same time keep what each of them has found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from lsp_evalplus.bench.bigcodebench.outcome import Reference
from lsp_evalplus.bench.bigcodebench.references import ReferenceCache, Surroundings
from lsp_evalplus.bench.datasets.bigcodebench import Task

SURROUNDINGS = Surroundings("distributions", "3.11.7", 1 << 30, 60.0)


def task(number: int) -> Task:
    return Task(f"BigCodeBench/{number}", f"prompt {number}", "", "", "    pass\n", "", "task_func", ())


def save(cache: ReferenceCache, number: int) -> None:
    cache.save({f"BigCodeBench/{number}": task(number)}, {f"BigCodeBench/{number}": Reference({"test": "pass"}, 0.1)})


def known(folder: Path, numbers: range) -> list[int]:
    found = ReferenceCache(folder, SURROUNDINGS).load([task(number) for number in numbers])
    return [number for number in numbers if f"BigCodeBench/{number}" in found]


def test_a_run_keeps_what_another_one_has_saved_meanwhile(tmp_path: Path) -> None:
    first, second = (ReferenceCache(tmp_path, SURROUNDINGS) for _ in range(2))
    assert not first.load([task(1)])
    assert not second.load([task(1)])

    save(first, 1)
    save(second, 2)
    save(first, 3)

    assert known(tmp_path, range(1, 4)) == [1, 2, 3]


def test_processes_that_save_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    """Each saves twenty times; between reading and writing, another one may have written."""
    source = (
        "import runpy, sys\nfrom pathlib import Path\n"
        "names = runpy.run_path(sys.argv[1])\n"
        "cache = names['ReferenceCache'](Path(sys.argv[2]), names['SURROUNDINGS'])\n"
        "for number in range(int(sys.argv[3]), int(sys.argv[3]) + 20):\n    names['save'](cache, number)\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", source, __file__, str(tmp_path), str(start)]) for start in (0, 20, 40)
    ]

    assert [one.wait() for one in running] == [0, 0, 0]
    assert known(tmp_path, range(60)) == list(range(60))
