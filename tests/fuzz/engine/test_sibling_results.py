"""Functions that accept only what other functions of their class or module return."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SEALED = """
import hashlib

class Seal:
    def __init__(self, key: str):
        self.key = key

    def _mark(self, text: str) -> str:
        return hashlib.sha256((self.key + text).encode("utf-8", "replace")).hexdigest()[:12]

    def seal(self, text: str) -> str:
        return text + "." + self._mark(text)

    def opened(self, sealed: str) -> str:
        text, dot, mark = sealed.rpartition(".")
        if not dot or mark != self._mark(text):
            raise ValueError("not sealed by this")
        return text.upper()
"""
PACKED = """
import hashlib
import json

def pack(value: dict) -> str:
    text = json.dumps(value)
    return hashlib.sha256(text.encode()).hexdigest()[:12] + text

def unpack(text: str) -> dict:
    mark, body = text[:12], text[12:]
    if mark != hashlib.sha256(body.encode()).hexdigest()[:12]:
        raise ValueError("damaged")
    found = json.loads(body)
    return {"size": len(found), "keys": sorted(found)}
"""

MARKED = """
import hashlib

class Marking:
    def mark(self, key: bytes, text: bytes) -> bytes:
        raise NotImplementedError

    def is_marked(self, key: bytes, text: bytes, mark: bytes) -> bool:
        return mark == self.mark(key, text)

class Hashing(Marking):
    def mark(self, key: bytes, text: bytes) -> bytes:
        return hashlib.sha256(key + b"/" + text).digest()[:6]
"""
CHECKED = """
import hashlib

def with_check(word: str) -> str:
    return word + hashlib.sha256(word.encode("utf-8", "replace")).hexdigest()[:4]

def is_checked(text: str, *flags: int, **names: int) -> bool:
    word, check = text[:-4], text[-4:]
    return hashlib.sha256(word.encode("utf-8", "replace")).hexdigest()[:4] == check
"""


BOOKED = """
import itertools

class Bookings:
    def __init__(self):
        self._numbers = itertools.count(101)
        self._open = {}

    def book(self, guest, nights=1):
        number = next(self._numbers)
        self._open[number] = (guest, nights)
        return number

    def cancel(self, number):
        if self._open.pop(number, None) is None:
            return "unknown"
        return "cancelled"
"""
FLAGGED = """
import zlib

def encoded(data: bytes, packed: bool = False) -> bytes:
    body = zlib.compress(data) if packed else data
    return bytes([0x80 if packed else 1]) + body + zlib.crc32(body).to_bytes(4, "big")

def decoded(data: bytes) -> tuple:
    kind, body, check = data[0], data[1:-4], data[-4:]
    if zlib.crc32(body).to_bytes(4, "big") != check:
        raise ValueError("damaged")
    if kind & 0x80:
        body = zlib.decompress(body)
        kind &= 0x7F
    return kind, body
"""


@pytest.mark.parametrize(
    ("source", "name", "old", "new"),
    [
        pytest.param(BOOKED, "Bookings.cancel", '"cancelled"', '"done"', id="handle"),
        pytest.param(FLAGGED, "decoded", "kind &= 0x7F", "pass", id="option"),
    ],
)
def test_results_stand_for_what_the_call_did(judge: Any, source: str, name: str, old: str, new: str) -> None:
    report = judge.edit(source, name, old, new, calls=2500)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample.candidate.kind == "returned"


@pytest.mark.parametrize(
    ("source", "name", "old", "new"),
    [
        # A predicate that is False of everything else, and arguments that both calls share.
        (MARKED, "Marking.is_marked", "mark == self.mark(key, text)", "mark == self.mark(text, key)"),
        pytest.param(
            CHECKED, "is_checked", "hexdigest()[:4] == check", "hexdigest()[:3] == check", marks=pytest.mark.slow
        ),
        (SEALED, "Seal.opened", "text.upper()", "text.lower()"),
        pytest.param(PACKED, "unpack", "len(found)", "len(body)", marks=pytest.mark.slow),
    ],
)
def test_results_of_siblings(judge: Any, source: str, name: str, old: str, new: str) -> None:
    """Results are compared, not errors alone; a slip is found, and shown with the value written out."""
    same = judge(source, source.replace("import hashlib", "import hashlib  # for digests"), name, kind="previous")
    assert same.verdict is Verdict.AGREES, same.reason
    report = judge.edit(source, name, old, new, calls=2000)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample is not None
    assert report.counterexample.candidate.kind == "returned"


WRITTEN = """
import struct
import zlib

HEADER = struct.Struct(">2sBH")

class Note:
    def __init__(self, kind: int, text: bytes = b""):
        self.kind = kind
        self.text = text

    def pack(self) -> bytes:
        mark = struct.pack(">I", zlib.crc32(self.text))
        return HEADER.pack(b"NT", self.kind, len(self.text)) + self.text + mark

    @classmethod
    def unpack(cls, data: bytes):
        magic, kind, length = HEADER.unpack_from(data)
        end = HEADER.size + length
        if magic != b"NT" or struct.unpack_from(">I", data, end)[0] != zlib.crc32(data[HEADER.size:end]):
            raise ValueError("damaged")
        return (kind, data[HEADER.size:end])

def size_of(data: bytes) -> int:
    kind, text = Note.unpack(data)
    return len(text)
"""


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("return (kind, data", "return (kind + 1, data", "Note.unpack"),
        ("return len(text)", "return len(data)", "size_of"),
    ],
)
def test_what_objects_write_of_themselves_is_read(judge: Any, old: str, new: str, name: str) -> None:
    assert WRITTEN.count(old) == 1

    report = judge.edit(WRITTEN, name, old, new, calls=2500, seconds=30)

    assert report.verdict is Verdict.DIFFERS, report
