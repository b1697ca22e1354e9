"""``textDocument/codeAction`` and ``codeAction/resolve``: quick fixes of the findings in a range.

A client that can resolve gets titles now and edits when the user chooses one; others get everything at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from lsp_evalplus.server.documents.documents import Document, touches
from lsp_evalplus.server.fixes import quick_fixes
from lsp_evalplus.server.fixes.quick_fixes import FixKind, FixSubject, QuickFix
from lsp_evalplus.server.lsp import messages
from lsp_evalplus.server.lsp.language_server import EvalplusServer

from . import suggest_fix
from .commands import CHECK_FUNCTION, DEBUG_INPUT, IGNORE_FINDING, SHOW_INPUT

_COMMANDS: Final = {
    FixKind.SHOW_INPUT: SHOW_INPUT,
    FixKind.DEBUG: DEBUG_INPUT,
    FixKind.CHECK_LONGER: CHECK_FUNCTION,
    FixKind.ADD_TO_BASELINE: IGNORE_FINDING,
    FixKind.SUGGEST_FIX: suggest_fix.SUGGEST_FIX,
}
_LONGER: Final = 10

Action = types.Command | types.CodeAction


async def code_action(ls: EvalplusServer, params: types.CodeActionParams) -> list[Action]:
    """The fixes of every finding that the range touches."""
    uri, only = params.text_document.uri, params.context.only
    found = ls.find(uri)
    if found is None or (only is not None and not any(_includes(kind) for kind in only)):
        return []
    document, file = found
    here = ls.text_documents.to_span(document, params.range)
    actions: list[Action] = []
    for state, finding in file.findings(ls.session.folder_of(document).settings):
        if not touches(here, state.facts.name_span):
            continue
        about = quick_fixes.subject(document, file, state, finding)
        if about is not None:
            diagnostics = _diagnostics_of(params.context.diagnostics, state.name, finding.counterexample.call)
            baseline = ls.session.folder_of(document).known.path
            for offer in [*quick_fixes.offers(about, baseline), *suggest_fix.offers(ls, about)]:
                actions += await _action(ls, about, offer, diagnostics)
    return actions


async def resolve(ls: EvalplusServer, action: types.CodeAction) -> types.CodeAction:
    """Compute the edit of the action that the user chose."""
    data: Any = action.data
    if action.edit is not None or not isinstance(data, Mapping):
        return action
    chosen = cast("Mapping[str, Any]", data)
    try:
        uri, name, fix, detail = str(chosen["uri"]), str(chosen["name"]), FixKind(chosen["fix"]), str(chosen["detail"])
    except (KeyError, ValueError) as error:
        raise JsonRpcInvalidParams(message=f"this action is not one that was offered: {error}") from error
    about = _subject(ls, uri, name)
    if about is not None:
        action.edit = await _edit(ls, about, fix, detail)
    if action.edit is None:
        ls.window_show_message(
            types.ShowMessageParams(types.MessageType.Info, f"lsp-evalplus: not possible any more: {action.title}")
        )
    return action


def _includes(kind: types.CodeActionKind | str) -> bool:
    """Whether a requested kind includes quick fixes: itself, or the empty kind."""
    return str(getattr(kind, "value", kind)) in {"", "quickfix"}


def _diagnostics_of(given: Sequence[types.Diagnostic], name: str, call: str) -> list[types.Diagnostic]:
    """The client's diagnostics of this finding; matched by message for clients that drop ``data``."""
    own: list[types.Diagnostic] = []
    for one in given:
        data: Any = one.data
        of_name = isinstance(data, Mapping) and cast("Mapping[str, Any]", data).get("name") == name
        if one.source == messages.SOURCE and (of_name or (data is None and call in one.message)):
            own.append(one)
    return own


async def _action(
    ls: EvalplusServer, about: FixSubject, offer: QuickFix, diagnostics: Sequence[types.Diagnostic]
) -> list[Action]:
    command = _command(about, offer)
    if not ls.client.literal_actions:
        return [command] if command is not None else []
    action = types.CodeAction(
        offer.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=list(diagnostics) or None,
        command=command,
    )
    if ls.client.preferred_actions and offer.fix is FixKind.ADD_TEST:
        action.is_preferred = True
    if command is not None:
        return [action]
    if ls.client.resolves_edits:
        action.data = {
            "uri": about.document.uri,
            "name": about.state.name,
            "fix": offer.fix.value,
            "detail": offer.detail,
        }
        return [action]
    action.edit = await _edit(ls, about, offer.fix, offer.detail)
    return [action] if action.edit is not None else []


def _command(about: FixSubject, offer: QuickFix) -> types.Command | None:
    name = _COMMANDS.get(offer.fix)
    if name is None:
        return None
    argument: dict[str, Any] = {"uri": about.document.uri, "name": about.state.name}
    if offer.fix is FixKind.CHECK_LONGER:
        argument["budgetFactor"] = _LONGER
    return types.Command(offer.title, name, arguments=[argument])


def _subject(ls: EvalplusServer, uri: str, name: str) -> FixSubject | None:
    found = ls.find(uri)
    state = found[1].functions.get(name) if found is not None else None
    if found is None or state is None:
        return None
    finding = ls.finding_of(found[0], state)
    return quick_fixes.subject(*found, state, finding) if finding is not None else None


async def _edit(ls: EvalplusServer, about: FixSubject, fix: FixKind, detail: str) -> types.WorkspaceEdit | None:
    edits = await quick_fixes.edits_for(ls.session, about, fix, detail)
    if edits is None:
        return None
    documents: dict[str, Document] = {}
    for edit in edits:
        document = await ls.session.closed.document_for_edit(edit.place)
        if document is not None:
            documents[edit.place] = document
    return ls.converter.to_workspace_edit(edits, documents.get)
