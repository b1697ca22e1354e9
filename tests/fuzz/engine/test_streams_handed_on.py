"""Parameters that a function only hands to what reads or writes streams are streams."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

FEW = 300
SOURCE = """
import csv
import json
import pickle
import sys
import traceback
from csv import DictReader

def save(rows, out):
    json.dump({"rows": rows}, out, indent=1)

def load(handle):
    data = json.load(handle)
    return data["name"], data.get("size", 0)

def table(out, rows):
    writer = csv.writer(out)
    for row in rows:
        writer.writerow([row, len(row)])

def totals(handle):
    return {row["city"]: row["people"].strip() for row in DictReader(handle)}

def firsts(handle, width=2):
    return [row[0] for row in csv.reader(handle) if len(row) >= width]

def dumped(value, out):
    pickle.dump((1, value), out)

def warn(message, stream=None):
    print("warning:", message, file=stream or sys.stderr)

def through(message, target):
    warn(message + "!", target)
"""
HOLDERS = """
import json
import sys

class Reporter:
    def __init__(self, out=None, width=10):
        self.out = out or sys.stdout
        self.width = width

    def line(self, text):
        print(text.ljust(self.width), "|", file=self.out)

class Store:
    def __init__(self, handle):
        self._handle = handle

    def save(self, data):
        self._handle.seek(0)
        json.dump(data, self._handle, sort_keys=True)
        self._handle.truncate()

def told(names, out=sys.stdout):
    for one in names:
        print(one.upper(), file=out)
    return len(names)

def both(text, out=sys.stdout):
    out.write(text)
    print("-")
"""


@pytest.mark.parametrize(
    ("source", "name", "old", "new"),
    [
        (SOURCE, "save", "indent=1", "indent=2"),
        (SOURCE, "load", '.get("size", 0)', '.get("size")'),
        (SOURCE, "table", "len(row)])", "len(row) + 1])"),
        (SOURCE, "totals", '["people"].strip()', '["people"].lower()'),
        (SOURCE, "firsts", "len(row) >= width", "len(row) > width"),
        (SOURCE, "dumped", "(1, value)", "[1, value]"),
        (SOURCE, "warn", '"warning:"', '"warning: "'),
        (SOURCE, "through", '"!"', '"?"'),
        (HOLDERS, "Reporter.line", '"|"', '"||"'),
        (HOLDERS, "Store.save", "sort_keys=True", "sort_keys=True, indent=1"),
        (HOLDERS, "told", "one.upper()", "one.lower()"),
        (HOLDERS, "both", 'print("-")', 'print("+")'),
    ],
)
def test_mistakes(judge: Any, source: str, name: str, old: str, new: str) -> None:
    assert source.count(old) == 1
    report = judge.edit(source, name, old, new, calls=FEW)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("source", "name", "old", "new"),
    [
        (SOURCE, "save", 'json.dump({"rows": rows}, out, indent=1)', 'out.write(json.dumps({"rows": rows}, indent=1))'),
        (SOURCE, "load", "json.load(handle)", "json.loads(handle.read())"),
        (
            SOURCE,
            "table",
            "    for row in rows:\n        writer.writerow([row, len(row)])",
            "    writer.writerows([[row, len(row)] for row in rows])",
        ),
        (SOURCE, "firsts", "csv.reader(handle)", "list(csv.reader(handle))"),
        (SOURCE, "warn", 'print("warning:", message,', 'print(f"warning: {message}",'),
        (HOLDERS, "Reporter.line", '"|", file=self.out)', '"|", file=self.out, flush=True)'),
        (
            HOLDERS,
            "Reporter.line",
            'print(text.ljust(self.width), "|", file=self.out)',
            'self.out.write(text.ljust(self.width) + " |\\n")',
        ),
        (HOLDERS, "told", "print(one.upper(), file=out)", 'out.write(one.upper() + "\\n")'),
        (HOLDERS, "both", 'print("-")', 'sys.stdout.write("-\\n")'),
        (
            HOLDERS,
            "both",
            'out.write(text)\n    print("-")',
            'print(text, file=out, end="")\n    print("-", file=sys.stdout)',
        ),
    ],
)
def test_the_same_in_another_way(judge: Any, source: str, name: str, old: str, new: str) -> None:
    assert source.count(old) == 1
    report = judge.edit(source, name, old, new, calls=FEW)
    assert report.verdict is Verdict.AGREES, report.reason
