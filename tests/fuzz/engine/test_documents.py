"""Documents that functions parse hold what is looked up in them: JSON, tables, settings, TOML, XML."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.inference.files.documents import markup_document, table_documents
from lsp_evalplus.fuzz.guest.inference.files.parsed_parameters import documents_parsed
from lsp_evalplus.fuzz.guest.values.shapes import ANYTHING, BYTES, STR, ListShape
from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
from __future__ import annotations

import configparser
import csv
import io
import json
import tomllib
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from xml.dom import minidom


def names(text):
    data = json.loads(text)
    return [row["name"].strip() for row in data["rows"] if row.get("active", True)]


def setting(text: str, name: str) -> str | None:
    try:
        data = json.loads(text)
    except json.JSONDecodeError:
        return None
    value = data.get("settings", {}).get(name)
    return value if isinstance(value, str) else None


def merged(first: str, second: str) -> str:
    left, right = json.loads(first), json.loads(second)
    left.update(right)
    return json.dumps(left, sort_keys=True)


def errors(lines: list[str]) -> int:
    count = 0
    for line in lines:
        data = json.loads(line)
        if data["kind"] == "error" and data.get("level", 0) > 2:
            count += 1
    return count


async def decoded(raw: bytes) -> int:
    return sum(one["count"] for one in json.loads(raw.decode("utf-8"))["all"])


def paid(text: str) -> float:
    total = 0.0
    for row in csv.DictReader(io.StringIO(text)):
        if row["kind"] == "paid":
            total += float(row["amount"])
    return total


def adults(text: str) -> list[str]:
    return [row["name"] for row in csv.DictReader(text.splitlines(), delimiter="\\t") if int(row["age"]) >= 18]


class Prices:
    def __init__(self, text: str) -> None:
        self.text = text

    def rounded(self) -> dict[str, float]:
        rows = csv.DictReader(io.StringIO(self.text))
        return {row["sku"]: round(float(row["price"]), 2) for row in rows}


def server(text: str) -> dict:
    parser = configparser.ConfigParser()
    parser.read_string(text)
    section = parser["server"]
    return {"host": section.get("host", "localhost"), "port": section.getint("port", 80)}


def needed(text: str) -> list[str]:
    return sorted(tomllib.loads(text).get("project", {}).get("dependencies", []))


def entries(text: str) -> dict:
    found = {}
    for node in ET.fromstring(text).findall("entry"):
        key = node.get("key")
        if key:
            found[key] = (node.text or "").strip()
    return found


def heads(root: ET.Element) -> list[str]:
    return [(one.text or "").strip() for one in root.findall("./head")]


def counted(path: str) -> int:
    with open(path) as file:
        data = json.load(file)
    return sum(item["count"] for item in data.get("items", []))


def logged(path: Path) -> int:
    count = 0
    with path.open() as file:
        for line in file:
            if json.loads(line)["status"] >= 500:
                count += 1
    return count


def combined(text: str) -> list[dict]:
    found = {}
    for line in text.splitlines():
        if line.strip():
            row = json.loads(line)
            found.setdefault(row["id"], {}).update(row)
    return list(found.values())


@dataclass
class User:
    name: str
    age: int = 0


def user(text: str) -> User:
    return User(**json.loads(text))


def pages(text: str) -> list[str]:
    found = minidom.parseString(text).getElementsByTagName("page")
    return [one.getAttribute("title") for one in found if one.hasAttribute("title")]


def titled(path):
    with open(path, newline="") as file:
        return {row["id"]: row["name"].title() for row in csv.DictReader(file) if row["id"]}
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("names", ".strip()", ""),
        ("names", '"active", True', '"active", False'),
        ("setting", "return None", 'return ""'),
        ("merged", "left.update(right)", "right.update(left)"),
        ("errors", "> 2", ">= 2"),
        ("decoded", 'one["count"]', 'one["count"] + 1'),
        ("paid", '== "paid"', '!= "paid"'),
        ("paid", 'float(row["amount"])', 'float(row["amount"]) * 2'),
        ("adults", ">= 18", "> 18"),
        ("Prices.rounded", ", 2)", ", 1)"),
        ("server", '"port", 80', '"port", 81'),
        ("server", ".getint(", ".get("),
        ("needed", "sorted(", "list("),
        ("entries", ".strip()", ""),
        ("entries", "if key:", "if key is not None:"),
        ("heads", ".strip()", ""),
        ("counted", 'item["count"]', 'item["count"] + 1'),
        ("titled", ".title()", ""),
        ("logged", "count += 1", "count = 1"),
        ("combined", "if line.strip():", "if line:"),
        ("user", "**json.loads(text)", '**{**json.loads(text), "age": 1}'),
        ("pages", ' if one.hasAttribute("title")', ""),
    ],
)
def test_mistakes_are_told(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(SOURCE, name, old, new, calls=2000)
    assert report.verdict is Verdict.DIFFERS, report


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("merged", "    left.update(right)", "    left = {**left, **right}"),
        (
            "names",
            'for row in data["rows"] if row.get("active", True)]',
            'for row in list(data["rows"]) if row.get("active", 1)]',
        ),
        ("setting", "except json.JSONDecodeError", "except ValueError"),
        (
            "errors",
            'data["kind"] == "error" and data.get("level", 0) > 2',
            'data.get("level", 0) > 2 and data["kind"] == "error"',
        ),
        ("decoded", 'raw.decode("utf-8")', "raw"),
        ("paid", "csv.DictReader(io.StringIO(text))", "csv.DictReader(text.splitlines())"),
        ("adults", 'int(row["age"]) >= 18', 'not int(row["age"]) < 18'),
        ("Prices.rounded", "csv.DictReader(io.StringIO(self.text))", "list(csv.DictReader(io.StringIO(self.text)))"),
        ("server", "parser.read_string(text)", "parser.read_file(io.StringIO(text))"),
        ("entries", 'node.get("key")', 'node.attrib.get("key")'),
        ("counted", "json.load(file)", "json.loads(file.read())"),
        ("logged", ">= 500", "> 499"),
        ("combined", ".update(row)", ".update({**row})"),
        ("pages", 'one.hasAttribute("title")', 'one.getAttributeNode("title") is not None'),
    ],
)
def test_the_same_written_otherwise_agrees(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(SOURCE, name, old, new, calls=600)
    assert report.verdict is Verdict.AGREES, report


def function(source: str) -> Any:
    return ast.parse(source).body[0]


def test_a_table_has_the_columns_and_values_that_a_function_reads() -> None:
    source = "def f(text):\n for row in csv.DictReader(io.StringIO(text)):\n  if row['a'] == 'x': yield int(row['b'])\n"
    (table,) = table_documents([function(source)])
    assert table.accepts("a,b\nx,12\n,0")
    assert not table.accepts("a,b\nx,y")
    assert not table.accepts("b,a\n1,x")


def test_markup_has_the_elements_and_attributes_that_a_function_names() -> None:
    source = "def f(page):\n for one in BeautifulSoup(page).select('div.note > a[href]'): yield one['title'] != 'x'\n"
    html = markup_document(function(source), is_html=True)
    assert html.accepts('<html><div class="note"><a href="a" title="x"></a></div></html>')
    assert not html.accepts("<html><p></p></html>")


@pytest.mark.parametrize(
    ("body", "shape", "is_told"),
    [
        ("return json.loads(x)", STR, True),
        ("return json.loads(x)", BYTES, True),
        ("return json.loads(x.strip() or '{}')", ANYTHING, True),
        ("return json.load(io.StringIO(x))", STR, True),
        ("return [json.loads(one) for one in x]", ListShape(STR), True),
        ("for one in x.splitlines(): yield json.loads(one)", STR, True),
        ("return json.load(x)", ANYTHING, False),
        ("return [row['a'] for row in csv.DictReader(x)]", ANYTHING, False),
        ("return pickle.loads(x)", BYTES, False),
        ("return json.dumps(x)", STR, False),
        ("return json.loads(read(x))", STR, False),
    ],
)
def test_which_parameters_hold_documents(body: str, shape: Any, is_told: bool) -> None:
    """A stream, or what another function makes of a parameter, is no string that holds a document."""
    found = documents_parsed(function(f"def f(x):\n    {body}\n"), {"x": shape})
    assert list(found) == ["x"] * is_told
