"""The pure parts of realcode.py: what it draws, which functions a release fixed, what it tells, where it goes on."""

from __future__ import annotations

import ast
import copy
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import cost
import package_code
import realcode
import realcode_tables
from realcode_tables import Result

HERE = Path(__file__).parent
KINDS = {
    "def f(): return 1": "function",
    "def f(): yield 1": "generator",
    "async def f(): return 1": "async",
    "@contextlib.contextmanager\ndef f(): yield 1": "context manager",
    "@asynccontextmanager\nasync def f(): yield 1": "context manager",
    "class C:\n    def m(self): return 1": "method",
    "class C:\n    def __init__(self): self.x = 1": "constructor",
    "class C:\n    def __len__(self): return 1": "special method",
    "class C:\n    @property\n    def p(self): return 1": "property",
    "class C:\n    @functools.cached_property\n    def p(self): return 1": "property",
    "class C:\n    @classmethod\n    def m(cls): return 1": "class method",
    "class C:\n    @staticmethod\n    def m(): return 1": "static method",
}
NOT_DRAWN = (
    "def f(): ...",
    "def f():\n    'Nothing.'",
    "def f(): raise NotImplementedError",
    "@overload\ndef f(): return 1",
    "class C:\n    @abstractmethod\n    def m(self): return 1",
    "class C:\n    @x.setter\n    def x(self, value): self.y = 1",
)
A = Result("a 1.0", "a.py", "f", "function", "harmless", "agrees", "no difference in 9 inputs", 1.0)


@pytest.mark.parametrize("source", KINDS)
def test_each_kind_is_drawn(tmp_path: Path, source: str) -> None:
    assert [one.kind for one in drawn(tmp_path / "a.py", source)] == [KINDS[source]]


@pytest.mark.parametrize("source", NOT_DRAWN)
def test_what_has_no_body_is_not_drawn(tmp_path: Path, source: str) -> None:
    assert drawn(tmp_path / "a.py", source) == []


@pytest.mark.parametrize("indent", ["  ", "    ", "\t"])
def test_what_is_rewritten_is_the_same_program(tmp_path: Path, indent: str) -> None:
    text = "class C:\n@def m(self, x):\n@@return '''a\n  b''' + x\n\n@def n(self): return 1\n".replace("@", indent)
    one = drawn(tmp_path / "a.py", text)[0]
    source = package_code.rewritten(one, copy.deepcopy(one.node))
    assert ast.dump(ast.parse(source)) == ast.dump(ast.parse(text))


def test_formatted_texts_over_several_lines_keep_them(tmp_path: Path) -> None:
    text = "class C:\n    def m(self, x):\n        return f'''{x}\n  a'''\n"
    one = drawn(tmp_path / "a.py", text)[0]
    source = package_code.rewritten(one, copy.deepcopy(one.node))
    assert ast.dump(ast.parse(source)) == ast.dump(ast.parse(text))


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("def f(x): return x", "def f(x): return -x", [("f", "fix")]),
        ("def f(x): return x", "def f(x, y=0): return x + y", [("f", "fix, other signature")]),
        ("def f(x): return x", "def f(x):\n    'New words.'\n    return x  # a comment", []),
        ("def g(x): return x", "def f(x): return -x", []),
        ("def f(x): return x\ndef f(x): return 2", "def f(x): return -x", []),
        ("class C:\n    def m(self): return 1", "class C:\n    def m(self): return 2", [("C.m", "fix")]),
    ],
)
def test_fixes_are_bodies_that_differ(tmp_path: Path, older: str, newer: str, expected: list[tuple[str, str]]) -> None:
    paths = tmp_path / "old.py", tmp_path / "new.py"
    for path, text in zip(paths, (older, newer), strict=True):
        path.write_text(text)
    assert [(one.drawn.name, one.change) for one in package_code.fixed_functions(*paths)] == expected


def test_the_lists_are_pinned_and_apart() -> None:
    known, unseen = (
        [line[0] for line in realcode.read_list(HERE / name)]
        for name in ("realcode_packages.txt", "realcode_unseen.txt")
    )
    names = [one.partition("==")[0].lower() for one in (*known, *unseen)]
    assert all("==" in one for one in (*known, *unseen))
    assert len(unseen) >= 40
    assert len(set(names)) == len(names)
    pairs = realcode.read_list(HERE / "realcode_versions.txt")
    assert len(realcode.pairs_of([*known, *unseen], pairs)) == len(pairs)
    for name, older, newer in pairs:
        old, new = ([int(part) for part in version.split(".")] for version in (older, newer))
        assert old[:2] == new[:2], name
        assert old[2] + 1 == new[2], name


