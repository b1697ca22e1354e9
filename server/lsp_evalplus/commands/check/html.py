"""The page of a check: findings, files, and what was not checked and why."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import Verdict
from lsp_evalplus.pages.page import Chart, Page, Section, to_page
from lsp_evalplus.pages.table import Table, escape

from .explanation import describe_shrinking
from .report import describe_agreement, describe_finding, to_json, without_controls
from .run import Checked

_PARTS = ("findings", "no difference", "not checked")
_ORDER = (Verdict.DIFFERS, Verdict.AGREES, Verdict.NOT_CHECKED)
_QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"|\b\d[\d,.]*\b")
"""What differs between functions that are not checked for the same reason."""

Targets = Sequence[Mapping[str, Any]]


def read_earlier(path: Path) -> Targets:
    """The targets of an earlier report of ``--format json``. Raises `UserError` for any other file."""
    try:
        content: Any = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"--earlier: {path} cannot be read as a report of --format json: {error}.") from error
    record = cast("dict[str, Any]", content) if isinstance(content, dict) else {}
    targets: Any = record.get("targets")
    known = {verdict.value for verdict in Verdict}
    if not isinstance(targets, list) or not all(
        isinstance(one, dict) and cast("dict[str, Any]", one).get("verdict") in known
        for one in cast("list[Any]", targets)
    ):
        raise UserError(f"--earlier: {path} is not a report of `lsp-evalplus check --format json`.")
    return cast("Targets", targets)


def to_html(results: Sequence[Checked], earlier: Mapping[str, Targets]) -> str:
    """Render a page; `earlier` are reports of earlier checks by name, the oldest first."""
    targets = [to_json(checked) for checked in results]
    found, agreeing, left = _count(targets)
    told = f"{count(found, 'finding')}, {agreeing:,} without a difference, {left:,} not checked"
    sections = [
        _findings([checked for checked in results if checked.report.verdict is Verdict.DIFFERS]),
        *_trend(targets, earlier),
        _files(targets),
        _not_checked(targets),
        _agreeing([checked for checked in results if checked.report.verdict is Verdict.AGREES]),
    ]
    title = "What lsp-evalplus found"
    return to_page(Page(title, f"{count(len(targets), 'function')}: {told}.", sections)).decode("utf-8")


def _count(targets: Targets) -> list[int]:
    found = Counter(str(target["verdict"]) for target in targets)
    return [found[verdict.value] for verdict in _ORDER]


def _place(target: Mapping[str, Any]) -> str:
    """``stats.py:12``, a notebook's cell, or the name of a pair."""
    cell = f" (cell {target['cell']})" if target.get("cell") else ""
    return f"{target['path']}{cell}:{target['line']}" if target.get("path") else str(target.get("id") or "")


def _findings(found: Sequence[Checked]) -> Section:
    if not found:
        return Section(
            "findings", "Findings", ["None. What was compared did not differ; what was not compared is below."]
        )
    return Section("findings", "Findings", markup="\n".join(map(_finding, found)))


def _finding(checked: Checked) -> str:
    report, target = checked.report, to_json(checked)
    assert report.counterexample is not None
    assert report.oracle is not None
    example = report.counterexample
    facts = [
        ("call", example.call),
        ("this code", _told(target["counterexample"]["candidate"])),
        (f"expected ({report.oracle.source})", _told(target["counterexample"]["reference"])),
    ]
    if report.trace is not None and report.trace.steps:
        facts.append(
            (f"became smaller {count(report.trace.steps, 'time')}", describe_shrinking(report.trace.shrinking))
        )
    listed = "".join(f"<dt>{escape(name)}</dt><dd><code>{escape(text)}</code></dd>" for name, text in facts)
    sentence = escape(without_controls(describe_finding(example, report.oracle)))
    page = escape(str(target["page"]))
    return (
        f"<article>\n<h3>{escape(checked.item.name)} <small>{escape(_place(target))}</small></h3>\n"
        f'<p>{sentence} <a href="{page}" rel="noreferrer">{escape(str(target["code"]))}</a></p>\n'
        f"<dl>{listed}</dl>\n</article>"
    )


