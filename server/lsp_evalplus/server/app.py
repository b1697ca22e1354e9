"""Puts a server together and runs it over stdio or TCP.

Handlers are async functions, one module per group of methods in `features`. Documents are kept by our own store: the
built-in document handlers of pygls are replaced, because an editor's late `didChange` must not be an error, line ends
must be those of the protocol, and a change of a large file must cost no copy of it.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import platformdirs
from lsprotocol import types
from pygls.io_ import run_async

from lsp_evalplus.fuzz.engine.check import check
from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.host.pool import GuestPool
from lsp_evalplus.fuzz.model import Budget, FunctionTarget, Oracle, Report
from lsp_evalplus.server.lsp.language_server import EvalplusServer

from .features import (
    accepted,
    code_action,
    code_lens,
    commands,
    diagnostic,
    finding,
    hover,
    inlay_hint,
    lifecycle,
    suggest_fix,
    trust,
)
from .lsp import admission, transport
from .lsp.framing import DamagedFrameError, FrameChecker, shorten_record, to_error

logger = logging.getLogger(__name__)


def create_server(cache_folder: Path | None = None) -> EvalplusServer:
    """A server with all features; which of them are advertised depends on the client."""
    folder = cache_folder or Path(platformdirs.user_cache_dir("lsp-evalplus"))
    server = EvalplusServer(_check, folder)
    _register_documents(server)
    _register_features(server)
    return server


async def _check(
    target: FunctionTarget, oracle: Oracle, budget: Budget, pool: GuestPool, seeds: Sequence[str]
) -> Report:
    return await check(target, oracle, budget, pool, seeds=seeds, finds_places=True)


def _register_documents(server: EvalplusServer) -> None:
    documents = server.text_documents
    handlers: dict[str, Callable[[Any], None]] = {
        types.TEXT_DOCUMENT_DID_OPEN: documents.did_open,
        types.TEXT_DOCUMENT_DID_CHANGE: documents.did_change,
        types.TEXT_DOCUMENT_DID_CLOSE: documents.did_close,
        types.NOTEBOOK_DOCUMENT_DID_OPEN: documents.did_open_notebook,
        types.NOTEBOOK_DOCUMENT_DID_CHANGE: documents.did_change_notebook,
        types.NOTEBOOK_DOCUMENT_DID_CLOSE: documents.did_close_notebook,
    }
    # pygls would call `sys.exit` inside the event loop; ours ends it in order.
    handlers[types.EXIT] = lambda _: server.stop()
    for method, handler in handlers.items():
        manager: Any = server.protocol.fm
        manager.add_builtin_feature(method, handler)


def _register_features(server: EvalplusServer) -> None:
    actions = types.CodeActionOptions([types.CodeActionKind.QuickFix], resolve_provider=True)
    features: list[tuple[str, Any, Any]] = [
        (types.INITIALIZED, lifecycle.started, None),
        (types.SHUTDOWN, lifecycle.end_session, None),
        (types.TEXT_DOCUMENT_DID_SAVE, lifecycle.save, types.SaveOptions(include_text=False)),
        (types.NOTEBOOK_DOCUMENT_DID_SAVE, lifecycle.save_notebook, None),
        (types.WORKSPACE_DID_CHANGE_CONFIGURATION, lifecycle.change_configuration, None),
        (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, lifecycle.change_watched_files, None),
        (types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, lifecycle.change_folders, None),
        (types.WINDOW_WORK_DONE_PROGRESS_CANCEL, lifecycle.cancel_progress, None),
        (types.TEXT_DOCUMENT_CODE_ACTION, code_action.code_action, actions),
        (types.CODE_ACTION_RESOLVE, code_action.resolve, None),
        (types.TEXT_DOCUMENT_HOVER, hover.hover, None),
        (types.TEXT_DOCUMENT_CODE_LENS, code_lens.code_lens, types.CodeLensOptions(resolve_provider=False)),
        (types.TEXT_DOCUMENT_INLAY_HINT, inlay_hint.inlay_hint, types.InlayHintOptions(resolve_provider=False)),
        (accepted.METHOD, accepted.accepted, None),
        (finding.METHOD, finding.finding, None),
        (trust.METHOD, trust.trust, None),
    ]
    for method, handler, options in features:
        server.feature(method, options)(handler)

    def initialize(ls: EvalplusServer, params: types.InitializeParams) -> None:
        lifecycle.start_session(ls, params)
        _register_for_client(ls)
        if ls.options.trusted:
            trust.begin(ls)
        if params.process_id is not None:
            ls.spawn(transport.watch_parent(params.process_id, ls.stop))

    server.feature(types.INITIALIZE)(initialize)


def _register_for_client(server: EvalplusServer) -> None:
    """What is advertised to some clients only."""
    if server.client.pulls_diagnostics:
        options = types.DiagnosticOptions(
            inter_file_dependencies=True, workspace_diagnostics=False, identifier="lsp-evalplus"
        )
        server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)(diagnostic.pull)
    for name, handler in all_commands().items():
        if name not in server.options.client_commands:
            server.command(name)(commands.with_arguments(name, handler))


def all_commands() -> dict[str, Callable[..., Any]]:
    """Every command by name."""
    return {
        commands.CHECK_FUNCTION: commands.check_function,
        commands.CHECK_FILE: commands.check_file,
        commands.CHECK_CHANGES: commands.check_changes,
        commands.LIST_UNCHECKED: commands.list_unchecked,
        commands.CANCEL: commands.cancel,
        commands.ACCEPTED: commands.accept,
        commands.SHOW_INPUT: commands.show_input,
        commands.DEBUG_INPUT: commands.debug_input,
        commands.IGNORE_FINDING: commands.ignore_finding,
        suggest_fix.SUGGEST_FIX: commands.propose_fix,
    }


async def serve_stdio(server: EvalplusServer) -> int:
    """Serve standard input and output until the client leaves; return the exit code."""
    reader = transport.read_descriptor(sys.stdin.fileno())
    writer = transport.DescriptorWriter(transport.claim_stdout())
    return await _serve(server, reader, writer)


async def serve_tcp(
    server: EvalplusServer, host: str, port: int, on_listen: Callable[[str, int], None], *, token: str
) -> int:
    """Serve the first TCP connection that has the token; return the exit code.

    Port 0 takes a free one; `on_listen` gets the chosen port.
    """
    connected: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = (
        asyncio.get_running_loop().create_future()
    )

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            messages = await admission.admit(reader, token)
        except UserError as error:
            logger.warning("a connection was refused: %s", error)
            writer.close()
            return
        if connected.done():
            writer.close()
        else:
            connected.set_result((messages, writer))

    listener = await asyncio.start_server(accept, host, port, limit=1 << 30)
    address = listener.sockets[0].getsockname()
    on_listen(str(address[0]), int(address[1]))
    reader, writer = await connected
    listener.close()
    try:
        return await _serve(server, reader, transport.StreamWriter(writer))
    finally:
        writer.close()


async def _serve(server: EvalplusServer, reader: asyncio.StreamReader, writer: transport.Writer) -> int:
    server.protocol.set_writer(writer)
    reading = logging.getLogger(f"{__name__}.reading")
    reading.addFilter(shorten_record)
    serving = asyncio.ensure_future(
        run_async(
            stop_event=server.stopping,
            reader=FrameChecker(reader),
            protocol=server.protocol,
            logger=reading,
            error_handler=server.report_server_error,
        )
    )
    server.on_stop = serving.cancel
    transport.on_signals(server.stop)
    try:
        await serving
    except (asyncio.CancelledError, asyncio.IncompleteReadError):
        logger.info("the client has gone")
    except DamagedFrameError as damage:
        writer.write(to_error(damage))
        logger.error("the stream of messages is damaged, so the server ends: %s", damage)
    finally:
        await server.close()
        writer.close()
    return 0 if server.was_shut_down else 1
