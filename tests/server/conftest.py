"""An editor for tests: a real server process over stdio, driven by pytest-lsp, that leaves no message unread."""

from __future__ import annotations

import ast
import asyncio
import dataclasses
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp.client import LanguageClient

from .. import forked

PATIENCE_SECONDS = 120.0
QUIET = {"$/progress", "workspace/codeLens/refresh", "workspace/inlayHint/refresh", "client/registerCapability"}
"""Messages that a test need not read: they come when they come. What they say is kept in `Editor.seen`."""


@dataclasses.dataclass
class Message:
    """A notification or request that the server sent."""

    method: str
    params: Any
    at: float


class Editor:
    """A client with an inbox. `close` fails when a message was not read."""

    def __init__(self, root: Path, capabilities: types.ClientCapabilities, options: dict[str, Any] | None) -> None:
        self.root = root
        self.capabilities = capabilities
        self.options = options
        self.inbox: list[Message] = []
        self.seen: list[Message] = []
        self.configuration: dict[str, Any] = {}
        self.applied: list[types.WorkspaceEdit] = []
        self._arrived = asyncio.Event()
        self.client = LanguageClient(converter_factory=default_converter)
        self._versions: dict[str, int] = {}
        self.texts: dict[str, str] = {}
        self.server: types.InitializeResult | None = None
        self.folders: list[Path] = [root]
        self._register()

    # -- the wire ----------------------------------------------------------------------------------------------------

    def _register(self) -> None:
        answers: dict[str, Callable[[Any], Any]] = {
            "textDocument/publishDiagnostics": lambda _: None,
            "window/showMessage": lambda _: None,
            "window/logMessage": lambda _: None,
            "$/progress": lambda _: None,
            "window/workDoneProgress/create": lambda _: None,
            "workspace/codeLens/refresh": lambda _: None,
            "workspace/inlayHint/refresh": lambda _: None,
            "workspace/diagnostic/refresh": lambda _: None,
            "client/registerCapability": lambda _: None,
            "window/showDocument": lambda _: types.ShowDocumentResult(success=True),
            "workspace/configuration": self._configure,
            "workspace/applyEdit": self._apply,
        }
        for method, answer in answers.items():
            self._handle(method, answer)

    def _handle(self, method: str, answer: Callable[[Any], Any]) -> None:
        def handler(params: Any) -> Any:
            message = Message(method, params, time.perf_counter())
            self.seen.append(message)
            if method not in QUIET and method not in {"workspace/configuration", "window/workDoneProgress/create"}:
                self.inbox.append(message)
            self._arrived.set()
            return answer(params)

        self.client.feature(method)(handler)

    def _configure(self, params: types.ConfigurationParams) -> list[Any]:
        return [self.configuration.get(item.scope_uri or "", {}) for item in params.items]

    def _apply(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        self.apply(params.edit)
        self.applied.append(params.edit)
        return types.ApplyWorkspaceEditResult(applied=True)

    async def start(self, *command: str) -> None:
        """Start the server with a command, and the session with it."""
        await self.client.start_io(*command, env=dict(os.environ))
        folders = [types.WorkspaceFolder(folder.as_uri(), folder.name) for folder in self.folders]
        self.server = await self.client.initialize_session(
            types.InitializeParams(
                capabilities=self.capabilities,
                workspace_folders=folders,
                root_uri=self.root.as_uri(),
                initialization_options=self.options,
            )
        )

    async def close(self) -> None:
        """End the session in order; nothing may be left unread and the process must have ended well."""
        await asyncio.wait_for(self.client.shutdown_session(), PATIENCE_SECONDS)
        await self.client.stop()
        unread = [(message.method, message.params) for message in self.inbox]
        assert unread == []
        assert self.client._server is not None
        assert self.client._server.returncode == 0

    async def wait(self, condition: Callable[[], Any], seconds: float = PATIENCE_SECONDS) -> Any:
        """Wait until a condition on what arrived holds; gives what it gives."""
        deadline = time.monotonic() + seconds
        while not (found := condition()):
            self._arrived.clear()
            left = deadline - time.monotonic()
            assert left > 0, f"nothing of the kind came; unread: {[m.method for m in self.inbox]}"
            try:
                await asyncio.wait_for(self._arrived.wait(), min(left, 0.5))
            except TimeoutError:
                continue
        return found

    async def take(
        self, method: str, fits: Callable[[Any], bool] = lambda _: True, seconds: float = PATIENCE_SECONDS
    ) -> Any:
        """The first unread message of a method that fits; it counts as read."""

        def find() -> Message | None:
            return next((one for one in self.inbox if one.method == method and fits(one.params)), None)

        message = await self.wait(find, seconds)
        self.inbox.remove(message)
        return message.params

    # -- documents ---------------------------------------------------------------------------------------------------

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        return path

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def open(self, name: str, text: str | None = None, version: int = 1) -> str:
        """Write and open a file; gives its URI."""
        if text is not None:
            self.write(name, text)
        uri = self.uri(name)
        self.texts[uri] = (self.root / name).read_bytes().decode("utf-8")
        self._versions[uri] = version
        item = types.TextDocumentItem(uri, "python", version, self.texts[uri])
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, text: str) -> int:
        """Replace the whole text; gives the new version."""
        return self.edit(uri, types.TextDocumentContentChangeWholeDocument(text), text)

    def replace(self, uri: str, old: str, new: str) -> int:
        """Replace the only occurrence of `old` by an incremental change."""
        text = self.texts[uri]
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
        start = text.index(old)
        where = types.Range(self.position(text, start), self.position(text, start + len(old)))
        return self.edit(uri, types.TextDocumentContentChangePartial(where, new), text.replace(old, new))

    def edit(self, uri: str, change: types.TextDocumentContentChangeEvent, text: str) -> int:
        self._versions[uri] += 1
        self.texts[uri] = text
        identifier = types.VersionedTextDocumentIdentifier(self._versions[uri], uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
        return self._versions[uri]

    def save(self, uri: str) -> None:
        Path(uri.removeprefix("file://")).write_text(self.texts[uri], encoding="utf-8")
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def close_document(self, uri: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def position(self, text: str, offset: int) -> types.Position:
        """Where an offset is, in the units that were agreed on."""
        before = text[:offset].replace("\r\n", "\n")
        line, column = before.count("\n"), before[before.rfind("\n") + 1 :]
        encoding = self.encoding
        width = {"utf-8": len(column.encode()), "utf-16": len(column.encode("utf-16-le")) // 2, "utf-32": len(column)}
        return types.Position(line, width[encoding])

    def offset(self, text: str, position: types.Position) -> int:
        lines = text.splitlines(keepends=True)
        start = sum(len(line) for line in lines[: position.line])
        line = lines[position.line] if position.line < len(lines) else ""
        for column in range(len(line) + 1):
            if self.position(line, column).character >= position.character:
                return start + column
        return start + len(line)

    @property
    def encoding(self) -> str:
        assert self.server is not None
        found = self.server.capabilities.position_encoding
        return str(getattr(found, "value", found) or "utf-16")

    # -- what is asked often -----------------------------------------------------------------------------------------

    async def diagnostics(
        self, uri: str, fits: Callable[[list[types.Diagnostic]], bool] = bool, seconds: float = PATIENCE_SECONDS
    ) -> types.PublishDiagnosticsParams:
        """Read published diagnostics of a document until they fit; gives the last."""
        while True:
            params = await self.take("textDocument/publishDiagnostics", lambda one: one.uri == uri, seconds)
            if fits(list(params.diagnostics)):
                return params

    async def actions(self, uri: str, diagnostic: types.Diagnostic) -> list[types.CodeAction]:
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(uri), diagnostic.range, types.CodeActionContext([diagnostic])
        )
        answer = await self.client.protocol.send_request_async("textDocument/codeAction", params)
        return [to_action(one) for one in answer or []]

    async def chosen(self, uri: str, diagnostic: types.Diagnostic, title: str) -> types.CodeAction:
        """The action whose title contains `title`, resolved."""
        actions = [one for one in await self.actions(uri, diagnostic) if title in one.title]
        assert len(actions) == 1, [one.title for one in actions]
        if actions[0].edit is None and actions[0].command is None:
            return await self.client.code_action_resolve_async(actions[0])
        return actions[0]

    async def until_read(self, uri: str) -> None:
        """Wait until the server has read the newest text of a document, and has begun what is due because of that."""
        await self.run("lspEvalplus.checkFunction", {"uri": uri, "name": "nothing.is.called.so"})

    async def run(self, command: str, *arguments: Any) -> Any:
        params = types.ExecuteCommandParams(command, list(arguments))
        return await asyncio.wait_for(self.client.workspace_execute_command_async(params), PATIENCE_SECONDS)

    def apply(self, edit: types.WorkspaceEdit) -> None:
        """Do what an editor does with an edit: change files on disk and tell the server about open ones."""
        if edit.changes:
            for uri, edits in edit.changes.items():
                self._apply_edits(uri, list(edits))
        for change in edit.document_changes or ():
            if isinstance(change, types.CreateFile):
                path = Path(change.uri.removeprefix("file://"))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
            else:
                assert isinstance(change, types.TextDocumentEdit)
                version = change.text_document.version
                assert version is None or version == self._versions[change.text_document.uri]
                self._apply_edits(change.text_document.uri, list(change.edits))

    def _apply_edits(self, uri: str, edits: list[Any]) -> None:
        path = Path(uri.removeprefix("file://"))
        text = self.texts.get(uri, path.read_bytes().decode() if path.exists() else "")
        edits.reverse()
        edits.sort(key=lambda one: (one.range.start.line, one.range.start.character), reverse=True)
        for one in edits:
            start, end = self.offset(text, one.range.start), self.offset(text, one.range.end)
            text = text[:start] + one.new_text + text[end:]
        path.write_bytes(text.encode())
        if uri in self.texts:
            self.change(uri, text)


def to_action(given: Any) -> types.CodeAction:
    """lsprotocol 2025.0.0 reads an action that has a command as a command, and its inner object as text."""
    if isinstance(given, types.CodeAction) or not given.command.startswith("{"):
        return given
    return types.CodeAction(title=given.title, command=types.Command(**ast.literal_eval(given.command)))


def modern(**changes: Any) -> types.ClientCapabilities:
    """What a complete editor says it can do; `changes` switch parts: encodings, pull, watch, progress and so on."""
    encodings = changes.get("encodings", ["utf-16"])
    pull = changes.get("pull", False)
    properties = ["edit"] if changes.get("resolve", True) else []
    literals = types.ClientCodeActionLiteralOptions(types.ClientCodeActionKindOptions([types.CodeActionKind.QuickFix]))
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=encodings),
        workspace=types.WorkspaceClientCapabilities(
            apply_edit=True,
            configuration=changes.get("configuration", True),
            workspace_folders=True,
            workspace_edit=types.WorkspaceEditClientCapabilities(
                document_changes=changes.get("document_changes", True),
                resource_operations=[types.ResourceOperationKind.Create],
            ),
            code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True),
            inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=True),
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=pull),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(
                dynamic_registration=changes.get("watch", True)
            ),
            did_change_configuration=types.DidChangeConfigurationClientCapabilities(dynamic_registration=True),
        ),
        window=types.WindowClientCapabilities(
            work_done_progress=changes.get("progress", True),
            show_document=types.ShowDocumentClientCapabilities(support=changes.get("show_document", True)),
        ),
        notebook_document=types.NotebookDocumentClientCapabilities(types.NotebookDocumentSyncClientCapabilities()),
        text_document=types.TextDocumentClientCapabilities(
            synchronization=types.TextDocumentSyncClientCapabilities(did_save=True),
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
                related_information=True, version_support=True, code_description_support=True, data_support=True
            ),
            diagnostic=types.DiagnosticClientCapabilities() if pull else None,
            hover=types.HoverClientCapabilities(
                content_format=[types.MarkupKind.Markdown] if changes.get("markdown", True) else None
            ),
            code_lens=types.CodeLensClientCapabilities(),
            inlay_hint=types.InlayHintClientCapabilities(),
            code_action=types.CodeActionClientCapabilities(
                code_action_literal_support=literals if changes.get("literals", True) else None,
                is_preferred_support=True,
                data_support=True,
                resolve_support=types.ClientCodeActionResolveOptions(properties),
            ),
        ),
    )


