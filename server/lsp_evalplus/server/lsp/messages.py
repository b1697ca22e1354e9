"""Every sentence that the server shows, made of engine values. Pure text; no LSP.

A message reads as a good reviewer's remark: the call, what it returned, what was expected, and by which oracle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

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
    Report,
    Verdict,
)
from lsp_evalplus.server.acceptance.acceptance import Acceptance, Certainty
from lsp_evalplus.server.checking.state import Finding, FunctionState
from lsp_evalplus.server.edits.wording import differs_by_arguments, differs_by_output, shortened, told

SOURCE: Final = "lsp-evalplus"


def diagnostic_message(finding: Finding, accepted: Acceptance | None = None) -> str:
    """The diagnostic's text."""
    whole = finding.counterexample
    example, remark = _shown(whole)
    call = shortened(example.call, 160)
    if differs_by_arguments(whole):
        said = _arguments_sentence(call, example)
    elif differs_by_output(whole):
        printed, wanted = _printed(example.candidate), _printed(example.expected)
        said = f"{call} printed {printed}, but {_expectation(finding.oracle, f'printed {wanted}', wanted)}"
    elif whole.candidate.broken_promise is not None:
        source = finding.oracle.source if finding.oracle.kind is OracleKind.CONTRACT else "contract"
        said = f"{call} broke its {source}: {shortened(whole.candidate.broken_promise)}"
    elif whole.is_whole_test:
        return f"{_test_sentence(call, whole, finding.oracle)}.{_reason_of_check(accepted)}"
    else:
        wanted = told(example.expected)
        value = shortened(example.expected.text)
        said = f"{call} {told(example.candidate)}, but {_expectation(finding.oracle, wanted, value)}"
    note = f" Note: {example.remark}." if example.remark else ""
    said += f"; {remark}" if remark else ""
    return f"{as_sentence(said)}{note}{_reason_of_check(accepted)}"


def _shown(example: Counterexample) -> tuple[Counterexample, str]:
    """The counterexample with its outcomes shortened around their difference, and a remark about the difference."""
    candidate, expected, remark = contrast_outcomes(example.candidate, example.expected)
    return replace(example, candidate=candidate, expected=expected), remark


def _reason_of_check(accepted: Acceptance | None) -> str:
    """Why the code was checked, for users who wrote it themselves."""
    match accepted.certainty if accepted is not None else Certainty.REPORTED:
        case Certainty.REPORTED:
            return ""
        case Certainty.GUESSED:
            return " (Checked because this looks like accepted code.)"
        case Certainty.OUTSIDE:
            return " (Checked because another program changed it.)"


def _expectation(oracle: Oracle, wanted: str, value: str) -> str:
    match oracle.kind:
        case OracleKind.REFERENCE | OracleKind.MODEL:
            return f"{oracle.source} {wanted}"
        case OracleKind.PREVIOUS:
            return f"it {wanted} before ({oracle.source})"
        case OracleKind.EXAMPLES:
            return f"the {oracle.source} say {value}"
        case OracleKind.RETURN:
            return f"its {oracle.source} promises a value; it ended without a return statement"
        case OracleKind.CONTRACT | OracleKind.ANNOTATION:
            return f"its {oracle.source} demands {value}" if value else f"its {oracle.source} forbids that"
        case OracleKind.ROBUSTNESS:
            return f"nothing in its types or docstring allows that ({oracle.source})"


def _arguments_sentence(call: str, example: Counterexample) -> str:
    after = example.candidate.mutated_arguments
    wanted = example.expected.mutated_arguments
    if wanted is None:
        return f"{call} changed its arguments to {shortened(after or '')}, but they should stay as they are"
    if after is None or after == example.arguments:
        return f"{call} left its arguments as they were, but they should become {shortened(wanted)}"
    return f"{call} changed its arguments to {shortened(after)}, but they should become {shortened(wanted)}"


def _test_sentence(call: str, whole: Counterexample, oracle: Oracle) -> str:
    if whole.note == STATED_TEST_NOTE:
        return f"The test {call} fails at {shortened(whole.candidate.text)}, where it calls it"
    if whole.candidate.kind is OutcomeKind.RAISED:
        return f"The test {call} fails ({shortened(whole.candidate.text)}), but passed before ({oracle.source})"
    return f"The test {call} passes, but failed before ({oracle.source}: {shortened(whole.expected.text)})"


