"""Programs that share a process give what each of them gives alone, whatever came before them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from lsp_evalplus.fuzz.guest.values.copies import FreshInputs
from lsp_evalplus.fuzz.guest.values.marshal_codec import write_marshalled

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs processes that fork")

DRIVER = """
import json, os, resource, sys
from lsp_evalplus.fuzz.guest.jobs import batch, outputs
from lsp_evalplus.fuzz.guest.program.inputs import prepare_inputs

class Pipe:
    def __init__(self, descriptor):
        self._descriptor = descriptor
    def send(self, message, *, more=False):
        data = (json.dumps(message) + "\\n").encode()
        while data:
            data = data[os.write(self._descriptor, data):]

def run(job, request):
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        try:
            job.run(request, Pipe(writing))
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading) as replies:
        said = [json.loads(line) for line in replies]
    os.waitpid(pid, 0)
    return said

batch._LONG_SECONDS = 60.0  # So that a busy machine does not dissolve a batch.
order = json.load(sys.stdin)
request = {**order["request"], "provided": prepare_inputs({"marshalled": order["inputs"]})}
programs = [{"source": source, "qualname": "f"} for source in order["sources"]]
alone = [run(outputs, {**request, "program": program}) for program in programs]
groups = [run(batch, {**request, "programs": [programs[i] for i in group]}) for group in order["groups"]]
print(json.dumps([alone, groups]))
"""
INPUTS: list[list[list[Any]]] = [[[3, 1, 2]], [[[1, 2], [3]]], [[]], [[5, 5]]]

PROBES = {
    "changes its input": "def f(x):\n    x.append(1)\n    return x\n",
    "changes what is in its input": "def f(x):\n    for y in x:\n        if isinstance(y, list):\n"
    "            y.clear()\n    return x[::-1]\n",
    "gives its input back": "def f(x):\n    return x\n",
    "how deep it may go": "def g(n):\n    try:\n        return g(n + 1)\n    except RecursionError:\n        return n\n"
    "def f(x):\n    return g(0)\n",
    "how deep it may go while it is loaded": "def g(n):\n    try:\n        return g(n + 1)\n"
    "    except RecursionError:\n        return n\nassert g(0) != 7\ndef f(x):\n    return len(x)\n",
    "order of a set": "def f(x):\n    return list({'a', 'b', 'c', 'd', len(x), 1.5})\n",
    "its name": "def f(x):\n    return [__name__, f'{x}']\n",
    "prints": "def f(x):\n    print('hello', x, flush=True)\n    return print(end='')\n",
    "raises": "def f(x):\n    return x[0] + 1\n",
    "exact numbers": "from decimal import Decimal\nfrom fractions import Fraction\ndef f(x):\n"
    "    return [str(Decimal(1) / 3), str(Fraction(len(x), 6))]\n",
    "what the cache of patterns would hide": "import re\ndef f(x):\n    return re.findall('a+', 'caab', 0.0)\n",
    "what the cache of types would hide": "from typing import List\ndef f(x):\n    return repr(List[list[True]])\n",
    "a generator": "def f(x):\n    yield from x\n",
    "catches everything": "def f(x):\n    try:\n        while not x:\n            pass\n    except:\n        return 1\n"
    "    return 2\n",
    "has no f": "def g(x):\n    return x\n",
    "is no Python": "def f(x)\n    return x\n",
    "starts with a mark": "\ufeffdef f(x):\n    return 1\n",
}
NASTY = {
    "loops": "def f(x):\n    while True:\n        pass\n",
    "swallows": "def f(x):\n    n = 0\n    while n < 3:\n        try:\n            while True:\n                pass\n"
    "        except:\n            n += 1\n    return x\n",
    "recurses": "def f(x):\n    return f(x)\n",
    "recurses in C": "def f(x):\n    y = []\n    for i in range(100000):\n        y = [y]\n    return repr(y)\n",
    "deep result": "def f(x):\n    y = []\n    for i in range(100000):\n        y = [y]\n    return y\n",
    "raises at load": "def f(x):\n    return x\nassert 1 == 2\n",
    "ends itself at load": "def f(x):\n    raise SystemExit(3)\nf(1)\n",
    "ends itself": "def f(x):\n    raise SystemExit(3)\n",
    "interrupts": "def f(x):\n    raise KeyboardInterrupt\n",
    "large result": "def f(x):\n    return ['y' * 70000, list(range(20000))]\n",
    "too large": "def f(x):\n    return ['y' * 1000000] * 50\n",
    "a cycle": "def f(x):\n    x.append(x)\n    return x\n",
    "prints much": "def f(x):\n    for i in range(2000):\n        print('y' * 1000)\n    return x\n",
    "a generator under way": "def g():\n    while True:\n        yield 1\ndef f(x):\n    y = g()\n"
    "    z = [y, next(y)]\n    z.append(z)\n    return 1\n",
    "fills the caches": "import re\nfrom typing import List\ndef f(x):\n    List[list[1]]\n"
    "    return re.findall('a+', 'caab')\n",
    "flags": "from decimal import Decimal\ndef f(x):\n    try:\n        Decimal(1) / Decimal(0)\n"
    "    except ArithmeticError as e:\n        return [str(Decimal('1e999999') * 10 ** 9), repr(e.args)]\n",
    "raises while it closes its loop": "def f(x):\n    e = None\n    try:\n        raise ValueError(x)\n"
    "    except ValueError as error:\n        e = error\n    raise KeyError(e) from e\n",
    "shadows": "def print(*x):\n    return x\nlen = 3\nValueError = None\ndef f(x):\n    return print(len)\n",
}
ELSEWHERE = {
    "imports": "import os\ndef f(x):\n    os._exit(3)\n",
    "makes a class": "class A:\n    pass\ndef f(x):\n    return 1\n",
    "a list of the module": "seen = []\ndef f(x):\n    seen.append(x)\n    return len(seen)\n",
    "what a decorator keeps": "def once(g):\n    seen = []\n    def h(x):\n        seen.append(x)\n"
    "        return len(seen)\n    return h\n@once\ndef f(x):\n    return 1\n",
    "a default value": "def f (x, y=(), seen=[]):\n    seen.append(x)\n    return len(seen)\n",
    "lacks memory": "def f(x):\n    return bytes(1 << 40)\n",
    "lacks memory while it is loaded": "x = 0\nassert [0] * (1 << 40)\ndef f(x):\n    return 1\n",
    "may have lacked memory": "def f(x):\n    try:\n        return len([7] * (36 << 20 if x else 3))\n"
    "    except:\n        return 0\n",
}


def ask(sources: list[str], groups: list[list[int]], inputs: list[Any], **request: Any) -> tuple[Any, Any]:
    """What each program says alone, and what each batch says."""
    return read(run(sources, groups, inputs, **request))


def read(said: str) -> tuple[Any, Any]:
    """The same from what `run` returned."""
    alone, companies = json.loads(said)
    return [told(replies) for replies in alone], [in_batch(replies) for replies in companies]


def run(sources: list[str], groups: list[list[int]], inputs: list[Any], **request: Any) -> str:
    """Let each program run alone, and each batch, in a process that is like a zygote."""
    order = {
        "sources": sources,
        "groups": groups,
        "inputs": write_marshalled(inputs),
        "request": {
            "per_call_seconds": 0.2,
            "load_seconds": 1.0,
            "indices": [0, len(inputs)],
            "is_range": True,
            "stop_from": len(inputs),
            "stop_at_timeout": True,
            "limits": {"depth": 100, "nodes": 100_000, "size": 10_000_000},
            **request,
        },
    }
    ran = subprocess.run(
        [sys.executable, "-c", DRIVER], input=json.dumps(order), capture_output=True, text=True, timeout=280, check=True
    )
    return ran.stdout


def told(replies: list[Any]) -> list[Any]:
    """What a program gave: its outcomes, or why it was not loaded."""
    found: list[Any] = []
    for reply in replies:
        found += reply["outcomes"] if "outcomes" in reply else [reply["load_error"]] if "load_error" in reply else []
    return found


def in_batch(replies: list[Any]) -> dict[int, list[Any]]:
    """What the programs gave that came to their ends, by place."""
    reports = [report for reply in replies for report in reply["reports"]]
    done = [report["of"] for report in reports if report.get("done")]
    assert len(done) == len(set(done))
    return {place: told([report for report in reports if report["of"] == place]) for place in done}


@pytest.fixture(scope="module")
def probed(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> tuple[Any, Any]:
    """All probes alone, then in a batch, and in a batch the other way round."""
    probes = list(range(len(PROBES)))
    return once("probed", tmp_path_factory, worker_id, [*PROBES.values()], [probes, probes[::-1]])


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> tuple[Any, Any]:
    """All programs alone, then each that may be one of a batch with all probes after it."""
    sources = [*PROBES.values(), *NASTY.values(), *ELSEWHERE.values()]
    groups = [[n, *QUICK] for n in range(len(PROBES), len(sources))]
    return once("said", tmp_path_factory, worker_id, sources, groups)


def once(
    name: str, factory: pytest.TempPathFactory, worker_id: str, sources: list[str], groups: list[list[int]]
) -> tuple[Any, Any]:
    """What `ask` gives: that takes long, so processes that share the tests of this module do it once."""
    base = factory.getbasetemp()
    kept = (base if worker_id == "master" else base.parent) / f"{name}.json"
    with locked(kept.with_suffix(".lock")):
        if not kept.exists():
            kept.write_text(run(sources, groups, INPUTS), encoding="utf-8")
    return read(kept.read_text(encoding="utf-8"))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock between processes."""
    import fcntl

    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


