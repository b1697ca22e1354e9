"""Bytes are in the formats by which code unpacks them, so that what is behind the first header is reached."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

READERS = """
import struct
from struct import unpack
from typing import BinaryIO

MAGIC = b"PIC1"
HEADER = struct.Struct(">4sHHB")


def picture(stream: BinaryIO, whole: bool = True):
    kind, count = unpack(">II", stream.read(8))
    name = stream.read(count)
    stream.seek(16, 1)
    (size,) = unpack(">I", stream.read(4))
    if not whole:
        return None
    return kind, name, stream.read(size)


def size_of(data: bytes):
    mark, width, height, depth = HEADER.unpack(data[: HEADER.size])
    return (width, height) if depth < 3 else (height, width)


def chunks(data):
    if data[:4] != MAGIC:
        raise ValueError("no picture")
    found, place = [], 4
    while place + 4 <= len(data):
        length = int.from_bytes(data[place : place + 4], "big")
        found.append(data[place + 4 : place + 4 + length])
        place += 4 + length
    return found


def point(data: bytes):
    x, y, flag = struct.unpack_from("<hhB", data, 1)
    return {"x": x, "y": y, "is_last": flag > 0}
"""
CASES = {
    "of a stream": ("if not whole:\n        return None\n    return", "return", "picture"),
    "a format with a name": ("depth < 3", "depth <= 3", "size_of"),
    "behind a magic number": ("data[place + 4 : place + 4 + length]", "data[place + 4 : place + length]", "chunks"),
    "after other bytes": ('"<hhB", data, 1', '"<hhB", data, 0', "point"),
}


@pytest.mark.parametrize("name", CASES)
def test_bytes_are_in_the_formats_that_are_unpacked(judge: Any, name: str) -> None:
    old, new, function = CASES[name]
    assert READERS.count(old) == 1

    report = judge(READERS, READERS.replace(old, new), function, kind=OracleKind.PREVIOUS, calls=150, seconds=30)

    assert report.verdict is Verdict.DIFFERS, report
