"""What programs find when they run: the same however the guest was started, and what evalplus gives them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from lsp_evalplus.bench.running.guest_client import Guests
from lsp_evalplus.bench.running.statefulness import may_remember
from lsp_evalplus.fuzz.host.forkserver import ServerLostError

pytestmark = pytest.mark.slow

TASK = {
    "task_id": "Life/0",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "canonical_solution": "    return [x]\n",
    "contract": "",
    "base_input": [[1], [2], [3]],
    "plus_input": [[4], [5], [6]],
    "atol": 0,
}
ITEMS = {
    "task_id": "Mbpp/769",
    "prompt": "def Diff(a, b):\n",
    "entry_point": "Diff",
    "canonical_solution": "    return list(set(a) ^ set(b))\n",
    "contract": "",
    "base_input": [[[1, 2, 3], [3, 4]]],
    "plus_input": [[[0.5], []], [[1, 2], [1]]],
    "atol": 0,
}
COUNTS = "n = 0\ndef f(x):\n    global n\n    n += 1\n"
ENDS = "    if n == 3:\n        os._exit(0)\n"
RECURSES = "def r(n):\n    return 0 if n == 0 else 1 + r(n - 1)\ndef f(x):\n    r(%d)\n    return [x]\n"
CACHED = (
    "import sys\nfrom functools import lru_cache\nsys.setrecursionlimit(10**6)\n@lru_cache(None)\ndef r(n):\n"
    "    return 0 if n == 0 else 1 + r(n - 1)\ndef f(x):\n    r(20000)\n    return [x]\n"
)
ANYTHING = (
    "class C:\n    def __call__(self, x):\n        return [x]\n    def __getattr__(self, name):\n        return C()\n"
    "f = C()\n"
)
SLOW = (
    "import time\ndef f(x):\n    end = time.process_time() + 0.3\n"
    "    while x in (2, 5) and time.process_time() < end:\n        pass\n"
)
"""Takes longer than a first pass lets it, and less than it may."""
MAY_LACK = (
    "try:\n    import resource\nexcept ImportError:\n    resource = None\n"
    "def f(x):\n    return [x, x] if resource else [x]\n"
)
NAMES = (
    "import os, shutil, subprocess, tempfile, doctest, unittest, multiprocessing, pathlib, logging\n"
    "def f(x):\n    tempfile.gettempdir(), os.cpu_count()\n    return [x]\n"
)
PROGRAMS: list[tuple[str, str, tuple[str, str], tuple[str, str]]] = [
    ("each part begins anew", COUNTS + "    return [x] if n <= 3 else None\n", ("pass", "pass"), ("pass", "pass")),
    ("a mutable default", "def f(x, s=[]):\n    s.append(x)\n    return [x] if len(s) < 4 else s\n",
     ("pass", "pass"), ("pass", "pass")),
    ("reads its input", "def f(x):\n    input()\n    return [x]\n", ("fail", "fail"), ("fail", "fail")),
    ("reads its input while it is loaded", "import sys\nfor line in sys.stdin:\n    pass\ndef f(x):\n    return [x]\n",
     ("fail", "fail"), ("fail", "fail")),
    ("does not mind", "def f(x):\n    try:\n        input()\n    except OSError:\n        pass\n    return [x]\n",
     ("pass", "pass"), ("pass", "pass")),
    ("wrong, then ends", "import os\n" + COUNTS + ENDS + "    return [x] if n == 1 else 7\n",
     ("fail", "fail"), ("fail", "fail")),
    ("right, then ends", "import os\n" + COUNTS + ENDS + "    return [x]\n",
     ("fail", "fail"), ("timeout", "timeout")),
    ("recursion that evalplus lets pass", RECURSES % 960, ("pass", "pass"), ("pass", "pass")),
    ("recursion that evalplus stops", RECURSES % 980, ("fail", "fail"), ("fail", "fail")),
    ("deep recursion through C code", CACHED, ("pass", "pass"), ("pass", "pass")),
    ("an object that has every attribute", ANYTHING, ("pass", "pass"), ("pass", "pass")),
    ("slow and right", SLOW + "    return [x]\n", ("pass", "pass"), ("pass", "pass")),
    ("wrong before it is slow", SLOW + "    return [x] if x not in (1, 4) else [float(x)]\n",
     ("fail", "fail"), ("pass", "pass")),
    ("wrong where it is slow", SLOW + "    return [x] if x != 5 else [5.0]\n", ("pass", "fail"), ("pass", "pass")),
    ("wrong after it was slow", SLOW + "    return [x] if x not in (3, 6) else []\n",
     ("fail", "fail"), ("fail", "fail")),
    ("counts its slow calls", "n = 0\n" + SLOW + "    global n\n    n += 1\n    return [x] if n in (x, x - 3) else n\n",
     ("pass", "pass"), ("pass", "pass")),
    ("opens a file", "def f(x):\n    with open('/dev/null'):\n        return [x]\n",
     ("pass", "pass"), ("fail", "fail")),
    ("asks where it is", "import os\nos.getcwd()\ndef f(x):\n    return [x]\n", ("pass", "pass"), ("fail", "fail")),
    ("asks for where it is later", "import os\ndef f(x):\n    return [x] if x < 5 or os.getcwd() else x\n",
     ("pass", "pass"), ("pass", "fail")),
    ("does without", MAY_LACK, ("fail", "fail"), ("pass", "pass")),
    ("names it only", NAMES, ("pass", "pass"), ("pass", "pass")),
    ("writes bytes", "import sys\ndef f(x):\n    sys.stdout.buffer.write(b'x')\n    return [x]\n",
     ("pass", "pass"), ("fail", "fail")),
    ("writes text", "import sys\ndef f(x):\n    sys.stdout.write('x')\n    sys.stdout.flush()\n    return [x]\n",
     ("pass", "pass"), ("pass", "pass")),
    ("tests itself", "import doctest\ndef f(x):\n    return [x]\ndoctest.testmod()\n",
     ("pass", "pass"), ("fail", "fail")),
    ("exits if it is let", "def f(x):\n    try:\n        exit()\n    except Exception:\n        return [x]\n",
     ("fail", "fail"), ("pass", "pass")),
    ("needs NumPy", "import numpy as np\ndef f(x):\n    return np.array([x]).tolist()\n",
     ("pass", "pass"), ("pass", "pass")),
    ("slow, then needs a file", SLOW + "    if x == 5:\n        open('/dev/null').close()\n    return [x]\n",
     ("pass", "pass"), ("pass", "fail")),
    ("large and wrong", "def f(x):\n    return [x] * 50000\n", ("fail", "fail"), ("fail", "fail")),
]  # fmt: skip
GIVES = "def Diff(a, b):\n    r = set(a) ^ set(b)\n    return %s\n"
COLLECTIONS = [
    ("generator", "(x for x in r)", "pass"),
    ("iterator", "iter(r)", "pass"),
    ("keys", "dict.fromkeys(r).keys()", "pass"),
    ("filter", "filter(lambda x: True, r)", "pass"),
    ("endless", "__import__('itertools').count()", "fail"),
    ("wrong items", "(x + 1 for x in r)", "fail"),
    ("no collection", "7", "fail"),
]


def statuses(path: Path) -> list[tuple[str, str]]:
    (group,) = json.loads(path.read_text())["eval"].values()
    return [(entry["base_status"], entry["plus_status"]) for entry in group]


def judged(folder: Path, task: dict[str, Any], programs: list[str], run: Callable[..., Result], *options: str) -> Path:
    (folder / "tasks.jsonl").write_text(json.dumps(task) + "\n")
    lines = [json.dumps({"task_id": task["task_id"], "solution": program}) for program in programs]
    (folder / "samples.jsonl").write_text("\n".join(lines) + "\n")
    result = run("--dataset", folder / "tasks.jsonl", "--samples", folder / "samples.jsonl", *options)
    assert result.exit_code == 0, result.output
    return folder / "samples_eval_results.json"


@pytest.mark.parametrize("place", [2, 3], ids=["strict", "evalplus"])
@pytest.mark.parametrize("servers", [True, False], ids=["fork server", "guest of its own"])
def test_programs(
    place: int, servers: bool, tmp_path: Path, run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def take_none(*_: Any) -> None:
        raise ServerLostError("there are none here")

    if not servers:
        monkeypatch.setattr(Guests, "_take_server", take_none)
    compat = "strict" if place == 2 else "evalplus"
    path = judged(tmp_path, TASK, [case[1] for case in PROGRAMS], run, "--compat", compat)
    found = dict(zip([case[0] for case in PROGRAMS], statuses(path), strict=True))
    assert found == {case[0]: case[place] for case in PROGRAMS}


def test_the_input_at_which_a_program_failed_is_known_though_it_died(
    tmp_path: Path, run: Callable[..., Result]
) -> None:
    path = judged(tmp_path, TASK, [case[1] for case in PROGRAMS if "then ends" in case[0]], run)
    (group,) = json.loads(path.read_text())["eval"].values()
    assert [entry["base_fail_tests"] for entry in group] == [[[2]], [[3]]]


def test_a_program_with_state_that_died_runs_from_its_beginning_again(
    tmp_path: Path, run: Callable[..., Result]
) -> None:
    """Its first answer has been sent when it dies: the second run may not begin after it."""
    slow = "    if n == 1:\n        import time\n        time.sleep(1)\n"
    program = "import os\n" + COUNTS + slow + ENDS + "    return [x] if n == 1 else 7\n"
    path = judged(tmp_path, TASK, [program], run)
    (group,) = json.loads(path.read_text())["eval"].values()
    assert [entry["base_fail_tests"] for entry in group] == [[[2]]]


def test_a_program_that_no_guest_takes_fails_alone(tmp_path: Path, run: Callable[..., Result]) -> None:
    right = "def f(x):\n    return [x]\n"
    path = judged(tmp_path, TASK, [right, right + "#" * 70_000_000], run)
    assert statuses(path) == [("pass", "pass"), ("fail", "fail")]


@pytest.mark.parametrize("compat", ["strict", "evalplus"])
def test_only_the_items_count_where_the_tests_ask_for_no_more(
    compat: str, tmp_path: Path, run: Callable[..., Result]
) -> None:
    path = judged(tmp_path, ITEMS, [GIVES % case[1] for case in COLLECTIONS], run, "--compat", compat)
    found = dict(zip([case[0] for case in COLLECTIONS], statuses(path), strict=True))
    assert found == {case[0]: (case[2], case[2]) for case in COLLECTIONS}


@pytest.mark.parametrize(
    ("program", "remembers"),
    [
        ("def f(x):\n    y = x\n    return y\n", False),
        ("import math\nfrom typing import List\n\ndef f(x: List[int] = 3) -> int:\n    return x == 4\n", False),
        ('def f(x):\n    return x\n\nif __name__ == "__main__":\n    print(f(1))\nassert f(1) == 1\n', False),
        ("x: int = 3\nname = 'me'  # or you\nminus = -2.5\nsame = str\ndef f(): return x\n", False),
        ("x: list = []\ndef f(): return x\n", True),
        ("x = g()\ndef f(): return x\n", True),
        ("x = 3, []\ndef f(): return x\n", True),
        ('x = """a""".split()\ndef f(): return x\n', True),
        ("x = 'a'.split()\ndef f(): return x\n", True),
        ("a, b = 1, 2\ndef f(): return a\n", True),
        ("def f(x, seen={}):\n    return x\n", True),
        ("def f(\n    x,\n    seen=set(),\n):\n    return x\n", True),
        ("def f(x):\n    f.n = 3\n    return x\n", True),
        ("class C:\n    items = []\ndef f(x): return x\n", True),
        ("@cache\ndef f(x): return x\n", True),
        ("for i in range(3):\n    x = i\ndef f(): return x\n", True),
        ("def f(x):\n    global n\n    return x\n", True),
    ],
)
def test_programs_that_may_remember_are_known(program: str, remembers: bool) -> None:
    assert may_remember(program) is remembers
