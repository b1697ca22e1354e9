"""`check --example`: which examples are written into docstrings, and which never are."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from lsp_evalplus.commands.check.giving.giving import Giving
from lsp_evalplus.commands.check.giving.sources import NotWrittenError, Sources, edited
from lsp_evalplus.commands.check.items import Request, collect_items
from lsp_evalplus.commands.check.run import Checked, run_checks
from lsp_evalplus.fuzz.model import Span, Verdict
from lsp_evalplus.server.edits.model import TextEdit

from ..conftest import REFERENCE, Run

LOWER = "# lsp-evalplus: reference=::median\ndef lower(values):\n    '''Lower.'''\n    return min(values)\n"


@pytest.fixture
def find(project: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[Checked]]:
    """The findings of a check, whose file may then be changed."""
    monkeypatch.chdir(project)
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)

    async def check(target: str) -> list[Checked]:
        items = list(collect_items(Request(targets=(target,)), []))
        async with aclosing(run_checks(items, 1)) as results:
            return [checked async for checked in results if checked.report.verdict is Verdict.DIFFERS]

    return lambda target: asyncio.run(check(target))


def doctest(path: Path) -> int:
    return subprocess.run([sys.executable, "-m", "doctest", str(path)], capture_output=True, check=False).returncode


def test_example_fails_on_the_candidate_and_holds_on_the_reference(project: Path, run: Run) -> None:
    ran = run("check", "stats.py::median", "--example", "--format", "json")
    assert ran.code == 1
    assert ran.json["targets"]
    path = project / "stats.py"
    assert ran.err == "lsp-evalplus: wrote the example median([0, 1]) to the docstring of median in stats.py\n"
    text = path.read_text(encoding="utf-8")
    assert '    """\n    >>> median([0, 1])\n    0.5\n    """\n' in text
    assert doctest(path) == 1
    path.write_text(text.replace("sorted(values)[len(values) // 2]", "sum(values) / len(values)"), encoding="utf-8")
    assert doctest(path) == 0


def test_examples_of_one_file_go_where_they_belong_and_are_written_once(project: Path, run: Run) -> None:
    path = project / "stats.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n\n" + LOWER, encoding="utf-8")
    both = ("stats.py::median", "stats.py::lower")
    assert run("check", *both, "--example").err.count("wrote the example") == 2
    text = path.read_text(encoding="utf-8")
    assert text.count(">>> ") == 2
    lower = text.partition("def lower")[2]
    assert lower.index(">>> lower(") < lower.index("return min(values)")
    assert text.index(">>> median(") < text.index("return sorted(values)")
    again = run("check", *both, "--example").err
    assert again.count("no example was written, because its docstring has it already.") == 2
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("encoding", "newline"), [("utf-8", "\r\n"), ("latin-1", "\n"), ("utf-8-sig", "\r\n"), ("utf-8", "\f\n")]
)
def test_encoding_and_line_ends_are_kept(project: Path, run: Run, encoding: str, newline: str) -> None:
    path = project / "stats.py"
    head = "# -*- coding: latin-1 -*-\n# é\n" if encoding == "latin-1" else "# é\n"
    before = (head + path.read_text(encoding="utf-8")).replace("\n", newline).encode(encoding)
    path.write_bytes(before)
    assert "wrote the example" in run("check", "stats.py::median", "--example").err
    after = path.read_bytes()
    added = [line for line in after.split(b"\n") if line not in before.split(b"\n")]
    end = b"\r" if newline == "\r\n" else b""
    assert added == [line + end for line in (b'    """', b"    >>> median([0, 1])", b"    0.5", b'    """')]
    assert [line for line in after.split(b"\n") if line not in added] == before.split(b"\n")


def test_file_that_has_changed_is_left_alone(
    project: Path, find: Callable[[str], list[Checked]], capsys: pytest.CaptureFixture[str]
) -> None:
    findings = find("stats.py::median")
    path = project / "stats.py"
    changed = "# mine\n" + path.read_text(encoding="utf-8")
    path.write_text(changed, encoding="utf-8")
    Giving(example=True).give(findings)
    said = capsys.readouterr().err
    assert said == "lsp-evalplus: median: no example was written, because stats.py has changed since it was read.\n"
    assert path.read_text(encoding="utf-8") == changed


def test_file_that_changes_before_it_is_written_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n", encoding="utf-8")
    sources, edit = Sources(), TextEdit(Span(0, 0, 0, 0), "# 1\n")
    before = sources.read(path)
    assert sources.write(path, before, edit) == "# 1\nx = 1\n"
    assert sources.read(path, expected="what this run wrote counts") == "# 1\nx = 1\n"
    path.write_text("x = 2\n", encoding="utf-8")
    with pytest.raises(NotWrittenError, match="has changed since it was read"):
        sources.write(path, "# 1\nx = 1\n", edit)
    with pytest.raises(NotWrittenError, match="has changed since it was read"):
        sources.read(path)
    assert path.read_text(encoding="utf-8") == "x = 2\n"


@pytest.mark.parametrize(
    ("text", "edit", "reason"),
    [
        ("x = 1\n", TextEdit(Span(0, 0, 0, 1), "x y"), "would be no valid Python"),
        ("# coding: latin-1\nx = 1\n", TextEdit(Span(1, 0, 1, 0), "# €\n"), "lacks '€'"),
    ],
)
def test_text_that_cannot_be_is_not_written(tmp_path: Path, text: str, edit: TextEdit, reason: str) -> None:
    path = tmp_path / "a.py"
    path.write_text(text, encoding="latin-1")
    sources = Sources()
    with pytest.raises(NotWrittenError, match=reason):
        sources.write(path, sources.read(path), edit)
    assert path.read_text(encoding="latin-1") == text


def test_edit_at_the_end_and_across_lines() -> None:
    assert edited("a\r\nb", TextEdit(Span(2, 0, 2, 0), "\nc")) == "a\r\nb\r\nc"
    assert edited("a\rbc\rd\r", TextEdit(Span(0, 1, 2, 0), "\n")) == "a\rd\r"
    assert edited("", TextEdit(Span(0, 0, 0, 0), "a\n")) == "a\n"


def test_module_that_doctest_cannot_import_gets_none(project: Path, run: Run) -> None:
    path = project / "stats.py"
    text = "import module_that_is_missing\n\n" + path.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    ran = run("check", "stats.py::median", "--example")
    assert ran.code == 1
    assert "no example was written, because doctest does not see the function fail it." in ran.err
    assert path.read_text(encoding="utf-8") == text


def test_example_that_the_reference_contradicts_is_not_written(
    project: Path, find: Callable[[str], list[Checked]], capsys: pytest.CaptureFixture[str]
) -> None:
    (found,) = find("stats.py::median")
    oracle = found.report.oracle
    assert oracle is not None
    assert oracle.reference is not None
    wrong = replace(oracle.reference, source=REFERENCE.replace("/ 2", "/ 3"))
    report = replace(found.report, oracle=replace(oracle, reference=wrong))
    before = (project / "stats.py").read_text(encoding="utf-8")
    Giving(example=True).give([replace(found, report=report)])
    assert "because doctest does not see trusted.py::median satisfy it" in capsys.readouterr().err
    assert (project / "stats.py").read_text(encoding="utf-8") == before


def test_finding_that_no_docstring_can_state(project: Path, run: Run) -> None:
    text = "def root(x: int) -> int:\n    assert x >= 0\n    y = x - 1\n    assert y >= 0\n    return y\n"
    (project / "root.py").write_text(text, encoding="utf-8")
    assert run("check", "root.py", "--example").err == (
        "lsp-evalplus: root: no example was written, because doctest cannot state the finding.\n"
    )


def test_notebook_gets_a_sentence(project: Path, run: Run) -> None:
    source = "def twice(x: int) -> int:\n    '''\n    >>> twice(2)\n    4\n    '''\n    return x + 1\n"
    cell = {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
    notebook = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    (project / "notes.ipynb").write_text(notebook, encoding="utf-8")
    assert "no example was written, because it is in no Python file." in run("check", "notes.ipynb", "--example").err
    assert (project / "notes.ipynb").read_text(encoding="utf-8") == notebook


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--staged", "--example"), "--example: --staged checks text that may be in no file"),
        (("--pairs", "-", "--example"), "--example: the functions of --pairs are in no file"),
    ],
)
def test_bad_requests(run: Run, arguments: tuple[str, ...], message: str) -> None:
    ran = run("check", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1
