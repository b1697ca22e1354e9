"""Fixes by a language model: requested by the user, shown only when they survive the fuzzer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import Budget, Oracle, OracleKind, Span
from lsp_evalplus.server.checking.checker import seconds_for
from lsp_evalplus.server.documents.documents import Document, path_of
from lsp_evalplus.server.edits.model import FileEdit, TextEdit
from lsp_evalplus.server.workspace.folders import Folder

from .quick_fixes import FixSubject

if TYPE_CHECKING:
    from lsp_evalplus.fuzz.llm.client import LlmClient


@dataclass(frozen=True, slots=True)
class NoFix:
    """Why there is no fix, as a clause."""

    reason: str


def why_not(folder: Folder, about: FixSubject) -> str | None:
    """Why no model may be asked about a finding, as a clause; None when it may."""
    path = path_of(about.document.uri)
    if not folder.settings.llm.enabled or path is None:
        return "llm.enabled is not set" if path is not None else "the text belongs to no file"
    # Imported late: the default configuration loads none of it.
    from lsp_evalplus.fuzz.llm import consent

    return consent.why_not(folder.settings.llm, consent.open_consents(), folder.root, Path(path))


async def find_fix(folder: Folder, about: FixSubject, pool: GuestPool) -> str | NoFix:
    """Ask the model, and check its answer against every oracle of the function except its previous version.

    Returns the corrected function without indentation. Tokens used are added to the day's account.

    Raises:
        UserError: the settings of the endpoint cannot be used.
        WorkerError: guests cannot be started.
    """
    from lsp_evalplus.fuzz.llm.setup import open_client, open_ledger

    path, prepared, llm = path_of(about.document.uri), about.state.prepared, folder.settings.llm
    if path is None or prepared is None:
        return NoFix("the function is not known any more")
    client = open_client(llm, folder.root, Path(path))
    if isinstance(client, str):
        return NoFix(client)
    budget = Budget(seconds_for(folder.settings.budget, prepared), seed=folder.settings.seed)
    try:
        async with client:
            text = await _ask(client, about, prepared.oracles, budget, pool)
    finally:
        open_ledger().add(client.usage)
    return text if text is not None else NoFix(f"{llm.model} proposed none that survives the check")


async def _ask(
    client: LlmClient, about: FixSubject, oracles: Sequence[Oracle], budget: Budget, pool: GuestPool
) -> str | None:
    from lsp_evalplus.fuzz.llm.fix import propose_fix

    finding = about.finding
    # A fix changes behaviour, so the previous version is no oracle for it.
    others = [one for one in oracles if one.kind not in {finding.oracle.kind, OracleKind.PREVIOUS}]
    seeds = about.file.known_inputs.get(about.state.name, ())
    example = finding.counterexample
    fix = await propose_fix(
        client, about.target, finding.oracle, example, budget, pool, seeds=tuple(seeds), others=others
    )
    return fix.text if fix is not None else None


def fix_edit(document: Document, span: Span, text: str) -> FileEdit:
    """Replaces the definition at `span` by the corrected function."""
    from lsp_evalplus.fuzz.llm.code import indent_function

    first = document.lines[span.start_line]
    indent = first[: len(first) - len(first.lstrip())]
    whole = Span(span.start_line, 0, span.end_line, span.end_column)
    return FileEdit(document.uri, (TextEdit(whole, indent_function(text, indent)),))
