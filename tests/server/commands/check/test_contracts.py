"""`check` on contracts of real packages, and on the weakest oracles: what is found and how it is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ..conftest import Run

CASES = {
    "icontract": (
        (
            "import icontract\n\n"
            "@icontract.require(lambda x: x > 0)\n@icontract.ensure(lambda result, x: result > x)\n"
            "def f(x: int) -> int:\n    return x + 1 if x != 30 else 0\n"
        ),
        [],
        "f(30) breaks its contract (icontract): result > x.",
    ),
    "deal": (
        (
            "import deal\n\n@deal.pre(lambda x: x > 0)\n@deal.post(lambda result: result > 0)\n"
            "def f(x: int) -> int:\n    return x - 1\n"
        ),
        [],
        "f(1) breaks its contract (deal): expected result > 0 (where result=0).",
    ),
    "pep316": (
        (
            "def f(xs: list[int]) -> int:\n    '''\n    pre: len(xs) > 0\n    post: __return__ in xs\n    '''\n"
            "    return max(xs + [0])\n"
        ),
        [],
        "f([-1]) breaks its contract (pep316): post: __return__ in xs.",
    ),
    "asserts": (
        "def f(a, b):\n    assert b > 0\n    r = a % b if a < 5 else -1\n    assert r >= 0\n    return r\n",
        [],
        "f(5, 1) breaks its contract (assert): assert r >= 0 (where r=-1).",
    ),
    "asserts with a text": (
        (
            "def f(xs: list[int]):\n    assert xs\n    r = xs[1:]\n"
            "    assert (\n        len(r) == len(xs)\n    ), 'size'\n    return r\n"
        ),
        [],
        "f([0]) breaks its contract (assert): size (where len(r)=0, len(xs)=1).",
    ),
    "endless": (
        "def f(n: int) -> int:\n    'f(3) == 3'\n    while n:\n        pass\n    return n\n",
        [],
        "f(3) does not end (it comes back to an earlier state), but its docstring examples say 3.",
    ),
    "annotation": (
        "def f(x: int) -> str:\n    return x if x == 1 else str(x)\n",
        ["--oracle", "annotation"],
        "f(1) returns 1, which is not what its annotation -> str promises.",
    ),
    "robustness": (
        "def f(xs: list[int]) -> int:\n    return xs[0]\n",
        ["--oracle", "robustness"],
        "f([]) raises IndexError: list index out of range, although its annotations allow this input.",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_broken_promises(case: str, run: Run, project: Path) -> None:
    source, options, sentence = CASES[case]
    (project / "a.py").write_text(source, encoding="utf-8")
    ran = run("check", "a.py", "--python", sys.executable, *options)
    assert ran.code == 1, (ran.out, ran.err)
    assert ran.out.splitlines()[0].endswith(f" {sentence}")


@pytest.mark.parametrize(
    "source",
    [
        "def f(xs: list[int]) -> int:\n    '''Raises:\n        IndexError: if empty\n    '''\n    return xs[0]\n",
        "def f(x: int) -> int:\n    if x < 0:\n        raise ValueError(x)\n    return x\n",
    ],
)
def test_documented_and_raised_exceptions_are_no_findings(source: str, run: Run, project: Path) -> None:
    (project / "a.py").write_text(source, encoding="utf-8")
    assert run("check", "a.py", "--oracle", "robustness").code == 0


def test_own_preconditions_bound_the_inputs_of_a_reference(run: Run, project: Path) -> None:
    (project / "right.py").write_text("def absolute(n: int) -> int:\n    return abs(n)\n")
    text = "# lsp-evalplus: reference=right.py::absolute\ndef absolute(n: int) -> int:\n{}    return n\n"
    (project / "mine.py").write_text(text.format(""))
    assert "absolute(-1)" in run("check", "mine.py").out
    (project / "mine.py").write_text(text.format('    assert n >= 0, "only natural numbers"\n'))
    ran = run("check", "mine.py", "--format", "json")
    assert [t["verdict"] for t in ran.json["targets"]] == ["agrees"]
    assert ran.json["targets"][0]["rejected"] > 0


def test_a_contract_is_not_held_against_what_annotations_exclude(run: Run, project: Path) -> None:
    docstring = "'''\n    pre: len(xs) > 0\n    post: len(__return__) == len(xs)\n    '''"
    (project / "a.py").write_text(f"def f(xs: list[int]) -> list[int]:\n    {docstring}\n    return sorted(xs)\n")
    assert run("check", "a.py").code == 0
