"""Rendering of results as JSON (see docs/check.md) and as sentences."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from lsp_evalplus.fuzz.config.baseline import fingerprint_of
from lsp_evalplus.fuzz.config.codes import code_of, page_of
from lsp_evalplus.fuzz.config.severity import severity_of
from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.engine.sentences import extent_of
from lsp_evalplus.fuzz.excerpts import as_sentence, contrast_outcomes
from lsp_evalplus.fuzz.model import (
    STATED_TEST_NOTE,
    Counterexample,
    Oracle,
    OracleKind,
    Outcome,
    OutcomeKind,
    Tier,
    Verdict,
)
from lsp_evalplus.fuzz.oracle.git import find_work_tree
from lsp_evalplus.fuzz.source.project import find_project_root

from .items import Item
from .llm import Adviser
from .run import Checked
from .trace import trace_to_json

JSON_VERSION = 1
_MARKS = {Verdict.DIFFERS: "✗", Verdict.AGREES: "✓", Verdict.NOT_CHECKED: "–"}
_WEAK_MARK = "○"
_MAXIMUM_TEXT = 400
LEVELS = {"error": "error", "warning": "warning", "information": "note", "hint": "note", "off": "note"}
"""The level of a finding, in the words of SARIF, by the severity that an editor gives it."""


def to_json(checked: Checked) -> dict[str, Any]:
    """One target object of the JSON output."""
    item, report = checked.item, checked.report
    found = report.counterexample
    code = None if found is None or report.oracle is None else code_of(report.oracle.kind, found)
    target: dict[str, Any] = {
        "path": item.path,
        "name": item.name,
        "id": item.identifier,
        "line": item.line if item.path else None,
        "column": item.column,
        "cell": item.cell,
        "verdict": report.verdict.value,
        "reason": report.reason,
        "oracle": None if report.oracle is None else {"kind": report.oracle.kind.value, "source": report.oracle.source},
        "code": code,
        "page": None if code is None else page_of(code),
        "level": None if found is None else to_level(checked),
        "inputs": report.inputs,
        "rejected": report.rejected,
        "seconds": round(report.seconds, 4),
        "counterexample": None if found is None else _counterexample_to_json(found),
        "fingerprint": None if found is None else to_fingerprint(checked),
        "skipped": list(item.target.skipped) if item.target is not None else [],
    }
    if report.trace is not None:
        target["trace"] = trace_to_json(report.trace)
    return target


def to_fingerprint(checked: Checked) -> str:
    """Identifies a finding independent of its line: by file, function, oracle and input."""
    report, item = checked.report, checked.item
    arguments = report.counterexample.arguments if report.counterexample else ""
    kind = report.oracle.kind if report.oracle else None
    return fingerprint_of(to_stable_place(item), item.name, kind, arguments)


def to_level(checked: Checked) -> str:
    """Return the level of a finding, one of the values of `LEVELS`."""
    report = checked.report
    assert report.oracle is not None
    assert report.counterexample is not None
    kind, tier = report.oracle.kind, report.counterexample.tier
    return LEVELS[severity_of(checked.item.settings, kind, tier, is_refactoring=checked.item.is_refactoring)]


def to_stable_place(item: Item) -> str:
    """A canonical location of an item, independent of how its path is written and where it is checked.

    The path relative to the root of its git work tree, else to its project's folder. A pair has its identifier.
    """
    if item.path is None:
        return item.identifier or ""
    absolute = Path(os.path.abspath(item.path))
    place = absolute.parent.resolve() / absolute.name
    top = find_work_tree(place.parent) or find_project_root(place.parent)
    return place.relative_to(top).as_posix()


def to_shared_path(path: str) -> str:
    """A path relative to the root of the git work tree of the current folder, as users of the repository know it.

    Without one, relative to the root of the file's own work tree, else to the current folder; paths outside are
    unchanged.
    """
    absolute = Path(os.path.abspath(path))
    place = absolute.parent.resolve() / absolute.name
    top = find_work_tree(Path()) or find_work_tree(place.parent) or Path.cwd().resolve()
    return place.relative_to(top).as_posix() if place.is_relative_to(top) else path.replace("\\", "/")


def to_sentences(checked: Checked) -> list[str]:
    """A summary line and, for a finding, details for a reviewer."""
    item, report = checked.item, checked.report
    mark = _WEAK_MARK if report.is_weak else _MARKS[report.verdict]
    head = f"{mark} {item.place}  {item.name}"
    if report.verdict is Verdict.NOT_CHECKED:
        return [f"{head}: not checked: {report.reason}"]
    if report.verdict is Verdict.AGREES or report.counterexample is None or report.oracle is None:
        return [f"{head}: {describe_agreement(checked)}"]
    column = f":{item.column}" if item.column else ""
    code = code_of(report.oracle.kind, report.counterexample)
    finding = f"{item.place}{column}: {code} {describe_finding(report.counterexample, report.oracle)}"
    return [finding, f"    {_describe_effort(checked)}"]


def describe_agreement(checked: Checked) -> str:
    """``no difference from ref.py::f in 1,234 inputs (0.4 s)``."""
    report = checked.report
    source = report.oracle.source if report.oracle else "its oracle"
    kind = report.oracle.kind if report.oracle else OracleKind.REFERENCE
    if report.is_single_example:
        return f"does what its one example says; there is nothing else to compare with ({report.seconds:.1f} s)"
    inputs = extent_of(report)
    if report.tests and kind is OracleKind.EXAMPLES:
        return f"passes {inputs} ({report.seconds:.1f} s)"
    match kind:
        case OracleKind.RETURN:
            said = f"reaches a return statement for {inputs}; nothing says what it should return"
        case OracleKind.CONTRACT | OracleKind.ANNOTATION:
            said = f"its {source} holds for {inputs}"
        case OracleKind.ROBUSTNESS:
            said = f"no crash in {inputs}"
        case OracleKind.EXAMPLES:
            said = f"no difference from its {source} in {inputs}"
        case OracleKind.REFERENCE | OracleKind.PREVIOUS | OracleKind.MODEL:
            said = f"no difference from {source} in {inputs}"
    return f"{said} ({report.seconds:.1f} s)"


def describe_finding(found: Counterexample, oracle: Oracle) -> str:
    """``median([1, 2]) returns 2, but ref.py::median returns 1.5.``"""
    broken = found.candidate.broken_promise
    if broken is not None:
        source = oracle.source if oracle.kind is OracleKind.CONTRACT else "contract"
        return f"{_short(found.call)} breaks its {source}: {_short(broken)}."
    if found.is_whole_test:
        return _describe_test(found, oracle)
    ours, theirs, remark = contrast_outcomes(*_without_common_result(found.candidate, found.expected))
    said = f"{_short(found.call)} {_did(ours)}, {_expected(theirs, oracle)}{f'; {remark}' if remark else ''}"
    is_said = found.candidate.mutated_arguments is not None
    return as_sentence(f"{said} ({found.remark})" if found.remark and not is_said else said)


def _describe_test(found: Counterexample, oracle: Oracle) -> str:
    """``the test test_a.py::test_b fails (AssertionError), and passes with its version in git HEAD.``"""
    if found.note == STATED_TEST_NOTE:
        return f"the test {_short(found.call)} fails at {_short(found.candidate.text)}, where it calls it."
    test, before = f"the test {_short(found.call)}", f"with its version in {oracle.source}"
    if found.candidate.kind is OutcomeKind.RAISED:
        return f"{test} fails ({_short(found.candidate.text)}), and passes {before}."
    return f"{test} passes, and fails {before} ({_short(found.expected.text)})."


def describe_advice(adviser: Adviser, model: str) -> str:
    """``m gave 40 inputs for 3 functions and implemented 1 of 2 functions``."""
    said: list[str] = []
    if adviser.asked_for_inputs:
        said.append(f"gave {count(adviser.inputs, 'input')} for {count(adviser.asked_for_inputs, 'function')}")
    if adviser.asked_for_code:
        said.append(f"implemented {adviser.implemented} of {count(adviser.asked_for_code, 'function')}")
    return f"{model} {' and '.join(said) or 'was not asked for anything'}."


def _expected(outcome: Outcome, oracle: Oracle) -> str:
    """The oracle's outcome, as the second half of a sentence."""
    match oracle.kind:
        case OracleKind.REFERENCE:
            return f"but {_where(oracle)} {_did(outcome)}"
        case OracleKind.PREVIOUS:
            return f"but its version in {oracle.source} {_did(outcome)}"
        case OracleKind.EXAMPLES:
            if outcome.output is not None:
                return f"but its {oracle.source} say that it prints {_short(repr(outcome.output))}"
            raises = "that it raises " if outcome.kind is OutcomeKind.RAISED else ""
            return f"but its {oracle.source} say {raises}{_short(outcome.text)}"
        case OracleKind.CONTRACT:
            return f"which breaks its {oracle.source}: {_short(outcome.text)}"
        case OracleKind.RETURN:
            return f"because it ends without a return statement, but its {oracle.source} promises a value"
        case OracleKind.ANNOTATION:
            return f"which is not what its {oracle.source} promises"
        case OracleKind.ROBUSTNESS:
            return "although its annotations allow this input"
        case OracleKind.MODEL:
            return f"but each of {oracle.source} {_did(outcome)}"


