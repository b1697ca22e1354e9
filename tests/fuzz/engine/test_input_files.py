"""Functions that read or write files get paths in the private folder; two versions have to leave the same files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict
from lsp_evalplus.fuzz.source.discover import read_module

TEXT = """
import csv
import json
from pathlib import Path

def lines(path):
    with open(path) as file:
        return [line.strip() for line in file if line.strip()]

def public(path: Path) -> dict:
    data = json.loads(path.read_text())
    return {key: value for key, value in data.items() if not key.startswith("_")}

def port(path: str, default: int = 80) -> int:
    with open(path, encoding="utf-8") as file:
        return json.load(file).get("port") or default

def size(path: Path) -> int:
    return len(path.read_bytes().rstrip())

def rows(source: str | Path):
    path = Path(source)
    if not path.exists():
        return None
    with Path(source).open(newline="") as file:
        return [row[0] for row in csv.reader(file) if row]

class Settings:
    def __init__(self, path: Path):
        self.values = {}
        if path.suffix == ".ini":
            for line in path.read_text().splitlines():
                key, sign, value = line.partition("=")
                if sign:
                    self.values[key.strip()] = value

def _words(path):
    with open(path) as file:
        return file.read().split()

def longest(path=None, least=1):
    words = _words(path) if path is not None else []
    return max([len(word) for word in words] + [least])

def save(path: Path, names: list[str]) -> int:
    path.write_text("\\n".join(names))
    return len(names) + len(path.read_text())
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("lines", "if line.strip()]", "]"),
        ("public", 'key.startswith("_")', 'key.endswith("_")'),
        ("port", "or default", "or 443"),
        ("longest", "len(word) for", "len(word.strip('-')) for"),
        pytest.param("size", "read_bytes().rstrip()", "read_bytes().strip()", marks=pytest.mark.slow),
        pytest.param("rows", "return None", "return []", marks=pytest.mark.slow),
        pytest.param("rows", "row[0]", "row[-1]", marks=pytest.mark.slow),
        ("Settings.__init__", "= value\n", "= value.strip()\n"),
    ],
)
def test_a_file_is_read(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(TEXT, name, old, new, calls=1200, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert "file_with(" in report.counterexample.call or "pathlib.Path(" in report.counterexample.call


OTHER_WAYS = """
import codecs
import io
import os

class Config:
    encoding = "utf-8"

    def opened(self, name, mode="r"):
        return io.open(name, mode=mode, encoding=self.encoding)

    def options(self, name):
        with self.opened(name) as file:
            return sorted([line.partition("=")[0].strip() for line in file])

    @classmethod
    def count(cls, name):
        return len(cls().options(name)) + 1

def first_word(source):
    with codecs.open(source, "r", "utf-8") as file:
        return file.read().split()[0]

def replaced(source, text):
    size = os.path.getsize(source)
    os.remove(source)
    return size + len(text)
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Config.options", '"=")[0].strip()', '"=")[0]'),
        ("Config.count", "+ 1", "+ 2"),
        ("first_word", "split()[0]", "split()[-1]"),
        ("replaced", "+ len(text)", "- len(text)"),
    ],
)
def test_a_file_is_opened_by_a_method_or_in_another_way(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(OTHER_WAYS, name, old, new, calls=800, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason


def test_a_file_that_a_method_opens_otherwise_agrees(judge: Any) -> None:
    changed = OTHER_WAYS.replace("io.open(name, mode=mode,", "open(name, mode,")
    report = judge(OTHER_WAYS, changed, "Config.options", kind="previous", calls=300, seconds=30)
    assert report.verdict is Verdict.AGREES, report.reason


def test_numbers_that_are_opened_close_no_file_of_ours(judge: Any) -> None:
    """`open` takes numbers of open files, too: round ones are inputs where nothing tells what is opened."""
    text = "def size(places):\n    with open(places[0]) as file:\n        return len(file.read())\n"
    report = judge(text, text + "\n", "size", kind="previous", calls=2000, seconds=30, seeds=("([1000],)", "([1001],)"))
    assert "process" not in report.reason, report.reason


def test_a_file_that_is_read_otherwise_agrees(judge: Any) -> None:
    changed = TEXT.replace("for line in file if line.strip()", "for line in file.readlines() if not line.isspace()")
    report = judge(TEXT, changed, "lines", kind="previous", calls=300, seconds=30)
    assert report.verdict is Verdict.AGREES, report.reason


WRITING = """
import csv
import json
import os
from pathlib import Path

def save(names: list[str], path):
    with open(path, "w") as file:
        for name in names:
            file.write(name.strip() + "\\n")
    return len(names)

def export(rows: list[dict], path: Path):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        for row in rows:
            writer.writerow([row.get("a"), row.get("b", 0)])

def report(data: dict, folder: str):
    os.makedirs(folder, exist_ok=True)
    Path(folder, "report.json").write_text(json.dumps(data, sort_keys=True))

def rotated(path: Path):
    if path.exists():
        path.rename(path.with_suffix(".1"))

def stored(text: str):
    report({"text": text}, "out")

class Log:
    def __init__(self, name="app.log"):
        self.name = name

    def add(self, level: str, message: str):
        with open(self.name, "a") as file:
            file.write(f"[{level.upper()}] {message}")

def counted():
    path = Path("counter.txt")
    number = int(path.read_text()) if path.exists() else 0
    path.write_text(str(number + 1))
    return number
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("save", "name.strip()", "name", "{'file.txt': "),
        ("export", 'row.get("b", 0)', 'row.get("b")', "{'file.txt': "),
        ("report", "sort_keys=True", "indent=1", "/report.json': "),
        ("rotated", '".1"', '".2"', "{'file.2': "),
        ("stored", '"text": text', '"texts": text', "{'out/': None, 'out/report.json': "),
        ("Log.add", "level.upper()", "level", "{'app.log': "),
        ("counted", "number + 1", "number + 2", "{'counter.txt': '2'}"),
    ],
)
def test_a_difference_shows_in_what_is_written(judge: Any, name: str, old: str, new: str, told: str) -> None:
    report = judge.edit(WRITING, name, old, new, calls=800, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample.call.startswith("returned_and_written(")
    assert told in report.counterexample.candidate.text


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("save", 'name.strip() + "\\n"', '"".join([name.strip(), "\\n"])'),
        ("report", "sort_keys=True", "sort_keys=bool(1)"),
        ("Log.add", "level.upper()", "str.upper(level)"),
    ],
)
def test_the_same_files_agree(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(WRITING, name, old, new, calls=200, seconds=30)
    assert report.verdict is Verdict.AGREES, report.reason


def test_files_are_not_written_where_others_could_be(judge: Any, tmp_path: Path) -> None:
    text = "def f(n: int):\n    with open({path!r}, 'w') as file:\n        file.write(str(n))\n    return n\n"
    old = text.format(path=str(tmp_path / "a.txt"))
    report = judge(old, old.replace("str(n)", "str(n + 1)"), "f", kind="previous", calls=100, seconds=30)
    assert report.verdict is Verdict.NOT_CHECKED
    assert not list(tmp_path.iterdir())


def test_files_are_written_for_no_other_oracle() -> None:
    target = read_module(WRITING).target("save")
    assert target.obstacle is None
    assert target.reads == "reads or writes files: open(...)"
