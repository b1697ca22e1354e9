"""Two versions of a function are given environment variables, command lines and lines of the standard input."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_evalplus.fuzz.model import Verdict
from lsp_evalplus.fuzz.source.discover import read_module

TEXT = """
import argparse
import os
import sys


def colors():
    if "NO_COLOR" in os.environ:
        return False
    return os.environ.get("TERM", "") != "dumb"


def scaled(factor: int):
    return factor * int(os.getenv("SIZE", "10"))


class Settings:
    def __init__(self, prefix=""):
        self.port = int(os.environ["PORT"]) if "PORT" in os.environ else 80
        self.prefix = prefix

    @property
    def level(self):
        return int(os.environ.get("LEVEL", "0")) + 1

    def url(self, path: str):
        return ("https:" if os.environ.get("SECURE") == "on" else "http:") + self.prefix + path


def asked(question, tries=3):
    for _ in range(tries):
        answer = input(question).strip().lower()
        if answer in ("y", "yes"):
            return True
        if answer in ("n", "no"):
            return False
    raise ValueError("no answer")


def counted():
    counts = {}
    for line in sys.stdin:
        for word in line.split():
            counts[word] = counts.get(word, 0) + 1
    return counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="+")
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--mode", choices=["fast", "slow"], default="fast")
    options = parser.parse_args()
    total = options.times * len(options.names)
    if options.mode == "slow":
        total += 1
    print(total)


