"""The pure parts of released.py: which functions it takes, what counts as spoken, what it tells."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import released
from package_code import Project, functions_in
from released import Answer

STATED = {
    "def f(x): return x": False,
    "def f(x=1, *args, key=None, **rest): return x": False,
    "def f(x): 'Its argument.'; return x": True,
    "def f(x: int): return x": True,
    "def f(*args: int): return args": True,
    "def f(**rest: int): return rest": True,
    "def f(*, key: int): return key": True,
    "def f(x) -> int: return x": True,
}


def target(name: str, verdict: str, kind: str | None, reason: str = "") -> dict[str, Any]:
    oracle = None if kind is None else {"kind": kind, "source": kind}
    return {"path": "a.py", "name": name, "verdict": verdict, "oracle": oracle, "reason": reason, "level": None}


@pytest.mark.parametrize("source", STATED)
def test_a_docstring_or_a_type_states_something(tmp_path: Path, source: str) -> None:
    path = tmp_path / "a.py"
    path.write_text(source)
    (drawn,) = functions_in(path)
    assert released.is_stated(drawn.node) is STATED[source]


def test_whole_files_are_taken_until_there_are_enough_functions(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.py" for name in "abcd"]
    for path in paths[1:]:
        path.write_text("def f(): return 1\ndef g() -> int: return 1\n")
    paths[0].write_text("A = 1\n")
    project = Project(tmp_path, paths, has_sdist=True)
    taken = released.chosen_files(project, 3, "seed")
    assert len(taken) == 2
    assert set(taken) < set(paths[1:])
    assert all(functions == {"f": False, "g": True} for functions in taken.values())
    assert released.chosen_files(project, 3, "seed") == taken
    assert set(released.chosen_files(project, 100, "seed")) == set(paths[1:])


def test_the_tables_count_who_spoke_and_list_what_was_found(tmp_path: Path) -> None:
    targets = [
        target("f", "agrees", "examples"),
        target("g", "differs", "examples", "g(1) returns 2"),
        target("h", "agrees", "return"),
        target("i", "not_checked", None, "it touches files: open('a')"),
        target("bare", "agrees", "examples"),
    ]
    stated = {f"a.py::{name}": name != "bare" for name in ("f", "g", "h", "i", "bare")}
    answer = Answer("a 1.0", stated, targets, "", 10.0, 5.0)
    (tmp_path / "a-1.0.json").write_text(json.dumps(asdict(answer)))
    answers = released.read(tmp_path, ["a==1.0", "b==2.0"])
    assert answers == [answer]
    failed = Answer("b 2.0", {}, [], "exit code 2: no such file", 1.0, 1.0)
    lines = list(released.tell([*answers, failed]))
    for line in (
        "| functions checked | 5 |",
        "| with docstring or types | 4 |",
        "| of these: default oracles spoke | 3 of 4 (75 %) |",
        "| of these: an oracle of results spoke | 2 of 4 (50 %) |",
        "| findings | 1 |",
        "| examples | 2 | 1 |",
        "| return | 1 | 0 |",
        "| it touches files, the network, processes or the terminal | 1 |",
        "FINDING None a 1.0 a.py::g: g(1) returns 2",
        "FAILED b 2.0: exit code 2: no such file",
    ):
        assert line in lines, line
