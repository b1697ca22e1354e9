"""Slips that edits have in packages: what tells what the parameters are has to be found where the code hides it."""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from lsp_evalplus.fuzz.guest.inference.hints import hints_of
from lsp_evalplus.fuzz.guest.program.module_overlay import OwnModule
from lsp_evalplus.fuzz.model import Verdict

SOURCE = r"""
import os
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
KINDS = ("QX", "ZW", "JV")
find_code = re.compile(r"\b(?:" + "|".join(KINDS) + ")-[0-9]{2}" + r"\b").search


class Missing:
    pass


missing = Missing()
YES, NO = {"y", "yes", "t", "true", "1"}, {"n", "no", "f", "false", "0"}


def setting(data, path, default=None):
    for part in path.split("."):
        try:
            data = data[part]
        except (KeyError, TypeError):
            return default
    return data


def put(data, path, value):
    *parents, last = path.split("/")
    for parent in parents:
        data = data.setdefault(parent, {})
    data[last] = value
    return value


def resolve(path, scopes):
    for scope in scopes:
        try:
            for part in path.split("."):
                scope = scope[part]
        except (KeyError, TypeError):
            continue
        return scope
    return None


def truth(value):
    if isinstance(value, bool):
        return value
    value = value.lower()
    if value in YES:
        return True
    if value in NO:
        return False
    raise ValueError("no truth value: " + value)


class Settings:
    def __init__(self, held):
        self.held = held

    def chosen(self, name, default=missing, how=missing):
        if name in self.held:
            value = self.held[name]
        else:
            if isinstance(default, Missing):
                raise KeyError(name)
            value = default
        if isinstance(how, Missing):
            how = self.same
        elif how is bool:
            how = self.truth
        return how(value)

    def truth(self, value):
        value = str(value)
        return bool(value) if value == "" else bool(truth(value))

    @staticmethod
    def same(value):
        return value


def total(tree):
    if isinstance(tree, Mapping):
        return sum(map(total, tree.values()))
    if isinstance(tree, Sequence) and not isinstance(tree, str):
        return sum(map(total, tree))
    return 1


def merged(older: T, newer: T) -> T:
    for kind in (str, list, dict):
        if isinstance(older, kind) and isinstance(newer, kind):
            return newer if kind is dict else older + newer
    return newer


class Finder:
    NAMES = OrderedDict([("tool.ini", 1), (".toolrc", 2)])

    def find(self, folder):
        for name in self.NAMES:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                return path
        above = os.path.dirname(folder)
        return self.find(above) if above else ""


def root_of(start: Path):
    for folder in [start, *start.parents]:
        if (folder / "setup.cfg").is_file():
            return folder
    return None


def code_in(text: str) -> str:
    found = find_code(text)
    return found.group(0) if found else ""


def moment(text):
    '''Return the day and the hour of a time, such as:

        2024-5-17 21:22
        2024/05/17 9:05
    '''
    day, _, clock = text.replace("/", "-").partition(" ")
    parts = [one for one in day.split("-") if one.isdigit()]
    if len(parts) != 3 or ":" not in clock:
        return None
    hour = clock.split(":")[0]
    return tuple(map(int, parts)), hour
"""

MISTAKES = [
    ("setting", "    return data\n", "    return data or default\n"),
    ("put", "data = data.setdefault(parent, {})", "data = data.setdefault(path, {})"),
    ("resolve", "return scope", "return scope or None"),
    ("Settings.chosen", "return how(value)", "return value if value is default else how(value)"),
    ("total", "isinstance(tree, Mapping)", "isinstance(tree, dict)"),
    ("total", "isinstance(tree, Sequence) and not isinstance(tree, str)", "isinstance(tree, (list, tuple))"),
    ("merged", "isinstance(older, kind) and ", ""),
    ("Finder.find", "if os.path.isfile(path):", "if name in os.listdir(folder or '.')[:1]:"),
    ("root_of", "[start, *start.parents]", "[start]"),
    ("code_in", "found.group(0)", "found.group(0).lower()"),
    ("moment", "len(parts) != 3 or ", "len(parts) != 3 or int(parts[0]) > 2000 or "),
]
SAME = [
    ("setting", "(KeyError, TypeError)", "(TypeError, KeyError)"),
    ("put", '*parents, last = path.split("/")', '*parents, last = list(path.split("/"))'),
    ("resolve", "scope = scope[part]", "scope = scope.__getitem__(part) if isinstance(scope, dict) else scope[part]"),
    ("Settings.chosen", "how = self.same", "how = Settings.same"),
    ("total", "isinstance(tree, Mapping)", 'hasattr(tree, "values")'),
    (
        "merged",
        "isinstance(older, kind) and isinstance(newer, kind)",
        "all(isinstance(x, kind) for x in (older, newer))",
    ),
    ("Finder.find", "path = os.path.join(folder, name)", "path = str(Path(folder, name))"),
    ("root_of", "[start, *start.parents]", "(start, *start.parents)"),
    ("code_in", "found.group(0)", "found[0]"),
    ("moment", "len(parts) != 3 or ", "not len(parts) == 3 or "),
]


@pytest.mark.parametrize(("name", "old", "new"), MISTAKES)
def test_a_slip(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(SOURCE, name, old, new, calls=1500)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(("name", "old", "new"), SAME)
def test_the_same_written_otherwise(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(SOURCE, name, old, new, calls=1500)
    assert report.verdict is Verdict.AGREES, report.reason


def test_aliases_are_evaluated_where_they_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "shop_of_aliases"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "made.py").write_text("Rule = 'str | Row'\nRow = 'tuple[int, str]'\n", encoding="utf-8")
    text = "from . import made\ndef take(rules: 'list[tuple[type, made.Rule | None]]', one: 'made.Row'): ...\n"
    (package / "used.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = hints_of(importlib.import_module("shop_of_aliases.used").take)
    assert found["rules"] == list[tuple[type, str | tuple[int, str] | None]]
    assert found["one"] == tuple[int, str]


def test_a_package_has_the_modules_that_another_version_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    package, below = types.ModuleType("a_package"), types.ModuleType("a_package.below")
    package.__path__ = []
    monkeypatch.setitem(sys.modules, "a_package.below", below)
    monkeypatch.setitem(sys.modules, "a_package.below.deeper", types.ModuleType("a_package.below.deeper"))
    package.__dict__["known"] = 1
    monkeypatch.setitem(sys.modules, "a_package.known", types.ModuleType("a_package.known"))
    with OwnModule(package):
        assert sys.modules["a_package"] is package
    assert package.__dict__["below"] is below
    assert package.__dict__["known"] == 1
    assert "below.deeper" not in package.__dict__
