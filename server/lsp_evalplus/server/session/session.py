"""One client's session: documents, the state of their functions, and the reactions to events.

Everything here runs on the event loop and takes microseconds; reading files is the analysis process's work, running
code the guests'. `Outbox` notifies those who compute from the state what to show.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

from lsp_evalplus.fuzz.errors import UserError, WorkerError
from lsp_evalplus.fuzz.model import Counterexample, OracleKind, Report, Span, Verdict
from lsp_evalplus.fuzz.source.notebook import blank_magics
from lsp_evalplus.server.acceptance.acceptance import AcceptanceKind, AcceptanceStore
from lsp_evalplus.server.analysis.client import AnalysisClient
from lsp_evalplus.server.analysis.facts import FileText, FunctionFacts
from lsp_evalplus.server.checking.checker import Checker, CheckFunction, CheckProgress, CheckRequest
from lsp_evalplus.server.checking.results import ResultStore
from lsp_evalplus.server.checking.schedule import Breather, JobScheduler, Priority
from lsp_evalplus.server.checking.state import FileState, FunctionState, oracle_id
from lsp_evalplus.server.checking.triggers import Event, is_due
from lsp_evalplus.server.documents.closed_files import ClosedFiles
from lsp_evalplus.server.documents.documents import Document, Edit, path_of, touches
from lsp_evalplus.server.documents.text_documents import TextDocuments
from lsp_evalplus.server.workspace.folders import Folder, Folders, Power, places_for
from lsp_evalplus.server.workspace.settings import ClientOptions

from .acceptances import Acceptances
from .dependents import Dependents
from .reading_schedule import Surveys

logger = logging.getLogger(__name__)
_MAX_OUTSIDE_FILES: Final = 300
_CHECKED_AGAIN: Final = frozenset(Event) - {Event.EDITED, Event.ACCEPTED, Event.KNOWN}
"""Events after which the same text may have another result."""


class Outbox(Protocol):
    """Observer of changes of the state."""

    def findings_changed(self, uri: str) -> None:
        """What is shown of a file may have changed."""
        ...

    def activity_changed(self, pending: int, name: str | None) -> None:
        """`count` checks wait or run; `name` is the function of the newest."""
        ...

    def show_problem(self, sentence: str) -> None:
        """A problem that the user can fix; the same sentence is shown once."""
        ...


class Session:
    """State and behaviour of one connection."""

    def __init__(
        self,
        documents: TextDocuments,
        outbox: Outbox,
        check: CheckFunction,
        *,
        options: ClientOptions,
        store: AcceptanceStore,
        results: ResultStore | None = None,
    ) -> None:
        self.documents = documents
        self.options = options
        self.folders = Folders()
        self.folders.trusts_workspace = options.vouches
        self.folders.set_initial(options.values)
        self.folders.interpreters.on_late = lambda: self.notice_everywhere(Event.OUTSIDE)
        self.analysis = AnalysisClient()
        self._scheduler = JobScheduler(1, on_idle=self._report_activity)
        self._results = results
        self.checker = Checker(self.analysis, self.folders, check, self._scheduler.submit, results=results)
        self.files: dict[str, FileState] = {}
        self._dependents = Dependents(self.files, self.notice)
        self._outbox = outbox
        self._power = Power()
        self._acceptances = Acceptances(documents, self.analysis, store, self.notice, self.folder_of)
        self._surveys = Surveys(self._look)
        self.closed = ClosedFiles(documents)
        self._open_paths: dict[str, str] = {}
        self._dirty: set[str] = set()  # Including those that were not compared with the disk yet.
        self._waiting: dict[tuple[str, str], list[asyncio.Future[None]]] = {}  # By URI and qualified name.
        self._numbers = itertools.count(1)
        self._visible: str | None = None

    # -- documents ---------------------------------------------------------------------------------------------------

    def on_open(self, document: Document) -> None:
        """See `DocumentListener`."""
        if not document.is_python:
            return
        self._visible = document.uri
        if (path := path_of(document.uri)) is not None:
            self._open_paths[path] = document.uri
        if self.closed.forget(document.uri):
            self._outbox.findings_changed(document.uri)
        self._dirty.add(document.uri)
        self._file(document.uri)
        self.notice(document.uri, Event.OPENED)

    def on_change(self, document: Document, edits: Sequence[Edit]) -> None:
        """See `DocumentListener`."""
        file = self.files.get(document.uri)
        if file is None:
            return
        self._visible = document.uri
        self._dirty.add(document.uri)
        pieces = [piece for edit in edits for piece in edit.pieces()]
        is_urgent = self._has_stake(file, pieces)
        file.follow(pieces)
        file.accepted.follow(document.version, pieces)
        self._acceptances.guess(document, file, edits)
        if is_urgent:
            self._surveys.start_soon(document.uri)
        self._surveys.start_at_rest(document.uri, self.folder_of(document).settings.debounce)

    def on_close(self, document: Document) -> None:
        """See `DocumentListener`."""
        path, is_dirty = path_of(document.uri), document.uri in self._dirty
        self._dirty.discard(document.uri)
        self._open_paths.pop(path or "", None)
        self._forget(document.uri)
        if is_dirty:
            self._dependents.changed(path)  # Its version on disk counts again.

    def on_context(self, document: Document) -> None:
        """See `DocumentListener`."""
        file = self.files.get(document.uri)
        if file is not None:
            file.edition += 1
            if any(one.has_counterexample() for one in file.noted()):
                self._surveys.start_soon(document.uri)
            self._surveys.start_at_rest(document.uri, self.folder_of(document).settings.debounce)

    def did_save(self, uri: str) -> None:
        """A document was saved: it counts, and so do functions elsewhere that depend on it."""
        self._dirty.discard(uri)
        if uri in self.files:
            self.notice(uri, Event.SAVED)
        self._dependents.changed(path_of(uri))

    def document_at(self, uri: str) -> Document | None:
        """The document of a URI: open, or read from disk by `look_at_disk`."""
        return self.documents.get(uri) or self.closed.get(uri)

    def folder_of(self, document: Document) -> Folder:
        """The folder whose settings count for a document."""
        return self.folders.folder_of(path_of(document.notebook or document.uri))

    def accept(
        self, uri: str, version: int | None, spans: Sequence[Span], kind: AcceptanceKind, source: str | None
    ) -> None:
        """The client reported accepted code."""
        file, document = self.files.get(uri), self.documents.get(uri)
        self._acceptances.report(document, file, version, spans, kind, source)

    # -- looking at files --------------------------------------------------------------------------------------------

    def notice(self, uri: str, event: Event) -> None:
        """An event of a file: look at it now."""
        self._surveys.notice(uri, event)

    def notice_everywhere(self, event: Event) -> None:
        """An event that may concern every open file."""
        for uri in list(self.files):
            self.notice(uri, event)

    async def _look(self, uri: str, events: set[Event]) -> bool:
        """Read a file and react to its content; see `reading_schedule.Look`."""
        await self._acceptances.settled(uri)
        document, file = self.document_at(uri), self.files.get(uri)
        if document is None or file is None or not self.options.trusted:
            return True
        edition, text = file.edition, self.file_text(document)
        try:
            references = self.folder_of(document).designated(text.path)
            survey = await self.analysis.survey(text, references)
        except WorkerError as error:
            logger.error("%s could not be read: %s", uri, error)
            return True
        if not self._is_current(document, file, edition):
            return self.document_at(uri) is None
        self._surveys.note_cost(uri, survey.seconds)
        if survey.is_saved and Event.OPENED in events:
            self._dirty.discard(uri)
        if uri in self._dirty and events & {Event.OPENED, Event.EDITED, Event.ACCEPTED}:
            self._dependents.changed(path_of(uri), Event.UNSAVED)
        breather = Breather()
        gone = await file.take(survey, breather)
        if gone is None:
            return False
        for state in gone:
            if state.is_noted:
                self._scheduler.cancel((uri, state.name))
                self.checker.forget(path_of(uri), state.name)
                self._release(uri, state.name)
        return await self._react_to_all(document, file, edition, events, breather)

    def _is_current(self, document: Document, file: FileState, edition: int) -> bool:
        return self.document_at(file.uri) is document and file.edition == edition

    async def _react_to_all(
        self, document: Document, file: FileState, edition: int, events: set[Event], breather: Breather
    ) -> bool:
        """React to the file's content; False when it was edited meanwhile."""
        uri, path, folder = document.uri, path_of(document.uri), self.folder_of(document)
        folder.known.refresh()
        is_excluded = folder.excludes(path) and Event.ASKED not in events
        for problem in (*folder.problems, folder.known.problem):
            if problem is not None:
                self._outbox.show_problem(problem)
        for state in list(file.functions.values()):
            await breather.rest()
            if not self._is_current(document, file, edition):
                return self.document_at(uri) is None
            facts = state.facts
            is_written = Event.WRITTEN in events and self.documents.get(uri) is None
            self._acceptances.recall(path, file, state, facts, is_written=is_written)
            if is_excluded:
                self._drop(uri, state)
                continue
            if state.reports:
                state.silenced = folder.known.silenced(path, state.name, state.reports.values())
            self._react(uri, file, folder, state, facts, events)
        self._outbox.findings_changed(uri)
        return True

    def _react(
        self,
        uri: str,
        file: FileState,
        folder: Folder,
        state: FunctionState,
        facts: FunctionFacts,
        events: set[Event],
    ) -> None:
        is_new = state.checked_key != state.key
        has_failed = bool(file.known_inputs.get(state.name))
        trigger = folder.settings.trigger
        due = [
            event
            for event in events
            if is_due(trigger, event, facts, is_accepted=state.accepted is not None, has_finding=has_failed)
            and (is_new or event in _CHECKED_AGAIN)
        ]
        if due:
            state.replayed_key = None  # Findings of this check may have to be replayed, even for this version.
            self._submit(uri, state, self._priority(uri, due), is_forced=Event.ASKED in due)
        elif is_new and state.replayed_key != state.key:
            self._retry(uri, file, state)

    def _drop(self, uri: str, state: FunctionState) -> None:
        """Forget what is shown of a function."""
        if state.is_noted:
            self._scheduler.cancel((uri, state.name))
            self.checker.forget(path_of(uri), state.name)
            state.reports, state.checked_key, state.obstacle = {}, None, None

    def _retry(self, uri: str, file: FileState, state: FunctionState) -> None:
        """A function changed: its old verdict is void, and its old counterexample is replayed at once."""
        if state.is_checking and state.job_key == state.key:
            return  # The check of this version tries the old counterexample first, and somebody may wait for it.
        if state.is_checking:
            self._scheduler.cancel((uri, state.name))
            state.checked_key = None  # Should this version come back, its check has not finished.
        state.replayed_key = state.key
        if state.has_counterexample() and file.known_inputs.get(state.name):
            kinds = [kind for (kind, _), report in state.reports.items() if report.verdict is Verdict.DIFFERS]
            request = self._request(uri, state)
            self._start(
                uri,
                state,
                lambda on_progress: self.checker.replay(request, kinds, on_progress),
                Priority.REPLAY,
                is_replay=True,
            )
        elif state.checked_key is not None or state.is_noted:
            state.reports, state.checked_key, state.obstacle = {}, None, None

    # -- checking ----------------------------------------------------------------------------------------------------

    def _priority(self, uri: str, events: Sequence[Event]) -> Priority:
        if Event.ASKED in events:
            return Priority.ASKED
        if Event.ACCEPTED in events:
            return Priority.ACCEPTED
        return Priority.VISIBLE if uri == self._visible else Priority.BACKGROUND

    def _submit(
        self, uri: str, state: FunctionState, priority: Priority, *, factor: float = 1.0, is_forced: bool = False
    ) -> None:
        is_under_way = state.is_checking and state.job_key == state.key and not state.is_replaying
        if is_under_way and not is_forced and self._dependents.missed(state) is None:
            return
        request = self._request(uri, state, factor)
        self._start(uri, state, lambda on_progress: self.checker.check(request, on_progress), priority)

    def _request(self, uri: str, state: FunctionState, factor: float = 1.0) -> CheckRequest:
        document, file = self.document_at(uri), self.files[uri]
        assert document is not None
        return CheckRequest(
            file=self.file_text(document),
            name=state.name,
            folder=self.folder_of(document),
            open_texts=self.documents.texts(self._dirty),
            known_inputs=tuple(file.known_inputs.get(state.name, ())),
            replaced=self._replaced_text(document, state),
            factor=factor,
        )

    def _replaced_text(self, document: Document, state: FunctionState) -> str | None:
        """The content of the document before accepted code replaced other code."""
        replaced = state.accepted.replaced if state.accepted is not None else None
        if replaced is None or document.notebook is None:
            return replaced
        return self.file_text(Document.from_text(document.uri, replaced, notebook=document.notebook)).text

    def _start(
        self,
        uri: str,
        state: FunctionState,
        work: Callable[[Callable[[CheckProgress], None]], Awaitable[None]],
        priority: Priority,
        *,
        is_replay: bool = False,
    ) -> None:
        if not self.options.trusted:
            self._release(uri, state.name)
            return
        self._set_places(uri)
        key, name, text_key, number = (uri, state.name), state.name, state.key, next(self._numbers)
        state.job_number = number
        self._scheduler.cancel(key)
        self._dependents.begin(state)
        state.is_checking, state.is_replaying, state.job_key = True, is_replay, text_key

        async def run() -> None:
            def on_progress(progress: CheckProgress) -> None:
                self._learn(uri, name, text_key, progress, is_replay=is_replay)

            try:
                await work(on_progress)
            finally:
                self._finish(uri, name, number)

        self._scheduler.submit(key, run, priority, on_drop=lambda: self._finish(uri, name, number))
        self._outbox.activity_changed(self._scheduler.pending, name)

    def _learn(self, uri: str, name: str, text_key: str, progress: CheckProgress, *, is_replay: bool) -> None:
        """Take the progress of a check, unless the function has changed since."""
        file = self.files.get(uri)
        state = file.functions.get(name) if file is not None else None
        if file is None or state is None or state.key != text_key:
            return
        state.prepare(progress.prepared, is_first=progress.report is None)
        state.obstacle = progress.obstacle
        state.learn_from(text_key, is_replay=is_replay)
        if progress.obstacle is not None:
            state.reports = {}
            if progress.is_broken:
                # Not every client shows lenses, and this lens is above every function.
                document = self.document_at(uri)
                place = self.folder_of(document).root if document is not None else uri
                self._outbox.show_problem(f"Nothing is checked in {place}: {progress.obstacle}.")
        report = progress.report
        if report is not None and report.oracle is not None:
            self._learn_report(file, state, report, is_replay=is_replay)
        self._outbox.findings_changed(uri)

    def _learn_report(self, file: FileState, state: FunctionState, report: Report, *, is_replay: bool) -> None:
        assert report.oracle is not None
        reports, identity = dict(state.reports), oracle_id(report.oracle)
        for text in report.counterexample.own_inputs if report.counterexample is not None else ():
            file.remember_input(state.name, text)
        if is_replay and report.verdict is not Verdict.DIFFERS:
            reports.pop(identity, None)  # It is no longer a counterexample; more is not known yet.
            state.checked_key = None
        else:
            reports[identity] = report
        state.reports = reports
        document, path = self.document_at(file.uri), path_of(file.uri)
        if document is not None:
            state.silenced = self.folder_of(document).known.silenced(path, state.name, reports.values())
        state.fresh |= {identity}

    def _finish(self, uri: str, name: str, number: int) -> None:
        """A job has ended, in any way. Waiters keep waiting if a newer job has replaced it."""
        file = self.files.get(uri)
        state = file.functions.get(name) if file is not None else None
        if state is not None and state.job_number != number:
            return
        if state is not None:
            if state.checked_key == state.job_key and not state.is_replaying:
                state.reports = {kind: one for kind, one in state.reports.items() if kind in state.fresh}
                if (event := self._dependents.missed(state)) is not None:
                    self.notice(uri, event)  # What it depends on was not known yet, or nobody could wait for it.
            state.is_checking = state.is_replaying = False
            self._outbox.findings_changed(uri)
        self._release(uri, name)
        asyncio.get_running_loop().call_soon(self._report_activity)

    def _release(self, uri: str, name: str) -> None:
        """Release the waiters for a function's result."""
        for waiting in self._waiting.pop((uri, name), []):
            if not waiting.done():
                waiting.set_result(None)

    def _report_activity(self) -> None:
        self._outbox.activity_changed(self._scheduler.pending, None)

    def _set_places(self, uri: str) -> None:
        document = self.document_at(uri)
        if document is not None:
            self._scheduler.places = 1 if self._power.is_scarce() else places_for(self.folder_of(document).settings)

    # -- asked for ---------------------------------------------------------------------------------------------------

    async def check_now(
        self,
        uri: str,
        names: Sequence[str] | None = None,
        factor: float = 1.0,
        priority: Priority = Priority.ASKED,
    ) -> list[FunctionState]:
        """Check functions of a file on request, and wait for the results; all functions by default."""
        if not self.options.trusted or not await self.look_at_disk(uri):
            return []
        await self._surveys.finished(uri)
        file = self.files.get(uri)
        states = [state for state in file.functions.values() if names is None or state.name in names] if file else []
        waiting: list[asyncio.Future[None]] = []
        breather = Breather()
        for state in states:
            if await breather.rest() and (uri not in self.files or state.name not in self.files[uri].functions):
                continue
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.setdefault((uri, state.name), []).append(done)
            waiting.append(done)
            self._submit(uri, state, priority, factor=factor, is_forced=True)
        try:
            if waiting:
                await asyncio.wait(waiting)
        except asyncio.CancelledError:
            self._give_up(uri, states, waiting)
            raise
        return states

    def _give_up(self, uri: str, states: Sequence[FunctionState], waiting: Sequence[asyncio.Future[None]]) -> None:
        """A request was cancelled; checks with other waiters go on."""
        for state in states:
            key = uri, state.name
            others = [one for one in self._waiting.get(key, []) if one not in waiting]
            if self._waiting.get(key) and not others:
                self._scheduler.cancel(key)

    async def changed_files(self) -> list[str]:
        """The Python files of the workspace that differ from HEAD."""
        found: dict[str, None] = {}
        if not self.options.trusted:
            return []
        for folder in self.folders.workspace_folders:
            found |= dict.fromkeys(await self.analysis.changed_files(folder) or ())
        within = [
            path for path in found if self.folders.is_within(path) and not self.folders.folder_of(path).excludes(path)
        ]
        return within[:_MAX_OUTSIDE_FILES]

    async def check_changed(self, uri: str) -> list[FunctionState]:
        """Check the functions of a file that differ from HEAD, on request."""
        if not self.options.trusted or not await self.look_at_disk(uri):
            return []
        await self._surveys.finished(uri)
        file = self.files.get(uri)
        changed = [one.name for one in file.functions.values() if one.facts.is_changed] if file is not None else []
        return await self.check_now(uri, changed, priority=Priority.BULK) if changed else []

    async def warm_up(self) -> None:
        """Start the guests of the first workspace folder, so that the first check need not wait for them."""
        folder = self.folders.folder_of(None)
        await self.analysis.start()
        try:
            await self.folders.pool_of(folder)
        except (UserError, WorkerError) as error:
            logger.warning("%s: %s", folder.root, error)
        if self._results is not None:
            await self._results.warm_up()
        await self.analysis.warm_memory()

    async def ignore(self, document: Document, name: str, kind: OracleKind, example: Counterexample) -> None:
        """Write a finding into the folder's baseline.

        Raises:
            UserError: the baseline cannot be written.
        """
        path, known = path_of(document.uri), self.folder_of(document).known
        if path is None:
            raise UserError("only findings in files can be in a baseline.")
        await asyncio.to_thread(known.add, path, name, kind, example)
        self.notice_everywhere(Event.KNOWN)

    def settings_changed(self) -> None:
        """Settings were changed: read them again, and look at all open documents."""
        self.folders.forget_settings()
        self.notice_everywhere(Event.OUTSIDE)

    async def head_moved(self) -> None:
        """A commit or checkout: other functions may count as changed now."""
        await self.analysis.forget_head()
        self.notice_everywhere(Event.OUTSIDE)

    def cancel_all(self) -> int:
        """End all checks; return how many there were."""
        self.checker.cancel_all()
        return self._scheduler.cancel_all()

    async def look_at_disk(self, uri: str) -> bool:
        """Make sure that there is a document for a URI, reading the file if it is not open."""
        if self.documents.get(uri) is not None:
            return uri in self.files
        document = await self.closed.read(uri)
        if self.documents.get(uri) is not None:
            self.closed.forget(uri)
            return uri in self.files
        if document is None:
            self._forget(uri)
            return False
        self._file(uri)
        return True

    async def changed_outside(self, uris: Sequence[str]) -> None:
        """Files changed on disk: an agent's edit, a checkout, a formatter. Files outside the project are ignored."""
        paths = {path: uri for uri in uris if (path := path_of(uri)) is not None}
        closed = [path for path, uri in paths.items() if self.documents.get(self.uri_of(path, uri)) is None]
        if closed:
            await self.analysis.forget_head()  # It may be git that wrote them.
        own = set(await self.analysis.own_files(closed, self.folders.workspace_folders)) if closed else set[str]()
        looked = 0
        for path, given in paths.items():
            uri = self.uri_of(path, given)
            if self.documents.get(uri) is not None:
                self.notice(uri, Event.WRITTEN)
            elif uri in self.files or (path in own and looked < _MAX_OUTSIDE_FILES):
                looked += 1
                if await self.look_at_disk(uri):
                    self.notice(uri, Event.WRITTEN)
            self._dependents.changed(path)

    def uri_of(self, path: str, otherwise: str) -> str:
        """The URI under which a file is open: editors write the same location in different ways."""
        return self._open_paths.get(path, otherwise)

    # -- housekeeping ------------------------------------------------------------------------------------------------

    def file_text(self, document: Document) -> FileText:
        """The source of a document; for a notebook's cell, below that of the cells above it."""
        if document.notebook is None:
            return FileText(document.text, path_of(document.uri))
        above = "".join(f"{blank_magics(cell.text)}\n" for cell in self.documents.cells_before(document))
        return FileText(above + blank_magics(document.text), None, first_line=above.count("\n"))

    async def close(self) -> None:
        """End all tasks, processes and guests."""
        self._surveys.stop()
        await self.checker.close()
        await self._scheduler.close()
        await asyncio.gather(self.folders.close(), self.analysis.close())
        self._acceptances.close()
        if self._results is not None:
            await self._results.close()

    def _file(self, uri: str) -> FileState:
        return self.files.setdefault(uri, FileState(uri))

    def _forget(self, uri: str) -> None:
        file = self.files.pop(uri, None)
        self.closed.forget(uri)
        self._surveys.forget(uri)
        path = path_of(uri)
        for state in file.noted() if file is not None else ():
            self._scheduler.cancel((uri, state.name))
            self.checker.forget(path, state.name)
        self._outbox.findings_changed(uri)

    def _has_stake(self, file: FileState, edits: Sequence[Edit]) -> bool:
        """Whether an edit may touch a function with a finding, or one that is being checked."""
        concerned = [one for one in file.noted() if one.is_checking or one.has_counterexample()]
        # An edit of a callee changes its callers as well: with a finding in the file, every edit is looked at soon.
        return any(one.has_counterexample() for one in concerned) or any(
            touches(edit.span, span) for one in concerned for span in one.facts.spans for edit in edits
        )