def test_results_are_read_again_and_not_made_twice(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    assert realcode_tables.read(path) == realcode_tables.read(None) == []
    slipped = replace(A, change="wrong variable")
    realcode_tables.write(A, path)
    realcode_tables.write(slipped, path)
    with path.open("a") as file:
        file.write('{"package": "half')
    assert realcode_tables.read(path) == [A, slipped]
    # What is written next stands in a line of its own.
    realcode_tables.write(A, path)
    assert realcode_tables.read(path) == [A, slipped, A]
    # Another slip of the same function is the same measurement; one by another tool is not.
    assert slipped.key == replace(A, change="sign").key != A.key
    assert slipped.key != replace(slipped, tool="CrossHair").key


def test_what_a_check_says_becomes_a_result() -> None:
    targets = [{"name": "f", "verdict": "differs", "reason": "f(0) is 1", "counterexample": {"call": "f(0)"}}]
    ended = cost.Ended(1, json.dumps({"targets": targets}), "", 2.346)
    found = realcode.completed(A, ended)
    assert found == replace(A, verdict="differs", reason="f(0) is 1", seconds=2.35, call="f(0)")
    nothing = realcode.completed(A, replace(ended, code=0, output=json.dumps({"targets": []})))
    assert (nothing.verdict, nothing.reason) == ("not_checked", "its older version is the same")
    failed = realcode.completed(A, replace(ended, code=2, errors="no such file\n"))
    assert (failed.verdict, failed.reason) == ("not_checked", "exit code 2: no such file")


def test_the_tables_count_what_was_found() -> None:
    results = [
        A,
        replace(A, name="g", kind="async", verdict="not_checked", reason="it touches files"),
        replace(A, change="sign", verdict="differs"),
        replace(A, name="g", kind="async", change="sign", verdict="not_checked", reason="it touches files"),
        replace(A, change="fix", verdict="differs"),
        replace(A, name="h", change="fix, other signature", verdict="agrees"),
        replace(A, change="sign", verdict="agrees", tool="CrossHair"),
    ]
    text = "\n".join(realcode_tables.tell(results))
    for line in (
        "| reach: harmless changes in 1 packages for which it speaks | 1 of 2 (50 %) |",
        "| false alarms on them | 0 of 2 |",
        "| power: slips found, of all | 1 of 2 (50 %) |",
        "| power: slips found, of those compared | 1 of 1 (100 %) |",
        "| real fixes shown, of all with the same signature | 1 of 1 (100 %) |",
        "| fix, other signature | 0 | 1 | 0 |",
        "| async | 0 | 0 | 1 |",
        "| CrossHair | 0 | 1.0 |",
        "| lsp-evalplus | 1 | 1.0 |",
    ):
        assert line in text.splitlines(), line
    assert realcode_tables.alarms(results) == []
    (alarm,) = realcode_tables.alarms([replace(A, verdict="differs"), *results])
    assert any(line.startswith("FALSE ALARM a 1.0 a.py::f") for line in realcode_tables.tell([alarm]))


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("changes files: shutil.copy(...)", "it touches files, the network, processes or the terminal"),
        (
            "no input was found that the reference accepts; it raises E: 'a'",
            "no input that it accepts: it raises",
        ),
        ("the module cannot be loaded because an import fails: No module named 'a'", "an import fails"),
        ("something new: with 'names' in it", "other: something new…"),
    ],
)
def test_reasons_are_told_without_names(reason: str, told: str) -> None:
    assert told in realcode_tables.general(reason)
    assert "'" not in realcode_tables.general(reason)


def test_the_cost_is_processor_time_and_includes_children() -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    ended = cost.run(
        [sys.executable, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}])"]
    )
    assert ended.code == 0
    assert ended.seconds >= 0.3


def drawn(path: Path, source: str) -> list[package_code.Drawn]:
    path.write_text(source)
    return list(package_code.functions_in(path))
