"""The server object: the connection, the client's capabilities, and the session. `app` registers the features."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcMethodNotFound
from pygls.lsp.server import LanguageServer

from lsp_evalplus.server.checking.checker import CheckFunction
from lsp_evalplus.server.checking.state import FileState, Finding, FunctionState
from lsp_evalplus.server.documents.documents import Document
from lsp_evalplus.server.documents.text_documents import TextDocuments
from lsp_evalplus.server.session.session import Session
from lsp_evalplus.server.workspace.settings import ClientOptions

from .client import Client
from .convert import Converter
from .protocol import StrictProtocol
from .publishing import Publisher
from .user_tasks import UserTasks

logger = logging.getLogger(__name__)

_Result = TypeVar("_Result")

_NOTEBOOKS: Final = types.NotebookDocumentSyncOptions(
    # "*" is any notebook; without it lsprotocol 2025.0.0 cannot read the capability on the client's side.
    notebook_selector=[
        types.NotebookDocumentFilterWithNotebook(notebook="*", cells=[types.NotebookCellLanguage(language="python")])
    ],
    save=True,
)


class EvalplusServer(LanguageServer):
    """A language server with one session."""

    session: Session
    """Set by ``initialize``."""

    def __init__(self, check: CheckFunction, cache_folder: Path) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            "lsp-evalplus",
            version("lsp-evalplus"),
            protocol_cls=StrictProtocol,
            notebook_document_sync=_NOTEBOOKS,
        )
        self.check = check
        self.cache_folder = cache_folder
        self.client = Client()
        self.options = ClientOptions()
        self.text_documents = TextDocuments()
        self.publisher = Publisher(self)
        self.user_tasks = UserTasks(self)
        self.stopping = threading.Event()
        """Set when the connection is to end; pygls wants an event of threads."""
        self.on_stop: Callable[[], object] | None = None
        self.was_shut_down = False
        self.hears_proxies = False
        """Whether to listen for acceptances that a proxy observed."""
        self.watches_files = False
        """Whether the server watches work trees, for a client that does not."""
        self._tasks: set[asyncio.Future[Any]] = set()

    @property
    def converter(self) -> Converter:
        """Converts for the connected client."""
        return Converter(self.client, self.text_documents.encoding)

    @property
    def is_initialized(self) -> bool:
        """Whether there is a session."""
        return hasattr(self, "session")

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an internal error; the user is not interrupted by it."""
        if isinstance(error, JsonRpcInvalidParams | JsonRpcMethodNotFound):
            logger.info("a request was refused: %s", error)  # The response has reported it to the client.
            return
        if source is JsonRpcException and isinstance(error, ValueError | RecursionError):
            return  # What was received is no JSON; the reader has logged it.
        logger.error("%s: %s", getattr(source, "__name__", source), error, exc_info=error)
        try:
            text = f"lsp-evalplus failed at something; its log says more. {type(error).__name__}: {error}"
            self.window_log_message(types.LogMessageParams(types.MessageType.Error, text))
        except (RuntimeError, OSError):
            logger.debug("the client could not be told")

    def stop(self) -> None:
        """End the connection."""
        self.stopping.set()
        if self.on_stop is not None:
            self.on_stop()

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run `work` in the background; its failure is logged."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a task failed", exc_info=error)

    async def finish(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Do the work of the request that is being answered, until the client cancels it."""
        protocol = self.protocol
        assert isinstance(protocol, StrictProtocol)
        return await protocol.finish(work)

    async def ask(self, answer: Awaitable[_Result]) -> _Result | None:
        """The client's response to a request; None when it is an error.

        The wait is shielded: pygls 2.1.1 fails on the response to a request that was cancelled.
        """
        try:
            return await asyncio.shield(asyncio.ensure_future(answer))
        except (JsonRpcException, RuntimeError, OSError, TypeError, ValueError) as error:
            logger.info("the client refused a request: %s", error)
            return None

    def find(self, uri: str) -> tuple[Document, FileState] | None:
        """A document with its state, if the server has it."""
        document, file = self.session.document_at(uri), self.session.files.get(uri)
        return (document, file) if document is not None and file is not None else None

    def finding_of(self, document: Document, state: FunctionState) -> Finding | None:
        """The finding of a function, by the settings of its folder."""
        return state.finding(self.session.folder_of(document).settings)

    async def close(self) -> None:
        """End everything that was started for the client."""
        self.user_tasks.close()
        for task in list(self._tasks):
            task.cancel()
        if self.is_initialized:
            await self.session.close()