@pytest.fixture(scope="session", autouse=True)
def empty_configuration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The user trusts no project and has allowed nothing, whoever runs the tests; guests run under this interpreter.

    What else may be on the PATH, such as the scripts of pyenv, takes longer to start than a check.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VIRTUAL_ENV", sys.prefix)
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("configuration")))
        yield


@pytest.fixture(autouse=True)
def forked_zygotes() -> Iterator[None]:
    """Zygotes start as forks. Tests of how they start and end are elsewhere."""
    with forked.forked_zygotes():
        yield


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server under test has its own caches and configuration; guests run under this interpreter."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)


@pytest.fixture
def server_command() -> tuple[str, ...]:
    """What starts a server. Tests of its process and of what that leaves behind start the installed one."""
    return (*forked.command(), "serve")


EditorMaker = Callable[..., Awaitable[Editor]]


@pytest_asyncio.fixture
async def new_editor(environment: None, tmp_path: Path, server_command: tuple[str, ...]) -> AsyncIterator[EditorMaker]:
    """Make editors; each is closed, and its inbox checked, at the end of the test."""
    made: list[Editor] = []

    async def make(
        *arguments: str,
        options: dict[str, Any] | None = None,
        files: dict[str, str] | None = None,
        before: Callable[[Editor], None] | None = None,
        command: tuple[str, ...] = server_command,
        **capabilities: Any,
    ) -> Editor:
        root = tmp_path / "project"
        root.mkdir(exist_ok=True)
        editor = Editor(root, modern(**capabilities), options)
        editor.write("pyproject.toml", "")
        for name, text in (files or {}).items():
            editor.write(name, text)
        if before is not None:
            before(editor)
        await asyncio.wait_for(editor.start(*command, *arguments), PATIENCE_SECONDS)
        made.append(editor)
        return editor

    yield make
    for editor in made:
        if editor.client._server is not None and editor.client._server.returncode is None:
            await editor.close()


@pytest_asyncio.fixture
async def editor(new_editor: EditorMaker) -> Editor:
    """An ordinary editor."""
    return await new_editor()
