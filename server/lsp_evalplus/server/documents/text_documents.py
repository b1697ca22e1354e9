"""The documents that the client has open, kept current by its notifications."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from lsprotocol import types

from lsp_evalplus.fuzz.model import Span

from .documents import Document, Edit, Encoding, path_of

logger = logging.getLogger(__name__)


class DocumentListener(Protocol):
    """Observer of documents. Called at once, in the order of the notifications; must not block."""

    def on_open(self, document: Document) -> None:
        """A document was opened."""
        ...

    def on_change(self, document: Document, edits: Sequence[Edit]) -> None:
        """A document was changed; the edit has been applied."""
        ...

    def on_close(self, document: Document) -> None:
        """A document was closed; its content on disk counts from now on."""
        ...

    def on_context(self, document: Document) -> None:
        """The cells above a notebook's cell were changed."""
        ...


class TextDocuments:
    """Open documents by URI, notebook cells among them."""

    def __init__(self) -> None:
        self.encoding = Encoding.UTF16
        self.listener: DocumentListener | None = None
        self._documents: dict[str, Document] = {}
        self._cells: dict[str, list[str]] = {}
        """Code and markup cells of each notebook, in order."""

    def get(self, uri: str) -> Document | None:
        """The open document, or None."""
        return self._documents.get(uri)

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._documents.values()))

    def __len__(self) -> int:
        return len(self._documents)

    def texts(self, uris: Iterable[str]) -> dict[str, str]:
        """The text of each open document that belongs to a file, by path."""
        found: dict[str, str] = {}
        for uri in uris:
            path, document = path_of(uri), self._documents.get(uri)
            if path is not None and document is not None:
                found[path] = document.text
        return found

    def cells_before(self, document: Document) -> list[Document]:
        """The code cells above a cell in its notebook."""
        above: list[Document] = []
        for uri in self._cells.get(document.notebook or "", []):
            if uri == document.uri:
                break
            cell = self._documents.get(uri)
            if cell is not None and cell.is_python:
                above.append(cell)
        return above

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """``textDocument/didOpen``."""
        self._open(params.text_document)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """``textDocument/didChange``; of a document that is not open it is dropped."""
        self._change(params.text_document.uri, params.text_document.version, params.content_changes)

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """``textDocument/didClose``."""
        self._close(params.text_document.uri)

    def did_open_notebook(self, params: types.DidOpenNotebookDocumentParams) -> None:
        """``notebookDocument/didOpen``."""
        notebook = params.notebook_document
        self._cells[notebook.uri] = [cell.document for cell in notebook.cells]
        for item in params.cell_text_documents:
            self._open(item, notebook.uri)

    def did_change_notebook(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """``notebookDocument/didChange``."""
        uri, change = params.notebook_document.uri, params.change.cells
        if change is None or uri not in self._cells:
            return
        first = len(self._cells[uri])
        if change.structure is not None:
            array = change.structure.array
            first = array.start
            new = [cell.document for cell in array.cells or ()]
            self._cells[uri][array.start : array.start + array.delete_count] = new
            for item in change.structure.did_open or ():
                self._open(item, uri)
            for closed in change.structure.did_close or ():
                self._close(closed.uri)
        for content in change.text_content or ():
            self._change(content.document.uri, content.document.version, content.changes)
            if content.document.uri in self._cells[uri]:
                first = min(first, self._cells[uri].index(content.document.uri) + 1)
        for cell in self._cells[uri][first:]:
            document = self._documents.get(cell)
            if document is not None and self.listener is not None:
                self.listener.on_context(document)

    def did_close_notebook(self, params: types.DidCloseNotebookDocumentParams) -> None:
        """``notebookDocument/didClose``."""
        self._cells.pop(params.notebook_document.uri, None)
        for cell in params.cell_text_documents:
            self._close(cell.uri)

    def _open(self, item: types.TextDocumentItem, notebook: str | None = None) -> None:
        document = Document.from_text(item.uri, item.text, item.version, str(item.language_id), notebook)
        self._documents[item.uri] = document
        if self.listener is not None:
            self.listener.on_open(document)

    def _change(self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> None:
        document = self._documents.get(uri)
        if document is None:
            logger.info("a change of %s is dropped: the document is not open", uri)
            return
        edits = [self._applied(document, change) for change in changes]
        document.version = version
        if self.listener is not None:
            self.listener.on_change(document, edits)

    def _applied(self, document: Document, change: types.TextDocumentContentChangeEvent) -> Edit:
        if isinstance(change, types.TextDocumentContentChangePartial):
            return document.replace(self.to_span(document, change.range), change.text)
        return document.replace_all(change.text)

    def to_span(self, document: Document, wanted: types.Range) -> Span:
        """A client's range as a span, moved inside the document."""
        start, end = self._to_position(document, wanted.start), self._to_position(document, wanted.end)
        return Span(*start, *max(start, end))

    def _to_position(self, document: Document, position: types.Position) -> tuple[int, int]:
        if position.line >= len(document.lines):
            return len(document.lines) - 1, len(document.lines[-1])
        return position.line, self.encoding.to_column(document.lines[position.line], position.character)

    def _close(self, uri: str) -> None:
        document = self._documents.pop(uri, None)
        if document is not None and self.listener is not None:
            self.listener.on_close(document)
