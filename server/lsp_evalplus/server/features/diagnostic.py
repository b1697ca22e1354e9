"""``textDocument/diagnostic``: findings for clients that pull them; an empty report for those that get them pushed."""

from __future__ import annotations

from lsprotocol import types

from lsp_evalplus.server.lsp.language_server import EvalplusServer


async def pull(ls: EvalplusServer, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
    """The current findings; when they change, the client is asked to pull again."""
    return ls.publisher.report(params.text_document.uri, params.previous_result_id)