def _where(oracle: Oracle) -> str:
    span = oracle.reference_span
    line = f" (line {span.start_line + 1})" if span is not None else ""
    return f"{oracle.source}{line}" if oracle.reference_path else f"the {oracle.source}"


def _without_common_result(ours: Outcome, theirs: Outcome) -> tuple[Outcome, Outcome]:
    """Omit a result that both share if they differ in their effects on the arguments."""
    if (ours.kind, ours.text) == (theirs.kind, theirs.text) and ours.mutated_arguments is not None:
        return replace(ours, text=""), replace(theirs, text="")
    return ours, theirs


def _did(outcome: Outcome) -> str:
    """``returns 3``, ``raises ValueError: …``: the outcome of a call."""
    did = {
        OutcomeKind.RETURNED: f"returns {_short(outcome.text)}",
        OutcomeKind.RAISED: f"raises {_short(outcome.text)}",
        OutcomeKind.CRASHED: f"crashes the interpreter ({_short(outcome.text)})",
        OutcomeKind.TIMED_OUT: f"does not end ({_short(outcome.text)})" if outcome.text else "does not end",
        OutcomeKind.TOO_MUCH_OUTPUT: "prints without end",
    }[outcome.kind]
    if outcome.output is not None and (outcome.kind, outcome.text) == (OutcomeKind.RETURNED, "None"):
        return f"prints {_short(repr(outcome.output))}"
    if not outcome.text and outcome.mutated_arguments is not None:
        return f"leaves its arguments as {_short(outcome.mutated_arguments)}"
    if outcome.mutated_arguments is not None:
        did += f" and leaves its arguments as {_short(outcome.mutated_arguments)}"
    if outcome.output is not None:
        did += f" and prints {_short(repr(outcome.output))}"
    return did


