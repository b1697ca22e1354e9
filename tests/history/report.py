"""Steps and rulings -> the tables of docs/history.md, and what is at fault."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from steps import Step, shows_plainly

DOCUMENT = Path(__file__).parents[2] / "docs" / "history.md"
BEGIN, END = "<!-- written by tests/history/record.py: begin -->", "<!-- written by tests/history/record.py: end -->"
_LONGEST = 90

_NEW = re.compile(r"it is not in git|the file is not in git")
_REASONS: tuple[tuple[str, str], ...] = (
    (r"is checked through its class, not alone", "a method that makes, copies or destroys objects"),
    (
        r"it is nested (and needs|in)|its class is defined inside a function",
        "it uses variables of the function around it",
    ),
    (
        r"an import fails",
        "the older text needs what the newer package no longer has, or a package that is not installed",
    ),
    (r"no input was found|outside of what the function accepts", "no input was found that the older version accepts"),
    (r"files|folders|network|processes|programs|input|debugger", "it touches files, processes or a terminal"),
    (r"defined under conditions|another definition|more than once", "another definition counts under this interpreter"),
    (r"no body yet|abstract|sets or deletes a property", "it has no body, is abstract, or sets a property"),
    (r"not deterministic", "its results differ from call to call"),
)
"""Reasons with names in them -> what they have in common."""


@dataclass(frozen=True)
class Ruling:
    """What somebody found out about a finding."""

    kind: str
    """``listed``: the release notes name the change; ``unlisted``: a change of behaviour that they do not name;
    ``internal``: a change of a private function, on inputs that its callers may never pass."""
    about: str


Rulings: TypeAlias = Mapping[tuple[str, str, str], Ruling]
"""(project, newer version, path::name) -> ruling."""


def read_rulings(path: Path) -> Rulings:
    """The rulings of a file."""
    with path.open("rb") as file:
        entries = tomllib.load(file).get("ruling", [])
    return {(e["project"], e["version"], e["function"]): Ruling(e["kind"], e["about"]) for e in entries}


def find_faults(steps: Iterable[Step], rulings: Rulings) -> list[str]:
    """What must not be: a sentence each."""
    faults = list[str]()
    for step in steps:
        where = f"{step.project} {step.old} -> {step.new}"
        if not step.is_sound:
            faults.append(f"{where}: exit code {step.exit_code}: {step.stderr.strip()}")
        for finding in step.findings:
            name, call = function_of(finding), _shortened(finding["counterexample"]["call"])
            if not shows_plainly(finding):
                faults.append(f"{where}: {name}: {call} does the same in plain Python")
            elif (step.project, step.new, name) not in rulings:
                faults.append(f"{where}: {name}: {call} has no ruling")
    return faults


def function_of(target: Mapping[str, Any]) -> str:
    """``path::name`` of a target."""
    return f"{target['path']}::{target['name']}"


def write_tables(document: Path, steps: list[Step], rulings: Rulings) -> None:
    """Put the tables between the two marks of the document."""
    text = document.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    tables = [_steps_table(steps), _findings_tables(steps, rulings), _reasons_table(steps)]
    document.write_text("\n".join([before + BEGIN, "", "\n\n".join(tables), "", END + after]), "utf-8")


def is_new(target: Mapping[str, Any]) -> bool:
    """Whether the older version does not have the function."""
    return bool(_NEW.match(target["reason"]))


def _steps_table(steps: list[Step]) -> str:
    lines = [
        "### Steps",
        "",
        "| package | versions | changed | agree | differ | not checked | new | seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    total = Counter[str]()
    for step in steps:
        row = _counts(step)
        total.update(row)
        lines.append(f"| {step.project} | {step.old} → {step.new} | {_cells(row)} |")
    lines.append(f"| **all** | {len(steps)} steps | {_cells(total)} |")
    return "\n".join(lines)


def _counts(step: Step) -> Counter[str]:
    new = sum(map(is_new, step.targets))
    return Counter(
        changed=len(step.targets) - new,
        agrees=step.count("agrees"),
        differs=step.count("differs"),
        not_checked=step.count("not_checked") - new,
        new=new,
        seconds=round(step.seconds),
    )


def _cells(row: Counter[str]) -> str:
    return " | ".join(str(row[name]) for name in ("changed", "agrees", "differs", "not_checked", "new", "seconds"))


def _findings_tables(steps: list[Step], rulings: Rulings) -> str:
    parts = ["### Findings"]
    for project in dict.fromkeys(step.project for step in steps):
        rows = [
            _finding_row(step, finding, rulings)
            for step in steps
            if step.project == project
            for finding in step.findings
        ]
        if rows:
            head = [f"**{project}**", "", "| version | call | older | newer | ruling |", "|---|---|---|---|---|"]
            parts.append("\n".join([*head, *rows]))
    return "\n\n".join(parts)


def _finding_row(step: Step, finding: Mapping[str, Any], rulings: Rulings) -> str:
    example = finding["counterexample"]
    ruling = rulings.get((step.project, step.new, function_of(finding)))
    told = f"{ruling.kind}: {ruling.about}" if ruling else "**no ruling**"
    widened = ", widened" if example["tier"] != "inside" else ""
    cells = [_code(example["call"]), _outcome(example["reference"]), _outcome(example["candidate"])]
    return f"| {step.new} | {' | '.join(cells)} | {told}{widened} |"


def _outcome(outcome: Mapping[str, Any]) -> str:
    text = outcome["text"]
    if outcome["mutated_arguments"] is not None:
        text = f"arguments left as {outcome['mutated_arguments']}"
    return ("raises " if outcome["kind"] == "raised" else "") + _code(text)


def _code(text: str) -> str:
    """A text as code in a cell of a table."""
    text = _shortened(text).replace("|", "\\|").replace("\n", "⏎")
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _reasons_table(steps: list[Step]) -> str:
    reasons = Counter(
        _general(target["reason"])
        for step in steps
        for target in step.targets
        if target["verdict"] == "not_checked" and not is_new(target)
    )
    rows = [f"| {reason} | {count} |" for reason, count in reasons.most_common()]
    return "\n".join(["### Not checked", "", "| reason | functions |", "|---|---|", *rows])


def _general(reason: str) -> str:
    return next((told for pattern, told in _REASONS if re.search(pattern, reason)), reason)
