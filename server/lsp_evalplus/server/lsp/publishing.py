"""Publish to the client: diagnostics pushed or pulled, never both; lenses and hints refreshed; progress; problems."""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
import uuid
from collections.abc import Awaitable, Coroutine, Sequence
from typing import Any, Final, Protocol

from lsprotocol import types

from lsp_evalplus.server.checking.state import FileState
from lsp_evalplus.server.documents.documents import Document
from lsp_evalplus.server.documents.text_documents import TextDocuments
from lsp_evalplus.server.session.session import Session

from . import messages, user_tasks
from .convert import Converter

logger = logging.getLogger(__name__)

_REFRESH_SECONDS: Final = 0.02
_DEAR_SECONDS: Final = 0.005
_DEAR_SHARE: Final = 0.05
"""The share of the time that publishing a large file's results may take."""
_PROGRESS_AFTER_SECONDS: Final = 0.3
"""Checks shorter than this are not worth a progress bar."""
_PROGRESS_PAUSE_SECONDS: Final = 0.2
"""The time between two reports of a progress bar."""


class FindingsConnection(user_tasks.Connection, Protocol):
    """The part of the server that publishing uses."""

    session: Session
    text_documents: TextDocuments

    @property
    def converter(self) -> Converter:
        """Converts for the connected client."""
        ...

    def find(self, uri: str) -> tuple[Document, FileState] | None:
        """A document with its state, if the server follows it."""
        ...

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run `work` in the background."""
        ...

    def window_show_message(self, params: types.ShowMessageParams) -> None:
        """``window/showMessage``."""
        ...

    def text_document_publish_diagnostics(self, params: types.PublishDiagnosticsParams) -> None:
        """``textDocument/publishDiagnostics``."""
        ...

    def workspace_diagnostic_refresh_async(self, params: None) -> Awaitable[Any]:
        """``workspace/diagnostic/refresh``."""
        ...

    def workspace_code_lens_refresh_async(self, params: None) -> Awaitable[Any]:
        """``workspace/codeLens/refresh``."""
        ...

    def workspace_inlay_hint_refresh_async(self, params: None) -> Awaitable[Any]:
        """``workspace/inlayHint/refresh``."""
        ...


class Publisher:
    """The `session.Outbox` of a server."""

    def __init__(self, server: FindingsConnection) -> None:
        self._server = server
        self._numbers = itertools.count(1)
        self._shown: dict[str, tuple[str, Sequence[types.Diagnostic]]] = {}
        """The diagnostics that the client has, or should pull, by URI, with their result id."""
        self._pushed: set[str] = set()
        self._titles: dict[str, tuple[object, ...]] = {}
        self._refresh: asyncio.TimerHandle | None = None
        self._wanted: set[str] = set()
        self._costs: dict[str, float] = {}
        """How many seconds it took to publish a file's results."""
        self._delayed: dict[str, asyncio.TimerHandle] = {}
        self._told: set[str] = set()
        self.progress = ProgressBar(server)

    def findings_changed(self, uri: str) -> None:
        """See `session.Outbox`. Where publishing is slow (a thousand functions are checked), it is done less often."""
        cost, handle = self._costs.get(uri, 0.0), self._delayed.pop(uri, None)
        if cost < _DEAR_SECONDS or uri not in self._server.session.files:
            if handle is not None:
                handle.cancel()
            self._tell(uri)
        else:
            loop = asyncio.get_running_loop()
            self._delayed[uri] = handle or loop.call_later(cost / _DEAR_SHARE, self._tell, uri)

    def _tell(self, uri: str) -> None:
        started = time.perf_counter()
        self._delayed.pop(uri, None)
        self._publish_findings(uri)
        self._costs[uri] = time.perf_counter() - started
        if uri not in self._server.session.files:
            del self._costs[uri]

    def _publish_findings(self, uri: str) -> None:
        diagnostics = self.diagnostics(uri)
        document = self._server.text_documents.get(uri)
        if diagnostics != self._shown.get(uri, ("", []))[1]:
            self._shown[uri] = (str(next(self._numbers)), diagnostics)
            if document is not None and self._server.client.pulls_diagnostics:
                self._want("diagnostics")
            else:
                self._push(uri, document, diagnostics)
        if document is not None:
            self._retract_outside(uri)
        self._note_titles(uri)
        if uri not in self._server.session.files:
            self._shown.pop(uri, None)
            self._titles.pop(uri, None)

    def activity_changed(self, pending: int, name: str | None) -> None:
        """See `session.Outbox`."""
        self.progress.update(pending, name)

    def show_problem(self, sentence: str) -> None:
        """See `session.Outbox`."""
        if sentence not in self._told:
            self._told.add(sentence)
            self._server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, sentence))

    def forget_problems(self) -> None:
        """Settings were changed: remaining problems are shown again."""
        self._told.clear()

    def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """All current findings of a file."""
        found = self._server.find(uri)
        if found is None:
            return []
        document, file = found
        settings = self._server.session.folder_of(document).settings
        convert = self._server.converter.to_diagnostic
        return [convert(document, state, finding) for state, finding in file.findings(settings)]

    def report(self, uri: str, previous_id: str | None) -> types.DocumentDiagnosticReport:
        """The response to a pull."""
        if not self._server.client.pulls_diagnostics:
            return types.RelatedFullDocumentDiagnosticReport(items=[])
        diagnostics = self.diagnostics(uri)
        identifier, known = self._shown.get(uri, ("0", []))
        if known != diagnostics:
            identifier = str(next(self._numbers))
            self._shown[uri] = (identifier, diagnostics)
        if previous_id == identifier:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=identifier)
        return types.RelatedFullDocumentDiagnosticReport(items=diagnostics, result_id=identifier)

    def _push(self, uri: str, document: Document | None, diagnostics: Sequence[types.Diagnostic]) -> None:
        version = document.version if document is not None else None
        self._pushed.add(uri)
        if not diagnostics and uri not in self._server.session.files:
            self._pushed.discard(uri)
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=list(diagnostics), version=version)
        )

    def _retract_outside(self, uri: str) -> None:
        """A client that pulls opened a file with pushed findings: withdraw them, so that none shows twice."""
        if self._server.client.pulls_diagnostics and uri in self._pushed:
            self._pushed.discard(uri)
            self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))

    def _note_titles(self, uri: str) -> None:
        """Ask for a refresh of lenses and inlay hints that have changed."""
        found = self._server.find(uri)
        if found is None:
            return
        document, file = found
        settings = self._server.session.folder_of(document).settings
        titles = [(one.name, messages.lens_title(one, one.finding(settings))) for one in file.noted()]
        if self._titles.get(uri, ()) != tuple(titles):
            self._titles[uri] = tuple(titles)
            if self._server.client.refreshes_lenses and settings.code_lens:
                self._want("lenses")
            if self._server.client.refreshes_hints and settings.inlay_hints:
                self._want("hints")

    def _want(self, what: str) -> None:
        self._wanted.add(what)
        if self._refresh is None:
            self._refresh = asyncio.get_running_loop().call_later(_REFRESH_SECONDS, self._send_refreshes)

    def _send_refreshes(self) -> None:
        self._refresh = None
        wanted, self._wanted = self._wanted, set()
        requests: dict[str, Any] = {
            "diagnostics": self._server.workspace_diagnostic_refresh_async,
            "lenses": self._server.workspace_code_lens_refresh_async,
            "hints": self._server.workspace_inlay_hint_refresh_async,
        }
        for what in sorted(wanted):
            self._server.spawn(self._server.ask(requests[what](None)))


