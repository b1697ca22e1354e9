"""Parameters of classes of libraries whose objects cannot be made here: others have what the programs use of them."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.inference.annotations import constructor_shape
from lsp_evalplus.fuzz.guest.inference.objects.put_items import put_object
from lsp_evalplus.fuzz.guest.program.classes import is_of_library
from lsp_evalplus.fuzz.model import Verdict

SOURCE = """
from __future__ import annotations

import asyncio
import http.client
import http.server


def kind_of(response: http.client.HTTPResponse, least: int = 400) -> str:
    if response.status >= least:
        return "failed"
    return response.getheader("Content-Type", "text/plain").partition(";")[0].strip()


def answer(handler: http.server.BaseHTTPRequestHandler, body: bytes) -> None:
    handler.send_response(200 if body else 204)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()


async def shouted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
    count = 0
    while True:
        line = await reader.readline()
        if not line:
            break
        writer.write(line.upper())
        count += 1
    await writer.drain()
    return count


def languages(response: http.client.HTTPResponse) -> list[str]:
    return [part.get("name", "?") for part in response.parts() if part.get("kind") != "hidden"]
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("kind_of", ">= least", "> least"),
        ("kind_of", ".strip()", ""),
        ("answer", "204", "200"),
        ("answer", "handler.send_response(200 if body else 204)", "handler.send_response(http.HTTPStatus(201))"),
        ("shouted", "line.upper()", "line"),
        ("shouted", "    await writer.drain()\n", ""),
        ("languages", '"?"', '""'),
    ],
)
def test_mistakes_are_told(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(SOURCE, name, old, new, calls=1000)
    assert report.verdict is Verdict.DIFFERS, report
    assert report.counterexample.call.startswith(f"{name}(types.SimpleNamespace(")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("kind_of", ".status >= least", ".status >= int(least)"),
        ("answer", "200 if body else 204", "http.HTTPStatus.OK if body else http.HTTPStatus.NO_CONTENT"),
        ("shouted", "count += 1", "count = count + 1"),
        ("languages", 'part.get("name", "?")', 'part.attributes.get("name", "?")'),
    ],
)
def test_what_only_objects_of_the_library_show_is_not_told(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(SOURCE, name, old, new, calls=300)
    assert report.verdict is Verdict.AGREES, report


def test_none_among_its_answers_is_told(judge: Any) -> None:
    report = judge.edit(SOURCE, "languages", 'part.get("name", "?")', 'part.get("name").strip()', calls=1000)
    assert report.verdict is Verdict.DIFFERS
    assert "'NoneType' object has no attribute 'strip'" in report.counterexample.candidate.text


LIBRARY = """
class Line:
    def __init__(self, sku, cents):
        self.sku, self.cents = sku, cents

class Basket:
    def __init__(self):
        self.lines = {}

    def add(self, line):
        self.lines[line.sku] = line

    def total(self):
        return sum(line.cents for line in self.lines.values())
"""


@pytest.mark.parametrize("folder", ["site-packages", "own"])
def test_what_methods_of_installed_libraries_take_is_not_read(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"baskets_of_{folder.partition('-')[0]}"
    path = tmp_path / folder / f"{name}.py"
    path.parent.mkdir()
    path.write_text(LIBRARY, encoding="utf-8")
    monkeypatch.syspath_prepend(path.parent)
    module = importlib.import_module(name)
    assert is_of_library(module.Basket) == (folder != "own")
    assert (put_object(module.Basket, "add", "line") is None) == (folder != "own")


def test_a_base_class_of_a_library_stands_for_few_of_its_subclasses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path / "site-packages")
    (tmp_path / "site-packages").mkdir()
    derived = [f"class Node{n}(Node):\n    def __init__(self, size: int): self.size = size\n" for n in range(40)]
    source = "\n".join(["class Node:\n    def size_of(self): raise NotImplementedError\n", *derived])
    (tmp_path / "site-packages" / "many_nodes.py").write_text(source, encoding="utf-8")
    node = importlib.import_module("many_nodes").Node
    assert 1 < len(constructor_shape(node).alternatives) <= 10
