"""Names of files are read from constants, defaults and attributes; only those that can be given to a call count."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.source.outside.constant_files import FileReader, joined

MODULE = """
import configparser
import os
from pathlib import Path

BASE = Path("data")
NAME = "a.txt"
TWICE = "b.txt"
TWICE = "c.txt"


class Store:
    suffix = ".db"

    def __init__(self, folder="stores", name=None):
        self.folder = Path(folder)
        self.name = name or "main"
        self.path = self.folder / f"{self.name}.json"

    def f(self, path="own.txt", *, other=BASE / "x.csv"):
        (BODY)
"""


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("open(NAME)", ["a.txt"]),
        ("open(os.path.join('logs', NAME))", ["logs/a.txt"]),
        ("(BASE / 'x' / NAME).read_text()", ["data/x/a.txt"]),
        ("BASE.joinpath('x.txt').resolve().open()", ["data/x.txt"]),
        ("Path.home().joinpath('.rc').exists()", [".rc"]),
        ("os.path.exists(os.path.expanduser('~/.rc'))", [".rc"]),
        ("open(os.path.join(os.path.expanduser('~'), '.rc'))", [".rc"]),
        ("open(Path.cwd() / 'x.txt')", ["x.txt"]),
        ("path.replace('-', '_'), other.open('rb'), unknown.rename('x.txt'), file.stat('x')", ["data/x.csv"]),
        ("self.path.read_bytes()", ["stores/main.json"]),
        ("open('x' + self.suffix)", ["x.db"]),
        ("open(path), other.exists()", ["own.txt", "data/x.csv"]),
        ("parser.read('x.ini'), file.read(3), table.read('name')", ["x.ini"]),
        ("open('/etc/passwd'), open('../x.txt'), open(TWICE), open(unknown), open(3), open('')", []),
        ("open(Path(__file__).parent / 'x.txt')", []),
        ("print('x.txt'), BASE / 'x.txt'", []),
    ],
)
def test_names(body: str, names: list[str]) -> None:
    tree = ast.parse(MODULE.replace("(BODY)", body))
    store = next(node for node in tree.body if isinstance(node, ast.ClassDef))
    function = next(node for node in store.body if isinstance(node, ast.FunctionDef) and node.name == "f")
    assert [*FileReader(tree, "Store", ["a"]).read([function]).names] == names


PARSING = """
import argparse

def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("--log-file", dest="log", default=None)
    parser.add_argument("--level", type=int)
    parser.add_argument("others", nargs="*")
    args = parser.parse_args(argv)
    (BODY)

def run(options):
    open(options.source)
"""


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("open(args.source)", ["a"]),
        ("Path(args.log).read_text()", ["a"]),
        ("[open(one) for one in args.others]", ["a"]),
        ("run(args)", ["a"]),
        ("run(parser.parse_args())", ["a"]),
        ("open(args.level)", []),
        ("open(argv.source)", []),
    ],
)
def test_names_on_command_lines(body: str, names: list[str]) -> None:
    tree = ast.parse(PARSING.replace("(BODY)", body))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert [*FileReader(tree, "", ["a"]).read(functions).names] == names


def test_contents_have_what_is_looked_up() -> None:
    tree = ast.parse(
        "import json\ndef f():\n    y = json.load(open('x.json'))\n    return y['size'] if 'x' in y else 0"
    )
    found = FileReader(tree, "", ["on"]).read([node for node in tree.body if isinstance(node, ast.FunctionDef)])
    assert (sorted(found.json[0].keys), len(found.json), found.is_binary) == (["size", "x"], 1, False)
    contents = [one["x.json"] for one in joined([found, found]).seeds()]
    assert {"size": 1, "x": 1} in contents
    assert "on\n" in contents
