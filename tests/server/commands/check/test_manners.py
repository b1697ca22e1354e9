"""How `check` writes its results: one place and one code in every format, files, limits, colours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.config.codes import all_codes, page_of

from ..conftest import Run

WRONG = "def {name}(x):\n    '{name}(1) == 2'\n    return x\n\n\n"


@pytest.fixture
def two(project: Path) -> Path:
    (project / "two.py").write_text("".join(WRONG.format(name=name) for name in "fg"), encoding="utf-8")
    return project / "two.py"


@pytest.mark.slow
def test_place_and_code_are_the_same_in_every_format(run: Run, two: Path) -> None:
    text = run("check", "two.py::f").out
    (target,) = run("check", "two.py::f", "--format", "json").json["targets"]
    (log,) = run("check", "two.py::f", "--format", "sarif").json["runs"]
    (result,) = log["results"]
    annotation = run("check", "two.py::f", "--format", "github").out
    assert text.startswith("two.py:1:5: example-fails f(1) returns 1")
    assert (target["code"], target["level"], target["line"], target["column"]) == ("example-fails", "error", 1, 5)
    assert (result["ruleId"], result["level"]) == ("example-fails", "error")
    region: dict[str, Any] = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"]) == (1, 5)
    assert annotation.startswith("::error file=two.py,line=1,col=5,title=example-fails f::f(1) returns 1")
    rules = log["tool"]["driver"]["rules"]
    assert rules[result["ruleIndex"]]["id"] == "example-fails"
    assert {rule["id"]: rule["helpUri"] for rule in rules} == {code: page_of(code) for code in all_codes()}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_results_can_go_to_a_file(form: str, run: Run, two: Path) -> None:
    ran = run("check", "two.py", "--format", form, "--output-file", "out/results")
    written = (two.parent / "out/results").read_text(encoding="utf-8")
    assert (ran.code, ran.out, ran.err) == (1, "", "")
    assert "f(1)" in written
    assert "\x1b" not in written
    if form in {"json", "sarif"}:
        json.loads(written)
    assert [one.name for one in (two.parent / "out").iterdir()] == ["results"]


def test_a_file_that_cannot_be_written_is_told(run: Run, two: Path) -> None:
    ran = run("check", "two.py", "--output-file", "two.py/results")
    assert ran.code == 2
    assert ran.err.startswith("lsp-evalplus: --output-file: two.py/results cannot be written: ")
    assert two.read_text(encoding="utf-8").startswith("def f")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "found"), [(["-x"], 1), (["--max-findings", "1"], 1), (["--max-findings", "2"], 2), ([], 2)]
)
def test_a_check_ends_after_so_many_findings(options: list[str], found: int, run: Run, two: Path) -> None:
    ran = run("check", "two.py", "--jobs", "1", *options)
    assert (ran.code, ran.out.count("example-fails")) == (1, found)
    said = "lsp-evalplus: stopped after 1 finding, 1 function not looked at.\n"
    assert ran.err == (said if found == 1 else "")


def test_a_later_finding_is_written_when_the_check_ends_early(run: Run, two: Path) -> None:
    """With two jobs the second function may be done first, while results are written in order."""
    assert run("check", "two.py", "--jobs", "2", "-x").out.count("example-fails") == 1


@pytest.mark.parametrize(
    ("variables", "has_colours"),
    [
        ({"FORCE_COLOR": "1"}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({}, False),
    ],
)
def test_colours_are_as_the_user_wants_them(
    variables: dict[str, str], has_colours: bool, run: Run, two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    out = run("check", "two.py::f").out
    assert out.startswith("\x1b[31mtwo.py:1:5\x1b[0m: example-fails " if has_colours else "two.py:1:5: example-fails ")
