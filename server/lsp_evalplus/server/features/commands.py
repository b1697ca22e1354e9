"""``workspace/executeCommand``: commands for the user, lenses and other programs. See docs/lsp-extensions.md."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from lsp_evalplus.fuzz.errors import UserError
from lsp_evalplus.fuzz.files import write_atomically
from lsp_evalplus.server.checking.schedule import Priority
from lsp_evalplus.server.checking.state import FunctionState
from lsp_evalplus.server.edits import calls, launch
from lsp_evalplus.server.edits.wording import shortened
from lsp_evalplus.server.fixes import quick_fixes
from lsp_evalplus.server.fixes.quick_fixes import FixSubject
from lsp_evalplus.server.lsp import messages
from lsp_evalplus.server.lsp.convert import to_uri
from lsp_evalplus.server.lsp.language_server import EvalplusServer

from . import accepted, suggest_fix, unchecked
from .finding import field_of

CHECK_FUNCTION: Final = "lspEvalplus.checkFunction"
CHECK_FILE: Final = "lspEvalplus.checkFile"
CHECK_CHANGES: Final = "lspEvalplus.checkChanges"
LIST_UNCHECKED: Final = "lspEvalplus.listUnchecked"
CANCEL: Final = "lspEvalplus.cancel"
ACCEPTED: Final = "lspEvalplus.accepted"
SHOW_INPUT: Final = "lspEvalplus.showInput"
DEBUG_INPUT: Final = "lspEvalplus.debugInput"
IGNORE_FINDING: Final = "lspEvalplus.ignoreFinding"

_MAX_FACTOR: Final = 100.0


def with_arguments(name: str, handler: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Wrap `handler` so that the command `name` rejects arguments that it does not take."""
    wanted = len(inspect.signature(handler).parameters) - 1

    async def run(ls: EvalplusServer, *arguments: Any) -> Any:
        if len(arguments) != wanted:
            takes = "one object as its argument" if wanted else "no arguments"
            raise JsonRpcInvalidParams(message=f"{name} takes {takes}, but {len(arguments)} came")
        return await handler(ls, *arguments)

    return run


async def check_function(ls: EvalplusServer, argument: Any) -> list[dict[str, Any]]:
    """``{uri, name, budgetFactor?}``: check one function now."""
    uri, name = _text(argument, "uri"), _text(argument, "name")
    factor = _factor(field_of(argument, "budgetFactor"))
    states = await ls.finish(ls.session.check_now(uri, [name], factor))
    return _results(ls, uri, states)


async def check_file(ls: EvalplusServer, argument: Any) -> list[dict[str, Any]]:
    """``{uri}``: check every function of a file now."""
    uri = _text(argument, "uri")
    return _results(ls, uri, await ls.finish(ls.session.check_now(uri, priority=Priority.BULK)))


async def check_changes(ls: EvalplusServer) -> list[dict[str, Any]]:
    """Check every function of the workspace that differs from HEAD."""
    return await ls.finish(_check_changes(ls))


async def _check_changes(ls: EvalplusServer) -> list[dict[str, Any]]:
    uris = [ls.session.uri_of(path, to_uri(path)) for path in await ls.session.changed_files()]
    found = await asyncio.gather(*(ls.session.check_changed(uri) for uri in uris))
    return [result for uri, states in zip(uris, found, strict=True) for result in _results(ls, uri, states)]


async def list_unchecked(ls: EvalplusServer, argument: Any) -> dict[str, Any]:
    """``{uri}``: the functions of a file that no check can judge, with reasons."""
    return await unchecked.list_unchecked(ls, _text(argument, "uri"))


async def cancel(ls: EvalplusServer) -> int:
    """End all checks; return how many there were."""
    return ls.session.cancel_all()


async def accept(ls: EvalplusServer, argument: Any) -> bool:
    """The notification ``lspEvalplus/accepted`` for clients that can only send commands."""
    return accepted.take(ls, argument)


async def show_input(ls: EvalplusServer, argument: Any) -> dict[str, str]:
    """``{uri, name}``: show the failing input of a function as a script in a new document."""
    about = _subject(ls, argument)
    text = quick_fixes.failing_script(about)
    path = await asyncio.to_thread(write_script, ls.cache_folder / "inputs", about, text)
    uri = to_uri(str(path))
    if ls.client.shows_documents:
        await ls.ask(ls.window_show_document_async(types.ShowDocumentParams(uri, take_focus=True)))
    else:
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"The failing input is in {path}"))
    return {"uri": uri, "text": text}


