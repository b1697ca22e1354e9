"""What functions read of their process is found with the names, words and command lines that are likely in it."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.model import Program
from lsp_evalplus.fuzz.source.outside.process_inputs import ProcessInputs, find_process_inputs

TEXT = """
import argparse
import os as system
import sys
from os import environ, getenv
from sys import argv as words

LEVEL = "APP_LEVEL"


def level():
    return int(getenv(LEVEL, "3")) > 4


def colored(stream):
    return "NO_COLOR" not in environ and stream.isatty()


def place():
    return system.environ["HOME"] + system.environ.get("XDG", "")


class Settings:
    def __init__(self):
        self.debug = environ.get("DEBUG") in ("on", "yes")

    @classmethod
    def made(cls):
        return cls()

    @property
    def shown(self):
        return environ["SHOWN"]

    @property
    def name(self):
        return environ["NAME"]

    @name.setter
    def name(self, value):
        environ["NAME"] = value

    @cached
    def place(self):
        return environ["PLACE"]


def asked():
    return input("> ") == "stop"


def through(text):
    return text or asked()


def total():
    return sum(map(int, sys.stdin))


def first():
    return words[1]


def commands():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers()
    commands.add_parser("add").add_argument("--to")
    commands.add_parser("list")
    return parser.parse_args()


def plain(environ, argv):
    return environ["HOME"], argv[1]


async def later():
    return environ["LATER"]


def each():
    yield environ["EACH"]
"""


def read(name: str) -> ProcessInputs:
    return find_process_inputs([Program(TEXT, name)])


@pytest.mark.parametrize(
    ("name", "variables"),
    [
        ("level", ("APP_LEVEL",)),
        ("colored", ("NO_COLOR",)),
        ("place", ("HOME", "XDG")),
        ("Settings.__init__", ("DEBUG",)),
        ("Settings.made", ("DEBUG",)),
        ("Settings.shown", ("SHOWN",)),
    ],
)
def test_variables_are_read(name: str, variables: tuple[str, ...]) -> None:
    assert read(name).variables == variables


@pytest.mark.parametrize("name", ["Settings.name", "Settings.place", "plain", "later", "each", "missing"])
def test_nothing_is_read(name: str) -> None:
    found = read(name)
    assert not found.is_further
    assert not found.seeds()


def test_words_are_those_that_are_compared() -> None:
    assert read("level").words[:3] == ("4", "5", "3")
    assert {"on", "ON", "yes"} <= set(read("Settings.__init__").words)
    assert "NO_COLOR" not in read("colored").words


@pytest.mark.parametrize(
    ("name", "arguments", "stdin"),
    [
        ("asked", False, True),
        ("through", False, True),
        ("total", False, True),
        ("first", True, False),
        ("commands", True, False),
        ("level", False, False),
    ],
)
def test_arguments_and_the_standard_input_are_read(name: str, arguments: bool, stdin: bool) -> None:
    assert (read(name).arguments, read(name).stdin) == (arguments, stdin)


def test_seeds_have_command_lines_that_parsers_take() -> None:
    lines = [ast.literal_eval(text)["kwargs"]["sys_argv"] for text in read("commands").seeds()]
    assert {("add",), ("list",), ("add", "--to", "a")} <= set(map(tuple, lines))


def test_seeds_have_lines_of_the_standard_input() -> None:
    lines = [ast.literal_eval(text)["kwargs"]["sys_stdin"] for text in read("through").seeds()]
    assert [] in lines
    assert ["stop"] in lines


def test_two_versions_are_given_what_either_reads() -> None:
    other = TEXT.replace('"DEBUG"', '"VERBOSE"')
    found = find_process_inputs([Program(TEXT, "Settings.__init__"), Program(other, "Settings.__init__")])
    assert found.variables == ("DEBUG", "VERBOSE")
    mixed = find_process_inputs([Program(TEXT, "each"), Program(TEXT.replace("    yield", "    return"), "each")])
    assert not mixed.is_further


WRITING = """
class Store:
    def __init__(self, path):
        self.path = path

    def text(self) -> str:
        return "a"

    def save(self) -> None:
        self.path.write_text(self.text())

    def close(self) -> None:
        self.save()


class Other:
    def save(self) -> None:
        return None


def closed(store: Store) -> None:
    store.close()


def saved(store: "Store") -> None:
    store.save()


def shown(store: Store) -> str:
    return store.text()


def other(store: Other) -> None:
    store.save()
"""


@pytest.mark.parametrize(
    ("name", "is_writing"),
    [
        ("closed", True),
        ("saved", True),
        ("Store.close", True),
        ("shown", False),
        ("other", False),
        ("Store.text", False),
    ],
)
def test_methods_of_objects_that_are_passed_may_leave_files(name: str, is_writing: bool) -> None:
    assert find_process_inputs([Program(WRITING, name)]).files is is_writing