QUICK = [place for place, name in enumerate(PROBES) if name != "catches everything"]
ALL = [*PROBES, *NASTY, *ELSEWHERE]


@pytest.mark.parametrize("name", PROBES)
def test_a_program_in_batch(name: str, probed: tuple[Any, Any]) -> None:
    alone, (batch, reversed_batch) = probed
    place = ALL.index(name)

    assert batch[place] == alone[place]
    assert reversed_batch[len(PROBES) - 1 - place] == alone[place]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NASTY, *ELSEWHERE])
def test_what_comes_before_makes_no_difference(name: str, said: tuple[Any, Any]) -> None:
    alone, companies = said
    place = ALL.index(name)
    found = companies[place - len(PROBES)]

    assert found.pop(0, None) == (alone[place] if name in NASTY else None)
    if name == "may have lacked memory":
        assert not found, "and those after it would lack more"
        return
    assert found == {1 + place: alone[probe] for place, probe in enumerate(QUICK)}


def test_no_probe_is_trivial(probed: tuple[Any, Any]) -> None:
    """The probes see what they are made to see."""
    alone = dict(zip(PROBES, probed[0], strict=True))
    assert alone["what the cache of patterns would hide"][0]["text"].startswith("TypeError")
    assert alone["what the cache of types would hide"][0] == '"typing.List[list[True]]"'
    assert alone["catches everything"][2]["kind"] == "timed_out"


