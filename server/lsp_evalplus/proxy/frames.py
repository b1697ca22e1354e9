"""The base protocol of LSP, read from a copy of the stream: header lines, an empty line, a body of the given length."""

from __future__ import annotations

import json
from typing import Any, Final, cast

Message = dict[str, Any]

_MAX_HEADER: Final = 8192
_MAX_BODY: Final = 64 << 20


class FrameError(Exception):
    """The stream violates the base protocol, so the next message cannot be located."""


class FrameReader:
    """Splits a stream, fed in arbitrary chunks, into messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """Add bytes and return the messages completed by them; a body that is not a JSON object is skipped.

        Raises:
            FrameError: a header has no valid length, or the length is unreasonably large.
        """
        self._buffer += data
        messages: list[Message] = []
        while (body := self._cut()) is not None:
            message = _decode(body)
            if message is not None:
                messages.append(message)
        return messages

    def _cut(self) -> bytes | None:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > _MAX_HEADER:
                raise FrameError(f"no header in {_MAX_HEADER} bytes")
            return None
        length = _content_length(bytes(self._buffer[:end]))
        start = end + 4
        if len(self._buffer) < start + length:
            return None
        body = bytes(self._buffer[start : start + length])
        del self._buffer[: start + length]
        return body


def _content_length(header: bytes) -> int:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
            if length <= _MAX_BODY:
                return length
            raise FrameError(f"a message of {length} bytes")
    raise FrameError("a header without Content-Length")


def _decode(body: bytes) -> Message | None:
    try:
        message: object = json.loads(body)
    except ValueError:
        return None
    return cast("Message", message) if isinstance(message, dict) else None
