"""Acceptances that a proxy observed (``lsp-evalplus proxy``), which do not come through the editor.

Their order relative to the editor's changes is undefined: the accepted text may not be in the document yet, nor the
document be open; both are waited for, briefly. Text that never appears was not accepted in this editor, or changed at
once, and is dropped.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, Final

from lsp_evalplus.fuzz.model import Span
from lsp_evalplus.proxy.rendezvous import listen
from lsp_evalplus.server.acceptance.acceptance import AcceptanceKind
from lsp_evalplus.server.documents.documents import Document, Encoding
from lsp_evalplus.server.lsp.language_server import EvalplusServer

logger = logging.getLogger(__name__)

_PATIENCE_SECONDS: Final = 3.0
_INTERVAL_SECONDS: Final = 0.02


async def hear(ls: EvalplusServer) -> None:
    """Listen to proxies until the server ends."""
    try:
        listener = await listen(ls.cache_folder / "listening", lambda params: ls.spawn(take(ls, params)))
    except OSError as error:
        logger.warning("completions accepted through the proxy will not be noticed: %s", error)
        return
    try:
        await asyncio.get_running_loop().create_future()
    finally:
        listener.close()


async def take(ls: EvalplusServer, params: Mapping[str, Any]) -> bool:
    """Take one report; whether its text was found in an open document."""
    try:
        uri, text = str(params["textDocument"]["uri"]), str(params["text"])
        kind, range_ = AcceptanceKind(params["kind"]), params["ranges"][0]
        numbers = [int(range_[end][part]) for end in ("start", "end") for part in ("line", "character")]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        logger.warning("the report of a proxy was not understood: %s", error)
        return False
    loop = asyncio.get_running_loop()
    end = loop.time() + _PATIENCE_SECONDS
    while loop.time() < end:
        document = ls.text_documents.get(uri)
        span = None if document is None else _span(document, *numbers)
        if document is not None and span is not None and _same_text(document.slice(span), text):
            ls.session.accept(uri, None, [span], kind, "proxy")
            return True
        await asyncio.sleep(_INTERVAL_SECONDS)
    return False


def _span(document: Document, line: int, units: int, end_line: int, end_units: int) -> Span | None:
    """Completion servers count columns in UTF-16, whatever our own client has chosen."""
    lines = document.lines
    if not 0 <= line <= end_line < len(lines):
        return None
    to_column = Encoding.UTF16.to_column
    return Span(line, to_column(lines[line], units), end_line, to_column(lines[end_line], end_units))


def _same_text(left: str, right: str) -> bool:
    return left.replace("\r\n", "\n") == right.replace("\r\n", "\n")
