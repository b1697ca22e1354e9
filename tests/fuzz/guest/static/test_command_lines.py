"""Command lines are written for the parsers that a module makes."""

from __future__ import annotations

import ast

import pytest

from lsp_evalplus.fuzz.guest.static.command_lines import MOST_LINES, command_lines_for

TEXT = """
import argparse

def parser():
    made = argparse.ArgumentParser()
    {added}
    return made

def main(argv=None):
    args = parser().parse_args(argv)
    return vars(args)
"""


def lines_of(*added: str, text: str = TEXT) -> list[list[str]]:
    tree = ast.parse(text.replace("{added}", "\n    ".join(added) or "pass"))
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main")
    return command_lines_for(function, tree).get("argv", [])


@pytest.mark.parametrize(
    ("added", "line"),
    [
        ("made.add_argument('-l', '--level', choices=['low', 'high'])", ["--level", "high"]),
        ("made.add_argument('--level', type=int)", ["--level", "1"]),
        ("made.add_argument('--level', type=float)", ["--level", "1.5"]),
        ("made.add_argument('-v', action='count')", ["-v"]),
        ("made.add_argument('-v', action='store_true')", ["-v"]),
        ("made.add_argument('files', nargs='*')", ["a", "b"]),
        ("made.add_argument('pair', nargs=2)", ["a", "a"]),
        ("made.add_argument('--name', nargs='?')", ["--name"]),
    ],
)
def test_each_argument_is_on_a_line(added: str, line: list[str]) -> None:
    assert line in lines_of(added)


def test_what_is_needed_is_on_every_line() -> None:
    lines = lines_of(
        "made.add_argument('file')",
        "made.add_argument('--kind', required=True)",
        "made.add_argument('-q', action='store_true')",
    )
    assert lines[0] == ["a", "--kind", "a"]
    assert ["-q", "a", "--kind", "a"] in lines
    assert all("--kind" in line for line in lines)


def test_subcommands_and_what_ends_the_program() -> None:
    lines = lines_of(
        "made.add_argument('--version', action='version', version='1')",
        "inner = made.add_subparsers()",
        "one = inner.add_parser('build')",
        "one.add_argument('--fast', action='store_true')",
    )
    assert ["build"] in lines
    assert ["build", "--fast"] in lines
    assert not [line for line in lines if "--version" in line]


def test_each_subcommand_takes_its_own_arguments() -> None:
    lines = lines_of(
        "made.add_argument('--file', required=True)",
        "inner = made.add_subparsers()",
        "one = inner.add_parser('build')",
        "one.add_argument('target')",
        "one = inner.add_parser('user')",
        "nested = one.add_subparsers()",
        "nested.add_parser('rename').add_argument('--to', nargs=2, required=True)",
        "group = nested.add_parser('list').add_mutually_exclusive_group()",
        "group.add_argument('--all', action='store_true')",
    )
    assert {" ".join(line) for line in lines if "--file a --file" not in " ".join(line)} == {
        "--file a",
        "--file b",
        "--file a build a",
        "--file a build b",
        "--file a user",
        "--file a user rename --to a a",
        "--file a user rename --to b b",
        "--file a user list",
        "--file a user list --all",
    }


def test_parsers_are_known_by_name_in_their_function_alone() -> None:
    text = (
        TEXT
        + """
def added(inner):
    one = inner.add_parser("build")
    one.add_argument("--fast", action="store_true")

def other():
    one.add_argument("--slow", action="store_true")
"""
    )
    lines = lines_of("one = made.add_subparsers().add_parser('show')", text=text)
    assert ["build", "--fast"] in lines
    assert ["--slow"] in lines
    assert ["show"] in lines


def test_each_parser_takes_its_own_arguments() -> None:
    text = (
        TEXT
        + """
def other():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("-m", "--mode", choices=["fast"])
"""
    )
    lines = lines_of("made.add_argument('size', type=int)", "made.add_argument('-q', action='store_true')", text=text)
    assert ["-q", "1"] in lines
    assert ["--mode", "fast", "a"] in lines
    assert not [line for line in lines if {"-q", "--mode"} < set(line)]


def test_parents_give_parsers_their_arguments() -> None:
    lines = lines_of(
        "common = argparse.ArgumentParser(add_help=False)",
        "common.add_argument('-q', action='store_true')",
        "made = argparse.ArgumentParser(parents=[common])",
        "made.add_argument('size', type=int)",
        "made.add_subparsers().add_parser('show', parents=[common])",
    )
    assert ["-q", "1"] in lines
    assert ["1", "show", "-q"] in lines
    assert ["-q"] not in lines


@pytest.mark.parametrize("table", ["('low', 'high')", "{'low': 1, 'high': 2}"])
def test_choices_may_have_a_name(table: str) -> None:
    text = TEXT + f"LEVELS: object = {table}"
    assert ["--level", "high"] in lines_of("made.add_argument('--level', choices=sorted(LEVELS))", text=text)


def test_lines_are_different_and_few() -> None:
    lines = lines_of(*[f"made.add_argument('--option{number}')" for number in range(60)])
    assert len(lines) == MOST_LINES
    assert len({*map(tuple, lines)}) == MOST_LINES


def test_a_parameter_that_no_parser_gets_has_none() -> None:
    assert lines_of("made.add_argument('-q')", text=TEXT.replace("parse_args(argv)", "parse_args()")) == []
