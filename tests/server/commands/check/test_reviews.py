"""Formats of code review, held to their schemas: GitLab's Code Quality, reviewdog's rdjson, GitHub's job summary.

The schemas are the facts of the published ones, written for this test: GitLab's page on the report's format, and
reviewdog's DiagnosticResult.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lsp_evalplus.commands.check.reviews import append_summary, to_gitlab, to_rdjson

from ..conftest import Run

COUNT = {"type": "integer", "minimum": 1}
TEXT = {"type": "string", "minLength": 1}


def closed(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    """A schema of an object with these properties and no others."""
    properties = {**required, **(optional or {})}
    return {"type": "object", "required": [*required], "properties": properties, "additionalProperties": False}


POSITION = closed({"line": COUNT}, {"column": COUNT})
SCHEMAS = {
    "gitlab": {
        "type": "array",
        "items": closed(
            {
                "description": TEXT,
                "check_name": TEXT,
                "fingerprint": TEXT,
                "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
                "location": closed({"path": {**TEXT, "not": {"pattern": r"^\./"}}, "lines": closed({"begin": COUNT})}),
            }
        ),
    },
    "rdjson": closed(
        {
            "diagnostics": {
                "type": "array",
                "items": closed(
                    {
                        "message": TEXT,
                        "location": closed({"path": TEXT}, {"range": closed({"start": POSITION}, {"end": POSITION})}),
                        "severity": {"enum": ["UNKNOWN_SEVERITY", "ERROR", "WARNING", "INFO"]},
                    },
                    {"code": closed({"value": TEXT}, {"url": TEXT})},
                ),
            },
            "source": closed({"name": TEXT}, {"url": TEXT}),
        }
    ),
}
HOSTILE = (
    "def größe(x: int) -> str:\n    '''\n    >>> größe(1)\n    'b'\n    '''\n    return '|<img src=x>`\\n::error::'\n"
)


@pytest.mark.parametrize("form", SCHEMAS)
def test_document_is_what_its_schema_says(form: str, project: Path, run: Run) -> None:
    (project / "hostile.py").write_text(HOSTILE, encoding="utf-8")
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[form])

    ran = run("check", "hostile.py", "stats.py::median", "--format", form)
    jsonschema.validate(ran.json, SCHEMAS[form])
    assert len(ran.json if form == "gitlab" else ran.json["diagnostics"]) == 2
    if form == "rdjson":
        (place,) = (one["location"] for one in ran.json["diagnostics"] if one["location"]["path"] == "hostile.py")
        assert place["range"] == {"start": {"line": 1, "column": 5}, "end": {"line": 1, "column": 12}}
    jsonschema.validate((to_gitlab if form == "gitlab" else to_rdjson)([]), SCHEMAS[form])


def test_finding_of_a_pair_stands_on_its_line(project: Path, run: Run) -> None:
    pair = {"entry_point": "f", "candidate": "def f(x):\n    return x", "reference": "def f(x):\n    return -x"}
    (project / "pairs.jsonl").write_text(f"\n{json.dumps(pair)}")

    found = run("check", "--pairs", "pairs.jsonl", "--format", "gitlab").json

    jsonschema.validate(found, SCHEMAS["gitlab"])
    assert found[0]["location"] == {"path": "pairs.jsonl", "lines": {"begin": 2}}


def test_job_summary_is_appended_and_cannot_be_forged(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "hostile.py").write_text(HOSTILE, encoding="utf-8")
    (project / "summary.md").write_text("mine\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project / "summary.md"))

    assert run("check", "hostile.py", "stats.py", "--format", "github").code == 1

    lines = (project / "summary.md").read_text("utf-8").splitlines()
    assert lines[0] == "mine"
    assert "2 findings in 3 checked functions; 2 not checked." in lines
    rows = [line for line in lines if line.startswith("| ") and "[" in line]
    assert len(rows) == 2
    assert all(row.count("|") == 4 and "<img" not in row for row in rows)
    assert not [line for line in lines if line.startswith("::")]


def test_job_summary_that_cannot_be_written_is_told(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project / "no" / "summary.md"))

    append_summary([])

    assert "job summary" in capsys.readouterr().err