class ProgressBar:
    """One work-done progress while checks run, cancellable."""

    def __init__(self, server: FindingsConnection) -> None:
        self._server = server
        self._timer: asyncio.TimerHandle | None = None
        self._token: str | None = None
        self._is_begun = False
        self._pending = 0
        self._name = ""
        self._next_report = 0.0
        """When the loop's clock may see another report."""
        self._late: asyncio.TimerHandle | None = None

    def update(self, pending: int, name: str | None) -> None:
        """Report how many checks wait or run."""
        self._pending = pending
        self._name = name or self._name
        if not self._server.client.progress:
            return
        if pending and self._token is None and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_PROGRESS_AFTER_SECONDS, self._begin)
        elif not pending and self._timer is not None:
            self._timer.cancel()
            self._timer = None
        elif self._is_begun:
            pause = self._next_report - asyncio.get_running_loop().time()
            if not pending or pause <= 0:
                self._report()
            elif self._late is None:
                self._late = asyncio.get_running_loop().call_later(pause, self._report)

    def is_token(self, token: types.ProgressToken) -> bool:
        """Whether a token belongs to this progress bar."""
        return token == self._token

    def _begin(self) -> None:
        self._timer = None
        self._token = str(uuid.uuid4())
        self._server.spawn(self._create(self._token))

    async def _create(self, token: str) -> None:
        bar = self._server.work_done_progress
        await self._server.ask(bar.create_async(token))
        if not self._pending or token != self._token:
            self._token = None if token == self._token else self._token
            return
        begin = types.WorkDoneProgressBegin("lsp-evalplus", cancellable=True, message=self._message())
        bar.begin(token, begin)
        self._is_begun = True

    def _report(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
        assert self._token is not None
        bar = self._server.work_done_progress
        if self._pending:
            self._next_report = asyncio.get_running_loop().time() + _PROGRESS_PAUSE_SECONDS
            bar.report(self._token, types.WorkDoneProgressReport(message=self._message()))
            return
        bar.end(self._token, types.WorkDoneProgressEnd())
        bar.tokens.pop(self._token, None)
        self._token, self._is_begun = None, False

    def _message(self) -> str:
        more = f" and {self._pending - 1} more" if self._pending > 1 else ""
        return f"checking {self._name}{more}"
