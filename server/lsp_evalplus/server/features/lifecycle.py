"""Start and end of a session, settings, folders, saved and watched files."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final, cast

from lsprotocol import types

from lsp_evalplus.server.acceptance.acceptance import AcceptanceStore
from lsp_evalplus.server.analysis.git_watcher import GitWatcher
from lsp_evalplus.server.checking.results import ResultStore
from lsp_evalplus.server.checking.triggers import Event
from lsp_evalplus.server.documents.documents import Encoding, path_of
from lsp_evalplus.server.lsp.client import Client
from lsp_evalplus.server.lsp.convert import to_uri
from lsp_evalplus.server.lsp.language_server import EvalplusServer
from lsp_evalplus.server.session.session import Session
from lsp_evalplus.server.workspace.settings import read_client_options

from . import diagnostic

logger = logging.getLogger(__name__)

SECTION: Final = "lspEvalplus"
_WATCHED: Final = ("**/*.py", "**/pyproject.toml", "**/.git/HEAD", "**/.git/refs/heads/**")


def start_session(ls: EvalplusServer, params: types.InitializeParams) -> None:
    """``initialize``: read the client's capabilities and options.

    Not async, so that it ends before the next message is read: some clients open documents without waiting.
    """
    ls.client = Client.of(params.capabilities)
    ls.options = read_client_options(params.initialization_options)
    # An enumeration's member or, for the encoding that the client listed first, its string.
    encoding: Any = ls.workspace.position_encoding or Encoding.UTF16
    ls.text_documents.encoding = Encoding(str(getattr(encoding, "value", encoding)))
    folders = [folder.uri for folder in params.workspace_folders or ()]
    if not folders:
        folders = [ls.workspace.root_uri] if ls.workspace.root_uri else []
    paths = [path for uri in folders if (path := path_of(uri)) is not None]
    workspace = "\0".join(sorted(paths))
    store, results = AcceptanceStore(ls.cache_folder, workspace), ResultStore(ls.cache_folder, workspace)
    ls.session = Session(ls.text_documents, ls.publisher, ls.check, options=ls.options, store=store, results=results)
    for path in paths:
        ls.session.folders.add_workspace_folder(path)
    ls.text_documents.listener = ls.session


async def started(ls: EvalplusServer, params: types.InitializedParams) -> None:
    """``initialized``: prepare for the first document."""
    if not ls.client.pulls_diagnostics:
        # Not advertised; a client that pulls nevertheless gets an empty report, because its findings are pushed.
        ls.feature(types.TEXT_DOCUMENT_DIAGNOSTIC)(diagnostic.pull)
    if not ls.options.trusted:
        logger.warning("the workspace is not trusted: nothing is executed")
        return
    await begin(ls)


async def begin(ls: EvalplusServer) -> None:
    """Prepare to check: the workspace is trusted."""
    ls.spawn(ls.session.warm_up())
    if not ls.client.watches_files and not ls.watches_files:
        ls.watches_files = True
        ls.spawn(_watch(ls))
    await _register(ls)
    await read_configuration(ls)


async def _watch(ls: EvalplusServer) -> None:
    """Watch files for clients that do not send ``workspace/didChangeWatchedFiles``."""
    session = ls.session
    around = GitWatcher(session.analysis.tree_state, session.changed_outside, session.head_moved)
    await around.watch(lambda: session.folders.workspace_folders if ls.options.trusted else [])


async def _register(ls: EvalplusServer) -> None:
    registrations: list[types.Registration] = []
    if ls.client.registers_configuration:
        options = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        registrations.append(types.Registration("settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options))
    if ls.client.watches_files:
        patterns = dict.fromkeys([*_WATCHED, *(f"**/{path.name}" for path in ls.session.folders.baselines())])
        watchers = [types.FileSystemWatcher(pattern) for pattern in patterns]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        registrations.append(types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if registrations:
        await ls.ask(ls.client_register_capability_async(types.RegistrationParams(registrations)))


async def read_configuration(ls: EvalplusServer) -> None:
    """Ask the client for its settings, for everything and for each folder."""
    if not ls.client.configuration:
        return
    folders = ls.session.folders
    scopes = [None, *folders.workspace_folders]
    items = [
        types.ConfigurationItem(section=SECTION, scope_uri=to_uri(scope) if scope is not None else None)
        for scope in scopes
    ]
    answers: Any = await ls.ask(ls.workspace_configuration_async(types.ConfigurationParams(items)))
    if isinstance(answers, list | tuple):
        for scope, values in zip(scopes, cast("list[object]", answers), strict=False):
            folders.configure(scope, _settings(ls, values))


async def change_configuration(ls: EvalplusServer, params: types.DidChangeConfigurationParams) -> None:
    """``workspace/didChangeConfiguration``: request the settings again, or take those that were sent."""
    ls.publisher.forget_problems()
    if ls.client.configuration:
        await read_configuration(ls)
    else:
        ls.session.folders.configure(None, _settings(ls, _section(params.settings)))
    ls.session.settings_changed()


async def change_folders(ls: EvalplusServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """``workspace/didChangeWorkspaceFolders``."""
    for folder in params.event.added:
        if (path := path_of(folder.uri)) is not None:
            ls.session.folders.add_workspace_folder(path)
    for folder in params.event.removed:
        if (path := path_of(folder.uri)) is not None:
            ls.session.folders.remove_workspace_folder(path)
    await read_configuration(ls)
    ls.session.settings_changed()


async def save(ls: EvalplusServer, params: types.DidSaveTextDocumentParams) -> None:
    """``textDocument/didSave``."""
    if params.text_document.uri.endswith("pyproject.toml"):
        ls.session.settings_changed()
    ls.session.did_save(params.text_document.uri)


async def save_notebook(ls: EvalplusServer, params: types.DidSaveNotebookDocumentParams) -> None:
    """``notebookDocument/didSave``: its cells count as saved."""
    for document in ls.text_documents:
        if document.notebook == params.notebook_document.uri:
            ls.session.did_save(document.uri)


async def change_watched_files(ls: EvalplusServer, params: types.DidChangeWatchedFilesParams) -> None:
    """``workspace/didChangeWatchedFiles``: an agent's edits, a checkout, changed settings."""
    if not ls.options.trusted:
        return
    uris = [change.uri for change in params.changes]
    if any("/.git/" in uri for uri in uris):
        await ls.session.head_moved()
    if any(uri.endswith("/pyproject.toml") for uri in uris):
        ls.session.settings_changed()
    if {path_of(uri) for uri in uris} & set(map(str, ls.session.folders.baselines())):
        ls.session.notice_everywhere(Event.KNOWN)
    python = [change.uri for change in params.changes if change.uri.endswith(".py")]
    await ls.session.changed_outside(python)


async def cancel_progress(ls: EvalplusServer, params: types.WorkDoneProgressCancelParams) -> None:
    """``window/workDoneProgress/cancel``: the user cancelled a progress bar."""
    if ls.publisher.progress.is_token(params.token):
        ls.session.cancel_all()
    ls.user_tasks.cancel(params.token)


async def end_session(ls: EvalplusServer, params: None) -> None:
    """``shutdown``: everything has ended when this is answered."""
    ls.was_shut_down = True
    await ls.close()


def _section(given: Any) -> object:
    if isinstance(given, Mapping):
        return cast("Mapping[str, Any]", given).get(SECTION)
    return getattr(given, SECTION, None)


def _settings(ls: EvalplusServer, values: object) -> Mapping[str, object] | None:
    """Settings as a mapping; pygls passes unknown objects as named tuples."""
    if isinstance(values, Mapping):
        return cast("Mapping[str, object]", values)
    as_dict: Any = getattr(values, "_asdict", None)
    if callable(as_dict):
        return cast("Mapping[str, object]", as_dict())
    if values is not None:
        ls.publisher.show_problem(f"editor settings: {SECTION} is no table of settings, so none of it counts.")
    return None
