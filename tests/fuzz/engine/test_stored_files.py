"""Instances that hold the path of a file get one in the private folder, whichever method opens it."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

HOLDING = """
import json
import os
from dataclasses import dataclass
from pathlib import Path


class Orders:
    def __init__(self, path):
        self.source = path

    @property
    def lines(self):
        with open(self.source) as file:
            return file.readlines()

    def names(self):
        return [line.split()[0] for line in self.lines if line.split()]


class Notes:
    def __init__(self, path=None):
        self._file = path or "notes.txt"

    def titles(self):
        if not os.path.exists(self._file):
            return []
        with open(self._file) as file:
            return [line.strip().title() for line in file]


class Settings:
    def __init__(self, location: Path):
        self.location = Path(location)

    def _data(self):
        return json.loads(self.location.read_text())

    def port(self) -> int:
        return self._data().get("port", 80)

    def label(self, prefix: str) -> str:
        return prefix + self.location.name


@dataclass
class Table:
    path: str
    sign: str = ","

    def first(self):
        with open(self.path) as file:
            return [line.split(self.sign)[0] for line in file.read().splitlines()]


class Journal:
    def __init__(self, path):
        self.path = path

    def add(self, line):
        with open(self.path, "a") as file:
            file.write(line + "|")
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Orders.names", "split()[0]", "split()[-1]"),
        ("Notes.titles", "strip().title()", "title()"),
        ("Settings.port", '"port", 80', '"port", 8080'),
        ("Table.first", "for line in file.read().splitlines()]", "for line in file.read().splitlines() if line]"),
        ("Journal.add", 'line + "|"', 'line.strip() + "|"'),
    ],
)
def test_a_difference_shows_in_a_file(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(HOLDING, name, old, new, calls=1200, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Orders.names", "return file.readlines()", "return list(file)"),
        ("Notes.titles", "[line.strip().title() for line in file]", "[line.title().strip() for line in file]"),
        ("Settings.label", "prefix + self.location.name", 'f"{prefix}{self.location.name}"'),
        ("Journal.add", 'file.write(line + "|")', "file.writelines([line, '|'])"),
    ],
)
def test_files_that_are_read_in_another_way_agree(judge: Any, name: str, old: str, new: str) -> None:
    assert HOLDING.replace(old, new) != HOLDING
    report = judge(HOLDING, HOLDING.replace(old, new), name, kind="previous", calls=300, seconds=30)
    assert report.verdict is Verdict.AGREES, report.reason


FIELDS = """
BLANK = b" "
END = b"\\r\\n"


class Fields:
    def read(self, stream):
        found = {}
        key = b""
        while True:
            line = stream.readline()
            if line == END:
                return found
            if not line.endswith(END):
                raise ValueError("a line has no end")
            if line[:1] == BLANK:
                found[key] = line.strip()
            else:
                key, sign, value = line.partition(b"=")
                found[key.strip()] = value.strip()
"""


def test_lines_of_a_stream_have_the_ends_that_are_asked_for(judge: Any) -> None:
    changed = FIELDS.replace("line[:1] == BLANK", "line[0] == BLANK")
    report = judge(FIELDS, changed, "Fields.read", kind="previous", calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason
    same = FIELDS.replace("line[:1] == BLANK", "line.startswith(BLANK)")
    assert judge(FIELDS, same, "Fields.read", kind="previous", calls=600).verdict is Verdict.AGREES
