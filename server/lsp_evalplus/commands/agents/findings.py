"""The findings of one session with an agent, which asks about them later by their fingerprints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lsp_evalplus.commands.check.items import Request
from lsp_evalplus.commands.check.report import describe_finding, to_fingerprint, to_json
from lsp_evalplus.commands.check.run import Checked
from lsp_evalplus.fuzz.config.codes import code_of, page_of
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.model import Counterexample, FunctionTarget, Oracle, Verdict
from lsp_evalplus.server.edits import script

_KEPT = 1000


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding, and the request that led to it."""

    checked: Checked
    request: Request

    @property
    def parts(self) -> tuple[FunctionTarget, Counterexample, Oracle]:
        """What every finding has."""
        target, report = self.checked.item.target, self.checked.report
        assert target is not None
        assert report.counterexample is not None
        assert report.oracle is not None
        return target, report.counterexample, report.oracle

    @property
    def narrowed(self) -> Request:
        """The same request, for this function alone."""
        item = self.checked.item
        return replace(self.request, targets=(f"{item.path}::{item.name}",))


class Findings:
    """Findings by fingerprint; the oldest ones are forgotten when there are too many."""

    def __init__(self) -> None:
        self._found = dict[str, Finding]()

    def keep(self, checked: Checked, request: Request) -> None:
        """Remember a result if it is a finding; an earlier one of the same function is replaced."""
        item = checked.item
        if item.path is None:
            return
        place = (Path(item.path).resolve(), item.name)
        for key, old in list(self._found.items()):
            other = old.checked.item
            if other.path is not None and (Path(other.path).resolve(), other.name) == place:
                del self._found[key]
        if checked.report.verdict is Verdict.DIFFERS:
            self._found[to_fingerprint(checked)] = Finding(checked, request)
        while len(self._found) > _KEPT:
            del self._found[next(iter(self._found))]

    def get(self, fingerprint: str) -> Finding:
        """The finding of a fingerprint.

        Raises:
            UserError: this session has none.
        """
        if fingerprint not in self._found:
            raise UserError(f"there is no finding {fingerprint!r} in this session; check the function again.")
        return self._found[fingerprint]

    def to_json(self) -> list[dict[str, Any]]:
        """All of them, as ``check --format json`` prints targets."""
        return [to_json(one.checked) for one in self._found.values()]


def explain(finding: Finding) -> str:
    """A finding in Markdown: what is wrong, who says so, how to see it, what the code means."""
    checked = finding.checked
    target, found, oracle = finding.parts
    code = code_of(oracle.kind, found)
    source = "\n".join(target.program.source.split("\n")[target.span.start_line : target.span.end_line + 1])
    return "\n".join(
        [
            f"# {checked.item.place} {checked.item.name}: {code}",
            "",
            describe_finding(found, oracle),
            "",
            f"- call: `{found.call}`",
            f"- it {found.candidate.kind.value.replace('_', ' ')}: `{found.candidate.text}`",
            f"- expected: {found.expected.kind.value.replace('_', ' ')} `{found.expected.text}`",
            f"- judged by: {oracle.source} ({oracle.kind.value})",
            f"- the input is {found.tier.value}{f'; {found.remark}' if found.remark else ''}",
            f"- what this code means, and when it is mistaken: `lsp-evalplus explain {code}`, {page_of(code)}",
            "",
            "A script that shows it:",
            "",
            "```python",
            script.failing_input(target, found, oracle, source).rstrip("\n"),
            "```",
            "",
        ]
    )
