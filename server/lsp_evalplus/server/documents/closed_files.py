"""Files that are not open in the editor, read from disk."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from lsp_evalplus.fuzz.files import read_ordinary

from .documents import Document, path_of
from .text_documents import TextDocuments

logger = logging.getLogger(__name__)


class ClosedFiles:
    """Cached documents of files that are not open, and the current content of files to edit."""

    def __init__(self, documents: TextDocuments) -> None:
        self._open = documents
        self._read: dict[str, Document] = {}

    def get(self, uri: str) -> Document | None:
        """The file as it was read last."""
        return self._read.get(uri)

    def forget(self, uri: str) -> bool:
        """Forget a file that is open now, or gone; whether it was cached."""
        return self._read.pop(uri, None) is not None

    async def read(self, uri: str) -> Document | None:
        """Read a file from disk; None where there is none that can be read."""
        path = path_of(uri)
        if path is None:
            return None
        document = await _read_document(Path(path), uri)
        if document is not None:
            self._read[uri] = document
        return document

    async def text_at(self, path: str) -> str | None:
        """The content of a file, from its open document or from disk; None where there is neither."""
        document = await self.document_for_edit(path)
        return document.text.replace("\r\n", "\n") if document is not None else None

    async def document_for_edit(self, place: str) -> Document | None:
        """The document at a path or URI as it is now: open, or read from disk; None where there is none."""
        for document in self._open:
            if document.uri == place or path_of(document.uri) == place:
                return document
        known = self._read.get(place)
        if known is not None or "://" in place:
            return known
        return await _read_document(Path(place), Path(place).as_uri())


async def _read_document(path: Path, uri: str) -> Document | None:
    try:
        return Document.from_text(uri, await asyncio.to_thread(_read_exactly, path))
    except (OSError, UnicodeDecodeError) as error:
        logger.info("%s is not read: %s", path, error)
        return None


def _read_exactly(path: Path) -> str:
    """The text with the line ends that the file has, which an edit must not change."""
    return read_ordinary(path).decode()
