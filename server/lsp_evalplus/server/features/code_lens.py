"""``textDocument/codeLens``: one line above each function that has a result."""

from __future__ import annotations

from lsprotocol import types

from lsp_evalplus.server.lsp import messages
from lsp_evalplus.server.lsp.language_server import EvalplusServer

from .commands import CHECK_FUNCTION, SHOW_INPUT


async def code_lens(ls: EvalplusServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Lenses of a file; a click shows the failing input or checks again."""
    uri = params.text_document.uri
    found = ls.find(uri)
    if found is None or not ls.session.folder_of(found[0]).settings.code_lens:
        return []
    document, file = found
    lenses: list[types.CodeLens] = []
    for state in file.noted():
        finding = ls.finding_of(document, state)
        title = messages.lens_title(state, finding)
        if title is not None:
            command = SHOW_INPUT if finding is not None else CHECK_FUNCTION
            argument = {"uri": uri, "name": state.name}
            where = ls.converter.to_range(document.lines, state.facts.name_span)
            lenses.append(types.CodeLens(where, types.Command(title, command, arguments=[argument])))
    return lenses
