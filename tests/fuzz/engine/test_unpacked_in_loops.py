"""Loops that unpack parts of parts, or go through several parameters side by side, tell what these hold."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import OracleKind, Verdict

LOOPS = """
def expired(entries, now):
    found = []
    for key, (value, (day, hour)) in entries:
        if day["number"] * 24 + hour < now:
            found.append(key.upper() + value.strip())
    return found


def sheet(table):
    return {name.title(): row["size"] > 3 for name, (row, _) in table.items()}


def labels(rows, names):
    return [f"{row['id']}-{name.lower()}" for row, name in zip(rows, names)]


def first_of(pairs):
    found = {}
    for number, (one, other) in enumerate(pairs):
        found[one["key"]] = other.upper()[:number]
    return found
"""
CASES = {
    "nested": ("key.upper() + value.strip()", "key.upper() + value", "expired"),
    "of items of a mapping": ('row["size"] > 3', 'row["size"] >= 3', "sheet"),
    "side by side": ("name.lower()", "name", "labels"),
    "numbered": ("other.upper()", "other", "first_of"),
}


@pytest.mark.parametrize("name", CASES)
def test_targets_inside_of_targets_tell_what_is_unpacked(judge: Any, name: str) -> None:
    old, new, function = CASES[name]
    assert LOOPS.count(old) == 1
    text = LOOPS.replace(old, new)

    report = judge(LOOPS, text, function, kind=OracleKind.PREVIOUS, calls=1200, seconds=30)

    assert report.verdict is Verdict.DIFFERS, report
