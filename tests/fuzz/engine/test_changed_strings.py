"""Strings have parts in them that functions of the library change, and those that are sent requests are addresses."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

TEXT = """
import html
import json
import os
import textwrap
from html import unescape
from urllib.parse import unquote, urlsplit
from urllib.request import urlopen


def query_of(url: str) -> str:
    return urlsplit(unescape(url)).query


def name_of(path: str) -> str:
    return unquote(path.rsplit("/", 1)[-1])


def shown(text: str) -> str:
    return textwrap.dedent(text).strip()


def place_of(path: str) -> str:
    return os.path.normpath(os.path.expanduser(path))


def cell(value: str) -> str:
    return "<td>" + html.escape(value) + "</td>"


def plain(text: str) -> str:
    return text.encode("ascii", "replace").decode("unicode_escape")


def fetched(address):
    with urlopen(address) as answer:
        return json.loads(answer.read().decode())
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("query_of", "urlsplit(unescape(url))", "urlsplit(url)"),
        ("name_of", 'unquote(path.rsplit("/", 1)[-1])', 'unquote(path).rsplit("/", 1)[-1]'),
        ("shown", "textwrap.dedent(text).strip()", "textwrap.dedent(text.strip())"),
        ("place_of", "os.path.expanduser(path)", "path"),
        ("cell", "html.escape(value)", "html.escape(value, quote=False)"),
        ("plain", '.decode("unicode_escape")', '.decode("ascii")'),
        ("fetched", "return json.loads(answer.read().decode())", "return [json.loads(answer.read().decode())]"),
    ],
)
def test_mistakes(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(TEXT, name, old, new, calls=2000, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("query_of", "urlsplit(unescape(url)).query", "urlsplit(html.unescape(url))[3]"),
        ("name_of", 'unquote(path.rsplit("/", 1)[-1])', 'unquote(path.split("/")[-1])'),
        ("cell", "html.escape(value)", "html.escape(value, quote=True)"),
        ("fetched", "json.loads(answer.read().decode())", "json.load(answer)"),
    ],
)
def test_harmless_changes(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(TEXT, name, old, new, calls=600, seconds=30)
    assert report.verdict is Verdict.AGREES, report.counterexample or report.reason


PARTS = """
class PartError(ValueError):
    pass


def refuse(part):
    raise PartError(part)


def parsed(parts, expected=1):
    if not parts:
        return []
    part, kind = parts[0], None
    if len(part) == 2 and part.isalpha():
        kind = 1
    elif len(part) == 4 and part.isdigit():
        kind = 2
    if kind is None:
        refuse(part)
    elif kind < expected:
        raise PartError("another order")
    else:
        return [(kind, part.upper())] + parsed(parts[1:], kind + 1)
"""


def test_words_that_are_refused_on_purpose_are_meant_where_only_none_is_accepted(judge: Any) -> None:
    report = judge(
        PARTS, PARTS.replace("[(kind, part", "[(-kind, part"), "parsed", kind="previous", calls=1500, seconds=30
    )
    assert report.verdict is Verdict.DIFFERS, report.reason
    harmless = PARTS.replace("kind is None", "not kind")
    report = judge(PARTS, harmless, "parsed", kind="previous", calls=600, seconds=30)
    assert report.verdict is Verdict.AGREES, report.counterexample
