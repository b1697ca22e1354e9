"""Checks the frames of the base protocol before pygls reads them: damage ends the connection instead of deafening it.

A header that is none leaves no way to find the next message. pygls passes over it and reads on; whatever follows is
then taken for headers too, and the server is silent for good.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from typing import Final

from pygls.exceptions import JsonRpcException

_LENGTH: Final = re.compile(rb"content-length:[ \t]*(\d{1,10})[ \t]*", re.IGNORECASE)
_HEADER: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[ \t]*[^\r\n]*")
"""A header field of RFC 9110."""
_MOST_BYTES: Final = 1 << 30
"""Longest body; no editor sends such a document."""
_LONGEST_HEADER: Final = 4096
_SHOWN: Final = 40
_PARSE_ERROR: Final = -32700


class DamagedFrameError(Exception):
    """The stream holds no message where one must begin; the text says what is there."""


class FrameChecker:
    """A stream reader for pygls that reads valid frames only.

    Args:
        reader: the bytes of the client.
    """

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._has_length = False

    async def readline(self) -> bytes:
        """Return the next line of a header, as pygls expects it: of a length in the one spelling that it knows.

        Raises:
            DamagedFrameError: it is no header, the length is missing, twice there or too large.
        """
        line = await self._reader.readline()
        if not line.endswith(b"\n"):
            return b""  # The client has gone.
        content = line.removesuffix(b"\r\n")
        if content == line or len(line) > _LONGEST_HEADER:
            raise DamagedFrameError(f"a header must end with CR LF: {_shown(line)}")
        if not content:
            if not self._has_length:
                raise DamagedFrameError("a message has no Content-Length")
            self._has_length = False
            return line
        if not content.lower().startswith(b"content-length"):
            if _HEADER.fullmatch(content) is None:
                raise DamagedFrameError(f"this is no header: {_shown(line)}")
            return line
        found = _LENGTH.fullmatch(content)
        if found is None or self._has_length or int(found[1]) > _MOST_BYTES:
            raise DamagedFrameError(f"this is no usable length: {_shown(line)}")
        self._has_length = True
        return b"Content-Length: %d\r\n" % int(found[1])

    async def readexactly(self, n: int) -> bytes:
        """Return the body of a message."""
        return await self._reader.readexactly(n)


def to_error(damage: DamagedFrameError) -> bytes:
    """The response without an id that JSON-RPC has for what cannot be parsed, as a frame."""
    error = {"code": _PARSE_ERROR, "message": f"the stream of messages is damaged: {damage}"}
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def shorten_record(record: logging.LogRecord) -> bool:
    """A log filter that leaves out the traceback of a message that is none: it shows nothing but our own code."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, (ValueError, RecursionError, JsonRpcException)):
        record.msg, record.args, record.exc_info = f"a message cannot be read: {error}", (), None
    return True


def _shown(line: bytes) -> str:
    return repr(line[:_SHOWN])[1:]
