"""What syncheck says of samples, as data."""

from __future__ import annotations

import pytest

from lsp_evalplus.bench.problem import Family, Problem
from lsp_evalplus.bench.samples.samples import Sample
from lsp_evalplus.bench.samples.syntax_check import check_samples, defines, find_syntax_error


def problem(task_id: str, entry: str) -> Problem:
    return Problem(task_id, f"def {entry}(x):\n", entry, "    return x\n", "", [], [], 0, Family.CUSTOM)


PROBLEMS = {"A/0": problem("A/0", "f"), "A/1": problem("A/1", "g"), "A/2": problem("A/2", "h")}


def test_each_fault_is_told_once() -> None:
    samples = [
        Sample("A/0", 0, "def f(x):\n    return x\n", "line 1"),
        Sample("A/0", 1, "def f(x)\n    return x\n", "line 2"),
        Sample("A/1", 0, "def other(x):\n    return x\n", "line 3"),
    ]

    report = check_samples(samples, PROBLEMS, expected=2)

    assert report.missing == ["A/2"]
    assert report.short == {"A/1": 1}
    assert not report.complete
    assert [(fault.where, fault.problem) for fault in report.undefined] == [("line 3", "does not define g")]
    assert [fault.where for fault in report.uncompilable] == ["line 2"]
    assert report.uncompilable[0].problem.startswith("line 1: ")


@pytest.mark.parametrize(
    "program",
    [
        "import os\rdef f(x):\r    return x\r",
        "import os\r\n\rdef f(x):\n    return x\r\n",
        "\ufeffdef f(x):\n    return x\n",
    ],
)
def test_what_python_reads_in_a_file_is_no_fault(program: str) -> None:
    report = check_samples([Sample("A/0", 0, program, "line 1")], PROBLEMS)
    assert not report.uncompilable
    assert not report.undefined


def test_a_whole_set_is_complete() -> None:
    samples = [Sample(task, 0, f"def {p.entry_point}(x):\n    return x\n", "x") for task, p in PROBLEMS.items()]

    report = check_samples(samples, PROBLEMS)

    assert report.complete
    assert not report.uncompilable
    assert not report.undefined


@pytest.mark.parametrize(
    ("program", "compiles"),
    [
        ("", True),
        ("x = '\\d'\n", True),
        ("return 1\n", False),
        ("def f(:\n", False),
        ("x = 1\0", False),
        ("(" * 1000, False),
        ("x = " + "-" * 100_000 + "1", False),
        ("x = '\ud800'", False),
    ],
)
def test_compilability(program: str, compiles: bool) -> None:
    assert (find_syntax_error(program) is None) is compiles


@pytest.mark.parametrize(
    ("program", "defined"),
    [
        ("def f(): pass\n", True),
        ("f = abs\n", True),
        ("from m import f\n", True),
        ("try:\n    def f(): pass\nfinally:\n    pass\n", True),
        ("def g():\n    def f(): pass\n", False),
        ("class C:\n    def f(self): pass\n", False),
    ],
)
def test_definition(program: str, defined: bool) -> None:
    assert defines(program, "f") is defined
