"""TARGET: files, lines, notebooks and folders; what is left out of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lsp_evalplus.commands.check.files import name_at, names_function, parse_target, python_files
from lsp_evalplus.fuzz.errors import UserError

from ..conftest import Run

TEXT = "X = 1\n\n\n@deco\ndef f(x):\n    return x\n\n\nclass C:\n    y = 1\n\n    def m(self):\n        return 1\n"
WRONG = "def f(x):\n    'f(1) == 2'\n    return x\n"


@pytest.mark.parametrize(("line", "name"), [(4, "f"), (6, "f"), (12, "C.m"), (13, "C.m")])
def test_the_function_at_a_line(line: int, name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(TEXT, encoding="utf-8")
    assert parse_target(f"{path}:{line}") == parse_target(f"{path}:{line}:5") == (path, name)


def test_a_line_of_an_implementation_that_a_generic_function_registers(tmp_path: Path) -> None:
    """All of them are called ``_``, by which only the last can be named."""
    path = tmp_path / "a.py"
    path.write_text(REGISTERED, encoding="utf-8")
    lines = REGISTERED.split("\n")
    at = {line: parse_target(f"{path}:{number}")[1] for number, line in enumerate(lines, 1) if line.startswith("    ")}
    assert at == {"    return 'any'": "f", "    return 'int'": "f", "    return 'str'": "_", "    return x": "g"}


REGISTERED = """from functools import singledispatch
from typing import overload

@singledispatch
def f(x):
    return 'any'

@f.register
def _(x: int):
    return 'int'

@f.register(str)
def _(x):
    return 'str'

@overload
def g(x: int) -> int: ...

def g(x):
    return x
"""


@pytest.mark.parametrize(("line", "end"), [(1, "a.py::f."), (10, "a.py::C.m."), (99, "at line 99 of a.py.")])
def test_a_line_without_a_function(line: int, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(TEXT, encoding="utf-8")
    with pytest.raises(UserError) as raised:
        parse_target(f"a.py:{line}")
    assert str(raised.value).endswith(end)


def test_a_file_of_such_a_name_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "a:1").write_text(WRONG, encoding="utf-8")
    assert parse_target(str(tmp_path / "a:1")) == (tmp_path / "a:1", None)
    assert not names_function(str(tmp_path / "a:1"))
    assert names_function("b.py:1")


def test_nested_functions_are_the_innermost(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f():\n    def g(x):\n        return x\n    return g(1)\n", encoding="utf-8")
    assert name_at(tmp_path / "a.py", 3).endswith("g")
    assert name_at(tmp_path / "a.py", 4) == "f"


def test_a_notebook(run: Run, project: Path) -> None:
    cells = [{"cell_type": "markdown", "source": "# A"}, {"cell_type": "code", "source": ["%time 1\n", "K = 0"]}]
    cells.append({"cell_type": "code", "source": WRONG.replace("x\n", "x + K\n")})
    (project / "n.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    ran = run("check", "n.ipynb:cell 3:2", "--format", "json")
    (target,) = ran.json["targets"]
    assert (ran.code, target["name"], target["cell"], target["line"]) == (1, "f", 3, 1)
    (project / "broken.ipynb").write_text("{}", encoding="utf-8")
    assert "broken.ipynb is not a notebook" in run("check", "broken.ipynb").err


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ([], {"a.py", "sub/a.py"}),
        (["--no-gitignore"], {"a.py", "sub/a.py", "gen/a.py"}),
        (["--exclude", "sub/"], {"a.py"}),
        (["--exclude", "/a.py", "--exclude", "sub"], set[str]()),
    ],
)
def test_what_is_left_out_of_a_folder(options: list[str], left: set[str], run: Run, project: Path) -> None:
    for name in ("stats.py", "trusted.py"):
        (project / name).unlink()
    (project / ".gitignore").write_text("gen\n", encoding="utf-8")
    for folder in (".", "sub", "gen"):
        (project / folder).mkdir(exist_ok=True)
        (project / folder / "a.py").write_text(WRONG, encoding="utf-8")
    ran = run("check", ".", "--format", "json", *options)
    assert {target["path"] for target in ran.json["targets"]} == left


def test_an_excluded_file_is_told(run: Run) -> None:
    ran = run("check", "stats.py", "--exclude", "sta*")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "Nothing to check: excluded by the setting `exclude` or by --exclude: stats.py.\n"
    assert run("check", ".", "--exclude", "!").err == "lsp-evalplus: --exclude: '!' is no pattern as in .gitignore.\n"


def test_environments_are_no_code_of_a_project(tmp_path: Path) -> None:
    for folder in ("src", "venv/lib", "build", ".hidden"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.py").touch()
    assert list(python_files(tmp_path)) == [tmp_path / "src/a.py"]