def _describe_effort(checked: Checked) -> str:
    report = checked.report
    assert report.counterexample is not None
    unusual = {Tier.WIDENED: "an unusual input; ", Tier.HANG: "a possible endless loop; "}
    effort = f"found after {count(report.inputs, 'input')}, {report.seconds:.1f} s"
    return f"({unusual.get(report.counterexample.tier, '')}{effort})"


_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
"""ANSI colours, which some contracts have in their messages."""
_CONTROLS = {
    code: ascii(chr(code))[1:-1]
    for code in (*range(32), *range(127, 160), *range(0x200E, 0x2010), *range(0x2028, 0x202F), *range(0x2066, 0x206A))
}


def without_controls(text: str) -> str:
    """Reduce a string to one line without control characters, including those for the direction of writing.

    The output of code under test must not look like ours.
    """
    return _COLOUR.sub("", text).translate(_CONTROLS)


def _short(text: str) -> str:
    return text if len(text) <= _MAXIMUM_TEXT else f"{text[:_MAXIMUM_TEXT]}… ({len(text):,} characters)"


def _counterexample_to_json(found: Counterexample) -> dict[str, Any]:
    return {
        "call": found.call,
        "arguments": found.arguments,
        "candidate": _outcome_to_json(found.candidate),
        "reference": _outcome_to_json(found.expected),
        "tier": found.tier.value,
        "note": found.note,
        "caller": found.caller.name if found.caller is not None else None,
    }


def _outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    return {
        "kind": outcome.kind.value,
        "text": outcome.text,
        "mutated_arguments": outcome.mutated_arguments,
        "output": outcome.output,
    }
