"""Reads the parsers of command lines that a module makes with `argparse`, and writes lines that they take."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from .parameter_members import Function, listed_parameters
from .walking import string_in, walk_tree

MOST_LINES = 48
"""Maximum number of lines for one module."""
_MOST_CHOICES = 4
PARSING = frozenset("parse_args parse_known_args parse_intermixed_args".split())
_WITHOUT_VALUE = frozenset("store_true store_false store_const append_const count".split())
_ENDING = frozenset(("help", "version"))
"""Actions that end the program."""
_WORDS = {"int": ("1", "-1"), "float": ("1.5",)}


class _Argument(NamedTuple):
    option: str
    """The longest of its names; empty for a positional argument."""
    values: tuple[tuple[str, ...], ...]
    """What may follow the name, or stand in the argument's place."""
    is_needed: bool


def command_lines_for(function: Function, tree: ast.AST) -> dict[str, list[list[str]]]:
    """Return lines that a module's parsers take, by the parameter that a function hands to one of them.

    Nothing says which parser takes which argument: lines that it refuses end as for any user.
    """
    names = {one.arg for one in listed_parameters(function.args)}
    taken = [name for name in _handed_to_parsers(function) if name in names]
    return dict.fromkeys(taken, command_lines_in(tree)) if taken else {}


def command_lines_in(tree: ast.AST) -> list[list[str]]:
    """Return lines that the parsers of a module take."""
    calls = [node for node in walk_tree(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    arguments = [one for one in map(_argument, calls) if one is not None]
    commands = [string_in(call.args[0]) for call in calls if _attribute(call) == "add_parser" and call.args]
    lines = list(dict.fromkeys(map(tuple, _lines(arguments, commands))))
    return list(map(list, lines[:MOST_LINES]))


def _handed_to_parsers(function: Function) -> Iterator[str]:
    for node in walk_tree(function):
        if isinstance(node, ast.Call) and _attribute(node) in PARSING:
            given = [*node.args[:1], *[one.value for one in node.keywords if one.arg == "args"]]
            yield from (one.id for one in given if isinstance(one, ast.Name))


def _attribute(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _argument(call: ast.Call) -> _Argument | None:
    """Return what a call of ``add_argument`` adds; None for other calls, and for what ends the program."""
    names = [name for name in map(string_in, call.args) if name]
    keywords = {one.arg: one.value for one in call.keywords}
    action = string_in(keywords.get("action"))
    if _attribute(call) != "add_argument" or not names or action in _ENDING:
        return None
    option = max(names, key=len) if names[0].startswith("-") else ""
    if action in _WITHOUT_VALUE:
        return _Argument(option, ((),), is_needed=False)
    nargs = _constant(keywords.get("nargs"))
    words = _words(keywords)
    found = [(word,) * (nargs if isinstance(nargs, int) else 1) for word in words]
    if nargs in ("*", "+"):
        found.append((words[0], words[-1]))
    if nargs == "?" or (nargs == "*" and not option):
        found.append(())
    is_required = bool(_constant(keywords.get("required")))
    return _Argument(option, tuple(found), is_required if option else nargs not in ("*", "?"))


def _constant(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _words(keywords: dict[str | None, ast.expr]) -> Sequence[str]:
    """Return values of an argument: its choices, or by its type."""
    choices = keywords.get("choices")
    if isinstance(choices, (ast.List, ast.Tuple, ast.Set)):
        found = [str(one.value) for one in choices.elts if isinstance(one, ast.Constant)]
        if found:
            return found[:_MOST_CHOICES]
    kind = keywords.get("type")
    return _WORDS.get(kind.id if isinstance(kind, ast.Name) else "", ("a", "b"))


def _lines(arguments: Sequence[_Argument], commands: Sequence[str]) -> Iterator[list[str]]:
    """Yield the shortest line that has all that is needed, then one with each of the others, then with two of them;
    after that the same for each subcommand."""
    needed = [word for one in arguments if one.is_needed for word in (*_named(one), *one.values[0])]
    single = [[*_named(one), *value] for one in arguments for value in one.values]
    pairs = [[*one, *two] for one, two in zip(single, single[1:])]
    plain = list(chain([[]], single, pairs))
    yield from ([*part, *needed] for part in plain)
    for command in filter(None, commands):
        yield [command]
        yield from ([command, *part] for part in plain[1:])


def _named(argument: _Argument) -> list[str]:
    return [argument.option] if argument.option else []