def _printed(outcome: Outcome) -> str:
    return shortened(repr(outcome.output)) if outcome.output else "nothing"


def reference_message(oracle: Oracle, example: Counterexample) -> str:
    """The message of the related information at the reference."""
    return f"{oracle.source} {told(_shown(example)[0].expected)} for the same input"


def places(state: FunctionState, finding: Finding, lines: Sequence[str]) -> list[tuple[int, str]]:
    """Lines of the document related to the finding, each with a sentence about it."""
    example = finding.counterexample
    if example.places is None:
        return []
    span, found = state.facts.span, list[tuple[int, str]]()
    if example.places.parted is not None:
        found.append((example.places.parted, f"the first line that runs otherwise than in {finding.oracle.source}"))
    is_raised = example.candidate.kind is OutcomeKind.RAISED
    found.append((example.places.result, f"{'the exception' if is_raised else 'the result'} comes from here"))
    numbered = [(span.start_line + offset, message) for offset, message in found]
    # The function may have been edited since: lines beyond its end no longer exist.
    last = min(span.end_line, len(lines) - 1)
    return [one for one in numbered if one[0] <= last]


def lens_title(state: FunctionState, finding: Finding | None) -> str | None:
    """The title of the code lens above a function; None when there is no result yet."""
    if finding is not None:
        return f"✗ {shortened(finding.counterexample.call, 80)}"
    if state.is_checking:
        return "… checking"
    if state.obstacle is not None:
        return f"not checked: {shortened(state.obstacle, 120)}"
    report = state.without_finding()
    if report is not None and report.is_single_example:
        return f"○ does what its one example says · {report.seconds:.1f} s"
    if report is not None and report.is_return_only:
        return f"○ reaches a return statement for {count(report.inputs, 'input')} · {report.seconds:.1f} s"
    if report is not None and report.verdict is Verdict.AGREES and report.oracle is not None:
        if report.tests:
            agree = count(report.tests, "test that calls it agrees", "tests that call it agree")
            return f"✓ {agree} with {report.oracle.source} · {report.seconds:.1f} s"
        through = f" of {report.caller}()" if report.caller else ""
        agree = count(report.inputs, f"input{through} agrees", f"inputs{through} agree")
        return f"✓ {agree} with {report.oracle.source} · {report.seconds:.1f} s"
    return f"not checked: {shortened(report.reason, 120)}" if report is not None else None


def hint_label(finding: Finding) -> str:
    """The inlay hint after a function's header."""
    example = finding.counterexample
    return f"✗ {shortened(example.call, 60)} {shortened(told(example.candidate), 40)}"


def hover_text(
    state: FunctionState, finding: Finding | None, lines: Sequence[str] = (), *, is_markdown: bool = True
) -> str | None:
    """What was tried, in Markdown or in plain words; None when nothing was. `lines` are the document's."""
    parts: list[str] = []
    code = _cell if is_markdown else shortened
    if finding is not None:
        parts.append(_finding_block(finding) if is_markdown else _finding_lines(finding))
        parts += [
            f"Line {number + 1}, {message}: {code(lines[number].strip())}"
            for number, message in places(state, finding, lines)
        ]
    if state.is_checking:
        parts.append("Checking …")
    if state.obstacle is not None:
        parts.append(f"Not checked: {state.obstacle}.")
    parts += [report_line(report) for report in state.reports.values()]
    target = state.target
    if target is not None and target.skipped and state.reports:
        parts.append("Not run: " + ", ".join(code(one) for one in target.skipped[:5]) + ".")
    if state.accepted is not None and parts:
        parts.append(f"Accepted code ({certainty(state.accepted)}).")
    title = "**lsp-evalplus**" if is_markdown else "lsp-evalplus"
    return "\n\n".join([title, *parts]) if parts else None


