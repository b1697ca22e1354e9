"""What stands for a missing value does not end what is known of the value: ``if options is None: options = {}``."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

SETTINGS = """
def port(config):
    server = config.get("server")
    if server is None:
        server = {}
    return server.get("port", 80)

def title(book):
    try:
        data = book["data"]
    except KeyError:
        data = {}
    return data["title"].strip() if data else ""

def tagged(page, user):
    page = dict(page)

    def put(**found):
        try:
            head = page["head"]
        except KeyError:
            head = page["head"] = {}
        head.update(**found)

    if user["id"]:
        put(name=user["id"])
    return page

def first(order):
    rows = order.rows
    if not rows:
        rows = list()
    return [row.name for row in rows if row.count > 1]
"""
CASES = [
    ("port", 'server.get("port", 80)', 'server.get("port", 80) or 80'),
    ("title", ".strip()", ".rstrip()"),
    ("tagged", "        head.update(**found)", "        page['head'] = {**head, **found}"),
    ("first", "row.count > 1", "row.count > 2"),
]
REWRITTEN = [
    ("port", "    if server is None:\n        server = {}\n", "    server = {} if server is None else server\n"),
    (
        "title",
        '    try:\n        data = book["data"]\n    except KeyError:\n        data = {}\n',
        '    data = book["data"] if "data" in book else {}\n',
    ),
    ("first", "    if not rows:\n        rows = list()\n", "    rows = rows or []\n"),
]


def _check(judge: Any, name: str, old: str, new: str) -> Any:
    assert SETTINGS.count(old) == 1
    return judge.edit(SETTINGS, name, old, new, calls=2500, seconds=30)


@pytest.mark.parametrize(("name", "old", "new"), CASES)
def test_what_may_be_missing_is_known(judge: Any, name: str, old: str, new: str) -> None:
    report = _check(judge, name, old, new)

    assert report.verdict is Verdict.DIFFERS, report


@pytest.mark.parametrize(("name", "old", "new"), REWRITTEN)
def test_another_way_to_write_it_is_no_difference(judge: Any, name: str, old: str, new: str) -> None:
    report = _check(judge, name, old, new)

    assert report.verdict is Verdict.AGREES, report
