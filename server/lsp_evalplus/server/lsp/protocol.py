"""What the protocol requires of every server and pygls 2.1.1 omits: every request is answered, even an invalid one.

A client that gets no response waits for ever, and some stop working altogether.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar, cast

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol

logger = logging.getLogger(__name__)

_Result = TypeVar("_Result")


class _Stage(Protocol):
    """The part of the server that is used here."""

    was_shut_down: bool

    @property
    def is_initialized(self) -> bool:
        """Whether there is a session."""
        ...


class _Requests(dict[Any, Any]):
    """The pending requests. Iteration is over a copy, because pygls removes requests while it iterates."""

    def items(self) -> Any:
        """All of them, as they are now."""
        return list(super().items())


class StrictProtocol(LanguageServerProtocol):
    """Answers requests that cannot be read, and those before ``initialize`` or after ``shutdown``.

    Ends the work of a request that is cancelled, where `finish` does it: pygls only ceases to wait for commands.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_failure)
        self._request_futures = _Requests()
        self._work: dict[object, asyncio.Future[Any]] = {}
        """The tasks of requests, by request id."""

    async def finish(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Do the work of the request that is being answered, until the client cancels it."""
        identity, task = self.msg_id, asyncio.ensure_future(work)
        self._work[identity] = task
        try:
            return await task
        finally:
            self._work.pop(identity, None)

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        super()._handle_cancel_notification(msg_id)
        work = self._work.get(msg_id)
        if work is not None:
            work.cancel()

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message made of JSON.

        Raises:
            JsonRpcInvalidParams: its parameters are not those of its method; a request has then been answered.
        """
        try:
            _check_arguments(data)
            return super().structure_message(data)
        except JsonRpcException as error:
            if data.get("method") == types.INITIALIZE and (known := self._without_unknown(data)) != data:
                return self.structure_message(known)
            method, identity = data.get("method"), data.get("id")
            if not isinstance(method, str):
                raise
            refusal = JsonRpcInvalidParams(message=f"the parameters of {method} are not as the protocol has them")
            if _is_identity(identity):
                self._refuse(identity, refusal)
            raise refusal from error

    def handle_message(self, message: Any) -> None:
        """Pass a message on if it is allowed in the current state."""
        method: object = getattr(message, "method", None)
        is_request = isinstance(method, str) and hasattr(message, "id")
        server = cast("_Stage", self._server)
        refusal: JsonRpcException | None = None
        if method is not None and method != types.EXIT:
            if server.was_shut_down:
                refusal = JsonRpcInvalidRequest(message="the session was shut down")
            elif not server.is_initialized and method != types.INITIALIZE:
                refusal = JsonRpcServerNotInitialized(message="the session is not initialized yet")
            elif server.is_initialized and method == types.INITIALIZE:
                refusal = JsonRpcInvalidRequest(message="the session is initialized already")
        if refusal is None:
            super().handle_message(message)
        elif is_request:
            self._refuse(message.id, refusal)
        else:
            logger.info("%s is dropped: %s", method, refusal)

    def _without_unknown(self, data: dict[str, Any]) -> dict[str, Any]:
        """An ``initialize`` request without its invalid parts: a client may be newer than the server, or careless."""
        params: Any = data.get("params")
        if not isinstance(params, dict):
            return data
        given = cast("dict[str, Any]", params)
        sections: Any = given.get("capabilities")
        known: dict[str, Any] = {}
        for section, parts in cast("dict[str, Any]", sections if isinstance(sections, dict) else {}).items():
            if isinstance(parts, dict):
                members = cast("dict[str, Any]", parts).items()
                parts = {name: part for name, part in members if self._is_capability({section: {name: part}})}
            if self._is_capability({section: parts}):
                known[section] = parts
        folders: Any = given.get("workspaceFolders")
        if isinstance(folders, list):
            folders = [{"name": "", **one} for one in cast("list[Any]", folders) if isinstance(one, dict)]
        return {**data, "params": {**given, "capabilities": known, "workspaceFolders": folders}}

    def _is_capability(self, given: dict[str, Any]) -> bool:
        try:
            self._converter.structure(given, types.ClientCapabilities)
        except Exception:  # noqa: BLE001 - cattrs raises groups, and what the types' own converters raise.
            logger.info("what the client says of %s is not known here", json.dumps(given)[:200])
            return False
        return True

    def _refuse(self, identity: Any, refusal: JsonRpcException) -> None:
        self._send_response(identity, error=refusal.to_response_error())


def _check_arguments(data: dict[str, Any]) -> None:
    """Reject arguments of a command that are not an array: a string would be read as the array of its characters.

    Raises:
        JsonRpcInvalidParams: they are something else.
    """
    params: Any = data.get("params")
    if data.get("method") != types.WORKSPACE_EXECUTE_COMMAND or not isinstance(params, dict):
        return
    if not isinstance(cast("dict[str, Any]", params).get("arguments"), list | None):
        raise JsonRpcInvalidParams


def _is_failure(record: logging.LogRecord) -> bool:
    """Whether a log record of pygls is about more than a rejected request, which the response has reported."""
    return not (record.exc_info and isinstance(record.exc_info[1], JsonRpcInvalidParams))


def _is_identity(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)
