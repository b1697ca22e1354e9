"""``lspEvalplus/finding``: everything about one finding, for a client that shows it in a panel of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from lsp_evalplus.fuzz.counts import count
from lsp_evalplus.fuzz.model import Report, Tier
from lsp_evalplus.server.checking.state import Finding, FunctionState
from lsp_evalplus.server.documents.documents import touches
from lsp_evalplus.server.edits.wording import differs_by_arguments, differs_by_output, told
from lsp_evalplus.server.lsp import messages
from lsp_evalplus.server.lsp.extension_types import FindingView
from lsp_evalplus.server.lsp.language_server import EvalplusServer

from . import tried

METHOD: Final = "lspEvalplus/finding"

_WHY: Final[Mapping[Tier, str]] = {
    Tier.INSIDE: "The smallest one found that stays within the types, the contract and the shape of the examples.",
    Tier.WIDENED: "The smallest one found. It is valid as far as anything says, but unlike every example.",
    Tier.HANG: "The function does not end on it, where what it is compared with does.",
}


async def finding(ls: EvalplusServer, params: Any) -> FindingView | None:
    """``{textDocument: {uri}, position}``: the finding of the function whose name is at the position, or null."""
    found = ls.find(field_of(field_of(params, "textDocument"), "uri"))
    if found is None:
        return None
    document, file = found
    try:
        position = types.Position(
            field_of(field_of(params, "position"), "line"), field_of(field_of(params, "position"), "character")
        )
    except (TypeError, ValueError) as error:
        raise JsonRpcInvalidParams(message=f"the position is none: {error}") from error
    here = ls.text_documents.to_span(document, types.Range(position, position))
    for state, shown in file.findings(ls.session.folder_of(document).settings):
        if touches(here, state.facts.name_span):
            return view_of(state, shown)
    return None


def view_of(state: FunctionState, shown: Finding) -> FindingView:
    """The parameters of a panel: plain strings, shown unchanged, and numbers."""
    example = shown.counterexample
    actual, expected = example.candidate.text, example.expected.text
    if differs_by_arguments(example):
        actual = f"arguments afterwards: {example.candidate.mutated_arguments or 'unchanged'}"
        expected = f"arguments afterwards: {example.expected.mutated_arguments or 'unchanged'}"
    elif differs_by_output(example):
        actual, expected = example.candidate.output or "", example.expected.output or ""
    elif example.candidate.broken_promise is not None:
        actual = told(example.candidate)
    return {
        "function": state.name,
        "call": example.call,
        "actual": actual or told(example.candidate),
        "expected": expected or told(example.expected),
        "oracle": shown.oracle.source,
        "facts": _facts(state, shown),
        "tried": tried.view_of(shown.report.trace),
    }


def _facts(state: FunctionState, shown: Finding) -> list[tuple[str, str]]:
    facts = [("Message", messages.diagnostic_message(shown)), ("Inputs tried", _effort(shown.report))]
    facts.append(("Why this input", f"{_WHY[shown.counterexample.tier]} It was replayed in fresh processes."))
    facts += [("Also", messages.report_line(one)) for one in state.reports.values() if one is not shown.report]
    target = state.target
    if target is not None and target.skipped:
        facts.append(("Not run", ", ".join(target.skipped[:5])))
    if state.accepted is not None:
        facts.append(("Accepted", messages.certainty(state.accepted)))
    return facts


def _effort(report: Report) -> str:
    parts = [f"{report.inputs:,}"]
    parts += [f"not valid: {report.rejected:,} more"] if report.rejected else []
    parts += [f"{count(report.branches, 'branch', 'branches')} reached"] if report.branches else []
    return f"{', '.join(parts)}, in {report.seconds:.1f} s"


def field_of(value: Any, name: str) -> Any:
    """Return a field of a message, which may be an object or a mapping; None where it has none."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value).get(name)
    return getattr(value, name, None)
