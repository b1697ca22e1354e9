"""Defaults that have no literal: functions, lambdas, members of enumerations and sentinels, and the parameters behind
them."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

FUNCTIONS = """
import enum
import json


class Mode(enum.Enum):
    FAST = "f"
    SLOW = "s"


_UNSET = object()


class Settings(dict):
    def __init__(self, *parts):
        super().__init__(*parts)


def ranked(items, key=len, reverse=False):
    return sorted(items, key=key, reverse=reverse)


def lookup(table: dict, key: str, parse=lambda found: found, strict=False, limit=10):
    if key not in table:
        if strict:
            raise KeyError(key)
        return None
    return parse(str(table[key])[:limit])


def chunks(text, settings=Settings(), width: int = 4, upper=False):
    parts = [text[start : start + width] for start in range(0, len(text), width)]
    return settings.get("separator", "|").join(part.upper() if upper else part for part in parts)


def of_mode(count: int, mode=Mode.FAST):
    return count, mode.value


def cleaned(words, clean=str.strip, joined=False):
    found = [clean(word) for word in words]
    return ",".join(map(str, found)) if joined else found


def found(table: dict, key: str, default=_UNSET):
    if key in table:
        return table[key]
    return "none" if default is _UNSET else default


class Store:
    def __init__(self, dumps=json.dumps, prefix="", mode=Mode.FAST, fallback=_UNSET):
        self.dumps = dumps
        self.prefix = prefix
        self.mode = mode
        self.fallback = fallback

    def text(self, value):
        return self.prefix + str(self.dumps(value))

    def size(self, count: int):
        if self.mode is Mode.SLOW:
            return count * 2
        if count < 0 and self.fallback is not _UNSET:
            return self.fallback
        return count
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "shown"),
    [
        ("ranked", "key=key", "key=len", "ranked("),
        ("ranked", "key=len", "key=max", "ranked(['"),
        ("ranked", "reverse=reverse", "reverse=False", "ranked("),
        ("lookup", "if strict", "if not strict", "lookup({}, '"),
        ("lookup", "[:limit]", "[:10]", "lookup({"),
        ("lookup", "parse(str(table[key])[:limit])", "str(table[key])[:limit]", "lookup({"),
        ("lookup", "lambda found: found", "lambda found: found + '!'", "lookup({"),
        ("chunks", "start + width]", "start + 4]", "chunks('"),
        ("chunks", "if upper", "if not upper", "chunks('"),
        ("of_mode", "mode=Mode.FAST", "mode=Mode.SLOW", "of_mode(0)"),
        ("found", "default=_UNSET", "default=None", "found({}, '"),
        ("cleaned", "clean(word)", "word.strip()", "cleaned("),
        ("cleaned", "if joined", "if not joined", "cleaned("),
        ("Store.text", "self.dumps(", "json.dumps(", "Store("),
        ("Store.size", "count * 2", "count", "Store(mode=Mode.SLOW)"),
        ("Store.size", "return self.fallback", "return None", "Store(fallback="),
    ],
)
def test_others_are_passed(judge: Any, name: str, old: str, new: str, shown: str) -> None:
    report = judge.edit(FUNCTIONS, name, old, new, calls=2000, seconds=30)

    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample.call.startswith(shown)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("ranked", "sorted(items, key=key, reverse=reverse)", "sorted(list(items), reverse=reverse, key=key)"),
        ("lookup", "lambda found: found", "lambda value: value"),
        ("lookup", "if key not in table:", "if not (key in table):"),
        ("chunks", "part.upper() if upper else part", "part if not upper else part.upper()"),
        ("of_mode", "count, mode.value", "(count, mode.value)[:]"),
        ("found", "default is _UNSET", "_UNSET is default"),
        ("Store.text", "self.prefix + str(", "self.prefix + (str)("),
        ("Store.size", "count * 2", "count + count"),
    ],
)
def test_the_same_in_other_words_agrees(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(FUNCTIONS, name, old, new, calls=500)
    assert report.verdict is Verdict.AGREES, report.reason


def test_parameters_that_are_renamed_are_passed_by_position_alone(judge: Any) -> None:
    renamed = FUNCTIONS.replace("width", "size")
    report = judge(FUNCTIONS, renamed, "chunks", kind="previous", calls=300)
    assert report.verdict is Verdict.AGREES, report.reason
