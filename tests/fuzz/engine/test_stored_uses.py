"""What functions of a module do with attributes tells what the constructor of a plain class takes."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.inference.constructors.stored_uses import plain_parts
from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
class Parcel:
    def __init__(self, weight, street, contents, fragile=None, sender=None):
        self.contents = contents
        self.weight = weight
        self.street = street
        self.fragile = fragile
        self.sender = sender


def shown(parcel: Parcel) -> str:
    return show(parcel.contents) if parcel.contents else "nothing"


def show(contents):
    return ", ".join(contents)


class Van:
    def __init__(self, room):
        self.room = room
        self.parcels = []

    def load(self, parcel: Parcel):
        if parcel.weight > self.room:
            return False
        self.room -= parcel.weight
        self.parcels.append(parcel)
        return True

    def streets(self):
        return sorted({parcel.street.strip().title() for parcel in self.parcels})


def heaviest(parcels: list[Parcel], most: int) -> list[Parcel]:
    return [one for one in parcels if one.weight * 2 >= most]
"""

SCANNER = r"""
import re
import struct
import zlib


class Scanner:
    RULES = [("number", r"\d+"), ("word", r"[a-z]+"), ("mark", r"[!?]"), ("space", r"\s+")]

    def __init__(self, source):
        self.source = source

    def kinds(self):
        pattern = re.compile("|".join(f"(?P<{name}>{rule})" for name, rule in self.RULES))
        position = 0
        while position < len(self.source):
            found = pattern.match(self.source, position)
            if found is None:
                raise ValueError(f"what is {self.source[position]!r}?")
            if found.lastgroup != "space":
                yield found.lastgroup, position
            position = found.end()


def sealed(entries):
    body = b""
    for key, count in entries:
        raw = key.encode()
        body += struct.pack(">BH", len(raw), count) + raw
    return struct.pack(">I", zlib.crc32(body)) + body


def opened(data):
    body = data[4:]
    if struct.pack(">I", zlib.crc32(body)) != data[:4]:
        raise ValueError("damaged")
    entries, place = [], 0
    while place < len(body):
        length, count = struct.unpack_from(">BH", body, place)
        entries.append((body[place + 3 : place + 3 + length].decode(), count))
        place += 3 + length
    return entries
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Scanner.kinds", "found.lastgroup, position", "found.lastgroup, found.end()"),
        ("Scanner.kinds", '!= "space"', '!= "mark"'),
        ("opened", "place + 3 : place + 3 + length", "place + 3 : place + 2 + length"),
    ],
)
def test_strings_of_patterns_in_tables_and_what_siblings_write(judge: Any, name: str, old: str, new: str) -> None:
    assert SCANNER.count(old) == 1
    report = judge.edit(SCANNER, name, old, new, calls=4000)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Scanner.kinds", "found is None", "not found"),
        ("opened", "data[4:]", "data[4 : len(data)]"),
    ],
)
def test_patterns_and_siblings_without_a_difference(judge: Any, name: str, old: str, new: str) -> None:
    assert SCANNER.count(old) == 1
    report = judge.edit(SCANNER, name, old, new, calls=2000)
    assert report.verdict is Verdict.AGREES, report.reason


MISTAKES = [
    ("Van.load", "parcel.weight > self.room", "parcel.weight >= self.room"),
    ("Van.load", "self.room -= parcel.weight", "self.room = parcel.weight"),
    ("Van.streets", ".strip().title()", ".title()"),
    ("heaviest", ">= most", "> most"),
]


def test_parts_of_a_class_that_does_nothing_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parcels_that_are_sent.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    kind = importlib.import_module("parcels_that_are_sent").Parcel
    found = {name: shape.describe() for name, shape in plain_parts(kind).items()}
    assert "int" in found["weight"]
    assert found["street"] == "str"
    assert "sender" not in found
    assert "contents" not in found


@pytest.mark.parametrize(("name", "old", "new"), MISTAKES)
def test_a_mistake_with_what_objects_hold(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new, calls=4000)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Van.load", "parcel.weight > self.room", "self.room < parcel.weight"),
        ("heaviest", "one.weight * 2 >= most", "not one.weight * 2 < most"),
    ],
)
def test_the_same_written_otherwise(judge: Any, name: str, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    report = judge.edit(SOURCE, name, old, new, calls=2000)
    assert report.verdict is Verdict.AGREES, report.reason