def _finding_lines(finding: Finding) -> str:
    """The finding for a client that shows text unchanged."""
    lines = [f">>> {shortened(finding.counterexample.call, 2000)}"]
    lines += [f"{what}: {shortened(text)}" for what, text in _comparison(finding)]
    lines += [finding.counterexample.remark] if finding.counterexample.remark else []
    return "\n".join(lines)


def _comparison(finding: Finding) -> list[tuple[str, str]]:
    """What the function did and what it should have done."""
    example, remark = _shown(finding.counterexample)
    rows = [
        ("this function", told(example.candidate)),
        (f"expected ({finding.oracle.source})", told(example.expected)),
    ]
    if example.candidate.mutated_arguments != example.expected.mutated_arguments:
        rows.append(("arguments after it", example.candidate.mutated_arguments or "unchanged"))
        rows.append(("expected", example.expected.mutated_arguments or "unchanged"))
    return [*rows, ("where", remark)] if remark else rows


def _finding_block(finding: Finding) -> str:
    example = finding.counterexample
    rows = [f"| {_plain_cell(what)} | {_cell(text)} |" for what, text in _comparison(finding)]
    table = "\n".join(["| | |", "|---|---|", *rows])
    note = f"\n\n{example.remark}" if example.remark else ""
    return f"{_fenced(f'>>> {example.call}')}\n\n{table}{note}"


def _fenced(text: str) -> str:
    # A longer fence than any in the text: output of a guest must not end it.
    fence = "`" * max(3, 1 + max((len(run) for run in text.split("\n") if set(run) == {"`"}), default=0))
    return f"{fence}python\n{text[:2000]}\n{fence}"


def _cell(text: str) -> str:
    body = shortened(text).replace("|", "\\|").replace("`", "'")
    return f"`{body}`"


def _plain_cell(text: str) -> str:
    return shortened(text).replace("|", "\\|").replace("<", "&lt;")


def report_line(report: Report) -> str:
    """The report of one oracle."""
    oracle = report.oracle.source if report.oracle is not None else "no oracle"
    match report.verdict:
        case Verdict.AGREES:
            said = f"No difference from {oracle} in {extent_of(report)}"
        case Verdict.DIFFERS:
            said = f"Differs from {oracle}; {count(report.inputs, 'input')} tried"
        case Verdict.NOT_CHECKED:
            return f"Not checked against {oracle}: {report.reason}"
    facts = [f"{count(report.branches, 'branch', 'branches')} reached"] if report.branches else []
    facts += [f"{count(report.rejected, 'input')} not valid"] if report.rejected else []
    facts.append(f"{report.seconds:.1f} s")
    return f"{said} ({', '.join(facts)})."


def certainty(accepted: Acceptance) -> str:
    """How the acceptance of code became known."""
    match accepted.certainty:
        case Certainty.REPORTED:
            return f"from {accepted.source}" if accepted.source else "reported by the editor"
        case Certainty.GUESSED:
            return "guessed from the edit"
        case Certainty.OUTSIDE:
            return "changed by another program"


def result_of(uri: str, state: FunctionState, finding: Finding | None) -> dict[str, object]:
    """A function's result as ``check --format json`` writes a target, with its URI."""
    shown = finding.report if finding is not None else state.without_finding()
    if shown is None:
        shown = next(iter(state.reports.values()), None)
    oracle = shown.oracle if shown is not None else None
    reason = shown.reason if shown is not None else state.obstacle or "it was not checked"
    example = finding.counterexample if finding is not None else None
    return {
        "uri": uri,
        "name": state.name,
        "verdict": str(shown.verdict if shown is not None else Verdict.NOT_CHECKED),
        "reason": reason,
        "oracle": {"kind": str(oracle.kind), "source": oracle.source} if oracle is not None else None,
        "inputs": shown.inputs if shown is not None else 0,
        "rejected": shown.rejected if shown is not None else 0,
        "seconds": round(shown.seconds, 3) if shown is not None else 0.0,
        "counterexample": _example_json(example) if example is not None else None,
    }


def _example_json(example: Counterexample) -> dict[str, object]:
    return {
        "call": example.call,
        "arguments": example.arguments,
        "candidate": {"kind": str(example.candidate.kind), "text": example.candidate.text},
        "reference": {"kind": str(example.expected.kind), "text": example.expected.text},
    }