def run(argv=None):
    if argv is None:
        argv = sys.argv[1:]
    parser = argparse.ArgumentParser()
    parser.add_argument("size", type=int)
    parser.add_argument("-q", "--quiet", action="store_true")
    options = parser.parse_args(argv)
    return 0 if options.quiet else options.size
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "call"),
    [
        ("colors", '"NO_COLOR"', '"NO_COLORS"', "in_environment(colors, environ={'NO_COLOR"),
        ("colors", '!= "dumb"', '!= "none"', "in_environment(colors, environ={'TERM': "),
        ("scaled", "factor * int", "factor + int", "scaled("),
        ("scaled", '"SIZE", "10"', '"SIZES", "10"', "in_environment(scaled, environ={'SIZE"),
        ("Settings.__init__", 'int(os.environ["PORT"])', "81", "in_environment(Settings, environ={'PORT': "),
        ("Settings.level", '"0")) + 1', '"0")) + 2', "Settings"),
        ("Settings.level", '"LEVEL"', '"LEVELS"', "in_environment(lambda: Settings().level, environ={'LEVEL"),
        ("Settings.url", '== "on"', '!= "on"', "Settings"),
        ("asked", '("n", "no")', '("n",)', "in_environment(asked, stdin=['"),
        ("asked", ".strip().lower()", ".lower()", "in_environment(asked, stdin=["),
        ("counted", "+ 1", "+ 2", "in_environment(counted, stdin=["),
        ("main", "total += 1", "total += 2", "in_environment(main, argv=["),
        ("run", "0 if options.quiet", "1 if options.quiet", "in_environment(run, argv=["),
    ],
)
def test_a_difference_shows_with_what_is_read(judge: Any, name: str, old: str, new: str, call: str) -> None:
    assert TEXT.replace(old, new) != TEXT
    report = judge(TEXT, TEXT.replace(old, new), name, kind="previous", calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample.call.startswith(call)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("colors", 'os.environ.get("TERM", "") != "dumb"', '"dumb" != os.getenv("TERM", "")'),
        ("Settings.__init__", "self.prefix = prefix", "self.prefix = str(prefix)[:] if prefix else prefix"),
        ("asked", "range(tries)", "list(range(tries))"),
        ("counted", "in sys.stdin:", "in sys.stdin.readlines():"),
        ("main", "total += 1", "total = 1 + total"),
        ("run", "return 0 if options.quiet else options.size", "return options.size if not options.quiet else 0"),
    ],
)
def test_what_reads_in_another_way_agrees(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(TEXT, name, old, new, calls=250, seconds=30)
    assert report.verdict is Verdict.AGREES, report.reason


def test_versions_that_cannot_both_be_given_inputs_are_called_as_they_are(judge: Any) -> None:
    old = "import os\n\ndef f(n: int):\n    return os.environ.get('LEVEL', n)\n"
    new = "import functools, os\n\n@functools.cache\ndef f(n: int):\n    return os.environ.get('LEVEL', n)\n"
    report = judge(old, new, "f", kind="previous", calls=250, seconds=30)
    assert report.verdict is Verdict.AGREES, report.reason


def test_without_an_older_version_nobody_waits_for_input() -> None:
    target = read_module(TEXT).target("asked")
    assert target.obstacle is None
    assert target.reads == "waits for input: input(...)"
    decorated = read_module(TEXT.replace("def asked", "@staticmethod\n@main\ndef asked")).target("asked")
    assert decorated.obstacle == target.reads


SETTING = """
import os


def use_proxy(host, port: int):
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        os.environ[name] = f"http://{host}:{port}"


def ensured(level: str):
    os.environ.setdefault("LEVEL", level)
    return os.environ["LEVEL"]


def forget(names: list[str]):
    for name in names:
        os.environ.pop(name, None)


def with_level(level: str):
    saved = os.environ.get("LEVEL")
    os.environ["LEVEL"] = "x" + level
    try:
        return child_level()
    finally:
        if saved is None:
            del os.environ["LEVEL"]
        else:
            os.environ["LEVEL"] = saved


def child_level():
    return os.environ["LEVEL"].lower()
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "call"),
    [
        ("use_proxy", '"HTTPS_PROXY"', '"HTTPS_PROXIES"', "returned_and_set(use_proxy)("),
        (
            "ensured",
            'setdefault("LEVEL", level)',
            'setdefault("LEVELS", level)',
            "in_environment(returned_and_set(ensured)",
        ),
        ("forget", "pop(name, None)", "get(name, None)", "in_environment(returned_and_set(forget), environ={'"),
        ("with_level", "if saved is None:", "if saved is not None:", "in_environment(returned_and_set(with_level)"),
    ],
)
def test_variables_that_are_set_are_part_of_the_result(judge: Any, name: str, old: str, new: str, call: str) -> None:
    report = judge.edit(SETTING, name, old, new, calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample.call.startswith(("returned_and_set(", call))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (
            "use_proxy",
            'for name in ("HTTP_PROXY", "HTTPS_PROXY"):\n        os.environ[name] = f"http://{host}:{port}"',
            'url = f"http://{host}:{port}"\n    os.environ.update(HTTPS_PROXY=url, HTTP_PROXY=url)',
        ),
        (
            "ensured",
            'os.environ.setdefault("LEVEL", level)',
            'if "LEVEL" not in os.environ:\n        os.environ["LEVEL"] = level',
        ),
        ("forget", "os.environ.pop(name, None)", "if name in os.environ:\n            del os.environ[name]"),
        ("with_level", '"x" + level', 'f"x{level}"'),
    ],
)
def test_variables_that_are_set_in_another_way_agree(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(SETTING, name, old, new, calls=250, seconds=30)
    assert report.verdict is Verdict.AGREES, report.reason


HELD = """
import os

settings = os.environ


class Lamp:
    variables = os.environ

    @classmethod
    def load(cls, lines: list[str]):
        for line in lines:
            name, _, value = line.partition("=")
            if name:
                cls.variables.setdefault(name, value)


def apply(level: str):
    settings["LEVEL"] = level


def level(usual: str):
    held = os.environ
    return held.get("LEVEL", usual)


def plain(settings: dict[str, str], level: str):
    settings["LEVEL"] = level
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "call"),
    [
        ("Lamp.load", "setdefault(name, value)", "setdefault(name, line)", "returned_and_set("),
        (
            "apply",
            'settings["LEVEL"] = level\n\n\ndef level',
            'settings["LEVELS"] = level\n\n\ndef level',
            "returned_and_set(",
        ),
        ("level", 'get("LEVEL", usual)', 'get("LEVELS", usual)', "in_environment(level, environ={'LEVEL"),
        ("plain", "", "", "plain({}, "),
    ],
)
def test_variables_by_another_name_of_the_environment(judge: Any, name: str, old: str, new: str, call: str) -> None:
    newer = HELD.replace(old, new) if name != "plain" else HELD.rstrip() + " * 2\n"
    assert newer != HELD
    report = judge(HELD, newer, name, kind="previous", calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert call in report.counterexample.call


ASKING = """
import click


def chosen(names: list[str]) -> str:
    for name in names:
        answer = click.prompt(f"Take {name}?", default="no")
        if answer in ("yes", "sure"):
            return name
    return ""


def removed(name: str, force: bool) -> str:
    return name if force or click.confirm(f"Remove {name}?") else ""


def repeated(name: str) -> str:
    while True:
        answer = click.prompt(f"Value of {name}", default="")
        if answer != name:
            return answer
"""


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("chosen", '("yes", "sure")', '("yes",)'),
        ("removed", "force or click", "force and click"),
        ("removed", "force or click.confirm(", "force or not click.confirm("),
        ("repeated", "if answer != name", "if answer"),
    ],
)
def test_what_a_library_asks_is_answered(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(ASKING, name, old, new, calls=1500, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("chosen", '("yes", "sure")', '["sure", "yes"]'),
        ("removed", "if force or", "if bool(force) or"),
        ("repeated", "if answer != name", "if not answer == name"),
    ],
)
def test_who_asks_in_the_same_way_gets_the_same_answers(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(ASKING, name, old, new, calls=250, seconds=30)
    assert report.verdict is Verdict.AGREES, report.reason


def test_waiting_for_an_answer_that_cannot_be_given_is_told(judge: Any) -> None:
    old = "import click\n\ndef f(name: str):\n    yield click.prompt(name)\n"
    report = judge(old, old.replace("yield click", "yield 0 or click"), "f", kind="previous", calls=250, seconds=30)
    assert report.verdict is Verdict.NOT_CHECKED
    assert report.reason.endswith("it waits for input")


HANDED = """
import os


def setting(name, default=""):
    return os.environ.get(name, default).strip()


def level() -> int:
    found = setting("APP_LEVEL", "1")
    return int(found) if found.isdigit() else 0


class Config:
    def _flag(self, name):
        return name in os.environ

    @property
    def colors(self) -> str:
        return "off" if self._flag(name="NO_COLOR") else "on"
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "call"),
    [
        ("level", "else 0", "else 1", "in_environment(level, environ={'APP_LEVEL': "),
        ("Config.colors", '"off"', '"none"', "in_environment(lambda: Config().colors, environ={'NO_COLOR': "),
    ],
)
def test_variables_that_are_looked_up_by_another_function(judge: Any, name: str, old: str, new: str, call: str) -> None:
    report = judge.edit(HANDED, name, old, new, calls=600, seconds=30)
    assert report.verdict is Verdict.DIFFERS, report.reason
    assert report.counterexample.call.startswith(call)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("level", "return int(found) if found.isdigit() else 0", "return 0 if not found.isdigit() else int(found)"),
        ("Config.colors", 'self._flag(name="NO_COLOR")', 'self._flag("NO_COLOR") is True'),
    ],
)
def test_variables_looked_up_elsewhere_in_another_way_agree(judge: Any, name: str, old: str, new: str) -> None:
    report = judge.edit(HANDED, name, old, new, calls=250, seconds=30)
    assert (report.verdict, report.inputs > 5) == (Verdict.AGREES, True), report
