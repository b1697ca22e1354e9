"""Findings for code review: GitLab's Code Quality report, reviewdog's rdjson, GitHub's job summary."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from lsp_evalplus.fuzz.config.codes import code_of, page_of
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.model import Verdict

from .report import describe_finding, to_fingerprint, to_level, to_shared_path, without_controls
from .run import Checked

HOME = "https://github.com/lsp-evalplus/lsp-evalplus"
_GITLAB = {"error": "major", "warning": "minor", "note": "info"}
_RDJSON = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}
SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
"""Names the file that GitHub shows on the page of a job, to which each step appends Markdown."""
_LONGEST_CELL = 300


def to_gitlab(results: Sequence[Checked]) -> list[dict[str, Any]]:
    """The Code Quality report: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format."""
    return [
        {
            "description": f"{_message(checked)} ({page_of(_code(checked))})",
            "check_name": _code(checked),
            "fingerprint": to_fingerprint(checked),
            "severity": _GITLAB[to_level(checked)],
            "location": {"path": _path(checked), "lines": {"begin": _line(checked)}},
        }
        for checked in _findings(results)
    ]


def to_rdjson(results: Sequence[Checked]) -> dict[str, Any]:
    """A DiagnosticResult of the Reviewdog Diagnostic Format."""
    return {
        "source": {"name": "lsp-evalplus", "url": HOME},
        "diagnostics": [
            {
                "message": _message(checked),
                "location": {"path": _path(checked), "range": _range(checked)},
                "severity": _RDJSON[to_level(checked)],
                "code": {"value": _code(checked), "url": page_of(_code(checked))},
            }
            for checked in _findings(results)
        ],
    }


def to_summary(results: Sequence[Checked]) -> str:
    """A table of the findings in Markdown, below how many functions were checked."""
    findings = _findings(results)
    checked = sum(one.report.verdict is not Verdict.NOT_CHECKED for one in results)
    told = f"{count(len(findings), 'finding')} in {count(checked, 'checked function')}"
    lines = [
        "### lsp-evalplus",
        "",
        f"{told}; {len(results) - checked:,} not checked.",
        "",
    ]
    if findings:
        lines += ["| level | where | finding |", "|---|---|---|"]
    for one in findings:
        where = f"{_path(one)}:{_line(one)} {one.item.name}"
        page = f"[{_code(one)}]({page_of(_code(one))})"
        lines.append(f"| {to_level(one)} | {_cell(where)} | {page} {_cell(_message(one))} |")
    return "\n".join([*lines, ""])


def append_summary(results: Sequence[Checked]) -> None:
    """Append the table to the page of the job, if there is one; a page that cannot be written is told, and no error."""
    place = os.environ.get(SUMMARY_VARIABLE)
    if not place:
        return
    try:
        with Path(place).open("ab") as file:
            file.write(f"\n{to_summary(results)}".encode("utf-8", "backslashreplace"))
    except OSError as error:
        click.echo(f"lsp-evalplus: the job summary {place} cannot be written: {error.strerror or error}.", err=True)


def _findings(results: Sequence[Checked]) -> list[Checked]:
    return [checked for checked in results if checked.report.verdict is Verdict.DIFFERS]


def _code(checked: Checked) -> str:
    assert checked.report.oracle is not None
    assert checked.report.counterexample is not None
    return code_of(checked.report.oracle.kind, checked.report.counterexample)


def _message(checked: Checked) -> str:
    assert checked.report.oracle is not None
    assert checked.report.counterexample is not None
    return without_controls(describe_finding(checked.report.counterexample, checked.report.oracle))


def _path(checked: Checked) -> str:
    """The file from the top of the repository; for a pair, the file of pairs, or its identifier."""
    item = checked.item
    if item.path is not None:
        return to_shared_path(item.path)
    return to_shared_path(item.listed[0]) if item.listed is not None else item.identifier or item.name


def _line(checked: Checked) -> int:
    """The line of the function's name, from 1; a notebook is JSON, of which no line is meant."""
    item = checked.item
    if item.path is None:
        return item.listed[1] if item.listed is not None else 1
    return item.line or 1 if item.cell is None else 1


def _range(checked: Checked) -> dict[str, Any]:
    """The function's name; columns count bytes of UTF-8, from 1, and before a name there are only ASCII characters."""
    item, start = checked.item, {"line": _line(checked)}
    if item.target is None or item.column is None or item.cell is not None:
        return {"start": start}
    width = len(item.name.rpartition(".")[2].encode("utf-8", "surrogatepass"))
    return {
        "start": {**start, "column": item.column},
        "end": {**start, "column": item.column + width},
    }


def _cell(text: str) -> str:
    """Text of the code under test as a cell of a table: code, and nothing that Markdown or HTML would act on."""
    text = text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}…"
    for mark, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("|", "&#124;")):
        text = text.replace(mark, entity)
    return f"<code>{text}</code>"
