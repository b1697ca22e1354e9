"""``lspEvalplus.suggestFix``: a fix by the user's language model, applied only when nothing was found to break it."""

from __future__ import annotations

from typing import Any, Final

from lsprotocol import types

from lsp_evalplus.fuzz.errors import LspEvalplusError
from lsp_evalplus.fuzz.model import OracleKind
from lsp_evalplus.server.fixes import llm_fixes
from lsp_evalplus.server.fixes.llm_fixes import NoFix
from lsp_evalplus.server.fixes.quick_fixes import FixKind, FixSubject, QuickFix
from lsp_evalplus.server.lsp.language_server import EvalplusServer

SUGGEST_FIX: Final = "lspEvalplus.suggestFix"


def offers(ls: EvalplusServer, about: FixSubject) -> list[QuickFix]:
    """The quick fix, where the user's model may be asked about the file and the client applies edits."""
    folder = ls.session.folder_of(about.document)
    # A model's opinion is not an oracle for its own code.
    believed = about.finding.oracle.kind is not OracleKind.MODEL
    if not (believed and ls.options.trusted and ls.client.applies_edits and folder.settings.llm.enabled):
        return []
    if llm_fixes.why_not(folder, about) is not None:
        return []
    model = folder.settings.llm.model
    return [
        QuickFix(FixKind.SUGGEST_FIX, f"Ask {model} to fix {about.target.name}; applied only if it survives the check")
    ]


async def suggest(ls: EvalplusServer, about: FixSubject) -> dict[str, Any]:
    """Ask for a fix of a finding and apply it if it survives; else show why there is none, once and quietly."""
    folder, before = ls.session.folder_of(about.document), about.document.slice(about.target.span)
    refusal = llm_fixes.why_not(folder, about)
    found = NoFix(refusal) if refusal is not None else await ls.user_tasks.run("finding a fix", _find(ls, about))
    if found is None:
        return {"applied": False, "reason": "it was cancelled"}
    reason = found.reason if isinstance(found, NoFix) else await _apply(ls, about, before, found)
    if reason is not None:
        text = f"lsp-evalplus: no fix for {about.state.name}: {reason}."
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
    return {"applied": reason is None, "reason": reason or ""}


async def _find(ls: EvalplusServer, about: FixSubject) -> str | NoFix:
    folder = ls.session.folder_of(about.document)
    try:
        return await llm_fixes.find_fix(folder, about, await ls.session.folders.pool_of(folder))
    except LspEvalplusError as error:
        return NoFix(str(error).rstrip("."))


async def _apply(ls: EvalplusServer, about: FixSubject, before: str, text: str) -> str | None:
    """Replace the function at its current position; return why that failed, or None."""
    uri, name = about.document.uri, about.state.name
    found = ls.find(uri)
    state = found[1].functions.get(name) if found is not None else None
    if found is None or state is None or found[0].slice(state.facts.span) != before:
        return "the function has changed meanwhile; ask again"
    document = found[0]
    edit = llm_fixes.fix_edit(document, state.facts.span, text)
    converted = ls.converter.to_workspace_edit([edit], lambda _: document)
    answer = await ls.ask(ls.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(converted, "Suggested fix")))
    return None if answer is not None and answer.applied else "the editor did not apply it"
