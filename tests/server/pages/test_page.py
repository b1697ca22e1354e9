"""Pages: what is shown is text, nothing is loaded, and every picture has its table."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from lsp_evalplus.pages import page as pages
from lsp_evalplus.pages.page import Chart, Page, Section, to_page
from lsp_evalplus.pages.table import Table, escape, to_html

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    '"><img src=x onerror=alert(1)>',
    "\u202egnp.exe",
    "\x00\x07\x1b[31m\x7f",
    "\ud800",
    "&lt;b&gt;",
    "]]>",
    "' onmouseover='alert(1)",
)


class Reader(HTMLParser):
    """Elements with their attributes, and the text of those that are shown."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.raw: dict[str, str] = {}
        self._open: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self._open.append((tag, dict(attrs).get("id") or "code"))

    def handle_endtag(self, tag: str) -> None:
        if tag == "script" and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open:
            self.raw[self._open[-1][1]] = self.raw.get(self._open[-1][1], "") + data
        else:
            self.texts.append(data)


def read(content: bytes) -> Reader:
    reader = Reader()
    reader.feed(content.decode("utf-8"))
    return reader


def page_with(text: str) -> Page:
    table = Table(text, [text, text], [[text, text]], {text: "wrong"})
    chart = Chart(text, {"kind": "ranking", "unit": "share", "rows": [{"name": text, "value": 1, "low": 0, "high": 1}]})
    return Page(text, text, [Section("one", text, [text], chart, table)], [{"task": text, "program": text}])


def charts_needed() -> None:
    if pages.script() is None:
        pytest.skip("charts.js was not built: Node was missing when the package was installed; run `make pages`")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_text(text: str) -> None:
    plain = read(to_page(page_with("plain")))
    found = read(to_page(page_with(text)))

    assert [tag for tag, _ in found.elements] == [tag for tag, _ in plain.elements]
    assert [set(attributes) for _, attributes in found.elements] == [
        set(attributes) for _, attributes in plain.elements
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_script_gets_the_very_text(text: str) -> None:
    charts_needed()
    data = json.loads(read(to_page(page_with(text))).raw["page-data"])

    assert data["failures"][0]["program"] == text
    assert data["charts"]["chart-one"]["rows"][0]["name"] == text


def test_what_nobody_sees_is_written_out() -> None:
    assert escape("a\x00b\x1b") == "a\\x00b\\x1b"
    assert escape("\ud800") == "\\ud800"
    assert escape("a\tb\nc") == "a\tb\nc"


def test_nothing_is_loaded_and_only_our_script_runs() -> None:
    charts_needed()
    content = to_page(page_with("x")).decode()
    reader = read(content.encode())
    (policy,) = [
        attributes["content"] or ""
        for tag, attributes in reader.elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    digest = base64.b64encode(hashlib.sha256(reader.raw["code"].encode()).digest()).decode()

    assert policy.startswith("default-src 'none'; ")
    assert f"script-src 'sha256-{digest}'" in policy
    assert not [
        (tag, name, value)
        for tag, attributes in reader.elements
        for name, value in attributes.items()
        if name in ("src", "srcset", "action", "style")
        or name.startswith("on")
        or (name == "href" and not (value or "").startswith("#"))
    ]


def test_a_package_without_charts_makes_pages_of_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "script", lambda: None)
    content = to_page(page_with("x")).decode()

    assert "<table " in content
    assert "<script" not in content
    assert "script-src" not in content
    assert "built without Node" in content


def test_the_same_page_gives_the_same_bytes() -> None:
    assert to_page(page_with("x")) == to_page(page_with("x"))


def test_charts_come_with_their_licences() -> None:
    charts_needed()
    licences = read(to_page(page_with("x"))).raw["licences"]

    for name in ("@observablehq/plot", "d3-array", "@lezer/python"):
        assert re.search(rf"^{re.escape(name)} \d", licences, re.MULTILINE), name
    assert "Permission to use, copy, modify, and/or distribute" in licences


def test_rows_lead_to_where_their_table_says() -> None:
    assert '<a href="#wrong" data-task="T/1">T/1</a>' in to_html(
        Table("", ["task"], [["T/1"], ["T/2"]], {"T/1": "wrong"})
    )


def test_the_script_is_newer_than_what_it_is_made_of() -> None:
    charts_needed()
    repository = Path(__file__).parents[3]
    built = repository / "server/lsp_evalplus/pages/assets/charts.js"
    late = [
        path.name
        for path in (repository / "pages-client/src").glob("*.ts")
        if path.stat().st_mtime > built.stat().st_mtime
    ]

    assert late == [], "run `make pages`"
