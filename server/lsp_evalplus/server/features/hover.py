"""``textDocument/hover`` on a function's name: what was tried, and the result."""

from __future__ import annotations

from lsprotocol import types

from lsp_evalplus.server.documents.documents import touches
from lsp_evalplus.server.lsp import messages
from lsp_evalplus.server.lsp.language_server import EvalplusServer


async def hover(ls: EvalplusServer, params: types.HoverParams) -> types.Hover | None:
    """The state of the function whose name is under the cursor."""
    found = ls.find(params.text_document.uri)
    if found is None:
        return None
    document, file = found
    here = ls.text_documents.to_span(document, types.Range(params.position, params.position))
    for state in file.noted():
        if touches(here, state.facts.name_span):
            is_markdown = ls.client.markdown_hover
            text = messages.hover_text(state, ls.finding_of(document, state), document.lines, is_markdown=is_markdown)
            if text is None:
                return None
            kind = types.MarkupKind.Markdown if is_markdown else types.MarkupKind.PlainText
            where = ls.converter.to_range(document.lines, state.facts.name_span)
            return types.Hover(types.MarkupContent(kind, text), where)
    return None