@pytest.mark.slow
def test_nothing_is_trivial(said: tuple[Any, Any]) -> None:
    """The others do what they are made to do."""
    alone = dict(zip(ALL, said[0], strict=True))
    assert alone["loops"][0]["kind"] == "timed_out"
    assert len(alone["loops"]) == 1
    assert alone["a list of the module"] == ["1", "2", "3", "4"]
    assert alone["lacks memory"][0]["text"].startswith("MemoryError")
    assert "MemoryError" in alone["lacks memory while it is loaded"][0]["message"]
    assert len(alone["large result"][0]["digest"]) == 64
    assert alone["too large"][0]["kind"] == "too_much_output"


def test_inputs_that_cannot_be_copied_are_for_nobody() -> None:
    alone, (batch, rest) = ask([PROBES["gives its input back"]], [[0], [0]], [[{16, 1, 3, 9, 24}], [[1]]])
    assert len(alone[0]) == 2
    assert batch == rest == {}


@pytest.mark.parametrize(
    ("value", "can"),
    [
        ([1, "a", None], True),
        ([[1], ([2], {"k": [3]})], True),
        ({(1, frozenset({2})): [1]}, True),
        ((), True),
        ([{1}], False),
        ([1, [2, ({"k": set[int]()},)]], False),
        (bytearray(b"x"), False),
    ],
)
def test_fresh_inputs(value: Any, can: bool) -> None:
    inputs = FreshInputs([((value, 1), {})])
    assert inputs.can_copy([0]) == can
    if can:
        (first, _), _ = inputs[0]
        (second, _), _ = inputs[0]
        assert first == second == value
        for one, other in ((first, second), (first, value)):
            assert not changeable(one) & changeable(other)


def changeable(value: Any) -> set[int]:
    """The identities of the lists and dicts in a value."""
    if isinstance(value, dict):
        known = cast("dict[Any, Any]", value)
        return {id(known)}.union(*map(changeable, [*known, *known.values()]))
    if isinstance(value, (list, tuple, frozenset)):
        items = cast("list[Any]", value)
        own = {id(items)} if isinstance(value, list) else set[int]()
        return own.union(*map(changeable, items))
    return set()