def _told(outcome: Mapping[str, Any]) -> str:
    """An outcome in words: its kind, its text, and what it did beside."""
    kind = str(outcome["kind"]).replace("_", " ")
    parts = [f"{kind} {outcome['text']}".rstrip()]
    if outcome["mutated_arguments"] is not None:
        parts.append(f"left its arguments as {outcome['mutated_arguments']}")
    if outcome["output"] is not None:
        parts.append(f"printed {outcome['output']!r}")
    return without_controls("; ".join(parts))


def _trend(targets: Targets, earlier: Mapping[str, Targets]) -> list[Section]:
    if not earlier:
        return []
    rows = [(name, _count(found)) for name, found in {**earlier, "now": targets}.items()]
    chart, table = _stacked("Functions of each report by what came of their check", "report", rows)
    last = next(reversed(list(earlier.values())))
    before, after = _known_findings(last), _known_findings(targets)
    text = f"Since the last report: {count(len(after - before), 'new finding')}, {len(before - after)} gone."
    return [Section("trend", "Trend", [text], chart, table)]


def _known_findings(targets: Targets) -> set[str]:
    return {str(target["fingerprint"]) for target in targets if target.get("fingerprint")}


def _stacked(label: str, head: str, rows: Sequence[tuple[str, Sequence[int]]]) -> tuple[Chart, Table]:
    data = [{"name": name, "counts": counts} for name, counts in rows]
    cells = [[name, *map(str, counts), _checked_share(counts)] for name, counts in rows]
    chart = Chart(label, {"kind": "stack", "names": _PARTS, "rows": data})
    return chart, Table(label, [head, *_PARTS, "checked %"], cells)


def _checked_share(counts: Sequence[int]) -> str:
    total = sum(counts)
    return f"{100 * (counts[0] + counts[1]) / total:.0f}" if total else ""


def _files(targets: Targets) -> Section:
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for target in targets:
        groups.setdefault(str(target.get("path") or "pairs"), []).append(target)
    rows = [(name, _count(found)) for name, found in groups.items()]
    rows.sort(key=lambda row: (-row[1][2], -row[1][0], row[0]))
    chart, table = _stacked("Functions of each file by what came of their check", "file", rows)
    text = "A function that is not checked is one of which nobody knows: this is the number to drive down."
    return Section("files", "Files", [text], chart, table)


def _not_checked(targets: Targets) -> Section:
    left = [target for target in targets if target["verdict"] == Verdict.NOT_CHECKED.value]
    if not left:
        return Section("not-checked", "Not checked, and why", ["Every function was checked."])
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for target in left:
        groups.setdefault(_QUOTED.sub("…", str(target["reason"])), []).append(target)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    listed = "\n".join(
        f"<details><summary>{len(found)}: {escape(without_controls(reason))}</summary>\n<ul>\n"
        + "\n".join(
            f"<li><code>{escape(_place(one))}</code> {escape(one['name'])}: {escape(one['reason'])}</li>"
            for one in found
        )
        + "\n</ul></details>"
        for reason, found in ordered
    )
    table = Table(
        "Reasons, the most frequent first",
        ["reason", "functions"],
        [[without_controls(reason), str(len(found))] for reason, found in ordered],
    )
    text = (
        "An oracle makes a function checkable: a reference, a doctest, a test, a contract, or an older version in git."
    )
    return Section(
        "not-checked", "Not checked, and why", [text], table=table, markup=f"<h3>Function by function</h3>\n{listed}"
    )


def _agreeing(agreeing: Sequence[Checked]) -> Section:
    if not agreeing:
        return Section("agreeing", "No difference", ["No function was compared without a difference."])
    rows = [
        [checked.item.name, _place(to_json(checked)), without_controls(describe_agreement(checked))]
        for checked in agreeing
    ]
    table = Table("Functions without a difference", ["function", "place", "compared with"], rows)
    return Section(
        "agreeing", "No difference", ["Inputs were tried and nothing was found. It is not a proof."], table=table
    )
