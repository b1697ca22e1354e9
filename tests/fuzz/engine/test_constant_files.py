"""Two versions of a function are given the files that it reads by names of its own."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict

TEXT = '''
import argparse
import configparser
import csv
import json
import os
from pathlib import Path

CONFIG = "config.json"
FOLDER = Path("data")


def retries():
    with open(CONFIG) as file:
        data = json.load(file)
    return data.get("retries", 3) + 1


def errors():
    count = 0
    for line in open("app.log"):
        if "ERROR" in line:
            count += 1
    return count


def names(limit: int = 10):
    with open(os.path.join("data", "users.csv"), newline="") as file:
        return [row["name"] for row in csv.DictReader(file)][:limit]


def version(default="0"):
    path = FOLDER / "VERSION"
    return path.read_text().strip() if path.exists() else default


def port():
    parser = configparser.ConfigParser()
    parser.read("server.ini")
    return int(parser["server"]["port"]) if parser.has_section("server") else 80


def note(line: str):
    """Add a line to the notes."""
    path = Path.home() / ".notes"
    lines = path.read_text().splitlines() if path.exists() else []
    if line not in lines:
        lines.append(line)
        path.write_text("\\n".join(lines))


def loaded(source, encoding="utf-8"):
    with open(source, encoding=encoding) as file:
        return json.load(file)


def level():
    return loaded("./level.json").get("level", 1) * 2


def shown(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("filename")
    args = parser.parse_args(argv)
    for line in open(args.filename):
        print(line.strip())


class Tasks:
    def __init__(self, path="tasks.json"):
        self.path = path

    def open(self):
        if not os.path.exists(self.path):
            return []
        with open(self.path) as file:
            return [task["title"] for task in json.load(file)["tasks"] if not task["done"]]
'''


@pytest.mark.parametrize(
    ("name", "old", "new", "call"),
    [
        ("retries", "3) + 1", "3)", "with_files(retries, {'config.json': "),
        ("retries", '"retries"', '"retry"', "with_files(retries, {'config.json': {'retr"),
        ("errors", '"ERROR" in line', '"ERROR" in line or "WARNING" in line', "with_files(errors, {'app.log': "),
        ("names", "[:limit]", "[: limit - 1]", "with_files(names, {'data/users.csv': 'name"),
        ("version", ".strip()", ".rstrip()", "with_files(version, {'data/VERSION': "),
        (
            "port",
            'parser["server"]["port"])',
            'parser["server"]["port"]) + 1',
            "with_files(port, {'server.ini': '[server]",
        ),
        ("note", "if line not in lines:", "if True:", "returned_and_written(note, {'.notes': "),
        ("level", "* 2", "* 3", "with_files(level, {'level.json': "),
        ("shown", "line.strip()", "line.rstrip()", "with_files(shown, {'a': ' "),
        ("Tasks.open", "if not task", "if task", "with_files(Tasks().open, {'tasks.json': {'tasks': "),
    ],
)
def test_a_difference_shows_with_files(judge: Any, name: str, old: str, new: str, call: str) -> None:
    assert TEXT.replace(old, new) != TEXT
    report = judge(TEXT, TEXT.replace(old, new), name, kind="previous", calls=3000, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample.call.startswith(call)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("retries", 'data.get("retries", 3) + 1', '1 + data.get("retries", 3)'),
        ("errors", "count += 1", "count = 1 + count"),
        ("names", 'open(os.path.join("data", "users.csv"), newline="")', 'Path("data", "users.csv").open(newline="")'),
        ("version", "path.read_text()", "open(path).read()"),
        ("note", '"\\n".join(lines)', 'str("\\n").join(lines)'),
        ("shown", "for line in open(args.filename)", "for line in open(str(args.filename))"),
        ("Tasks.open", "if not os.path.exists(self.path)", "if not os.path.exists(str(self.path))"),
    ],
)
def test_what_reads_in_another_way_agrees(judge: Any, name: str, old: str, new: str) -> None:
    assert TEXT.replace(old, new) != TEXT
    report = judge(TEXT, TEXT.replace(old, new), name, kind="previous", calls=250, seconds=30)
    assert report.verdict is Verdict.AGREES, report.reason
    assert report.inputs > 20


NEEDED = """
import argparse

def counted():
    parser = argparse.ArgumentParser()
    parser.add_argument("--in-file", required=True)
    return length_of(parser.parse_args())

def length_of(args):
    with open(args.in_file) as file:
        return len(file.read())
"""


def test_a_command_line_with_all_that_a_parser_needs_names_a_file(judge: Any) -> None:
    changed = NEEDED.replace("return length_of", "return 1 + length_of")
    report = judge(NEEDED, changed, "counted", kind="previous", calls=500, seconds=10)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample.call.startswith("with_files(in_environment(counted, argv=['--i")
