"""Which functions count as accepted: reported by the client, detected, or remembered from earlier sessions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, Final

from lsp_evalplus.fuzz.model import Span
from lsp_evalplus.server.acceptance.acceptance import Acceptance, AcceptanceKind, AcceptanceStore, Certainty, Remembered
from lsp_evalplus.server.acceptance.detection import Insertion, InsertionWatch
from lsp_evalplus.server.acceptance.line_changes import line_changes
from lsp_evalplus.server.analysis.client import AnalysisClient
from lsp_evalplus.server.analysis.facts import FunctionFacts
from lsp_evalplus.server.checking.state import FileState, FunctionState
from lsp_evalplus.server.checking.triggers import Event
from lsp_evalplus.server.documents.documents import Document, Edit, path_of
from lsp_evalplus.server.documents.text_documents import TextDocuments
from lsp_evalplus.server.workspace.folders import Folder

logger = logging.getLogger(__name__)

_SAVE_SECONDS: Final = 1.0


class Acceptances:
    """Collects acceptances and maps them to functions."""

    def __init__(
        self,
        documents: TextDocuments,
        analysis: AnalysisClient,
        store: AcceptanceStore,
        notice: Callable[[str, Event], None],
        folder_of: Callable[[Document], Folder],
    ) -> None:
        """`notice` schedules another look at a file."""
        self.is_reporting = False
        """Whether the client has reported an acceptance: then detection is off."""
        self._documents = documents
        self._analysis = analysis
        self._store = store
        self._notice = notice
        self._folder_of = folder_of
        self._insertions = InsertionWatch()
        self._guesses: dict[str, asyncio.Task[None]] = {}
        """Code that may be a paste, or git's, by document."""
        self._saving: asyncio.TimerHandle | None = None
        self._background: set[asyncio.Task[None]] = set()

    def report(
        self,
        document: Document | None,
        file: FileState | None,
        version: int | None,
        spans: Sequence[Span],
        kind: AcceptanceKind,
        source: str | None,
    ) -> None:
        """The client reported accepted code."""
        self.is_reporting = True
        for guess in self._guesses.values():
            guess.cancel()
        if file is None or document is None or not spans:
            logger.info("an acceptance is dropped: its document is not open")
            return
        file.accepted.add(document, [document.clamped(span) for span in spans], version, kind, source)
        self._notice(document.uri, Event.ACCEPTED)

    def guess(self, document: Document, file: FileState, edits: Sequence[Edit]) -> None:
        """Detect accepted code, for clients that report none."""
        if self.is_reporting:
            return
        changes = line_changes(document, edits)
        insertion = self._insertions.notice(edits, self._texts_without(document, edits), changes, document.uri)
        if insertion is not None and insertion.is_streamed:
            # It is checked when the stream rests: half a function has its own faults.
            file.accepted.guess(document, insertion.span, Certainty.GUESSED)
        elif insertion is not None:
            self._start_guess(document, self._guess_unless_pasted(document, file, insertion))
        elif spans := self._insertions.agent_spans(edits, changes, self._spans(file)):
            self._start_guess(document, self._believe(document, file, spans, Certainty.OUTSIDE, document.version))

    def _start_guess(self, document: Document, work: Coroutine[Any, Any, None]) -> None:
        guess = self._guesses[document.uri] = self._spawn(work)
        guess.add_done_callback(lambda done: self._forget_guess(document.uri, done))

    def _texts_without(self, document: Document, edits: Sequence[Edit]) -> Iterator[str]:
        """The texts of open documents, of this one as it was before some edits."""
        yield document.before(edits).text
        yield from (other.text for other in self._documents if other.uri != document.uri)

    def _spans(self, file: FileState) -> Iterator[Span]:
        return (span for state in file.functions.values() for span in state.facts.spans)

    def _forget_guess(self, uri: str, guess: asyncio.Task[None]) -> None:
        if self._guesses.get(uri) is guess:
            del self._guesses[uri]

    async def settled(self, uri: str) -> None:
        """Wait until it is known where the latest code came from, so that nothing is reported twice."""
        guess = self._guesses.get(uri)
        if guess is not None:
            await asyncio.wait([guess])

    async def _guess_unless_pasted(self, document: Document, file: FileState, insertion: Insertion) -> None:
        """Drop detected code that occurs elsewhere in the project: it was copied from there."""
        path, version = path_of(document.uri), document.version
        root = str(self._folder_of(document).root)
        if path is None or not await self._analysis.stands_elsewhere(insertion.text, root, path):
            await self._believe(document, file, [insertion.span], Certainty.GUESSED, version)

    async def _believe(
        self, document: Document, file: FileState, spans: Sequence[Span], certainty: Certainty, version: int | None
    ) -> None:
        """Take detected code of a version of the document for accepted, unless git turns out to have brought it."""
        await self._analysis.forget_head()
        if self._documents.get(document.uri) is document and not self.is_reporting:
            for span in spans:
                file.accepted.guess(document, span, certainty, version)
            self._notice(document.uri, Event.ACCEPTED)

    def recall(
        self, path: str | None, file: FileState, state: FunctionState, facts: FunctionFacts, *, is_written: bool
    ) -> None:
        """Whether the function counts as accepted, by ranges of this session or by what is remembered.

        `is_written`: the file was just written by another program.
        """
        state.accepted = file.accepted.best_for(facts.spans) or state.accepted
        if facts.is_changed is False:
            state.accepted = None  # As at HEAD: not new.
            return
        if facts.is_stashed and state.accepted is not None and state.accepted.certainty is not Certainty.REPORTED:
            state.accepted = None  # `git stash pop` brought it; what is remembered of it counts.
        if state.accepted is None and path is not None:
            known = self._store.find(path, facts.name, facts.text_hash)
            if known is None and is_written and facts.is_changed and not facts.is_stashed:
                known = Certainty.OUTSIDE
            if known is not None:
                state.accepted = Acceptance(facts.span, AcceptanceKind.FULL, known)
        elif state.accepted is not None and path is not None:
            entry = Remembered(path, facts.name, facts.text_hash, state.accepted.certainty)
            if self._store.remember(entry):
                self._save_store()

    def close(self) -> None:
        """Save the acceptances to remember."""
        if self._saving is not None:
            self._saving.cancel()
            self._store.save()

    def _save_store(self) -> None:
        if self._saving is None:
            self._saving = asyncio.get_running_loop().call_later(_SAVE_SECONDS, self._save_store_now)

    def _save_store_now(self) -> None:
        self._saving = None
        self._spawn(asyncio.to_thread(self._store.save))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task
