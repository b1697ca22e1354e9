"""``textDocument/inlayHint``: findings after the function's header, where the setting asks for them."""

from __future__ import annotations

from lsprotocol import types

from lsp_evalplus.fuzz.model import Span
from lsp_evalplus.server.documents.documents import touches
from lsp_evalplus.server.lsp import messages
from lsp_evalplus.server.lsp.language_server import EvalplusServer


async def inlay_hint(ls: EvalplusServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Inlay hints in a range."""
    found = ls.find(params.text_document.uri)
    if found is None or not ls.session.folder_of(found[0]).settings.inlay_hints:
        return []
    document, file = found
    wanted = ls.text_documents.to_span(document, params.range)
    hints: list[types.InlayHint] = []
    for state, finding in file.findings(ls.session.folder_of(document).settings):
        line = state.facts.name_span.start_line
        end = len(document.lines[line].rstrip("\r\n"))
        place = Span(line, end, line, end)
        if touches(place, wanted):
            position = ls.converter.to_range(document.lines, place).start
            tooltip = messages.diagnostic_message(finding, state.accepted)
            hints.append(types.InlayHint(position, messages.hint_label(finding), tooltip=tooltip, padding_left=True))
    return hints
