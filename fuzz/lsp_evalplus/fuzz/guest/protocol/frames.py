"""Length-prefixed frames on a pipe: four bytes of length, big-endian, then that many bytes of ASCII JSON."""

from __future__ import annotations

import json
import os
import re
import struct
from typing import Any

HEADER = struct.Struct(">I")
MAX_FRAME = 64 << 20
"""Maximum bytes of one frame; a longer one violates the protocol."""
MAX_PARSED = 512 << 20
"""Maximum bytes that the containers of one frame may take when they are parsed."""
_OBJECT_BYTES, _ARRAY_BYTES = 240, 64
"""At least what CPython takes for a parsed object with a key, and an array."""
_STRING = re.compile(rb'"[^"]*"')
_READ = 1 << 18
_dumps = json.dumps  # Bound here because code under test may replace it.


class FrameError(ValueError):
    """Invalid frame: too long, with too many containers, not JSON, or not a JSON object."""


def pack(message: dict[str, Any]) -> bytes:
    """Return the frame of a message.

    Raises:
        FrameError: the message is longer than `MAX_FRAME`.
    """
    body = _dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii")
    if len(body) > MAX_FRAME:
        raise FrameError(f"a message of {len(body)} bytes")
    return HEADER.pack(len(body)) + body


class FrameReader:
    """Splits an untrusted stream of bytes into messages."""

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self._limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """Consume bytes in pieces of any size; return the messages that are now complete.

        Raises:
            FrameError: the bytes are not a valid frame.
        """
        buffer = self._buffer
        buffer += data
        messages: list[dict[str, Any]] = []
        start = 0
        while len(buffer) - start >= HEADER.size:
            (length,) = HEADER.unpack_from(buffer, start)
            if length > self._limit:
                raise FrameError(f"a frame of {length} bytes")
            end = start + HEADER.size + length
            if len(buffer) < end:
                break
            messages.append(_parse(bytes(buffer[start + HEADER.size : end])))
            start = end
        del buffer[:start]
        return messages


def _parse(body: bytes) -> dict[str, Any]:
    if _container_bytes(body, 0, len(body)) > MAX_PARSED and _is_heavy(body):
        raise FrameError("a frame with too many objects")
    try:
        message = json.loads(body.decode("ascii"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise FrameError(f"a frame that is not JSON: {error}") from None
    if type(message) is not dict:
        raise FrameError("a frame that is not a JSON object")
    return message  # type: ignore[no-any-return]


def _container_bytes(text: bytes, start: int, end: int) -> int:
    return _OBJECT_BYTES * text.count(b"{", start, end) + _ARRAY_BYTES * text.count(b"[", start, end)


def _is_heavy(body: bytes) -> bool:
    """Whether containers outside of strings exceed `MAX_PARSED`; takes no more memory than the frame."""
    text = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    size = start = 0
    for string in _STRING.finditer(text):
        size += _container_bytes(text, start, string.start())
        start = string.end()
        if size > MAX_PARSED:
            return True
    return size + _container_bytes(text, start, len(text)) > MAX_PARSED


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def read_frame(descriptor: int) -> dict[str, Any] | None:
    """Read one whole message, blocking; None at the end of the stream.

    Raises:
        FrameError: the bytes are not a valid frame.
    """
    header = _read_exactly(descriptor, HEADER.size)
    if header is None:
        return None
    (length,) = HEADER.unpack(header)
    if length > MAX_FRAME:
        raise FrameError(f"a frame of {length} bytes")
    body = _read_exactly(descriptor, length)
    return None if body is None else _parse(bytes(body))


def _read_exactly(descriptor: int, length: int) -> bytearray | None:
    data = bytearray()
    while len(data) < length:
        piece = os.read(descriptor, min(_READ, length - len(data)))
        if not piece:
            return None
        data += piece
    return data


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte, blocking while the other side is slow."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
