"""One finding has the same code, level, page and place in the editor and in each format of `check`."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from lsp_evalplus.commands.check.report import LEVELS
from lsp_evalplus.fuzz.config.codes import CODES, page_of
from lsp_evalplus.fuzz.model import OracleKind

from ... import forked

ORACLES = ("reference", "examples", "contract", "annotation", "robustness")
SETTINGS = f"[tool.lsp-evalplus]\noracles = {json.dumps(ORACLES)}\n"
FILES = {
    "trusted.py": "def refers(x: int) -> int:\n    return x + 1\n",
    "a.py": """\
# lsp-evalplus: reference=trusted.py
def refers(x: int) -> int:
    return x


def shows(x):
    '''
    >>> shows(1)
    2
    '''
    return x


def promises(a: int, b: int) -> int:
    assert b > 0
    r = a % b if a < 5 else -1
    assert r >= 0
    return r


def declares(x: int) -> int:
    return str(x)


def breaks(x: int) -> None:
    [1, 2, 3][x]
""",
}
Finding = tuple[str, str, str, tuple[int, int]]


def check(folder: Path, form: str) -> str:
    command = [*forked.command(), "check", "a.py", "--format", form]
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=280)
    assert done.returncode == 1, done.stderr
    return done.stdout


def of_json(text: str) -> set[Finding]:
    found = [one for one in json.loads(text)["targets"] if one["verdict"] == "differs"]
    return {(one["code"], one["level"], one["page"], (one["line"], one["column"])) for one in found}


def of_sarif(text: str) -> set[Finding]:
    (run,) = json.loads(text)["runs"]
    found = set[Finding]()
    for one in run["results"]:
        region: dict[str, Any] = one["locations"][0]["physicalLocation"]["region"]
        rule = run["tool"]["driver"]["rules"][one["ruleIndex"]]
        found.add((rule["id"], one["level"], rule["helpUri"], (region["startLine"], region["startColumn"])))
    return found


def of_github(text: str) -> set[Finding]:
    pattern = r"^::(\w+) file=a.py,line=(\d+),col=(\d+),title=([\w-]+) [^\n]*%0A(https:\S+)$"
    rows = re.findall(pattern, text, re.MULTILINE)
    levels = {"notice": "note"}
    return {(code, levels.get(level, level), page, (int(line), int(at))) for level, line, at, code, page in rows}


def of_gitlab(text: str) -> set[Finding]:
    levels = {"major": "error", "minor": "warning", "info": "note"}
    found = set[Finding]()
    for one in json.loads(text):
        page = re.search(r"\((https:\S+)\)$", one["description"])
        assert page is not None
        assert one["location"]["path"] == "a.py"
        line: int = one["location"]["lines"]["begin"]
        found.add((one["check_name"], levels[one["severity"]], page[1], (line, 5)))  # It has no column.
    return found


def of_rdjson(text: str) -> set[Finding]:
    levels = {"ERROR": "error", "WARNING": "warning", "INFO": "note"}
    found = set[Finding]()
    for one in json.loads(text)["diagnostics"]:
        start = one["location"]["range"]["start"]
        place = (start["line"], start["column"])
        found.add((one["code"]["value"], levels[one["severity"]], one["code"]["url"], place))
    return found


def of_text(text: str) -> set[tuple[str, tuple[int, int]]]:
    return {
        (code, (int(line), int(at))) for line, at, code in re.findall(r"^a\.py:(\d+):(\d+): (\S+)", text, re.MULTILINE)
    }


def of_editor(diagnostics: list[types.Diagnostic]) -> set[Finding]:
    severities = {
        types.DiagnosticSeverity.Error: "error",
        types.DiagnosticSeverity.Warning: "warning",
        types.DiagnosticSeverity.Information: "information",
        types.DiagnosticSeverity.Hint: "hint",
    }
    found = set[Finding]()
    for one in diagnostics:
        assert one.severity is not None
        assert one.code_description is not None
        start = (one.range.start.line + 1, one.range.start.character + 1)
        found.add((str(one.code), LEVELS[severities[one.severity]], one.code_description.href, start))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("severity", ["", '[tool.lsp-evalplus.severity]\nexamples = "hint"\nrobustness = "error"\n'])
async def test_every_output_says_the_same(severity: str, new_editor: Any) -> None:
    editor = await new_editor(files={**FILES, "pyproject.toml": SETTINGS + severity})
    uri = editor.open("a.py", FILES["a.py"])
    await editor.run("lspEvalplus.checkFile", {"uri": uri})
    shown = of_editor((await editor.diagnostics(uri, lambda found: len(found) == len(ORACLES))).diagnostics)

    assert {code for code, *_ in shown} == {CODES[OracleKind(kind)] for kind in ORACLES}
    assert all(page == page_of(code) for code, _, page, _ in shown)
    assert of_json(check(editor.root, "json")) == shown
    assert of_sarif(check(editor.root, "sarif")) == shown
    assert of_github(check(editor.root, "github")) == shown
    if severity:  # Each run costs seconds, and these two have neither levels nor codes of their own.
        assert of_gitlab(check(editor.root, "gitlab")) == shown
        assert of_rdjson(check(editor.root, "rdjson")) == shown
    assert of_text(check(editor.root, "text")) == {(code, place) for code, _, _, place in shown}