async def debug_input(ls: EvalplusServer, argument: Any) -> dict[str, Any]:
    """``{uri, name}``: write the script and a debugpy configuration for it; return the configuration.

    A client that has `DEBUG_INPUT` itself asks for it with ``{uri, name, "configurationOnly": true}``. For others the
    configuration is added to the folder's ``.vscode/launch.json``, which VS Code and nvim-dap read.
    """
    about = _subject(ls, argument)
    if not ls.options.trusted:
        raise JsonRpcInvalidParams(message="the workspace is not trusted, so its interpreter is not asked")
    text = quick_fixes.failing_script(about)
    path = await asyncio.to_thread(write_script, ls.cache_folder / "inputs", about, text)
    folder = ls.session.folder_of(about.document)
    try:
        python = (await ls.session.folders.interpreter_of(folder)).path
    except UserError as error:
        raise JsonRpcInvalidParams(message=str(error)) from error
    title = f"lsp-evalplus: {shortened(about.finding.counterexample.call, 60)}"
    configuration = launch.launch_configuration(title, str(path), python, str(folder.root))
    if not field_of(argument, "configurationOnly"):
        await _add_configuration(ls, configuration, folder.root)
    return configuration


async def propose_fix(ls: EvalplusServer, argument: Any) -> dict[str, Any]:
    """``{uri, name}``: ask the user's language model for a fix of a finding, and apply it if it survives the check."""
    return await suggest_fix.suggest(ls, _subject(ls, argument))


async def ignore_finding(ls: EvalplusServer, argument: Any) -> bool:
    """``{uri, name}``: add the finding to the folder's baseline; whether that succeeded."""
    about = _subject(ls, argument)
    finding = about.finding
    try:
        await ls.session.ignore(about.document, about.state.name, finding.oracle.kind, finding.counterexample)
    except UserError as error:
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"lsp-evalplus: {error}"))
        return False
    return True


async def _add_configuration(ls: EvalplusServer, configuration: dict[str, Any], root: Path) -> None:
    place = str(root / ".vscode" / "launch.json")
    edit = launch.add_configuration(configuration, place, await ls.session.closed.text_at(place))
    if edit is None or not ls.client.applies_edits:
        text = f"{place} could not be changed; the script to debug is {configuration['program']}"
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
        return
    document = await ls.session.closed.document_for_edit(place)
    converted = ls.converter.to_workspace_edit([edit], lambda _: document)
    await ls.ask(ls.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(converted, "Debug the failing input")))


def write_script(folder: Path, about: FixSubject, text: str) -> Path:
    """Write a script atomically into our own folder, never the user's project; one file per input."""
    mark = hashlib.sha256(f"{about.document.uri}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
    path = folder / f"{calls.identifier(about.target.name)}_{mark}.py"
    write_atomically(path, text.encode("utf-8", "surrogateescape"), is_private=True)
    return path


def _subject(ls: EvalplusServer, argument: Any) -> FixSubject:
    found = ls.find(_text(argument, "uri"))
    state = found[1].functions.get(_text(argument, "name")) if found is not None else None
    finding = ls.finding_of(found[0], state) if found is not None and state is not None else None
    about = quick_fixes.subject(*found, state, finding) if found and state and finding else None
    if about is None:
        raise JsonRpcInvalidParams(message="there is no finding for this function any more")
    return about


def _results(ls: EvalplusServer, uri: str, states: list[FunctionState]) -> list[dict[str, Any]]:
    """Results as ``check --format json`` writes them, one per function."""
    found = ls.find(uri)
    if found is None:
        return []
    return [messages.result_of(uri, state, ls.finding_of(found[0], state)) for state in states]


def _factor(given: object) -> float:
    if given is None:
        return 1.0
    if isinstance(given, bool) or not isinstance(given, int | float) or not given > 0:
        raise JsonRpcInvalidParams(message="'budgetFactor' must be a number above 0")
    return min(max(float(given), 0.01), _MAX_FACTOR)


def _text(argument: Any, name: str) -> str:
    value = field_of(argument, name)
    if not isinstance(value, str):
        raise JsonRpcInvalidParams(message=f"the argument must be an object with the text {name!r}")
    return value
