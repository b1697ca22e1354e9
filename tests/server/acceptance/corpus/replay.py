"""Plays a recorded edit to the classes of the server that recognise accepted code, as a session does."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from lsprotocol import types

from lsp_evalplus.server.acceptance.acceptance import AcceptanceStore
from lsp_evalplus.server.analysis.analysis import Analysis
from lsp_evalplus.server.analysis.facts import FileText
from lsp_evalplus.server.analysis.worktree import stands_elsewhere
from lsp_evalplus.server.checking.schedule import Breather
from lsp_evalplus.server.checking.state import FileState
from lsp_evalplus.server.documents.documents import Document
from lsp_evalplus.server.documents.text_documents import TextDocuments
from lsp_evalplus.server.session.acceptances import Acceptances

from .clients import Event
from .recording import Recording


class _OwnAnalysis:
    """What the analysis processes answer, without the processes."""

    def __init__(self) -> None:
        self._analysis = Analysis()

    async def stands_elsewhere(self, text: str, folder: str, path: str | None) -> bool:
        return stands_elsewhere(text, folder, path)

    async def forget_head(self) -> None:
        self._analysis.questions()["forget_head"]()

    def survey(self, text: str, path: str) -> Any:
        return self._analysis.survey(FileText(text, path), ())


class _Session:
    """A session with one file that is edited; listens to its documents."""

    def __init__(self, path: Path, cache: Path) -> None:
        self.analysis, self.documents = _OwnAnalysis(), TextDocuments()
        self.uri = path.as_uri()
        self.file = FileState(self.uri)
        folder: Any = SimpleNamespace(root=path.parent)
        analysis: Any = self.analysis
        self.acceptances = Acceptances(
            self.documents,
            analysis,
            AcceptanceStore(cache, str(path)),
            lambda uri, event: None,
            lambda document: folder,
        )
        self.documents.listener = self

    def on_open(self, document: Document) -> None: ...

    def on_close(self, document: Document) -> None: ...

    def on_context(self, document: Document) -> None: ...

    def on_change(self, document: Document, edits: Any) -> None:
        pieces = [piece for edit in edits for piece in edit.pieces()]
        self.file.follow(pieces)
        self.file.accepted.follow(document.version, pieces)
        self.acceptances.guess(document, self.file, edits)

    def open(self, uri: str, text: str) -> None:
        self.documents.did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 0, text)))

    async def change(self, event: Event, version: int) -> None:
        document = types.VersionedTextDocumentIdentifier(version, self.uri)
        changes = [_to_change(change) for change in event]
        self.documents.did_change(types.DidChangeTextDocumentParams(document, changes))
        await self.acceptances.settled(self.uri)

    async def survey(self) -> str:
        document = self.documents.get(self.uri)
        assert document is not None
        await self.file.take(self.analysis.survey(document.text, document.path or ""), Breather())
        return document.text


def _to_change(change: dict[str, Any]) -> types.TextDocumentContentChangeEvent:
    if "range" not in change:
        return types.TextDocumentContentChangeWholeDocument(change["text"])
    start, end = (types.Position(**change["range"][side]) for side in ("start", "end"))
    return types.TextDocumentContentChangePartial(types.Range(start, end), change["text"])


async def marked_functions(recording: Recording, folder: Path) -> tuple[set[str], set[str]]:
    """The functions that count as accepted after the edit, and those whose text the edit changed."""
    path = recording.path or folder / "module.py"
    for name, text in recording.files.items():
        (folder / name).write_text(text)
    session = _Session(path, folder.parent / "cache")
    session.open(session.uri, recording.text)
    for name, text in recording.opened.items():
        session.open((folder / name).as_uri(), text)
    before, version = await session.survey(), 0
    for version, event in enumerate(recording.before, 1):
        await session.change(event, version)
    if recording.before:
        before = await session.survey()
    session.file.accepted.accepted.clear()
    for state in session.file.functions.values():
        state.accepted = None
    if recording.command is not None:
        recording.command()
    for number, event in enumerate(recording.events, version + 1):
        await session.change(event, number)
    after = await session.survey()
    for name in recording.files:
        (folder / name).unlink()
    for state in session.file.functions.values():
        session.acceptances.recall(str(path), session.file, state, state.facts, is_written=False)
    # The store is not saved: what one recording marks must not be remembered in the next one.
    marked = {name for name, state in session.file.functions.items() if state.accepted is not None}
    return marked, _changed(before, after)


def _changed(before: str, after: str) -> set[str]:
    old, new = _texts(before), _texts(after)
    return {name for name, text in new.items() if old.get(name) != text}


def _texts(text: str) -> dict[str, str]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return {}
    found: dict[str, str] = {}
    _collect(tree, "", found)
    return found


def _collect(node: ast.AST, prefix: str, found: dict[str, str]) -> None:
    for child in ast.iter_child_nodes(node):
        name = prefix
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}{child.name}."
            if not isinstance(child, ast.ClassDef):
                found[f"{prefix}{child.name}"] = ast.dump(child)
                name += "<locals>."
        _collect(child, name, found)


def play(recording: Recording, folder: Path) -> tuple[set[str], set[str]]:
    """See `marked_functions`."""
    return asyncio.run(marked_functions(recording, folder))
