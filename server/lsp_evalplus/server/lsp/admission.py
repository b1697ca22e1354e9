"""Who may speak to the server over TCP: the client whose first message is `initialize` with the token.

A socket, unlike standard input, can be reached by other users of the machine and, through a browser, by web pages.
Nothing is handed to the protocol before its sender is known, and a refused connection does not take the place of the
editor's.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import logging
from typing import Any, Final, cast

from lsp_evalplus.fuzz.errors import UserError

logger = logging.getLogger(__name__)

OPTION: Final = "token"
"""The key of ``initializationOptions`` that holds the token."""
_PREFIX: Final = b"Content-"
_HEADER_BYTES: Final = 4096
_BODY_BYTES: Final = 1 << 20
_SECONDS: Final = 30.0
"""Time limit for the first message."""


async def admit(reader: asyncio.StreamReader, token: str) -> asyncio.StreamReader:
    """Read the first message of a connection; return a stream of all messages, including the first.

    Raises:
        UserError: it is no LSP message, or not `initialize` with the token, with the reason.
    """
    try:
        first = await asyncio.wait_for(_read_message(reader, token), _SECONDS)
    except TimeoutError:
        raise UserError("there was no first message in time") from None
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError, RecursionError):
        raise UserError("its first message is not one of LSP") from None
    replayed = asyncio.StreamReader(limit=1 << 30)
    replayed.feed_data(first)
    task = asyncio.ensure_future(_forward(reader, replayed))
    task.add_done_callback(lambda _: replayed.feed_eof())
    return replayed


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address; of names, only `localhost` is known to be."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def _read_message(reader: asyncio.StreamReader, token: str) -> bytes:
    head = await reader.readexactly(len(_PREFIX))
    if head != _PREFIX:
        raise ValueError("no header of LSP")
    while not head.endswith(b"\r\n\r\n"):
        head += await reader.readuntil(b"\r\n")
        if len(head) > _HEADER_BYTES:
            raise ValueError("the header is too long")
    fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n") if line)
    if not all(name.startswith(_PREFIX) for name in fields):
        raise ValueError("a header that is not of LSP")
    length = int(fields[b"Content-Length"]) if b"Content-Length" in fields else -1
    if not 0 < length <= _BODY_BYTES:
        raise ValueError("no usable length")
    body = await reader.readexactly(length)
    if not hmac.compare_digest(_token_in(body).encode("utf-8", "replace"), token.encode()):
        raise UserError(f"its first message is not `initialize` with the right initializationOptions.{OPTION}")
    return head + body


def _token_in(body: bytes) -> str:
    """The token in an `initialize` request, or an empty string."""
    message: Any = json.loads(body)
    if not isinstance(message, dict) or cast("dict[str, Any]", message).get("method") != "initialize":
        return ""
    value: Any = cast("dict[str, Any]", message)
    for key in ("params", "initializationOptions", OPTION):
        value = cast("dict[str, Any]", value).get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


async def _forward(source: asyncio.StreamReader, target: asyncio.StreamReader) -> None:
    try:
        while chunk := await source.read(1 << 16):
            target.feed_data(chunk)
    except ConnectionError:
        logger.info("the connection was lost")
